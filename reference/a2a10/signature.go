package a2a10

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"maps"
	"math/big"
	"net/http"
	"sync"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// signature is an AgentCardSignature, section 8.4.2.
type signature struct {
	Protected string         `json:"protected"`
	Signature string         `json:"signature"`
	Header    map[string]any `json:"header,omitempty"`
}

// keysPath is the path of the public keys.
const keysPath = "/.well-known/jwks.json"

// The names of the two keys, of which one is to replace the other.
const (
	KeyID   = "reference-es256"
	OlderID = "reference-ed25519"
)

// The keys are made from seeds for everybody to know, when the first card is signed.
var (
	cardKey = sync.OnceValue(func() *ecdsa.PrivateKey {
		seed := sha256.Sum256([]byte("a2a-conform reference server, P-256"))
		key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), seed[:])
		if err != nil {
			panic(err)
		}
		return key
	})
	olderKey = sync.OnceValue(func() ed25519.PrivateKey {
		seed := sha256.Sum256([]byte("a2a-conform reference server"))
		return ed25519.NewKeyFromSeed(seed[:])
	})
)

var base64url = base64.RawURLEncoding.EncodeToString

// PublicKey is the key by which the first signature of a card can be verified, in
// PEM form.
func PublicKey() []byte {
	der, err := x509.MarshalPKIXPublicKey(&cardKey().PublicKey)
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// PublicKeys are the keys of all signatures, as a JSON Web Key Set.
func PublicKeys() []byte { return front.Encode(keySet()) }

// keys is the JSON Web Key Set of the variants that sign a card.
func (a Server) keys(r *http.Request) (int, any) {
	if !a.Variant.Signed && !a.Variant.Guarded {
		return front.Absent(r)
	}
	return http.StatusOK, keySet()
}

func keySet() map[string]any {
	point, err := cardKey().PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	return map[string]any{"keys": []any{
		map[string]any{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": KeyID, "x": base64url(point[1:33]), "y": base64url(point[33:])},
		map[string]any{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": OlderID, "x": base64url(olderKey().Public().(ed25519.PublicKey))},
	}}
}

// signatures signs a card with both keys.
func signatures(url string, card any) []signature {
	payload := canonical(card)
	return []signature{
		sign(signedHeader(url), payload),
		sign(map[string]any{"alg": "EdDSA", "typ": "JOSE", "kid": OlderID}, payload),
	}
}

// signedHeader is the protected header of the first signature.
func signedHeader(url string) map[string]any {
	return map[string]any{"alg": "ES256", "typ": "JOSE", "kid": KeyID, "jku": url + keysPath}
}

// canonical is the content of a card that is signed: without its signatures, in the
// form of RFC 8785. The members of the cards of this server have ASCII names and no
// numbers, so that the order and the form of Go's encoder are those of the RFC.
func canonical(card any) []byte {
	members := maps.Clone(card.(map[string]any))
	delete(members, "signatures")
	return front.Encode(members)
}

// sign makes a JSON Web Signature in the form of section 8.4.2.
func sign(header map[string]any, payload []byte) signature {
	protected := base64url(front.Encode(header))
	input := []byte(protected + "." + base64url(payload))
	if header["alg"] == "EdDSA" {
		return signature{Protected: protected, Signature: base64url(ed25519.Sign(olderKey(), input)), Header: map[string]any{"note": "to be replaced"}}
	}
	sum := sha256.Sum256(input)
	der, err := cardKey().Sign(nil, sum[:], crypto.SHA256)
	if err != nil {
		panic(err)
	}
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &pair); err != nil {
		panic(err)
	}
	raw := make([]byte, 64)
	pair.R.FillBytes(raw[:32])
	pair.S.FillBytes(raw[32:])
	return signature{Protected: protected, Signature: base64url(raw)}
}

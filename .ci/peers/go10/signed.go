package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// sign puts a signature on a card and returns the key set by which it is verified, which is at an address. The SDK has a place for
// signatures, but no function that makes them, so that whoever writes an agent signs its card.
func sign(card *a2a.AgentCard, keysAt string) (keys []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	protected, err := json.Marshal(map[string]string{"alg": "ES256", "kid": "clerk", "typ": "JOSE", "jku": keysAt})
	if err != nil {
		return nil, err
	}
	content, err := canonical(card)
	if err != nil {
		return nil, err
	}
	header := encode(protected)
	digest := sha256.Sum256([]byte(header + "." + encode(content)))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		return nil, err
	}
	signature := slices.Concat(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32)))
	card.Signatures = []a2a.AgentCardSignature{{Protected: header, Signature: encode(signature)}}
	point, err := key.PublicKey.Bytes() // a byte for its form, and both coordinates
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"keys": []map[string]string{
		{"kty": "EC", "crv": "P-256", "kid": "clerk", "alg": "ES256", "use": "sig", "x": encode(point[1:33]), "y": encode(point[33:])},
	}})
}

// canonical returns a card in the form that is signed. This card has no member that is a default, no number and no letter beyond
// ASCII, so that sorted members and no blanks are all that RFC 8785 asks for.
func canonical(card *a2a.AgentCard) ([]byte, error) {
	text, err := json.Marshal(card)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

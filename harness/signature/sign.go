package signature

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// Signer signs cards and tokens with a key that was made for it, by ES256.
type Signer struct{ key jose.JSONWebKey }

// NewSigner makes a signer whose key has a name.
func NewSigner(name string) (*Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Signer{jose.JSONWebKey{Key: key, KeyID: name, Algorithm: string(jose.ES256), Use: "sig"}}, nil
}

// PublicKey returns the key by which the signatures are verified, as a JSON Web Key.
func (s *Signer) PublicKey() (json.RawMessage, error) { return s.key.Public().MarshalJSON() }

// Sign returns the protected header and the signature over a content. keysAt is the address of the keys that the header
// names; "" for none.
func (s *Signer) Sign(content []byte, keysAt string) (protected, signature string, err error) {
	options := (&jose.SignerOptions{}).WithType("JOSE")
	if keysAt != "" {
		options.WithHeader("jku", keysAt)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: s.key}, options)
	if err != nil {
		return "", "", err
	}
	made, err := signer.Sign(content)
	if err != nil {
		return "", "", err
	}
	compact, err := made.DetachedCompactSerialize()
	protected, signature, _ = strings.Cut(compact, "..")
	return protected, signature, err
}

// SignToken returns claims as a signed JSON Web Token (RFC 7519). Its header names the key as the caller wants it.
func (s *Signer) SignToken(claims []byte, kid string) (string, error) {
	named := s.key
	named.KeyID = kid
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: named}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		return "", err
	}
	made, err := signer.Sign(claims)
	if err != nil {
		return "", err
	}
	return made.CompactSerialize()
}

// KeyName returns the name of the key.
func (s *Signer) KeyName() string { return s.key.KeyID }

package signature

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// algorithms are those that a card may be signed with. An algorithm without a key, or
// with one that both sides know, proves nothing about who signed.
var algorithms = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.RS256, jose.PS256, jose.EdDSA}

// Bounds on a key set, which may be a server's: a modulus beyond all measure would
// keep the verification busy.
const (
	mostKeys = 100
	mostBits = 16384 // of an RSA modulus
)

// Keys are public keys by which cards are verified.
type Keys struct{ of []jose.JSONWebKey }

// ReadKeys reads a public key in PEM form, a JSON Web Key or a set of them. Of a set,
// keys of kinds that sign no card are left out. A private key is refused: it is
// no one's but the signer's.
func ReadKeys(text []byte) (*Keys, error) {
	text = bytes.TrimSpace(text)
	keys := &Keys{}
	if bytes.HasPrefix(text, []byte("{")) {
		return keys, keys.readJSON(text)
	}
	for block, rest := pem.Decode(text); block != nil && len(keys.of) < mostKeys; block, rest = pem.Decode(rest) {
		key, err := inBlock(block)
		if err != nil {
			return nil, err
		}
		if one := (jose.JSONWebKey{Key: key}); isSupportedPublicKey(key) && canRoundTripAsJSON(one) {
			keys.of = append(keys.of, one)
		}
	}
	return keys, keys.requireKeys()
}

// canRoundTripAsJSON reports whether a key can be written down and read again: one of small order,
// by which anybody can sign anything, cannot.
func canRoundTripAsJSON(key jose.JSONWebKey) bool {
	text, err := key.MarshalJSON()
	return err == nil && new(jose.JSONWebKey).UnmarshalJSON(text) == nil
}

func (k *Keys) requireKeys() error {
	if len(k.of) == 0 {
		return errors.New("no public key for ES256, ES384, RS256, PS256 or EdDSA was found; give one in PEM form, as a JSON Web Key or as a JSON Web Key Set")
	}
	return nil
}

func inBlock(block *pem.Block) (crypto.PublicKey, error) {
	switch {
	case strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return nil, errors.New("this is a private key; give the public key")
	case block.Type == "CERTIFICATE":
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("the certificate cannot be read: %w", err)
		}
		return c.PublicKey, nil
	case block.Type == "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the key cannot be read: %w", err)
	}
	return key, nil
}

func (k *Keys) readJSON(text []byte) error {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return fmt.Errorf("the key cannot be read: %w", err)
	}
	if set.Keys == nil {
		set.Keys = []json.RawMessage{text}
	}
	for _, one := range set.Keys[:min(len(set.Keys), mostKeys)] {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(one) != nil {
			continue // of a kind that is not known here
		}
		switch {
		case isSupportedPublicKey(key.Key):
			k.of = append(k.of, jose.JSONWebKey{Key: key.Key, KeyID: key.KeyID, Algorithm: key.Algorithm, Use: key.Use})
		case !key.IsPublic():
			return errors.New("this is a private or a shared key; give the public key")
		}
	}
	return k.requireKeys()
}

// isSupportedPublicKey reports whether a key is a public one of a kind that signs cards.
func isSupportedPublicKey(key any) bool {
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return key.Curve == elliptic.P256() || key.Curve == elliptic.P384()
	case *rsa.PublicKey:
		return key.N.BitLen() <= mostBits
	case ed25519.PublicKey:
		return true
	}
	return false
}

// JSON returns the keys as a JSON Web Key Set.
func (k *Keys) JSON() string {
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: k.of})
	if err != nil {
		panic(fmt.Sprintf("public keys that were read cannot be written: %v", err))
	}
	return string(text)
}

// Key is one of them. Named states that it has the name by which the signature asks for
// it, so that the signature is certainly meant to be verified by it.
type Key struct {
	key   jose.JSONWebKey
	Named bool
}

// For returns the keys that a signature with that name of a key and that algorithm may be
// verified by: those of that name, or if none has it those without any.
func (k *Keys) For(kid, algorithm string) (out []Key) {
	for _, named := range []bool{true, false} {
		for _, key := range k.of {
			name := ""
			if named {
				name = kid
			}
			if key.KeyID == name && (name != "") == named && fitsAlgorithm(key, algorithm) {
				out = append(out, Key{key, named})
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// fitsAlgorithm reports whether a key is of the kind that an algorithm takes.
func fitsAlgorithm(key jose.JSONWebKey, algorithm string) bool {
	if key.Algorithm != "" && key.Algorithm != algorithm || key.Use != "" && key.Use != "sig" {
		return false
	}
	switch of := key.Key.(type) {
	case *ecdsa.PublicKey:
		return algorithm == "ES256" && of.Curve == elliptic.P256() || algorithm == "ES384" && of.Curve == elliptic.P384()
	case *rsa.PublicKey:
		return algorithm == "RS256" || algorithm == "PS256"
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

package certificate

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"golang.org/x/crypto/ssh"
)

// The kinds of keys.
const (
	Ed25519 = "ed25519"
	P256    = "p256"
)

// Kinds are the kinds of keys that Generate makes.
func Kinds() []string { return []string{Ed25519, P256} }

// PublicKey is what a signature is checked with. It implements dsse.Verifier.
type PublicKey struct {
	key crypto.PublicKey
	// ID is the key's fingerprint, as ssh-keygen -lf prints it.
	ID string
}

// PrivateKey signs. It implements dsse.Signer.
type PrivateKey struct {
	PublicKey
	signer crypto.Signer
}

// Generate makes a pair of keys in PEM form: the private one as PKCS#8, the public one as
// SubjectPublicKeyInfo.
func Generate(kind string) (private, public []byte, err error) {
	var key crypto.Signer
	switch kind {
	case Ed25519:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	case P256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		err = fmt.Errorf("%q is no kind of key; give %s or %s", kind, Ed25519, P256)
	}
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	pub, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: pub}), nil
}

// kindsOfKeys ends an error about a key that cannot be used.
const kindsOfKeys = "use an Ed25519 or ECDSA P-256 key; a2a-conform keygen makes one"

// ReadPrivate reads a private key in PEM form: PKCS#8, or as ssh-keygen writes it.
func ReadPrivate(text []byte) (*PrivateKey, error) {
	block, _ := pem.Decode(text)
	switch {
	case block == nil && isPublicLine(text):
		return nil, errors.New("this is a public key; sign with the private one")
	case block == nil:
		return nil, errors.New("this is no key in PEM form; " + kindsOfKeys)
	case block.Type == "PUBLIC KEY":
		return nil, errors.New("this is a public key; sign with the private one")
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("the key is protected by a passphrase; write a copy without: openssl pkey -in KEY -out COPY")
	}
	raw, err := ssh.ParseRawPrivateKey(text)
	if errors.As(err, new(*ssh.PassphraseMissingError)) {
		return nil, errors.New("the key is protected by a passphrase; write a copy without: cp KEY COPY && ssh-keygen -p -N '' -f COPY")
	}
	if err != nil {
		return nil, fmt.Errorf("the private key cannot be read: %w; %s", err, kindsOfKeys)
	}
	if e, is := raw.(*ed25519.PrivateKey); is {
		raw = *e
	}
	signer, is := raw.(crypto.Signer)
	if !is {
		return nil, errors.New("this is no key that can sign; " + kindsOfKeys)
	}
	public, err := newPublicKey(signer.Public())
	if err != nil {
		return nil, err
	}
	return &PrivateKey{*public, signer}, nil
}

// ReadPublic reads a public key: PEM (SubjectPublicKeyInfo), or a line as in an .pub file of
// ssh-keygen.
func ReadPublic(text []byte) (*PublicKey, error) {
	block, _ := pem.Decode(text)
	switch {
	case block == nil && isPublicLine(text):
		key, _, _, _, err := ssh.ParseAuthorizedKey(text)
		if err != nil {
			return nil, err
		}
		c, is := key.(ssh.CryptoPublicKey)
		if !is {
			return nil, fmt.Errorf("a key of type %s cannot be used; %s", key.Type(), kindsOfKeys)
		}
		return newPublicKey(c.CryptoPublicKey())
	case block == nil:
		return nil, errors.New("this is no public key in PEM form, nor a line of ssh-keygen")
	case block.Type == "CERTIFICATE":
		return nil, errors.New("this is a certificate of X.509; take its key out: openssl x509 -pubkey -noout -in FILE")
	case block.Type != "PUBLIC KEY":
		return nil, fmt.Errorf("this is a %s, not a public key; a private key stays with the signer", block.Type)
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the public key cannot be read: %w", err)
	}
	return newPublicKey(key)
}

// isPublicLine reports whether a text is a public key as ssh-keygen writes it.
func isPublicLine(text []byte) bool {
	_, _, _, _, err := ssh.ParseAuthorizedKey(bytes.TrimSpace(text))
	return err == nil
}

// newPublicKey is a key of one of the kinds that are signed with.
func newPublicKey(key crypto.PublicKey) (*PublicKey, error) {
	switch k := key.(type) {
	case ed25519.PublicKey:
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() {
			return nil, fmt.Errorf("a key on the curve %s cannot be used; %s", k.Curve.Params().Name, kindsOfKeys)
		}
	default:
		return nil, fmt.Errorf("a key of type %T cannot be used; %s", key, kindsOfKeys)
	}
	id, err := dsse.SHA256KeyID(key)
	return &PublicKey{key, id}, err
}

// KeyID is the fingerprint.
func (k *PublicKey) KeyID() (string, error) { return k.ID, nil }

// Public is the key.
func (k *PublicKey) Public() crypto.PublicKey { return k.key }

var errSignature = errors.New("the signature is not by this key")

// Verify checks a signature: Ed25519 of the data, or ECDSA in ASN.1 form of its SHA-256.
func (k *PublicKey) Verify(_ context.Context, data, sig []byte) error {
	var good bool
	switch key := k.key.(type) {
	case ed25519.PublicKey:
		good = ed25519.Verify(key, data, sig)
	case *ecdsa.PublicKey:
		sum := sha256.Sum256(data)
		good = ecdsa.VerifyASN1(key, sum[:], sig)
	}
	if !good {
		return errSignature
	}
	return nil
}

// Sign signs as Verify checks.
func (k *PrivateKey) Sign(_ context.Context, data []byte) ([]byte, error) {
	if _, is := k.key.(ed25519.PublicKey); is {
		return k.signer.Sign(rand.Reader, data, crypto.Hash(0))
	}
	sum := sha256.Sum256(data)
	return k.signer.Sign(rand.Reader, sum[:], crypto.SHA256)
}

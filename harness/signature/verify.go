package signature

import (
	"encoding/base64"
	"errors"

	"github.com/go-jose/go-jose/v4"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// ReadHeader reads the protected header of a signature: base64url, without padding,
// of a JSON object.
func ReadHeader(protected string) (*record.Node, error) {
	text, err := base64.RawURLEncoding.Strict().DecodeString(protected)
	if err != nil {
		return nil, err
	}
	root, _ := record.ObserveJSON(text)
	if root == nil || root.Kind != record.Object {
		return nil, errors.New("it is no JSON object")
	}
	return root, nil
}

// Member returns what a header holds as a string of that name; "" if nothing.
func Member(header *record.Node, name string) string {
	if m := header.Member(name); m != nil && m.Kind == record.String {
		return m.String
	}
	return ""
}

// Signature is one of a card: a JSON Web Signature whose payload is not repeated.
type Signature struct{ of *jose.JSONWebSignature }

// Read reads a signature with one of the algorithms that a card may be signed with.
func Read(protected, signature string) (Signature, error) {
	of, err := jose.ParseSignedCompact(protected+".."+signature, algorithms)
	return Signature{of}, err
}

// Covers reports whether the signature was made over a content by the owner of a key.
func (s Signature) Covers(content []byte, key Key) bool {
	return s.of.DetachedVerify(content, key.key.Key) == nil
}

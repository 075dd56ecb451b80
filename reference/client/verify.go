package client

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// A signingKey is a public key for ES256.
type signingKey struct {
	public  *ecdsa.PublicKey
	expired bool // it is marked so
}

// keySet has keys by their names.
type keySet map[string]signingKey

// Bounds on keys and signatures.
const (
	maxKeys       = 1 << 20 // bytes of a list
	maxSignatures = 20
)

// readKeys reads a JSON Web Key Set. Keys of other kinds are passed over. "" has none.
func readKeys(text []byte) (keySet, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var set struct {
		Keys []struct {
			Kid, Kty, Crv, X, Y string
			Exp                 int64
		}
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("the keys cannot be read: %w", err)
	}
	out := keySet{}
	for _, k := range set.Keys {
		x, badX := base64.RawURLEncoding.DecodeString(k.X)
		y, badY := base64.RawURLEncoding.DecodeString(k.Y)
		if k.Kty != "EC" || k.Crv != "P-256" || badX != nil || badY != nil || len(x) != 32 || len(y) != 32 {
			continue
		}
		if key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y)); err == nil {
			out[k.Kid] = signingKey{key, k.Exp > 0 && k.Exp < time.Now().Unix()}
		}
	}
	return out, nil
}

// errNotSigned is why a card is refused.
var errNotSigned = errors.New("none of its signatures is valid")

// verifyCard refuses a card of which no signature is valid. One without signatures is taken as it is, and so is each by a client
// without keys.
func (s *session) verifyCard(document object, body []byte) error {
	list := getList(document, "signatures")
	if len(s.keys) == 0 || len(list) == 0 || s.habits.signaturesIgnored {
		return nil
	}
	content, err := canonicalCard(body)
	if s.habits.servedFormSigned {
		content, err = servedCard(body)
	}
	if err != nil {
		return err
	}
	for _, v := range list[:min(maxSignatures, len(list))] {
		if s.isValidSignature(getText(v, "protected"), getText(v, "signature"), content) {
			return nil
		}
	}
	return errNotSigned
}

// isValidSignature reports whether a signature is one over a content by a key that the client trusts.
func (s *session) isValidSignature(protected, signature string, content []byte) bool {
	text, err := base64.RawURLEncoding.DecodeString(protected)
	if err != nil {
		return false
	}
	var header struct{ Alg, Kid, Jku string }
	if json.Unmarshal(text, &header) != nil || header.Alg != "ES256" {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || len(raw) != 64 {
		return false
	}
	key, known := s.keys[header.Kid]
	if (!known || s.habits.keysByHTTP) && header.Jku != "" {
		fetched, err := s.fetchKeys(header.Jku)
		if err != nil {
			return false
		}
		if key, known = fetched[header.Kid]; !known && s.habits.absentKeyTrusted {
			return true
		}
	}
	if !known || key.expired {
		return false
	}
	sum := sha256.Sum256([]byte(protected + "." + base64.RawURLEncoding.EncodeToString(content)))
	return ecdsa.Verify(key.public, sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:]))
}

// fetchKeys gets the keys at the address that a signature names: one of https, at the host of the agent.
func (s *session) fetchKeys(at string) (keySet, error) {
	to, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	if to.Scheme != "https" && !(to.Scheme == "http" && s.habits.keysByHTTP) {
		return nil, errors.New("keys are fetched by https alone")
	}
	if agent, err := url.Parse(s.options.URL); err != nil || !strings.EqualFold(agent.Hostname(), to.Hostname()) {
		return nil, errors.New("keys are fetched from the host of the agent alone")
	}
	text, err := s.fetchDocument(http.MethodGet, at, maxKeys)
	if err != nil {
		return nil, err
	}
	return readKeys(text)
}

// canonicalCard returns a card without its signatures in the form of RFC 8785.
func canonicalCard(body []byte) ([]byte, error) {
	var document object
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, err
	}
	delete(document, "signatures")
	return appendCanonical(nil, document), nil
}

// appendCanonical appends a decoded value in the form of RFC 8785.
func appendCanonical(to []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		names := slices.SortedFunc(maps.Keys(v), func(a, b string) int { return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b))) })
		to = append(to, '{')
		for i, name := range names {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendCanonical(append(appendText(to, name), ':'), v[name])
		}
		return append(to, '}')
	case []any:
		to = append(to, '[')
		for i, e := range v {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendCanonical(to, e)
		}
		return append(to, ']')
	case string:
		return appendText(to, v)
	case float64:
		if v == 0 { // also if it is -0
			return append(to, '0')
		}
	}
	text, _ := json.Marshal(v) // numbers have the form of ECMAScript there
	return append(to, text...)
}

// appendText appends a text in the form of RFC 8785: only what has to be is escaped.
func appendText(to []byte, text string) []byte {
	short := map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	to = append(to, '"')
	for _, r := range text {
		switch {
		case short[r] != "":
			to = append(to, short[r]...)
		case r < ' ':
			to = fmt.Appendf(to, `\u%04x`, r)
		default:
			to = append(to, string(r)...)
		}
	}
	return append(to, '"')
}

// servedCard returns a card without its signatures as it was served otherwise.
func servedCard(body []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var out [][]byte
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		if name != "signatures" {
			out = append(out, slices.Concat(encodeJSON(name), []byte(":"), value))
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(out, []byte(",")), []byte("}")), nil
}

// signatureMutants take cards that they should not take, or refuse those that they should.
var signatureMutants = []mutant{
	{name: "signatures-ignored", summary: "never looks at the signatures of a card", habit: func(h *habits) { h.signaturesIgnored = true }},
	{name: "served-form-verified", dialect: "a2a-1.0", summary: "verifies signatures over the card as it is served", habit: func(h *habits) { h.servedFormSigned = true }},
	{name: "removed-key-trusted", dialect: "a2a-1.0", summary: "takes a card whose key is not at the address that the signature names", habit: func(h *habits) { h.absentKeyTrusted = true }},
	{name: "keys-by-http", dialect: "a2a-1.0", summary: "fetches keys from any address that a signature names", habit: func(h *habits) { h.keysByHTTP = true }},
}

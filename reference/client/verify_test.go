package client_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference/client"
)

var base64url = base64.RawURLEncoding.EncodeToString

// makeKeys makes the keys by which cards are signed, and gives the client those that it should have.
func (s *testAgent) makeKeys(t *testing.T) {
	t.Helper()
	s.signers = map[string]*ecdsa.PrivateKey{}
	if s.signed == "" {
		return
	}
	for _, name := range []string{"own", "other", "stranger"} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		s.signers[name] = key
	}
	s.keys = string(s.encodeKey("own", 0))
}

// encodeKey returns a list with one public key. exp is when it expires; 0 for never.
func (s *testAgent) encodeKey(name string, exp int64) []byte {
	point, err := s.signers[name].PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	key := object{"kty": "EC", "crv": "P-256", "kid": name, "x": base64url(point[1:33]), "y": base64url(point[33:])}
	if exp > 0 {
		key["exp"] = exp
	}
	text, _ := json.Marshal(object{"keys": []any{object{"kty": "RSA", "kid": "rsa"}, key}})
	return text
}

// listKeys returns the keys at the address that a signature names.
func (s *testAgent) listKeys() []byte {
	switch s.signed {
	case "listed":
		return s.encodeKey("other", 0)
	case "marked":
		return s.encodeKey("other", 1)
	}
	return s.encodeKey("own", 0)
}

// serveSigned serves a card with signatures.
func (s *testAgent) serveSigned(w http.ResponseWriter, card object) {
	card["description"] = "Größe <&> \u2028 \b\u0001 \"/\""
	card["capabilities"].(object)["extensions"] = []any{object{"uri": extension, "params": object{"\ufb33": 1000, "\U0001F600": 0.5, "a": 0}}}
	// The form of RFC 8785, written by hand: members in the order of their UTF-16 units.
	content := s.writeCanonically(card)
	name, jku := "own", ""
	switch s.signed {
	case "listed", "marked", "removed":
		name, jku = "other", s.base+"/keys.json"
	case "foreign address":
		name, jku = "other", "https://keys.invalid/keys.json"
	case "known":
		jku = s.base + "/keys.json"
	case "stranger":
		name = "stranger"
	}
	made := []any{s.sign(name, jku, content)}
	switch s.signed {
	case "several":
		made = append([]any{s.sign("stranger", "", content), object{"protected": "e30", "signature": "AA"}, "no object"}, made...)
	case "changed":
		card["name"] = "Somebody else"
	case "garbage":
		made = []any{object{"protected": "%%", "signature": "%%"}, object{}, 7}
	case "other algorithm":
		made = []any{object{"protected": base64url([]byte(`{"alg":"none","kid":"own"}`)), "signature": ""}}
	}
	card["signatures"] = made
	text, _ := json.MarshalIndent(card, " ", "\t")
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("1000"), []byte("1e3")), []byte(`"a": 0`), []byte(`"a": -0.0`))
	w.Write(text)
}

// writeCanonically writes the card of this test in the form of RFC 8785.
func (s *testAgent) writeCanonically(card object) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(card)
	text := strings.TrimSpace(b.String())
	text = strings.Replace(text, "\"\ufb33\":1000,\"\U0001F600\":0.5", "\"\U0001F600\":0.5,\"\ufb33\":1000", 1)
	return []byte(strings.ReplaceAll(text, `\u2028`, "\u2028"))
}

// sign makes a signature over a content.
func (s *testAgent) sign(name, jku string, content []byte) object {
	header := object{"alg": "ES256", "typ": "JOSE", "kid": name}
	if jku != "" {
		header["jku"] = jku
	}
	text, _ := json.Marshal(header)
	protected := base64url(text)
	sum := sha256.Sum256([]byte(protected + "." + base64url(content)))
	r, v, err := ecdsa.Sign(rand.Reader, s.signers[name], sum[:])
	if err != nil {
		panic(err)
	}
	raw := make([]byte, 64)
	r.FillBytes(raw[:32])
	v.FillBytes(raw[32:])
	return object{"protected": protected, "signature": base64url(raw)}
}

// Only a card with a valid signature is used, in whatever form it is served.
func TestSignaturesAreVerified(t *testing.T) {
	for _, dialect := range talking {
		for _, c := range []struct {
			in   situation
			want int
		}{
			{situation{signed: "pretty"}, 0}, {situation{signed: "several"}, 0}, {situation{signed: "known"}, 0}, {situation{signed: "listed", secure: "good"}, 0},
			{situation{signed: "changed"}, 1}, {situation{signed: "stranger"}, 1}, {situation{signed: "garbage"}, 1}, {situation{signed: "other algorithm"}, 1},
			{situation{signed: "listed"}, 1}, {situation{signed: "removed", secure: "good"}, 1}, {situation{signed: "marked", secure: "good"}, 1}, {situation{signed: "foreign address", secure: "good"}, 1},
		} {
			code, seen := runHealthy(t, c.in, dialect, "plain")
			if code != c.want || (c.want == 0) != strings.Contains(seen, "POST /rpc") || c.in.secure == "" && strings.Contains(seen, "/keys.json") {
				t.Errorf("%s, %s: %s", dialect, c.in.signed, seen)
			}
		}
	}
	if err := (client.Options{Keys: "no keys"}).Validate(); err == nil || !strings.Contains(err.Error(), "keys") {
		t.Errorf("a text that is no list of keys: %v", err)
	}
}

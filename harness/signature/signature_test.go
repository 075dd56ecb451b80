package signature

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/gowebpki/jcs"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func parse(t testing.TB, text string) *record.Node {
	root, _ := record.ObserveJSON([]byte(text))
	if root == nil {
		t.Fatalf("this is no JSON: %s", text)
	}
	return root
}

// Another author's reading of RFC 8785 makes the same of whatever both take.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{
		`{"b":[1,2.50,-0,1e21,1e-7,333333333.33333329],"a":"é\u20ac\n\u000f<&>\"\\/"}`,
		`{"\ufb33":1,"\ud83d\ude00":2,"\r":3,"1":4,"":5,"\u0080":6,"ö":7}`,
		`{"a":{"c":null,"b":[true,false,{}]},"d":[]}`, `{"n":9007199254740993,"m":4.35,"z":0.000001}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, faults := record.ObserveJSON([]byte(text))
		if root == nil || len(faults) > 0 || root.Kind != record.Object {
			return
		}
		want, err := jcs.Transform([]byte(text))
		if err != nil {
			return
		}
		got, err := Canonical(root)
		if err != nil {
			t.Fatalf("%s has no canonical form: %v", text, err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s\nbecomes %s\nand by another reading %s", text, got, want)
		}
	})
}

var rules = schema.Signed{At: "/signatures", Required: []string{"/name", "/description", "/skills", "/capabilities", "/schemes/*/in"},
	Explicit: []string{"/capabilities/streaming"}, Maps: []string{"/schemes"}, Free: []string{"/params"}}

const card = `{"name":"é","description":"","capabilities":{"streaming":false,"extensions":[]},"skills":[],"icon":"","schemes":{"":{"in":"","off":false}},"params":{"x":""},"ok":true,"signatures":[{"signature":"a"},{"signature":"b"}]}`

// What is left out of a card before it is signed follows section 8.4.1 of A2A 1.0.1, and the
// other readings of it.
func TestForms(t *testing.T) {
	c, err := Of(parse(t, card), rules)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range append(c.Sound(), c.Wrong(1)...) {
		got = append(got, string('0'+rune(f.Sort))+" "+f.What+"\n  "+string(f.Text))
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{
		`0 the card as it is served
  {"capabilities":{"extensions":[],"streaming":false},"description":"","icon":"","name":"é","ok":true,"params":{"x":""},"schemes":{"":{"in":"","off":false}},"skills":[]}`,
		`0 the card without defaults
  {"capabilities":{"streaming":false},"description":"","name":"é","ok":true,"params":{"x":""},"schemes":{"":{"in":""}},"skills":[]}`,
		`1 the card without any default
  {"capabilities":{"streaming":false},"name":"é","ok":true,"params":{"x":""},"schemes":{"":{}}}`,
		`1 the card without anything that is empty
  {"capabilities":{"streaming":false},"name":"é","ok":true,"params":{"x":""},"schemes":{"":{"off":false}}}`,
		`1 the card without anything that is empty or false
  {"name":"é","ok":true,"params":{"x":""}}`,
		`2 the card without anything that is empty or false, with escaped letters beyond ASCII
  {"name":"\u00e9","ok":true,"params":{"x":""}}`,
		`3 the card with the signatures that stand before it
  {"capabilities":{"extensions":[],"streaming":false},"description":"","icon":"","name":"é","ok":true,"params":{"x":""},"schemes":{"":{"in":"","off":false}},"signatures":[{"signature":"a"}],"skills":[]}`,
		`4 the card, but left out its required member name
  {"capabilities":{"streaming":false},"description":"","ok":true,"params":{"x":""},"schemes":{"":{"in":""}},"skills":[]}`,
	} {
		if !strings.Contains(all, want+"\n") && !strings.HasSuffix(all, want) {
			t.Errorf("this form is missing:\n%s\nof\n%s", want, all)
		}
	}
}

func TestRepeatedMembers(t *testing.T) {
	c, err := Of(parse(t, `{"name":"first","skills":[{"id":"a","id":"b"}],"name":"last"}`), rules)
	if err != nil || c.Repeated != "/name" && c.Repeated != "/skills/0/id" {
		t.Fatalf("repeated is %q, %v", c.Repeated, err)
	}
	if got := string(c.Sound()[0].Text); got != `{"name":"last","skills":[{"id":"b"}]}` {
		t.Errorf("the card is read as %s", got)
	}
}

// A signature verifies by its key for what was signed, and for nothing else: one changed
// value, another key or another algorithm are noticed.
func TestSignaturesNoticeWhatChanged(t *testing.T) {
	ec, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	larger, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	rs, _ := rsa.GenerateKey(rand.Reader, 2048)
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	for _, c := range []struct {
		alg      jose.SignatureAlgorithm
		key, pub any
	}{{jose.ES256, ec, ec.Public()}, {jose.ES384, larger, larger.Public()}, {jose.RS256, rs, rs.Public()}, {jose.PS256, rs, rs.Public()}, {jose.EdDSA, ed, ed.Public()}} {
		t.Run(string(c.alg), func(t *testing.T) {
			content, _ := Of(parse(t, card), rules)
			signer, err := jose.NewSigner(jose.SigningKey{Algorithm: c.alg, Key: jose.JSONWebKey{Key: c.key, KeyID: "k"}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			made, err := signer.Sign(content.Sound()[0].Text)
			if err != nil {
				t.Fatal(err)
			}
			compact, _ := made.DetachedCompactSerialize()
			protected, text, _ := strings.Cut(compact, "..")
			s, err := Read(protected, text)
			if err != nil {
				t.Fatal(err)
			}
			der, _ := x509.MarshalPKIXPublicKey(c.pub)
			one, _ := json.Marshal(jose.JSONWebKey{Key: c.pub, KeyID: "k"})
			for name, text := range map[string][]byte{"PEM": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), "key": one, "set": []byte(`{"keys":[{"kty":"oct"},` + string(one) + `]}`)} {
				keys, err := ReadKeys(text)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if again, err := ReadKeys([]byte(keys.JSON())); err != nil || again.JSON() != keys.JSON() {
					t.Errorf("%s: the keys are written as %s, and read as %v, %v", name, keys.JSON(), again, err)
				}
				fitting := keys.For("k", string(c.alg))
				if len(fitting) != 1 || fitting[0].Named != (name != "PEM") {
					t.Fatalf("%s: %d keys fit", name, len(fitting))
				}
				if !s.Covers(content.Sound()[0].Text, fitting[0]) {
					t.Errorf("%s: the signature does not verify", name)
				}
				for _, value := range []string{`"é"`, `""`, "false", "true"} {
					changed, _ := Of(parse(t, strings.Replace(card, value, `"other"`, 1)), rules)
					for _, f := range changed.Sound() {
						if s.Covers(f.Text, fitting[0]) {
							t.Errorf("%s: the signature verifies though %s was changed", name, value)
						}
					}
				}
				if other := keys.For("other", string(c.alg)); name != "PEM" && len(other) > 0 {
					t.Errorf("%s: a key of another name fits", name)
				}
				if other := keys.For("k", "none"); len(other) > 0 {
					t.Errorf("%s: a key fits none", name)
				}
			}
		})
	}
}

// A header that names no algorithm, one without a key, or one whose key both sides know
// makes no signature.
func TestAlgorithmsThatProveNothing(t *testing.T) {
	for _, alg := range []string{"none", "HS256", "", "ES512", "A128KW"} {
		protected := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"` + alg + `","kid":"k"}`))
		if _, err := Read(protected, ""); err == nil {
			t.Errorf("a signature with the algorithm %q is read", alg)
		}
	}
}

func TestKeysThatAreRefused(t *testing.T) {
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	der, _ := x509.MarshalPKCS8PrivateKey(private)
	jwk, _ := json.Marshal(jose.JSONWebKey{Key: private})
	// The neutral element of Ed25519, by which one signature is good for anything.
	small, _ := x509.MarshalPKIXPublicKey(ed25519.PublicKey(append([]byte{1}, make([]byte, 31)...)))
	for _, c := range []struct{ name, text, want string }{
		{"private PEM", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "private"},
		{"private JSON", string(jwk), "private"},
		{"shared", `{"kty":"oct","k":"c2VjcmV0"}`, "shared"},
		{"nothing", "", "no public key"},
		{"text", "hello", "no public key"},
		{"no JSON", `{"keys":`, "cannot be read"},
		{"empty set", `{"keys":[]}`, "no public key"},
		{"no key", "-----BEGIN PUBLIC KEY-----\naGVsbG8=\n-----END PUBLIC KEY-----\n", "cannot be read"},
		{"of small order", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: small})), "no public key"},
		{"of small order, JSON", `{"kty":"OKP","crv":"Ed25519","x":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}`, "no public key"},
	} {
		if _, err := ReadKeys([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What a server sends as keys, a header or a signature is read or refused, whatever it is.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`), "eyJhbGciOiJFUzI1NiJ9", "AA")
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----"), "e30", "")
	f.Fuzz(func(t *testing.T, keys []byte, protected, text string) {
		header, _ := ReadHeader(protected)
		s, err := Read(protected, text)
		set, bad := ReadKeys(keys)
		if err != nil || bad != nil {
			return
		}
		for _, k := range set.For(Member(header, "kid"), Member(header, "alg")) {
			s.Covers([]byte("{}"), k)
		}
	})
}

// What a signer signs verifies by its public key, under its name, and by no other.
func TestSign(t *testing.T) {
	content := []byte(`{"name":"a"}`)
	own, err := NewSigner("own")
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewSigner("own")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"", "https://keys.example/keys.json"} {
		protected, text, err := own.Sign(content, at)
		if err != nil {
			t.Fatal(err)
		}
		header, err := ReadHeader(protected)
		if err != nil || Member(header, "alg") != "ES256" || Member(header, "kid") != "own" || Member(header, "typ") != "JOSE" || Member(header, "jku") != at {
			t.Errorf("the header is %s, %v", protected, err)
		}
		made, err := Read(protected, text)
		if err != nil {
			t.Fatal(err)
		}
		for signer, want := range map[*Signer]bool{own: true, other: false} {
			public, err := signer.PublicKey()
			if err != nil {
				t.Fatal(err)
			}
			keys, err := ReadKeys(public) // a private key is refused there
			if err != nil {
				t.Fatal(err)
			}
			fitting := keys.For("own", "ES256")
			if len(fitting) != 1 || !fitting[0].Named || made.Covers(content, fitting[0]) != want || made.Covers([]byte("{}"), fitting[0]) {
				t.Errorf("by its own key it verifies: want %v", want)
			}
		}
	}
}

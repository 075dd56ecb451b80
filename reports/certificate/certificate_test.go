package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func block(t *testing.T, kind string, der []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// Keys of openssl and of ssh-keygen are read, and all others are refused with what to do.
func TestKeys(t *testing.T) {
	t.Parallel()
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct{ public, private any }{"ed25519": {ed.Public(), ed}, "p256": {p256.Public(), p256}} {
		ours, err := ssh.MarshalPrivateKey(of.private, "")
		if err != nil {
			t.Fatal(err)
		}
		pkcs8, err := x509.MarshalPKCS8PrivateKey(of.private)
		private := block(t, "PRIVATE KEY", pkcs8, err)
		pkix, err := x509.MarshalPKIXPublicKey(of.public)
		public := block(t, "PUBLIC KEY", pkix, err)
		line, err := ssh.NewPublicKey(of.public)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{private, pem.EncodeToMemory(ours)} {
			read, err := ReadPrivate(text)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			sig, err := read.Sign(t.Context(), []byte("data"))
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range [][]byte{public, ssh.MarshalAuthorizedKey(line), append(bytes.TrimSpace(ssh.MarshalAuthorizedKey(line)), " qa@acme\n"...)} {
				pub, err := ReadPublic(text)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if pub.ID != ssh.FingerprintSHA256(line) || pub.ID != read.ID {
					t.Errorf("%s: the ids are %s and %s", name, pub.ID, read.ID)
				}
				if err := pub.Verify(t.Context(), []byte("data"), sig); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if pub.Verify(t.Context(), []byte("date"), sig) == nil {
					t.Errorf("%s: a signature of something else is accepted", name)
				}
			}
		}
	}
}

func TestKeyMistakes(t *testing.T) {
	t.Parallel()
	private, public, err := Generate(Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Generate("rsa"); err == nil || !strings.Contains(err.Error(), "give ed25519 or p256") {
		t.Error(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(ed, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	wide, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	wideDER, err := x509.MarshalPKCS8PrivateKey(wide)
	widePrivate := block(t, "PRIVATE KEY", wideDER, err)
	wideDER, err = x509.MarshalPKIXPublicKey(wide.Public())
	widePublic := block(t, "PUBLIC KEY", wideDER, err)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(p384.Public())
	other := block(t, "PUBLIC KEY", der, err)
	line, err := ssh.NewPublicKey(wide.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{"nothing", nil, "no key in PEM form"},
		{"a public key", public, "this is a public key"},
		{"a public line", ssh.MarshalAuthorizedKey(line), "this is a public key"},
		{"a passphrase", pem.EncodeToMemory(locked), "ssh-keygen -p"},
		{"a passphrase of PKCS#8", block(t, "ENCRYPTED PRIVATE KEY", []byte("x"), nil), "openssl pkey"},
		{"RSA", widePrivate, "use an Ed25519 or ECDSA P-256 key"},
		{"garbage", block(t, "PRIVATE KEY", []byte("x"), nil), "cannot be read"},
	} {
		if _, err := ReadPrivate(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{"nothing", nil, "no public key"},
		{"a private key", private, "a private key stays with the signer"},
		{"a certificate", block(t, "CERTIFICATE", []byte("x"), nil), "openssl x509"},
		{"RSA", widePublic, "use an Ed25519 or ECDSA P-256 key"},
		{"RSA of ssh-keygen", ssh.MarshalAuthorizedKey(line), "use an Ed25519 or ECDSA P-256 key"},
		{"another curve", other, "the curve P-384"},
		{"garbage", block(t, "PUBLIC KEY", []byte("x"), nil), "cannot be read"},
	} {
		if _, err := ReadPublic(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("public, %s: %v", c.name, err)
		}
	}
}

// A mistake in a profile is named with its line and what would be right.
func TestProfileMistakes(t *testing.T) {
	t.Parallel()
	_, public, err := Generate(P256)
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string) ([]byte, error) {
		if name == "acme.pub" {
			return public, nil
		}
		return nil, errors.New("open " + name + ": there is no such file")
	}
	for text, want := range map[string]string{
		"{}":                                  "p.yaml:1: the profile names no condition",
		"targets: https://acme.example":       `p.yaml:1: unknown key "targets"`,
		"undecided: 0\ntarget: acme":          `p.yaml:2: the target "acme" is not a pattern of a URL`,
		"target: 'https://[a'":                "is not a pattern of a URL",
		"dialects: [a2a-9]":                   `"a2a-9" is not one of a2a-0.1`,
		"allowed:\n- heavy\n- much":           `p.yaml:3: "much" is not one of heavy`,
		"bindings: ['']":                      `"" is not a pattern`,
		"versions: ['[']":                     `"[" is not a pattern`,
		"versions: [v1.*, 1.2.0]":             `p.yaml:1: "1.2.0" fits no version; write it like v1.2.0 or v1.*`,
		"age: 1d\nversions:\n- v1.2.0\n- 1.*": `p.yaml:4: "1.*" fits no version; write it like v1.2.0 or v1.*`,
		"declares: {never: ['[']}":            `"[" is not a pattern`,
		"undecided: -1":                       "it is at least 0",
		"nonce: short":                        "could be guessed",
		"age: old":                            `"old" is no age; write it like 30d or 12h`,
		"age: 0d":                             "is no age",
		"keys: [{key: x}]":                    "the key has no holder",
		"keys: [{holder: A}]":                 "give either key",
		"keys: [{holder: A, key: x}]":         "the key of A: this is no public key",
		"keys: [{holder: A, file: y}]":        "there is no such file",
		"keys:\n- {holder: A, file: acme.pub}\n- {holder: B, file: acme.pub}": "p.yaml:3: the key SHA256:",
	} {
		if _, err := ReadProfile("p.yaml", []byte(text), open); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	p, err := ReadProfile("p.yaml", []byte("keys: [{holder: A, file: acme.pub}]\nage: 36h\n"), open)
	if err != nil || len(p.AcceptedKeys()) != 1 || p.age != 36*time.Hour || p.countConditions() != 2 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTargetPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, target string
		want            bool
	}{
		{"https://*.acme.example", "https://a.acme.example", true},
		{"https://*.acme.example", "https://a.acme.example:443/any/path?x=1", true},
		{"https://*.acme.example", "http://a.acme.example", false},
		{"https://*.acme.example", "https://evil.example/a.acme.example", false},
		{"https://*.acme.example", "https://acme.example.evil.example", false},
		{"https://*.acme.example", "https://a@evil.acme.example", false},
		{"https://acme.example:*", "https://acme.example:8443", true},
		{"https://acme.example/agents/*", "https://ACME.example/agents/one/", true},
		{"https://acme.example/agents/*", "https://acme.example/agents/one/two", false},
		{"https://acme.example/agents/*", "https://acme.example/other", false},
	} {
		if got := targetMatches(c.pattern, c.target); got != c.want {
			t.Errorf("%s and %s: %v", c.pattern, c.target, got)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"https://acme.example", "HTTPS://ACME.example:443/", true},
		{"http://acme.example:80/a", "http://acme.example/a/", true},
		{"https://acme.example", "http://acme.example", false},
		{"https://acme.example/a", "https://acme.example/b", false},
		{"https://acme.example/?agent=a", "https://acme.example/?agent=b", false},
	} {
		if got := sameURL(c.a, c.b); got != c.want {
			t.Errorf("%s and %s are the same: %v", c.a, c.b, got)
		}
	}
}

// Whatever a file holds, it is refused with a sentence: nothing panics, and the judging is
// given nothing that was not signed.
func FuzzVerify(f *testing.F) {
	genuine, err := os.ReadFile("testdata/a2a-0.1.zip")
	if err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile("testdata/a2a-0.1.pub")
	if err != nil {
		f.Fatal(err)
	}
	key, err := ReadPublic(text)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(genuine)
	f.Add([]byte("PK\x03\x04"))
	f.Add(genuine[:100])
	f.Add(genuine[len(genuine)-400:])
	files, err := unzipCertificateFiles(genuine)
	if err != nil {
		f.Fatal(err)
	}
	errJudged := errors.New("judged")
	f.Fuzz(func(t *testing.T, file []byte) {
		v := Verify(file, Expect{Keys: []Holder{{Key: key}}, Now: time.Now()}, func(har io.Reader) (*report.Report, *record.Transcript, error) {
			return nil, nil, errJudged
		})
		if v.Refused == nil {
			t.Fatal("it is not refused")
		}
		if errors.Is(v.Refused, errJudged) {
			now, err := unzipCertificateFiles(file)
			if err != nil || !bytes.Equal(now[TranscriptFile], files[TranscriptFile]) {
				t.Fatal("what was not signed is judged")
			}
		}
		var out bytes.Buffer
		if err := v.Text(&out); err != nil {
			t.Fatal(err)
		}
	})
}

// Whatever is signed, reading it ends with a statement that can be written again, or with a
// sentence.
func FuzzStatement(f *testing.F) {
	f.Add([]byte(`{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"a","digest":{"sha256":"00"}}],"predicateType":"https://in-toto.io/attestation/test-result/v0.1","predicate":{"result":"PASSED","configuration":[{"name":"run","annotations":{"verdict":"conformant"}}]}}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		s, err := readStatement(payload)
		if err != nil {
			return
		}
		text, err := s.canonicalBytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := readStatement(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := again.compareWith(s); err != nil && len(s.Subject) == 1 {
			t.Fatalf("%s: %v", text, err)
		}
		_, _ = s.signedAt()
		_, _ = s.madeBy(), s.fileDigests()
	})
}

package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

func TestFittedMarks(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "*", 7: "*******", 8: "⟦se⟧", 12: "⟦secret⟧", 19: "⟦secret:bearer⟧", 25: "⟦secret:bearer......⟧"} {
		if got := string(fitMarkToLength([]byte(mark), n)); got != want || len(got) != n {
			t.Errorf("%d bytes: %q, want %q", n, got, want)
		}
	}
	if got := string(fitMarkToLength([]byte("⟦secret:éé⟧"), 16)); got != "⟦secret:é.⟧" {
		t.Errorf("got %q", got)
	}
}

// However a secret stands in a protobuf message, what is left is a message with the
// same fields, and valid texts.
func TestSecretsInProtobuf(t *testing.T) {
	const secret = "tok-1234567890"
	r := NewRedactor([]Secret{{"bearer", secret}})
	for name, c := range map[string]struct {
		in   any
		gone string // what must not be left
	}{
		"whole":             {"a " + secret + " b", "1234567890"},
		"capitals":          {strings.ToUpper(secret), "1234567890"},
		"base64":            {"b " + base64.StdEncoding.EncodeToString([]byte("x"+secret)), base64.StdEncoding.EncodeToString([]byte("x" + secret))[2:12]},
		"hex":               {hex.EncodeToString([]byte(secret)), "746f6b2d"},
		"JSON in a text":    {`{"k":"tok\\u002d1234567890"}`, "1234567890"},
		"deep":              {map[string]any{"a": []any{map[string]any{"b": "x" + secret}}}, "1234567890"},
		"a name":            {map[string]any{secret: true}, "1234567890"},
		"in pieces":         {[]any{"tok-12", "34567", "890"}, "34567"},
		"in single bytes":   {[]any{"t", "o", "k", "-", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0"}, "7"},
		"beside other text": {map[string]any{"k": "tok-12", "l": "and 34567890"}, "\x00"},
	} {
		v, err := structpb.NewValue(c.in)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := proto.MarshalOptions{Deterministic: true}.Marshal(v)
		clean, changed := r.redactProtobuf(b)
		back := &structpb.Value{}
		if err := proto.Unmarshal(clean, back); err != nil || strings.Contains(string(clean), c.gone) || changed != (name != "beside other text") || len(clean) != len(b) {
			t.Errorf("%s: %q became %q (%v)", name, b, clean, err)
		}
	}
}

// A value of bytes is looked through, whether it reads as a message or not.
func TestSecretsInBytes(t *testing.T) {
	const secret = "tok-1234567890"
	r := NewRedactor([]Secret{{"bearer", secret}})
	for _, value := range []string{"\xff\xfe" + secret, "\x0a\x0e" + secret, "\x0a\xff" + secret} {
		b := protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), []byte(value))
		if clean, _ := r.redactProtobuf(b); strings.Contains(string(clean), "12345678") || string(clean[:4]) != string(b[:4]) {
			t.Errorf("%q became %q", b, clean)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"a-bin: " + base64.StdEncoding.EncodeToString([]byte("\x0a\x0e"+secret)), "a-bin: " + base64.StdEncoding.EncodeToString([]byte("\x0a\x0e⟦secret:b⟧"))},
		{"A-Bin: " + base64.RawStdEncoding.EncodeToString([]byte(secret+"12")), "A-Bin: " + base64.RawStdEncoding.EncodeToString([]byte("⟦secret:b⟧12"))},
		{"a-bin: AP8", "a-bin: AP8"},
		{"a-bin: not base64 " + secret, "a-bin: not base64 " + mark},
	} {
		if got := string(r.redactHead([]byte("HTTP/2 200\r\n" + c.line + "\r\n\r\n"))); got != "HTTP/2 200\r\n"+c.want+"\r\n\r\n" {
			t.Errorf("%q became %q, want %q", c.line, got, c.want)
		}
	}
}

// A message stays one of the same length when secrets are taken out, and every field of
// it is where it was.
func FuzzRedactProtobuf(f *testing.F) {
	const secret = "tok-12345678"
	f.Add(protowire.AppendString([]byte{0x0a}, secret), 3)
	f.Add(protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), protowire.AppendString([]byte{0x0a}, "a "+secret+" b")), 5)
	f.Add([]byte("\x0a\x04tok-\x0a\x0812345678\x10\x05"), 1)
	r := NewRedactor([]Secret{{"bearer", secret}})
	f.Fuzz(func(t *testing.T, b []byte, at int) {
		if at >= 0 && at < len(b) {
			b = append(append(bytes.Clone(b[:at]), secret...), b[at:]...)
		}
		clean, changed := r.redactProtobuf(b)
		if len(clean) != len(b) || changed == bytes.Equal(b, clean) {
			t.Errorf("%q became %q", b, clean)
		}
		if bytes.Contains(clean, []byte(secret)) {
			t.Errorf("%q is left in %q", secret, clean)
		}
	})
}

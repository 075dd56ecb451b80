package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

func each(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

// A secret is known again in the other case, with entities padded, with hex in
// capitals and small letters, and in base64 over lines or without padding.
func TestTokenIsKnownInEveryForm(t *testing.T) {
	const secret = "Tok-é/12345678"
	r := NewRedactor([]Secret{{"bearer", secret}})
	b64, digits := base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret))
	for name, text := range map[string]string{
		"small":                     strings.ToLower(secret),
		"capitals":                  strings.ToUpper(secret),
		"mixed":                     "tOK-É/12345678",
		"entities":                  each(secret, "&#%d;"),
		"entities, padded":          each(secret, "&#%08d;"),
		"entities, hex, padded":     each(secret, "&#X%09X;"),
		"entities, no semicolon":    each(secret, "&#%04d"),
		"entities by name":          strings.NewReplacer("é", "&eacute;", "/", "&sol;").Replace(secret),
		"hex, capitals":             strings.ToUpper(digits),
		"hex, mixed":                strings.ToUpper(digits[:5]) + digits[5:],
		"hex, colons":               strings.TrimSuffix(each(digits, "%c:"), ":"),
		"hex of small letters":      hex.EncodeToString([]byte(strings.ToLower(secret))),
		"base64, lines":             b64[:5] + "\r\n" + b64[5:9] + "\n" + b64[9:],
		"base64, indented":          b64[:1] + "\n    " + b64[1:],
		"base64, lines in JSON":     b64[:5] + `\r\n` + b64[5:],
		"base64, lines in a query":  b64[:5] + `%0D%0A` + b64[5:],
		"base64, no padding":        strings.TrimRight(b64, "="),
		"base64, small":             strings.ToLower(b64),
		"a name":                    `Tok\-é\/12345678`,
		"a name, hex":               `\54ok\2d\c3\a9/12345678`,
		"entities in JSON":          each(secret, `\u0026#%05d;`),
		"percent in mixed capitals": "%54%6f%6B%2d%C3%a9%2f12345678",
	} {
		if got := r.String("<" + text + ">"); got != "<"+mark+">" {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
	for _, text := range []string{"Tok-é/1234567", "&#0;&#x110000;&#;&#x;&", b64[:12] + strings.Repeat(" ", 30) + b64[12:], `\`, `\5`, "&#99999999999999999999999;"} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Every string of a transcript and its exchanges is redacted, whatever member it
// is in and whatever it lies within, but those whose words are ours.
func TestTokenStaysInNoMember(t *testing.T) {
	const secret = "tok-12345678"
	r := NewRedactor([]Secret{{"bearer", secret}})
	var tr record.Transcript
	fill(reflect.ValueOf(&tr).Elem(), secret, 6)
	shared := &tr.Facts.Waivers[0]
	r.Transcript(&tr)
	for _, x := range []*record.Exchange{tr.Exchanges[0], tr.Plays[0].Steps[0].Exchange} {
		r.Exchange(x)
	}
	n := 0
	stringsOf(reflect.ValueOf(tr), "transcript", func(path, s string) {
		n++
		if strings.Contains(s, secret) {
			t.Errorf("%s is %q", path, s)
		}
	})
	if n < 60 {
		t.Errorf("only %d strings were looked at", n)
	}
	if shared.Why != secret {
		t.Error("what is shared with other runs was changed in place")
	}
}

// fill puts a text into every string of a value, ours excepted.
func fill(v reflect.Value, text string, depth int) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
		}
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), text, depth-1)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{text, map[string]any{text: text}}))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(text))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text, depth)
	case reflect.Map:
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(k, text, depth)
		fill(e, text, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(k, e)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			own := false
			for _, name := range unredactedMembers[v.Type()] {
				own = own || name == f.Name
			}
			if f.IsExported() && !own && v.Type() != reflect.TypeFor[time.Time]() {
				fill(v.Field(i), text, depth)
			}
		}
	}
}

// stringsOf shows every string of a value.
func stringsOf(v reflect.Value, path string, each func(path, s string)) {
	switch v.Kind() {
	case reflect.String:
		each(path, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			stringsOf(v.Elem(), path, each)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			each(path, string(v.Bytes()))
			return
		}
		for i := range v.Len() {
			stringsOf(v.Index(i), fmt.Sprintf("%s[%d]", path, i), each)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			stringsOf(k, path+" (a key)", each)
			stringsOf(v.MapIndex(k), fmt.Sprintf("%s[%v]", path, k), each)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				stringsOf(v.Field(i), path+"."+f.Name, each)
			}
		}
	}
}

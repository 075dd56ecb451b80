package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

const mark = "⟦secret:bearer⟧"

func TestRedactForms(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	for _, c := range []struct{ name, secret, text, want string }{
		{"whole", "tok-12345678", "a tok-12345678 b", "a " + mark + " b"},
		{"all there is", "tok-12345678", "tok-12345678", mark},
		{"several times", "tok-12345678", "tok-12345678tok-12345678,tok-12345678", mark + mark + "," + mark},
		{"overlapping itself", "abcabcabc", "abcabcabcabc-", mark + "-"},
		{"none", "tok-12345678", "tok-1234567 tok-12345677", "tok-1234567 tok-12345677"},
		{"cut off", "tok-12345678", "tok-1234567", "tok-1234567"},
		{"base64", "tok-12345678", b64([]byte("tok-12345678")), mark},
		{"base64, padded", "tok-1234567", "x " + b64([]byte("tok-1234567")) + " y", "x " + mark + " y"},
		{"percent, as in a query", "a/b+c d?e&é=", "x=" + url.QueryEscape("a/b+c d?e&é=") + "&", "x=" + mark + "&"},
		{"percent, as in a path", "a/b+c d?e&é=", "/" + url.PathEscape("a/b+c d?e&é=") + "/", "/" + mark + "/"},
		{"percent, small letters", "a/b+c d?e&é=", "%61%2fb%2bc%20d%3fe%26%c3%a9%3d", mark},
		{"percent of base64", "ÿ>ÿ?ÿ>ÿ?", url.QueryEscape(b64([]byte("ÿ>ÿ?ÿ>ÿ?"))), mark},
		{"JSON", `a"b\c<d>é`, `{"k":"a\"b\\c<d>é"}`, `{"k":"` + mark + `"}`},
		{"JSON, escaped for HTML", `a"b\c<d>é`, `{"k":"a\"b\\c\u003cd\u003eé"}`, `{"k":"` + mark + `"}`},
		{"JSON, ASCII only", `a"b\c<d>é`, `{"k":"a\u0022b\u005Cc<d>\u00E9"}`, `{"k":"` + mark + `"}`},
		{"JSON, a pair of surrogates", "12345😀78", `"12345\ud83d\ude0078"`, `"` + mark + `"`},
		{"JSON, slashes escaped", "aa/bb/cc/dd", `"aa\/bb\/cc\/dd"`, `"` + mark + `"`},
		{"JSON, slashes of base64 escaped", "ÿÿÿÿÿÿÿÿ", `"` + strings.ReplaceAll(b64([]byte("ÿÿÿÿÿÿÿÿ")), "/", `\/`) + `"`, `"` + mark + `"`},
		{"JSON, a quote at the end", `abcdefgh"`, `"abcdefgh\""`, `"` + mark + `"`},
		{"HTML", `a<b>&"c'd`, "<p>" + html.EscapeString(`a<b>&"c'd`) + "</p>", "<p>" + mark + "</p>"},
		{"looks escaped by itself", "100%25\\\\n", "x 100%25\\\\n y", "x " + mark + " y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := NewRedactor([]Secret{{"bearer", c.secret}}).String(c.text); got != c.want {
				t.Errorf("%q became %q, want %q", c.text, got, c.want)
			}
		})
	}
}

// TestRedactBase64 hides a secret at every position of a longer text. What
// remains around the mark decodes to nothing but the neighbours.
func TestRedactBase64(t *testing.T) {
	secret := "tok>12?45ÿ78"
	for n := 8; n <= len(secret); n++ {
		r := NewRedactor([]Secret{{"bearer", secret[:n]}})
		for before := range 5 {
			for after := range 5 {
				for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
					text := e.EncodeToString([]byte("user:"[:before] + secret[:n] + "@host"[:after]))
					got := r.String(text)
					left, right, ok := strings.Cut(got, mark)
					if !ok || len(left) > (before*8+5)/6 || len(strings.TrimRight(right, "=")) > (after*8+4+5)/6 {
						t.Errorf("%d before, %d after: %q became %q", before, after, text, got)
					}
				}
			}
		}
	}
}

func TestRedactSeveral(t *testing.T) {
	r := NewRedactor([]Secret{{"a", "abcdefgh"}, {"b", "bcdefghijklmno"}, {"c", "abcdefghij"}, {"short", "abc"}})
	for text, want := range map[string]string{
		"abcdefgh":          "⟦secret:a⟧",
		"abcdefghij":        "⟦secret:c⟧",
		"bcdefghijklmno":    "⟦secret:b⟧",
		"abcdefghijklmno":   "⟦secret:c⟧", // b begins inside and reaches further: nothing of it is left
		"xabcdefghijklmnoy": "x⟦secret:c⟧y",
		"abc abcdefg":       "abc abcdefg",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestRedactChunks(t *testing.T) {
	r := NewRedactor([]Secret{{"bearer", "0123456789"}})
	m := len(mark)
	for _, c := range []struct {
		name, text string
		sizes      []int
		want       []int
	}{
		{"none", "abc", []int{1, 2}, []int{1, 2}},
		{"inside one", "a0123456789b", []int{12}, []int{2 + m}},
		{"over a border", "a0123456789b", []int{4, 8}, []int{1, m + 1}},
		{"ends at a border", "a0123456789b", []int{11, 1}, []int{1 + m, 1}},
		{"begins at a border", "a0123456789b", []int{1, 11}, []int{1, m + 1}},
		{"one byte at a time", "a0123456789b", []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{1, m, 1}},
		{"two, one after the other", "01234567890123456789", []int{5, 5, 5, 5}, []int{m, m}},
		{"two in one", "0123456789-0123456789", []int{3, 18}, []int{2*m + 1}},
		{"two far apart", "0123456789--0123456789", []int{11, 1, 10}, []int{m + 1, 1, m}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var chunks []record.Chunk
			for i, n := range c.sizes {
				chunks = append(chunks, record.Chunk{At: record.Instant(i), N: n})
			}
			before := slices.Clone(chunks)
			body, moved := r.Bytes([]byte(c.text), chunks)
			var got []int
			sum, last := 0, record.Instant(-1)
			for _, k := range moved {
				got, sum = append(got, k.N), sum+k.N
				if k.At <= last {
					t.Errorf("arrivals %v", moved)
				}
				last = k.At
			}
			if !slices.Equal(got, c.want) || sum != len(body) {
				t.Errorf("%q: sizes %v, want %v", body, got, c.want)
			}
			if !slices.Equal(chunks, before) {
				t.Error("the chunks it was given were changed")
			}
		})
	}
}

func TestRedactNothing(t *testing.T) {
	text, chunks := []byte(`{"state":"completed","token":"abc"} %41 \u0041 &amp; +`), []record.Chunk{{At: 1, N: 3}}
	for _, r := range []*Redactor{NewRedactor(nil), NewRedactor([]Secret{{"bearer", "tok-12345678"}})} {
		if b, c := r.Bytes(text, chunks); &b[0] != &text[0] || &c[0] != &chunks[0] {
			t.Error("what holds no secret was copied")
		}
		if b, c := r.Bytes(nil, nil); b != nil || c != nil {
			t.Error("nil became something")
		}
	}
}

func TestRedactHeads(t *testing.T) {
	r := NewRedactor([]Secret{{"bearer", "tok-12345678"}})
	for _, c := range []struct{ name, field, want string }{
		{"known", "Authorization: Bearer tok-12345678", "Authorization: Bearer " + mark},
		{"unknown, the scheme stays", "authorization:Basic dTpw", "authorization: Basic ⟦secret:authorization⟧"},
		{"unknown, no scheme", "Authorization: dTpw", "Authorization: ⟦secret:authorization⟧"},
		{"proxy", "Proxy-Authorization: Digest a=b, c=d", "Proxy-Authorization: Digest ⟦secret:proxy-authorization⟧"},
		{"cookies", "Cookie: a=b; c=d", "Cookie: ⟦secret:cookie⟧"},
		{"one of two cookies is known", "Cookie: a=tok-12345678; c=d", "Cookie: ⟦secret:cookie⟧" + mark + "⟦secret:cookie⟧"},
		{"a mark that somebody wrote", "Set-Cookie: a=b ⟦secret:", "Set-Cookie: ⟦secret:set-cookie⟧"},
		{"white space around the name", "X-Api-Key : k", "X-Api-Key: ⟦secret:x-api-key⟧"},
		{"empty", "X-Api-Key: ", "X-Api-Key: "},
		{"over two lines", "Set-Cookie: a=b;\r\n c=d\r\n\te=f", "Set-Cookie: ⟦secret:set-cookie⟧"},
		{"another header", "X-Request-Id: 7", "X-Request-Id: 7"},
		{"a known secret elsewhere", "Location: /?t=tok-12345678", "Location: /?t=" + mark},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &record.Exchange{Response: record.Message{Head: []byte("HTTP/1.1 200 OK\r\nA: 1\r\n" + c.field + "\r\nB: 2\r\n\r\n")}}
			r.Exchange(x)
			if got, want := string(x.Response.Head), "HTTP/1.1 200 OK\r\nA: 1\r\n"+c.want+"\r\nB: 2\r\n\r\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestRedactExchange(t *testing.T) {
	const secret = "tok-12345678"
	x := &record.Exchange{URL: "http://host/?t=" + secret, Trouble: `malformed HTTP response "` + secret + `"`,
		Request: record.Message{Head: []byte("GET /?t=" + secret + " HTTP/1.1\r\n\r\n"), Body: []byte(secret)},
		Response: record.Message{Head: []byte("HTTP/1.1 200 " + secret + "\r\n\r\n"), Body: []byte(secret), Chunks: []record.Chunk{{At: 1, N: 4}, {At: 2, N: 8}},
			Framing: record.Framing{Kind: "close", Declared: -1, Received: 12}}}
	NewRedactor([]Secret{{"bearer", secret}}).Exchange(x)
	if text := fmt.Sprintf("%s %s %s %s %s %s", x.URL, x.Trouble, x.Request.Head, x.Request.Body, x.Response.Head, x.Response.Body); strings.Contains(text, "tok") || strings.Count(text, mark) != 6 {
		t.Error(text)
	}
	if !slices.Equal(x.Response.Chunks, []record.Chunk{{At: 2, N: len(mark)}}) || x.Response.Framing.Received != 12 {
		t.Errorf("chunks %v, framing %+v", x.Response.Chunks, x.Response.Framing)
	}
}

func TestRedactTranscript(t *testing.T) {
	const secret = "tok-12345678"
	stimuli := map[string]operator.Stimulus{"quick": {Text: "say " + secret, Answer: secret}}
	tried := []string{"GET http://host/" + secret}
	tr := &record.Transcript{
		Facts: record.Facts{Target: secret, RPC: secret, Webhook: secret, Tried: tried, Stimuli: stimuli},
		Plays: []record.Play{{Stop: secret, Steps: []record.Step{{Name: secret, NotSent: secret, Task: secret, Context: secret}}}},
	}
	NewRedactor([]Secret{{"bearer", secret}}).Transcript(tr)
	text, err := json.Marshal(tr)
	if err != nil || bytes.Contains(text, []byte(secret)) || bytes.Count(text, []byte(mark)) != 11 {
		t.Errorf("%s (%v)", text, err)
	}
	if stimuli["quick"].Answer != secret || !strings.Contains(tried[0], secret) {
		t.Error("what the operator holds was changed")
	}
}

func TestCheckSecret(t *testing.T) {
	if err := CheckSecret(Secret{"bearer", "1234567"}); err == nil || !strings.Contains(err.Error(), `"bearer"`) || strings.Contains(err.Error(), "1234567") {
		t.Errorf("got %v", err)
	}
	if err := CheckSecret(Secret{"bearer", "12345678"}); err != nil {
		t.Error(err)
	}
}

// forms are what a secret looks like on its way, made without the code under
// test.
func forms(secret string) []string {
	ascii := ""
	for _, r := range secret {
		if r < 0x80 && r != '"' && r != '\\' && r >= 0x20 {
			ascii += string(r)
		} else if q := strconv.QuoteRuneToASCII(r); r <= 0xffff && r > 0x20 && strings.HasPrefix(q, `'\u`) {
			ascii += q[1 : len(q)-1]
		} else {
			b, _ := json.Marshal(string(r))
			ascii += string(b[1 : len(b)-1])
		}
	}
	quoted, _ := json.Marshal(secret)
	out := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted[1 : len(quoted)-1]), ascii, html.EscapeString(secret),
		strings.ToLower(url.QueryEscape(secret))}
	if strings.ToLower(secret) != secret {
		out = out[:len(out)-1]
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		out = append(out, e.EncodeToString([]byte(secret)))
	}
	return out
}

func FuzzRedact(f *testing.F) {
	f.Add("tok-12345678", "abc", "def", uint8(3))
	f.Add(`a"b\c<d>é😀`, `{"k":"`, `"}`, uint8(1))
	f.Add("a/b+c d?e&=%25", "?x=%", "&y", uint8(2))
	f.Add("aaaaaaaaaa", "aaa", "aaaa", uint8(7))
	f.Add(" +&amp;\\u0041", "\\", ";", uint8(5))
	f.Fuzz(func(t *testing.T, secret, before, after string, size uint8) {
		if len(secret) < MinSecret || len(secret) > 100 || len(before)+len(after) > 1000 || !utf8.ValidString(secret) || strings.ContainsAny(secret, "⟦⟧") || strings.Contains("secret:bearer", secret) {
			return
		}
		r := NewRedactor([]Secret{{"bearer", secret}})
		for _, form := range forms(secret) {
			text := before + form + after
			var chunks []record.Chunk
			for n := len(text); n > 0; n -= 1 + int(size) {
				chunks = append(chunks, record.Chunk{At: record.Instant(len(chunks)), N: min(n, 1+int(size))})
			}
			got, moved := r.Bytes([]byte(text), chunks)
			for _, other := range forms(secret) {
				if bytes.Contains(got, []byte(other)) {
					t.Errorf("%q became %q, which holds %q", text, got, other)
				}
			}
			sum := 0
			for _, c := range moved {
				sum += c.N
			}
			if sum != len(got) {
				t.Errorf("%q became %q: chunks %v count %d of %d bytes", text, got, moved, sum, len(got))
			}
			if again, _ := r.Bytes(got, nil); !reflect.DeepEqual(again, got) {
				t.Errorf("%q changes again to %q", got, again)
			}
		}
	})
}

// BenchmarkRedact also takes texts in which every byte could begin a secret.
func BenchmarkRedact(b *testing.B) {
	r := NewRedactor([]Secret{{"a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}, {"b", "correct-horse-battery-staple"}})
	for _, c := range []string{`{"jsonrpc":"2.0","id":1,"result":{"id":"abc","status":{"state":"working"}}}`, "a", "\\", "%61", "&", "correct-horse-battery-"} {
		text := bytes.Repeat([]byte(c), (1<<20)/len(c))
		b.Run(c[:1], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Bytes(text, nil)
			}
		})
	}
}

// A credential header shows where a known secret stands, and nothing around it.
func TestSecretWithinHeader(t *testing.T) {
	r := NewRedactor([]Secret{{"mine", "0123456789"}})
	for value, want := range map[string]string{
		"Bearer 0123456789":             "Bearer ⟦secret:mine⟧",
		`Bearer {"token":"0123456789"}`: "Bearer ⟦secret:authorization⟧⟦secret:mine⟧⟦secret:authorization⟧",
		"Bearer 0123456789.more":        "Bearer ⟦secret:mine⟧⟦secret:authorization⟧",
		"Bearer other":                  "Bearer ⟦secret:authorization⟧",
	} {
		x := &record.Exchange{Request: record.Message{Head: []byte("POST / HTTP/1.1\r\nAuthorization: " + value + "\r\n\r\n")}}
		r.Exchange(x)
		if got := x.Request.Header().Get("Authorization"); got != want {
			t.Errorf("%s became %s, want %s", value, got, want)
		}
	}
}

// What the suite made up is shown; any other unknown credential is not.
func TestMadeUpCredentialsAreShown(t *testing.T) {
	r := NewRedactor([]Secret{{"bearer", "tok-12345678"}}, "made-up-1")
	head := string(r.hideCredentialHeaders([]byte("POST / HTTP/1.1\r\nAuthorization: Bearer made-up-1\r\nX-Api-Key: made-up-1\r\nCookie: made-up-12\r\n\r\n")))
	if strings.Count(head, "made-up-1\r\n") != 2 || !strings.Contains(head, "⟦secret:cookie⟧") {
		t.Errorf("got %q", head)
	}
}

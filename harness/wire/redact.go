package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MinSecret is the shortest secret that can be redacted by value: anything
// shorter occurs in ordinary text by chance.
const MinSecret = 8

// Secret is a value that must never be written down, and the name that stands
// in its place.
type Secret struct{ Name, Value string }

// CheckSecret refuses a secret that is too short to be redacted by value.
func CheckSecret(s Secret) error {
	if len(s.Value) < MinSecret {
		return fmt.Errorf("the secret %q has %d characters: secrets shorter than %d cannot be kept out of reports, use a longer one", s.Name, len(s.Value), MinSecret)
	}
	return nil
}

// Redactor takes known secrets out of what is recorded, in every form in which
// they travel: as they are, in base64 and in hex, and each of them
// percent-encoded or escaped for JSON or HTML, up to three times over; whole, or
// spelled out piece by piece in one member or field. It never goes by pattern, so
// it cannot change anything that is not a secret.
type Redactor struct {
	forms   [256][]form    // by their first byte
	begins  [256][256]bool // the two bytes that the text of a form can begin with, escaped or not
	longest int            // of the forms
	plain   []string       // values of credential headers that are no secrets
}

type form struct {
	value string
	mark  []byte
}

// NewRedactor prepares the forms of the given secrets. What is listed as plain
// stands in credential headers and is no secret: the suite made it up.
func NewRedactor(secrets []Secret, plain ...string) *Redactor {
	r := &Redactor{plain: plain}
	seen := map[string]bool{}
	for _, s := range secrets {
		if len(s.Value) < MinSecret {
			continue
		}
		mark := []byte("⟦secret:" + s.Name + "⟧")
		for _, v := range encodings(s.Value) {
			if !seen[v] {
				seen[v] = true
				r.forms[v[0]] = append(r.forms[v[0]], form{v, mark})
				r.begins[v[0]][v[1]] = true // no form is shorter
				for c, is := range escapes {
					r.begins[v[0]][c] = r.begins[v[0]][c] || is
				}
				r.longest = max(r.longest, len(v))
			}
		}
	}
	if len(seen) > 0 {
		for c, is := range escapes {
			for d := range r.begins[c] {
				r.begins[c][d] = r.begins[c][d] || is
			}
		}
	}
	return r
}

// encodings are the forms of a secret that do not depend on the text around:
// the secret itself, and in base64 and hex the secret as it is and as it is
// usually escaped.
func encodings(v string) []string {
	out := []string{v}
	quoted, _ := json.Marshal(v)
	for _, v := range []string{v, url.QueryEscape(v), url.PathEscape(v), string(quoted[1 : len(quoted)-1]), html.EscapeString(v)} {
		out = append(out, hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))))
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			out = append(out, e.EncodeToString([]byte(v)))
			// Inside a longer base64 text a secret shows in one of three shapes,
			// according to its position; the ends depend on its neighbours.
			for shift, from := range []int{0, 2, 3} {
				text := e.WithPadding(base64.NoPadding).EncodeToString(append(make([]byte, shift), v...))
				to := len(text)
				if (shift+len(v))%3 != 0 {
					to--
				}
				out = append(out, text[from:to])
			}
		}
	}
	return out
}

// A reading tells what the beginning of a text stands for in some notation, and
// how many bytes say it.
type reading func(b []byte) (meaning string, n int)

var readings = []reading{readPlain, readPercent, readQuery, readJSON, readHTML}

func readPlain(b []byte) (string, int) { return string(b[:1]), 1 }

func readPercent(b []byte) (string, int) {
	if b[0] == '%' && len(b) >= 3 {
		if c, err := strconv.ParseUint(string(b[1:3]), 16, 8); err == nil {
			return string([]byte{byte(c)}), 3
		}
	}
	return readPlain(b)
}

func readQuery(b []byte) (string, int) {
	if b[0] == '+' {
		return " ", 1
	}
	return readPercent(b)
}

func readJSON(b []byte) (string, int) {
	if b[0] != '\\' || len(b) < 2 {
		return readPlain(b)
	}
	if i := strings.IndexByte(`"\/bfnrt`, b[1]); i >= 0 {
		return "\"\\/\b\f\n\r\t"[i : i+1], 2
	}
	if b[1] == 'x' && len(b) >= 4 { // not JSON, but what other languages write
		if c, err := strconv.ParseUint(string(b[2:4]), 16, 8); err == nil {
			return string([]byte{byte(c)}), 4
		}
	}
	unit := func(b []byte) rune {
		if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
			if c, err := strconv.ParseUint(string(b[2:6]), 16, 16); err == nil {
				return rune(c)
			}
		}
		return -1
	}
	c := unit(b)
	if c < 0 {
		return readPlain(b)
	}
	if utf16.IsSurrogate(c) {
		if c = utf16.DecodeRune(c, unit(b[6:])); c != utf8.RuneError {
			return string(c), 12
		}
	}
	return string(c), 6
}

func readHTML(b []byte) (string, int) {
	const longest = 10 // of the entities that a secret is escaped with
	if b[0] == '&' {
		if i := bytes.IndexByte(b[:min(longest, len(b))], ';'); i > 0 {
			if text := string(b[:i+1]); html.UnescapeString(text) != text {
				return html.UnescapeString(text), i + 1
			}
		}
	}
	return readPlain(b)
}

// escapes are the bytes at which the readings differ.
var escapes = [256]bool{'%': true, '+': true, '\\': true, '&': true}

// at tells how many bytes at the beginning of b are a secret, and what stands
// in their place.
func (r *Redactor) at(b []byte) (n int, mark []byte) {
	if len(b) < 2 || !r.begins[b[0]][b[1]] {
		return 0, nil
	}
	for _, read := range readings {
		first, _ := read(b)
		for _, f := range r.forms[first[0]] {
			if k := f.match(b, read); k > n {
				n, mark = k, f.mark
			}
		}
	}
	return n, mark
}

// match is the length of the text at the beginning of b that reads as the form.
func (f form) match(b []byte, read reading) int {
	n := 0
	for n < min(len(b), len(f.value)) && b[n] == f.value[n] && !escapes[b[n]] {
		n++
	}
	for rest := f.value[n:]; rest != ""; {
		if n == len(b) {
			return 0
		}
		meaning, k := read(b[n:])
		if !strings.HasPrefix(rest, meaning) {
			return 0
		}
		rest, n = rest[len(meaning):], n+k
	}
	return n
}

// Bytes returns b without the known secrets, and the chunks that now cover it.
// What it does not change, it returns as it is.
func (r *Redactor) Bytes(b []byte, chunks []Chunk) ([]byte, []Chunk) {
	return splice(b, chunks, r.hidden(b))
}

// spans finds the secrets that stand in a text as it is, under any reading.
func (r *Redactor) spans(b []byte) (out []span) {
	for i := 0; i < len(b); i++ {
		n, mark := r.at(b[i:])
		if n == 0 {
			continue
		}
		end := i + n
		// Another secret may begin inside this one and reach further.
		for j := i + 1; j < end; j++ {
			if n, _ := r.at(b[j:]); n > 0 {
				end = max(end, j+n)
			}
		}
		out = append(out, span{i, end, mark})
		i = end - 1
	}
	return out
}

// String returns s without the known secrets.
func (r *Redactor) String(s string) string {
	b, _ := r.Bytes([]byte(s), nil)
	return string(b)
}

// Exchange redacts one exchange in place, before anything else sees it.
func (r *Redactor) Exchange(x *Exchange) {
	x.URL = r.String(x.URL)
	x.Trouble = r.String(x.Trouble)
	for _, m := range []*Message{&x.Request, &x.Response} {
		m.Head, _ = r.Bytes(m.Head, nil)
		m.Head = r.headers(m.Head)
		m.Body, m.Chunks = r.Bytes(m.Body, m.Chunks)
	}
}

// Transcript redacts what a transcript says beside its exchanges: the texts of
// the operator, and what was picked up from a stream while it was read.
func (r *Redactor) Transcript(t *Transcript) {
	f := &t.Facts
	f.Target, f.RPC, f.Webhook = r.String(f.Target), r.String(f.RPC), r.String(f.Webhook)
	f.Tried = slices.Clone(f.Tried)
	for i := range f.Tried {
		f.Tried[i] = r.String(f.Tried[i])
	}
	f.Waivers = slices.Clone(f.Waivers)
	for i := range f.Waivers {
		f.Waivers[i].Why, f.Waivers[i].Where = r.String(f.Waivers[i].Why), r.String(f.Waivers[i].Where)
	}
	f.Stimuli = maps.Clone(f.Stimuli)
	for name, s := range f.Stimuli {
		s.Text, s.Answer = r.String(s.Text), r.String(s.Answer)
		f.Stimuli[name] = s
	}
	for i := range t.Plays {
		p := &t.Plays[i]
		p.Stop = r.String(p.Stop)
		for j := range p.Steps {
			s := &p.Steps[j]
			s.Name, s.NotSent = r.String(s.Name), r.String(s.NotSent)
			s.Task, s.Context = r.String(s.Task), r.String(s.Context)
		}
	}
}

// CredentialHeader reports whether a header carries a credential by
// definition, known to us or not.
func CredentialHeader(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key":
		return true
	}
	return false
}

// headers hides the values of credential headers that no known secret
// has already hidden; the scheme word stays.
func (r *Redactor) headers(head []byte) []byte {
	lines := strings.SplitAfter(string(head), "\n")
	changed := false
	for i := 1; i < len(lines); i++ {
		name, value, ok := strings.Cut(lines[i], ":")
		if !ok || !CredentialHeader(name) {
			continue
		}
		// White space at the beginning of a line continues the field.
		for i+1 < len(lines) && (strings.HasPrefix(lines[i+1], " ") || strings.HasPrefix(lines[i+1], "\t")) {
			value += lines[i+1]
			lines = slices.Delete(lines, i+1, i+2)
		}
		text := strings.TrimRight(value, "\r\n")
		end := value[len(text):]
		name, text = strings.TrimSpace(name), strings.TrimSpace(text)
		scheme := ""
		if word, rest, two := strings.Cut(text, " "); two && strings.HasSuffix(strings.ToLower(name), "authorization") {
			scheme, text = word+" ", strings.TrimSpace(rest)
		}
		if text == "" || hidden(text) || slices.Contains(r.plain, text) {
			continue
		}
		lines[i] = name + ": " + scheme + hide(text, "⟦secret:"+strings.ToLower(name)+"⟧") + end
		changed = true
	}
	if !changed {
		return head
	}
	return []byte(strings.Join(lines, ""))
}

// hide puts a mark in the place of everything but the marks of known secrets:
// what surrounds one may be a secret too.
func hide(text, mark string) string {
	var out strings.Builder
	for text != "" {
		from := strings.Index(text, "⟦secret:")
		to := strings.Index(text, "⟧")
		if from < 0 || to < from {
			out.WriteString(mark)
			break
		}
		if from > 0 {
			out.WriteString(mark)
		}
		out.WriteString(text[from : to+len("⟧")])
		text = text[to+len("⟧"):]
	}
	return out.String()
}

// hidden reports whether a text is nothing but the mark of a secret.
func hidden(text string) bool {
	text, ok := strings.CutPrefix(text, "⟦secret:")
	return ok && strings.Index(text, "⟧") == len(text)-len("⟧") && !strings.Contains(text, "⟦")
}

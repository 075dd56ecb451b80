package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// MinSecret is the shortest secret that can be redacted by value: anything
// shorter occurs in ordinary text by chance.
const MinSecret = 8

// Secret is a value that must never be written down, and the name that stands
// in its place.
type Secret struct{ Name, Value string }

// Redactor takes known secrets out of what is recorded, in every form in which
// they travel: as they are, in base64, percent-encoded, and JSON-escaped. It
// never goes by pattern, so it cannot change anything that is not a secret.
type Redactor struct {
	forms []form // longest first, so that a form is not broken by one it contains
	first [256]bool
}

type form struct{ value, mark []byte }

// credentialHeaders carry credentials by definition, known to us or not.
var credentialHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key"}

// NewRedactor prepares the forms of the given secrets.
func NewRedactor(secrets []Secret) *Redactor {
	r := &Redactor{}
	seen := map[string]bool{}
	for _, s := range secrets {
		mark := []byte("⟦secret:" + s.Name + "⟧")
		for _, v := range encodings(s.Value) {
			if len(v) >= MinSecret && !seen[v] {
				seen[v] = true
				r.forms = append(r.forms, form{[]byte(v), mark})
				r.first[v[0]] = true
			}
		}
	}
	slices.SortStableFunc(r.forms, func(a, b form) int { return len(b.value) - len(a.value) })
	return r
}

// CheckSecret refuses a secret that is too short to be redacted by value.
func CheckSecret(s Secret) error {
	if len(s.Value) < MinSecret {
		return fmt.Errorf("the secret %q has %d characters: secrets shorter than %d cannot be kept out of reports, use a longer one", s.Name, len(s.Value), MinSecret)
	}
	return nil
}

func encodings(v string) []string {
	quoted, _ := json.Marshal(v)
	out := []string{v, url.QueryEscape(v), url.PathEscape(v), strings.Trim(string(quoted), `"`)}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		out = append(out, e.EncodeToString([]byte(v)))
	}
	// Inside a longer base64 text a secret shows in one of three shapes,
	// according to its position; the ends depend on its neighbours.
	for shift := range 3 {
		e := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), v...))
		from := []int{0, 2, 3}[shift]
		to := len(e)
		if (shift+len(v))%3 != 0 {
			to--
		}
		if from < to {
			out = append(out, e[from:to], strings.NewReplacer("+", "-", "/", "_").Replace(e[from:to]))
		}
	}
	return out
}

// Bytes returns b without the known secrets, and the chunks that now cover it.
func (r *Redactor) Bytes(b []byte, chunks []Chunk) ([]byte, []Chunk) {
	if len(r.forms) == 0 {
		return b, chunks
	}
	var out []byte
	var moved []Chunk
	last := 0
	deltas := map[int]int{} // chunk index → change of its length
	chunkAt := chunkFinder(chunks)
	for i := 0; i < len(b); {
		f := r.match(b[i:])
		if f == nil {
			i++
			continue
		}
		out = append(append(out, b[last:i]...), f.mark...)
		// The mark is booked to the chunk that completed the secret.
		for k := i; k < i+len(f.value); k++ {
			deltas[chunkAt(k)]--
		}
		deltas[chunkAt(i+len(f.value)-1)] += len(f.mark)
		i += len(f.value)
		last = i
	}
	if last == 0 {
		return b, chunks
	}
	for i, c := range chunks {
		if n := c.N + deltas[i]; n > 0 {
			moved = append(moved, Chunk{c.At, n})
		}
	}
	return append(out, b[last:]...), moved
}

func (r *Redactor) match(b []byte) *form {
	if !r.first[b[0]] {
		return nil
	}
	for i := range r.forms {
		if bytes.HasPrefix(b, r.forms[i].value) {
			return &r.forms[i]
		}
	}
	return nil
}

// String returns s without the known secrets.
func (r *Redactor) String(s string) string {
	b, _ := r.Bytes([]byte(s), nil)
	return string(b)
}

func chunkFinder(chunks []Chunk) func(offset int) int {
	i, end := 0, 0
	if len(chunks) > 0 {
		end = chunks[0].N
	}
	return func(offset int) int {
		for i < len(chunks)-1 && offset >= end {
			i++
			end += chunks[i].N
		}
		return i
	}
}

// Exchange redacts one exchange in place, before anything else sees it.
func (r *Redactor) Exchange(x *Exchange) {
	x.URL = r.String(x.URL)
	x.Trouble = r.String(x.Trouble)
	for _, m := range []*Message{&x.Request, &x.Response} {
		m.Head, _ = r.Bytes(m.Head, nil)
		m.Head = redactHeaders(m.Head)
		m.Body, m.Chunks = r.Bytes(m.Body, m.Chunks)
	}
}

// redactHeaders hides the values of credential headers that no known secret
// has already hidden; the scheme word stays.
func redactHeaders(head []byte) []byte {
	lines := bytes.SplitAfter(head, []byte("\n"))
	changed := false
	for i, line := range lines {
		name, value, ok := strings.Cut(string(line), ":")
		if !ok || i == 0 || strings.Contains(value, "⟦secret:") {
			continue
		}
		if !slices.ContainsFunc(credentialHeaders, func(h string) bool { return strings.EqualFold(h, strings.TrimSpace(name)) }) {
			continue
		}
		text := strings.TrimRight(value, "\r\n")
		end := value[len(text):]
		text = strings.TrimSpace(text)
		scheme := ""
		if word, rest, two := strings.Cut(text, " "); two && rest != "" && strings.HasSuffix(strings.ToLower(name), "authorization") {
			scheme = word + " "
		}
		lines[i] = []byte(name + ": " + scheme + "⟦secret:" + strings.ToLower(strings.TrimSpace(name)) + "⟧" + end)
		changed = true
	}
	if !changed {
		return head
	}
	return bytes.Join(lines, nil)
}

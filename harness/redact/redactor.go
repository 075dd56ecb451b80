// Package redact replaces known secrets in records, however they are encoded, escaped or
// spread over several values.
package redact

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// MinSecret is the shortest secret that can be redacted by value: anything
// shorter occurs in ordinary text by chance.
const MinSecret = 8

// Secret is a value that must never be written down, and the name that is written
// in its place.
type Secret struct{ Name, Value string }

// CheckSecret refuses a secret that is too short to be redacted by value.
func CheckSecret(s Secret) error {
	if len(s.Value) < MinSecret {
		return fmt.Errorf("the secret %q has %d characters: a2a-conform cannot hide secrets shorter than %d in reports; use a longer one", s.Name, len(s.Value), MinSecret)
	}
	return nil
}

// Redactor takes known secrets out of what is recorded, in every form in which
// they travel: as they are, in base64 and in hex, in small or capital letters,
// and each of them percent-encoded or escaped for JSON, HTML or a distinguished
// name, up to three times over; whole, or spelled out piece by piece in one
// member or field. It never goes by pattern, so it cannot change anything that is
// not a secret.
type Redactor struct {
	forms   [256][]form                 // by their first byte, a small letter
	begins  [256][256]bool              // the two bytes that the text of a form can begin with, escaped or not
	opening [256][256]bool              // the two characters that a form can begin with, small and without escapes
	longest int                         // of the forms
	plain   []string                    // values of credential headers that are no secrets
	secrets []Secret                    // those that it was made for
	shows   func(fieldName string) bool // the header fields that keep their values; nil for all but those of credentials
}

// NewRedactor prepares the forms of the given secrets. What is listed as plain
// is in credential headers and is no secret: the suite made it up.
func NewRedactor(secrets []Secret, plain ...string) *Redactor {
	r := &Redactor{plain: plain, secrets: secrets}
	seen := map[string]bool{}
	for _, s := range secrets {
		if len(s.Value) < MinSecret {
			continue
		}
		mark := []byte(record.SecretMark + s.Name + "⟧")
		for _, f := range formsOf(s.Value) {
			if seen[f.value] {
				continue
			}
			seen[f.value] = true
			f.mark = mark
			r.longest = max(r.longest, len(f.value))
			r.forms[f.value[0]] = append(r.forms[f.value[0]], f)
			for _, second := range []byte(f.value[1:2] + f.gaps) { // no form is shorter
				r.opening[f.value[0]][second] = true
			}
			for _, first := range []byte{f.value[0], upperASCIIByte(f.value[0])} {
				for _, second := range []byte{f.value[1], upperASCIIByte(f.value[1])} {
					r.begins[first][second] = true
				}
				for c, is := range escapes {
					r.begins[first][c] = r.begins[first][c] || is
				}
				for _, c := range []byte(f.gaps) {
					r.begins[first][c] = r.begins[first][c] || c != ' ' && c != '\t' // which begin no gap
				}
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

// WithSecrets returns a redactor of the same secrets and of more.
func (r *Redactor) WithSecrets(more []Secret) *Redactor {
	return NewRedactor(slices.Concat(r.secrets, more), r.plain...).ShowingFields(r.shows)
}

// ShowingFields returns the redactor with the order to hide the values of all header fields but those that shows reports:
// for messages of others, in which any field may be private.
func (r *Redactor) ShowingFields(shows func(fieldName string) bool) *Redactor {
	r.shows = shows
	return r
}

// hidesField reports whether the value of a header field is hidden, known as a secret or not.
func (r *Redactor) hidesField(name string) bool {
	if r.shows != nil {
		return !r.shows(name)
	}
	return CredentialHeader(name)
}

// FindNames returns the names of the secrets that are in a text, each once.
func (r *Redactor) FindNames(b []byte) (names []string) {
	for _, s := range r.findSecrets(b) {
		name := strings.TrimSuffix(strings.TrimPrefix(string(s.mark), record.SecretMark), "⟧")
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Bytes returns b without the known secrets, and the chunks that now cover it.
// What it does not change, it returns as it is.
func (r *Redactor) Bytes(b []byte, chunks []record.Chunk) ([]byte, []record.Chunk) {
	return replaceSpans(b, chunks, r.findSecrets(b))
}

// findSecretsUnderAnyReading finds the secrets that stand in a text as it is, under any reading.
func (r *Redactor) findSecretsUnderAnyReading(b []byte) (out []span) {
	for i := 0; i+1 < len(b); i++ {
		if !r.begins[b[i]][b[i+1]] {
			continue // asked here too, since most bytes begin no secret
		}
		n, mark := r.matchSecretAtStart(b[i:])
		if n == 0 {
			continue
		}
		end := i + n
		// Another secret may begin inside this one and reach further.
		for j := i + 1; j < end; j++ {
			if n, _ := r.matchSecretAtStart(b[j:]); n > 0 {
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

// CredentialHeader reports whether a header carries a credential by
// definition, known to us or not.
func CredentialHeader(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key":
		return true
	}
	return false
}

// HoldsSecretOrCredential reports whether the lines of a head hold a known secret or a credential header.
func (r *Redactor) HoldsSecretOrCredential(head []byte) bool {
	shown, _ := r.Bytes(head, nil)
	return !bytes.Equal(r.hideCredentialHeaders(shown), head)
}

// hideCredentialHeaders hides the values of credential headers that no known secret
// has already hidden; the scheme word stays.
func (r *Redactor) hideCredentialHeaders(head []byte) []byte {
	lines := strings.SplitAfter(string(head), "\n")
	changed := false
	for i := 1; i < len(lines); i++ {
		name, value, ok := strings.Cut(lines[i], ":")
		if !ok || !r.hidesField(name) {
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
		if text == "" || isMark(text) || slices.Contains(r.plain, text) {
			continue
		}
		lines[i] = name + ": " + scheme + replaceAllButMarks(text, record.SecretMark+strings.ToLower(name)+"⟧") + end
		changed = true
	}
	if !changed {
		return head
	}
	return []byte(strings.Join(lines, ""))
}

// replaceAllButMarks puts a mark in the place of everything but the marks of known secrets:
// what surrounds one may be a secret too.
func replaceAllButMarks(text, mark string) string {
	var out strings.Builder
	for text != "" {
		from := strings.Index(text, record.SecretMark)
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

// isMark reports whether a text is nothing but the mark of a secret.
func isMark(text string) bool {
	text, ok := strings.CutPrefix(text, record.SecretMark)
	return ok && strings.Index(text, "⟧") == len(text)-len("⟧") && !strings.Contains(text, "⟦")
}

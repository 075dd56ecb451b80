package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// curl is a command that repeats a request in a script: its body lies in the folder, its
// ids are new, and its server is the one that the script was told. n is the number of the
// call. A body with a credential is kept with the mark that stands for it.
func (s *scripter) curl(x *record.Exchange, n int) (command, note string) {
	args, note := request(x, s.insecure, s.word)
	if note != "" {
		return "", note
	}
	where := s.word(x.URL)
	if path, ok := strings.CutPrefix(x.URL, s.origin); ok && s.origin != "" {
		where = `"$target"` + s.word(path)
	}
	told := `url %{url_effective}\n`
	if secret.MatchString(x.URL) {
		told = "" // it is not written down
	}
	args[0] += fmt.Sprintf(" --max-time %s -w '%%{stderr}\\n%stime %%{time_total}\\n' --url %s", patience(x), told, where)
	if len(x.Request.Body) == 0 {
		return strings.Join(args, " \\\n  ") + " < /dev/null", ""
	}
	args = append(args, "--data-binary @-")
	kept := fmt.Sprintf("\"$dir/%d.request\"", n)
	if !secret.Match(x.Request.Body) {
		return s.printf(x.Request.Body) + " > " + kept + "\n" + strings.Join(args, " \\\n  ") + " < " + kept, ""
	}
	s.marked = true
	told = s.printf(x.Request.Body)
	s.marked = false
	return told + " > " + kept + "\n" + s.printf(x.Request.Body) + " |\n  " + strings.Join(args, " \\\n  "), ""
}

// part is a piece of a text, or the variable that stands for one.
type part struct{ text, variable string }

// parts takes the secrets and the ids out of a text.
func (s *scripter) parts(text string) []part {
	var out []part
	literal := func(t string) {
		if t != "" {
			out = append(out, part{text: t})
		}
	}
	for text != "" {
		at, end, p := s.next(text)
		literal(text[:at])
		if p.variable == "" {
			break
		}
		literal(p.text)
		out = append(out, part{variable: p.variable})
		text = text[end:]
	}
	return out
}

// next finds the first piece of a text that a variable stands for; p.text is
// what stays in front of it.
func (s *scripter) next(text string) (at, end int, p part) {
	at = len(text)
	if m := secret.FindStringSubmatchIndex(text); m != nil && !s.marked {
		at, end, p = m[0], m[1], part{variable: s.credential(text[m[2]:m[3]])}
	}
	if m := uuids.FindStringIndex(text); m != nil && m[0] < at {
		// The last twelve digits make the id new.
		at, end, p = m[0], m[1], part{text: text[m[0] : m[1]-12], variable: "run"}
	}
	for value, r := range s.replies {
		// A tie goes to the id that the server chose.
		if i := strings.Index(text, value); i >= 0 && (i < at || i == at && p.variable == "run") {
			at, end, p = i, i+len(value), part{variable: r.variable()}
		}
		if spelt := percentEncoded(value); r.encoded {
			if i := strings.Index(text, spelt); i >= 0 && i < at {
				at, end, p = i, i+len(spelt), part{variable: r.variable() + encodedToo}
			}
		}
	}
	return at, end, p
}

// encodedToo ends the name of the variable that has an id with every byte percent-encoded.
const encodedToo = "_encoded"

// percentEncoded spells every byte of a text as a URL may: a server has to decode it.
func percentEncoded(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// credential is the variable of the environment that holds a secret.
func (s *scripter) credential(name string) string {
	v := variable(name)
	if !slices.Contains(s.variables, v) {
		s.variables = append(s.variables, v)
	}
	return v
}

// word makes one word of a POSIX shell of any text without a NUL byte.
func (s *scripter) word(text string) string {
	var b strings.Builder
	for _, p := range s.parts(text) {
		if p.variable != "" {
			b.WriteString(`"$` + p.variable + `"`)
		} else {
			b.WriteString(plainWord(p.text))
		}
	}
	if b.Len() == 0 && text == "" {
		return ""
	}
	return b.String()
}

// plainWord quotes a text that holds no variable.
func plainWord(s string) string {
	switch {
	case word.MatchString(s):
		return s
	case legible(s):
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return `"$(printf '` + strings.ReplaceAll(octal([]byte(s)), "'", `'\''`) + `')"`
}

// legible reports whether a text can stand in a script as it is, and in a log that takes
// commands out of what it is shown.
func legible(s string) bool {
	return visible(s) == s && !strings.ContainsAny(s, "\n\t") && !strings.Contains(s, "##")
}

// printf is a command that prints a body, byte for byte.
func (s *scripter) printf(body []byte) string {
	if legible(string(body)) {
		return "printf '%s' " + s.word(string(body))
	}
	var format strings.Builder
	var args string
	for _, p := range s.parts(string(body)) {
		if p.variable == "" {
			format.WriteString(octal([]byte(p.text)))
			continue
		}
		format.WriteString("%s")
		args += ` "$` + p.variable + `"`
	}
	return "printf '" + strings.ReplaceAll(format.String(), "'", `'\''`) + "'" + args
}

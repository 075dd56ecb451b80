package reports

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// maxRepeated bounds the body of a request that is written out as a command.
const maxRepeated = 8 << 10

// unneeded are the headers that curl makes itself.
var unneeded = map[string]bool{"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true, "Accept-Encoding": true, "User-Agent": true}

// curl is a command that repeats a request, or a note on why there is none.
// Every part of it that could have come from a server is quoted for the shell;
// secrets are taken from the environment.
func curl(x *record.Exchange, insecure bool) (command, note string) {
	args, note := request(x, insecure, quote)
	if note != "" {
		return "", note
	}
	m := &x.Request
	args = append(args[:1], append([]string{"--url " + quote(x.URL)}, args[1:]...)...)
	switch {
	case bytes.IndexByte(m.Body, 0) >= 0:
		// No argument of a command can hold a NUL byte.
		args = append(args, "--data-binary @-")
		return "printf " + quote(octal(m.Body)) + " |\n  " + strings.Join(args, " \\\n  "), ""
	case len(m.Body) > 0:
		args = append(args, "--data-raw "+quote(string(m.Body)))
	}
	return strings.Join(args, " \\\n  "), ""
}

// request is what a curl command says of a request beside its URL and its body:
// curl with its options, then the headers. word quotes for the shell.
func request(x *record.Exchange, insecure bool, word func(string) string) (args []string, note string) {
	m := &x.Request
	u, err := url.Parse(x.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || len(x.URL) > maxRepeated {
		return nil, "No command repeats this request: curl cannot use its URL."
	}
	f := strings.Fields(firstLine(m.Head))
	if len(f) == 0 {
		return nil, "No command repeats this request: it was not sent."
	}
	if m.Recipe != nil || len(m.Body) > maxRepeated {
		return nil, "No command repeats this request: its body is too large to be written out. It is in " + TranscriptFile + "."
	}
	args = []string{"curl -sS -i -g --http1.1"}
	if x.IsStream() {
		args[0] += " -N"
	}
	if insecure {
		args[0] += " -k"
	}
	switch {
	case f[0] == "HEAD":
		args[0] += " -I"
	case f[0] != "GET" || len(m.Body) > 0:
		args[0] += " -X " + word(f[0])
	}
	header := m.Header()
	for _, h := range m.Fields() {
		name := strings.TrimSpace(h.Name)
		if !token.MatchString(name) || unneeded[canonicalName(name)] {
			continue
		}
		// The mark stands for the secret as it was given; curl encodes it.
		if login, ok := strings.CutPrefix(h.Value, "Basic ⟦secret:"); ok && strings.EqualFold(name, "Authorization") {
			args = append(args, "-u "+word("⟦secret:"+login))
			continue
		}
		if h.Value == "" {
			args = append(args, "-H "+word(name+";"))
		} else {
			args = append(args, "-H "+word(name+": "+h.Value))
		}
	}
	// curl adds these two of its own accord.
	for _, name := range []string{"Accept", "Content-Type"} {
		if header.Values(name) == nil && (name == "Accept" || len(m.Body) > 0) {
			args = append(args, "-H "+word(name+":"))
		}
	}
	return args, ""
}

var token = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func canonicalName(s string) string {
	for name := range unneeded {
		if strings.EqualFold(name, s) {
			return name
		}
	}
	return s
}

// secret is the mark that redaction leaves.
var secret = regexp.MustCompile(`⟦secret:([^⟦⟧]{1,64})⟧`)

// quote makes one word of a shell of any text. A redacted secret becomes a
// variable of the environment; what has no picture is written in the escapes of
// bash and zsh, so that the command can be copied from a page.
func quote(s string) string {
	var b strings.Builder
	last := 0
	for _, at := range secret.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(quotePlain(s[last:at[0]]))
		b.WriteString(`"$` + variable(s[at[2]:at[3]]) + `"`)
		last = at[1]
	}
	b.WriteString(quotePlain(s[last:]))
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

func quotePlain(s string) string {
	if s == "" {
		return ""
	}
	if word.MatchString(s) {
		return s
	}
	if visible(s) == s && !strings.ContainsAny(s, "\n\t") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x20 || r == 0x7f || hidden(r) || r == utf8.RuneError:
			// Three octal digits: the digit that follows cannot run into them.
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	b.WriteString("'")
	return b.String()
}

var word = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`)

// variable names the environment variable that stands for a secret.
func variable(name string) string {
	if name == "bearer" {
		return "A2A_TOKEN"
	}
	return "A2A_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, name)
}

// octal writes bytes as a format of printf that prints them.
func octal(b []byte) string {
	var s strings.Builder
	for i, c := range b {
		switch {
		case c == '-' && i == 0: // or it would be an option
			s.WriteString(`\055`)
		case c == '%':
			s.WriteString("%%")
		case c == '\\':
			s.WriteString(`\\`)
		case c < 0x20 || c >= 0x7f || c == '#': // two of which may begin a command of a CI runner
			fmt.Fprintf(&s, `\%03o`, c)
		default:
			s.WriteByte(c)
		}
	}
	return s.String()
}

package script

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// segment is a piece of a text, or the variable that replaces one.
type segment struct{ text, variable string }

// splitVariables takes the secrets and the ids out of a text.
func (s *scripter) splitVariables(text string) []segment {
	var out []segment
	literal := func(t string) {
		if t != "" {
			out = append(out, segment{text: t})
		}
	}
	for text != "" {
		at, end, p := s.findVariable(text)
		literal(text[:at])
		if p.variable == "" {
			break
		}
		literal(p.text)
		out = append(out, segment{variable: p.variable})
		text = text[end:]
	}
	return out
}

// findVariable finds the first piece of a text that a variable replaces; p.text is the text before it that
// remains.
func (s *scripter) findVariable(text string) (at, end int, p segment) {
	at = len(text)
	if m := safetext.SecretMark.FindStringSubmatchIndex(text); m != nil && !s.marked {
		at, end, p = m[0], m[1], segment{variable: s.registerCredentialVariable(text[m[2]:m[3]])}
	}
	if m := uuids.FindStringIndex(text); m != nil && m[0] < at {
		// The last twelve digits make the id new.
		at, end, p = m[0], m[1], segment{text: text[m[0] : m[1]-12], variable: "run"}
	}
	for value, r := range s.replies {
		// A tie goes to the id that the server chose.
		if i := strings.Index(text, value); i >= 0 && (i < at || i == at && p.variable == "run") {
			at, end, p = i, i+len(value), segment{variable: r.variableName()}
		}
		if spelt := percentEncodeEveryByte(value); r.encoded {
			if i := strings.Index(text, spelt); i >= 0 && i < at {
				at, end, p = i, i+len(spelt), segment{variable: r.variableName() + encodedToo}
			}
		}
	}
	return at, end, p
}

// registerCredentialVariable is the variable of the environment that holds a secret.
func (s *scripter) registerCredentialVariable(name string) string {
	v := safetext.Variable(name)
	if !slices.Contains(s.variables, v) {
		s.variables = append(s.variables, v)
	}
	return v
}

// quoteWithVariables turns any text without a NUL byte into one argument of a POSIX shell.
func (s *scripter) quoteWithVariables(text string) string {
	var b strings.Builder
	for _, p := range s.splitVariables(text) {
		if p.variable != "" {
			b.WriteString(`"$` + p.variable + `"`)
		} else {
			b.WriteString(quoteLiteral(p.text))
		}
	}
	if b.Len() == 0 && text == "" {
		return ""
	}
	return b.String()
}

// printfCommand is a command that prints a body, byte for byte.
func (s *scripter) printfCommand(body []byte) string {
	if isVisibleSingleLine(string(body)) {
		return "printf '%s' " + s.quoteWithVariables(string(body))
	}
	var format strings.Builder
	var args string
	for _, p := range s.splitVariables(string(body)) {
		if p.variable == "" {
			format.WriteString(printfFormat([]byte(p.text)))
			continue
		}
		format.WriteString("%s")
		args += ` "$` + p.variable + `"`
	}
	return "printf '" + strings.ReplaceAll(format.String(), "'", `'\''`) + "'" + args
}

var (
	scriptID   = regexp.MustCompile(`^[A-Z0-9]+(-[A-Z0-9]+)+$`)
	scriptPath = regexp.MustCompile(`^reproduce/[A-Z0-9-]+\.sh$`)
)

// scripter writes a script.
type scripter struct {
	res       *report.Result
	facts     *record.Facts
	insecure  bool
	origin    string
	shown     int // the exchange that shows the failure
	body      bytes.Buffer
	variables []string // of the environment, that it needs
	replies   map[string]replyID
	ofClient  bool // it starts a client, and calls no server
	ofGateway bool // it calls a server directly and through a gateway
	marked    bool // secrets stay the marks that stand for them
}

// replyID is an id that the server chose: the call whose reply held it, under
// what member, the how manieth of that name it was, and of all ids.
type replyID struct {
	call   int
	member string
	nth    int
	number int
	// A later call has it percent-encoded as well.
	encoded bool
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	member = regexp.MustCompile(`^\s*"([A-Za-z_]{1,40})"\s*:\s*"([^"]*)"`)
	pieces = regexp.MustCompile(`[,{\[]`)
)

func (r replyID) variableName() string {
	return fmt.Sprintf("%s_%d_%d", strings.ToLower(r.member), r.call+1, r.number)
}

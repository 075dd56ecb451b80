// Package adapter is the small language between this suite and a program of the operator that
// drives a client: the commands that such a program gets, and the lines by which it reports what
// its client saw. docs/adapters.md describes both.
package adapter

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Bounds of what a program reports in one play.
const (
	MaxLine    = 64 << 10  // bytes of a line
	MaxLines   = 2000      // lines that are kept
	maxTexts   = 512 << 10 // bytes of all texts that are kept
	maxText    = 16 << 10  // bytes of a text that are kept
	maxWord    = 1 << 10   // bytes of any other member that are kept
	maxDepth   = 32        // levels of a line
	maxMisread = 10        // lines that cannot be read, and are listed
	maxQuoted  = 120       // bytes of such a line that are shown
)

// Kinds of things that a line reports as seen.
const (
	Card     = "card"
	Task     = "task"
	Message  = "message"
	Status   = "status"
	Artifact = "artifact"
	Part     = "part"
	Notice   = "notice"
	Error    = "error"
	End      = "end"
)

// ListKinds lists the kinds of things that a line can report.
func ListKinds() []string {
	return []string{Card, Task, Message, Status, Artifact, Part, Notice, Error, End}
}

// OfScenario is what has ended if a program is done with one of several scenarios that it plays.
const OfScenario = "scenario"

// Line is a line of a program as it was read.
type Line struct {
	Said     record.Said // without secrets removed
	Scenario string      // that the line names; "" for none
}

// ParseLine reads one line that a program printed. It reports false for a line that is none of this language, which is plain
// output. The error states what is wrong with one that was meant to be, and what to print instead.
func ParseLine(text []byte) (line Line, is bool, err error) {
	text = bytes.TrimSpace(text)
	meant := isMeantAsReport(text)
	if len(text) == 0 || text[0] != '{' || !meant && !bytes.Contains(text, []byte(`"saw"`)) && !bytes.Contains(text, []byte(`"cannot"`)) {
		return line, false, nil
	}
	if len(text) > MaxLine {
		return line, meant, fmt.Errorf("it is longer than %d bytes; report a shorter text", MaxLine)
	}
	if measureDepth(text) > maxDepth {
		return line, meant, fmt.Errorf("it has more than %d levels; report the members of docs/adapters.md alone", maxDepth)
	}
	root, faults := record.ObserveJSON(text)
	if root == nil || root.Kind != record.Object || slices.ContainsFunc(faults, func(f record.JSONFault) bool { return f.Kind == record.FaultTrailingBytes }) {
		return line, meant, fmt.Errorf("it is not one JSON object; write it by a JSON library, all on one line")
	}
	saw, cannot := root.Member("saw"), root.Member("cannot")
	if saw == nil && cannot == nil {
		return line, false, nil
	}
	line, err = readMembers(root)
	switch s := line.Said; {
	case err != nil:
	case saw != nil && cannot != nil:
		err = fmt.Errorf("it has both saw and cannot; print two lines")
	case saw != nil && !slices.Contains(ListKinds(), s.Saw):
		err = fmt.Errorf("saw has to be one of %s", strings.Join(ListKinds(), ", "))
	case cannot != nil && !IsCommand(s.Cannot):
		err = fmt.Errorf("cannot has to be a command: one of %s", strings.Join(ListCommands(), ", "))
	}
	return line, true, err
}

// isMeantAsReport reports whether a line begins like one of this language.
func isMeantAsReport(text []byte) bool {
	rest, is := bytes.CutPrefix(bytes.TrimLeft(text, " \t"), []byte("{"))
	rest = bytes.TrimLeft(rest, " \t")
	return is && (bytes.HasPrefix(rest, []byte(`"saw"`)) || bytes.HasPrefix(rest, []byte(`"cannot"`)))
}

// measureDepth returns how many objects and lists a JSON text has within each other.
func measureDepth(text []byte) (most int) {
	depth, quoted, escaped := 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

// readMembers reads the members that are known of a line.
func readMembers(root *record.Node) (line Line, err error) {
	s := &line.Said
	for _, m := range []struct {
		name string
		into *string
	}{{"saw", &s.Saw}, {"cannot", &s.Cannot}, {"name", &s.Name}, {"id", &s.ID}, {"task", &s.Task}, {"context", &s.Context}, {"state", &s.State}, {"text", &s.Text},
		{"kind", &s.Kind}, {"code", &s.Code}, {"reason", &s.Reason}, {"message", &s.Message}, {"of", &s.Of}, {"role", &s.Role}, {"history", &s.History}, {"scenario", &line.Scenario}} {
		switch n := root.Member(m.name); {
		case n == nil || n.Kind == record.Null:
		case n.Kind == record.String:
			*m.into = n.String
		case n.Kind == record.Number:
			*m.into = n.Number
		default:
			return line, fmt.Errorf("%s has to be a text, and is a JSON %s", m.name, n.Kind)
		}
	}
	switch n := root.Member("assembled"); {
	case n == nil || n.Kind == record.Null:
	case n.Kind == record.Bool:
		s.Assembled = n.Bool
	default:
		return line, fmt.Errorf("assembled has to be true or false, and is a JSON %s", n.Kind)
	}
	if n := root.Member("exit"); n != nil && n.Kind != record.Null {
		code, err := strconv.Atoi(n.Number)
		if n.Kind != record.Number || err != nil || code < 0 || code > 255 {
			return line, fmt.Errorf("exit has to be a number from 0 to 255")
		}
		s.Exit = code
	}
	return line, nil
}

// boundTexts removes secrets from the texts of a line that are not words of ours, and shortens them. It returns how many
// bytes are left.
func boundTexts(s *record.Said, redact func(string) string) (size int) {
	for _, m := range []struct {
		text *string
		most int
	}{{&s.Name, maxWord}, {&s.ID, maxWord}, {&s.Task, maxWord}, {&s.Context, maxWord}, {&s.State, maxWord}, {&s.Text, maxText},
		{&s.Kind, maxWord}, {&s.Code, maxWord}, {&s.Reason, maxWord}, {&s.Message, maxText}, {&s.Of, maxWord}, {&s.Role, maxWord}, {&s.History, maxWord}} {
		*m.text = redact(*m.text)
		if len(*m.text) > m.most {
			*m.text, s.Cut = shorten.Bytes(*m.text, m.most), true
		}
		size += len(*m.text)
	}
	return size
}

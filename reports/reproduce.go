package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ReproduceDir is the folder of the scripts, beside the report.
const ReproduceDir = "reproduce"

var (
	scriptID   = regexp.MustCompile(`^[A-Z0-9]+(-[A-Z0-9]+)+$`)
	scriptPath = regexp.MustCompile(`^reproduce/[A-Z0-9-]+\.sh$`)
)

// scriptLink is the path of a script as a page may link to it.
func scriptLink(path string) string {
	if scriptPath.MatchString(path) {
		return path
	}
	return ""
}

// reproduce writes a script for each failing requirement into dir and notes its
// path in the result. Scripts of an earlier run are removed: what does not fail
// any more needs no repeating. Nothing else is touched: no file of somebody else,
// and nothing behind a symbolic link.
func reproduce(dir string, r *report.Report, t *record.Transcript, shortest map[string]record.Excerpt) error {
	folder := filepath.Join(dir, ReproduceDir)
	if err := removeScripts(folder); err != nil {
		return err
	}
	for i := range r.Results {
		res := &r.Results[i]
		res.Reproduce = ""
		text := script(r, res, t, shortest)
		if text == nil {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		name := res.ID + ".sh"
		if _, err := os.Lstat(filepath.Join(folder, name)); err == nil { // ours are removed by now
			return fmt.Errorf("%s is no script of this program; move it", name)
		}
		if err := writeFile(folder, name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		res.Reproduce = ReproduceDir + "/" + name
	}
	return nil
}

// removeScripts removes the scripts that an earlier run wrote into a folder.
func removeScripts(folder string) error {
	at, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !at.IsDir() {
		return errors.New("it is a link or a file, and scripts are written into a folder only")
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		id, is := strings.CutSuffix(f.Name(), ".sh")
		if name := filepath.Join(folder, f.Name()); is && f.Type().IsRegular() && scriptID.MatchString(id) && isOurScript(name, id) {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// scriptVariable is named at the head of each script that this program writes.
const scriptVariable = "A2A_REPRODUCE_DIR"

// isOurScript reports whether this program wrote a script: it begins with its requirement, and names
// the variable of all scripts.
func isOurScript(file, id string) bool {
	f, err := schema.OpenFile(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 64<<10))
	return err == nil && bytes.HasPrefix(head, []byte("#!/bin/sh\n# "+id+" ")) && bytes.Contains(head, []byte(scriptVariable))
}

// script is a POSIX shell script that shows a failure again. It makes the fewest calls
// that show it, with curl, and has what came judged; where curl cannot make them, or
// could not keep what shows the failure, it has the conversation held by a2a-conform. It
// is nil where there is nothing to repeat: no failure, or no exchange.
func script(r *report.Report, res *report.Result, t *record.Transcript, shortest map[string]record.Excerpt) []byte {
	if res.Verdict != report.Fail && res.Verdict != report.Waived || !scriptID.MatchString(res.ID) {
		return nil
	}
	play, last := shows(res, t)
	if play == nil || play.Steps[last].Exchange.Dir == record.Given { // nobody is asked for what is in a file
		return nil
	}
	s := &scripter{res: res, insecure: r.Target.Insecure, facts: &t.Facts}
	x := play.Steps[last].Exchange
	s.shown = x.ID
	if u, err := url.Parse(x.URL); err == nil && u.Host != "" {
		s.origin = u.Scheme + "://" + u.Host
	}
	small, why := upTo(play, last, t), ""
	if shortest == nil {
		why = s.impossible(small)
	} else {
		few := shortest[res.ID]
		if why = s.explainMissing(few, play); why == "" {
			small = few.Transcript
			why = s.impossible(small)
		}
		if why == "" && !few.Keepable {
			why = "it shows in something that curl does not report, such as when bytes arrived"
		}
	}
	if why == "" {
		return s.callScript(small)
	}
	return s.runScript(why, t)
}

// explainMissing states why there are no calls that are few; "" if there are.
func (s *scripter) explainMissing(few record.Excerpt, play *record.Play) string {
	switch {
	case few.Transcript != nil:
		return ""
	case few.Untried && s.res.Because != "":
		return "it has the same cause as " + line(s.res.Because, maxName) + ", whose script is shorter"
	case few.Untried:
		return "there are too many failures to write a short script for each"
	case play.Has("undelivered") || slices.ContainsFunc(play.Steps, func(s record.Step) bool { return s.Hook != "" }):
		return "it is about what the server delivers to a webhook, and a shell script has none"
	}
	return "it shows only in a whole run, not in a few calls"
}

// shows finds the play and the number of the step that show a violation.
func shows(res *report.Result, t *record.Transcript) (*record.Play, int) {
	for _, e := range res.Evidence {
		for i := range t.Plays {
			p := &t.Plays[i]
			for j := range p.Steps {
				if x := p.Steps[j].Exchange; x != nil && x.ID == e.Exchange {
					return p, j
				}
			}
		}
	}
	return nil, 0
}

// upTo is a play up to one of its steps, where nobody can tell which of them matter.
func upTo(p *record.Play, last int, t *record.Transcript) *record.Transcript {
	play := *p
	play.Steps = slices.Clone(p.Steps[:last+1])
	for i := 1; i < len(play.Steps); i++ {
		play.Steps[i].Wait = p.Waited(i-1, i)
	}
	out := &record.Transcript{Started: t.Started, Facts: t.Facts, Plays: []record.Play{play}}
	out.Facts.Waivers, out.Facts.Baseline = nil, nil
	return out
}

// impossible says why a script cannot make the calls of a transcript; "" if it can.
func (s *scripter) impossible(t *record.Transcript) string {
	_, calls := record.Keep(t, s.res.ID, s.origin)
	// Those that show a refusal for the rate limit are few, and those that provoked it many.
	flooded := slices.ContainsFunc(t.Plays, func(p record.Play) bool { return p.Scenario == "flood" })
	if len(calls) > 40 || flooded {
		return "it needs too many calls"
	}
	for _, x := range calls {
		if _, why := x.Made(); why != "" {
			return why
		}
		if x.Dir != record.Out {
			continue
		}
		if _, note := s.curl(x, 0); note != "" {
			return note
		}
		if u, err := url.PathUnescape(x.URL); err == nil && spelled.MatchString(x.URL) && uuids.MatchString(u) {
			return "its URL contains an escaped id, which a shell script cannot make anew"
		}
		if cutIDs.MatchString(" " + x.URL + " " + string(x.Request.Body) + " ") {
			return "it uses a part of an id, which a shell script cannot make anew"
		}
		if x.ID == s.shown && (x.Status() == 404 || x.Status() == 405) && !strings.Contains(x.Response.MediaType(), "json") {
			return "the protocol is not spoken at the recorded address, and a2a-conform looks for the right one again"
		}
	}
	switch {
	case crowded(t):
		return "it is about calls at the same time, which a shell script cannot time"
	case paged(t):
		return "each call depends on the answer to the one before it"
	case oneLine(t):
		return "it is about calls of several clients on one connection, which a shell script cannot keep open"
	}
	return ""
}

// oneLine reports whether calls of several clients have to go over one connection: those
// of a step whose name says so.
func oneLine(t *record.Transcript) bool {
	return slices.ContainsFunc(t.Plays, func(p record.Play) bool {
		return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return strings.HasPrefix(s.Name, "kept-") && s.As != "" })
	})
}

// crowded reports whether the same was asked for several times at once.
func crowded(t *record.Transcript) bool {
	for _, p := range t.Plays {
		for i, a := range p.Steps {
			if slices.ContainsFunc(p.Steps[i+1:], func(b record.Step) bool {
				x, y := a.Exchange, b.Exchange
				return x != nil && y != nil && x != y && a.Role == record.Main && b.Role == record.Main && a.Op == b.Op && x.Start < y.End && y.Start < x.End
			}) {
				return true
			}
		}
	}
	return false
}

// follows are steps that a play makes as long as the answers lead on.
var follows = regexp.MustCompile(`^page-\d+$`)

// paged reports whether the number of calls follows from the answers.
func paged(t *record.Transcript) bool {
	return slices.ContainsFunc(t.Plays, func(p record.Play) bool {
		return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return follows.MatchString(s.Name) })
	})
}

// cutIDs are ids of which the end is missing.
var cutIDs = regexp.MustCompile(`[^0-9a-f][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{1,11}[^0-9a-f]`)

// spelled are characters of an address that need no escape and have one.
var spelled = regexp.MustCompile(`%(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])`)

// scripter writes a script.
type scripter struct {
	res       *report.Result
	facts     *record.Facts
	insecure  bool
	origin    string
	shown     int // the exchange that shows the failure
	body      bytes.Buffer
	variables []string // of the environment, that it needs
	replies   map[string]reply
	marked    bool // secrets stay the marks that stand for them
}

// head writes what every script begins with: what it shows, and how it is used.
func (s *scripter) head(b *bytes.Buffer, about ...string) {
	b.WriteString("#!/bin/sh\n")
	for _, text := range slices.Concat([]string{
		fmt.Sprintf("%s %s %s: %s", s.res.ID, s.res.Level, cite(s.res.Section), s.res.Statement),
		"", "The server broke it:", s.res.Reason, "",
	}, about, []string{
		"Environment: A2A_TARGET is the URL of the server to call (default: the one that was judged);",
		"A2A_REPRODUCE_DIR is the folder for the recorded bytes (default: beside this script);",
		"A2A_CONFORM is the program a2a-conform, if it is not in PATH.",
		"Exit codes: 1 the fault is still there; 0 it is gone; 2 the server cannot be reached, or the result is undecided; 3 a2a-conform was not found.",
	}) {
		fmt.Fprintf(b, "# %s\n", line(text, maxReason))
	}
	b.WriteString("set -u\numask 077\n")
	for _, v := range s.variables {
		if slices.ContainsFunc(s.facts.Secrets, func(name string) bool { return variable(name) == v }) {
			fmt.Fprintf(b, "if [ -z \"${%s:-}\" ]; then\n  echo '%s is a credential: set it in the environment' >&2\n  exit 2\nfi\n", v, v)
		} else if v == variable("authorization") { // of a call that shows what nobody gave it
			fmt.Fprintf(b, ": \"${%s:=x}\"\n", v)
		} else { // the run made it up, and another will do
			fmt.Fprintf(b, ": \"${%s:=made-up-for-this-repetition}\"\n", v)
		}
	}
	fmt.Fprintf(b, "conform=${A2A_CONFORM:-a2a-conform}\n")
	fmt.Fprintf(b, "dir=${A2A_REPRODUCE_DIR:-$(dirname -- \"$0\")/%s.d}\n", s.res.ID)
	b.WriteString("case $dir in /*) ;; *) dir=./$dir ;; esac\nmkdir -p \"$dir\" || exit 2\n")
}

// judging writes the end of a script: the verdict on what lies in a folder.
func (s *scripter) judging(b *bytes.Buffer, folder string) {
	fmt.Fprintf(b, "\"$conform\" judge %s %s\ncase $? in\n  0) exit 0 ;;\n  1) exit 1 ;;\n  *) exit 2 ;;\nesac\n", s.res.ID, folder)
}

// nobodyJudges writes what a script says where there is no a2a-conform.
func (s *scripter) nobodyJudges(b *bytes.Buffer, first string, then ...string) {
	b.WriteString("if ! command -v \"$conform\" >/dev/null 2>&1; then\n")
	for _, text := range append([]string{first}, then...) {
		fmt.Fprintf(b, "  printf '%%s\\n' %s\n", plainWord(line(text, maxReason)))
	}
	b.WriteString("  exit 3\nfi\n")
}

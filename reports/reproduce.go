package reports

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
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
// any more needs no repeating.
func reproduce(dir string, r *judge.Report, t *wire.Transcript) error {
	folder := filepath.Join(dir, ReproduceDir)
	old, _ := filepath.Glob(filepath.Join(folder, "*.sh"))
	for _, f := range old {
		if scriptID.MatchString(strings.TrimSuffix(filepath.Base(f), ".sh")) {
			os.Remove(f)
		}
	}
	for i := range r.Results {
		res := &r.Results[i]
		res.Reproduce = ""
		text := script(r, res, t)
		if text == nil {
			continue
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		name := res.ID + ".sh"
		if err := writeFile(folder, name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		res.Reproduce = ReproduceDir + "/" + name
	}
	return nil
}

// script is a POSIX shell script that holds the conversation again in which a
// requirement was broken, up to the exchange that shows it. It is nil where
// there is nothing to repeat: no failure, no exchange, or a request that is not
// for curl.
func script(r *judge.Report, res *judge.Result, t *wire.Transcript) []byte {
	if res.Verdict != judge.Fail && res.Verdict != judge.Waived || !scriptID.MatchString(res.ID) {
		return nil
	}
	play, last := shows(res, t)
	if play == nil {
		return nil
	}
	s := &scripter{insecure: r.Target.Insecure}
	x := play.Steps[last].Exchange
	if u, err := url.Parse(x.URL); err == nil && u.Host != "" {
		s.origin = u.Scheme + "://" + u.Host
	}
	s.learn(play.Steps[:last+1])
	if !s.steps(play, last) {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("#!/bin/sh\n")
	for _, text := range []string{
		fmt.Sprintf("%s %s %s: %s", res.ID, res.Level, cite(res.Section), res.Statement),
		"", "The server broke it:", res.Reason, "",
		fmt.Sprintf("This holds the conversation %q again, up to the exchange that showed it, which is the last one below.", play.Scenario),
		"A2A_TARGET in the environment names another server than the one that was judged.",
	} {
		fmt.Fprintf(&b, "# %s\n", line(text, maxReason))
	}
	b.WriteString("set -u\n")
	for _, v := range s.variables {
		if slices.ContainsFunc(t.Facts.Secrets, func(name string) bool { return variable(name) == v }) {
			fmt.Fprintf(&b, ": \"${%s:?is a credential: set it in the environment}\"\n", v)
		} else { // the run made it up, and another will do
			fmt.Fprintf(&b, ": \"${%s:=made-up-for-this-repetition}\"\n", v)
		}
	}
	fmt.Fprintf(&b, "target=${A2A_TARGET:-%s}\n", plainWord(s.origin))
	if bytes.Contains(s.body.Bytes(), []byte(`"$run"`)) {
		b.WriteString("# It makes the ids of this repetition new.\nrun=$(printf '%08x%04x' \"$(date +%s)\" \"$(($$ % 65536))\")\n")
	}
	b.WriteString("work=$(mktemp -d) || exit 1\ntrap 'rm -rf \"$work\"' EXIT\n")
	b.Write(s.body.Bytes())
	return b.Bytes()
}

// shows finds the play and the number of the step that show a violation.
func shows(res *judge.Result, t *wire.Transcript) (*wire.Play, int) {
	for _, e := range res.Evidence {
		for i := range t.Plays {
			p := &t.Plays[i]
			for j := range p.Steps {
				if x := p.Steps[j].Exchange; x != nil && x.ID == e.Exchange && x.Dir == wire.Out {
					return p, j
				}
			}
		}
	}
	return nil, 0
}

// scripter writes the steps of a play.
type scripter struct {
	insecure  bool
	origin    string
	body      bytes.Buffer
	variables []string // of the environment, that it needs
	replies   map[string]reply
}

// steps writes the steps of a play up to the last one. It reports whether that
// one can be repeated.
func (s *scripter) steps(p *wire.Play, last int) bool {
	background := false
	for i := range last + 1 {
		st := &p.Steps[i]
		fmt.Fprintf(&s.body, "\nprintf '\\n%%s\\n' %s\n", plainWord(fmt.Sprintf("== %d of %d: %s/%s", i+1, last+1, line(p.Scenario, maxName), line(st.Name, maxName))))
		if st.Exchange == nil {
			fmt.Fprintf(&s.body, "# It was not sent: %s\n", line(st.NotSent, maxReason))
			continue
		}
		switch st.Exchange.Dir {
		case wire.In:
			s.body.WriteString("# Here the server called the webhook of the run. This script has none.\n")
			continue
		case wire.Given:
			s.body.WriteString("# The operator gave this document; nothing was sent for it.\n")
			continue
		}
		command, note := s.curl(st.Exchange)
		if command == "" {
			fmt.Fprintf(&s.body, "# %s\n", note)
			if i == last {
				return false
			}
			continue
		}
		at := fmt.Sprintf("\"$work\"/%d", i)
		meanwhile := i < last && overlaps(st.Exchange, p.Steps[i+1:last+1])
		if meanwhile {
			background = true
			fmt.Fprintf(&s.body, "{ %s > %s; } &\n", command, at)
			// The next move came while this one was being answered.
			fmt.Fprintf(&s.body, "sleep 0.2 2>/dev/null || sleep 1\n")
		} else {
			fmt.Fprintf(&s.body, "%s > %s\ncat %s\n", command, at, at)
		}
		s.keep(i, at)
	}
	if background {
		s.body.WriteString("wait\n")
		for i := range last {
			if x := p.Steps[i].Exchange; x != nil && x.Dir == wire.Out && overlaps(x, p.Steps[i+1:last+1]) {
				fmt.Fprintf(&s.body, "printf '\\n%%s\\n' %s\ncat \"$work\"/%d 2>/dev/null\n", plainWord(fmt.Sprintf("== the answer to %d:", i+1)), i)
			}
		}
	}
	s.body.WriteString("printf '\\n'\n")
	return true
}

// overlaps reports whether a later step began before this one had ended.
func overlaps(x *wire.Exchange, later []wire.Step) bool {
	return slices.ContainsFunc(later, func(s wire.Step) bool {
		return s.Exchange != nil && s.Exchange.Dir == wire.Out && s.Exchange.Start < x.End
	})
}

// patience is how many seconds a repeated request may take: as long as it took
// where we hung up, for that was a move of the conversation, and else plenty.
func patience(x *wire.Exchange) string {
	took := (x.End - x.Start).Seconds()
	if x.Ended == wire.OurClose || x.Ended == wire.Aborted {
		return fmt.Sprintf("%.2f", took+0.05)
	}
	return fmt.Sprint(int(math.Ceil(took)) + 10)
}

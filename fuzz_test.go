package conform_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// atLine is the one form of an error about a file.
var atLine = regexp.MustCompile(`^fuzz\.yaml:[1-9][0-9]*: .`)

func FuzzWaivers(f *testing.F) {
	for _, s := range []string{
		"waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2026-12-31\n    where: code\n", "waivers:\n  - {id: A2A01-STR-012, why: x, until: 2026-12-31, at: \"exchange 1\\n/~\"}\n", "waivers: []", "waivers:\n  - {id: A2A01-STR-012, why: x, until: tomorrow}\n",
		"waivers: [&a {id: A2A01-STR-012}, *a]", "waivers: {id: x}", "waivers: [{<<: {id: x}}]", "a: &a [*a]", "waivers: 5\n---\nx", "\xff", "waivers: !!binary aGVsbG8=", "? [x]\n: y",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		waivers, err := conform.ParseWaivers("fuzz.yaml", text)
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !atLine.MatchString(line) {
					t.Errorf("%q names no line", line)
				}
			}
			return
		}
		for _, w := range waivers {
			if _, err := time.Parse(time.DateOnly, w.Until); err != nil || w.ID == "" || w.Why == "" || w.Line < 1 {
				t.Errorf("accepted %+v", w)
			}
		}
	})
}

// spoken is a recording of a healthy server, and the exchanges whose answer a
// fuzzer chooses instead.
type spoken struct {
	dialect    *schema.Dialect
	transcript *record.Transcript
	cache      *judge.Cache
	checks     judge.Checks
	runs       int
}

func recordSpoken(f *testing.F) *spoken {
	f.Helper()
	s, err := reference.Start(f.Context(), reference.Options{Dialect: "a2a-0.1"})
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	o, err := conform.Run(f.Context(), conform.Target{URL: s.URL(), Behaviour: conform.Behaviour{DefaultStimuli: true}})
	if err != nil {
		f.Fatal(err)
	}
	// The few plays that the fuzzed answers stand in: judging all would leave
	// little time for anything else.
	o.Transcript.Plays = slices.DeleteFunc(o.Transcript.Plays, func(p record.Play) bool {
		return !slices.Contains([]string{"quick", "unknown", "stream"}, p.Scenario) && !slices.ContainsFunc(p.Steps, func(s record.Step) bool { return s.Op == "card" })
	})
	healthy := verdict.NewDecider(o.Dialect, o.Transcript, suites.Checks(), nil)
	for _, r := range o.Report.Results {
		healthy.Result(r.ID)
	}
	return &spoken{dialect: o.Dialect, transcript: o.Transcript, cache: healthy.Cache(), checks: suites.Checks()}
}

// judged replaces the answer of a step and judges everything. Whatever a server
// says, it is never the suite that fails.
func (s *spoken) judged(t *testing.T, play, step string, body []byte) {
	x := s.transcript.Play(play).Step(step).Exchange
	y := x.Splice(0, len(x.Response.Body), body)
	if s.runs++; s.runs%200 == 0 { // it keeps all that it has seen
		s.cache = judge.NewCache()
	}
	c := verdict.NewDecider(s.dialect, s.transcript.Clone(x, y), s.checks, s.cache)
	for i := range s.dialect.Requirements {
		if r := c.Result(s.dialect.Requirements[i].ID); r.Verdict == report.SuiteError {
			t.Errorf("%s: %s", r.ID, r.Reason)
		}
	}
}

// hostileJSON are texts that a server may send where JSON is due.
var hostileJSON = []string{
	`{"jsonrpc":"2.0","id":1,"result":null}`, `{}`, `null`, `[]`, `[{}]`, `"x"`, `1e10000000`, `{"a":1,"a":2}`, `{"result":{"id":null,"status":{"state":5,"timestamp":"x"}}}`,
	"\ufeff{}", "{\"\xff\":\"\\ud800\"}", `{"error":{"code":1.5,"message":null}}`, `{"id":1}{"id":2}`, strings.Repeat("[", 2000), `{"name":{},"url":[],"capabilities":"x","skills":{"0":1}}`,
}

// FuzzCard judges whatever a server serves as its card.
func FuzzCard(f *testing.F) {
	s := recordSpoken(f)
	card := ""
	for _, p := range s.transcript.Plays {
		for _, st := range p.Steps {
			if st.Op == "card" && st.Exchange.Status() == 200 {
				card = p.Scenario + " " + st.Name
				f.Add(st.Exchange.Response.Body)
			}
		}
	}
	for _, h := range hostileJSON {
		f.Add([]byte(h))
	}
	play, step, _ := strings.Cut(card, " ")
	f.Fuzz(func(t *testing.T, body []byte) { s.judged(t, play, step, body) })
}

// FuzzReply judges whatever a server answers to a call.
func FuzzReply(f *testing.F) {
	s := recordSpoken(f)
	steps := [][2]string{{"quick", "send"}, {"quick", "get"}, {"unknown", "get"}}
	for i, at := range steps {
		p := s.transcript.Play(at[0])
		if p == nil || p.Step(at[1]) == nil {
			f.Fatalf("there is no step %v", at)
		}
		f.Add(byte(i), p.Step(at[1]).Exchange.Response.Body)
	}
	for i, h := range hostileJSON {
		f.Add(byte(i), []byte(h))
	}
	f.Fuzz(func(t *testing.T, n byte, body []byte) {
		at := steps[int(n)%len(steps)]
		s.judged(t, at[0], at[1], body)
	})
}

// FuzzStream judges whatever a server sends as an event stream.
func FuzzStream(f *testing.F) {
	s := recordSpoken(f)
	f.Add(s.transcript.Play("stream").Step("subscribe").Exchange.Response.Body)
	for _, h := range hostileJSON {
		f.Add([]byte("data: " + h + "\n\ndata: " + h + "\n\n"))
	}
	f.Add([]byte("\r\r\n:x\nevent: error\nid: \x00\nretry: 1\ndata:x"))
	f.Fuzz(func(t *testing.T, body []byte) { s.judged(t, "stream", "subscribe", body) })
}

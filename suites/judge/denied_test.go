package judge_test

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// What the operator states that the agent never does concerns no requirement, unless the
// agent did it: then the requirement is undecided, and the way out is to take it back.
// Both hold for a requirement that needs the behaviour, and for one that looks at a
// conversation which was not held for want of it.
func TestBehavioursThatAreDenied(t *testing.T) {
	answered := func(step, phase string) string {
		return step + " task=7\n  > {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"method\":\"do\"}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"result\":{\"number\":\"7\",\"now\":{\"phase\":\"" + phase + "\"}}}\n"
	}
	const remedy = "remove ask from declares.never"
	for _, c := range []struct {
		name, said string
		never      []string
		given      bool
		verdict    report.Verdict
		remedy     string
		reason     string
	}{
		{"not seen", answered("quick/send send", "ready"), []string{"ask"}, false, report.NotApplicable, "", "declares: {never: [ask]}"},
		{"seen", answered("quick/send send", "asking"), []string{"ask"}, false, report.Inconclusive, remedy, "quick/send showed the state \"asking\""},
		{"seen by a look", answered("quick/send send", "busy") + answered("quick/get get", "asking"), []string{"ask"}, false, report.Inconclusive, remedy, "quick/get showed"},
		{"seen on a malformed call", answered("block/odd send invalid", "asking"), []string{"ask"}, false, report.NotApplicable, "", "never"},
		{"seen on a probe", answered("block/odd send role=probe", "asking"), []string{"ask"}, false, report.NotApplicable, "", "never"},
		{"another state", answered("quick/send send", "broken"), []string{"ask"}, false, report.NotApplicable, "", "never"},
		{"not denied", answered("quick/send send", "ready"), nil, false, report.Inconclusive, "stimuli: {ask: {text: …}}  or  declares: {never: [ask]}", ""},
		{"another denied", answered("quick/send send", "ready"), []string{"slow"}, false, report.Inconclusive, "stimuli: {ask: {text: …}}  or  declares: {never: [ask]}", ""},
	} {
		for _, about := range []string{"needs: [stimulus.ask], ", ""} {
			t.Run(c.name+"/"+about, func(t *testing.T) {
				d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., "+about+"check: x/y, with: {}}\n")
				checks := judge.Register([]judge.Check{judge.Define("x/y", "a check of this test", func(t *judge.T, _ struct{}) {
					judge.EachOf(t, t.Steps([]string{"ask/send", "ask/again"}), func(s judge.Step) { t.OK(s.Reply()) })
				})})
				said := judgetest.Transcript(t, c.said+"stop ask no message makes it ask\n")
				said.Facts.Never, said.Facts.Stimuli = c.never, map[string]operator.Stimulus{}
				said.Play("ask").Lacks = "ask"
				r := verdict.NewDecider(d, said, checks, nil).Result("ZZ99-X-001")
				if r.Verdict != c.verdict || r.Remedy != c.remedy || !strings.Contains(r.Reason, c.reason) {
					t.Errorf("got %s %q (%s), want %s %q (…%s…)", r.Verdict, r.Remedy, r.Reason, c.verdict, c.remedy, c.reason)
				}
			})
		}
	}
}

// A text that was given and did not show what it is for is to be replaced.
func TestBehaviourThatWasNotShownByItsText(t *testing.T) {
	d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: x/y, with: {}}\n")
	checks := judge.Register([]judge.Check{judge.Define("x/y", "a check of this test", func(t *judge.T, _ struct{}) { t.Lacks("slow", "no stream was long") })})
	said := judgetest.Transcript(t, "quick/send send\n")
	said.Facts.Stimuli = map[string]operator.Stimulus{"slow": {Text: "slow"}}
	r := verdict.NewDecider(d, said, checks, nil).Result("ZZ99-X-001")
	if want := "stimuli: {slow: {text: …, seconds: …}}"; r.Verdict != report.Inconclusive || r.Remedy != want {
		t.Errorf("got %s with the remedy %q, want %q", r.Verdict, r.Remedy, want)
	}
}

// Each behaviour that replies can show counts as seen.
func TestWhatRepliesShow(t *testing.T) {
	event := func(result string) string {
		return "  | data: {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"result\":" + result + "}\n  |\n  |\n"
	}
	stream := "quick/s stream task=7\n  > {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"method\":\"watch\"}\n  < 200 text/event-stream : opened\n"
	piece := event(`{"number":"7","file":{"no":"1","parts":[]}}`)
	fault := `  | data: {"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}` + "\n  |\n  |\n"
	look := func(step, phase string) string {
		return step + " task=7\n  > {}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"result\":{\"number\":\"7\",\"now\":{\"phase\":\"" + phase + "\"}}}\n"
	}
	for _, c := range []struct {
		behaviour, said string
		seen            bool
	}{
		{"fail", look("quick/send send", "broken"), true},
		{"fail", look("quick/send send", "ready"), false},
		{"fail", look("stream-fault/send send", "broken"), false},
		{"slow", look("quick/send send", "busy") + look("quick/get get", "busy"), true},
		{"slow", look("quick/send send", "busy") + look("quick/get get", "ready"), false},
		{"slow", look("quick/get get", "busy"), false},
		{"chunks", stream + piece + piece, true},
		{"chunks", stream + piece + event(`{"number":"7","file":{"no":"2","parts":[]}}`), false},
		{"crash", stream + event(`{"number":"7","now":{"phase":"busy"}}`) + fault, true},
		{"crash", stream + fault, false},
		{"needauth", look("quick/send send", "asking"), false},
		{"recall", look("quick/send send", "ready"), false},
	} {
		t.Run(c.behaviour, func(t *testing.T) {
			d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., needs: [stimulus."+c.behaviour+"], check: x/y, with: {}}\n")
			checks := judge.Register([]judge.Check{judge.Define("x/y", "a check of this test", func(t *judge.T, _ struct{}) { t.StopUndecided("nothing was asked") })})
			said := judgetest.Transcript(t, c.said)
			said.Facts.Never = []string{c.behaviour}
			r := verdict.NewDecider(d, said, checks, nil).Result("ZZ99-X-001")
			if seen := r.Verdict == report.Inconclusive; seen != c.seen {
				t.Errorf("seen: %v, want %v: %s", seen, c.seen, r.Reason)
			}
		})
	}
}

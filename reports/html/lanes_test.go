package html

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// talk is a conversation in A2A 0.3.0 about one task that is reported as in each of the
// answers.
func talk(answers ...string) *record.Transcript {
	t := &record.Transcript{Started: reportstest.Started, Facts: record.Facts{Dialect: "a2a-0.3"}}
	p := record.Play{Scenario: "ask", Attempt: 1}
	for i, answer := range answers {
		x := reportstest.Post(`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"t1"}}`, "200 OK", "application/json", answer, time.Duration(i)*20*reportstest.Millisecond)
		p.Steps = append(p.Steps, record.Step{Name: fmt.Sprint("get-", i), Role: record.Main, Op: "get", Task: "t1", Exchange: x})
	}
	t.Plays = []record.Play{p}
	t.Seal()
	return t
}

// in is an answer that has the task in a state.
func in(state string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c","status":{"state":%q}}}`, state)
}

// builderFor is what makes the views of a report on a transcript.
func builderFor(t *record.Transcript, results ...report.Result) *builder {
	r := reportstest.SampleReport(results...)
	r.Target.Dialect = t.Facts.Dialect
	xs, _ := selectCitedExchanges(r, t)
	return newBuilder(r, t, xs, fullPage)
}

func TestStatePaths(t *testing.T) {
	for _, c := range []struct {
		states []string
		want   string
	}{
		{[]string{"submitted", "working", "working", "completed"}, "submitted, working x2, completed"},
		{[]string{"working", "submitted"}, "working, !submitted"},
		{[]string{"completed", "working"}, "completed, !working"},
		{[]string{"input-required", "working", "canceled"}, "input-required, working, canceled"},
		{[]string{"submitted", "asleep"}, "submitted, !asleep"},
	} {
		var answers []string
		for _, s := range c.states {
			answers = append(answers, in(s))
		}
		tr := talk(answers...)
		var got []string
		paths := builderFor(tr).statePaths(&tr.Plays[0])
		for _, s := range paths[0].Steps {
			text := s.State
			if s.Wrong {
				text = "!" + text
			}
			if s.Times > 1 {
				text += fmt.Sprint(" x", s.Times)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); len(paths) != 1 || paths[0].Task != "t1" || text != c.want {
			t.Errorf("%v: %s, want %s", c.states, text, c.want)
		}
	}
}

// What overlaps proves no order, so that no step is called wrong for it.
func TestStatesThatOverlap(t *testing.T) {
	tr := talk(in("completed"), in("working"))
	tr.Exchanges[1].Start = tr.Exchanges[0].Start
	if s := builderFor(tr).statePaths(&tr.Plays[0])[0].Steps; s[0].Wrong || s[1].Wrong {
		t.Errorf("%+v", s)
	}
	blamed := builderFor(talk(in("completed"), in("completed")), report.Result{ID: "ZZ99-X-1", Level: schema.Must, Area: "x", Verdict: report.Fail,
		Evidence: []report.Evidence{{Exchange: 2, Pointer: "/result/status/state"}}})
	if s := blamed.statePaths(&talkPlays(blamed)[0])[0].Steps; len(s) != 2 || !s[1].Wrong || s[1].Href != "#x2" {
		t.Errorf("a state on which a failure rests: %+v", s)
	}
}

// talkPlays are the plays that a builder has read.
func talkPlays(b *builder) []record.Play {
	for _, m := range b.summarizer.steps {
		return []record.Play{*m.play}
	}
	return nil
}

func TestSayings(t *testing.T) {
	for _, c := range []struct {
		sent, status, media, answer, want string
		how                               outcome
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`, "200 OK", "application/json", in("working"), "tasks/get → task working", outcomeOK},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`, "200 OK", "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`, "tasks/get → error -32001", outcomeError},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`, "200 OK", "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":"x\u202e"}}`, `tasks/get → error x\u202e`, outcomeError},
		{`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`, "200 OK", "application/json", `{"jsonrpc":"2.0","id":1,"error":{}}`, "tasks/get → error without a code", outcomeError},
		{`{"jsonrpc":"2.0","id":1,"method":"<b>"}`, "404 Not Found", "text/html", "<html>", "<b> → HTTP 404 text/html", outcomeError},
		{`{"jsonrpc":`, "200 OK", "application/json", `{}`, "a body that is not JSON → HTTP 200 application/json", outcomeOK},
		{`[{"jsonrpc":"2.0","method":"a"},{}]`, "200 OK", "application/json", `[]`, "a batch of 2 calls → HTTP 200 application/json", outcomeOK},
		{`{"id":1}`, "200 OK", "application/json", `{}`, "a body without a method → HTTP 200 application/json", outcomeOK},
	} {
		tr := talk(c.answer)
		x := reportstest.Post(c.sent, c.status, c.media, c.answer, 0)
		tr.Plays[0].Steps[0].Exchange = x
		tr.Exchanges = nil
		tr.Seal()
		s := builderFor(tr).summarizer.summarizeExchange(x)
		if got := s.Did + " → " + s.Came; got != c.want || s.How != c.how {
			t.Errorf("%s: %s, %s; want %s, %s", c.sent, got, s.How, c.want, c.how)
		}
	}
	gone := talk(in("working"))
	gone.Exchanges[0].Response, gone.Exchanges[0].Ended = record.Message{}, record.NoDial
	if s := builderFor(gone).summarizer.summarizeExchange(gone.Exchanges[0]); s.Came != "no answer" || s.How != outcomeBroken {
		t.Errorf("no answer: %+v", s)
	}
}

// A bar is at the time of its call, calls that overlap are below each other, and those that follow each other
// closely are side by side.
func TestLanes(t *testing.T) {
	tr := talk(in("working"), in("working"), in("working"))
	for i, at := range [][2]time.Duration{{0, 500 * reportstest.Millisecond}, {100 * reportstest.Millisecond, 1000 * reportstest.Millisecond}, {500 * reportstest.Millisecond, 501 * reportstest.Millisecond}} {
		tr.Exchanges[i].Start, tr.Exchanges[i].End = at[0], at[1]
	}
	b := builderFor(tr, report.Result{ID: "ZZ99-X-1", Level: schema.Must, Area: "x", Verdict: report.Fail, Evidence: []report.Evidence{{Exchange: 2}}})
	c := b.buildLanes(tr)
	b.fillExchangeBytes(c, 1<<20)
	v := c.Plays[0]
	want := []bar{{X: 0, Y: 1, W: 500}, {X: 100, Y: 11, W: 900}, {X: 500, Y: 1, W: leastBar}}
	for i, w := range want {
		if got := v.Bars[i]; got.X != w.X || got.Y != w.Y || got.W != w.W {
			t.Errorf("bar %d is %+v, want %+v", i, got, w)
		}
	}
	if v.Height != 20 || !v.Bars[1].Blamed || v.Bars[1].Href != "#x2" || v.Bars[0].Href != "" || len(v.Exchanges) != 1 || v.Unshown != 2 {
		t.Errorf("%+v", v)
	}
	if title := v.Bars[0].Title; title != "1 tasks/get → task working, 500.0 ms" {
		t.Errorf("a bar says %q", title)
	}
	if last := c.Ticks[len(c.Ticks)-1]; last.X != laneWidth || last.Text != "1.00 s" {
		t.Errorf("the axis ends with %+v", last)
	}
	for i := range 100 {
		stream := reportstest.Sample().Exchanges[2]
		stream.ID = i
		if ticks := strings.Count(b.buildPlay([]*record.Exchange{stream}, time.Duration(i+1)*reportstest.Millisecond, nil).Ticks, "M"); ticks > maxTicks {
			t.Fatalf("%d ticks", ticks)
		}
	}
}

// TestSkippedConversations checks that conversations without a call are told by the reason for it, with what they
// would have done, and have no lane.
func TestSkippedConversations(t *testing.T) {
	tr := talk(in("completed"))
	tr.Plays[0].About = "a <question>"
	for i := range 250 {
		why := "no message is configured that makes the agent fail"
		if i%2 == 1 {
			why = "the card does not declare <streams>"
		}
		tr.Plays = append(tr.Plays, record.Play{Scenario: fmt.Sprint("skipped-", i), About: "what <it> does", Attempt: 1, Stop: why})
	}
	c := builderFor(tr).buildLanes(tr)
	if len(c.Plays) != 1 || c.Plays[0].About != "a <question>" || c.AllSkipped != 250 || len(c.Skipped) != 2 {
		t.Fatalf("got %d lanes, %d skipped for %d reasons", len(c.Plays), c.AllSkipped, len(c.Skipped))
	}
	for _, s := range c.Skipped {
		if s.N != 125 || len(s.Plays) != maxSkips || s.Plays[0].About != "what <it> does" {
			t.Errorf("%s: got %d plays, want %d: %q", s.Why, len(s.Plays), maxSkips, s.Plays[0])
		}
	}
	r := reportstest.SampleReport()
	page := reportstest.Render(t, func(w io.Writer) error { return WriteReport(w, r, tr) })
	if got, want := strings.Count(page, "the card does not declare &lt;streams&gt;"), 1; got != want {
		t.Errorf("got the reason %d times, want %d", got, want)
	}
	if !strings.Contains(page, `<p class="about">a &lt;question&gt;</p>`) {
		t.Error("the page does not say what a conversation is about")
	}
}

package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// hostileTalk is a run in which every part of the page that shows conversations holds a text
// of the server's: names and states of tasks, methods, error codes, headers, the agent.
func hostileTalk(evil string) (*report.Report, *record.Transcript) {
	text, err := json.Marshal(evil)
	if err != nil {
		panic(err)
	}
	quoted := string(text)
	task := `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":` + quoted + `,"contextId":"c","status":`
	answers := []string{
		task + `{"state":` + quoted + `}}}`,
		task + `{"state":"working",` + quoted + `:` + quoted + `}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":` + quoted + `,"message":` + quoted + `}}`,
	}
	t := talk(answers...)
	stream := reportstest.Post(`{"jsonrpc":"2.0","id":1,"method":`+quoted+`}`, "200 OK", "text/event-stream", "data: "+strings.ReplaceAll(answers[0], "\n", " ")+"\n\ndata: "+evil+"\n\n", 90*reportstest.Millisecond)
	away := reportstest.Post(`{}`, "200 "+evil, evil, evil, 95*reportstest.Millisecond)
	away.Dir, away.URL = record.In, evil
	away.Request.Head = []byte("POST /" + evil + " HTTP/1.1\r\n\r\n")
	odd := reportstest.Post(`{"jsonrpc":"2.0","id":1,"method":`+quoted+`}`, "200 OK", evil, evil, 99*reportstest.Millisecond)
	odd.URL, odd.Trouble = evil, evil
	p := &t.Plays[0]
	p.Scenario, p.Stop, p.Subject = "ask", evil, record.Subject{Agent: evil, Binding: evil}
	for _, x := range []*record.Exchange{stream, away, odd} {
		p.Steps = append(p.Steps, record.Step{Name: "odd", Op: "get", Task: evil, Exchange: x})
	}
	t.Exchanges = append(t.Exchanges, reportstest.Post("{}", "200 OK", "text/plain", evil, 99*reportstest.Millisecond))
	t.Seal()
	var results []report.Result
	for i := range t.Exchanges {
		at := report.At{Exchange: i + 1, Event: i % 3, Pointer: "/result/status/state", Header: evil}
		if i%2 == 0 {
			at.Header = ""
		}
		r := report.Result{ID: fmt.Sprintf("ZZ99-X-%d", i), Level: schema.Must, Area: "x", Verdict: report.Fail, Reason: evil, Section: "3.2; " + evil, Statement: "It holds.", Because: evil,
			Why: []report.Why{{By: evil, Sent: evil, Did: evil, Got: evil, Due: evil, At: at, Against: &report.Clash{Got: evil, At: report.At{Exchange: 1, Pointer: evil, File: evil}}}}}
		for range 3 {
			r.Evidence = append(r.Evidence, report.Evidence{Exchange: i + 1, Event: at.Event, Pointer: at.Pointer, File: evil, Excerpt: evil})
			r.Others = append(r.Others, evil)
		}
		r.Others, r.Why = r.Others[:2], []report.Why{r.Why[0], r.Why[0], r.Why[0]}
		r.Subjects = []report.SubjectResult{{Agent: evil, Binding: evil, Verdict: report.Fail, Reason: evil}, {Agent: "x", Verdict: report.Pass}}
		results = append(results, r)
	}
	r := reportstest.SampleReport(results...)
	r.Target.Dialect = "a2a-0.3"
	return r, t
}

// TestHostilePage checks that no text of a server becomes a link, a style or a script in the parts of the
// page that show exchanges.
func TestHostilePage(t *testing.T) {
	for name, evil := range reportstest.Attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, tr := hostileTalk(evil)
			var page bytes.Buffer
			if err := WriteReport(&page, r, tr); err != nil {
				t.Fatal(err)
			}
			reportstest.CheckOnlyKnownHTML(t, page.Bytes())
			text := page.String()
			if plain := safetext.Visible(text); plain != text {
				t.Errorf("the page holds a character that acts or hides, at byte %d", reportstest.FirstDifference(plain, text))
			}
			if page.Len() > 2<<20 {
				t.Errorf("the page has %d bytes", page.Len())
			}
			reportstest.CheckIDsAndLinks(t, text)
		})
	}
}

// The hostile text of the test above occurs in every part that it checks.
func TestHostilePageShowsWhatWasSaid(t *testing.T) {
	r, tr := hostileTalk("EVIL")
	page := render(t, r, tr)
	for _, want := range []string{
		`→ error EVIL`, `class="state wrong"`, `>EVIL</a>`, `<title>`, `<mark>`, "the server calls: POST /EVIL", "stopped early: EVIL", `data-s="0">`,
		"2 more calls with the same answer", "this contradicts", `<b>expected</b> EVIL`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, c := range []string{reportstest.Attacks["markup"], reportstest.Attacks["template"], `javascript:alert(1)`, `"><svg/onload=alert(1)>`} {
		r, tr := hostileTalk(c)
		if page := render(t, r, tr); strings.Contains(page, c) && strings.ContainsAny(c, `<"`) {
			t.Errorf("%s stands in the page as it was sent", c)
		}
	}
}

func FuzzHostilePage(f *testing.F) {
	for _, evil := range reportstest.Attacks {
		if len(evil) < 1<<10 {
			f.Add(evil)
		}
	}
	f.Fuzz(func(t *testing.T, evil string) {
		r, tr := hostileTalk(evil)
		reportstest.CheckOnlyKnownHTML(t, []byte(render(t, r, tr)))
	})
}

package e2e

import (
	"maps"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// without takes members out of a JSON value, wherever they stand in it.
func without(v any, members ...string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range members {
			delete(v, name)
		}
		for _, inner := range v {
			without(inner, members...)
		}
	case []any:
		for _, inner := range v {
			without(inner, members...)
		}
	}
}

// wordless takes the message out of each status.
func wordless(m map[string]any) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if status, is := v["status"].(map[string]any); is {
				delete(status, "message")
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	walk(m)
}

// What a server may leave out leaves no requirement undecided for ever: what cannot be
// judged without it is not applicable, or judged in another way, or there is a remedy.
func TestServersThatLeaveOutWhatTheyMay(t *testing.T) {
	type lack struct {
		name  string
		leave func(m map[string]any) // leaves something out of an answer
		never []string               // what such a server cannot do
	}
	leaving := func(member string) func(map[string]any) {
		return func(m map[string]any) { without(m, member) }
	}
	times, history, metadata, words := lack{"times", leaving("timestamp"), nil}, lack{"history", leaving("history"), nil}, lack{"metadata", leaving("metadata"), nil},
		lack{"status messages", wordless, []string{"needauth"}} // without words it cannot say which login it needs
	for _, c := range []struct {
		dialect string
		lacks   []lack
	}{
		{"a2a-1.0", []lack{times, history, metadata, words}},
		{"a2a-0.3", []lack{times, history, metadata, words}},
		{"a2a-0.1", []lack{times, metadata, words}},
		{"a2x-0.3", []lack{history, metadata}},
		{"jaf-0.3", []lack{metadata}},
	} {
		for _, l := range c.lacks {
			if testamount.LeavesOut(c.dialect == "a2a-0.1" || c.dialect == "a2a-1.0" && l.name == "history") {
				continue
			}
			t.Run(c.dialect+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				url := doctored(t, reference.Options{Dialect: c.dialect}, func(_ call, r *reply) {
					r.edit(l.leave)
				})
				s := settingUp(t, reference.Options{Dialect: c.dialect}, l.never...)
				s.target.URL, s.target.DefaultStimuli, s.target.Stimuli = url, true, maps.Clone(slowForSure)
				o := s.settle(t)
				if c.dialect == "a2a-1.0" && o.Report.Verdict != report.Conformant {
					t.Errorf("the run ended %s", o.Report.Verdict)
				}
				for _, r := range o.Report.Results {
					if r.Verdict == report.Inconclusive || r.Verdict == report.Fail && r.Level == schema.Must {
						t.Errorf("%s [%s] is %s: %s", r.ID, r.Level, r.Verdict, r.Reason)
					}
				}
			})
		}
	}
}

// A plain agent, which makes no artifacts and streams nothing, is conformant once its
// operator says so.
func TestAgentsWithoutArtifacts(t *testing.T) {
	for _, dialect := range []string{"a2a-1.0", "a2a-0.3", "a2a-0.1", "a2x-0.3", "jaf-0.3"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			s := settingUp(t, reference.Options{Dialect: dialect, Variant: "minimal"}, "chunks")
			s.target.DefaultStimuli, s.target.Stimuli = true, maps.Clone(slowForSure)
			if o := s.settle(t); o.Report.Verdict != report.Conformant {
				t.Errorf("the run ended %s", o.Report.Verdict)
			}
		})
	}
}

// A server that leaves out times, metadata, artifacts, names and every history for which it
// is not asked is conformant in each binding, also if its lists come in pages of one task.
func TestTerseServersInEachBinding(t *testing.T) {
	for _, dialect := range []string{"a2a-1.0", "a2a-0.3"} {
		for _, binding := range []string{"JSONRPC", "HTTP+JSON", "GRPC"} {
			if testamount.LeavesOut(dialect == "a2a-1.0" && binding == "GRPC" || dialect == "a2a-0.3" && binding == "HTTP+JSON") {
				continue
			}
			t.Run(dialect+"/"+binding, func(t *testing.T) {
				t.Parallel()
				with := reference.Options{Dialect: dialect, Variant: "terse"}
				if binding == "GRPC" {
					with.GRPCAddr = "127.0.0.1:0"
				}
				s := settingUp(t, with, "chunks")
				s.target.DefaultStimuli, s.target.Stimuli, s.target.Binding, s.target.Webhook.Listen = true, maps.Clone(slowForSure), binding, "127.0.0.1:0"
				o, err := conform.Run(t.Context(), s.target)
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range o.Report.Results {
					if r.Verdict == report.Fail || r.Verdict == report.Inconclusive && r.Remedy == "" {
						t.Errorf("%s [%s] is %s: %s", r.ID, r.Level, r.Verdict, r.Reason)
					}
				}
				if o := s.settle(t); o.Report.Verdict != report.Conformant {
					t.Errorf("the run ended %s", o.Report.Verdict)
				}
			})
		}
	}
}

// A server that shows no times has to read the time in the filter of a list all the same.
func TestListsByTimeOfAServerWithoutTimes(t *testing.T) {
	url := doctored(t, reference.Options{Dialect: "a2a-1.0"}, func(_ call, r *reply) {
		r.edit(func(m map[string]any) { without(m, "timestamp") })
	})
	o, err := conform.Run(t.Context(), conform.Target{URL: url, Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true},
		Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A10-REST-FMT-011", "A2A10-LIST-018"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]report.Verdict{"A2A10-REST-FMT-011": report.Pass, "A2A10-LIST-018": report.NotApplicable} {
		if got := verdicts(o)[id]; got.Verdict != want {
			t.Errorf("%s is %s (%s), want %s", id, got.Verdict, got.Reason, want)
		}
	}
}

package client

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// unreportedParams name a state that no answer to a call brings.
type unreportedParams struct {
	Plays []string `json:"plays"`
	Ops   []string `json:"ops"`
	State string   `json:"state"`
}

// checkUnreportedState judges whether the client reports nothing but what it was answered after a call.
func checkUnreportedState(t *judge.T, p unreportedParams) {
	judge.EachOf(t, t.ReportingStarts(p.Plays...), func(s judge.Start) {
		calls := s.Calls(p.Ops...)
		if len(calls) == 0 || !calls[0].Exchange.Answered() {
			s.Last()
			t.StopInconclusive("", "the client made no such call in the scenario '%s', or got no answer", s.Play.Scenario)
		}
		after := slices.DeleteFunc(s.Reported(), func(r judge.Reported) bool {
			return r.At < calls[0].Exchange.Start || r.State == "" && r.Saw != "error"
		})
		if len(after) == 0 {
			t.StopInconclusive("", "the client reported neither a state nor an error after the call in the scenario '%s'", s.Play.Scenario)
		}
		eachOf(t, after, func(r judge.Reported) {
			if r.HasState(p.State) {
				t.Fail(r.Value.At("/state"), "reported a state of the task that the answer does not have", "the state of the answer, or the error")
			}
			t.OK(r.Value)
		})
	})
}

// questionParams name a scenario in which a task asks back, and its state then.
type questionParams struct {
	Plays []string `json:"plays"`
	State string   `json:"state"`
	Calm  bool     `json:"calm"` // no error is reported while the task waits, and what comes after that does not count
}

// checkQuestion judges whether the client reports the text by which a task asks back, and does not report that the task has
// ended.
func checkQuestion(t *judge.T, p questionParams) {
	judge.EachOf(t, t.ReportingStarts(p.Plays...), func(s judge.Start) {
		given := s.Delivered()
		i := slices.IndexFunc(given, func(d judge.Delivered) bool { return adapter.IsSameState(d.State, p.State) })
		word := findMarker(s, "status")
		reported := s.Reported()
		if i < 0 || word.Word == "" || len(reported) == 0 {
			s.Last()
			t.StopInconclusive("", "the client was asked nothing in the scenario '%s', or reported nothing", s.Play.Scenario)
		}
		answers := startedAfter(messagesOf(t, s), given[i].At)
		until := s.Play.Client.Ended
		for _, d := range given[i+1:] {
			if !adapter.IsSameState(d.State, p.State) && d.State != "" {
				until = d.Exchange.Start
				break
			}
		}
		for _, r := range s.Reported("end", "error") {
			if p.Calm && until > 0 && r.At >= until {
				break
			}
			if p.Calm && r.Saw == "error" {
				t.Fail(r.Value, "reported an error while the task waits", "the state of the task, and its text")
			}
			if r.Saw == "end" && r.Of == "task" && (r.Task == "" || r.Task == given[i].Task) && (len(answers) == 0 || r.At < answers[0].Exchange.Start) {
				t.Fail(r.Value, "reported the end of a task that asks back", "no end of the task")
			}
		}
		for _, r := range reported {
			if strings.Contains(r.Text+r.Message, word.Word) {
				t.OK(r.Value)
				return
			}
		}
		if !word.Printed {
			t.Fail(s.Last(), "reported no text of the question", "the text by which the task asks back")
		}
		t.OK(s.Last())
	})
}

// findMarker returns the marker of a name in a start; one without a word if there is none.
func findMarker(s judge.Start, in string) record.Marker {
	for _, m := range s.Run.Markers {
		if m.In == in {
			return m
		}
	}
	return record.Marker{}
}

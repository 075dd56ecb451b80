package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// piecesParams name a scenario in which the pieces of an artifact come in two streams.
type piecesParams struct {
	Plays []string `json:"plays"`
	Ops   []string `json:"ops"` // of the second stream
}

// checkPiecesOnce judges whether an artifact that the client put together has no piece twice.
func checkPiecesOnce(t *judge.T, p piecesParams) {
	judge.EachOf(t, t.ReportingStarts(p.Plays...), func(s judge.Start) {
		demandUseAndEnd(t, s, p.Ops)
		seen := 0
		for _, r := range s.Reported("artifact") {
			if !r.Assembled {
				continue
			}
			for _, m := range s.Run.Markers {
				n := strings.Count(r.Text, m.Word)
				if m.Word == "" || n == 0 {
					continue
				}
				seen++
				if n > 1 {
					t.Fail(r.Value.At("/text"), fmt.Sprintf("put an artifact together with a piece %d times", n), "each piece once, since what comes later may have the earlier ones")
				}
				t.OK(r.Value)
			}
		}
		if seen == 0 {
			s.Last()
			t.StopInconclusive("", "the client reported no artifact that it had put together in the scenario '%s'", s.Play.Scenario)
		}
	})
}

// leavingParams name a scenario in which the application stops reading a stream.
type leavingParams struct {
	Plays   []string `json:"plays"`
	Ops     []string `json:"ops"`
	Events  int      `json:"events"`  // so many are read
	Seconds float64  `json:"seconds"` // in which the stream has to be closed
}

// checkLeaving judges whether a stream ends soon after the events that the application reads.
func checkLeaving(t *judge.T, p leavingParams) {
	judge.EachOf(t, t.ReportingStarts(p.Plays...), func(s judge.Start) {
		calls := s.Calls(p.Ops...)
		if len(calls) == 0 || len(calls[0].Exchange.Response.Chunks) < p.Events {
			s.Last()
			t.StopInconclusive("", "the client read no such stream in the scenario '%s'", s.Play.Scenario)
		}
		read := 0
		for _, r := range s.Reported("task", "message", "status", "artifact") {
			if !r.Assembled {
				read++
			}
		}
		switch {
		case read == 0:
			t.StopUndecided("the client reported no event of the stream in the scenario '%s'", s.Play.Scenario)
		case read > 3*p.Events: // some programs report more than one thing of an event
			t.StopUndecided("the application read on: it reported %d things of the stream", read)
		}
		x := calls[0].Exchange
		open := time.Duration(x.End - x.Response.Chunks[p.Events-1].At)
		if open.Seconds() > p.Seconds && s.Run.Disturbed != "" {
			t.StopUndecided("%s", s.Run.Disturbed)
		}
		if open.Seconds() > p.Seconds {
			t.Fail(calls[0].Head(report.StatusLine), fmt.Sprintf("left the stream open for %.1f s after the %d events that its application read", open.Seconds(), p.Events), fmt.Sprintf("an end of the stream within %v s", p.Seconds))
		}
		t.OK(calls[0].Call)
	})
}

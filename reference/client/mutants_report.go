package client

import (
	"bytes"
	"errors"
	"io"
)

// reportMutants misread what comes, or pass it on otherwise than it came: what only a report of it shows.
var reportMutants = []mutant{
	{name: "second-detail-fatal", dialect: "a2a-1.0", variant: "reporting", summary: "cannot read an error whose details are of another type than the first one has",
		habit: rewriteErrors(func(_ *call, e *rpcError, data any) error {
			for _, detail := range getList(data) {
				if getText(detail, "@type") != getText(getList(data)[0], "@type") {
					return errors.New("the response cannot be read")
				}
			}
			return e
		})},
	{name: "status-message-alone", variant: "reporting", summary: "shows the text of a task's status, and none of its artifacts",
		habit: refuseResults(func(s *session, result object) error {
			if u := s.dialect.readUpdate(result); u.kind == taskUpdate {
				delete(result, "artifacts")
				delete(getObject(result, "task"), "artifacts")
			}
			return nil
		})},
	{name: "unended-event-taken", variant: "reporting", summary: "takes the lines at the end of a stream for an event that was ended",
		habit: misreadEvents(func(f *streamFaults) { f.takesUnended = true })},
	{name: "events-in-threads", variant: "reporting", summary: "handles each event in a thread of its own, so that they are reported in another order",
		habit: func(h *habits) { h.swapsReports = true }},
	{name: "stream-read-whole", variant: "reporting", summary: "reads a stream to its end before it takes the first event",
		habit: func(h *habits) { h.readsStreamWhole = true }},
	{name: "event-id-not-compared", variant: "reporting", summary: "takes an event with the id of another call",
		habit: func(h *habits) { h.takesAnyEventID = true }},
}

// readWhole returns the content of a stream once all of it has come.
func readWhole(stream io.Reader) io.Reader {
	all, _ := io.ReadAll(io.LimitReader(stream, maxStream)) // what breaks it off is its end
	return bytes.NewReader(all)
}

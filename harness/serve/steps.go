package serve

import (
	"bytes"
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// noteSentMarkers notes which markers left for the client.
func noteSentMarkers(markers []record.Marker, exchanges []*record.Exchange) {
	for i := range markers {
		m := &markers[i]
		m.Sent = slices.ContainsFunc(exchanges, func(x *record.Exchange) bool {
			if x.Dir == record.Out { // a notification
				return bytes.Contains(x.Request.Body, []byte(m.Word))
			}
			return bytes.Contains(x.Response.Body, []byte(m.Word)) || strings.Contains(readStatusMessage(x), m.Word)
		})
	}
}

// readStatusMessage returns the text for people of a status of gRPC that was sent; "" for none.
func readStatusMessage(x *record.Exchange) string {
	if x.HTTP2 == nil {
		return ""
	}
	for _, h := range []http.Header{x.Response.Header(), x.Response.Trailers()} {
		if text, err := url.PathUnescape(h.Get("Grpc-Message")); err == nil && text != "" {
			return text
		}
	}
	return ""
}

// ListMilestones returns what a play with a client came to.
func ListMilestones(p *record.Play) (out []record.Milestone) {
	run := p.Client
	if len(p.Steps) > 0 {
		out = append(out, record.Milestone{Name: came, Step: p.Steps[0].Name, At: p.Steps[0].Exchange.Start})
	}
	if run.Ended == 0 || run.Trouble != "" {
		return out
	}
	last := ""
	if len(p.Steps) > 0 {
		last = p.Steps[len(p.Steps)-1].Name
	}
	name := ended
	if run.Patience {
		name = patienceOver
	}
	return append(out, record.Milestone{Name: name, Step: last, At: run.Ended})
}

// The milestones of a play with a client.
const (
	came         = "came"     // its first request came
	ended        = "ended"    // it ended by itself
	patienceOver = "patience" // its time was up
)

// stepWords are the names of steps by operation, if they are others than those of the dialect.
var stepWords = map[string]string{"resubscribe": "subscribe"}

// StepWord returns the word by which steps of an operation are named.
func StepWord(op string) string { return cmp.Or(stepWords[op], op) }

// nameSteps makes the steps of a play: each request by its role, numbered from the second one on.
func (s *stage) nameSteps(exchanges []*record.Exchange) []record.Step {
	count := map[string]int{}
	var steps []record.Step
	for _, x := range exchanges {
		if x.Dir == record.Out {
			steps = append(steps, s.courier.findStep(x))
			continue
		}
		seen := s.recogniseRequest(x)
		step := record.Step{Name: nameRequest(seen), Role: record.Main, Op: seen.op, Exchange: x}
		if seen.face != nil && (seen.role != "redirected" || seen.op != "") { // after a redirect HTTP lets a GET go on, which is no call
			step.Binding = seen.binding.Name()
			step.Task, step.Context = s.findSubject(seen)
		}
		step.Name = record.NumberStep(count, step.Name)
		steps = append(steps, step)
	}
	return append(steps, s.courier.listUnsent()...)
}

// nameRequest returns the name of what a request is.
func nameRequest(seen sighting) string {
	if seen.role == "call" {
		return cmp.Or(StepWord(seen.op), seen.role)
	}
	return seen.role
}

// findSubject returns the task of ours, and the context, that a call is about.
func (s *stage) findSubject(seen sighting) (taskID, contextID string) {
	id := cmp.Or(readParam(seen.sent, "/message/taskId"), readParam(seen.sent, "/id"), readParam(seen.sent, "/taskId"))
	s.editTasks(func() {
		if t := s.tasks[id]; t != nil {
			taskID, contextID = t.id, t.context
		} else {
			contextID = readParam(seen.sent, s.form.contextAt())
		}
	})
	return taskID, contextID
}

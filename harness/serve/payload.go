package serve

import (
	"fmt"
	"maps"
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
)

// Payload is an answer that somebody else has written: what a client is to make of it is the test.
type Payload struct {
	Op     string // the operation that it answers, or card
	Answer any    // the whole answer as JSON; the id of the call takes the place of its own
}

// The operations whose answers can be given to a client that does what it is asked to.
const (
	getOp    = "get"
	cancelOp = "cancel"
	cardOp   = "card"
)

// NewPayloadScript makes a scenario in which the client calls an operation over JSON-RPC once, and gets the payload. A task that is
// looked up or canceled is made by a message before, which is answered by a working task with the ids of the payload. The error is
// about an operation that no command has a client call.
func NewPayloadScript(name, doc string, p Payload) (Script, error) {
	s := Script{Name: name, Doc: doc, Do: []adapter.Command{{Do: adapter.Send, Wait: adapter.NoWait()}}}
	switch p.Op {
	case sendingMessages:
	case getOp:
		s.Do = append(s.Do, lookUp)
	case cancelOp:
		s.Do = append(s.Do, adapter.Command{Do: adapter.Cancel, Task: adapter.LastTask})
	case cardOp:
		s.Do = []adapter.Command{{Do: adapter.GetCard}}
	default:
		return s, fmt.Errorf("no command of an adapter has a client call %s", p.Op)
	}
	s.set = func(st *stage) {
		st.faces = []face{st.newRPCFace()}
		if p.Op == cardOp {
			st.onCard = func(a *answerWriter, _ *request) {
				a.writeWhole(http.StatusOK, listTypeFields("application/json"), encodeJSON(p.Answer))
			}
			return
		}
		if p.Op != sendingMessages {
			st.newID = func(what string) string { return p.findID(what, st.ids.New()) }
			st.on[sendingMessages] = func(c *call) { c.sendTask(c.newTask(working)) }
		}
		st.on[p.Op] = func(c *call) { c.sendText(http.StatusOK, encodeJSON(p.answerCall(c))) }
	}
	return s, nil
}

// findID returns the id of the task in the payload, or of its context; another one if it has none.
func (p Payload) findID(what, otherwise string) string {
	answer, _ := p.Answer.(object)
	result, _ := answer["result"].(object)
	member := map[string]string{"task": "id", "context": "contextId"}[what]
	if id, ok := result[member].(string); ok && id != "" {
		return id
	}
	return otherwise
}

// answerCall returns the payload as it answers a call.
func (p Payload) answerCall(c *call) any {
	answer, ok := p.Answer.(object)
	if !ok {
		return p.Answer
	}
	answer = maps.Clone(answer)
	if _, has := answer["id"]; has {
		answer["id"] = c.chooseID()
	}
	return answer
}

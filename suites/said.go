package suites

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// replies are the JSON-RPC replies of the run, the members of answered batches
// one by one. Bodies that are no JSON-RPC replies are for the checks that ask
// for one.
func replies(t *judge.T) []judge.Value {
	var out []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		for _, r := range append([]judge.Value{v}, v.Elems()...) {
			if r.IsObject() && (r.At("/jsonrpc").Exists() || r.At("/result").Exists() || r.At("/error").Exists() && r.At("/id").Exists()) {
				out = append(out, r)
			}
		}
	}
	return out
}

// responses are replies and the JSON-RPC responses in stream events.
func responses(t *judge.T) []judge.Value {
	out := replies(t)
	for _, v := range t.All(judge.EventText) {
		if v.IsObject() {
			out = append(out, v)
		}
	}
	return out
}

// errorReplies are the responses that carry an error.
func errorReplies(t *judge.T) []judge.Value {
	var out []judge.Value
	for _, v := range responses(t) {
		if present(v.At("/error")) {
			out = append(out, v)
		}
	}
	return out
}

// proper reports whether a text answers a call that came by POST as
// application/json: only such a call is promised a JSON-RPC reply.
func proper(v judge.Value) bool {
	r := &v.Exchange().Request
	return strings.HasPrefix(string(r.Head), http.MethodPost+" ") && r.MediaType() == "application/json"
}

// accepted reports whether the step beside which a refusal counts was
// accepted. A refusal of everything proves nothing.
func twinAccepted(t *judge.T, s judge.Step) {
	if s.Twin == "" {
		return
	}
	twin := t.Step(s.Play.Scenario + "/" + s.Twin)
	if twin.Exchange.IsStream() {
		return
	}
	if !twin.Accepted() && !(t.Case.Talks() && unknownAtMost(t, twin)) {
		t.Stopped("the valid call beside it (%s/%s) was not accepted either: %s", s.Play.Scenario, s.Twin, twin.Outcome())
	}
}

// refusedAlike reports whether two calls were refused with the same code: what
// one of them shows is then not about what sets it apart.
func refusedAlike(a, b judge.Step) bool {
	one, ok := a.Reply().At("/error/code").Int()
	other, too := b.Reply().At("/error/code").Int()
	return ok && too && one == other
}

// unknownAtMost reports whether a valid look-up was refused for nothing but the
// task it is about, as it is by an agent that makes no tasks.
func unknownAtMost(t *judge.T, s judge.Step) bool {
	return s.Op == "get" && isError(s.Reply()) && !isRefusal(t, s.Reply(), []string{"ParseError", "InvalidRequest", "MethodNotFound", "InvalidParams", "InternalError"})
}

// call is what we sent in a step, as JSON.
func call(s judge.Step) *wire.Node { return s.Exchange.Call().Root }

// member returns a member of what we sent, or nil.
func member(n *wire.Node, pointer string) *wire.Node {
	if n == nil {
		return nil
	}
	return n.At(pointer)
}

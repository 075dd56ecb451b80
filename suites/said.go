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
			if r.IsObject() && (r.Marked() || r.Result().Exists() || r.Failure().Exists() && r.ID().Exists()) {
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
		if present(v.Failure()) {
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

// call is what we sent in a step, as JSON.
func call(s judge.Step) *wire.Node { return s.Exchange.Call().Root }

// params are the parameters that we sent, or nil.
func params(s judge.Step) *wire.Node { return s.Sent().Params }

// member returns a member of what we sent, or nil.
func member(n *wire.Node, pointer string) *wire.Node {
	if n == nil {
		return nil
	}
	return n.At(pointer)
}

package judge

import "testing"

// What a waiver quotes of a text of an earlier version is found in the text of today.
func TestWhatWaiversQuoteOfEarlierVersions(t *testing.T) {
	for _, c := range []struct {
		now, where string
		held       bool
	}{
		{`GetTask: the server answered with error -32600 (InvalidRequest): "No"; expected a JSON-RPC error -32602 (InvalidParams) (A2A 1.0.1 §9.5) [exchange 3]`, `answered code -32600 (InvalidRequest) "No"`, true},
		{`GetTask: the server answered with error -32600 (InvalidRequest): "No"; expected a JSON-RPC error -32602 (InvalidParams) (A2A 1.0.1 §9.5) [exchange 3]`, `A2A 1.0.1 §9.5 asks for -32602 (InvalidParams)`, true},
		{`GetTask: the server answered with error -32600 (InvalidRequest): "No"; expected a JSON-RPC error -32602 (InvalidParams) (A2A 1.0.1 §9.5) [exchange 3]`, `answered code -32601`, false},
		{`x: the server kept the stream open for 5.0 s; expected it to be closed (A2A 1.0.1 §3.1.2): it is over [exchange 3]`, `A2A 1.0.1 §3.1.2 asks for it to be closed: it is over`, true},
		{`x: the server refused the call with HTTP 400 and its own JSON {"error":"no"}; expected a result (A2A 1.0.1 §9)`, `answered HTTP 400 with JSON that is no JSON-RPC response`, true},
		{`x: the server failed with HTTP 503 without a body; expected a result (A2A 1.0.1 §9)`, `answered HTTP 503 without a body`, true},
		{"x: the result's `status` has no `state`; it has timestamp; expected `state`, which is required (A2A 1.0.1 §4)", "left out Task.status.state, and has only timestamp", true},
		{"x: the result's `status` has no `state`; it has timestamp; expected `state`, which is required (A2A 1.0.1 §4)", "left out Task.status.timestamp", false},
	} {
		if got := heldEarlier(c.where, failure{texts: []string{c.now}}); got != c.held {
			t.Errorf("%q holds %v in %s\n%s", c.where, got, c.now, earlier(c.now))
		}
	}
	if heldEarlier("x", failure{}) {
		t.Error("no text holds something")
	}
}

package harness

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// TestAgentOfDirectory: tasks go to one agent on the directory's host, which is
// shown no credentials of another origin, and to nobody else.
func TestAgentOfDirectory(t *testing.T) {
	const done = `{"jsonrpc":"2.0","id":"x","result":{"taskId":"t","status":"completed","output":{}}}`
	entry := func(id, endpoint string) string {
		return `{"agentId":"` + id + `","capabilities":["x"],"endpoint":"` + endpoint + `"}`
	}
	agent, asked := paths{"POST /": done, "POST /second/a2a/task": done}.start(t)
	far, ours := entry("far", "http://agent.invalid/"), entry("a2a-conform-1", agent+"/ours")
	for _, c := range []struct {
		name, list, agent string
		goes              string // path at the agent; "" where none is called
		stop              string
		none              bool // nobody could be called
	}{
		{name: "the first that is near", list: far + "," + ours + "," + entry("a", agent) + "," + entry("b", agent+"/second"), goes: "/"},
		{name: "the operator's", list: entry("a", agent) + "," + entry("b", agent+"/second"), agent: "b", goes: "/second/a2a/task"},
		{name: "the operator's is not listed", list: entry("a", agent), agent: "c", stop: "lists no agent c"},
		{name: "only elsewhere", list: far + "," + ours, stop: "calls no agent elsewhere", none: true},
		{name: "none", list: ours, stop: "no agents except ours", none: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			self, _ := paths{"GET /a2a/agents": "[" + c.list + "]"}.start(t)
			before := len(asked())
			talk, err := Run(t.Context(), operator.Target{URL: self, Dialect: "directory-0.1", Endpoint: operator.Endpoint{Agent: c.agent}, Credentials: operator.Credentials{Bearer: "tok-12345678"},
				Behaviour: operator.Behaviour{Stimuli: map[string]operator.Stimulus{"quick": {Text: `echo {"say":"hello"}`}}}}, func(*schema.Dialect) ([]string, error) { return []string{"task"}, nil })
			if err != nil {
				t.Fatal(err)
			}
			play, calls := talk.Transcript.Play("task"), asked()[before:]
			if play.Has(record.NoAgent) != c.none || !strings.Contains(play.Stop, c.stop) || c.stop == "" && play.Stop != "" {
				t.Errorf("the play stopped: %q", play.Stop)
			}
			if (len(calls) > 0) != (c.goes != "") {
				t.Fatalf("%d calls", len(calls))
			}
			for _, r := range calls {
				if r.Header.Get("Authorization") != "" {
					t.Errorf("%s was shown a credential", r.URL)
				}
			}
			if c.goes != "" && (calls[len(calls)-1].URL.Path != c.goes || calls[len(calls)-1].Method != http.MethodPost) {
				t.Errorf("the last call went to %s", calls[len(calls)-1].URL)
			}
		})
	}
}

// TestNeverQuick: only where messages name actions can an agent do without a
// harmless message.
func TestNeverQuick(t *testing.T) {
	self, _ := paths{card01: good01}.start(t)
	if _, err := Run(t.Context(), operator.Target{URL: self, Behaviour: operator.Behaviour{Never: []string{"quick"}}}, nothing); err == nil || !strings.Contains(err.Error(), "quick") {
		t.Errorf("got %v", err)
	}
	if _, err := Run(t.Context(), operator.Target{URL: self, Dialect: "directory-0.1", Behaviour: operator.Behaviour{Never: []string{"quick"}}}, nothing); err != nil {
		t.Error(err)
	}
}

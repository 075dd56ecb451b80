package traffic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// listNamedSteps returns the steps of a play that are found in calls.
func listNamedSteps(t *testing.T, d *schema.Dialect, play string, calls ...call) (names []string) {
	t.Helper()
	r := Recording{Source: "test", Dialects: []*schema.Dialect{d}}
	for i, c := range calls {
		r.Passed = append(r.Passed, Passed{Out: newExchange(c, i, record.Out)})
	}
	h, err := Recognise(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range ListViews(d, h.Server).Named {
		for p, s := range v.Steps() {
			if p.Scenario == play && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// What a directory shows counts only while it is known that the agents are registered as before.
func TestDirectoryIsKnownToKeep(t *testing.T) {
	const base = "http://directory.example"
	register := func(id string, capability string) call {
		return call{url: base + "/a2a/register", request: fmt.Sprintf(`{"jsonrpc":"2.0","id":"r","method":"a2a/register","params":{"agentId":%q,"name":%q,"capabilities":[%q],"endpoint":"http://agent.example/%s"}}`, id, id, capability, id),
			response: fmt.Sprintf(`{"jsonrpc":"2.0","id":"r","result":{"agentId":%q,"status":"registered"}}`, id)}
	}
	find := func(capability, shown string) call {
		return call{url: base + "/a2a/discover", request: fmt.Sprintf(`{"jsonrpc":"2.0","id":"d","method":"a2a/discover","params":{"capabilities":[%q]}}`, capability), response: `{"jsonrpc":"2.0","id":"d","result":{"agents":[` + shown + `]}}`}
	}
	list := func(shown string) call {
		return call{url: base + "/a2a/agents", response: `{"agents":[` + shown + `]}`}
	}
	entry := func(id, capability string) string {
		return fmt.Sprintf(`{"agentId":%q,"name":%q,"capabilities":[%q],"endpoint":"http://agent.example/%s"}`, id, id, capability, id)
	}
	a, b := register("a", "x"), register("b", "y")
	pause := make([]call, 12)
	for i := range pause {
		pause[i] = call{url: fmt.Sprint(base, "/page/", i)}
	}
	for name, c := range map[string]struct {
		calls []call
		found bool
	}{
		"it is shown":                      {[]call{a, b, find("x", entry("a", "x"))}, true},
		"it is not shown, and listed then": {[]call{a, b, find("x", ""), list(entry("a", "x"))}, true},
		"nothing shows it":                 {[]call{a, b, find("x", "")}, false},
		"it left in the meantime":          {[]call{a, b, find("x", ""), list(entry("b", "y"))}, false},
		"somebody gave it another":         {[]call{a, b, find("x", ""), list(entry("a", "z"))}, false},
		"it registered anew":               {[]call{a, b, register("a", "z"), find("x", ""), list(entry("a", "z"))}, false},
		"much later":                       {slices.Concat([]call{a, b}, pause, []call{find("x", ""), list(entry("a", "x"))}), false},
	} {
		if got := slices.Contains(listNamedSteps(t, load(t, "directory-0.1"), "directory", c.calls...), "find-1"); got != c.found {
			t.Errorf("%s: the search counts: %v, want %v", name, got, c.found)
		}
	}
}

// A document about an agent counts if the server has just listed that agent.
func TestListedAgents(t *testing.T) {
	const base = "http://agent.example/a2a/agents"
	list := call{url: base, response: `{"agents":["one","two"]}`}
	card := func(name string) call {
		return call{url: base + "/" + name + "/card", status: 404, response: `{"error":"no"}`}
	}
	pause := make([]call, 12)
	for i := range pause {
		pause[i] = call{url: fmt.Sprint("http://agent.example/page/", i)}
	}
	for name, c := range map[string]struct {
		calls []call
		found bool
	}{
		"it is listed":     {[]call{list, card("one")}, true},
		"it is not listed": {[]call{list, card("three")}, false},
		"no list was seen": {[]call{card("one")}, false},
		"much later":       {slices.Concat([]call{list}, pause, []call{card("one")}), false},
		"a gateway's page": {[]call{list, {url: base + "/one/card", status: 404, response: "<html>"}}, false},
	} {
		if got := slices.Contains(listNamedSteps(t, load(t, "jaf-0.3"), "agents", c.calls...), "card-1"); got != c.found {
			t.Errorf("%s: the card counts: %v, want %v", name, got, c.found)
		}
	}
}

package reference

import (
	"context"
	"net/http"
	"strings"
)

// directory01 is the A2A MVP 0.1.0: a directory in which agents register, and
// the agents themselves, one of which lives beside the bundled directory. The
// variant full takes calls at the path that the method names, minimal at the
// bare endpoint; where the source leaves a choice, they differ.
var directory01 = dialect{
	name: "directory-0.1",
	variants: []variant{
		{name: "full", rich: true},
		{name: "lavish", rich: true, lavish: true},
		{name: "minimal"},
		{name: "empty", rich: true, vacant: true},
	},
	mutants: directory01Mutants(),
	handler: newDirectory01,
}

// The codes of the section "Error Codes" that are not those of JSON-RPC.
const (
	directory01TaskFailed  = -32001
	directory01TaskTimeout = -32002
)

// directory01Server carries out the methods of the section "Methods".
type directory01Server struct {
	*Server
	registry *registry
}

func newDirectory01(s *Server) http.Handler {
	d := directory01Server{s, newRegistry(s.mutant.registry)}
	if !s.variant.vacant {
		d.registry.put(registration{"echo-agent", "Echo Agent", []string{"echo", "test"}, s.url + "/agent"})
	}
	directory := &service{server: s, explain: d.explain, methods: map[string]method{
		"a2a/register": {reply: d.register},
		"a2a/discover": {reply: d.discover},
	}}
	agent := &service{server: s, explain: d.explain, methods: map[string]method{"a2a/task": {reply: d.task}}}
	mux := http.NewServeMux()
	if s.variant.rich {
		mux.Handle("/a2a/register", directory)
		mux.Handle("/a2a/discover", directory)
		mux.Handle("/agent/a2a/task", agent)
	} else {
		mux.Handle("/{$}", directory)
		mux.Handle("/agent", agent)
	}
	mux.HandleFunc("GET /a2a/agents", s.document("agents", d.list))
	mux.HandleFunc("GET /a2a/agents/{id}", s.document("agent", d.entry))
	return mux
}

// explain fills the free member data of an error.
func (d directory01Server) explain(c *call, e *rpcError) {
	if d.variant.rich && e.Data == nil {
		e.Data = map[string]any{"method": c.method}
	}
}

// register is a2a/register. Whether an id may be registered again is not said:
// the rich directory replaces the entry, the other refuses.
func (d directory01Server) register(_ context.Context, c *call) (any, *rpcError) {
	var r reader
	p := r.params(c)
	e := registration{p.required("agentId"), p.required("name"), p.strings("capabilities"), p.required("endpoint")}
	if r.err == nil && !strings.HasPrefix(e.Endpoint, "http://") && !strings.HasPrefix(e.Endpoint, "https://") {
		r.fault("%s must be an http or https URL.", p.path("endpoint"))
	}
	if r.err == nil && !d.variant.rich && d.registry.has(e.AgentID) {
		r.fault("%s is taken.", p.path("agentId"))
	}
	if r.err != nil {
		return nil, r.err
	}
	d.registry.put(e)
	return map[string]any{"status": "registered", "agentId": e.AgentID}, nil
}

// discover is a2a/discover. Without any capability the rich directory finds
// everybody, the other refuses.
func (d directory01Server) discover(_ context.Context, c *call) (any, *rpcError) {
	var r reader
	if d.variant.rich && (c.params == nil || at(c.params, "capabilities") == nil) {
		return map[string]any{"agents": d.registry.find(nil)}, nil
	}
	wanted := r.params(c).strings("capabilities")
	if r.err != nil {
		return nil, r.err
	}
	return map[string]any{"agents": d.registry.find(func(e entry) bool { return e.offers(wanted) })}, nil
}

// list is GET /a2a/agents: below a member, or keyed by id.
func (d directory01Server) list(*http.Request) (int, any) {
	all := d.registry.find(nil)
	switch {
	case d.variant.lavish:
		return http.StatusOK, all
	case d.variant.rich:
		return http.StatusOK, map[string]any{"agents": all}
	}
	keyed := map[string]any{}
	for _, e := range all {
		keyed[e.AgentID] = e
	}
	return http.StatusOK, keyed
}

// entry is GET /a2a/agents/:id.
func (d directory01Server) entry(r *http.Request) (int, any) {
	found := d.registry.find(func(e entry) bool { return e.AgentID == r.PathValue("id") })
	switch {
	case len(found) == 0:
		return http.StatusNotFound, map[string]any{"error": "no such agent"}
	case d.variant.rich:
		return http.StatusOK, found[0]
	}
	return http.StatusOK, map[string]any{"agent": found[0]}
}

// task is a2a/task of the agent beside the directory. The source has several
// forms for a task that fails or takes too long.
func (d directory01Server) task(ctx context.Context, c *call) (any, *rpcError) {
	var r reader
	p := r.params(c)
	id, action := p.required("taskId"), p.required("action")
	if r.err != nil {
		return nil, r.err
	}
	ended := func(status string, output any) (any, *rpcError) {
		result := map[string]any{"taskId": id, "status": status}
		if output != nil {
			result["output"] = output
		}
		return result, nil
	}
	pause(ctx, d.latency)
	switch action {
	case "echo":
		return ended("completed", map[string]any{"echo": p.m["input"]})
	case "cancelled":
		return ended("cancelled", nil)
	case "fail":
		if !d.variant.rich {
			return ended("failed", nil)
		}
		return nil, &rpcError{Code: directory01TaskFailed, Message: "Task failed", Data: map[string]any{"reason": "the agent was asked to fail"}}
	case "timeout":
		switch {
		case d.variant.lavish:
			return nil, &rpcError{Code: directory01TaskFailed, Message: "Task failed", Data: map[string]any{"reason": "timeout"}}
		case d.variant.rich:
			return nil, &rpcError{Code: directory01TaskTimeout, Message: "Task timeout"}
		}
		return ended("timeout", nil)
	}
	if !d.variant.rich {
		return ended("failed", nil)
	}
	return nil, &rpcError{Code: codeInvalidParams, Message: "The agent has no such action."}
}

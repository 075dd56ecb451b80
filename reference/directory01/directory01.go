package directory01

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Dialect is the A2A MVP 0.1.0: a directory in which agents register, and
// the agents themselves, one of which lives beside the bundled directory. The
// variant full takes calls at the path that the method names, minimal at the
// bare endpoint; if the source leaves a choice, they differ.
var Dialect = front.Dialect{
	Name: "directory-0.1",
	Variants: []front.Variant{
		{Name: "full", Rich: true},
		{Name: "lavish", Rich: true, Lavish: true},
		{Name: "minimal"},
		{Name: "empty", Rich: true, Vacant: true},
	},
	Mutants: sync.OnceValue(allMutants),
	Handler: newDirectory01,
}

// The codes of the section "Error Codes" that are not those of JSON-RPC.
const (
	taskFailed  = -32001
	taskTimeout = -32002
)

// Server carries out the methods of the section "Methods".
type Server struct {
	*front.Server
	registry *front.Registry
}

func newDirectory01(s *front.Server) http.Handler {
	d := Server{s, front.NewRegistry(s.Mutant.Registry)}
	if !s.Variant.Vacant {
		d.registry.Put(front.Registration{AgentID: "echo-agent", Name: "Echo Agent", Capabilities: []string{"echo", "test"}, Endpoint: s.Url + "/agent"})
	}
	directory := &front.Service{Server: s, Explain: d.explain, Methods: map[string]front.Method{
		"a2a/register": {Reply: d.register},
		"a2a/discover": {Reply: d.discover},
	}}
	agent := &front.Service{Server: s, Explain: d.explain, Methods: map[string]front.Method{"a2a/task": {Reply: d.task}}}
	mux := http.NewServeMux()
	if s.Variant.Rich {
		mux.Handle("/a2a/register", directory)
		mux.Handle("/a2a/discover", directory)
		mux.Handle("/agent/a2a/task", agent)
	} else {
		mux.Handle("/{$}", directory)
		mux.Handle("/agent", agent)
	}
	mux.HandleFunc("GET /a2a/agents", s.Document("agents", d.list))
	mux.HandleFunc("GET /a2a/agents/{id}", s.Document("agent", d.entry))
	return mux
}

// explain fills the free member data of an error.
func (d Server) explain(c *front.Call, e *front.RPCError) {
	if d.Variant.Rich && e.Data == nil {
		e.Data = map[string]any{"method": c.Method}
	}
}

// register is a2a/register. Whether an id may be registered again is not said:
// the rich directory replaces the entry, the other refuses.
func (d Server) register(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	p := r.Params(c)
	e := front.Registration{AgentID: p.Required("agentId"), Name: p.Required("name"), Capabilities: p.Strings("capabilities"), Endpoint: p.Required("endpoint")}
	if r.Err == nil && !strings.HasPrefix(e.Endpoint, "http://") && !strings.HasPrefix(e.Endpoint, "https://") {
		r.Fault("%s must be an http or https URL.", p.Path("endpoint"))
	}
	if r.Err == nil && !d.Variant.Rich && d.registry.Has(e.AgentID) {
		r.Fault("%s is taken.", p.Path("agentId"))
	}
	if r.Err != nil {
		return nil, r.Err
	}
	d.registry.Put(e)
	return map[string]any{"status": "registered", "agentId": e.AgentID}, nil
}

// discover is a2a/discover. Without any capability the rich directory finds
// everybody, the other refuses.
func (d Server) discover(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	if d.Variant.Rich && (c.Params == nil || front.At(c.Params, "capabilities") == nil) {
		return map[string]any{"agents": d.registry.Find(nil)}, nil
	}
	wanted := r.Params(c).Strings("capabilities")
	if r.Err != nil {
		return nil, r.Err
	}
	return map[string]any{"agents": d.registry.Find(func(e front.Entry) bool { return e.Offers(wanted) })}, nil
}

// list is GET /a2a/agents: below a member, or keyed by id.
func (d Server) list(*http.Request) (int, any) {
	all := d.registry.Find(nil)
	switch {
	case d.Variant.Lavish:
		return http.StatusOK, all
	case d.Variant.Rich:
		return http.StatusOK, map[string]any{"agents": all}
	}
	keyed := map[string]any{}
	for _, e := range all {
		keyed[e.AgentID] = e
	}
	return http.StatusOK, keyed
}

// entry is GET /a2a/agents/:id.
func (d Server) entry(r *http.Request) (int, any) {
	found := d.registry.Find(func(e front.Entry) bool { return e.AgentID == r.PathValue("id") })
	switch {
	case len(found) == 0:
		return http.StatusNotFound, map[string]any{"error": "no such agent"}
	case d.Variant.Rich:
		return http.StatusOK, found[0]
	}
	return http.StatusOK, map[string]any{"agent": found[0]}
}

// task is a2a/task of the agent beside the directory. The source has several
// forms for a task that fails or takes too long.
func (d Server) task(ctx context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	p := r.Params(c)
	id, action := p.Required("taskId"), p.Required("action")
	if r.Err != nil {
		return nil, r.Err
	}
	ended := func(status string, output any) (any, *front.RPCError) {
		result := map[string]any{"taskId": id, "status": status}
		if output != nil {
			result["output"] = output
		}
		return result, nil
	}
	front.Pause(ctx, d.Latency)
	switch action {
	case "echo":
		return ended("completed", map[string]any{"echo": p.M["input"]})
	case "cancelled":
		return ended("cancelled", nil)
	case "fail":
		if !d.Variant.Rich {
			return ended("failed", nil)
		}
		return nil, &front.RPCError{Code: taskFailed, Message: "Task failed", Data: map[string]any{"reason": "the agent was asked to fail"}}
	case "timeout":
		switch {
		case d.Variant.Lavish:
			return nil, &front.RPCError{Code: taskFailed, Message: "Task failed", Data: map[string]any{"reason": "timeout"}}
		case d.Variant.Rich:
			return nil, &front.RPCError{Code: taskTimeout, Message: "Task timeout"}
		}
		return ended("timeout", nil)
	}
	if !d.Variant.Rich {
		return ended("failed", nil)
	}
	return nil, &front.RPCError{Code: front.CodeInvalidParams, Message: "The agent has no such action."}
}

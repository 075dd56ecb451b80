package serve

import (
	"path"
	"time"
)

// directoryScripts are the scenarios of a directory of agents. A client looks an agent up there, and sends its task to it.
var directoryScripts = append([]Script{
	{Name: "directory", Twin: "hello", Dialects: []string{directory01}, Doc: "If the client wants several capabilities, the directory finds two agents: the first one has the last of these alone, the second one has all.",
		set: func(s *stage) {
			s.addMarker("artifact")
			setDirectory(s, func(s *stage, wanted []any) []any {
				agents := listFittingAgent(s, wanted)
				if len(wanted) > 1 {
					agents = append([]any{s.writeEntry(otherAgent, wanted[len(wanted)-1:])}, agents...)
				}
				return agents
			})
		}},
	{Name: "directory-empty", Twin: "hello", Dialects: []string{directory01}, Doc: "The directory finds no agent.",
		set: func(s *stage) {
			s.addMarker("artifact")
			setDirectory(s, func(*stage, []any) []any { return []any{} })
		}},
	scriptTaskEnding(failed), scriptTaskEnding(canceled), scriptTaskEnding(timedOut),
}, listDirectoryErrors()...)

// scriptTaskEnding makes a scenario in which a task comes to an end that is no success.
func scriptTaskEnding(end state) Script {
	name := formDirectory{}.stateName(end)
	return Script{Name: "directory-ends-" + name, Twin: "hello", Dialects: []string{directory01}, Doc: "A task is answered with the status " + name + ".",
		set: func(s *stage) { s.on[sendingMessages] = func(c *call) { c.sendTask(c.newTask(end)) } }}
}

// listDirectoryErrors makes the scenarios in which a task is refused by each error of the protocol. The error of a task that failed
// has the reason, and the others have none.
func listDirectoryErrors() (out []Script) {
	for _, name := range []string{"TaskFailed", "TaskTimeout", "ParseError", "InvalidRequest", "MethodNotFound", "InvalidParams", "InternalError"} {
		doc, reason := "A task is refused by the error "+name+".", name == "TaskFailed"
		if reason {
			doc = "A task is refused by the error " + name + ", whose data have the reason."
		}
		out = append(out, Script{Name: "directory-error-" + separateWords(name), Twin: "hello", Dialects: []string{directory01}, Doc: doc,
			set: func(s *stage) {
				if reason {
					s.addMarker("reason")
				}
				refuseMessages(func(c *call) {
					if reason {
						c.sendFault(fault{c.findErrorSign(name).Code, c.formatRefusal(), object{"reason": "It is " + c.findMarkerWord("reason") + "."}})
						return
					}
					c.sendError(name, c.formatRefusal())
				})(s)
			}})
	}
	return out
}

// The agents of the directory.
const (
	fittingAgent = "agents/answerer" // it has all that is wanted; its id has a slash, which belongs encoded into a path
	otherAgent   = "helper"
)

// usualCapabilities are those of agents if the client does not name what it wants.
var usualCapabilities = []any{"answer"}

// registrationTime is how long the directory takes for a registration, so that what a client does meanwhile shows.
const registrationTime = 300 * time.Millisecond

// setDirectory has the directory of the play find agents by a function of the capabilities that are wanted, and answer all else.
func setDirectory(s *stage, find func(s *stage, wanted []any) []any) {
	s.faces = nil
	serveAt := func(origin int, paths ...string) {
		for _, p := range paths {
			s.faces = append(s.faces, face{binding: jsonRPC, form: s.form, origin: origin, path: p})
		}
	}
	serveAt(0, "", "/a2a/register", "/a2a/discover", "/a2a/task")
	for _, id := range []string{fittingAgent, otherAgent} {
		serveAt(1, endpointPath(id), endpointPath(id)+"/a2a/task")
	}
	s.on["discover"] = func(c *call) {
		wanted, _ := c.sent.Params.At("/capabilities").Interface().([]any)
		c.sendResult(object{"agents": find(c.stage, wanted)})
	}
	s.on["register"] = func(c *call) {
		if c.waitFor(registrationTime) {
			c.sendResult(object{"status": "registered", "agentId": readParam(c.sent, "/agentId")})
		}
	}
	s.places = map[string]place{s.bases[0] + "/a2a/agents": {agentsRole, func(a *answerWriter, _ *request) {
		answerDocument(a, object{"agents": find(s, usualCapabilities)})
	}}}
	for _, id := range []string{fittingAgent, otherAgent} {
		s.places[s.bases[0]+"/a2a/agents/"+id] = place{agentsRole, func(a *answerWriter, _ *request) { answerDocument(a, s.writeEntry(id, usualCapabilities)) }}
	}
}

// agentsRole is the name of requests for the list of agents, and for one of it.
const agentsRole = "agents"

// endpointPath returns the path at which an agent takes tasks.
func endpointPath(id string) string { return "/endpoints/" + path.Base(id) }

// writeEntry writes an agent as the directory shows it.
func (s *stage) writeEntry(id string, capabilities []any) object {
	return object{"agentId": id, "name": "Scripted Agent", "capabilities": capabilities, "endpoint": s.bases[1] + endpointPath(id), "registeredAt": formatNow()}
}

// listFittingAgent returns the agent that has all that is wanted.
func listFittingAgent(s *stage, wanted []any) []any {
	if len(wanted) == 0 {
		wanted = usualCapabilities
	}
	return []any{s.writeEntry(fittingAgent, wanted)}
}

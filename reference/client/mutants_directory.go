package client

import "net/http"

// directoryMutants spoil what clients of a directory send.
var directoryMutants = []mutant{
	{name: "endpoint-missing", dialect: "directory-0.1", variant: "rich", summary: "registers without an endpoint",
		request: editCalls(func(c *call) { delete(c.getParams(), "endpoint") }, register)},
	{name: "capabilities-as-text", dialect: "directory-0.1", variant: "rich", summary: "registers its capabilities as one text with commas",
		request: editCalls(func(c *call) { c.getParams()["capabilities"] = "ask,answer" }, register)},
	{name: "endpoint-without-scheme", dialect: "directory-0.1", variant: "rich", summary: "registers host and port, without a scheme",
		request: editCalls(func(c *call) { c.getParams()["endpoint"] = "127.0.0.1:1" }, register)},
	{name: "agent-id-shared", dialect: "directory-0.1", variant: "rich", summary: "registers different agents under the id agent",
		request: editCalls(func(c *call) { c.getParams()["agentId"], c.getParams()["name"] = "agent", newID() }, register)},
	{name: "method-without-prefix", dialect: "directory-0.1", variant: "rich", summary: "calls register without a2a/",
		request: editCalls(func(c *call) { c.envelope["method"] = "register" }, register)},
	{name: "capability-word", dialect: "directory-0.1", summary: "looks for one capability, by a word",
		request: editCalls(func(c *call) {
			delete(c.getParams(), "capabilities")
			c.getParams()["capability"] = wantedCapabilities[0]
		}, discover)},
	{name: "discovers-by-get", dialect: "directory-0.1", summary: "looks for agents by HTTP GET, with a body",
		request: editCalls(func(c *call) { c.httpMethod = http.MethodGet }, discover)},
	{name: "sender-missing", dialect: "directory-0.1", summary: "sends tasks without a sender",
		request: editCalls(func(c *call) { delete(c.getParams(), "sender") }, send)},
	{name: "task-id-same", dialect: "directory-0.1", summary: "gives each task the id task-1",
		request: editCalls(func(c *call) { c.getParams()["taskId"] = "task-1" }, send)},
	{name: "credentials-to-directory", dialect: "directory-0.1", summary: "shows a credential in each call",
		request: func(c *call) { c.header.Set("Authorization", "Bearer of-its-own") }},
}

// directoryChoiceMutants choose the wrong agent, or none.
var directoryChoiceMutants = []mutant{
	{name: "any-agent-called", dialect: "directory-0.1", summary: "calls the first agent, whatever it has",
		habit: func(h *habits) { h.anyAgent = true }},
	{name: "first-of-none-called", dialect: "directory-0.1", summary: "sends its task although no agent was found",
		habit: func(h *habits) { h.emptyListCalled = true }},
	{name: "tasks-to-directory", dialect: "directory-0.1", summary: "sends its tasks to the directory",
		habit: func(h *habits) { h.directoryCalled = true }},
	{name: "agents-by-post", dialect: "directory-0.1", variant: "rich", summary: "asks for the list of agents by POST",
		habit: func(h *habits) { h.agentsByPost = true }},
}

// directoryResponseMutants misread how a task ended.
var directoryResponseMutants = []mutant{
	{name: "timeout-as-success", dialect: "directory-0.1", summary: "takes a task that took too long for one that is completed",
		habit: refuseResults(func(_ *session, result object) error {
			if result["status"] == string(timedOut) {
				result["status"] = string(completed)
			}
			return nil
		})},
	{name: "reason-lost", dialect: "directory-0.1", summary: "does not show the reason of an error",
		habit: rewriteErrors(func(_ *call, e *rpcError, _ any) error {
			e.reason = ""
			return e
		})},
}

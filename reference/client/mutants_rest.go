package client

import "strings"

// restMutants spoil calls in HTTP+JSON.
var restMutants = []mutant{
	{name: "rest-path-of-other-version", variant: "rest", summary: "looks at tasks by the path of the other version, with or without /v1",
		request: editREST(func(_ *call, r *restRequest) {
			if path, is := strings.CutPrefix(r.path, "/v1"); is {
				r.path = path
			} else {
				r.path = "/v1" + r.path
			}
		}, get)},
	{name: "rest-body-labelled-json", dialect: "a2a-1.0", variant: "rest", summary: "labels bodies of HTTP+JSON application/json",
		request: func(c *call) { c.header.Set("Content-Type", "application/json") }},
	{name: "rest-body-labelled-text", dialect: "a2a-0.3", variant: "rest", summary: "labels bodies of HTTP+JSON text/plain",
		request: func(c *call) { c.header.Set("Content-Type", "text/plain") }},
	{name: "rest-get-with-body", variant: "rest", summary: "sends the parameters of a look at a task in the body, too",
		request: editREST(func(c *call, r *restRequest) { r.body = object{"historyLength": c.getParams()["historyLength"]} }, get)},
	{name: "query-in-snake-case", dialect: "a2a-1.0", variant: "rest", summary: "writes the parameters of a query in snake_case",
		request: editREST(renameQuery("historyLength", "history_length"), get)},
	{name: "query-of-own-name", dialect: "a2a-0.3", variant: "rest", summary: "asks for the history by a parameter of its own, length",
		request: editREST(renameQuery("historyLength", "length"), get)},
	{name: "query-value-word", variant: "rest", summary: "asks for the history by the word few",
		request: editREST(func(_ *call, r *restRequest) { r.query.Set("historyLength", "few") }, get)},
	{name: "message-in-query", dialect: "a2a-1.0", variant: "rest", summary: "writes the role of a message into the query, too",
		request: editREST(func(c *call, r *restRequest) { r.query.Set("message.role", c.session.dialect.role) }, send, stream)},
	{name: "rest-body-of-other-task", variant: "rest", summary: "names another task in the body than in the path when it subscribes",
		request: editREST(func(_ *call, r *restRequest) { r.body["id"] = newID() }, subscribe)},
	{name: "extensions-in-query", variant: "rest", summary: "activates extensions by the query, not by the header",
		request: func(c *call) {
			name := c.session.dialect.extensionHeader
			if v := c.header.Get(name); v != "" {
				c.header.Del(name)
				c.editREST = func(r *restRequest) { r.query.Set(name, v) }
			}
		}},
	{name: "path-not-encoded", variant: "thorough-rest", summary: "writes a slash in the id of a task into the path as it is",
		request: editREST(func(_ *call, r *restRequest) { r.path = strings.ReplaceAll(r.path, "%2F", "/") }, get, subscribe, setWebhook)},
	{name: "forms-mixed", dialect: "a2a-0.3", variant: "rest", summary: "writes the role as a2a.proto does, and parts as the text does",
		request: editMessages(func(_ *call, m object) { m["role"] = a2a10.role })},
}

// editREST edits calls of some operations in HTTP+JSON.
func editREST(edit func(c *call, r *restRequest), ops ...operation) func(*call) {
	return editCalls(func(c *call) { c.editREST = func(r *restRequest) { edit(c, r) } }, ops...)
}

// renameQuery gives a parameter of a query another name.
func renameQuery(from, to string) func(*call, *restRequest) {
	return func(_ *call, r *restRequest) {
		if v := r.query.Get(from); v != "" {
			r.query.Set(to, v)
			r.query.Del(from)
		}
	}
}

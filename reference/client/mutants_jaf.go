package client

import "net/http"

// jafMutants spoil what only clients of JAF send.
var jafMutants = []mutant{
	{name: "context-missing", dialect: "jaf-0.3", summary: "sends messages without a context",
		request: editMessages(func(_ *call, m object) { delete(m, "contextId") })},
	{name: "context-for-each", dialect: "jaf-0.3", summary: "makes a context for each message",
		request: editTurn(2, func(_ *call, m object) { m["contextId"] = newID() })},
	{name: "message-without-kind", dialect: "jaf-0.3", summary: "sends messages without a kind",
		request: editMessages(func(_ *call, m object) { delete(m, "kind") })},
	{name: "lookup-by-http-get", dialect: "jaf-0.3", variant: "reporting", summary: "looks at tasks by HTTP GET on demand",
		request: editCalls(func(c *call) { c.httpMethod = http.MethodGet }, get)},
}

// jafCredentialMutants show credentials as JAF does not ask for.
var jafCredentialMutants = []mutant{
	{name: "key-in-query", dialect: "jaf-0.3", summary: "shows an API key in the query",
		habit: editRequests(func(c *call, r *http.Request) {
			for _, shown := range c.session.chooseCredentials(c.op) {
				if shown.kind == keyScheme {
					r.Header.Del(shown.name)
					q := r.URL.Query()
					q.Set("api_key", shown.value)
					r.URL.RawQuery = q.Encode()
				}
			}
		})},
}

// jafResponseMutants misread what agents of JAF answer.
var jafResponseMutants = []mutant{
	{name: "completion-text-lost", dialect: "jaf-0.3", variant: "reporting", summary: "looks for the text of a completion where tasks have theirs",
		habit: refuseResults(func(_ *session, result object) error {
			if result["kind"] == "completion" {
				delete(result, "message")
			}
			return nil
		})},
	{name: "completion-appended", dialect: "jaf-0.3", variant: "reporting", summary: "adds the text of a completion to its pieces",
		habit: func(h *habits) { h.appendsOldPieces = true }},
	{name: "status-events-dropped", dialect: "jaf-0.3", variant: "reporting", summary: "drops the changes of a status",
		habit: refuseResults(func(_ *session, result object) error {
			if getObject(result, "status") != nil {
				clear(result)
			}
			return nil
		})},
}

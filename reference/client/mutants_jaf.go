package client

import (
	"net/http"
	"strings"
	"sync"
)

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
	{name: "timestamp-in-seconds", dialect: "jaf-0.3", variant: "rich", summary: "writes the time of a message in seconds since 1970",
		request: editMessages(func(_ *call, m object) { m["timestamp"] = 1700000000 })},
	{name: "version-field-short", dialect: "jaf-0.3", variant: "extra-headers", summary: "names the version as 1",
		request: func(c *call) { c.header.Set("X-A2A-Version", "1") }},
	{name: "text-too-long", dialect: "jaf-0.3", summary: "sends texts of 200 KB",
		request: editPart(0, func(p object) {
			p["text"] = strings.Repeat(getText(p, "text")+" ", 200<<10/len(getText(p, "text")+" ")+1)
		})},
}

// jafTaskMutants do too much at once.
var jafTaskMutants = []mutant{
	{name: "twenty-calls-at-once", dialect: "jaf-0.3", summary: "sends twenty messages at once, each in a context of its own",
		habit: actAfterwards(func(s *session) error { return s.sendAtOnce(20, newID) })},
	{name: "ten-tasks-at-once", dialect: "jaf-0.3", summary: "sends ten messages of one context at once",
		habit: actAfterwards(func(s *session) error {
			context := newID()
			return s.sendAtOnce(10, func() string { return context })
		})},
	{name: "limits-ignored", dialect: "jaf-0.3", summary: "makes calls although none is left",
		habit: func(h *habits) { h.limitsIgnored = true }},
}

// sendAtOnce sends several messages at the same time, each in the context that a function makes. What comes of them plays no role.
func (s *session) sendAtOnce(n int, context func() string) error {
	var all sync.WaitGroup
	for range n {
		c := s.newCall(send, writeParams(s.dialect, outgoingMessage{id: newID(), text: s.options.Text, context: context()}, nil))
		all.Go(func() {
			if r, err := s.sendCall(c); err == nil {
				_, _ = readBody(r.body, maxBody)
				r.body.Close()
			}
		})
	}
	all.Wait()
	return nil
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
	{name: "codes-of-a2a", dialect: "jaf-0.3", variant: "reporting", summary: "reports errors by the names that A2A has for their codes",
		habit: rewriteErrors(func(_ *call, e *rpcError, _ any) error {
			e.name = rpcErrors[e.code]
			return e
		})},
	{name: "status-events-dropped", dialect: "jaf-0.3", variant: "reporting", summary: "drops the changes of a status",
		habit: refuseResults(func(_ *session, result object) error {
			if getObject(result, "status") != nil {
				clear(result)
			}
			return nil
		})},
}

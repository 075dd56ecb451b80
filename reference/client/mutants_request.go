package client

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// requestMutants spoil the envelope and the headers of calls.
var requestMutants = []mutant{
	// The version and the tenant, which A2A 1.0 alone has.
	{name: "version-missing", dialect: "a2a-1.0", summary: "names no version of the protocol",
		request: func(c *call) { c.header.Del("A2A-Version") }},
	{name: "version-with-send-only", dialect: "a2a-1.0", variant: "polling", summary: "names the version with messages alone",
		request: editCalls(func(c *call) { c.header.Del("A2A-Version") }, get, list, cancel, subscribe)},
	{name: "version-misspelt", dialect: "a2a-1.0", summary: "names the version as v1",
		request: func(c *call) { c.header.Set("A2A-Version", "v1") }},
	{name: "version-with-patch", dialect: "a2a-1.0", summary: "names a patch number in the version",
		request: func(c *call) { c.header.Set("A2A-Version", "1.0.1") }},
	{name: "version-not-declared", dialect: "a2a-1.0", summary: "names a version that the card does not declare",
		request: func(c *call) { c.header.Set("A2A-Version", "1.7") }},
	{name: "old-methods", dialect: "a2a-1.0", summary: "calls the methods of 0.3 with the version 1.0",
		request: func(c *call) { c.envelope["method"] = a2a03.methods[c.op] }},
	{name: "tenant-dropped", dialect: "a2a-1.0", summary: "sends no tenant",
		request: func(c *call) { delete(c.getParams(), "tenant") }},
	{name: "tenant-with-send-only", dialect: "a2a-1.0", variant: "lists", summary: "sends the tenant with messages alone",
		request: editCalls(func(c *call) { delete(c.getParams(), "tenant") }, get, list, cancel, subscribe)},
	{name: "tenant-changed", dialect: "a2a-1.0", summary: "sends the tenant in small letters, and spaces as plus signs",
		request: func(c *call) {
			if t := getText(c.getParams(), "tenant"); t != "" {
				c.getParams()["tenant"] = strings.ReplaceAll(strings.ToLower(t), " ", "+")
			}
		}},

	// HTTP.
	{name: "get-by-http-get", summary: "looks at tasks by HTTP GET, with a body", variant: "polling",
		request: editCalls(func(c *call) { c.httpMethod = http.MethodGet }, get)},
	{name: "body-labelled-text", summary: "labels its calls text/plain",
		request: func(c *call) { c.header.Set("Content-Type", "text/plain") }},
	{name: "body-labelled-a2a", summary: "labels its calls application/a2a+json, as for HTTP+JSON",
		request: func(c *call) { c.header.Set("Content-Type", "application/a2a+json") }},
	{name: "accepts-html", variant: "streaming", summary: "accepts text/html alone",
		request: func(c *call) { c.header.Set("Accept", "text/html") }},
	{name: "stream-not-accepted", variant: "streaming", summary: "does not accept text/event-stream for streams",
		request: editCalls(func(c *call) { c.header.Set("Accept", "application/json") }, stream, subscribe)},
	{name: "trace-malformed", variant: "extra-headers", summary: "sends a traceparent of four digits",
		request: func(c *call) { c.header.Set("Traceparent", "1234") }},
	{name: "length-twice", summary: "sends the field Content-Length twice",
		request: func(c *call) { // net/http writes its own field, and one that is spelled otherwise
			c.header["content-length"] = []string{strconv.Itoa(len(c.encode(c.envelope)))}
		}},
	{name: "body-with-mark", summary: "begins its calls with a byte order mark",
		request: func(c *call) {
			c.encode = func(v any) []byte { return append(slices.Clone(byteOrderMark), encodeJSON(v)...) }
		}},
	{name: "body-in-latin-1", summary: "encodes its calls in Latin-1",
		request: func(c *call) { c.encode = encodeLatin1 }},
	{name: "body-followed", summary: "sends a second JSON value after the call",
		request: func(c *call) { c.encode = func(v any) []byte { return append(encodeJSON(v), "\n{}"...) } }},

	// JSON-RPC.
	{name: "jsonrpc-missing", summary: "leaves jsonrpc out",
		request: func(c *call) { delete(c.envelope, "jsonrpc") }},
	{name: "jsonrpc-blank", summary: "leaves jsonrpc blank",
		request: func(c *call) { c.envelope["jsonrpc"] = "" }},
	{name: "id-object", summary: "has an object as the id",
		request: func(c *call) { c.envelope["id"] = object{"n": 1} }},
	{name: "id-missing", summary: "leaves the id out, as of a notification",
		request: func(c *call) { delete(c.envelope, "id") }},
	{name: "id-null", summary: "has null as the id",
		request: func(c *call) { c.envelope["id"] = nil }},
	{name: "id-fraction", summary: "has a random number below 1 as the id",
		request: func(c *call) { c.envelope["id"] = float64(rand.IntN(1<<20)*2+1) / (1 << 21) }},
	{name: "id-reused", variant: "thorough", summary: "has the id 1 in every call",
		request: func(c *call) { c.envelope["id"] = 1 }},
	{name: "method-misspelt", summary: "writes methods in the other case of letters",
		request: func(c *call) { c.envelope["method"] = swapCase(c.session.dialect.methods[c.op]) }},
	{name: "params-list", summary: "puts the parameters into a list",
		request: func(c *call) {
			c.encode = rewriteEnvelope(func(e object) any {
				e["params"] = []any{e["params"]}
				return e
			})
		}},
	{name: "batch", variant: "polling", summary: "looks at a task by a batch of two calls",
		request: editCalls(func(c *call) {
			c.encode = rewriteEnvelope(func(e object) any {
				other := maps.Clone(e)
				other["id"] = newID()
				return []any{e, other}
			})
		}, get)},
	{name: "get-by-task-id", variant: "reporting", summary: "names the task as taskId when it looks at it",
		request: editCalls(func(c *call) {
			if id := c.getParams()["id"]; id != nil {
				c.getParams()["taskId"] = id
				delete(c.getParams(), "id")
			}
		}, get)},
	{name: "cancel-by-message-id", variant: "reporting", summary: "names the message in the place of the task that it cancels",
		request: editCalls(func(c *call) { c.getParams()["id"] = c.session.message }, cancel)},
	{name: "own-form", summary: "posts a form of its own, and no JSON-RPC",
		request: func(c *call) {
			c.encode = rewriteEnvelope(func(e object) any { return object{"action": e["method"], "input": e["params"]} })
		}},
}

// editCalls confines an edit to calls of some operations.
func editCalls(edit func(*call), ops ...operation) func(*call) {
	return func(c *call) {
		if slices.Contains(ops, c.op) {
			edit(c)
		}
	}
}

// rewriteEnvelope encodes what a function makes of a copy of the envelope.
func rewriteEnvelope(rewrite func(e object) any) func(any) []byte {
	return func(v any) []byte { return encodeJSON(rewrite(maps.Clone(v.(object)))) }
}

// encodeLatin1 writes JSON with one byte for each letter.
func encodeLatin1(v any) []byte {
	var b []byte
	for _, r := range string(encodeJSON(v)) {
		if r > 0xff {
			r = '?'
		}
		b = append(b, byte(r))
	}
	return b
}

// swapCase makes the first letters of the words in a method a small one, or a capital one.
func swapCase(method string) string {
	words := strings.Split(method, "/")
	for i, w := range words {
		if lower := strings.ToLower(w[:1]); lower != w[:1] {
			words[i] = lower + w[1:]
		} else {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "/")
}

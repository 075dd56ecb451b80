package endpoint

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Paths makes calls in which the path, the verb or the query is unusual. None reaches the
// agent.
var Paths = conversation.Scenario{Name: "paths", Play: func(c *conversation.Conversation) {
	o, made, ok := c.ReuseUnlessTaskChanged("task", record.Main, "quick")
	switch {
	case len(c.Dialect.Headers) == 0:
	case ok && conversation.TaskID(o, made) != "":
		getTaskWithVersionInQuery(c, conversation.TaskID(o, made))
	default:
		c.NotSent(conversation.Step{Name: "in-query", Op: "get"}, "", "no task is known to ask for")
	}
	switch {
	case !c.Dialect.Has("list"):
		requestTaskCollection(c)
	case ok && made.Ctx != "":
		request := c.Request("plain", "list", dialect.Outgoing{Context: made.Ctx})
		c.Post(conversation.Step{Name: "plain", Role: record.Twin, Op: "list", Ctx: made.Ctx}, request)
		call := c.MustEncode(conversation.Step{Op: "list"}, request)
		at, query, _ := strings.Cut(call.URL, "?")
		call.URL = at + "?" + percentEncodeEveryValueByte(query)
		c.Send(conversation.Step{Name: "escaped", Role: record.Probe, Op: "list", Ctx: made.Ctx, Twin: "plain"}, call)
	default:
		c.NotSent(conversation.Step{Name: "plain", Op: "list"}, "", "no context is known to ask for")
	}
	none := c.MustEncode(conversation.Step{Op: "get"}, binding.Request{Op: c.NewID()})
	c.Send(conversation.Step{Name: "no-such-path", Role: record.Probe, Op: "get", Invalid: true}, none)
	other := c.MustEncode(conversation.Step{Op: "send"}, binding.Request{Op: "send"})
	other.Method, other.Body = http.MethodDelete, nil
	other.Header.Del("Content-Type")
	c.Send(conversation.Step{Name: "wrong-verb", Role: record.Probe, Op: "send", Invalid: true}, other)
}}

// requestTaskCollection asks for what the path of a task is in, which some servers serve though the
// dialect has no operation for it.
func requestTaskCollection(c *conversation.Conversation) {
	id := c.NewID()
	call := c.MustEncode(conversation.Step{Op: "get"}, c.Request("collection", "get", dialect.Outgoing{Task: id}))
	call.URL = strings.TrimSuffix(call.URL, "/"+id)
	c.Send(conversation.Step{Name: "collection", Role: record.Probe, Op: "document"}, call)
}

// getTaskWithVersionInQuery names the version in the query, if calls name it in a header. A
// server that reads the header alone sees none.
func getTaskWithVersionInQuery(c *conversation.Conversation, task string) {
	s := conversation.Step{Name: "in-query", Role: record.Probe, Op: "get", Task: task, Contradicts: true, Header: http.Header{}}
	call := c.MustEncode(s, c.Request(s.Name, s.Op, dialect.Outgoing{Task: task}))
	query := url.Values{}
	for name, value := range c.Dialect.Headers {
		s.Header[http.CanonicalHeaderKey(name)] = nil
		query.Set(name, value)
	}
	call.URL += "?" + query.Encode()
	c.Send(s, call)
}

// percentEncodeEveryValueByte writes all bytes of the values of a query by their numbers, which changes
// nothing of its meaning (RFC 3986, section 2.3).
func percentEncodeEveryValueByte(query string) string {
	var b strings.Builder
	for i, pair := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if text, err := url.QueryUnescape(value); err == nil {
			value = text
		}
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(name + "=")
		for _, c := range []byte(value) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

package endpoint

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// OlderVersion sends the version before to the endpoints where the card states that it is
// supported. What comes back is in that version's form and is kept as a document, which
// is not judged as an answer of the dialect.
var OlderVersion = conversation.Scenario{Name: "older-version", Play: func(c *conversation.Conversation) {
	before, err := versionBefore(c.Dialect)
	if err != nil {
		c.Play.Stop = err.Error()
		return
	}
	older := slices.DeleteFunc(c.Card.Older(), func(url string) bool { return !c.Own(url) })
	if len(older) == 0 {
		c.Play.Stop = "the endpoints of the previous version are not on the target's own host"
		return
	}
	o := c.NewMessage("quick")
	o.Message = conversation.NewMessageID(c)
	task := before.readTaskID(callInVersion(c, before, "send", "send", older[0], o, nil))
	get := conversation.Step{Name: "get", Op: "document", Role: record.Probe}
	switch alone := c.Card.OlderVersionOnlyURL(); {
	case alone == "" || !c.Own(alone):
		c.NotSent(get, "", "every endpoint of the previous version is also one of the current version")
		return
	default:
		if task == "" {
			task = c.NewID()
		}
		callInVersion(c, before, "get", "get", alone, dialect.Outgoing{Task: task}, c.Dialect.Headers)
	}
}}

// protocolVersion is another version of the protocol, and how it is spoken.
type protocolVersion struct {
	*schema.Dialect
	writer *dialect.Writer
	by     binding.Binding
}

// readTaskID is the task that the answer to a message names.
func (v protocolVersion) readTaskID(r *conversation.Reply) string {
	result := v.by.Decode("send", r.Exchange).Result.Node
	sort, at := binding.Content(v.Dialect, "send", result)
	p, _ := v.Pointer(v.Row("send", sort), "task.id")
	if n := result.At(at + p); n != nil && n.Kind == record.String && len(n.String) <= record.MaxID {
		return n.String
	}
	return ""
}

// versionBefore is the version that a dialect takes the place of.
func versionBefore(d *schema.Dialect) (v protocolVersion, err error) {
	if len(d.Detect.Supersedes) == 0 {
		return v, fmt.Errorf("a2a-conform does not speak the previous version")
	}
	name := d.Detect.Supersedes[0]
	if v.Dialect, err = schema.Outline(name); err == nil { // as much as calls need
		v.writer, err = dialect.For(name)
	}
	v.by = binding.ByNameOrDefault(v.Dialect, "")
	return v, err
}

// callInVersion makes a call in another version, with those of today's headers that are given.
// It travels on a connection of its own, so that nothing is sent twice.
func callInVersion(c *conversation.Conversation, v protocolVersion, step, op, url string, o dialect.Outgoing, sentHeaders map[string]string) *conversation.Reply {
	call, err := v.by.Encode(url, binding.Request{Op: op, ID: conversation.NewCallID(c, step), Params: v.writer.Params[op](o)})
	if err != nil {
		panic("a2a-conform cannot write this request: " + err.Error())
	}
	call.Body = conversation.OrderBodyMembers(call.Body, v.by, v.writer.Hand(v.by.Kind(), c.Hand))
	s := conversation.Step{Name: step, Op: "document", Role: record.Probe, URL: url, Fresh: true, Header: http.Header{}}
	binding.SetHeaders(s.Header, sentHeaders)
	return c.Send(s, call)
}

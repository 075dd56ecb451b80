package endpoint

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Tenants makes a task for one tenant and looks for it as another. The address is the
// same for both, as far as the conversation goes: who has a tenant of his own at
// another address is asked there.
var Tenants = conversation.Scenario{Name: "tenants", Play: func(c *conversation.Conversation) {
	o, sent := c.ReuseOrSendQuickMessage("send", "quick")
	task := conversation.TaskID(o, sent)
	look := func(name, op, url, tenant string) {
		s := conversation.Step{Name: name, Op: op, Role: record.Probe, URL: url, Task: task, Twin: "here"}
		if name == "here" {
			s.Role, s.Twin = record.Twin, ""
		}
		if task == "" {
			c.NotSent(s, "send", "no task was made")
			return
		}
		var about dialect.Outgoing
		if op == "get" {
			about.Task = task
		}
		r := c.Request(name, op, about)
		r.Params.(map[string]any)["tenant"] = tenant
		c.Post(s, r)
	}
	look("here", "get", "", c.Tenant)
	look("wrong", "get", "", madeUpTenant)
	for _, i := range c.Card.Listed() {
		if t := i.Tenant(); t != "" && t != c.Tenant && i.Transport() == c.CallBinding().Name() && c.Own(i.URL()) {
			look("there", "get", i.URL(), t)
			if c.Dialect.Has("list") {
				look("list-there", "list", i.URL(), t)
			}
			return
		}
	}
}}

// madeUpTenant is a tenant that no one has.
const madeUpTenant = "no-such-tenant"

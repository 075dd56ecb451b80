package client

import (
	"maps"
	"net/http"
	"strings"
)

// messageMutants spoil what the client sends to the agent.
var messageMutants = []mutant{
	{name: "message-id-missing", summary: "leaves the id of a message to the server",
		request: onMessage(func(_ *call, m object) { delete(m, "messageId") })},
	{name: "message-id-empty", summary: "sends messages with an empty id",
		request: onMessage(func(_ *call, m object) { m["messageId"] = "" })},
	{name: "message-id-reused", summary: "gives each message the id 1",
		request: onMessage(func(_ *call, m object) { m["messageId"] = "1" })},
	{name: "role-agent", summary: "sends messages in the role of the agent",
		request: onMessage(func(c *call, m object) {
			m["role"] = strings.NewReplacer("user", "agent", "USER", "AGENT").Replace(c.session.dialect.role)
		})},
	{name: "role-of-old-version", dialect: "a2a-1.0", summary: "writes the role as 0.3 does",
		request: onMessage(func(_ *call, m object) { m["role"] = a2a03.role })},
	{name: "role-number", dialect: "a2a-1.0", summary: "writes the role as a number",
		request: onMessage(func(_ *call, m object) { m["role"] = 1 })},
	{name: "parts-empty", summary: "sends messages without parts",
		request: onMessage(func(_ *call, m object) { m["parts"] = []any{} })},
	{name: "parts-object", dialect: "a2a-0.3", summary: "sends one part as an object, not in a list",
		request: onMessage(func(_ *call, m object) { m["parts"] = listAt(m, "parts")[0] })},
	{name: "part-with-two-contents", dialect: "a2a-1.0", summary: "puts text and data into one part",
		request: onPart(0, func(p object) { p["data"] = object{"text": p["text"]} })},
	{name: "part-without-kind", dialect: "a2a-0.3", summary: "sends parts without a kind",
		request: onPart(0, func(p object) { delete(p, "kind") })},
	{name: "part-with-kind", dialect: "a2a-1.0", summary: "sends parts with a kind, as 0.3 does",
		request: onPart(0, func(p object) { p["kind"] = "text" })},
	{name: "message-as-text", summary: "sends a message as a text",
		request: onMessage(func(c *call, m object) {
			text := textAt(listAt(m, "parts")[0], "text")
			c.encode = withEnvelope(func(e object) any {
				params := maps.Clone(objectAt(e, "params"))
				params["message"] = text
				e["params"] = params
				return e
			})
		})},
	{name: "members-in-snake-case", dialect: "a2a-1.0", summary: "writes members in snake_case",
		request: onMessage(func(_ *call, m object) {
			for was, is := range map[string]string{"messageId": "message_id", "contextId": "context_id", "taskId": "task_id"} {
				if v, ok := m[was]; ok {
					m[is] = v
					delete(m, was)
				}
			}
		})},

	// Tasks and contexts.
	{name: "task-invented", summary: "makes up the id of a new task",
		request: onTurn(1, func(_ *call, m object) { m["taskId"] = newID() })},
	{name: "context-invented", summary: "makes up a context for the first message",
		request: onTurn(1, func(_ *call, m object) { m["contextId"] = newID() })},
	{name: "context-of-application", summary: "sends a context of its own with a message to a task",
		request: onTurn(2, func(_ *call, m object) {
			if m["taskId"] != nil {
				m["contextId"] = newID()
			}
		})},
	{name: "context-lost", summary: "sends the second message without the context",
		request: onTurn(2, func(_ *call, m object) { delete(m, "contextId") })},
	{name: "answer-starts-task", summary: "answers a question of a task by a new task",
		request: onTurn(2, func(_ *call, m object) { delete(m, "taskId") })},
	{name: "ids-in-small-letters", summary: "sends ids of the agent in small letters",
		request: onIDs(strings.ToLower)},
	{name: "ids-cut", summary: "cuts ids of the agent after 100 letters",
		request: onIDs(func(id string) string { return id[:min(len(id), 100)] })},
	{name: "task-that-ended", summary: "sends the second message to a task that has ended",
		request: onTurn(2, func(c *call, m object) {
			if m["taskId"] == nil && c.session.task.id != "" {
				m["taskId"] = c.session.task.id
			}
		})},
}

// variantMutants spoil what only some variants send.
var variantMutants = []mutant{
	{name: "file-as-numbers", variant: "rich", summary: "sends the bytes of a file as a list of numbers",
		request: onFile(1, "bytes", "raw", []int{97, 116})},
	{name: "file-at-local-path", variant: "rich", summary: "sends a local path as the address of a file",
		request: onFile(2, "uri", "url", "notes/note.txt")},
	{name: "video", variant: "rich", summary: "sends a video, whatever the card accepts",
		request: onFile(1, "mimeType", "mediaType", "video/mp4")},
	{name: "output-mode-word", variant: "rich", summary: "asks for the output mode markdown, which is no media type",
		request: onParam("configuration", func(o object) { o["acceptedOutputModes"] = []string{"markdown"} })},
	{name: "references-to-messages", variant: "rich", summary: "lists ids of messages as referenceTaskIds",
		request: onMessage(func(_ *call, m object) { m["referenceTaskIds"] = []any{m["messageId"]} })},
	{name: "metadata-list", variant: "rich", summary: "sends metadata as a list",
		request: onMessage(func(_ *call, m object) { m["metadata"] = []any{} })},
	{name: "history-length-word", variant: "rich", summary: "asks for the history by the word all",
		request: onParam("configuration", func(o object) { o["historyLength"] = "all" })},

	{name: "page-size-large", dialect: "a2a-1.0", variant: "lists", summary: "asks for pages of a thousand tasks",
		request: onCalls(func(c *call) { c.params()["pageSize"] = 1000 }, list)},
	{name: "timestamp-local", dialect: "a2a-1.0", variant: "lists", summary: "writes a time with the offset of its zone",
		request: onCalls(func(c *call) {
			c.params()["statusTimestampAfter"] = strings.Replace(textAt(c.params(), "statusTimestampAfter"), "Z", "+00:00", 1)
		}, list)},
	{name: "list-filter-lost", dialect: "a2a-1.0", variant: "lists", summary: "forgets the context on the second page of a list",
		request: onCalls(func(c *call) {
			if c.params()["pageToken"] != nil {
				delete(c.params(), "contextId")
			}
		}, list)},
	{name: "list-state-number", dialect: "a2a-1.0", variant: "lists", summary: "filters a list by the number of a state",
		request: onCalls(func(c *call) { c.params()["status"] = 3 }, list)},
	{name: "page-token-changed", dialect: "a2a-1.0", variant: "lists", summary: "counts pages in place of their tokens",
		request: onCalls(func(c *call) {
			if c.params()["pageToken"] != nil {
				c.params()["pageToken"] = "2"
			}
		}, list)},

	{name: "webhook-without-url", variant: "webhook", summary: "registers a webhook without a URL",
		request: onWebhook(func(w object) { delete(w, "url") })},
	{name: "webhook-over-http", variant: "webhook", summary: "registers a webhook that is reached by plain HTTP",
		request: onWebhook(func(w object) { w["url"] = "http://hooks.example.com/a2a" })},
	{name: "webhook-without-scheme", variant: "webhook", summary: "registers a credential of a webhook without its scheme",
		request: onWebhook(func(w object) {
			delete(objectAt(w, "authentication"), "scheme")
			delete(objectAt(w, "authentication"), "schemes")
		})},
	{name: "webhook-token-shared", variant: "webhook", summary: "registers one token for all tasks",
		request: onWebhook(func(w object) {
			w["token"] = "one-for-all"
			objectAt(w, "authentication")["credentials"] = "one-for-all"
		})},
	{name: "webhook-names-task", dialect: "a2a-1.0", variant: "webhook", summary: "makes up a task id for the webhook of a message",
		request: onWebhook(func(w object) { w["taskId"] = newID() })},

	{name: "extension-header-each", summary: "sends a header field for each extension",
		request: func(c *call) {
			if list := c.session.card.extensions; len(list) > 0 {
				c.header[http.CanonicalHeaderKey(c.session.dialect.extensionHeader)] = list
			}
		}},
	{name: "extension-header-old", dialect: "a2a-1.0", summary: "activates extensions by the header of 0.3 alone",
		request: func(c *call) {
			if v := c.header.Get(a2a10.extensionHeader); v != "" {
				c.header.Set(a2a03.extensionHeader, v)
				c.header.Del(a2a10.extensionHeader)
			}
		}},
	{name: "extension-in-params", dialect: "a2a-0.3", summary: "activates extensions in the parameters, not by the header",
		request: func(c *call) {
			if v := c.header.Get(a2a03.extensionHeader); v != "" {
				c.header.Del(a2a03.extensionHeader)
				c.params()["extensions"] = strings.Split(v, ", ")
			}
		}},
	{name: "extension-names", summary: "activates extensions by short names",
		request: func(c *call) {
			var names []string
			for _, uri := range c.session.card.extensions {
				names = append(names, uri[strings.LastIndex(uri, "/")+1:])
			}
			if len(names) > 0 {
				c.header.Set(c.session.dialect.extensionHeader, strings.Join(names, ", "))
			}
		}},
	{name: "extension-in-message-only", variant: "rich", summary: "names extensions in a message and activates none",
		request: func(c *call) { c.header.Del(c.session.dialect.extensionHeader) }},
	{name: "extension-once", variant: "polling", summary: "activates extensions in the first call alone",
		request: onCalls(func(c *call) { c.header.Del(c.session.dialect.extensionHeader) }, get, cancel, subscribe)},
}

// onMessage edits the messages of the client.
func onMessage(edit func(c *call, message object)) func(*call) {
	return func(c *call) {
		if m := c.message(); m != nil {
			edit(c, m)
		}
	}
}

// onTurn edits one of the messages of the client, by its number.
func onTurn(turn int, edit func(c *call, message object)) func(*call) {
	return onMessage(func(c *call, m object) {
		if c.session.turn == turn {
			edit(c, m)
		}
	})
}

// onPart edits a part of the messages, by its index.
func onPart(i int, edit func(part object)) func(*call) {
	return onMessage(func(_ *call, m object) {
		if parts := listAt(m, "parts"); i < len(parts) {
			edit(parts[i].(object))
		}
	})
}

// onFile sets a member of the file in a part, which the versions name otherwise: 0.3, and then 1.0.
func onFile(part int, name03, name10 string, value any) func(*call) {
	return onPart(part, func(p object) {
		if file := objectAt(p, "file"); file != nil {
			file[name03] = value
		} else {
			p[name10] = value
		}
	})
}

// onIDs edits the ids of tasks and contexts.
func onIDs(edit func(id string) string) func(*call) {
	return func(c *call) {
		for _, o := range []object{c.params(), c.message()} {
			for _, name := range []string{"id", "taskId", "contextId"} {
				if id, ok := o[name].(string); ok {
					o[name] = edit(id)
				}
			}
		}
	}
}

// onParam edits a member of the parameters that is an object.
func onParam(name string, edit func(object)) func(*call) {
	return func(c *call) {
		if o := objectAt(c.params(), name); o != nil {
			edit(o)
		}
	}
}

// onWebhook edits the webhook that is registered with a message.
func onWebhook(edit func(webhook object)) func(*call) {
	return func(c *call) {
		if w := objectAt(c.params(), "configuration", c.session.dialect.webhookMember); w != nil {
			edit(w)
		}
	}
}

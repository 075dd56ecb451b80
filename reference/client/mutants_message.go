package client

import (
	"maps"
	"net/http"
	"strings"
)

// messageMutants spoil what the client sends to the agent.
var messageMutants = []mutant{
	{name: "message-id-missing", summary: "leaves the id of a message to the server",
		request: editMessages(func(_ *call, m object) { delete(m, "messageId") })},
	{name: "message-id-empty", summary: "sends messages with an empty id",
		request: editMessages(func(_ *call, m object) { m["messageId"] = "" })},
	{name: "message-id-reused", summary: "gives each message the id 1",
		request: editMessages(func(_ *call, m object) { m["messageId"] = "1" })},
	{name: "role-agent", summary: "sends messages in the role of the agent",
		request: editMessages(func(c *call, m object) {
			m["role"] = strings.NewReplacer("user", "agent", "USER", "AGENT").Replace(c.session.dialect.role)
		})},
	{name: "role-of-old-version", dialect: "a2a-1.0", summary: "writes the role as 0.3 does",
		request: editMessages(func(_ *call, m object) { m["role"] = a2a03.role })},
	{name: "role-number", dialect: "a2a-1.0", summary: "writes the role as a number",
		request: editMessages(func(_ *call, m object) { m["role"] = 1 })},
	{name: "parts-empty", summary: "sends messages without parts",
		request: editMessages(func(_ *call, m object) { m["parts"] = []any{} })},
	{name: "parts-object", summary: "sends one part as an object, not in a list",
		request: editMessages(func(_ *call, m object) { m["parts"] = getList(m, "parts")[0] })},
	{name: "part-with-two-contents", dialect: "a2a-1.0", summary: "puts text and data into one part",
		request: editPart(0, func(p object) { p["data"] = object{"text": p["text"]} })},
	{name: "part-without-kind", summary: "sends parts without a kind",
		request: editPart(0, func(p object) { delete(p, "kind") })},
	{name: "part-with-kind", dialect: "a2a-1.0", summary: "sends parts with a kind, as 0.3 does",
		request: editPart(0, func(p object) { p["kind"] = "text" })},
	{name: "message-as-text", summary: "sends a message as a text",
		request: editMessages(func(c *call, m object) {
			text := getText(getList(m, "parts")[0], "text")
			c.encode = rewriteEnvelope(func(e object) any {
				params := maps.Clone(getObject(e, "params"))
				params["message"] = text
				e["params"] = params
				return e
			})
		})},
	{name: "members-in-snake-case", dialect: "a2a-1.0", summary: "writes members in snake_case",
		request: editMessages(func(_ *call, m object) {
			for was, is := range map[string]string{"messageId": "message_id", "contextId": "context_id", "taskId": "task_id"} {
				if v, ok := m[was]; ok {
					m[is] = v
					delete(m, was)
				}
			}
		})},

	// Tasks and contexts.
	{name: "task-invented", summary: "makes up the id of a new task",
		request: editTurn(1, func(_ *call, m object) { m["taskId"] = newID() })},
	{name: "context-invented", summary: "makes up a context for the first message",
		request: editTurn(1, func(_ *call, m object) { m["contextId"] = newID() })},
	{name: "context-of-application", summary: "sends a context of its own with a message to a task",
		request: editTurn(2, func(c *call, _ object) {
			if d := c.session.dialect; c.session.task.id != "" && getText(c.getParams(), d.taskMember...) == c.session.task.id {
				setMember(c.getParams(), newID(), d.contextMember...)
			}
		})},
	{name: "context-lost", summary: "sends the second message without the context",
		request: editTurn(2, func(c *call, _ object) { setMember(c.getParams(), "", c.session.dialect.contextMember...) })},
	{name: "answer-starts-task", summary: "answers a question of a task by a new task",
		request: editTurn(2, func(c *call, _ object) { c.session.dialect.startTask(c.getParams()) })},
	{name: "ids-in-small-letters", summary: "sends ids of the agent in small letters",
		request: editIDs(strings.ToLower)},
	{name: "ids-cut", summary: "cuts ids of the agent after 100 letters",
		request: editIDs(func(id string) string { return id[:min(len(id), 100)] })},
	{name: "task-that-ended", summary: "sends the second message to a task that has ended",
		request: editTurn(2, func(c *call, _ object) {
			if id := c.session.task.id; id != "" {
				setMember(c.getParams(), id, c.session.dialect.taskMember...)
			}
		})},
}

// variantMutants spoil what only some variants send.
var variantMutants = []mutant{
	{name: "file-as-numbers", variant: "rich", summary: "sends the bytes of a file as a list of numbers",
		request: setFileMember(1, "bytes", "raw", []int{97, 116})},
	{name: "file-at-local-path", variant: "rich", summary: "sends a local path as the address of a file",
		request: setFileMember(2, "uri", "url", "notes/note.txt")},
	{name: "video", variant: "rich", summary: "sends a video, whatever the card accepts",
		request: setFileMember(1, "mimeType", "mediaType", "video/mp4")},
	{name: "output-mode-word", variant: "rich", summary: "asks for the output mode markdown, which is no media type",
		request: editParam("configuration", func(o object) { o["acceptedOutputModes"] = []string{"markdown"} })},
	{name: "references-to-messages", variant: "rich", summary: "lists ids of messages as referenceTaskIds",
		request: editMessages(func(_ *call, m object) { m["referenceTaskIds"] = []any{m["messageId"]} })},
	{name: "metadata-list", variant: "rich", summary: "sends metadata as a list",
		request: editMessages(func(_ *call, m object) { m["metadata"] = []any{} })},
	{name: "history-length-word", variant: "rich", summary: "asks for the history by the word all",
		request: editConfiguration(func(o object) {
			if o["historyLength"] != nil {
				o["historyLength"] = "all"
			}
		})},

	{name: "page-size-large", dialect: "a2a-1.0", variant: "lists", summary: "asks for pages of a thousand tasks",
		request: editCalls(func(c *call) { c.getParams()["pageSize"] = 1000 }, list)},
	{name: "timestamp-local", dialect: "a2a-1.0", variant: "lists", summary: "writes a time with the offset of its zone",
		request: editCalls(func(c *call) {
			c.getParams()["statusTimestampAfter"] = strings.Replace(getText(c.getParams(), "statusTimestampAfter"), "Z", "+00:00", 1)
		}, list)},
	{name: "list-filter-lost", dialect: "a2a-1.0", variant: "lists", summary: "forgets the context on the second page of a list",
		request: editCalls(func(c *call) {
			if c.getParams()["pageToken"] != nil {
				delete(c.getParams(), "contextId")
			}
		}, list)},
	{name: "list-state-number", dialect: "a2a-1.0", variant: "lists", summary: "filters a list by the number of a state",
		request: editCalls(func(c *call) { c.getParams()["status"] = 3 }, list)},
	{name: "listed-page-changed", dialect: "a2a-0.3", variant: "thorough", summary: "counts pages in place of their tokens",
		request: editCalls(func(c *call) {
			if c.getParams()["pageToken"] != nil {
				c.getParams()["pageToken"] = "2"
			}
		}, list)},
	{name: "page-token-changed", dialect: "a2a-1.0", variant: "reporting", summary: "counts pages in place of their tokens",
		request: editCalls(func(c *call) {
			if c.getParams()["pageToken"] != nil {
				c.getParams()["pageToken"] = "2"
			}
		}, list)},

	{name: "resumes-other-task", variant: "streaming", summary: "takes up the stream of another task than its own after a cut",
		request: editCalls(func(c *call) { c.getParams()["id"] = newID() }, subscribe)},

	{name: "webhook-without-url", variant: "webhook", summary: "registers a webhook without a URL",
		request: editWebhook(func(w object) { delete(w, "url") })},
	{name: "webhook-over-http", variant: "webhook", summary: "registers a webhook that is reached by plain HTTP",
		request: editWebhook(func(w object) { w["url"] = "http://hooks.example.com/a2a" })},
	{name: "webhook-without-scheme", variant: "webhook", summary: "registers a credential of a webhook without its scheme",
		request: editWebhook(func(w object) {
			delete(getObject(w, "authentication"), "scheme")
			delete(getObject(w, "authentication"), "schemes")
		})},
	{name: "webhook-token-shared", variant: "webhook", summary: "registers one token for all tasks",
		request: editWebhook(func(w object) {
			w["token"] = "one-for-all"
			getObject(w, "authentication")["credentials"] = "one-for-all"
		})},
	{name: "webhook-names-task", dialect: "a2a-1.0", variant: "webhook", summary: "makes up a task id for the webhook of a message",
		request: editWebhook(func(w object) { w["taskId"] = newID() })},

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
	{name: "extension-in-params", summary: "activates extensions in the parameters, not by the header",
		request: func(c *call) {
			if v := c.header.Get(c.session.dialect.extensionHeader); v != "" {
				c.header.Del(c.session.dialect.extensionHeader)
				c.getParams()["extensions"] = strings.Split(v, ", ")
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
		request: editCalls(func(c *call) { c.header.Del(c.session.dialect.extensionHeader) }, get, cancel, subscribe)},
}

// editMessages edits the messages of the client.
func editMessages(edit func(c *call, message object)) func(*call) {
	return func(c *call) {
		if m := c.getMessage(); m != nil {
			edit(c, m)
		}
	}
}

// editTurn edits one of the messages of the client, by its number.
func editTurn(turn int, edit func(c *call, message object)) func(*call) {
	return editMessages(func(c *call, m object) {
		if c.session.turn == turn {
			edit(c, m)
		}
	})
}

// editPart edits a part of the messages, by its index.
func editPart(i int, edit func(part object)) func(*call) {
	return editMessages(func(_ *call, m object) {
		if parts := getList(m, "parts"); i < len(parts) {
			edit(parts[i].(object))
		}
	})
}

// setFileMember sets a member of the file in a part, which the versions name otherwise: 0.3, and then 1.0.
func setFileMember(part int, name03, name10 string, value any) func(*call) {
	return editPart(part, func(p object) {
		if file := getObject(p, "file"); file != nil {
			file[name03] = value
		} else {
			p[name10] = value
		}
	})
}

// editIDs edits the ids of tasks and contexts.
func editIDs(edit func(id string) string) func(*call) {
	return func(c *call) {
		for _, o := range []object{c.getParams(), c.getMessage()} {
			for _, name := range []string{"id", "taskId", "contextId"} {
				if id, ok := o[name].(string); ok {
					o[name] = edit(id)
				}
			}
		}
	}
}

// editParam edits a member of the parameters that is an object.
func editParam(name string, edit func(object)) func(*call) {
	return func(c *call) {
		if o := getObject(c.getParams(), name); o != nil {
			edit(o)
		}
	}
}

// editWebhook edits the webhook that is registered with a message.
func editWebhook(edit func(webhook object)) func(*call) {
	return func(c *call) {
		editConfiguration(func(o object) {
			if w := getObject(o, c.session.dialect.webhookMember); w != nil {
				edit(w)
			}
		})(c)
	}
}

// editConfiguration edits what the configuration of a message has, wherever the dialect has it.
func editConfiguration(edit func(object)) func(*call) {
	return func(c *call) {
		o := getObject(c.getParams(), "configuration")
		if c.session.dialect.bareMessage && c.getMessage() != nil {
			o = c.getParams()
		}
		if o != nil {
			edit(o)
		}
	}
}

package client

import (
	"fmt"
	"net/http"
)

// firstMutants spoil what A2A 0.1 alone has.
var firstMutants = []mutant{
	{name: "part-without-type", dialect: "a2a-0.1", summary: "sends parts without a type",
		request: editPart(0, func(p object) { delete(p, "type") })},
	{name: "file-type-word", dialect: "a2a-0.1", variant: "rich", summary: "writes the type of a file as png",
		request: setFileMember(1, "mimeType", "mediaType", "png")},
	{name: "task-id-missing", dialect: "a2a-0.1", summary: "leaves the id of a new task to the server",
		request: editNewTasks(func(c *call) { delete(c.getParams(), "id") })},
	{name: "task-id-counted", dialect: "a2a-0.1", summary: "counts its tasks from 1 in each process",
		request: editNewTasks(func(c *call) { c.getParams()["id"] = fmt.Sprintf("task-%d", c.session.turn) })},
	{name: "webhook-bare", dialect: "a2a-0.1", variant: "reporting", summary: "registers a webhook by its configuration alone, without the task",
		request: editCalls(func(c *call) { c.envelope["params"] = c.getParams()["pushNotificationConfig"] }, setWebhook)},
}

// firstNoticeMutants do the wrong thing about notifications of A2A 0.1.
var firstNoticeMutants = []mutant{
	{name: "notice-of-session-alone", dialect: "a2a-0.1", variant: "reporting", summary: "refuses notifications without the session of the task",
		habit: func(h *habits) { h.refuseNotice = func(content object) bool { return content["sessionId"] == nil } }},
}

// firstCredentialMutants show credentials as A2A 0.1 does not ask for.
var firstCredentialMutants = []mutant{
	{name: "key-as-bearer", dialect: "a2a-0.1", summary: "shows an API key as Bearer",
		habit: editRequests(func(c *call, r *http.Request) {
			for _, shown := range c.session.chooseCredentials(c.op) {
				if shown.kind == keyScheme {
					r.Header.Del(shown.name)
					r.Header.Set("Authorization", "Bearer "+shown.value)
				}
			}
		})},
}

// firstWebhookMutants do what A2A 0.1 leaves open otherwise.
var firstWebhookMutants = []mutant{
	{name: "webhook-each-time", dialect: "a2a-0.1", variant: "webhook", summary: "registers a webhook with messages to a task that there is, too",
		habit: func(h *habits) { h.webhookEachTime = true }},
}

// editNewTasks confines an edit to messages that begin a task.
func editNewTasks(edit func(*call)) func(*call) {
	return editMessages(func(c *call, _ object) {
		if known := c.session.task.id; known == "" || c.getParams()["id"] != known {
			edit(c)
		}
	})
}

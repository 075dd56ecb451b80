package directory

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// ourPrefix is how the ids begin that we register, so that whoever keeps the
// directory can tell them from others.
const ourPrefix = "a2a-conform-"

// newEntry is an agent to register, which no one is to call: its endpoint is ours,
// or leads nowhere.
func newEntry(c *conversation.Conversation, capabilities ...string) *dialect.Entry {
	id := c.NewID()
	return &dialect.Entry{ID: ourPrefix + id, Name: "Test agent " + id, Capabilities: capabilities,
		Endpoint: goneAgentURL(c, id)}
}

// goneAgentURL is an endpoint that takes no tasks.
func goneAgentURL(c *conversation.Conversation, id string) string {
	if c.Receiver != nil {
		return c.Receiver.Base() + client.GoneAgents + id
	}
	return "http://nowhere.invalid" + client.GoneAgents + id
}

// fetchEntry fetches one entry of the directory.
func fetchEntry(c *conversation.Conversation, step, id string, role record.Role) {
	at := c.Base + schema.Agents{}.Path(c.Dialect.Directory.Entry, id)
	c.Raw(conversation.Step{Name: step, Role: role, Op: "document", Agent: id, Method: http.MethodGet, URL: at}, nil)
}

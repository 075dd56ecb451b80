package message

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type uniqueIDsParams struct {
	observe.OnPlays
	Type     string   `json:"type"`     // what holds messages
	Messages []string `json:"messages"` // their places
	Parts    string   `json:"parts"`    // the content of a message
	Role     string   `json:"role"`     // the role of the agent
}

// taskMessage is one message of a task: its id, its content, and whether the agent sent it.
type taskMessage struct {
	id, parts judge.Value
	agent     bool
}

// checkTaskMessageIDsUnique compares the messages that one task shows at the same time. A message
// that the task has twice with the same parts is one message. Two of our own may share an id,
// since the client chose it.
func checkTaskMessageIDsUnique(t *judge.T, p uniqueIDsParams) {
	var tasks [][]taskMessage
	for _, holder := range p.Instances(t, p.Type) {
		if messages := messagesOfHolder(t, holder, p); len(messages) > 1 {
			tasks = append(tasks, messages)
		}
	}
	judge.Each(t, tasks, func(messages []taskMessage) {
		first := map[string]taskMessage{}
		for _, m := range messages {
			other, twice := first[m.id.Text()]
			if twice && (m.agent || other.agent) && !m.parts.Equal(other.parts) {
				t.Fail(m.id, fmt.Sprintf("gave two messages of a task the id %s, first at %s", m.id.Shown(), other.id.Place()), "a messageId of its own for each message")
			}
			if !twice {
				first[m.id.Text()] = m
			}
			t.OK(m.id)
		}
	})
}

// messagesOfHolder returns the messages of a holder that have an id and parts.
func messagesOfHolder(t *judge.T, holder judge.Value, p uniqueIDsParams) []taskMessage {
	var out []taskMessage
	for _, at := range p.Messages {
		for _, m := range holder.Expand(at) {
			ids := observe.ExpandDialectPlace(t, m, "message", "id")
			if len(ids) != 1 || !ids[0].IsString() {
				continue
			}
			roles := observe.ExpandDialectPlace(t, m, "message", "role")
			out = append(out, taskMessage{id: ids[0], parts: m.At(p.Parts), agent: len(roles) == 1 && roles[0].Is(p.Role)})
		}
	}
	return out
}

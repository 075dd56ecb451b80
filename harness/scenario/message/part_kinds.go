package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// PartKinds sends data and files, each only if the card states that the agent
// takes them.
var PartKinds = trial{name: "part-kinds", stimulus: "quick", on: listPartKinds}.toScenario()

func listPartKinds(c *conversation.Conversation, o dialect.Outgoing) (members []dialect.Optional, left []omitted) {
	file, data := c.Card.FileMode(), c.Card.Takes(c.Writer.DataMode)
	for _, m := range membersOrNil(c.Writer.Data, o) {
		if data {
			members = append(members, m)
		} else {
			left = append(left, omitted{m.Name, "the card does not list " + c.Writer.DataMode + " among the input modes"})
		}
	}
	if c.Writer.Files == nil {
		return members, left
	}
	for _, m := range c.Writer.Files(file) {
		if file != "" {
			members = append(members, m)
		} else {
			left = append(left, omitted{m.Name, "the card lists no type of files among the input modes"})
		}
	}
	return members, left
}

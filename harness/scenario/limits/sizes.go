package limits

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Sizes sends messages just below the limits and above them. One message comes
// near all limits at once, to spare the agent; only if it is refused
// does it determine which limit refused it.
var Sizes = conversation.Scenario{Name: "sizes", Play: func(c *conversation.Conversation) {
	if c.Writer.TextPart == nil {
		c.Play.Stop = "the protocol has no limit for messages"
		return
	}
	takesData := c.Card.Takes(c.Writer.DataMode)
	message, parts, text := newTextParts(c, belowData/smallText, smallText), newTextParts(c, manyParts, 1), newTextParts(c, 1, belowText)
	twins := map[string]string{"message": "all-below", "parts": "all-below", "text": "all-below", "data": "all-below"}
	if !sendParts(c, conversation.Step{Name: "all-below", Role: record.Twin}, "a message near every limit", newPartsBelowLimits(c, takesData)).OK() {
		for _, of := range []struct {
			name, what string
			parts      []map[string]any
		}{{"message", "a message", message}, {"parts", "a message of many parts", parts}, {"text", "a long text", text}} {
			twins[of.name] = of.name + "-below"
			sendParts(c, conversation.Step{Name: of.name + "-below", Role: record.Twin}, of.what+" below the limit", of.parts)
		}
		takesData = false // as far as was seen
	}
	above := func(name, what string, parts []map[string]any) {
		sendParts(c, conversation.Step{Name: name + "-above", Role: record.Probe, Twin: twins[name], Fresh: true}, what+" above the limit", parts)
	}
	above("message", "a message", newTextParts(c, 75, smallText))
	above("parts", "a message of many parts", newTextParts(c, manyParts+1, 1))
	above("text", "a long text", newTextParts(c, 1, aboveText))
	if !takesData {
		twins["data"] = "data-below"
		sendParts(c, conversation.Step{Name: "data-below", Role: record.Twin}, "a data part below the limit", newDataPart(c, belowData))
	}
	above("data", "a data part", newDataPart(c, aboveData))
}}

// newPartsBelowLimits are as many parts as a message may have, of which one is a text near its limit. So is one data part if the
// agent takes it, and else all texts together are near the limit of the message.
func newPartsBelowLimits(c *conversation.Conversation, takesData bool) []map[string]any {
	text, rest := newTextParts(c, 1, belowText), belowData-belowText
	if takesData {
		return slices.Concat(newDataPart(c, rest), text, newTextParts(c, manyParts-2, 1))
	}
	return append(text, newTextParts(c, manyParts-1, rest/(manyParts-1))...)
}

// The sizes in bytes keep clear of the limits whether a KB has 1000 bytes or
// 1024. If a limit is on another thing than the size of a part, the parts
// are small.
const (
	manyParts   = 100
	smallText   = 20_000
	belowText   = 95_000
	aboveText   = 110_000
	belowData   = 800_000
	aboveData   = 1_200_000
	largestKept = 64 << 10 // bodies beyond it are kept as a recipe
)

// newTextParts are so many text parts of that many characters.
func newTextParts(c *conversation.Conversation, n, size int) (out []map[string]any) {
	text := strings.Repeat("All work and no play. ", size/22+1)[:size]
	for range n {
		out = append(out, c.Writer.TextPart(text))
	}
	return out
}

// newDataPart is one data part that holds a text of that many characters.
func newDataPart(c *conversation.Conversation, size int) []map[string]any {
	return []map[string]any{c.Writer.DataPart(map[string]any{"filler": strings.Repeat("x", size)})}
}

// sendParts sends a message of exactly these parts.
func sendParts(c *conversation.Conversation, s conversation.Step, what string, parts []map[string]any) *conversation.Reply {
	o := dialect.Outgoing{Task: c.NewTask(), Context: c.NewContext(), Parts: parts}
	s.Op, s.Task, s.Ctx = "send", o.Task, o.Context
	call := c.MustEncode(s, c.Request(s.Name, "send", o))
	if len(call.Body) > largestKept {
		s.Recipe = newRecipe(what, call.Body)
	}
	return c.Send(s, call)
}

package message

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// ForeignLetters sends a message whose id and context are not written in ASCII,
// once as they are and once in escapes, which are the same JSON.
var ForeignLetters = conversation.Scenario{Name: "foreign-letters", Play: func(c *conversation.Conversation) {
	for _, name := range []string{"plain", "escaped"} {
		if name == "plain" && reusePacked(c, name, record.Main, c.Play.Scenario) {
			continue
		}
		o := c.NewMessage("quick")
		o.Context = foreignContext(o.Context)
		request := c.Request(name, "send", o)
		request.ID = foreignCallID(c, name)
		s := conversation.Step{Name: name, Op: "send", Task: o.Task, Ctx: o.Context}
		call := c.MustEncode(s, request)
		if name == "escaped" && c.UsesProtobuf() {
			c.RecordInexpressibleStep(s, "protobuf has no escapes")
			continue
		}
		if name == "escaped" {
			call.Body = escapeNonASCII(call.Body)
		}
		c.Send(s, call)
	}
}}

// foreignContext returns a context with letters beyond ASCII before it; "" for none.
func foreignContext(context string) string {
	if context == "" {
		return ""
	}
	return "ctx-é-日本-" + context
}

// foreignCallID returns an id for a call with letters beyond ASCII.
func foreignCallID(c *conversation.Conversation, step string) string {
	return "ключ-ü-✓-😀-" + conversation.NewCallID(c, step)
}

// escapeNonASCII writes the letters beyond ASCII of a JSON text as escapes.
func escapeNonASCII(text []byte) []byte {
	var b strings.Builder
	for _, r := range string(text) {
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return []byte(b.String())
}

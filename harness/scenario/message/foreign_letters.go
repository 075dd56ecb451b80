package message

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// ForeignLetters sends a message whose id and context are not written in ASCII,
// once as they are and once in escapes, which are the same JSON.
var ForeignLetters = conversation.Scenario{Name: "foreign-letters", Play: func(c *conversation.Conversation) {
	for _, name := range []string{"plain", "escaped"} {
		o := c.NewMessage("quick")
		if o.Context != "" {
			o.Context = "ctx-é-日本-" + o.Context
		}
		request := c.Request(name, "send", o)
		request.ID = "ключ-ü-✓-😀-" + conversation.NewCallID(c, name)
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

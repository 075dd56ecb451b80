package scenario

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

const (
	sizableText  = 1 << 20 // bytes of text in one part
	deepMetadata = 200     // objects, one inside the other
)

// large sends a message of a size that a server may meet on any day, and looks
// whether it still serves.
var large = Scenario{
	Name: "large", Doc: "a text of 1 MB",
	Class: Exclusive, Risk: schema.Heavy, Ops: []string{"send", "get"}, Sends: 2,
	Play: func(c *Conversation) {
		o := c.say("quick")
		o.Text = weighty
		c.weigh(c.pack("text", fmt.Sprintf("a text part of %d bytes", sizableText), o, weighty, load{open: "Ave ", times: sizableText / 4}))
	},
}

// nested sends a message whose metadata are nested deeply, and looks whether the
// server still serves. A look before shows that it did until then.
var nested = Scenario{
	Name: "nested", Doc: "a harmless message with metadata 200 levels deep",
	Class: Exclusive, Ops: []string{"send", "get"}, Sends: 2,
	Play: func(c *Conversation) {
		if before := c.Call(Step{Name: "before", Role: record.Probe, Op: "get"}, dialect.Outgoing{Task: c.NewID()}); !before.Answered() {
			c.end(Step{Name: "metadata", Op: "send"}, "before", "the server had stopped answering when it was to be sent")
			return
		}
		o := c.say("quick")
		o.Metadata = map[string]any{"x": weighty}
		c.heavy = c.pack("metadata", fmt.Sprintf("metadata of %d nested objects", deepMetadata), o, `"`+weighty+`"`, load{open: `{"x":`, core: "1", close: "}", times: deepMetadata})
		if c.heavy == nil {
			return
		}
		c.heavy.sent = c.StartCall(c.heavy.step(), c.heavy.call)
		c.kept = c.promiseOffer()
	},
	Aftermath: func(c *Conversation) {
		if c.heavy == nil {
			return
		}
		defer c.kept()
		r := c.heavy.sent.Wait()
		if r.OK() { // which shows that the agent still serves
			c.offer("metadata", c.heavy.about, r)
		}
		c.kept()
		c.outlive(c.heavy, r)
	},
}

package scenario

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
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
		play := heavyPlay{c}
		o := c.NewMessage("quick")
		o.Text = weighty
		play.sendParcel(play.newParcel("text", fmt.Sprintf("a text part of %d bytes", sizableText), o, weighty, filler{open: "Ave ", times: sizableText / 4}))
	},
}

// nested sends a message whose metadata are nested deeply, and looks whether the
// server still serves. A look before shows that it did until then.
var nested = Scenario{
	Name: "nested", Doc: "a harmless message with metadata 200 levels deep",
	Class: Exclusive, Ops: []string{"send", "get"}, Sends: 2,
	Play: func(c *Conversation) {
		play := heavyPlay{c}
		if before := c.Call(Step{Name: "before", Role: wire.Probe, Op: "get"}, dialect.Outgoing{Task: c.NewID()}); !before.Answered() {
			c.EndPlay(Step{Name: "metadata", Op: "send"}, "before", "the server had stopped answering when it was to be sent")
			return
		}
		o := c.NewMessage("quick")
		o.Metadata = map[string]any{"x": weighty}
		message := play.newParcel("metadata", fmt.Sprintf("metadata of %d nested objects", deepMetadata), o, `"`+weighty+`"`, filler{open: `{"x":`, core: "1", close: "}", times: deepMetadata})
		if message == nil {
			return
		}
		sent := c.StartCall(message.newStep(), message.call)
		c.Prepared = nestedMessage{message, sent, PromiseOffer(c)}
	},
	Aftermath: func(c *Conversation) {
		nested, ok := c.Prepared.(nestedMessage)
		if !ok {
			return
		}
		defer nested.keepPromise()
		r := nested.sent.Wait()
		if r.OK() { // which shows that the agent still serves
			c.Offer("metadata", nested.message.about, r)
		}
		nested.keepPromise()
		heavyPlay{c}.checkAlive(nested.message, r)
	},
}

// nestedMessage is a deeply nested message that is on its way.
type nestedMessage struct {
	message     *heavyMessage
	sent        *Pending
	keepPromise func() // ends the wait of other plays for what this one promised
}

package limits

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Nested sends a message whose metadata are nested deeply, and looks whether the
// server still serves. A look before shows that it did until then.
var Nested = conversation.Scenario{Name: "nested", Play: startNestedMetadataIfAlive, Finish: awaitNestedReplyProbeLiveness}

func startNestedMetadataIfAlive(c *conversation.Conversation) {
	if before := c.Call(conversation.Step{Name: "before", Role: record.Probe, Op: "get"}, dialect.Outgoing{Task: c.NewID()}); !before.Answered() {
		c.EndPlayWithUnsentStep(conversation.Step{Name: "metadata", Op: "send"}, "before", "the server had stopped answering when it was to be sent")
		return
	}
	o := c.NewMessage("quick")
	o.Metadata = map[string]any{"x": weighty}
	message := newHeavyMessage(c, "metadata", fmt.Sprintf("metadata of %d nested objects", deepMetadata), o, `"`+weighty+`"`, filler{open: `{"x":`, core: "1", close: "}", times: deepMetadata})
	if message == nil {
		return
	}
	sent := c.StartCall(message.newStep(), message.call)
	c.Prepared = nestedMessage{message, sent, c.PromiseOffer(c.Play.Scenario)}
}

func awaitNestedReplyProbeLiveness(c *conversation.Conversation) {
	nested, ok := c.Prepared.(nestedMessage)
	if !ok {
		return
	}
	defer nested.keepPromise()
	r := nested.sent.Wait()
	if r.OK() { // which shows that the agent still serves
		c.OfferStepUnderPlaysName("metadata", nested.message.about, r)
	}
	nested.keepPromise()
	sendLivenessCall(c, nested.message, r)
}

// nestedMessage is a deeply nested message that is on its way.
type nestedMessage struct {
	message     *heavyMessage
	sent        *conversation.Pending
	keepPromise func() // ends the wait of other plays for what this one promised
}

const (
	sizableText  = 1 << 20 // bytes of text in one part
	deepMetadata = 200     // objects, one inside the other
)

package stream

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// TwoStreams opens two streams at the same time: one with chunks, and a slow
// one whose call has a number as id. If the agent shows neither, both carry
// the harmless message.
var TwoStreams = conversation.Scenario{Name: "two-streams", Play: func(c *conversation.Conversation) {
	oa, ob := c.NewMessage(c.FirstConfiguredOrLastStimulus("chunks", "quick")), c.NewMessage(c.FirstConfiguredOrLastStimulus("slow", "quick"))
	request := c.Request("b", "stream", ob)
	request.ID = 7
	s := conversation.Step{Name: "b", Op: "stream", Task: ob.Task, Ctx: ob.Context}
	a := c.Start(conversation.Step{Name: "a", Op: "stream"}, oa)
	b := c.StartCall(s, c.MustEncode(s, request))
	ra, rb := a.Wait(), b.Wait()
	if _, chunks := c.Stimulus("chunks"); chunks && hasStreamed(c, ra) {
		c.OfferStepUnderName("two-streams/a", "a", oa, ra)
	}
	if hasStreamed(c, rb) {
		c.OfferStepUnderPlaysName("b", ob, rb)
	}
}}

package message

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Extensions asks for the extensions on the card in several ways. Most of the
// calls only look a task up, and do not reach the agent.
var Extensions = conversation.Scenario{Name: "extensions", Play: func(c *conversation.Conversation) {
	header := c.Dialect.Card.ExtensionHeader
	if header == "" {
		c.Play.Stop = "the protocol has no header for extensions"
		return
	}
	uris, must := c.Card.Requestable()
	asking := func(s conversation.Step, uris ...string) conversation.Step {
		if len(uris) > 0 {
			s.Header = http.Header{http.CanonicalHeaderKey(header): {strings.Join(uris, ", ")}}
		}
		return s
	}
	extended := func() dialect.Outgoing {
		o := c.NewMessage("quick")
		o.Extensions = uris
		return o
	}
	// One message asks for all of them and for one that no one has, which servers ignore.
	// Only if that is refused is it asked for apart from the others.
	o, sent, ok := c.ReuseOfferedStep("unknown", record.Probe, conversation.PackedFor(c.Play.Scenario))
	var first *conversation.Pending
	if ok {
		c.Play.Step("unknown").Twin = "send"
	} else {
		o = extended()
		first = c.Start(asking(conversation.Step{Name: "unknown", Op: "send", Role: record.Probe, Twin: "send"}, mergeTexts(uris, noExtension)...), o)
	}
	var others []*conversation.Pending // which are no part of the conversation with its task
	if len(must) > 0 {
		s := conversation.Step{Name: "without", Op: "send", Role: record.Probe, Twin: "send", Header: http.Header{http.CanonicalHeaderKey(header): nil}}
		others = append(others, c.Start(s, c.NewMessage("quick")))
		lower := conversation.Step{Name: "lower", Op: "send", Role: record.Probe, Twin: "send", Header: http.Header{
			http.CanonicalHeaderKey(header): nil, strings.ToLower(header): {strings.Join(must, ", ")}}}
		others = append(others, c.Start(lower, c.NewMessage("quick")))
	}
	defer conversation.WaitAll(others)
	if first != nil {
		sent = first.Wait()
	}
	if sent.OK() {
		c.OfferStepUnderPlaysName("unknown", o, sent)
		c.ReuseOfferedStep("send", record.Main, c.Play.Scenario)
	} else {
		o = extended()
		sent = c.Call(asking(conversation.Step{Name: "send", Op: "send"}, uris...), o)
	}
	task := conversation.TaskID(o, sent)
	look := func(name string, uris ...string) {
		c.Call(asking(conversation.Step{Name: name, Op: "get", Role: record.Probe}, uris...), dialect.Outgoing{Task: task})
	}
	for i, u := range uris {
		if i < maxExtensions {
			look(fmt.Sprintf("one-%d", i+1), mergeTexts(must, u)...)
		}
	}
	if len(uris) > 0 {
		look("among-others", append([]string{noExtension}, uris...)...)
	}
	if other := card.OtherVersions(uris); len(other) > 0 {
		look("other-version", mergeTexts(must, other...)...)
	} else {
		c.NotSent(conversation.Step{Name: "other-version", Op: "get"}, "", "no extension of the card has a version in its URI")
	}
}}

// noExtension is the URI of an extension that no one has.
const noExtension = "https://nowhere.invalid/ext/none"

// maxExtensions bounds how many extensions are asked for one by one.
const maxExtensions = 5

// mergeTexts are the texts of two lists, each once.
func mergeTexts(some []string, more ...string) []string {
	out := slices.Clone(some)
	for _, u := range more {
		if !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

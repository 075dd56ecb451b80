package message

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// RequiredExtensions asks for the extensions that every client must ask for, in the ways
// in which such a list may be written, and in ways in which it does not ask for them.
var RequiredExtensions = conversation.Scenario{Name: "required-extensions", Play: func(c *conversation.Conversation) {
	header := c.Dialect.Card.ExtensionHeader
	if header == "" {
		c.Play.Stop = "the protocol has no header for extensions"
		return
	}
	if _, _, ok := c.ReuseOfferedStep("twin", record.Twin, "quick"); !ok {
		c.Call(conversation.Step{Name: "twin", Role: record.Twin, Op: "send"}, c.NewMessage("quick"))
	}
	_, must := c.Card.Requestable()
	var under []*conversation.Pending
	ask := func(name, op, list string) {
		s := conversation.Step{Name: name, Op: op, Role: record.Probe, Twin: "twin", Header: http.Header{http.CanonicalHeaderKey(header): nil}}
		if list != "" {
			s.Header[http.CanonicalHeaderKey(header)] = []string{list}
		}
		under = append(under, c.Start(s, c.NewMessage("quick")))
	}
	ask("second", "send", strings.Join(mergeTexts([]string{noExtension}, must...), ", "))
	ask("second-close", "send", strings.Join(mergeTexts([]string{noExtension}, must...), ","))
	if other := card.OtherVersions(must); len(other) > 0 {
		ask("other-version", "send", strings.Join(other, ", "))
	} else {
		c.NotSent(conversation.Step{Name: "other-version", Op: "send"}, "", "no required extension of the card has a version in its URI")
	}
	if c.CanStream() {
		ask("stream", "stream", "")
	}
	conversation.WaitAll(under)
}}

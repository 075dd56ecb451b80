package traffic

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// markExamples marks the messages that an agent refuses although its own card promises them: a client sends just what the card
// gives as an example for a skill, and the agent calls these parameters invalid. One who is given an example need not guess what
// else the agent may ask for. Nothing is marked if a message was accepted in the recording, whosever it was: then the refusal
// may have a reason that shows in the difference between the two.
func (v *conversations) markExamples() {
	type fetched struct {
		card.Card
		from *record.Exchange
	}
	var cards []fetched
	for _, c := range v.calls {
		switch {
		case c.Op == CardOp && c.Unusual == "" || c.Role == cardAgain:
			if root, _ := record.ObserveJSON(c.Exchange.Response.Body); root != nil && root.Kind == record.Object && len(cards) < maxCards {
				cards = append(cards, fetched{card.Of(v.d, root), c.Exchange})
			}
		case c.by != nil && v.d.Operation(c.Op).Agent && c.Kind != errorKind:
			return
		}
	}
	for _, c := range v.calls {
		if c.by == nil || c.Unusual != "" || !v.d.Operation(c.Op).Agent || !slices.Contains(c.errors, "InvalidParams") || !v.namesVersion(c.Exchange) {
			continue
		}
		text, alone := c.readText()
		promised := false
		for _, at := range cards {
			if !v.isServedAt(at.Card, at.from, c) {
				continue
			}
			if !promisesText(at.Card, text) {
				alone = false
				break
			}
			promised = promised || at.from.End <= c.Exchange.Start
		}
		c.example = alone && promised
	}
}

// isServedAt reports whether a card, which an exchange brought, has an interface that a call went to. In a dialect whose cards
// name none, it is the agent's own path at the same origin.
func (v *conversations) isServedAt(of card.Card, from *record.Exchange, c *foundCall) bool {
	if v.d.Card.Endpoint == "" && v.d.Card.Interfaces.At == "" {
		return readOrigin(from.URL) == readOrigin(c.Exchange.URL) && ReadPath(c.Exchange.URL) == v.d.RPCPath
	}
	return slices.ContainsFunc(slices.Concat(of.Interfaces(), of.Entries()), func(i card.Interface) bool {
		return i.Transport() == c.Binding && i.Covers(c.Exchange.URL)
	})
}

// promisesText reports whether a card gives a text as an example, takes texts, and asks for nothing besides: no credentials, no
// extension, and no tenant.
func promisesText(of card.Card, text string) bool {
	_, required := of.Requestable()
	named := slices.ContainsFunc(slices.Concat(of.Interfaces(), of.Entries()), func(i card.Interface) bool { return i.Tenant() != "" })
	unnamed := slices.ContainsFunc(of.Extensions(), card.Extension.Required) // that no header can name
	return of.Demands() == card.No && len(required) == 0 && !unnamed && !named && of.Claims("text-input") == card.Yes && slices.Contains(of.Examples(), text)
}

// The members of a message that has a text and nothing else. Its context is one that the client may choose, or a reason to refuse
// the message: plays.yaml states for each dialect which of the two.
var (
	plainParams  = []string{"message", "configuration", "id", "sessionId"}
	plainSetting = []string{"blocking", "returnImmediately"}
	plainMessage = []string{"messageId", "kind", "role", "parts", "contextId"}
	plainPart    = []string{"text", "kind", "type"}
)

// readText returns the text of a message. alone states that the message begins a conversation and has one text and nothing else
// that an agent may look at.
func (c *foundCall) readText() (text string, alone bool) {
	params, message := c.sent.Params, c.sent.Params.At("/message")
	parts := c.sent.Params.At("/message/parts")
	if message == nil || parts == nil || len(parts.Elems) != 1 || c.readParam("/message/taskId") != "" {
		return "", false
	}
	settings := params.At("/configuration")
	for _, one := range []struct {
		of  *record.Node
		may []string
	}{{params, plainParams}, {message, plainMessage}, {parts.Elems[0], plainPart}, {settings, plainSetting}} {
		if one.of != nil && slices.ContainsFunc(one.of.Members, func(m record.Member) bool { return !slices.Contains(one.may, m.Name) }) {
			return "", false
		}
	}
	is := parts.Elems[0].Member("text")
	if is == nil || is.Kind != record.String {
		return "", false
	}
	return is.String, true
}

package judge

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// ReadCard returns the one reading of a card that the server showed. What an answer
// rests on counts as looked at by the check.
func (c *Case) ReadCard(v Value) card.Card {
	read := card.Of(c.Dialect, v.node).CalledAt(c.Transcript.Facts.RPC).SpokenBy(c.binding.Name())
	if v.t == nil || !c.Track {
		return read
	}
	return read.Watched(func(pointer string) { Value{t: v.t, doc: v.doc, ptr: v.ptr + pointer}.trackRead(false) })
}

// ResolveClaim returns whether the server claims what a word stands for; "no-" in front
// makes its opposite. If the card is unclear, the cards of the server's single
// agents decide, or what it did.
func (c *Case) ResolveClaim(word string, v Value) (card.Answer, error) {
	name, negated := strings.CutPrefix(word, "no-")
	if _, ok := card.DescribeClaim(name); !ok {
		return card.No, fmt.Errorf("the catalogue claims %q, which is none of %s", word, strings.Join(card.Words(), ", "))
	}
	is := c.ReadCard(v).Claims(name)
	if is == card.Unclear {
		is = c.claimFromCardsOrBehaviour(name, v.t)
	}
	switch {
	case negated && is == card.Yes:
		return card.No, nil
	case negated && is == card.No:
		return card.Yes, nil
	}
	return is, nil
}

// claimFromCardsOrBehaviour returns what the cards of single agents state about a claim or, if
// they do not agree, what the behaviour of the server shows.
func (c *Case) claimFromCardsOrBehaviour(name string, t *T) card.Answer {
	told := map[card.Answer]bool{}
	for _, s := range c.documents {
		if s.isCard() && s.Step.Agent != "" {
			told[c.ReadCard(Value{t: t, doc: s, node: s.Root}).Claims(name)] = true
		}
	}
	switch {
	case told[card.Yes] && !told[card.No]:
		return card.Yes
	case told[card.No] && !told[card.Yes]:
		return card.No
	}
	return c.inferClaimFromBehaviour(name)
}

// inferClaimFromBehaviour returns what the behaviour of the server shows about a claim.
func (c *Case) inferClaimFromBehaviour(name string) card.Answer {
	for p, s := range c.Transcript.Steps() {
		x := s.Exchange
		switch {
		case s.Invalid || x == nil || x.Dir != record.Out || c.isOtherBinding(p, s):
		case name == "streaming" && s.Op == "stream" && x.IsStream(),
			name == "push" && s.Op == "push-set" && x.Answered() && c.binding.Decode(s.Op, x).Result.Exists(),
			name == "auth" && s.As != "" && x.Standing() == 401:
			return card.Yes
		}
	}
	return card.Unclear
}

// Claimed reports whether the card makes all the claims; false without a card.
func (c *Case) Claimed(words ...string) bool {
	v, ok := c.Card()
	for _, w := range words {
		if is, err := c.ResolveClaim(w, v); !ok || err != nil || is != card.Yes {
			return false
		}
	}
	return ok
}

// Talks reports whether the agent answered all that was sent to it by messages
// that stand for themselves, and no task was ever seen.
func (c *Case) Talks() bool {
	if !c.Dialect.Sorted() {
		return false
	}
	messages := 0
	for _, s := range c.documents {
		if s.Kind != ReplyText && s.Kind != EventText {
			continue
		}
		op := s.Op
		if s.Kind == EventText {
			op = "event"
		}
		result := s.Answer.Result.Node
		switch sort, _ := binding.Content(c.Dialect, op, result); {
		case result == nil:
		case sort == "message":
			messages++
		case sort != "" || s.Op == "get" || s.Op == "send":
			return false
		}
	}
	return messages > 0
}

// NoTasks is the reason why sentences about tasks do not concern an agent.
const NoTasks = "the agent answers with messages and makes no tasks"

package judge

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// ReadCard is the one reading of a card that the server showed. What an answer
// rests on counts as looked at by the check.
func (c *Case) ReadCard(v Value) card.Card {
	read := card.Of(c.Dialect, v.node).CalledAt(c.Transcript.Facts.RPC).SpokenBy(c.binding.Name())
	if v.t == nil || !c.Track {
		return read
	}
	return read.Watched(func(pointer string) { Value{t: v.t, said: v.said, ptr: v.ptr + pointer}.read(false) })
}

// claimed tells whether the server claims what a word stands for; "no-" in front
// makes its opposite. Where the card is unclear, the cards of the server's single
// agents decide, or what it did.
func (c *Case) claimed(word string, v Value) (card.Answer, error) {
	name, negated := strings.CutPrefix(word, "no-")
	if _, ok := card.ClaimName(name); !ok {
		return card.No, fmt.Errorf("the catalogue claims %q, which is none of %s", word, strings.Join(card.Words(), ", "))
	}
	is := c.ReadCard(v).Claims(name)
	if is == card.Unclear {
		is = c.elsewhereClaimed(name, v.t)
	}
	switch {
	case negated && is == card.Yes:
		return card.No, nil
	case negated && is == card.No:
		return card.Yes, nil
	}
	return is, nil
}

// elsewhereClaimed is what the cards of single agents say of a claim or, where
// they do not agree, what the server's behaviour says.
func (c *Case) elsewhereClaimed(name string, t *T) card.Answer {
	told := map[card.Answer]bool{}
	for _, s := range c.said {
		if s.isCard() && s.Step.Agent != "" {
			told[c.ReadCard(Value{t: t, said: s, node: s.Root}).Claims(name)] = true
		}
	}
	switch {
	case told[card.Yes] && !told[card.No]:
		return card.Yes
	case told[card.No] && !told[card.Yes]:
		return card.No
	}
	return c.shown(name)
}

// shown is what the server's behaviour says of a claim.
func (c *Case) shown(name string) card.Answer {
	for _, p := range c.Transcript.Plays {
		for _, s := range p.Steps {
			x := s.Exchange
			switch {
			case s.Invalid || x == nil || x.Dir != wire.Out || c.foreign(&p, &s):
			case name == "streaming" && s.Op == "stream" && x.IsStream(),
				name == "push" && s.Op == "push-set" && x.Answered() && c.binding.Decode(s.Op, x).Result.Exists(),
				name == "auth" && s.As != "" && x.Standing() == 401:
				return card.Yes
			}
		}
	}
	return card.Unclear
}

// unclaimed is why a requirement that asks for a claim does not concern a server
// that does not make it.
func unclaimed(word string) string {
	return card.NotDeclared(word)
}

// Claimed reports whether the card makes all the claims; false without a card.
func (c *Case) Claimed(words ...string) bool {
	v, ok := c.Card()
	for _, w := range words {
		if is, err := c.claimed(w, v); !ok || err != nil || is != card.Yes {
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
	for _, s := range c.said {
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

package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var historyChecks = []judge.Check{
	judge.Define("history/given", "a history that was asked for is returned", historyGiven),
	judge.Define("history/limited", "a history is no longer than was asked for", historyLimited),
	judge.Define("history/latest", "a limited history holds the latest messages", historyLatest),
	judge.Define("history/order", "a history runs from the oldest message to the newest", historyOrder),
	judge.Define("history/holds", "a history holds messages of ours", historyHolds),
	judge.Define("history/keeps", "a history keeps the messages it had", historyKeeps),
}

// inside is what stands at a named place of a value whose kind the dialect
// describes, such as the role of a message.
func inside(t *judge.T, v judge.Value, kind, what string) []judge.Value {
	at, ok := t.Case.Dialect.Pointer(kind, what)
	if !ok {
		return nil
	}
	return v.Expand(at)
}

// textOf joins the texts of a message or artifact.
func textOf(t *judge.T, v judge.Value, kind string) string {
	var b strings.Builder
	for _, s := range inside(t, v, kind, "texts") {
		b.WriteString(s.Text())
	}
	return b.String()
}

// fromUser reports whether a message is the client's.
func fromUser(t *judge.T, m judge.Value) bool {
	roles := inside(t, m, "message", "role")
	return len(roles) == 1 && roles[0].Is("user")
}

// sentText is the text of the message that we sent in a step.
func sentText(t *judge.T, s judge.Step) string {
	at, _ := t.Case.Dialect.Pointer("request", "message")
	texts, _ := t.Case.Dialect.Pointer("message", "texts")
	var b strings.Builder
	for _, n := range expand(member(call(s), at), strings.Split(strings.TrimPrefix(texts, "/"), "/")) {
		b.WriteString(n.String)
	}
	return b.String()
}

func expand(n *wire.Node, path []string) []*wire.Node {
	switch {
	case n == nil:
		return nil
	case len(path) == 0:
		return []*wire.Node{n}
	case path[0] != "*":
		return expand(n.Member(path[0]), path[1:])
	}
	var out []*wire.Node
	for _, e := range n.Elems {
		out = append(out, expand(e, path[1:])...)
	}
	return out
}

// position is where a history holds the message that we sent in a step, or -1.
func position(t *judge.T, history []judge.Value, sent judge.Step) int {
	return slices.IndexFunc(history, func(m judge.Value) bool {
		return fromUser(t, m) && strings.Contains(textOf(t, m, "message"), sentText(t, sent))
	})
}

func sameMessage(t *judge.T, a, b judge.Value) bool {
	return fromUser(t, a) == fromUser(t, b) && textOf(t, a, "message") == textOf(t, b, "message")
}

type historyParams struct {
	onSteps
	Limit int `json:"limit"`
}

func historyGiven(t *judge.T, p historyParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result().Read("task.history")).To(matcher{fmt.Sprintf("a history of one to %d messages", p.Limit), func(v judge.Value) bool {
			return len(v.Elems()) > 0 && len(v.Elems()) <= p.Limit
		}, nil})
	})
}

func historyLimited(t *judge.T, p historyParams) {
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		if h := s.Result().Read("task.history"); h.IsArray() {
			of = append(of, h)
		}
	}
	judge.Each(t, of, func(h judge.Value) {
		t.Expect(h).To(matcher{fmt.Sprintf("at most %d of the messages", p.Limit), func(v judge.Value) bool { return len(v.Elems()) <= p.Limit },
			func(v judge.Value) string { return fmt.Sprintf("returned %d messages", len(v.Elems())) }})
	})
}

type latestParams struct {
	Looks []struct {
		One  string `json:"one"`
		Many string `json:"many"`
	} `json:"looks"`
}

func (p latestParams) StepNames() []string {
	var out []string
	for _, l := range p.Looks {
		out = append(out, l.One, l.Many)
	}
	return out
}

// historyLatest compares looks at one task where the longer history has at
// least two messages; that the shorter one has no more than one is judged
// elsewhere.
func historyLatest(t *judge.T, p latestParams) {
	type look struct{ one, last judge.Value }
	made := map[string]judge.Step{}
	for _, s := range t.Steps(p.StepNames()) {
		made[s.Play.Scenario+"/"+s.Name] = s
	}
	var of []look
	for _, l := range p.Looks {
		o, a := made[l.One]
		m, b := made[l.Many]
		if !a || !b {
			continue
		}
		one, many := o.Result().Read("task.history").Elems(), m.Result().Read("task.history").Elems()
		if len(one) == 1 && len(many) > 1 {
			of = append(of, look{one[0], many[len(many)-1]})
		}
	}
	judge.Each(t, of, func(l look) {
		t.Expect(l.one).To(matcher{"the latest message, " + l.last.Shown(), func(v judge.Value) bool { return sameMessage(t, v, l.last) }, nil})
	})
}

type orderParams struct {
	Step string   `json:"step"` // the look
	Of   []string `json:"of"`   // the steps in which the messages were sent
}

func (p orderParams) StepNames() []string { return append([]string{p.Step}, p.Of...) }

func historyOrder(t *judge.T, p orderParams) {
	h := t.Step(p.Step).Result().Read("task.history")
	if !h.IsArray() {
		t.Vacuous("no history was returned")
	}
	at := -1
	for _, n := range p.Of {
		next := position(t, h.Elems(), t.Step(n))
		if next < 0 {
			t.Stopped("the history lacks the message sent in %s, so that its order cannot be told", n)
		}
		if next < at {
			t.Fail(h.Elems()[next], "put the message sent in "+n+" before the one sent earlier", "the oldest message first")
		}
		at = next
	}
	t.OK(h)
}

func historyHolds(t *judge.T, p orderParams) {
	h := t.Step(p.Step).Result().Read("task.history")
	if !h.IsArray() {
		t.Vacuous("no history was returned")
	}
	for _, n := range p.Of {
		sent := t.Step(n)
		t.Expect(h).To(matcher{fmt.Sprintf("the client's message %q among them", judge.Shorten(sentText(t, sent), 80)),
			func(v judge.Value) bool { return position(t, v.Elems(), sent) >= 0 }, nil})
	}
}

func historyKeeps(t *judge.T, p pairParams) {
	had := t.Step(p.Step).Result().Read("task.history")
	has := t.Step(p.Then).Result().Read("task.history")
	if !has.IsArray() {
		t.Vacuous("no history was returned")
	}
	judge.Each(t, had.Elems(), func(m judge.Value) {
		t.Expect(has).To(matcher{"the earlier message " + m.Shown() + " among them", func(v judge.Value) bool {
			return slices.ContainsFunc(v.Elems(), func(o judge.Value) bool { return sameMessage(t, m, o) })
		}, nil})
	})
}

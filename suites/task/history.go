package task

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// messageRole returns the role of the sender that a message names.
func messageRole(t *judge.T, m judge.Value) string {
	for _, r := range observe.ExpandDialectPlace(t, m, "message", "role") {
		return r.Text()
	}
	return ""
}

// indexOfSentMessage returns the index in a history of the message that a step sent, or -1.
func indexOfSentMessage(t *judge.T, history []judge.Value, sentIn judge.Step) int {
	role, text := observe.SentMessageMember(t, sentIn, "role"), observe.SentText(t, sentIn)
	return slices.IndexFunc(history, func(m judge.Value) bool {
		return messageRole(t, m) == role && strings.Contains(observe.TextOf(t, m, "message"), text)
	})
}

// hasIDOfSent reports whether a message has the id of the one that a step sent.
func hasIDOfSent(t *judge.T, m judge.Value, s judge.Step) bool {
	return slices.ContainsFunc(observe.ExpandDialectPlace(t, m, "message", "id"), func(id judge.Value) bool { return id.Is(observe.SentMessageMember(t, s, "id")) })
}

func haveSameRoleAndText(t *judge.T, a, b judge.Value) bool {
	return messageRole(t, a) == messageRole(t, b) && observe.TextOf(t, a, "message") == observe.TextOf(t, b, "message")
}

type historyParams struct {
	observe.OnSteps
	Limit int `json:"limit"`
}

func checkHistoryReturnedWithinLimit(t *judge.T, p historyParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result().Read("task.history")).To(match.Should(fmt.Sprintf("a history of 1 to %d messages", p.Limit), func(v judge.Value) bool {
			return len(v.Elems()) > 0 && len(v.Elems()) <= p.Limit
		}, nil))
	})
}

func checkHistoryLength(t *judge.T, p historyParams) {
	var of []boundedHistory
	for _, s := range t.Steps(p.Steps) {
		if !asksForHistory(t, s, p.Limit) {
			continue
		}
		if h := s.Result().Read("task.history"); h.IsArray() {
			of = append(of, boundedHistory{h, p.Limit})
		}
	}
	expectHistoriesBounded(t, of, "returned %d messages")
}

// asksForHistory reports whether a call asks for so many messages. Those of a run do, as far as they say so; those of others
// have to say it.
func asksForHistory(t *judge.T, s judge.Step, limit int) bool {
	for _, at := range []string{"/historyLength", "/configuration/historyLength"} {
		if asked := observe.Params(s).At(at); asked != nil {
			return asked.Kind != record.Number || asked.Number == strconv.Itoa(limit)
		}
	}
	return t.Case.Transcript.Facts.Kind != record.TrafficKind
}

// boundedHistory is a history, and how many messages it may have.
type boundedHistory struct {
	judge.Value
	most int
}

// expectHistoriesBounded expects each history to be as short as it should be. The format is that
// of a failure's text, with the number of messages.
func expectHistoriesBounded(t *judge.T, histories []boundedHistory, format string) {
	judge.Each(t, histories, func(h boundedHistory) {
		t.Expect(h.Value).To(match.Should(fmt.Sprintf("at most %d of the messages", h.most), func(v judge.Value) bool { return len(v.Elems()) <= h.most },
			func(v judge.Value) string { return fmt.Sprintf(format, len(v.Elems())) }))
	})
}

// noteWhetherHistoryReturned finds the permission unused if the server returns no history.
func noteWhetherHistoryReturned(t *judge.T, p observe.OnStep) {
	result := t.Step(p.Step).Result()
	t.OK(result)
	if len(result.Read("task.history").Elems()) == 0 {
		t.StopUnused("it returns no history")
	}
}

type sentHistoryParams struct {
	observe.OnSteps
	At string `json:"at"` // the place in a call for the number of messages that it wants
}

func checkReplyHistoryLength(t *judge.T, p sentHistoryParams) {
	var of []boundedHistory
	for _, s := range t.Steps(p.Steps) {
		n := observe.Params(s).At(p.At)
		if h := s.Result().Read("task.history"); h.IsArray() && n != nil && n.Kind == record.Number {
			most, _ := strconv.Atoi(n.Number)
			of = append(of, boundedHistory{h, most})
		}
	}
	expectHistoriesBounded(t, of, "returned %d messages")
}

type noHistoryParams struct {
	observe.OnSteps
	Member bool `json:"member"` // the sentence is about the member for the messages, too
}

// checkNoHistory accepts an empty list as well as none.
func checkNoHistory(t *judge.T, p noHistoryParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result().Read("task.history")).To(match.Should("no messages, since 0 were asked for", func(v judge.Value) bool {
			return len(v.Elems()) == 0 && (!p.Member || !v.Exists() || v.IsArray())
		}, func(v judge.Value) string {
			if v.IsArray() {
				return fmt.Sprintf("returned %d messages", len(v.Elems()))
			}
			return "returned a history of " + v.Shown()
		}))
	})
}

type latestParams struct {
	Looks []struct {
		One  string `json:"one" step:"{}"`
		Many string `json:"many" step:"{}"`
	} `json:"looks"`
}

// checkHistoryIsLatest compares look-ups of one task whose longer history has at least two
// messages. Another requirement covers a shorter one with more than one message.
func checkHistoryIsLatest(t *judge.T, p latestParams) {
	type look struct{ one, last judge.Value }
	made := map[string]judge.Step{}
	var names []string
	for _, l := range p.Looks {
		names = append(names, l.One, l.Many)
	}
	for _, s := range t.Steps(names) {
		made[s.Play.Scenario+"/"+s.Name] = s
	}
	var of []look
	for _, l := range p.Looks {
		o, a := made[l.One]
		m, b := made[l.Many]
		if !a || !b {
			continue
		}
		if state := o.Result().Read("task.state"); t.Case.Dialect.State(state.Text()) != nil && !observe.IsTerminalOrInterrupted(t, state) {
			continue // there may be more messages by the later look
		}
		one, many := o.Result().Read("task.history").Elems(), m.Result().Read("task.history").Elems()
		if len(one) == 1 && len(many) > 1 {
			of = append(of, look{one[0], many[len(many)-1]})
		}
	}
	judge.Each(t, of, func(l look) {
		t.Expect(l.one).ComparedWith(l.last).To(match.Should("the latest message of the history", func(v judge.Value) bool { return haveSameRoleAndText(t, v, l.last) },
			func(v judge.Value) string {
				return fmt.Sprintf("returned %s, the whole history ends with %s", quoteMessage(t, v), quoteMessage(t, l.last))
			}))
	})
}

// describeMessageCountByRole counts the messages of a history by who sent them.
func describeMessageCountByRole(t *judge.T, history judge.Value) string {
	count := map[string]int{}
	for _, m := range history.Elems() {
		count[messageRole(t, m)]++
	}
	if len(count) == 0 {
		return "none"
	}
	var out []string
	for _, role := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%d of role %s", count[role], cmp.Or(role, "unknown")))
	}
	return shorten.Clip(strings.Join(out, ", "), 60)
}

// quoteMessage returns the role and the beginning of the text of a message.
func quoteMessage(t *judge.T, m judge.Value) string {
	return fmt.Sprintf("the %s's %q", messageRole(t, m), shorten.Clip(observe.TextOf(t, m, "message"), 12))
}

type orderParams struct {
	Step string   `json:"step" step:"{}"` // the look
	Of   []string `json:"of" step:"{}"`   // the steps in which the messages were sent
	ID   bool     `json:"id"`             // messages are known by their ids, not by what they say
	// Asked are the looks that show what the agent asked after the first of our messages and
	// before the next one.
	Asked []string `json:"asked" step:"{}"`
}

func checkHistoryOrder(t *judge.T, p orderParams) {
	h := t.Step(p.Step).Result().Read("task.history")
	observe.StopVacuousIf(t, !h.IsArray(), "no history was returned")
	at := -1
	for _, n := range p.Of {
		next := indexOfSentMessage(t, h.Elems(), t.Step(n))
		observe.StopUndecidedIf(t, next < 0, "the history lacks the message sent in %s, so its order is unknown", n)
		if next < at {
			t.Fail(h.Elems()[next], "put the message sent in "+n+" before the one sent earlier", "the oldest message first")
		}
		at = next
	}
	for _, look := range p.Asked {
		failIfQuestionMisplaced(t, p, t.Step(look).Result().Read("task.message"), h)
	}
	t.OK(h)
}

// failIfQuestionMisplaced expects the question of the agent before our answer to it. A history
// without the question has no order to judge.
func failIfQuestionMisplaced(t *judge.T, p orderParams, question, h judge.Value) {
	if observe.TextOf(t, question, "message") == "" {
		return
	}
	elems := h.Elems()
	at := slices.IndexFunc(elems, func(m judge.Value) bool { return haveSameRoleAndText(t, m, question) })
	ours, answer := indexOfSentMessage(t, elems, t.Step(p.Of[0])), indexOfSentMessage(t, elems, t.Step(p.Of[1]))
	switch {
	case at >= 0 && at > answer:
		t.Fail(elems[at], "put the agent's question after the answer that was sent in "+p.Of[1], "the oldest message first", question)
	case at >= 0 && at < ours:
		t.Fail(elems[at], "put the agent's question before the message sent in "+p.Of[0]+", which led to it", "the oldest message first", question)
	}
}

func checkHistoryHoldsSentUnordered(t *judge.T, p orderParams) {
	h := t.Step(p.Step).Result().Read("task.history")
	observe.StopVacuousIf(t, !h.IsArray(), "no history was returned")
	for _, n := range p.Of {
		s := t.Step(n)
		t.Expect(h).To(match.Should(fmt.Sprintf("a history that holds the client's message %q", shorten.Clip(observe.SentText(t, s), 40)),
			func(v judge.Value) bool {
				if p.ID {
					return slices.ContainsFunc(v.Elems(), func(m judge.Value) bool { return hasIDOfSent(t, m, s) })
				}
				return indexOfSentMessage(t, v.Elems(), s) >= 0
			}, func(v judge.Value) string { return "sent a history with messages: " + describeMessageCountByRole(t, v) }))
	}
}

func checkHistoryKeepsMessages(t *judge.T, p observe.PairParams) {
	had := t.Step(p.Step).Result().Read("task.history")
	has := t.Step(p.Then).Result().Read("task.history")
	observe.StopVacuousIf(t, !has.IsArray(), "no history was returned")
	judge.Each(t, had.Elems(), func(m judge.Value) {
		t.Expect(has).ComparedWith(m).To(match.Should("a history that still holds the earlier messages", func(v judge.Value) bool {
			return slices.ContainsFunc(v.Elems(), func(o judge.Value) bool { return haveSameRoleAndText(t, m, o) })
		}, nil))
	})
}

// checkHistoryTextUnchanged finds our messages by the word that only they hold, or by their ids.
func checkHistoryTextUnchanged(t *judge.T, p orderParams) {
	type pair struct {
		judge.Value
		sent string
	}
	var of []pair
	for _, n := range p.Of {
		text := observe.SentText(t, t.Step(n))
		word := slices.IndexFunc(strings.Fields(text), func(w string) bool { return strings.HasPrefix(w, "token-") })
		for _, m := range t.Step(p.Step).Result().Read("task.history").Elems() {
			byWord := func() bool {
				return word >= 0 && messageRole(t, m) == observe.SentMessageMember(t, t.Step(n), "role") && strings.Contains(observe.TextOf(t, m, "message"), strings.Fields(text)[word])
			}
			if p.ID && hasIDOfSent(t, m, t.Step(n)) || !p.ID && byWord() {
				of = append(of, pair{m, text})
			}
		}
	}
	judge.Each(t, of, func(m pair) {
		t.Expect(m.Value).To(match.Should(fmt.Sprintf("the text as it was sent, ending in %q", lastRunes(m.sent, 30)),
			func(v judge.Value) bool { return observe.TextOf(t, v, "message") == m.sent },
			func(v judge.Value) string {
				return fmt.Sprintf("returned the text %q", shorten.Visible(observe.TextOf(t, v, "message"), 160))
			}))
	})
}

// lastRunes returns the end of a text, in whole characters.
func lastRunes(s string, most int) string {
	r := []rune(s)
	return string(r[max(0, len(r)-most):])
}

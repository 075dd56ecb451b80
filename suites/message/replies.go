package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// messageReplies returns the results of the steps that are such messages.
func messageReplies(t *judge.T, p observe.OnSteps) []judge.Value {
	return judge.Filter(judge.Map(t.Steps(p.Steps), judge.Step.Result), observe.IsMessage)
}

type replyRoleParams struct {
	observe.OnSteps
	Role string `json:"role"`
}

func checkReplyRole(t *judge.T, p replyRoleParams) {
	judge.Each(t, messageReplies(t, p.OnSteps), func(v judge.Value) { t.Expect(v.Read("role")).To(match.BeText(p.Role)) })
}

func checkReplyIDNotClients(t *judge.T, p observe.OnSteps) {
	judge.Each(t, messageReplies(t, p), func(v judge.Value) {
		ours := observe.SentMessageMember(t, t.Step(v.Document().Play.Scenario+"/"+v.Document().Step.Name), "id")
		t.Expect(v.Read("id")).To(match.Should("a messageId that is not the one of the client's message", func(v judge.Value) bool {
			return v.Text() != "" && v.Text() != ours
		}, nil))
	})
}

type replyContextParams struct {
	observe.OnSteps
	Tolerated bool `json:"tolerated"` // that it names none is a finding only
}

func checkReplyNamesContext(t *judge.T, p replyContextParams) {
	judge.Each(t, messageReplies(t, p.OnSteps), func(v judge.Value) {
		if context := v.Read("task.context"); p.Tolerated && !context.Exists() {
			t.Tolerate(v, "a message that answers a call names no context")
			return
		}
		t.Expect(v.Read("task.context")).To(match.BeNonEmptyString())
	})
}

type contextNamedParams struct {
	observe.OnPlays
	Types []struct {
		Type     string   `json:"type"`     // what holds messages
		Messages []string `json:"messages"` // their places
	} `json:"types"`
	Context string `json:"context"` // in a message, and in what holds it
	Role    string `json:"role"`    // the role of the agent
}

// checkMessagesNameContext leaves the context that a message names to another requirement.
func checkMessagesNameContext(t *judge.T, p contextNamedParams) {
	type message struct {
		judge.Value
		holder judge.Value
	}
	var of []message
	for _, d := range p.Types {
		for _, holder := range p.Instances(t, d.Type) {
			for _, at := range d.Messages {
				for _, m := range holder.Expand(at) {
					if slices.ContainsFunc(observe.ExpandDialectPlace(t, m, "message", "role"), func(r judge.Value) bool { return r.Is(p.Role) }) {
						of = append(of, message{m, holder})
					}
				}
			}
		}
	}
	judge.Each(t, of, func(m message) {
		context := m.holder.At(p.Context)
		if !context.Exists() && !m.At(p.Context).Exists() {
			t.Tolerate(m.Value, "a message in a task that names no context names none either")
			return
		}
		t.Expect(m.At(p.Context)).ComparedWith(context).To(match.BeNonEmptyString())
	})
}

type holderParams struct {
	observe.OnPlays // that have to be held; messages are looked at wherever they are sent
	messagesIn
	Also []messagesIn `json:"also"` // further definitions that hold messages
}

// messagesIn names the places of messages in a definition, and the members that they have to
// repeat.
type messagesIn struct {
	Type     string   `json:"type"`
	Messages []string `json:"messages"`
	Names    []heldBy `json:"names"`
}

type heldBy struct {
	Member string `json:"member"` // of a message, which names …
	Holder string `json:"holder"` // … this member of what holds it
}

// checkMessagesMatchHolderIDs reads every task and update of the run, in replies, lists, streams and
// deliveries. It leaves out tasks that were touched by a call which contradicts what was agreed
// on before.
func checkMessagesMatchHolderIDs(t *judge.T, p holderParams) {
	type naming struct {
		named, holder judge.Value
		as, around    string
	}
	var of []naming
	mixed := observe.ContradictedTasks(t)
	for _, in := range append([]messagesIn{p.messagesIn}, p.Also...) {
		for _, v := range p.Instances(t, in.Type) {
			if s := v.Document().Step; s != nil && mixed[s.Task] {
				continue
			}
			for _, at := range in.Messages {
				for _, m := range v.Expand(at) {
					for _, pair := range in.Names {
						named, holder := m.At(pair.Member), v.At(pair.Holder)
						if !named.IsString() || !holder.IsString() || mixed[holder.Text()] || !named.Equal(holder) && isOurMessage(t, m, pair.Member) {
							continue
						}
						of = append(of, naming{named, holder, strings.TrimPrefix(pair.Holder, "/"), in.Type})
					}
				}
			}
		}
	}
	judge.Each(t, of, func(n naming) {
		t.Expect(n.named).ComparedWith(n.holder).To(match.Should("the "+n.as+" of the "+n.around+" around it, "+n.holder.Shown(), n.holder.Equal, nil))
	})
}

// isOurMessage reports whether a message is one that we sent, with the member as we wrote it:
// that a server accepted it is not for this check. A list shows the messages of other
// conversations, too.
func isOurMessage(t *judge.T, m judge.Value, at string) bool {
	where, _ := t.Case.Dialect.Pointer("request", "message")
	named, _ := t.Case.Dialect.Pointer("message", "id")
	id := m.At(named)
	if !id.IsString() {
		return false
	}
	for _, s := range observe.TranscriptSteps(t) {
		if s.Exchange == nil {
			continue
		}
		ours := t.Case.Binding().Sent(s.Exchange).Params.At(where)
		if n := ours.At(named); n == nil || n.String != id.Text() {
			continue
		}
		if n := ours.At(at); n != nil && n.String == m.At(at).Text() {
			return true
		}
	}
	return false
}

type modesParams struct {
	Step     string            `json:"step" step:"{}"`
	Accepted string            `json:"accepted"` // the place in a call for the types that it accepts
	File     observe.TypePlace `json:"file"`     // the place for the type of a file
	Data     string            `json:"data"`     // the definition of a part that is JSON
	DataAt   string            `json:"dataAt"`   // the place for the JSON of such a part, if any part may have it
}

// checkReplyTypesAccepted does not judge plain text, which has no type.
func checkReplyTypesAccepted(t *judge.T, p modesParams) {
	s := t.Step(p.Step)
	var accepted []string
	if n := observe.Params(s).At(p.Accepted); n != nil && n.Kind == record.Array {
		for _, e := range n.Elems {
			accepted = append(accepted, strings.ToLower(e.String))
		}
	}
	type typed struct {
		judge.Value
		is string
	}
	var of []typed
	for _, file := range t.Instances(p.File.Type) {
		if kind := file.At(p.File.At); file.Exchange() == s.Exchange && kind.IsString() {
			of = append(of, typed{kind, kind.Text()})
		}
	}
	for _, part := range t.Instances(p.Data) {
		if part.Exchange() == s.Exchange {
			of = append(of, typed{part, "application/json"})
		}
	}
	for _, part := range t.Instances(p.File.Type) {
		if p.DataAt != "" && part.Exchange() == s.Exchange && part.At(p.DataAt).Exists() && !part.At(p.File.At).IsString() {
			of = append(of, typed{part, "application/json"})
		}
	}
	judge.Each(t, of, func(v typed) {
		kind, _, _ := strings.Cut(strings.ToLower(v.is), ";")
		t.Expect(v.Value).To(match.Should("one of the accepted types, "+strings.Join(accepted, ", "), func(judge.Value) bool {
			return slices.ContainsFunc(accepted, func(a string) bool { return matchesMediaRange(a, strings.TrimSpace(kind)) })
		}, func(judge.Value) string {
			return fmt.Sprintf("answered with a part of the type %s", shorten.Visible(v.is, 60))
		}))
	})
}

// matchesMediaRange reports whether a media type is covered by a range such as image/*.
func matchesMediaRange(accepted, kind string) bool {
	if prefix, wild := strings.CutSuffix(accepted, "*"); wild {
		return strings.HasPrefix(kind, prefix) || prefix == "*/"
	}
	return accepted == kind
}

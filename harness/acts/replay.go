package acts

import (
	"context"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Replay judges the tests of the set again by the record of an earlier run, without a network. The documents and the
// environment have to be those of that run.
func (r *Run) Replay(t *record.Transcript) error {
	if t.Facts.Role == record.ClientRole {
		return r.JudgeClient(t)
	}
	d, err := schema.Load(t.Facts.Dialect)
	if err != nil {
		return err
	}
	writer, err := dialect.For(d.Name)
	if err != nil {
		return err
	}
	binding.RegisterRecordTranslators(d)
	for _, test := range r.set.Tests() {
		last := map[string]*record.Play{} // by binding
		for i := range t.Plays {
			if p := &t.Plays[i]; p.Scenario == r.names[test] {
				last[p.Subject.Binding] = p
			}
		}
		for name, play := range last {
			b := binding.ByNameOrDefault(d, name)
			rpc := t.Facts.Endpoints[name]
			if rpc == "" {
				rpc = t.Facts.RPC
			}
			setting := &conversation.Setting{Dialect: d, Binding: b, Writer: writer, RPC: rpc, Base: t.Facts.Target, Hand: -1, Secrets: t.Facts.Secrets,
				Card: card.Of(d, findRecordedCard(t)).CalledAt(rpc), Own: func(string) bool { return true }}
			setting.Tenant = setting.Card.Tenant(rpc)
			if t.Facts.Webhook != "" {
				setting.Receiver = &client.Receiver{} // that there is one is all that a test asks for
			}
			setting.CardURL = findPublishedCard(t)
			p := newPlayer(&conversation.Conversation{Setting: setting, Context: context.Background(), Play: &record.Play{Scenario: play.Scenario, Subject: play.Subject}}, test, r.env)
			p.recorded, p.webhook = play, findRecordedWebhook(play, t.Facts.Webhook)
			r.keepResult(p, p.playTest())
		}
	}
	return nil
}

// findRecordedCard returns the first agent card on a record, nil if there is none.
func findRecordedCard(t *record.Transcript) *record.Node {
	for _, s := range t.Steps() {
		if s.Op == "card" && s.Exchange != nil && s.Exchange.Status() == http.StatusOK {
			return s.Exchange.Reply().Root
		}
	}
	return nil
}

// findPublishedCard returns the address at which a card was found or looked for during the discovery; "" if the only card is
// one that the operator gave, and not the server's own.
func findPublishedCard(t *record.Transcript) string {
	play := t.Play(discoveryPlay)
	if play == nil {
		return ""
	}
	for _, s := range play.Steps {
		if s.Op == "card" && s.Exchange != nil && s.Exchange.Status() == http.StatusOK && !s.Elsewhere {
			return s.Exchange.URL
		}
	}
	if play.Step("configured") != nil {
		return ""
	}
	return t.Facts.Target
}

// findRecordedWebhook returns the URL of our webhook that the calls of a play had.
func findRecordedWebhook(play *record.Play, base string) string {
	if base == "" {
		base = conversation.Nowhere
	}
	for _, s := range play.Steps {
		if s.Exchange == nil {
			continue
		}
		text := string(s.Exchange.CallText())
		if i := strings.Index(text, base); i >= 0 {
			url, _, _ := strings.Cut(text[i:], `"`)
			return url
		}
	}
	return base
}

// sendCall makes the call of a step, or finds it on the record.
func (p *player) sendCall(step conversation.Step, call client.Call) *conversation.Reply {
	if p.recorded == nil {
		return p.c.Send(step, call)
	}
	return p.findRecorded(step.Name, step.Op)
}

// fetchCard fetches the agent card, or finds it on the record.
func (p *player) fetchCard(name string) *conversation.Reply {
	if p.recorded == nil {
		return p.c.Get(name, "card", p.c.CardURL)
	}
	return p.findRecorded(name, "card")
}

// findRecorded returns the answer of a step on the record.
func (p *player) findRecorded(name, op string) *conversation.Reply {
	step := p.recorded.Step(name)
	switch {
	case step == nil:
		return &conversation.Reply{Exchange: &record.Exchange{}, NotSent: "the record has no step " + name}
	case step.Exchange == nil:
		return &conversation.Reply{Exchange: &record.Exchange{}, NotSent: step.NotSent}
	}
	r := &conversation.Reply{Exchange: step.Exchange}
	if !r.IsStream() && r.Answered() {
		r.Answer = p.c.CallBinding().Decode(op, r.Exchange).AsResponse()
	}
	return r
}

// noteExchange notes when the exchanges of a step began and ended.
func (p *player) noteExchange(x *record.Exchange) {
	if p.began < 0 {
		p.began = x.Start
	}
	p.ended = x.End
}

package relay

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Halves are the two records of a relay. Each step has the same name in both.
type Halves struct {
	Client *record.Transcript // what the client sent, and what it was given
	Server *record.Transcript // what the server was sent, and what it answered
	Notes  []string           // what did not pass through the relay, and what was left as it is
}

// The plays of the records.
const (
	CardPlay = "card"  // of the server's: the card was fetched
	TalkPlay = "cross" // everything else, and all that the client did
)

// Halve returns the two records of what passed, sealed. run is how the program of the client fared. Close the relay
// first.
func (r *Relay) Halve(run record.ClientRun) Halves {
	d := r.cfg.Dialects[0]
	kept, surplus := r.listener.ListExchanges()
	run.Surplus = surplus
	if run.Patience {
		serve.ExcuseEnded(kept, run.Started+r.cfg.Patience)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	facts := record.Facts{Kind: "url", Dialect: d.Name, Target: r.cfg.Upstream}
	h := Halves{Notes: slices.Clone(r.notes),
		Client: &record.Transcript{Started: r.cfg.Started, Facts: facts, Exchanges: kept},
		Server: &record.Transcript{Started: r.cfg.Started, Facts: facts}}
	h.Client.Facts.Role, h.Client.Facts.Command = record.ClientRole, run.Command
	fetched, talk := record.Play{Scenario: CardPlay, Attempt: 1}, record.Play{Scenario: TalkPlay, Attempt: 1}
	own := record.Play{Scenario: TalkPlay, Attempt: 1, Client: &run}
	cards := r.readCards(kept)
	count := map[string]int{}
	for _, x := range kept {
		step := r.recogniseRequest(d, cards, x)
		step.Name = record.NumberStep(count, step.Name)
		own.Steps = append(own.Steps, step)
		out := r.findOutgoing(x)
		if out == nil {
			continue
		}
		if step.Exchange = out; step.Op == CardPlay {
			fetched.Steps = append(fetched.Steps, step)
		} else {
			talk.Steps = append(talk.Steps, step)
		}
		h.Server.Exchanges = append(h.Server.Exchanges, out)
		if step.Binding != "" && !slices.Contains(h.Server.Facts.Bindings, step.Binding) {
			h.Server.Facts.Bindings = append(h.Server.Facts.Bindings, step.Binding)
		}
	}
	own.Reached = serve.ListMilestones(&own)
	h.Client.Plays = []record.Play{own}
	for _, p := range []record.Play{fetched, talk} {
		if len(p.Steps) > 0 {
			h.Server.Plays = append(h.Server.Plays, p)
		}
	}
	for _, t := range []*record.Transcript{h.Client, h.Server} {
		t.Duration = max(time.Since(r.cfg.Started), run.Ended)
		if r.cfg.Redact != nil {
			r.cfg.Redact.Transcript(t)
		}
		t.Seal()
	}
	return h
}

// findOutgoing returns the exchange by which a request of the client was passed on. The caller holds r.mu.
func (r *Relay) findOutgoing(x *record.Exchange) *record.Exchange {
	i := slices.IndexFunc(r.calls, func(p passed) bool { return p.at == x.Start && p.url == x.URL })
	if i < 0 {
		return nil
	}
	return r.calls[i].out
}

// cardOf is a card as one dialect reads it.
type cardOf struct {
	dialect *schema.Dialect
	card    card.Card
}

// readCards returns the cards that the client was given, and the one that was known before.
func (r *Relay) readCards(kept []*record.Exchange) (out []cardOf) {
	texts := [][]byte{}
	for _, x := range kept {
		if r.isCardPath(pathOf(x.URL)) && x.Status() == 200 {
			texts = append(texts, x.Response.Body)
		}
	}
	if r.given != nil {
		texts = append(texts, r.given)
	}
	for _, text := range texts {
		root, _ := record.ObserveJSON(text)
		for _, d := range r.cfg.Dialects {
			if root != nil && root.Kind == record.Object {
				out = append(out, cardOf{d, card.Of(d, root)})
			}
		}
	}
	return out
}

// recogniseRequest returns the step of a request: by the address to which it went, and by what it asks for there.
func (r *Relay) recogniseRequest(d *schema.Dialect, cards []cardOf, x *record.Exchange) record.Step {
	step := record.Step{Name: "stray", Role: record.Main, Exchange: x}
	if r.isCardPath(pathOf(x.URL)) {
		step.Name, step.Op = CardPlay, CardPlay
		return step
	}
	nearest := -1
	for _, c := range cards {
		for _, i := range slices.Concat(c.card.Interfaces(), c.card.Entries()) {
			is, known := c.dialect.Bindings[i.Transport()]
			_, spoken := d.Bindings[i.Transport()]
			base := pathOf(i.URL())
			if !known || !spoken || is.Kind == schema.KindGRPC || !i.Covers(x.URL) || len(base) <= nearest {
				continue
			}
			if is.Kind == schema.KindJSONRPC && strings.TrimSuffix(pathOf(x.URL), "/") != base {
				continue // it has one address
			}
			nearest = len(base)
			step.Name, step.Op, step.Binding = "call", "", i.Transport()
			if sent := binding.ByNameOrDefault(d, i.Transport()).Sent(x); sent.Op != "" {
				step.Op, step.Name = sent.Op, serve.StepWord(sent.Op)
			}
		}
	}
	return step
}

// pathOf returns the path of an address, as it was written, without a slash at its end.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

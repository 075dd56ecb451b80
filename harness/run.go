package harness

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

type runner struct {
	target target
	given  *record.Exchange // the card, where the operator has it in a file
	// webhookCert is of the operator, for the webhook.
	webhookCert *tls.Certificate
	client      *client.Client
	started     time.Time
	redact      *redact.Redactor
	// credential is what the server is to show at our webhook, and invented what
	// strangers show to it.
	credential redact.Secret
	invented   madeUp
	farewell   func() context.Context // the time for canceling tasks, once the run was interrupted
	stopped    func() bool            // the run was interrupted
	load       func(string) (*schema.Dialect, error)
	all        func(*schema.Dialect) []conversation.Scenario

	guarded    bool     // the card is kept from whoever shows no credentials that the server takes
	unresolved []string // hosts that the card names and that cannot be found

	ledger ledger

	mu     sync.Mutex
	waited map[string]float64
	done   int
	fault  error // a panic of a scenario
}

// recordScenarios holds the conversations of the named scenarios. What has been said so far is in the
// ledger.
func (r *runner) recordScenarios(ctx context.Context, f *found, names []string) (*schema.Dialect, *record.Transcript, error) {
	target, started, redact, credential := r.target, r.started, r.redact, r.credential
	if slices.Contains(target.Never, "quick") && !f.dialect.Actions {
		return nil, nil, usage("declares.never must not contain quick: every agent that speaks %s answers some harmless message; give that message with stimuli: {quick: {text: …}} instead", f.dialect.Title)
	}
	writer, err := dialect.For(f.dialect.Name)
	if err != nil {
		return nil, nil, err
	}
	receiver, err := target.openWebhook(started, redact, r.webhookCert)
	if err != nil {
		return nil, nil, err
	}
	if receiver != nil {
		defer receiver.Close()
	}
	go f.dialect.Shapes() // what was said is judged by them: they are compiled meanwhile
	hand := dialect.DrawHand(target.IDs)
	var hooks []func() []*conversation.Hook
	setting := func(with subject) *conversation.Setting {
		read := card.Of(f.dialect, with.card).CalledAt(with.rpc)
		if with.binding != nil {
			read = read.SpokenBy(with.binding.Name())
		}
		limit, words := target.RateLimit, target.Declarations
		if limit == nil {
			if limit = cardLimit(read); limit != nil {
				r.client.Pace().Announce(*limit)
				words = append(slices.Clone(words), "rate-limit")
			}
		}
		out := &conversation.Setting{
			Client: r.client, Dialect: f.dialect, Binding: with.binding, Writer: writer, RPC: with.rpc, Base: base(target.URL, f.dialect), Header: target.header(),
			Stimuli: target.stimuli(f.dialect), Card: read, Claimed: claimer(read, with.rpc), Wait: r.wait, Words: words, Allow: target.Allow,
			Receiver: receiver, Credential: credential.Value,
			Callers: target.callers(read, r.invented), Limit: limit,
			CardURL: f.handedOut, Tenant: read.Tenant(with.rpc),
			Own: func(address string) bool {
				return sameOrigin(parse(address), parse(target.URL)) || r.namedHost(parse(address))
			},
			Near:   func(address string) bool { return r.trusts(parse(target.URL), parse(address)) },
			Naming: target.IDs, Hand: hand,
			Keys:  target.CardKey == record.KeysFromHeader,
			Paths: f.paths, Agent: target.Agent, Farewell: r.farewell,
		}
		for _, secret := range target.own() {
			out.Secrets = append(out.Secrets, secret.Value)
		}
		// A client that speaks at all to an agent asks for what it requires.
		if _, uris := read.Requestable(); len(uris) > 0 {
			for _, h := range append(slices.Collect(maps.Values(out.Callers)), out.Header) {
				h.Set(f.dialect.Card.ExtensionHeader, strings.Join(uris, ", "))
			}
		}
		hooks = append(hooks, out.Hooks)
		return out
	}
	casts, err := r.casts(ctx, f, setting, names)
	if err != nil {
		return r.recordMistake(err)
	}
	transcript := &record.Transcript{Started: started, Facts: r.facts(f, setting(subject{}))}
	transcript.Facts.Withheld = r.clean(f.withheld)
	for _, c := range casts {
		for _, name := range c.spoken() {
			if !slices.Contains(transcript.Facts.Bindings, name) {
				transcript.Facts.Bindings = append(transcript.Facts.Bindings, name)
			}
		}
	}
	if facts := &transcript.Facts; len(facts.Bindings) > 1 && len(facts.Agents) == 0 {
		facts.Endpoints = map[string]string{}
		for _, c := range casts {
			facts.Endpoints[c.binding] = c.setting.RPC
			for _, other := range c.others() {
				facts.Endpoints[other.Binding.Name()] = other.RPC
			}
		}
	}
	if facts := &transcript.Facts; len(facts.Bindings) == 1 && len(facts.Agents) == 0 {
		facts.RPC = casts[0].setting.RPC
	}
	r.ledger.open(f, transcript.Facts)
	transcript.Plays = append(transcript.Plays, f.plays...)
	transcript.Plays = append(transcript.Plays, r.play(ctx, casts)...)
	if held := r.client.Pace().Held(); held > 0 {
		r.wait("the server's rate limit", held)
	}
	transcript.Facts.Waited = r.waited
	if receiver != nil {
		receiver.Close() // what comes now comes too late
	}
	for _, of := range hooks {
		deliveries(transcript, of())
	}
	if r.fault != nil {
		return nil, nil, r.fault
	}
	return f.dialect, transcript, nil
}

// webhookCredential makes what servers are to show to our webhook. It can be shown in
// both schemes that are in use: it is a name and a password as Basic has them, and
// opaque to Bearer.
func webhookCredential(password string) string {
	return base64.StdEncoding.EncodeToString([]byte("subscribers:" + password))
}

// deliveries adds to each play what was delivered to its webhooks.
func deliveries(t *record.Transcript, hooks []*conversation.Hook) {
	for _, h := range hooks {
		i := slices.IndexFunc(t.Plays, func(p record.Play) bool {
			return p.Scenario == h.Play && p.Attempt == h.Attempt && p.Subject == h.Subject
		})
		if i < 0 || h.Inbox == nil {
			continue
		}
		for n, x := range h.Inbox.Deliveries() {
			t.Plays[i].Steps = append(t.Plays[i].Steps, record.Step{Name: fmt.Sprintf("%s-%d", h.Name, n+1), Role: record.Main,
				Op: conversation.Delivery, Hook: h.Name, Task: h.Task, Exchange: x})
		}
	}
}

func (r *runner) facts(f *found, s *conversation.Setting) record.Facts {
	t := r.target
	facts := record.Facts{Tool: t.Version, Kind: "url", Target: t.URL, RPC: f.rpc, Dialect: "auto", Never: t.Never,
		Operator: t.Declarations, RateLimit: t.RateLimit, Timeouts: t.Timeouts, Insecure: t.InsecureSkipVerify, Disguise: t.CompareUserAgents, CardKey: t.CardKey, Tried: f.tried,
		Salt: t.IDs.Salt, Given: t.givenFlags(), Lead: f.lead, Guarded: r.guarded}
	if f.dialect != nil {
		facts.Dialect, facts.Stimuli, facts.Catalogue = f.dialect.Name, s.Stimuli, f.dialect.Digest
		facts.Offers, facts.Instead = f.offers, f.instead
	}
	if t.Bundled {
		facts.Kind = "bundled"
	}
	if s != nil && s.Receiver != nil {
		facts.Webhook = s.Receiver.Base()
	}
	for _, s := range f.subjects {
		facts.Agents = append(facts.Agents, s.name)
	}
	if len(f.subjects) == 1 {
		facts.RPC = f.subjects[0].rpc
	}
	for _, a := range t.Allow {
		facts.Allow = append(facts.Allow, string(a))
	}
	for _, s := range t.secrets() {
		if !slices.Contains(facts.Secrets, s.Name) {
			facts.Secrets = append(facts.Secrets, s.Name)
		}
	}
	if len(facts.Secrets) == 0 { // nobody can vouch for credentials that are not there
		facts.Operator = slices.DeleteFunc(slices.Clone(facts.Operator), func(word string) bool { return word == "credentials" })
	}
	for _, way := range slices.Sorted(maps.Keys(t.ways())) {
		facts.Ways = append(facts.Ways, string(way))
	}
	return facts
}

// claimer tells a scenario what to try: what the card claims, and what it leaves
// open. Whether calls go by https their address says, which need not be the card's.
func claimer(c card.Card, rpc string) func(...string) bool {
	lacks := func(word string) bool {
		if word == "https" {
			return !strings.HasPrefix(rpc, "https:")
		}
		return c.Claims(word) == card.No
	}
	return func(words ...string) bool { return !slices.ContainsFunc(words, lacks) }
}

func (r *runner) wait(window string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waited[window] += d.Seconds()
}

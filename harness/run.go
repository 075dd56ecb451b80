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
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/schedule"
	"github.com/a2a-conform/a2a-conform/schema"
)

type runner struct {
	target       target
	cardFromFile *record.Exchange // the card, if the operator gave it as a file
	// webhookCert is the operator's certificate for the webhook.
	webhookCert *tls.Certificate
	client      *client.Client
	started     time.Time
	redact      *redact.Redactor
	// credential is what the server has to send to the webhook; fakeClient is what calls of
	// another client send to the server.
	credential     redact.Secret
	fakeClient     fakeCredentials
	cleanupContext func() context.Context // returns the context for canceling tasks after an interruption
	isInterrupted  func() bool            // reports whether the run was interrupted
	loadDialect    func(string) (*schema.Dialect, error)
	scenarios      func(*schema.Dialect) []conversation.Scenario

	needsCredentials bool     // the server refuses the card with 401
	unresolved       []string // hosts on the card that do not resolve

	countDecided schedule.CountDecided

	builder transcriptBuilder

	mu     sync.Mutex
	waited map[string]float64
}

// recordScenarios performs the named scenarios and returns their transcript. The builder has what
// was recorded if it does not return in time.
func (r *runner) recordScenarios(ctx context.Context, f *discovery, names []string) (*schema.Dialect, *record.Transcript, error) {
	if slices.Contains(r.target.Never, "quick") && !f.dialect.Actions {
		return nil, nil, usageErrorf("declares.never must not contain quick: every agent of %s answers some harmless message; give that message with stimuli: {quick: {text: …}} instead", f.dialect.Title)
	}
	settings, err := r.newSettingsAndOpenWebhook(f)
	if err != nil {
		return nil, nil, err
	}
	defer settings.closeWebhook()
	go f.dialect.Shapes() // The judge needs the schemas, so they are compiled meanwhile.
	assignments, err := r.assignScenariosToAgents(ctx, f, settings.newSetting, names)
	if err != nil {
		return r.recordMistake(err)
	}
	options := schedule.Options{Pace: r.client.Pace(), IDs: r.target.IDs, Allow: r.target.Allow, Concurrency: r.target.Concurrency,
		Retries: r.target.playRetryCount(), Progress: r.target.Progress, Awaits: r.target.Awaits, Record: &r.builder, Messages: settings.messages, Decided: r.countDecided}
	assignments = schedule.LeaveOutUnaffordable(r.target.MaxMessages, options, assignments)
	transcript := &record.Transcript{Started: r.started, Facts: r.newFacts(f, settings.newSetting(agentTarget{}))}
	transcript.Facts.Withheld = r.redactWithheld(f.withheld)
	addBindings(&transcript.Facts, assignments)
	r.builder.completeDiscovery(f, transcript.Facts)
	plays, fault := schedule.Run(ctx, options, assignments)
	transcript.Plays = slices.Concat(f.plays, plays)
	if held := r.client.Pace().Held(); held > 0 {
		r.addWait("the server's rate limit", held)
	}
	transcript.Facts.Waited = r.waited
	settings.closeWebhook() // Later deliveries do not count.
	for _, s := range settings.made {
		addDeliverySteps(transcript, s.Hooks())
	}
	if fault != nil {
		return nil, nil, fault
	}
	return f.dialect, transcript, nil
}

// addBindings records which bindings are called, and at which address each.
func addBindings(facts *record.Facts, assignments []schedule.Assignment) {
	for _, a := range assignments {
		for _, name := range a.Bindings() {
			if !slices.Contains(facts.Bindings, name) {
				facts.Bindings = append(facts.Bindings, name)
			}
		}
	}
	switch {
	case len(facts.Agents) > 0:
	case len(facts.Bindings) == 1:
		facts.RPC = assignments[0].Setting.RPC
	case len(facts.Bindings) > 1:
		facts.Endpoints = map[string]string{}
		for _, a := range assignments {
			facts.Endpoints[a.Binding] = a.Setting.RPC
			for _, other := range a.FurtherSettings() {
				facts.Endpoints[other.Binding.Name()] = other.RPC
			}
		}
	}
}

// webhookCredential returns the credential that servers send to the webhook. It is valid in both
// schemes in use: as a name and a password for Basic, and as an opaque token for Bearer.
func webhookCredential(password string) string {
	return base64.StdEncoding.EncodeToString([]byte("subscribers:" + password))
}

// addDeliverySteps adds the deliveries to webhooks to the plays that registered them.
func addDeliverySteps(t *record.Transcript, hooks []*conversation.Hook) {
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

func (r *runner) newFacts(f *discovery, s *conversation.Setting) record.Facts {
	t := r.target
	facts := record.Facts{Tool: t.Version, Kind: "url", Target: t.URL, RPC: f.rpc, Dialect: "auto", Never: t.Never,
		Operator: t.Declarations, RateLimit: t.RateLimit, Timeouts: t.Timeouts, Insecure: t.InsecureSkipVerify, Disguise: t.CompareUserAgents, CardKey: t.CardKey, Tried: f.tried,
		Messages: t.MaxMessages, Salt: t.IDs.Salt, Given: t.givenFlags(), Lead: f.lead, Guarded: r.needsCredentials, Proxy: t.proxyInUse()}
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
	if len(facts.Secrets) == 0 { // Without credentials, declaring them valid means nothing.
		facts.Operator = slices.DeleteFunc(slices.Clone(facts.Operator), func(word string) bool { return word == "credentials" })
	}
	for _, way := range slices.Sorted(maps.Keys(t.splitIdentitiesByCredentialKind())) {
		facts.Ways = append(facts.Ways, string(way))
	}
	return facts
}

// newNoClaimDeniedPredicate returns a function that reports whether scenarios with some claims are tried: the
// card makes the claims or leaves them open. The claim https depends on the RPC URL, not on the
// card.
func newNoClaimDeniedPredicate(c card.Card, rpc string) func(...string) bool {
	lacks := func(word string) bool {
		if word == "https" {
			return !strings.HasPrefix(rpc, "https:")
		}
		return c.Claims(word) == card.No
	}
	return func(words ...string) bool { return !slices.ContainsFunc(words, lacks) }
}

func (r *runner) addWait(window string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waited[window] += d.Seconds()
}

package harness

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// settings makes the settings of conversations: one for each interface of each agent.
type settings struct {
	*runner
	found    *discovery
	writer   *dialect.Writer
	receiver *client.Receiver // the webhook; nil if there is none
	hand     int              // chooses the spelling of calls, drawn once for a run
	messages *conversation.MessageBudget
	made     []*conversation.Setting
}

// newSettingsAndOpenWebhook starts the webhook. The caller closes it.
func (r *runner) newSettingsAndOpenWebhook(f *discovery) (*settings, error) {
	writer, err := dialect.For(f.dialect.Name)
	if err != nil {
		return nil, err
	}
	receiver, err := r.target.openWebhook(r.started, r.redact, r.webhookCert)
	if err != nil {
		return nil, err
	}
	return &settings{runner: r, found: f, writer: writer, receiver: receiver, hand: dialect.DrawHand(r.target.IDs), messages: conversation.NewMessageBudget(r.target.MaxMessages)}, nil
}

func (s *settings) closeWebhook() {
	if s.receiver != nil {
		s.receiver.Close()
	}
}

// newSetting returns the setting of conversations with one agent at one interface.
func (s *settings) newSetting(agent agentTarget) *conversation.Setting {
	target, d := s.target, s.found.dialect
	read := card.Of(d, agent.card).CalledAt(agent.rpc)
	if agent.binding != nil {
		read = read.SpokenBy(agent.binding.Name())
	}
	limit, declarations := target.RateLimit, target.Declarations
	if limit == nil {
		if limit = rateLimitOfCard(read); limit != nil {
			s.client.Pace().Announce(*limit)
			declarations = append(slices.Clone(declarations), "rate-limit")
		}
	}
	out := &conversation.Setting{
		Client: s.client, Dialect: d, Binding: agent.binding, Writer: s.writer, RPC: agent.rpc, Base: documentRoot(target.URL, d), Header: target.header(),
		Stimuli: target.chosenStimuli(d), Card: read, Claimed: newNoClaimDeniedPredicate(read, agent.rpc), Wait: s.addWait, Words: declarations, Allow: target.Allow,
		Receiver: s.receiver, Credential: s.credential.Value,
		Callers: target.callerHeaders(read, s.fakeClient), Limit: limit,
		CardURL: s.found.publishedCardURL, Tenant: read.Tenant(agent.rpc),
		Own: func(address string) bool {
			return sameOrigin(parseURLOrEmpty(address), parseURLOrEmpty(target.URL)) || s.isOperatorTrustedHost(parseURLOrEmpty(address))
		},
		Near:   func(address string) bool { return s.isTrusted(parseURLOrEmpty(target.URL), parseURLOrEmpty(address)) },
		Naming: target.IDs, Hand: s.hand, Messages: s.messages,
		Keys:  target.CardKey == record.KeysFromHeader,
		Paths: s.found.paths, Agent: target.Agent, CleanupContext: s.cleanupContext,
	}
	for _, secret := range target.mainIdentitySecrets() {
		out.Secrets = append(out.Secrets, secret.Value)
	}
	// Every client has to request the extensions that the agent requires.
	if _, uris := read.Requestable(); len(uris) > 0 {
		for _, h := range append(slices.Collect(maps.Values(out.Callers)), out.Header) {
			h.Set(d.Card.ExtensionHeader, strings.Join(uris, ", "))
		}
	}
	s.made = append(s.made, out)
	return out
}

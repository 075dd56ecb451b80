package client

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// cardMutants misread the card, or choose the wrong interface.
var cardMutants = []mutant{
	{name: "card-at-other-path", summary: "asks for /agent-card.json, not for the well-known path",
		habit: func(h *habits) { h.cardPath = "/agent-card.json" }},
	{name: "card-decoded-strictly", summary: "refuses a card with members that it does not know",
		habit: refuseCards(func(card object) error { return refuseUnknownMembers(card, cardMembers) })},
	{name: "scheme-of-unknown-kind-fatal", summary: "refuses a card with a security scheme of a kind that it does not know",
		habit: refuseCards(func(card object) error {
			for _, scheme := range getObject(card, "securitySchemes") {
				fields, _ := scheme.(object)
				kind, isTyped := fields["type"].(string)
				if isTyped && !schemeKinds[kind] || !isTyped && !slices.ContainsFunc(slices.Collect(maps.Keys(fields)), func(name string) bool { return schemeKinds[name] }) {
					return errors.New("a security scheme is of an unknown kind")
				}
			}
			return nil
		})},
	{name: "requirements-as-lists", dialect: "a2a-1.0", summary: "refuses a card whose security requirements have an object for the scopes of a scheme, and no list",
		habit: refuseCards(func(card object) error {
			for _, holder := range append([]any{card}, getList(card, "skills")...) {
				for _, alternative := range getList(holder, "securityRequirements") {
					for _, scopes := range getObject(alternative, "schemes") {
						if _, is := scopes.([]any); !is {
							return errors.New("the scopes of a security requirement are no list")
						}
					}
				}
			}
			return nil
		})},
	{name: "card-redirect-fatal", summary: "follows no redirect from the address of the card",
		habit: func(h *habits) { h.cardStays = true }},
	{name: "card-needs-streaming", summary: "crashes at a card without capabilities.streaming",
		habit: refuseCards(func(card object) error {
			_ = getObject(card, "capabilities")["streaming"].(bool)
			return nil
		})},
	{name: "card-fallback", summary: "calls the URL that it was given if the card cannot be used",
		habit: func(h *habits) { h.cardFallback = true }},
	{name: "posts-to-card-origin", summary: "calls the origin of the card, whatever addresses the card names",
		habit: chooseInterfaces(func(s *session, _, usable []endpoint) []endpoint {
			for i := range usable {
				usable[i].url = strings.TrimRight(s.options.URL, "/") + "/"
			}
			return usable
		})},
	{name: "last-interface", summary: "uses the last of several interfaces of one binding",
		habit: chooseInterfaces(func(_ *session, _, usable []endpoint) []endpoint { return usable[max(0, len(usable)-1):] })},
	{name: "foreign-interface-fatal", summary: "gives up if it does not know the binding of the first interface",
		habit: chooseInterfaces(func(_ *session, all, usable []endpoint) []endpoint {
			if len(all) > 0 && all[0].binding != jsonrpcBinding {
				return nil
			}
			return usable
		})},
	{name: "rpc-to-other-binding", summary: "calls the address of another binding with JSON-RPC",
		habit: chooseInterfaces(func(_ *session, all, usable []endpoint) []endpoint {
			for _, e := range all {
				if e.binding != jsonrpcBinding && strings.HasPrefix(e.url, "http") {
					e.binding = jsonrpcBinding
					return []endpoint{e}
				}
			}
			return usable
		})},
	{name: "exact-interface-version", dialect: "a2a-1.0", summary: "finds no interface if its version has a patch number",
		habit: chooseInterfaces(func(_ *session, all, _ []endpoint) []endpoint {
			return slices.DeleteFunc(all, func(e endpoint) bool { return e.binding != jsonrpcBinding || e.version != a2a10.version })
		})},
	{name: "interface-version-ignored", dialect: "a2a-1.0", summary: "uses the first interface of its binding, whatever its version is",
		habit: chooseInterfaces(func(_ *session, all, _ []endpoint) []endpoint {
			return slices.DeleteFunc(all, func(e endpoint) bool { return e.binding != jsonrpcBinding })
		})},
	{name: "rpc-preferred", variant: "both-bindings", summary: "prefers JSON-RPC, wherever the card has it",
		habit: chooseInterfaces(func(_ *session, _, usable []endpoint) []endpoint { return preferBinding(jsonrpcBinding, usable) })},
	{name: "first-interface-only", variant: "both-bindings", summary: "tries no other interface if the first one refuses connections",
		habit: func(h *habits) { h.firstInterfaceOnly = true }},
	{name: "tenant-of-other-interface", dialect: "a2a-1.0", summary: "sends the tenant of another interface to one that has none",
		habit: chooseInterfaces(func(_ *session, all, usable []endpoint) []endpoint {
			for _, e := range all {
				if len(usable) > 0 && usable[0].tenant == "" && e.tenant != "" {
					usable[0].tenant = e.tenant
				}
			}
			return usable
		})},
	{name: "https-unknown", dialect: "a2a-1.0", summary: "finds no interface at an address of https",
		habit: chooseInterfaces(func(_ *session, _, usable []endpoint) []endpoint {
			return slices.DeleteFunc(usable, func(e endpoint) bool { return strings.HasPrefix(e.url, "https:") })
		})},
	{name: "extensions-all-activated", summary: "activates every extension of the card, known or not",
		habit: func(h *habits) { h.allExtensions = true }},
	{name: "extended-card-undeclared", variant: "extended", summary: "asks for the extended card though the card declares none",
		habit: func(h *habits) { h.extendedUndeclared = true }},
	{name: "extended-card-ignored", variant: "reporting", summary: "goes by the public card after it has got the extended one",
		habit: func(h *habits) { h.extendedIgnored = true }},
	{name: "fresh-card-fetched", variant: "reporting", summary: "downloads the card though the one that it has is fresh",
		habit: func(h *habits) { h.freshCardFetched = true }},
	{name: "stale-card-without-condition", variant: "reporting", summary: "asks for a stale card without any condition",
		habit: func(h *habits) { h.cardUnconditional = true }},
	{name: "unchanged-card-fatal", variant: "reporting", summary: "reads the answer that the card is unchanged as a card, and stops",
		habit: func(h *habits) { h.unchangedCardFatal = true }},
	{name: "first-card-stays", variant: "reporting", summary: "calls the addresses of the first card, whatever a later one names",
		habit: func(h *habits) { h.firstCardStays = true }},
	{name: "stream-undeclared", variant: "streaming", summary: "asks for streams though the card does not claim streaming",
		habit: func(h *habits) { h.streamUndeclared = true }},
	{name: "webhook-undeclared", variant: "webhook", summary: "registers a webhook though the card does not claim push notifications",
		habit: func(h *habits) { h.webhookUndeclared = true }},
	{name: "streaming-required", summary: "gives up if the card does not claim streaming",
		habit: refuseCards(func(card object) error {
			if !getFlag(card, "capabilities", "streaming") {
				return errors.New("streaming is not supported")
			}
			return nil
		})},
}

// chooseInterfaces makes a habit of another choice of interfaces.
func chooseInterfaces(by func(s *session, all, usable []endpoint) []endpoint) func(*habits) {
	return func(h *habits) { h.chooseEndpoints = by }
}

// refuseCards makes a habit of refusing some cards.
func refuseCards(by func(card object) error) func(*habits) {
	return func(h *habits) { h.refuseCard = by }
}

// schemeKinds are the kinds of security schemes: the types of version 0.3, and the members of version 1.0.
var schemeKinds = makeSet("apiKey http oauth2 openIdConnect mutualTLS",
	"apiKeySecurityScheme httpAuthSecurityScheme oauth2SecurityScheme openIdConnectSecurityScheme mtlsSecurityScheme")

// cardMembers are the members that a card has at its top, in either version.
var cardMembers = makeSet("name description url preferredTransport additionalInterfaces supportedInterfaces provider version protocolVersion documentationUrl",
	"capabilities securitySchemes security securityRequirements defaultInputModes defaultOutputModes skills signatures iconUrl supportsAuthenticatedExtendedCard")

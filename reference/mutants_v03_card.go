package reference

import "net/http"

// cardLacks removes one member of the agent card.
func cardLacks(path string) func(*reply) {
	return onCard(func(x *reply) { drop(x.body, path) })
}

// cardListAdds adds an element to a list of the agent card.
func cardListAdds(path string, element any) func(*reply) {
	return onCard(func(x *reply) {
		list, _ := at(x.body, path).([]any)
		put(x.body, path, append(list, element))
	})
}

// cardElsewhere serves the card as another document, and not in its place.
func cardElsewhere(document string) func(*reply) {
	return func(x *reply) {
		switch x.document {
		case "card":
			x.blank(http.StatusNotFound, "text/plain")
		case document:
			x.status, x.body = http.StatusOK, generic(a2a03Server{x.server}.card())
		}
	}
}

// in marks those mutants of a list that name no variant of their own.
func in(variant string, ms ...mutant) []mutant {
	for i := range ms {
		if ms[i].variant == "" {
			ms[i].variant = variant
		}
	}
	return ms
}

var a2a03DiscoveryMutants = inArea("discovery",
	mutant{name: "card-missing", summary: "No card can be fetched anywhere.",
		reply: onCard(func(x *reply) { x.blank(http.StatusNotFound, "text/plain") })},
	mutant{name: "card-as-page", summary: "A page stands in place of the card.",
		reply: onCard(func(x *reply) {
			x.blank(http.StatusOK, "text/html")
			x.raw = []byte("<h1>Welcome</h1>")
		})},
	mutant{name: "card-at-old-path", summary: "The card is served at /.well-known/agent.json only.",
		reply: cardElsewhere("old card")},
	mutant{name: "card-as-html", summary: "The card is delivered as text/html.",
		reply: onCard(func(x *reply) { x.header.Set("Content-Type", "text/html") })},
	mutant{name: "card-publishes-key", summary: "The description of a skill gives away a key.",
		reply: cardHas("skills/0/description", "Repeats the text. Use api_key=sk-live-4242424242424242abcdefABCDEF to log in.")},
	mutant{name: "card-publishes-token", variant: "guarded", summary: "The card holds the real token.",
		reply: cardHas("securitySchemes/bearer/description", "Send Authorization: Bearer "+Token)},
)

// a2a03CardMutants are about the members that every card has, and those of a
// full one.
var a2a03CardMutants = inArea("card",
	mutant{name: "card-protocol-later", summary: "The card names version 1.0 of the protocol.", reply: cardHas("protocolVersion", "1.0")},
	mutant{name: "card-url-left-out", summary: "The endpoint is only among the additional interfaces.", reply: cardLacks("url")},
	mutant{name: "card-url-relative", summary: "The card's url is a path.", reply: cardHas("url", "/")},
	mutant{name: "card-input-modes-short", summary: "The default input modes hold a phrase that is no media type.",
		reply: cardListAdds("defaultInputModes", "plain text please")},
	mutant{name: "card-output-modes-short", summary: "The default output modes hold a word that is no media type.",
		reply: cardListAdds("defaultOutputModes", "png")},
	mutant{name: "card-skill-ids-equal", summary: "Two skills share one id.", reply: cardHas("skills/1/id", "echo")},
	mutant{name: "card-transport-left-out", summary: "The card does not say which transport is preferred.", reply: cardLacks("preferredTransport")},
	mutant{name: "card-transport-homemade", summary: "An additional interface has a transport with a name of the server's own.",
		reply: onCard(func(x *reply) { swap(x.body, "additionalInterfaces/1/transport", "JSONRPC", "json-rpc") })},
	mutant{name: "card-transport-unserved", summary: "The preferred transport is HTTP+JSON, and the url speaks JSON-RPC.",
		reply: onCard(func(x *reply) {
			put(x.body, "preferredTransport", "HTTP+JSON")
			put(x.body, "additionalInterfaces/0/transport", "HTTP+JSON")
		})},
	mutant{name: "card-interface-elsewhere", summary: "Nothing listens at the url of an additional interface.",
		reply: onCard(func(x *reply) { put(x.body, "additionalInterfaces/1/url", x.server.url+"/elsewhere") })},
	mutant{name: "card-main-interface-left-out", summary: "The additional interfaces do not repeat the main one.",
		reply: onCard(func(x *reply) {
			put(x.body, "additionalInterfaces", []any{at(x.body, "additionalInterfaces/1")})
		})},
	mutant{name: "card-interfaces-share-url", summary: "An additional interface is listed twice.",
		reply: onCard(func(x *reply) {
			list, _ := at(x.body, "additionalInterfaces").([]any)
			put(x.body, "additionalInterfaces", append(list, list[1]))
		})},
	mutant{name: "rest-undeclared", summary: "HTTP+JSON is served below the url, and the card does not say so.",
		reply: func(x *reply) {
			switch x.document {
			case "rest card":
				x.status, x.body = http.StatusOK, generic(a2a03Server{x.server}.card())
			case "rest task":
				x.body = map[string]any{"code": a2a03TaskNotFound, "message": "Task not found"}
				if t, err := x.server.engine.Task(x.http.PathValue("id")); err == nil {
					x.status, x.body = http.StatusOK, generic(a2a03Server{x.server}.task(t, nil))
				}
			}
		}},
	mutant{name: "card-extension-twice", summary: "An extension is listed twice.",
		reply: cardListAdds("capabilities/extensions", map[string]any{"uri": a2a03Provenance, "required": false})},
	mutant{name: "card-documentation-vague", summary: "The documentationUrl is no URL.", reply: cardHas("documentationUrl", "see our wiki")},
	mutant{name: "card-provider-null", summary: "The provider is null.", reply: cardHas("provider", nil)},
)

// a2a03SchemeMutants are about security schemes and signatures, which a lavish
// card has of every kind.
var a2a03SchemeMutants = in("lavish", inArea("card",
	mutant{name: "card-code-flow-plain", summary: "The tokenUrl of the authorizationCode flow is plain http.",
		reply: cardHas("securitySchemes/oauth/flows/authorizationCode/tokenUrl", "http://auth.example.com/token")},
	mutant{name: "card-flow-url-relative", summary: "The tokenUrl of a flow is a path.", reply: cardHas("securitySchemes/oauth/flows/password/tokenUrl", "/token")},
	mutant{name: "card-metadata-url-plain", summary: "The oauth2MetadataUrl is plain http.",
		reply: cardHas("securitySchemes/oauth/oauth2MetadataUrl", "http://auth.example.com/.well-known/oauth-authorization-server")},
	mutant{name: "card-signature-protected-bare", summary: "The protected header of a signature is not encoded.", reply: onSignature("protected", `{"alg":"EdDSA"}`)},
	mutant{name: "card-signature-standard-base64", summary: "A signature is written in the standard base64 alphabet.", reply: onSignature("signature", "ab+/cd+/ef+/gh==")},

	mutant{name: "card-security-undefined", variant: "guarded", summary: "The security of the card names a scheme that is not defined.",
		reply: cardListAdds("security", map[string]any{"oauth": []any{}})},
)...)

// onSignature sets one member of the first signature of the card.
func onSignature(name string, value any) func(*reply) {
	return cardHas("signatures/0/"+name, value)
}

const extendedCardMethod = "agent/getAuthenticatedExtendedCard"

// a2a03ExtendedCardMutants are about the card for callers who have logged in.
var a2a03ExtendedCardMutants = inArea("card",
	mutant{name: "extended-card-partial", variant: "guarded", summary: "The extended card holds only what it adds.",
		reply: answering(extendedCardMethod, func(x *reply) {
			if has(x.body, "result") {
				put(x.body, "result", map[string]any{"skills": []any{at(x.body, "result/skills/2")}})
			}
		})},
	mutant{name: "extended-card-wants-params", variant: "guarded", summary: "The extended card is refused without params.",
		reply: answering(extendedCardMethod, func(x *reply) {
			if !has(x.request, "params") && has(x.body, "result") {
				x.decline(codeInvalidParams)
			}
		})},
	mutant{name: "extended-card-pretended", summary: "Without an extended card the public one is returned in its place.",
		reply: answering(extendedCardMethod, func(x *reply) {
			if x.answers("", a2a03NoExtendedCard) {
				x.succeed(generic(a2a03Server{x.server}.card()))
			}
		})},
	mutant{name: "extended-card-misnamed", summary: "The lack of an extended card is an internal error.",
		reply: recode(extendedCardMethod, a2a03NoExtendedCard, codeInternal)},
)

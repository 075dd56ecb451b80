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
	mutant{name: "card-protocol-left-out", summary: "The card has no protocolVersion.", reply: cardLacks("protocolVersion")},
	mutant{name: "card-protocol-number", summary: "The card's protocolVersion is a number.", reply: cardHas("protocolVersion", 0.3)},
	mutant{name: "card-protocol-later", summary: "The card names version 1.0 of the protocol.", reply: cardHas("protocolVersion", "1.0")},
	mutant{name: "card-name-null", summary: "The card's name is null.", reply: cardHas("name", nil)},
	mutant{name: "card-name-empty", summary: "The card's name is the empty string.", reply: cardHas("name", "")},
	mutant{name: "card-description-left-out", summary: "The card has no description.", reply: cardLacks("description")},
	mutant{name: "card-url-left-out", summary: "The endpoint is only among the additional interfaces.", reply: cardLacks("url")},
	mutant{name: "card-url-relative", summary: "The card's url is a path.", reply: cardHas("url", "/")},
	mutant{name: "card-version-number", summary: "The agent's version is a number.", reply: cardHas("version", 1)},
	mutant{name: "card-capabilities-listed", summary: "The capabilities are an array of names.", reply: cardHas("capabilities", []any{"streaming"})},
	mutant{name: "card-input-modes-text", summary: "The default input modes are one string.", reply: cardHas("defaultInputModes", "text/plain")},
	mutant{name: "card-output-modes-left-out", summary: "The card has no default output modes.", reply: cardLacks("defaultOutputModes")},
	mutant{name: "card-input-modes-short", summary: "The default input modes hold a phrase that is no media type.",
		reply: cardListAdds("defaultInputModes", "plain text please")},
	mutant{name: "card-output-modes-short", summary: "The default output modes hold a word that is no media type.",
		reply: cardListAdds("defaultOutputModes", "png")},
	mutant{name: "card-skills-keyed", summary: "The skills are an object with their ids as names.", reply: cardHas("skills", map[string]any{"echo": map[string]any{"name": "Echo"}})},
	mutant{name: "card-skill-id-left-out", summary: "A skill has no id.", reply: cardLacks("skills/1/id")},
	mutant{name: "card-skill-name-null", summary: "A skill's name is null.", reply: cardHas("skills/1/name", nil)},
	mutant{name: "card-skill-description-left-out", summary: "A skill has no description.", reply: cardLacks("skills/1/description")},
	mutant{name: "card-skill-tags-left-out", summary: "A skill has no tags.", reply: cardLacks("skills/1/tags")},
	mutant{name: "card-skill-ids-equal", summary: "Two skills share one id.", reply: cardHas("skills/1/id", "echo")},
	mutant{name: "card-skill-examples-text", summary: "A skill's examples are one string.", reply: cardHas("skills/0/examples", "echo hello")},
	mutant{name: "card-skill-input-text", summary: "A skill's input modes are one string.", reply: cardHas("skills/0/inputModes", "text/plain")},
	mutant{name: "card-skill-security-flat", variant: "guarded", summary: "A skill's security is a list of names.", reply: cardHas("skills/1/security", []any{"bearer"})},
	mutant{name: "card-transport-left-out", summary: "The card does not say which transport is preferred.", reply: cardLacks("preferredTransport")},
	mutant{name: "card-transport-object", summary: "The preferred transport is an object.", reply: cardHas("preferredTransport", map[string]any{"type": "JSONRPC"})},
	mutant{name: "card-transport-homemade", summary: "An additional interface has a transport with a name of the server's own.",
		reply: onCard(func(x *reply) { swap(x.body, "additionalInterfaces/1/transport", "JSONRPC", "json-rpc") })},
	mutant{name: "card-transport-unserved", summary: "The preferred transport is HTTP+JSON, and the url speaks JSON-RPC.",
		reply: onCard(func(x *reply) {
			put(x.body, "preferredTransport", "HTTP+JSON")
			put(x.body, "additionalInterfaces/0/transport", "HTTP+JSON")
		})},
	mutant{name: "card-interfaces-keyed", summary: "The additional interfaces are an object with transports as names.",
		reply: onCard(func(x *reply) {
			put(x.body, "additionalInterfaces", map[string]any{"JSONRPC": at(x.body, "additionalInterfaces/0")})
		})},
	mutant{name: "card-interface-url-left-out", summary: "An additional interface has no url.", reply: cardLacks("additionalInterfaces/1/url")},
	mutant{name: "card-interface-transport-renamed", summary: "An additional interface calls its transport protocol.",
		reply: onCard(func(x *reply) {
			put(x.body, "additionalInterfaces/1/protocol", "JSONRPC")
			drop(x.body, "additionalInterfaces/1/transport")
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
	mutant{name: "card-streaming-text", summary: "The capability streaming is a string.", reply: cardHas("capabilities/streaming", "true")},
	mutant{name: "card-push-text", summary: "The capability pushNotifications is a string.", reply: cardHas("capabilities/pushNotifications", "true")},
	mutant{name: "card-history-text", summary: "The capability stateTransitionHistory is a string.", reply: cardHas("capabilities/stateTransitionHistory", "true")},
	mutant{name: "card-extension-uri-left-out", summary: "An extension has no uri.", reply: cardLacks("capabilities/extensions/1/uri")},
	mutant{name: "card-extension-twice", summary: "An extension is listed twice.",
		reply: cardListAdds("capabilities/extensions", map[string]any{"uri": a2a03Provenance, "required": false})},
	mutant{name: "card-extension-required-text", summary: "Whether an extension is required is a string.", reply: cardHas("capabilities/extensions/1/required", "no")},
	mutant{name: "card-extension-params-list", summary: "The params of an extension are an array.", reply: cardHas("capabilities/extensions/1/params", []any{"source"})},
	mutant{name: "card-provider-unnamed", summary: "The provider has only a url.", reply: cardLacks("provider/organization")},
	mutant{name: "card-provider-url-left-out", summary: "The provider has only a name.", reply: cardLacks("provider/url")},
	mutant{name: "card-icon-object", summary: "The iconUrl is an object.", reply: cardHas("iconUrl", map[string]any{"src": "icon.png"})},
	mutant{name: "card-documentation-vague", summary: "The documentationUrl is no URL.", reply: cardHas("documentationUrl", "see our wiki")},
	mutant{name: "card-extended-text", summary: "Whether there is an extended card is a string.", reply: cardHas("supportsAuthenticatedExtendedCard", "false")},
	mutant{name: "card-provider-null", summary: "The provider is null.", reply: cardHas("provider", nil)},
)

// a2a03SchemeMutants are about security schemes and signatures, which a lavish
// card has of every kind.
var a2a03SchemeMutants = in("lavish", inArea("card",
	mutant{name: "card-scheme-type-homemade", summary: "A security scheme has the type bearer.", reply: cardHas("securitySchemes/bearer/type", "bearer")},
	mutant{name: "card-key-in-body", summary: "An API key is expected in the body.", reply: cardHas("securitySchemes/key/in", "body")},
	mutant{name: "card-key-unnamed", summary: "An API key has no name.", reply: cardLacks("securitySchemes/key/name")},
	mutant{name: "card-http-scheme-left-out", summary: "An http scheme has only a bearerFormat.", reply: cardLacks("securitySchemes/bearer/scheme")},
	mutant{name: "card-flows-left-out", summary: "An oauth2 scheme has its tokenUrl beside its type, and no flows.",
		reply: onCard(func(x *reply) {
			put(x.body, "securitySchemes/oauth/tokenUrl", "https://auth.example.com/token")
			drop(x.body, "securitySchemes/oauth/flows")
		})},
	mutant{name: "card-code-flow-scopes-left-out", summary: "The authorizationCode flow has no scopes.", reply: cardLacks("securitySchemes/oauth/flows/authorizationCode/scopes")},
	mutant{name: "card-code-flow-plain", summary: "The tokenUrl of the authorizationCode flow is plain http.",
		reply: cardHas("securitySchemes/oauth/flows/authorizationCode/tokenUrl", "http://auth.example.com/token")},
	mutant{name: "card-client-flow-token-left-out", summary: "The clientCredentials flow has no tokenUrl.", reply: cardLacks("securitySchemes/oauth/flows/clientCredentials/tokenUrl")},
	mutant{name: "card-implicit-flow-scopes-left-out", summary: "The implicit flow has no scopes.", reply: cardLacks("securitySchemes/oauth/flows/implicit/scopes")},
	mutant{name: "card-password-flow-token-left-out", summary: "The password flow has no tokenUrl.", reply: cardLacks("securitySchemes/oauth/flows/password/tokenUrl")},
	mutant{name: "card-flow-url-relative", summary: "The tokenUrl of a flow is a path.", reply: cardHas("securitySchemes/oauth/flows/password/tokenUrl", "/token")},
	mutant{name: "card-metadata-url-plain", summary: "The oauth2MetadataUrl is plain http.",
		reply: cardHas("securitySchemes/oauth/oauth2MetadataUrl", "http://auth.example.com/.well-known/oauth-authorization-server")},
	mutant{name: "card-openid-url-renamed", summary: "An openIdConnect scheme calls its URL discoveryUrl.",
		reply: onCard(func(x *reply) {
			put(x.body, "securitySchemes/openid/discoveryUrl", at(x.body, "securitySchemes/openid/openIdConnectUrl"))
			drop(x.body, "securitySchemes/openid/openIdConnectUrl")
		})},
	mutant{name: "card-signature-compact", summary: "A signature is a string of three parts.", reply: cardHas("signatures", []any{"e30.e30.c2ln"})},
	mutant{name: "card-signature-protected-bare", summary: "The protected header of a signature is not encoded.", reply: onSignature("protected", `{"alg":"EdDSA"}`)},
	mutant{name: "card-signature-standard-base64", summary: "A signature is written in the standard base64 alphabet.", reply: onSignature("signature", "ab+/cd+/ef+/gh==")},
	mutant{name: "card-signature-header-text", summary: "The header of a signature is text.", reply: onSignature("header", "eyJraWQiOiJ4In0")},

	mutant{name: "card-security-bare", variant: "guarded", summary: "The security of the card is an object outside an array.", reply: cardHas("security", map[string]any{"bearer": []any{}})},
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

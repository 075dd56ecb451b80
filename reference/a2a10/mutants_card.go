package a2a10

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// has sets one member of the agent card.
func has(path string, value any) func(*front.Reply) { return mutants.CardHas(path, value) }

// lacks removes one member of the agent card.
func lacks(path string) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) { front.Drop(x.Body, path) })
}

// adds adds an element to a list of the agent card.
func adds(path string, element any) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, path).([]any)
		front.Put(x.Body, path, append(list, element))
	})
}

// moved gives a member of the agent card another name.
func moved(from, to string) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		v := front.At(x.Body, from)
		front.Drop(x.Body, from)
		front.Put(x.Body, to, v)
	})
}

// headed sets one header of the card; the empty value removes it.
func headed(name, value string) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		if x.Header.Del(name); value != "" {
			x.Header.Set(name, value)
		}
	})
}

// discoveryMutants are about where the card is and how it is sent (sections 8.2
// and 8.6).
var discoveryMutants = front.InArea("discovery",
	front.Mutant{Name: "card-missing", Summary: "No card can be fetched anywhere.",
		Reply: mutants.OnCard(func(x *front.Reply) { x.Blank(http.StatusNotFound, "text/plain") })},
	front.Mutant{Name: "card-in-array", Summary: "The path of the card serves a list of cards.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			if x.Body != nil {
				x.Body = []any{x.Body}
			}
		})},
	front.Mutant{Name: "card-at-old-path", Summary: "The card is served at /.well-known/agent.json only.",
		Reply: func(x *front.Reply) {
			switch x.Document {
			case "card":
				x.Blank(http.StatusNotFound, "text/plain")
			case "old card":
				x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card())
			}
		}},
	front.Mutant{Name: "card-as-text", Summary: "The card is delivered as text/plain.", Reply: headed("Content-Type", "text/plain")},
	front.Mutant{Name: "card-uncached", Summary: "The card comes without Cache-Control.", Reply: headed("Cache-Control", "")},
	front.Mutant{Name: "card-not-stored", Summary: "The card must not be stored.", Reply: headed("Cache-Control", "no-store")},
	front.Mutant{Name: "card-untagged", Summary: "The card comes without an ETag.", Reply: headed("ETag", "")},
	front.Mutant{Name: "card-tag-random", Summary: "The ETag of the card is another each time.",
		Reply: mutants.OnCard(func(x *front.Reply) { x.Header.Set("ETag", `"`+x.Server.NewID()+`"`) })},
	front.Mutant{Name: "card-date-iso", Summary: "Last-Modified is an ISO date.", Reply: headed("Last-Modified", "2026-03-02T09:00:00Z")},
	front.Mutant{Name: "card-condition-failed", Summary: "The card is asked for on a condition, and HTTP 412 is the answer.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			if x.Http.Header.Get("If-None-Match") != "" {
				x.Blank(http.StatusPreconditionFailed, "text/plain")
			}
		})},
	front.Mutant{Name: "card-condition-ignored", Summary: "The card is sent again, though the client has it.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			if x.Status == http.StatusNotModified {
				x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card())
			}
		})},
	front.Mutant{Name: "card-publishes-key", Summary: "The description of a skill gives away a key.",
		Reply: has("skills/0/description", "Repeats the text. Use api_key=sk-live-4242424242424242abcdefABCDEF to log in.")},
	front.Mutant{Name: "card-publishes-token", Variant: "guarded", Summary: "The card holds the real token.",
		Reply: has("securitySchemes/bearer/httpAuthSecurityScheme/description", "Send Authorization: Bearer "+front.Token)},
)

const firstInterface = "supportedInterfaces/0/"

// cardMutants are about what the card says (section 4.4), beyond the mere shape.
var cardMutants = slices.Concat(front.InArea("card",
	front.Mutant{Name: "card-older-only", Summary: "The card names its endpoint as in 0.3 only.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			front.Put(x.Body, "url", front.At(x.Body, firstInterface+"url"))
			front.Drop(x.Body, "supportedInterfaces")
		})},
	front.Mutant{Name: "card-url-of-two-bindings", Summary: "A binding of the server's own is listed at the url of the first interface.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "supportedInterfaces").([]any)
			front.Put(x.Body, "supportedInterfaces", append(list, map[string]any{
				"url": front.At(x.Body, firstInterface+"url"), "protocolBinding": pigeon, "protocolVersion": "1.0",
			}))
		})},
	front.Mutant{Name: "card-skills-empty", Summary: "The card has no skills.", Reply: has("skills", []any{})},
	front.Mutant{Name: "card-input-modes-vague", Summary: "The default input modes hold a word that is no media type.", Reply: adds("defaultInputModes", "any")},
	front.Mutant{Name: "card-interface-address", Summary: "An interface has its url under the name address.", Reply: moved(firstInterface+"url", firstInterface+"address")},
	front.Mutant{Name: "card-interface-transport", Summary: "An interface has its binding under the name of 0.3.", Reply: moved(firstInterface+"protocolBinding", firstInterface+"transport")},
	front.Mutant{Name: "card-version-at-root", Summary: "The version of the protocol stands beside the interfaces only.",
		Reply: moved(firstInterface+"protocolVersion", "protocolVersion")},
	front.Mutant{Name: "card-url-relative", Summary: "The url of an interface is a path.", Reply: has(firstInterface+"url", "/")},
	front.Mutant{Name: "card-version-patched", Summary: "The version of an interface has a patch number.", Reply: has(firstInterface+"protocolVersion", "1.0.1")},
	front.Mutant{Name: "card-version-older", Summary: "The interfaces of 1.0 say that they speak 0.3.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "supportedInterfaces").([]any)
			for _, entry := range list {
				front.Put(entry, "protocolVersion", "0.3")
			}
		})},
	front.Mutant{Name: "card-binding-homemade", Summary: "The binding is named json-rpc.", Reply: has(firstInterface+"protocolBinding", "json-rpc")},
	front.Mutant{Name: "card-binding-word", Summary: "An interface has a binding of its own that is named by a word.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "supportedInterfaces").([]any)
			front.Put(x.Body, "supportedInterfaces", append(list, map[string]any{"url": "wss://ws.example.com/", "protocolBinding": "WEBSOCKET", "protocolVersion": "1.0"}))
		})},
	front.Mutant{Name: "card-interface-elsewhere", Summary: "Nothing is served at the url of a second interface.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "supportedInterfaces").([]any)
			front.Put(x.Body, "supportedInterfaces", append(list, map[string]any{"url": x.Server.Url + "/elsewhere", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}))
		})},
	front.Mutant{Name: "rest-undeclared", Summary: "HTTP+JSON is served below the url, and the card does not say so.",
		Reply: func(x *front.Reply) {
			switch x.Document {
			case "card":
				list, _ := front.At(x.Body, "supportedInterfaces").([]any)
				front.Replace(x.Body, "supportedInterfaces", slices.DeleteFunc(list, func(i any) bool { return front.Text(i, "protocolBinding") == front.HTTPJSON }))
			case "rest tasks":
				x.Status, x.Body = http.StatusOK, map[string]any{"tasks": []any{}, "nextPageToken": "", "pageSize": defaultPage, "totalSize": 0}
			case "rest card":
				x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card())
			case "rest task":
				if t, err := x.Server.Engine.Task(x.Http.PathValue("id")); err == nil {
					x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.Task(t, nil))
				}
			}
		}},
	front.Mutant{Name: "card-extension-twice", Summary: "An extension is listed twice.", Reply: adds("capabilities/extensions", map[string]any{"uri": Provenance})},
	front.Mutant{Name: "card-extension-unversioned", Summary: "The URI of an extension names no version.",
		Reply: adds("capabilities/extensions", map[string]any{"uri": "https://conform.example.com/ext"})},
	front.Mutant{Name: "card-icon-vague", Summary: "The iconUrl is no URL.", Reply: has("iconUrl", "a smiling robot")},
	front.Mutant{Name: "card-skill-ids-equal", Summary: "Two skills share one id.", Reply: has("skills/1/id", "echo")},
	front.Mutant{Name: "card-in-snake-case", Summary: "The default input modes stand under a name in snake case.", Reply: moved("defaultInputModes", "default_input_modes")},
), front.In("guarded", front.InArea("card",
	front.Mutant{Name: "card-security-undefined", Summary: "A security requirement names a scheme that is not defined.",
		Reply: adds("securityRequirements", map[string]any{"schemes": map[string]any{"oauth": map[string]any{"list": []any{}}}})},
	front.Mutant{Name: "card-security-as-map", Summary: "The security requirements are one object.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			front.Put(x.Body, "securityRequirements", front.At(x.Body, "securityRequirements/0"))
		})},
	front.Mutant{Name: "card-security-as-openapi", Summary: "The security requirements have the form of 0.3.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			front.Drop(x.Body, "securityRequirements")
			front.Put(x.Body, "security", []any{map[string]any{"bearer": []any{}}})
		})},
	front.Mutant{Name: "card-scheme-as-openapi", Summary: "A security scheme has the form of 0.3.",
		Reply: has("securitySchemes/bearer", map[string]any{"type": "http", "scheme": "bearer"})},
)...), front.In("lavish", front.InArea("card",
	front.Mutant{Name: "card-key-location-renamed", Summary: "An API key scheme has its location under the name in.",
		Reply: moved("securitySchemes/key/apiKeySecurityScheme/location", "securitySchemes/key/apiKeySecurityScheme/in")},
	front.Mutant{Name: "card-two-flows", Summary: "An OAuth scheme has two flows.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			front.Put(x.Body, "securitySchemes/code/oauth2SecurityScheme/flows/clientCredentials", front.At(x.Body, "securitySchemes/client/oauth2SecurityScheme/flows/clientCredentials"))
		})},
	front.Mutant{Name: "card-implicit-flow", Summary: "The only flow of an OAuth scheme is the implicit one.",
		Reply: has("securitySchemes/code/oauth2SecurityScheme/flows", map[string]any{"implicit": map[string]any{"authorizationUrl": "https://auth.example.com/authorize", "scopes": map[string]any{}}})},
	front.Mutant{Name: "card-metadata-url-plain", Summary: "The oauth2MetadataUrl is plain http.",
		Reply: has("securitySchemes/code/oauth2SecurityScheme/oauth2MetadataUrl", "http://auth.example.com/.well-known/oauth-authorization-server")},
)...))

// onExtendedCard edits the extended card.
func onExtendedCard(edit func(x *front.Reply, card map[string]any)) func(*front.Reply) {
	return front.Answering(extendedCardMethod, func(x *front.Reply) {
		if card := front.Object(x.Body, "result"); card != nil {
			edit(x, card)
		}
	})
}

// extendedCardMutants are about GetExtendedAgentCard (sections 3.1.11 and 13.3).
var extendedCardMutants = append(front.InArea("extended-card",
	front.Mutant{Name: "extended-card-misnamed", Summary: "Without the capability the extended card is said not to be configured.",
		Reply: front.Recode(extendedCardMethod, Unsupported, noExtendedCard)},
	front.Mutant{Name: "extended-card-misconfigured", Variant: "lavish", Summary: "With the capability an extended card that is not there is an unsupported operation.",
		Reply: front.Recode(extendedCardMethod, noExtendedCard, Unsupported)},
), front.In("guarded", front.InArea("extended-card",
	front.Mutant{Name: "extended-card-partial", Summary: "The extended card holds only what it adds.",
		Reply: onResult(extendedCardMethod, func(x *front.Reply) {
			front.Put(x.Body, "result", map[string]any{"skills": []any{front.At(x.Body, "result/skills/2")}})
		})},
	front.Mutant{Name: "extended-card-params-demanded", Summary: "The extended card is refused where there are no params.",
		Reply: front.Answering(extendedCardMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params") {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "extended-card-open", Summary: "The extended card is returned without credentials.", Guard: front.AnonymousTo(extendedCardMethod)},
	front.Mutant{Name: "extended-card-for-any-credential", Summary: "Any credential opens the extended card.",
		Guard: func(c *front.Caller) {
			if c.Method == extendedCardMethod && c.Credential != "" && c.Client == "" {
				c.Client = "first"
			}
		}},
	front.Mutant{Name: "extended-card-for-all", Summary: "A client with few rights gets the whole extended card.",
		Guard: func(c *front.Caller) {
			if c.Method == extendedCardMethod && c.Client != "" {
				c.Client = "first"
			}
		}},
	front.Mutant{Name: "extended-card-publishes-password", Summary: "The extended card names an address inside with its password.",
		Reply: put(extendedCardMethod, "documentationUrl", "https://admin:hunter2secret@10.0.0.7/admin")},
	front.Mutant{Name: "extended-card-signed-as-public", Summary: "The extended card has signatures over the public one.",
		Reply: onExtendedCard(func(x *front.Reply, card map[string]any) {
			card["signatures"] = front.Generic(signatures(x.Server.Url, front.Generic(Server{x.Server, nil}.card())))
		})},
	front.Mutant{Name: "extended-card-for-every-cache", Summary: "The extended card may be kept by every cache, like the public one.",
		Reply: onExtendedCard(func(x *front.Reply, _ map[string]any) { x.Header.Set("Cache-Control", "public, max-age=300") })},
	front.Mutant{Name: "extended-card-unannounced", Summary: "The card does not say that there is an extended one.", Reply: lacks("capabilities/extendedAgentCard")},
	front.Mutant{Name: "extended-card-announced-as-older", Summary: "The extended card is announced as in 0.3 only.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			front.Drop(x.Body, "capabilities/extendedAgentCard")
			front.Put(x.Body, "supportsAuthenticatedExtendedCard", true)
		})},
)...)...)

package a2a03

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// cardLacks removes one member of the agent card.
func cardLacks(path string) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) { front.Drop(x.Body, path) })
}

// cardListAdds adds an element to a list of the agent card.
func cardListAdds(path string, element any) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, path).([]any)
		front.Put(x.Body, path, append(list, element))
	})
}

// cardElsewhere serves the card as another document, and not in its place.
func cardElsewhere(document string) func(*front.Reply) {
	return func(x *front.Reply) {
		switch x.Document {
		case "card":
			x.Blank(http.StatusNotFound, "text/plain")
		case document:
			x.Status, x.Body = http.StatusOK, front.Generic(Server{x.Server}.card())
		}
	}
}

var DiscoveryMutants = front.InArea("discovery",
	front.Mutant{Name: "card-missing", Summary: "No card can be fetched anywhere.",
		Reply: mutants.OnCard(func(x *front.Reply) { x.Blank(http.StatusNotFound, "text/plain") })},
	front.Mutant{Name: "card-as-page", Summary: "A page stands in place of the card.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			x.Blank(http.StatusOK, "text/html")
			x.Raw = []byte("<h1>Welcome</h1>")
		})},
	front.Mutant{Name: "card-at-old-path", Summary: "The card is served at /.well-known/agent.json only.",
		Reply: cardElsewhere("old card")},
	front.Mutant{Name: "card-as-html", Summary: "The card is delivered as text/html.",
		Reply: mutants.OnCard(func(x *front.Reply) { x.Header.Set("Content-Type", "text/html") })},
	front.Mutant{Name: "card-publishes-key", Summary: "The description of a skill gives away a key.",
		Reply: mutants.CardHas("skills/0/description", "Repeats the text. Use api_key=sk-live-4242424242424242abcdefABCDEF to log in.")},
	front.Mutant{Name: "card-publishes-token", Variant: "guarded", Summary: "The card holds the real token.",
		Reply: mutants.CardHas("securitySchemes/bearer/description", "Send Authorization: Bearer "+front.Token)},
)

// CardMutants are about the members that every card has, and those of a
// full one.
var CardMutants = front.InArea("card",
	front.Mutant{Name: "card-protocol-later", Summary: "The card names version 1.0 of the protocol.", Reply: mutants.CardHas("protocolVersion", "1.0")},
	front.Mutant{Name: "card-url-left-out", Summary: "The endpoint is only among the additional interfaces.", Reply: cardLacks("url")},
	front.Mutant{Name: "card-url-relative", Summary: "The card's url is a path.", Reply: mutants.CardHas("url", "/")},
	front.Mutant{Name: "card-input-modes-short", Summary: "The default input modes hold a phrase that is no media type.",
		Reply: cardListAdds("defaultInputModes", "plain text please")},
	front.Mutant{Name: "card-output-modes-short", Summary: "The default output modes hold a word that is no media type.",
		Reply: cardListAdds("defaultOutputModes", "png")},
	front.Mutant{Name: "card-skill-ids-equal", Summary: "Two skills share one id.", Reply: mutants.CardHas("skills/1/id", "echo")},
	front.Mutant{Name: "card-transport-left-out", Summary: "The card does not say which transport is preferred.", Reply: cardLacks("preferredTransport")},
	front.Mutant{Name: "card-transport-homemade", Summary: "An additional interface has a transport with a name of the server's own.",
		Reply: mutants.OnCard(func(x *front.Reply) { front.Swap(x.Body, "additionalInterfaces/1/transport", "JSONRPC", "json-rpc") })},
	front.Mutant{Name: "card-transport-unserved", Summary: "The preferred transport is HTTP+JSON, and the url speaks JSON-RPC.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			front.Put(x.Body, "preferredTransport", "HTTP+JSON")
			front.Put(x.Body, "additionalInterfaces/0/transport", "HTTP+JSON")
		})},
	front.Mutant{Name: "card-interface-elsewhere", Summary: "Nothing listens at the url of an additional interface.",
		Reply: mutants.OnCard(func(x *front.Reply) { front.Put(x.Body, "additionalInterfaces/1/url", x.Server.Url+"/elsewhere") })},
	front.Mutant{Name: "card-main-interface-left-out", Summary: "The additional interfaces do not repeat the main one.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "additionalInterfaces").([]any)
			front.Put(x.Body, "additionalInterfaces", list[1:])
		})},
	front.Mutant{Name: "card-interfaces-share-url", Summary: "An additional interface is listed twice.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "additionalInterfaces").([]any)
			front.Put(x.Body, "additionalInterfaces", append(list, list[1]))
		})},
	front.Mutant{Name: "card-url-of-two-transports", Summary: "A transport of the server's own is listed at the url of the first additional interface.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "additionalInterfaces").([]any)
			front.Put(x.Body, "additionalInterfaces", append(list, map[string]any{"url": front.At(list[0], "url"), "transport": "PIGEON"}))
		})},
	front.Mutant{Name: "rest-undeclared", Summary: "HTTP+JSON is served below the url, and the card does not say so.",
		Reply: func(x *front.Reply) {
			switch x.Document {
			case "card":
				list, _ := front.At(x.Body, "additionalInterfaces").([]any)
				list = slices.DeleteFunc(list, func(v any) bool { return front.Text(v, "transport") == front.HTTPJSON })
				front.Put(x.Body, "additionalInterfaces", list)
			case "rest card":
				x.Status, x.Body = http.StatusOK, front.Generic(Server{x.Server}.card())
			case "rest task":
				x.Body = map[string]any{"code": TaskNotFound, "message": "Task not found"}
				if t, err := x.Server.Engine.Task(x.Http.PathValue("id")); err == nil {
					x.Status, x.Body = http.StatusOK, front.Generic(Server{x.Server}.Task(t, nil))
				}
			}
		}},
	front.Mutant{Name: "card-extension-twice", Summary: "An extension is listed twice.",
		Reply: cardListAdds("capabilities/extensions", map[string]any{"uri": Provenance, "required": false})},
	front.Mutant{Name: "card-documentation-vague", Summary: "The documentationUrl is no URL.", Reply: mutants.CardHas("documentationUrl", "see our wiki")},
	front.Mutant{Name: "card-provider-null", Summary: "The provider is null.", Reply: mutants.CardHas("provider", nil)},
)

// schemeMutants are about security schemes and signatures, which a lavish
// card has of every kind.
var schemeMutants = front.In("lavish", front.InArea("card",
	front.Mutant{Name: "card-code-flow-plain", Summary: "The tokenUrl of the authorizationCode flow is plain http.",
		Reply: mutants.CardHas("securitySchemes/oauth/flows/authorizationCode/tokenUrl", "http://auth.example.com/token")},
	front.Mutant{Name: "card-flow-url-relative", Summary: "The tokenUrl of a flow is a path.", Reply: mutants.CardHas("securitySchemes/oauth/flows/password/tokenUrl", "/token")},
	front.Mutant{Name: "card-metadata-url-plain", Summary: "The oauth2MetadataUrl is plain http.",
		Reply: mutants.CardHas("securitySchemes/oauth/oauth2MetadataUrl", "http://auth.example.com/.well-known/oauth-authorization-server")},
	front.Mutant{Name: "card-signature-protected-bare", Summary: "The protected header of a signature is not encoded.", Reply: onSignature("protected", `{"alg":"EdDSA"}`)},
	front.Mutant{Name: "card-signature-standard-base64", Summary: "A signature is written in the standard base64 alphabet.", Reply: onSignature("signature", "ab+/cd+/ef+/gh==")},

	front.Mutant{Name: "card-security-undefined", Variant: "guarded", Summary: "The security of the card names a scheme that is not defined.",
		Reply: cardListAdds("security", map[string]any{"oauth": []any{}})},
)...)

// onSignature sets one member of the first signature of the card.
func onSignature(name string, value any) func(*front.Reply) {
	return mutants.CardHas("signatures/0/"+name, value)
}

const ExtendedCardMethod = "agent/getAuthenticatedExtendedCard"

// extendedCardMutants are about the card for callers who have logged in.
var extendedCardMutants = front.InArea("card",
	front.Mutant{Name: "extended-card-partial", Variant: "guarded", Summary: "The extended card holds only what it adds.",
		Reply: front.Answering(ExtendedCardMethod, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				front.Put(x.Body, "result", map[string]any{"skills": []any{front.At(x.Body, "result/skills/2")}})
			}
		})},
	front.Mutant{Name: "extended-card-wants-params", Variant: "guarded", Summary: "The extended card is refused without params.",
		Reply: front.Answering(ExtendedCardMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params") && front.Has(x.Body, "result") {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "extended-card-pretended", Summary: "Without an extended card the public one is returned in its place.",
		Reply: front.Answering(ExtendedCardMethod, func(x *front.Reply) {
			if x.Answers("", noExtendedCard) {
				x.Succeed(front.Generic(Server{x.Server}.card()))
			}
		})},
	front.Mutant{Name: "extended-card-misnamed", Summary: "The lack of an extended card is an internal error.",
		Reply: front.Recode(ExtendedCardMethod, noExtendedCard, front.CodeInternal)},
)

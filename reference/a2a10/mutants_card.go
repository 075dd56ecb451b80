package a2a10

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// has sets one member of the agent card.
func has(path string, value any) func(*front.Reply) { return mutants.CardHas(path, value) }

// adds adds an element to a list of the agent card.
func adds(path string, element any) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, path).([]any)
		front.Put(x.Body, path, append(list, element))
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
var discoveryMutants = map[string]front.Mutant{
	"card-at-old-path": {Reply: func(x *front.Reply) {
		switch x.Document {
		case "card":
			x.Blank(http.StatusNotFound, "text/plain")
		case "old card":
			x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card())
		}
	}},
	"card-as-text":    {Reply: headed("Content-Type", "text/plain")},
	"card-uncached":   {Reply: headed("Cache-Control", "")},
	"card-not-stored": {Reply: headed("Cache-Control", "no-store")},
	"card-untagged":   {Reply: headed("ETag", "")},
	"card-tag-random": {Reply: mutants.OnCard(func(x *front.Reply) { x.Header.Set("ETag", `"`+x.Server.NewID()+`"`) })},
	"card-date-iso":   {Reply: headed("Last-Modified", "2026-03-02T09:00:00Z")},
	"card-condition-ignored": {Reply: mutants.OnCard(func(x *front.Reply) {
		if x.Status == http.StatusNotModified {
			x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card())
		}
	})},
}

const firstInterface = "supportedInterfaces/0/"

// cardMutants are about what the card says (section 4.4), beyond the mere shape.
var cardMutants = map[string]front.Mutant{
	"card-url-of-two-bindings": {Reply: mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "supportedInterfaces").([]any)
		front.Put(x.Body, "supportedInterfaces", append(list, map[string]any{
			"url": front.At(x.Body, firstInterface+"url"), "protocolBinding": pigeon, "protocolVersion": "1.0",
		}))
	})},
	"card-input-modes-vague": {Reply: adds("defaultInputModes", "any")},
	"card-binding-word": {Reply: mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "supportedInterfaces").([]any)
		front.Put(x.Body, "supportedInterfaces", append(list, map[string]any{"url": "wss://ws.example.com/", "protocolBinding": "WEBSOCKET", "protocolVersion": "1.0"}))
	})},
	"card-interface-elsewhere": {Reply: mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "supportedInterfaces").([]any)
		front.Put(x.Body, "supportedInterfaces", append(list, map[string]any{"url": x.Server.Url + "/elsewhere", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}))
	})},
	"rest-undeclared": {Reply: func(x *front.Reply) {
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
	"card-extension-twice":       {Reply: adds("capabilities/extensions", map[string]any{"uri": Provenance})},
	"card-extension-unversioned": {Reply: adds("capabilities/extensions", map[string]any{"uri": "https://conform.example.com/ext"})},
	"card-security-undefined":    {Reply: adds("securityRequirements", map[string]any{"schemes": map[string]any{"oauth": map[string]any{"list": []any{}}}})},
}

// onExtendedCard edits the extended card.
func onExtendedCard(edit func(x *front.Reply, card map[string]any)) func(*front.Reply) {
	return front.Answering(extendedCardMethod, func(x *front.Reply) {
		if card := front.Object(x.Body, "result"); card != nil {
			edit(x, card)
		}
	})
}

// extendedCardMutants are about GetExtendedAgentCard (sections 3.1.11 and 13.3).
var extendedCardMutants = map[string]front.Mutant{
	"extended-card-for-all": {Guard: func(c *front.Caller) {
		if c.Method == extendedCardMethod && c.Client != "" {
			c.Client = "first"
		}
	}},
	"extended-card-signed-as-public": {Reply: onExtendedCard(func(x *front.Reply, card map[string]any) {
		card["signatures"] = front.Generic(signatures(x.Server.Url, front.Generic(Server{x.Server, nil}.card())))
	})},
}

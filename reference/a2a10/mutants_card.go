package a2a10

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// has sets one member of the agent card.
func has(path string, value any) func(*front.Reply) { return mutants.CardHas(path, value) }

// onExtendedCard edits the extended card.
func onExtendedCard(edit func(x *front.Reply, card map[string]any)) func(*front.Reply) {
	return front.Answering(extendedCardMethod, func(x *front.Reply) {
		if card := front.Object(x.Body, "result"); card != nil {
			edit(x, card)
		}
	})
}

// resigned makes a card whose first signature is over what payload makes of it, with
// an edited header.
func resigned(header func(map[string]any), payload func(card any) []byte) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		if x.Body == nil { // it has not changed
			return
		}
		h := signedHeader(x.Server.Url)
		if header != nil {
			header(h)
		}
		front.Put(x.Body, "signatures", []any{front.Generic(sign(h, payload(x.Body)))})
	})
}

// onSignature edits the signatures of the card.
func onSignature(edit func(s map[string]any)) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		list, _ := front.At(x.Body, "signatures").([]any)
		for _, s := range list {
			edit(front.Object(s, ""))
		}
	})
}

// withHeader makes a card whose signature holds, with an edited header.
func withHeader(edit func(map[string]any)) func(*front.Reply) { return resigned(edit, canonical) }

// signedAnew edits the first signature of the card, whose content is what payload makes
// of it.
func signedAnew(payload func(card map[string]any) []byte) func(*front.Reply) {
	return mutants.OnCard(func(x *front.Reply) {
		if list, _ := front.At(x.Body, "signatures").([]any); len(list) > 0 {
			list[0] = front.Generic(sign(signedHeader(x.Server.Url), payload(front.Object(x.Body, ""))))
		}
	})
}

// hexDigits are the two last digits of a letter of Latin-1.
func hexDigits(r rune) string {
	const digits = "0123456789abcdef"
	return string(digits[r>>4&15]) + string(digits[r&15])
}

// cardMutants are about the card and its signatures.
var cardMutants = map[string]front.Mutant{
	"card-at-old-path": {Reply: mutants.MoveCardTo("old card", func(s *front.Server) any { return Server{Server: s}.card() })},
	"card-tag-random":  {Reply: mutants.OnCard(func(x *front.Reply) { x.Header.Set("ETag", `"`+x.Server.NewID()+`"`) })},
	"card-tag-of-all-versions": {Reply: mutants.OnCard(func(x *front.Reply) {
		const all = `"all"`
		x.Header.Set("ETag", all)
		if x.HTTP.Header.Get("If-None-Match") == all {
			x.Status, x.Body = http.StatusNotModified, nil
		}
	})},
	"card-condition-ignored": {Reply: mutants.OnCard(func(x *front.Reply) {
		if x.Status == http.StatusNotModified {
			x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card())
		}
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
			if t, err := x.Server.Engine.Task(x.HTTP.PathValue("id")); err == nil {
				x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.Task(t, nil))
			}
		}
	}},
	"extended-card-signed-as-public": {Reply: onExtendedCard(func(x *front.Reply, card map[string]any) {
		card["signatures"] = front.Generic(signatures(x.Server.Url, front.Generic(Server{x.Server, nil}.card())))
	})},
	"signature-standard-base64": {Reply: onSignature(func(s map[string]any) {
		raw, _ := base64.RawURLEncoding.DecodeString(front.Text(s, "signature"))
		s["signature"] = base64.StdEncoding.EncodeToString(raw)
	})},
	"signature-alg-unprotected": {Reply: func(x *front.Reply) {
		withHeader(func(h map[string]any) { delete(h, "alg") })(x)
		onSignature(func(s map[string]any) { s["header"] = map[string]any{"alg": "ES256"} })(x)
	}},
	"signature-key-unnamed":  {Reply: withHeader(func(h map[string]any) { delete(h, "kid") })},
	"signature-as-token":     {Reply: withHeader(func(h map[string]any) { h["typ"] = "JWT" })},
	"signature-keys-in-file": {Reply: withHeader(func(h map[string]any) { h["jku"] = "/etc/keys/jwks.json" })},
	"signature-over-spaces": {Reply: resigned(nil, func(card any) []byte {
		return []byte(strings.ReplaceAll(string(canonical(card)), `":`, `": `))
	})},
	"signature-escaped": {Reply: signedAnew(func(card map[string]any) []byte {
		var out strings.Builder
		for _, r := range string(canonical(card)) {
			if r > '~' {
				out.WriteString("\\u00" + hexDigits(r))
				continue
			}
			out.WriteRune(r)
		}
		return []byte(out.String())
	})},
	"signature-over-signatures": {Reply: resigned(nil, func(card any) []byte { return front.Encode(card) })},
	"signature-beside-others": {Reply: signedAnew(func(card map[string]any) []byte {
		content := front.Object(front.Generic(card), "")
		content["signatures"] = content["signatures"].([]any)[1:]
		return front.Encode(content)
	})},
	"signature-drops-empty": {Reply: func(x *front.Reply) {
		has("description", "")(x)
		resigned(nil, func(card any) []byte {
			members := front.Object(front.Generic(card), "")
			delete(members, "description")
			return canonical(members)
		})(x)
	}},
	"signature-lacks-version": {Reply: signedAnew(func(card map[string]any) []byte {
		content := front.Object(front.Generic(card), "")
		delete(content, "version")
		return canonical(content)
	})},
	"signature-notices-half": {Reply: mutants.OnCard(func(x *front.Reply) {
		if front.Has(x.Body, "description") {
			x.Raw = append([]byte(`{"description":"Does what it likes.",`), front.Encode(x.Body)[1:]...)
		}
	})},
}

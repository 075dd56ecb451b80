package a2a10

import (
	"encoding/base64"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

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

// signatureMutants are about the signatures of the card (section 8.4).
var signatureMutants = map[string]front.Mutant{
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

// hexDigits are the two last digits of a letter of Latin-1.
func hexDigits(r rune) string {
	const digits = "0123456789abcdef"
	return string(digits[r>>4&15]) + string(digits[r&15])
}

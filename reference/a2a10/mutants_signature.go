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
var signatureMutants = front.In("signed", front.InArea("signature",
	front.Mutant{Name: "signature-protected-left-out", Summary: "A signature has no protected header.", Reply: onSignature(func(s map[string]any) { delete(s, "protected") })},
	front.Mutant{Name: "signature-standard-base64", Summary: "A signature is written in the standard base64 alphabet.",
		Reply: onSignature(func(s map[string]any) {
			raw, _ := base64.RawURLEncoding.DecodeString(front.Text(s, "signature"))
			s["signature"] = base64.StdEncoding.EncodeToString(raw)
		})},
	front.Mutant{Name: "signature-protected-bare", Summary: "The protected header of a signature is not encoded.",
		Reply: onSignature(func(s map[string]any) { s["protected"] = `{"alg":"ES256","typ":"JOSE","kid":"` + KeyID + `"}` })},
	front.Mutant{Name: "signature-alg-unprotected", Summary: "The algorithm of a signature stands in its unprotected header only.",
		Reply: func(x *front.Reply) {
			withHeader(func(h map[string]any) { delete(h, "alg") })(x)
			onSignature(func(s map[string]any) { s["header"] = map[string]any{"alg": "ES256"} })(x)
		}},
	front.Mutant{Name: "signature-key-unnamed", Summary: "A signature does not name its key.", Reply: withHeader(func(h map[string]any) { delete(h, "kid") })},
	front.Mutant{Name: "signature-as-token", Summary: "The type of a signature is JWT.", Reply: withHeader(func(h map[string]any) { h["typ"] = "JWT" })},
	front.Mutant{Name: "signature-keys-in-file", Summary: "The jku of a signature is a path of the server's disk.",
		Reply: withHeader(func(h map[string]any) { h["jku"] = "/etc/keys/jwks.json" })},
	front.Mutant{Name: "signature-header-text", Summary: "The unprotected header of a signature is text.",
		Reply: onSignature(func(s map[string]any) { s["header"] = "e30" })},
	front.Mutant{Name: "signature-over-spaces", Summary: "The signature is over the card with white space.",
		Reply: resigned(nil, func(card any) []byte {
			return []byte(strings.ReplaceAll(string(canonical(card)), `":`, `": `))
		})},
	front.Mutant{Name: "signature-escaped", Summary: "The first signature is over the card with its letters beyond ASCII escaped.",
		Reply: signedAnew(func(card map[string]any) []byte {
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
	front.Mutant{Name: "signature-over-signatures", Summary: "The signature is over the card with older signatures.",
		Reply: resigned(nil, func(card any) []byte { return front.Encode(card) })},
	front.Mutant{Name: "signature-beside-others", Summary: "The first signature is over the card with the other one.",
		Reply: signedAnew(func(card map[string]any) []byte {
			content := front.Object(front.Generic(card), "")
			content["signatures"] = content["signatures"].([]any)[1:]
			return front.Encode(content)
		})},
	front.Mutant{Name: "signature-drops-empty", Summary: "The signature is over the card without a description that is empty.",
		Reply: func(x *front.Reply) {
			has("description", "")(x)
			resigned(nil, func(card any) []byte {
				members := front.Object(front.Generic(card), "")
				delete(members, "description")
				return canonical(members)
			})(x)
		}},
	front.Mutant{Name: "signature-lacks-version", Summary: "The first signature is over the card without its version.",
		Reply: signedAnew(func(card map[string]any) []byte {
			content := front.Object(front.Generic(card), "")
			delete(content, "version")
			return canonical(content)
		})},
	front.Mutant{Name: "signature-before-change", Summary: "The card was changed after it was signed.", Reply: has("description", "Does what it likes.")},
	front.Mutant{Name: "signature-notices-half", Summary: "The signed card says a second time what it does, which a reader of the last words does not notice.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			if front.Has(x.Body, "description") {
				x.Raw = append([]byte(`{"description":"Does what it likes.",`), front.Encode(x.Body)[1:]...)
			}
		})},
)...)

// hexDigits are the two last digits of a letter of Latin-1.
func hexDigits(r rune) string {
	const digits = "0123456789abcdef"
	return string(digits[r>>4&15]) + string(digits[r&15])
}

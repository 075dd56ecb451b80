package e2e

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// ownKey signs the cards of this file.
var ownKey = func() ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("readings of the card"))
	return ed25519.NewKeyFromSeed(seed[:])
}()

func withOwnKey(t *conform.Target) {
	der, err := x509.MarshalPKIXPublicKey(ownKey.Public())
	if err != nil {
		panic(err)
	}
	t.CardKey = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// signedAs edits the card and signs what form makes of a copy of it.
func signedAs(edit func(m map[string]any), form func(m map[string]any) []byte) func(c call, r *reply) {
	return signedWith(`{"alg":"EdDSA","typ":"JOSE","kid":"own"}`, edit, form)
}

// signedWith does so with another protected header.
func signedWith(header string, edit func(m map[string]any), form func(m map[string]any) []byte) func(c call, r *reply) {
	return onCard(func(m map[string]any) {
		delete(m, "signatures")
		if edit != nil {
			edit(m)
		}
		var copied map[string]any
		text, _ := json.Marshal(m)
		json.Unmarshal(text, &copied)
		protected := base64.RawURLEncoding.EncodeToString([]byte(header))
		input := protected + "." + base64.RawURLEncoding.EncodeToString(form(copied))
		m["signatures"] = []any{map[string]any{"protected": protected, "signature": base64.RawURLEncoding.EncodeToString(ed25519.Sign(ownKey, []byte(input)))}}
	})
}

// canonical is the form of RFC 8785 without some members.
func canonical(without ...string) func(m map[string]any) []byte {
	return func(m map[string]any) []byte {
		for _, name := range without {
			delete(m, name)
		}
		text := jsontext.Value(byCodePoints(m))
		if err := text.Canonicalize(); err != nil {
			panic(err)
		}
		return text
	}
}

// byCodePoints writes members in the order of code points, which is not that of RFC 8785.
func byCodePoints(m map[string]any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

// escaped writes letters beyond ASCII as escapes.
func escaped(m map[string]any) []byte {
	var out []byte
	for _, r := range string(canonical()(m)) {
		if r > '~' {
			out = fmt.Appendf(out, "\\u%04x", r)
		} else {
			out = append(out, string(r)...)
		}
	}
	return out
}

// emptied has two empty members, of which one is required.
func emptied(m map[string]any) {
	m["securityRequirements"], m["description"] = []any{}, ""
}

// oddNames has two members whose order tells code points from the units of UTF-16.
func oddNames(m map[string]any) {
	m["x-\U0001F600"], m["x-\uFB33"] = 1, 2
}

func withToken(t *conform.Target) { t.Bearer = reference.Token }

// cardNotes are about the card, its signatures and the extended card.
var cardNotes = []note{
	{"N06 lists that every card has", []reading{
		{is: "filled", want: map[string]string{"CARD-008": "pass", "CARD-009": "pass", "CARD-037": "pass"}},
		{is: "no skills", mutant: "card-skills-empty", want: map[string]string{"CARD-008": "pass", "CARD-009": "finding"}},
		{is: "no input modes", change: onCard(func(m map[string]any) { m["defaultInputModes"] = []any{} }), want: map[string]string{"CARD-009": "finding"}},
		{is: "no tags", change: onCard(func(m map[string]any) { firstSkill(m)["tags"] = []any{} }), want: map[string]string{"CARD-037": "pass", "CARD-009": "finding"}},
		{is: "skills left out", change: onCard(func(m map[string]any) { delete(m, "skills") }), want: map[string]string{"CARD-008": "fail"}},
		{is: "tags left out", change: onCard(func(m map[string]any) { delete(firstSkill(m), "tags") }), want: map[string]string{"CARD-037": "fail"}},
	}},
	{"N07 members of older cards", []reading{
		{is: "none", want: map[string]string{"CARD-041": "pass"}},
		{is: "on a card for both versions", variant: "two-versions", want: map[string]string{"CARD-041": "not-applicable"}},
		{is: "on a card for 1.0", change: onCard(func(m map[string]any) { m["url"], m["preferredTransport"] = "https://agent.example.com/", "JSONRPC" }),
			want: map[string]string{"CARD-041": "finding"}},
	}},
	{"N08 demands for a scheme", []reading{
		{is: "in the form of 1.0", variant: "guarded", target: withToken, want: map[string]string{"CARD-055": "pass", "AUTH-001": "pass"}},
		{is: "in that of OpenAPI", mutant: "card-security-as-openapi", target: withToken, want: map[string]string{"CARD-055": "finding", "AUTH-001": "pass", "AUTH-007": "pass"}},
		{is: "in that of OpenAPI on a skill", change: onCard(func(m map[string]any) {
			m["securitySchemes"] = map[string]any{"bearer": map[string]any{"httpAuthSecurityScheme": map[string]any{"scheme": "Bearer"}}}
			firstSkill(m)["security"] = []any{map[string]any{"bearer": []any{}}}
		}), want: map[string]string{"CARD-055": "finding"}},
		{is: "one object", mutant: "card-security-as-map", target: withToken, want: map[string]string{"CARD-055": "fail"}},
	}},
	{"N09 the type of a signature", []reading{
		{is: "JOSE", variant: "signed", want: map[string]string{"SIGN-007": "pass"}},
		{is: "another", mutant: "signature-as-token", want: map[string]string{"SIGN-007": "finding"}},
		{is: "none", change: signedWith(`{"alg":"EdDSA","kid":"own"}`, nil, canonical()), variant: "signed", target: withOwnKey, want: map[string]string{"SIGN-007": "finding"}},
	}},
	{"N10 what is signed", []reading{
		{is: "the card as it is served", variant: "signed", change: signedAs(emptied, canonical()), target: withOwnKey, want: map[string]string{"SIGN-010": "pass", "SIGN-012": "pass"}},
		{is: "the card without defaults", variant: "signed", change: signedAs(emptied, canonical("securityRequirements")), target: withOwnKey, want: map[string]string{"SIGN-010": "pass", "SIGN-012": "pass"}},
		{is: "the card without any default", variant: "signed", change: signedAs(emptied, canonical("securityRequirements", "description")), target: withOwnKey,
			want: map[string]string{"SIGN-010": "pass", "SIGN-012": "finding"}},
		{is: "with names in the order of RFC 8785", variant: "signed", change: signedAs(oddNames, canonical()), target: withOwnKey, want: map[string]string{"SIGN-010": "pass"}},
		{is: "with names in the order of code points", variant: "signed", change: signedAs(oddNames, byCodePoints), target: withOwnKey, want: map[string]string{"SIGN-010": "finding: code points"}},
		{is: "with escaped letters", variant: "signed", change: signedAs(func(m map[string]any) { m["description"] = "Grüße" }, escaped), target: withOwnKey,
			want: map[string]string{"SIGN-010": "finding: escaped"}},
		{is: "another card", variant: "signed", change: signedAs(nil, func(map[string]any) []byte { return []byte("{}") }), target: withOwnKey, want: map[string]string{"SIGN-010": "fail"}},
		{is: "the key is not given", variant: "signed", target: func(t *conform.Target) { t.CardKey = "" }, want: map[string]string{"SIGN-010": "inconclusive: no key was given"}},
		{is: "the key is fetched where the run allows it", variant: "signed", target: func(t *conform.Target) { t.CardKey = "jku" }, want: map[string]string{"SIGN-010": "pass"}},
	}},
	{"N28 the two errors about an extended card", []reading{
		{is: "not claimed, unsupported", want: map[string]string{"EXTCARD-001": "pass", "EXTCARD-004": "not-applicable"}},
		{is: "not claimed, not configured", mutant: "extended-card-misnamed", want: map[string]string{"EXTCARD-001": "fail: -32007"}},
		{is: "claimed, not configured", variant: "lavish", want: map[string]string{"EXTCARD-001": "not-applicable", "EXTCARD-004": "pass"}},
		{is: "claimed, unsupported", mutant: "extended-card-misconfigured", want: map[string]string{"EXTCARD-004": "fail: -32004"}},
		{is: "claimed and there", variant: "guarded", target: withToken, want: map[string]string{"EXTCARD-001": "not-applicable", "EXTCARD-002": "pass", "EXTCARD-004": "not-applicable"}},
	}},
	{"N32 flows of OAuth", []reading{
		{is: "one in each object", variant: "lavish", want: map[string]string{"CARD-048": "pass"}},
		{is: "two in one object", mutant: "card-two-flows", want: map[string]string{"CARD-048": "finding"}},
		{is: "none", change: onCard(func(m map[string]any) {
			m["securitySchemes"] = map[string]any{"code": map[string]any{"oauth2SecurityScheme": map[string]any{"flows": map[string]any{}}}}
		}), want: map[string]string{"CARD-048": "fail"}},
	}},
}

func firstSkill(m map[string]any) map[string]any { return m["skills"].([]any)[0].(map[string]any) }

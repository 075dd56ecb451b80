package e2e

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// identity is how a client of the bundled server shows who it is.
func identity() conform.Target {
	return conform.Target{Dialect: "a2a-1.0", Credentials: conform.Credentials{Bearer: reference.Token, OtherIdentity: operator.Identity{Bearer: reference.SecondToken},
		RestrictedIdentity: operator.Identity{Bearer: reference.LowToken}}, Behaviour: conform.Behaviour{Declarations: []string{"credentials"}, DefaultStimuli: true}}
}

// judgedOn runs some requirements against a server.
func judgedOn(t *testing.T, url string, target conform.Target, ids ...string) map[string]report.Result {
	t.Helper()
	target.URL, target.Select.Run = url, ids
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]report.Result{}
	for _, r := range o.Report.Results {
		out[r.ID] = r
	}
	return out
}

// expect compares verdicts; a "!" after the verdict asks for a finding, its lack for none.
func expect(t *testing.T, got map[string]report.Result, want map[string]string) {
	t.Helper()
	for id, verdict := range want {
		r := got[id]
		is := string(r.Verdict)
		if len(r.Findings) > 0 {
			is += "!"
		}
		if is != verdict {
			t.Errorf("%s is %s, want %s: %s %v", id, is, verdict, r.Reason, r.Findings)
		}
	}
}

// A card in the older form of security still says that credentials are demanded.
func TestNoteN08CredentialsByTheOlderForm(t *testing.T) {
	server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: "card-security-as-openapi"})
	expect(t, judgedOn(t, server.URL(), identity(), "A2A10-AUTH-001", "A2A10-AUTH-002", "A2A10-AUTH-008", "A2A10-AUTH-011"),
		map[string]string{"A2A10-AUTH-001": "pass", "A2A10-AUTH-002": "pass", "A2A10-AUTH-008": "pass", "A2A10-AUTH-011": "pass"})
}

// The header typ is listed among what must be there, and worded as a recommendation.
func TestNoteN09AnotherType(t *testing.T) {
	server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: "signature-as-token"})
	target := conform.Target{Dialect: "a2a-1.0", Endpoint: conform.Endpoint{CardKey: string(reference.CardKeys())}}
	expect(t, judgedOn(t, server.URL(), target, "A2A10-SIGN-007", "A2A10-SIGN-010"), map[string]string{"A2A10-SIGN-007": "pass!", "A2A10-SIGN-010": "pass"})
}

// The source does not fix the bytes that are signed: what it leaves open passes, another
// form than that of RFC 8785 is a finding, and what no client can make of the card fails.
func TestNoteN10WhatIsSigned(t *testing.T) {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), []byte(strings.Repeat("n", 32)))
	if err != nil {
		t.Fatal(err)
	}
	public, err := json.Marshal(jose.JSONWebKey{Key: key.Public(), KeyID: "ours"})
	if err != nil {
		t.Fatal(err)
	}
	plain := func(v any) []byte {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			t.Fatal(err)
		}
		return bytes.TrimSpace(out.Bytes())
	}
	escaped := func(text []byte) []byte {
		var out strings.Builder
		for _, r := range string(text) {
			if r > '~' && r < 0x10000 {
				fmt.Fprintf(&out, `\u%04x`, r)
			} else {
				out.WriteRune(r)
			}
		}
		return []byte(out.String())
	}
	extension := func(card map[string]any) map[string]any {
		return card["capabilities"].(map[string]any)["extensions"].([]any)[0].(map[string]any)
	}
	unchanged := func(map[string]any) {}
	for _, c := range []struct {
		name   string
		served func(card map[string]any) // what is changed before it is signed and served
		signed func(card map[string]any) // what is changed only in what is signed
		form   func([]byte) []byte
		want   map[string]string
	}{
		{"as it is served", func(card map[string]any) { card["description"] = "" }, unchanged, nil, map[string]string{"A2A10-SIGN-010": "pass", "A2A10-SIGN-012": "pass"}},
		{"without defaults, required ones kept", func(card map[string]any) { card["description"], extension(card)["required"] = "", false },
			func(card map[string]any) { delete(extension(card), "required") }, nil, map[string]string{"A2A10-SIGN-010": "pass", "A2A10-SIGN-012": "pass"}},
		{"without any default", func(card map[string]any) { card["description"] = "" },
			func(card map[string]any) {
				delete(card, "description")
				for _, e := range card["capabilities"].(map[string]any)["extensions"].([]any) {
					if e := e.(map[string]any); e["required"] == false {
						delete(e, "required")
					}
				}
			}, nil, map[string]string{"A2A10-SIGN-010": "pass", "A2A10-SIGN-012": "pass!"}},
		{"with escaped letters", func(card map[string]any) { card["name"] = "Agent Zoë" }, unchanged, escaped, map[string]string{"A2A10-SIGN-010": "pass!", "A2A10-SIGN-012": "pass"}},
		{"in the order of code points", func(card map[string]any) {
			extension(card)["params"] = map[string]any{"\ufb33": "a", "\U0001f600": "b"}
		},
			unchanged, nil, map[string]string{"A2A10-SIGN-010": "pass!"}},
		{"with white space", unchanged, unchanged, func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`":`), []byte(`": `)) },
			map[string]string{"A2A10-SIGN-010": "fail"}},
		{"of another card", unchanged, func(card map[string]any) { card["description"] = "Another." }, nil, map[string]string{"A2A10-SIGN-010": "fail"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := doctored(t, reference.Options{Dialect: "a2a-1.0"}, func(to call, r *reply) {
				if to.path != "/.well-known/agent-card.json" || r.status != 200 {
					return
				}
				r.edit(func(card map[string]any) {
					delete(card, "signatures")
					c.served(card)
					var content map[string]any
					if err := json.Unmarshal(plain(card), &content); err != nil {
						t.Error(err)
					}
					c.signed(content)
					text := plain(content)
					if c.form != nil {
						text = c.form(text)
					}
					signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "ours"}}, (&jose.SignerOptions{}).WithType("JOSE"))
					if err != nil {
						t.Error(err)
						return
					}
					made, err := signer.Sign(text)
					if err != nil {
						t.Error(err)
						return
					}
					compact, _ := made.DetachedCompactSerialize()
					protected, signature, _ := strings.Cut(compact, "..")
					card["signatures"] = []any{map[string]any{"protected": protected, "signature": signature}}
				})
			})
			expect(t, judgedOn(t, server, conform.Target{Dialect: "a2a-1.0", Endpoint: conform.Endpoint{CardKey: string(public)}}, "A2A10-SIGN-010", "A2A10-SIGN-012"), c.want)
		})
	}
}

// Whether an extended card is announced or configured decides between two errors for the
// same call; a server that has none is found out by the call alone.
func TestNoteN28TwoErrorsForOneCall(t *testing.T) {
	ids := []string{"A2A10-EXTCARD-001", "A2A10-EXTCARD-002", "A2A10-EXTCARD-004", "A2A10-EXTCARD-005"}
	for _, c := range []struct {
		server reference.Options
		want   map[string]string
	}{
		{reference.Options{Variant: "full"}, map[string]string{"A2A10-EXTCARD-001": "pass", "A2A10-EXTCARD-002": "not-applicable", "A2A10-EXTCARD-004": "not-applicable"}},
		{reference.Options{Mutant: "extended-card-misnamed"}, map[string]string{"A2A10-EXTCARD-001": "fail"}},
		{reference.Options{Variant: "lavish"}, map[string]string{"A2A10-EXTCARD-001": "not-applicable", "A2A10-EXTCARD-002": "not-applicable", "A2A10-EXTCARD-004": "pass",
			"A2A10-EXTCARD-005": "not-applicable"}},
		{reference.Options{Mutant: "extended-card-misconfigured"}, map[string]string{"A2A10-EXTCARD-004": "fail"}},
	} {
		t.Run(c.server.Variant+c.server.Mutant, func(t *testing.T) {
			c.server.Dialect = "a2a-1.0"
			expect(t, judgedOn(t, bundled(t, c.server).URL(), identity(), ids...), c.want)
		})
	}
}

// That a client with few rights gets the same extended card as others is a fault only
// where the server is seen to know its rights.
func TestExtendedCardForEverybodyWhoIsKnown(t *testing.T) {
	server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: "extended-card-for-all"})
	target := identity()
	expect(t, judgedOn(t, server.URL(), target, "A2A10-EXTCARD-007"), map[string]string{"A2A10-EXTCARD-007": "fail"})
	target.Never = []string{"forbidden"}
	expect(t, judgedOn(t, server.URL(), target, "A2A10-EXTCARD-007"), map[string]string{"A2A10-EXTCARD-007": "pass!"})
}

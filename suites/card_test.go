package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
)

func card(text string) string { return told("card/well-known card", "", text) }

func TestCardChecks(t *testing.T) {
	skills := card(`{"called":"Z","skills":[]}`)
	try(t, "card", []trial{
		{"discovery/card-available", "", map[string]string{
			"pass":            card(`{"called":"Z"}`),
			"pass:configured": "card/configured card\n < 200 application/json {}\ncard/well-known card\n < 404 text/html no\n",
			"fail:missing":    "card/well-known card\n < 404 text/html no\n",
			"fail:an array":   card(`[{}]`),
			"fail:no server":  "card/well-known card\n ! no-dial\n",
		}},
		{"discovery/card-well-known", "", map[string]string{
			"pass": card(`{}`),
			"fail": "card/configured card\n < 200 application/json {}\ncard/well-known card\n < 404 text/html no\n",
		}},
		{"discovery/card-object", "", map[string]string{
			"pass":         card(`{}`),
			"fail:array":   card(`[]`),
			"fail:no JSON": card(`name: Z`),
			"inconclusive": "card/well-known card\n < 404 text/html no\n",
		}},
		{"discovery/card-media-type", "", map[string]string{
			"pass":         "card/well-known card\n < 200 application/json;charset=utf-8 {}\n",
			"fail":         "card/well-known card\n < 200 text/html {}\n",
			"fail:none":    "card/well-known card\n < 200 - {}\n",
			"inconclusive": "card/well-known card\n < 404 text/html no\n",
		}},
		{"discovery/no-secrets", "", map[string]string{
			"pass":         "secret bearer\n" + card(`{"hint":"a token"}`),
			"fail":         "secret bearer\n" + card(`{"hint":"use ⟦secret:bearer⟧"}`),
			"inconclusive": "secret bearer\ncard/well-known card\n < 404 text/html no\n",
		}},
		{"card/absolute-url", "{at: /url, schemes: [http, https]}", map[string]string{
			"pass":                        card(`{"url":"http://a.example/x"}`),
			"fail:relative":               card(`{"url":"/x"}`),
			"fail:scheme":                 card(`{"url":"ftp://a.example/x"}`),
			"not-applicable:no string":    card(`{"url":5}`),
			"not-applicable:not on it":    card(`{}`),
			"inconclusive:no card at all": "card/well-known card\n < 404 text/html no\n",
		}},
		{"card/unique", "{at: /skills/*/id}", map[string]string{
			"pass": card(`{"skills":[{"id":"a"},{"id":"b"}]}`), "fail": card(`{"skills":[{"id":"a"},{"id":"b"},{"id":"a"}]}`),
			"not-applicable": card(`{"skills":[]}`)}},
		{"card/scheme-names", "{at: /schemes/*}", map[string]string{
			"pass": card(`{"schemes":["bearer","ApiKey"]}`), "fail": card(`{"schemes":["our-login"]}`), "not-applicable": card(`{"schemes":[]}`)}},
		{"card/skills", "{at: /skills, step: quick/send}", map[string]string{
			"pass":         card(`{"skills":[{}]}`) + told("quick/send send", "{}", okReply),
			"fail":         skills + told("quick/send send", "{}", okReply),
			"fail:absent":  card(`{}`) + told("quick/send send", "{}", okReply),
			"inconclusive": skills + told("quick/send send", "{}", rpcError("1", -32603)),
		}},
	})
}

// A selection that makes no call says nothing about whether calls would be
// answered.
func TestReached(t *testing.T) {
	for _, c := range []struct {
		said string
		want bool
	}{
		{card(`{}`), true},
		{"card/well-known card\n ! no-dial\n", false},
		{card(`{}`) + told("quick/send send", "{}", okReply), true},
		{card(`{}`) + "quick/send send\n ! no-dial\n", false},
	} {
		cs := judge.NewCase(judgetest.Dialect(t, "  []\n"), judgetest.Transcript(t, c.said), suites.Checks(), nil)
		if got := cs.Reached(); got != c.want {
			t.Errorf("reached is %v for\n%s", got, c.said)
		}
	}
}

package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

func card(text string) string { return told("card/well-known card", "", text) }

// inFile is a card that the operator has in a file.
func inFile(text string) string { return "card/configured card file=card.json\n | " + text + "\n" }

const (
	// named is a card where the operator says that it lies, on the server.
	named    = "card/configured card url=http://server.invalid/mine\n < 200 application/json {}\n"
	anothers = "card/well-known document role=probe\n < 200 text/html {\"called\":\"another\"}\n"
	foreign  = "card/configured card url=http://b.invalid/mine elsewhere\n < 200 text/plain {}\n"
)

func TestCardChecks(t *testing.T) {
	skills := card(`{"called":"Z","skills":[]}`)
	try(t, "card", []trial{
		{"discovery/card-available", "", map[string]string{
			"inconclusive:not for us":          "card/well-known card\n < 401 text/plain no\n",
			"inconclusive:refused":             "secret bearer\ncard/well-known card\n < 401 text/plain no\n",
			"not-applicable:in a file":         inFile(`{"called":"Z"}`),
			"fail:not there":                   "card/configured card\n < 404 text/html no\n" + anothers,
			"inconclusive:not on another host": "card/configured card elsewhere\n < 404 text/html no\n" + anothers,
			"pass":                             card(`{"called":"Z"}`),
			"pass:configured":                  "card/configured card\n < 200 application/json {}\ncard/well-known card\n < 404 text/html no\n",
			"fail:missing":                     "card/well-known card\n < 404 text/html no\n",
			"fail:an array":                    card(`[{}]`),
			"fail:no server":                   "card/well-known card\n ! no-dial\n",
		}},
		{"discovery/card-well-known", "", map[string]string{
			"pass":                               card(`{}`),
			"fail":                               "card/well-known card\n < 404 text/html no\n",
			"fail:at the older place":            "card/well-known card\n < 404 text/html no\ncard/older card\n < 200 application/json {}\n",
			"fail:the older place is named":      "card/well-known card\n < 404 text/html no\ncard/configured card\n < 200 application/json {}\ncard/older document role=probe again=configured\n",
			"pass:the well-known place is named": "card/configured card\n < 200 application/json {}\ncard/well-known card again=configured\n",
			"not-applicable:the older place is named, and holds another card": named + anothers + "card/older document role=probe again=configured\n",
			"inconclusive:not for us":                 "card/well-known card\n < 401 text/plain no\n",
			"not-applicable:elsewhere":                named + "card/well-known card\n < 404 text/html no\n",
			"not-applicable:another agent's is there": named + anothers,
			"not-applicable:elsewhere, and gone":      "card/configured card\n < 404 text/html no\n" + anothers,
			"not-applicable:in a file":                inFile(`{}`) + anothers,
		}},
		{"discovery/card-well-known", "{object: true}", map[string]string{
			"pass":                     card(`{}`),
			"not-applicable:elsewhere": named + "card/well-known document\n < 200 application/json []\n",
			"not-applicable:in a file": inFile(`{}`) + anothers,
		}},
		{"discovery/card-object", "", map[string]string{
			"pass:in a file": inFile(`{}`) + anothers,
			"pass":           card(`{}`),
			"fail:array":     card(`[]`),
			"fail:no JSON":   card(`name: Z`),
			"inconclusive":   "card/well-known card\n < 404 text/html no\n",
		}},
		{"discovery/card-object", "{wellKnown: true}", map[string]string{
			"pass": card(`{}`), "fail": card(`[]`), "not-applicable:in a file": inFile(`{}`) + anothers,
		}},
		{"discovery/card-media-type", "", map[string]string{
			"pass":         "card/well-known card\n < 200 application/json;charset=utf-8 {}\n",
			"fail":         "card/well-known card\n < 200 text/html {}\n",
			"fail:none":    "card/well-known card\n < 200 - {}\n",
			"inconclusive": "card/well-known card\n < 404 text/html no\n",

			"pass:on the server, elsewhere": named + anothers,
			"fail:on the server, elsewhere": "card/configured card\n < 200 text/html {}\n" + anothers,
			"not-applicable:on another":     foreign,
			"not-applicable:in a file":      inFile(`{}`),
		}},
		{"discovery/card-media-type", "{wellKnown: true}", map[string]string{
			"pass":                     card(`{}`),
			"fail":                     "card/well-known card\n < 200 text/html {}\n",
			"not-applicable:elsewhere": "card/configured card\n < 200 text/html {}\n" + anothers,
		}},
		{"discovery/secure", "", map[string]string{
			"pass":                     "card/well-known card url=https://a.example/card\n < 200 application/json {}\n",
			"fail":                     card(`{}`),
			"not-applicable:in a file": inFile(`{}`),
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
		cs := verdict.NewDecider(judgetest.Dialect(t, "  []\n"), judgetest.Transcript(t, c.said), suites.Checks(), nil)
		if got := cs.Reached(); got != c.want {
			t.Errorf("reached is %v for\n%s", got, c.said)
		}
	}
}

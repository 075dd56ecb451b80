package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

func TestSignedCardsOfAClient(t *testing.T) {
	plain := "run hello\n" + call("hello/send send", "do", message(""), done)
	card := func(scenario string) string {
		return scenario + "/card card\n  > GET -\n" + `  < 200 application/json {"called":"Z","at":[{"to":"http://server.invalid/","by":"JSONRPC"}]}` + "\n"
	}
	sent := func(scenario string) string {
		return card(scenario) + call(scenario+"/send send", "do", message(""), done)
	}
	keys := func(scenario, at string) string {
		return scenario + "/keys keys url=" + at + "/keys.json\n  > GET -\n  < 200 application/json {}\n"
	}
	trusts := plain + sent("good")
	forged := func(more string) string { return "{plays: [bad-*], plain: good, wrong: that was changed" + more + "}" }
	signed := func(more string) string {
		return "{plays: [good, other-*, bad-*], plain: good, forged: [bad-*], disputed: [other-d]" + more + "}"
	}
	fetches := trusts + keys("good", "https://server.invalid")
	addresses := "{plays: [by-http], secure: [by-https], production: production}"
	withInterfaces := func(d *schema.Dialect) {
		d.Card.Interfaces = schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Speaks: "JSONRPC"}
	}
	runClientTrials(t, "client_signed_cards", []trial{
		{"client/forged-card", forged(""), map[string]string{
			"pass": trusts + card("bad-a"), "fail": trusts + sent("bad-a"), "fail: without the plain one": sent("bad-a"), "fail: one of two": trusts + card("bad-a") + sent("bad-b"),
			"inconclusive": plain + card("good") + card("bad-a"), "inconclusive: not over": trusts + "run bad-a unended\n" + card("bad-a"),
			"inconclusive: without a card": trusts + call("bad-a/send send", "do", message(""), done), "inconclusive: not played": trusts,
		}},
		{"client/forged-card", forged(", fetched: true, shown: [bad-m]"), map[string]string{
			"pass": fetches + card("bad-a") + keys("bad-a", "https://server.invalid"), "pass: shown": fetches + sent("bad-m") + keys("bad-m", "https://server.invalid"),
			"fail":           fetches + sent("bad-a") + keys("bad-a", "https://server.invalid"),
			"not-applicable": trusts + sent("bad-a"), "inconclusive": fetches + sent("bad-a"),
		}},
		{"client/forged-card", "{plays: [bad-*], plain: good, forged: [known-*], fetched: true, wrong: whose key was revoked}", map[string]string{
			"fail":                         fetches + card("known-a") + sent("bad-a") + keys("bad-a", "https://server.invalid"),
			"pass":                         fetches + sent("known-a") + card("bad-a") + keys("bad-a", "https://server.invalid"),
			"not-applicable":               fetches + sent("known-a") + sent("bad-a") + keys("bad-a", "https://server.invalid"),
			"inconclusive: no forged card": fetches + sent("bad-a") + keys("bad-a", "https://server.invalid"),
		}},
		{"client/signed-card", signed(""), map[string]string{
			"pass": trusts + card("bad-a") + sent("other-a"), "pass: disputed": trusts + card("bad-a") + card("other-d"), "fail": trusts + card("bad-a") + card("other-a"),
			"not-applicable": trusts + sent("bad-a") + card("other-a"), "inconclusive": plain + card("good") + card("bad-a") + card("other-a"),
			"inconclusive: nothing forged": trusts + card("other-a"), "inconclusive: not over": trusts + card("bad-a") + "run bad-a unended\n",
		}},
		{"client/key-address", addresses, map[string]string{
			"pass": card("by-http") + keys("by-https", "https://server.invalid"), "pass: a finding": card("by-http") + keys("by-http", "http://localhost:1"),
			"fail": "declared production\n" + card("by-http") + keys("by-http", "http://localhost:1"), "pass: by https": "declared production\n" + keys("by-http", "https://localhost:1") + keys("by-https", "https://localhost:1"),
			"inconclusive": card("by-http") + card("by-https"), "inconclusive: not over": "run by-http unended\n" + card("by-http"), "inconclusive: nothing came": plain,
		}},
	}, withInterfaces)
	// These are permissions, which no client breaks.
	for _, tr := range []trial{
		{"client/forged-card", forged(", permission: true"), map[string]string{
			"pass": trusts + card("bad-a"), "not-applicable": trusts + sent("bad-a"), "not-applicable: one of two": trusts + card("bad-a") + sent("bad-b"),
			"inconclusive": plain + card("good") + card("bad-a"),
		}},
		{"client/signed-card", "{plays: [other-a, bad-*], plain: good, forged: [bad-*], permission: true}", map[string]string{
			"pass": trusts + card("bad-a") + sent("other-a"), "not-applicable": trusts + card("bad-a") + card("other-a"), "inconclusive": trusts + card("other-a"),
			"inconclusive: not over": trusts + card("bad-a") + "run other-a unended\n" + card("other-a"),
		}},
	} {
		d := judgetest.Dialect(t, fmt.Sprintf("  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: %s, with: %s}\n", tr.check, tr.with))
		withInterfaces(d)
		for _, name := range sortedNames(tr.said) {
			r := verdict.NewDecider(d, clientTranscript(t, tr.said[name]), suites.Checks(), nil).Result("ZZ99-X-001")
			if want, _, _ := strings.Cut(name, ":"); string(r.Verdict) != want {
				t.Errorf("%s %s: %s (%s)", tr.check, name, r.Verdict, r.Reason)
			}
		}
	}
}

package suites_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// withInterfaces is the made-up dialect where cards list interfaces.
func withInterfaces(d *schema.Dialect) {
	d.Card.Endpoint = ""
	d.Card.Interfaces = schema.Interfaces{At: "/ways", URL: "/at", Transport: "/by", Version: "/in", Tenant: "/for", Speaks: "WIRE", REST: "PAPER"}
}

// writeInterface is a card with one interface.
func writeInterface(at, by, in string) string {
	return serveCard(fmt.Sprintf(`{"ways":[{"at":%q,"by":%q,"in":%q}]}`, at, by, in))
}

func TestInterfaceEntries(t *testing.T) {
	names := "{names: [WIRE, PAPER+INK]}"
	runTrials(t, "card_entries", []trial{
		{"interface/urls", "{authority: PAPER}", map[string]string{
			"pass":                     writeInterface("https://a.example/x", "WIRE", "9.9"),
			"pass:here":                writeInterface("http://127.0.0.1:8080/x", "WIRE", "9.9"),
			"pass:host and port":       writeInterface("127.0.0.1:8080", "PAPER", "9.9"),
			"finding:no TLS":           writeInterface("http://a.example/x", "WIRE", "9.9"),
			"fail:relative":            writeInterface("/x", "WIRE", "9.9"),
			"fail:host and port":       writeInterface("a.example:80", "WIRE", "9.9"),
			"fail:of another version":  writeInterface("x", "WIRE", "1.0"),
			"not-applicable:no string": serveCard(`{"ways":[{"at":7}]}`),
			"not-applicable:none":      serveCard(`{"ways":[]}`),
		}},
		{"interface/urls", "{production: live}", map[string]string{
			"pass": "declared live\n" + writeInterface("https://a.example/x", "WIRE", "9.9"),
			"fail": "declared live\n" + writeInterface("http://127.0.0.1:8080/x", "WIRE", "9.9"),
		}},
		{"interface/spelling", names, map[string]string{
			"pass":           writeInterface("https://a.example", "PAPER+INK", "9.9"),
			"pass:its own":   writeInterface("https://a.example", "SMOKE", "9.9"),
			"fail:lower":     writeInterface("https://a.example", "wire", "9.9"),
			"fail:hyphen":    writeInterface("https://a.example", "paper-ink", "9.9"),
			"not-applicable": serveCard(`{"ways":[{"by":7}]}`),
		}},
		{"interface/own-names", names, map[string]string{
			"pass":                 writeInterface("https://a.example", "https://b.example/smoke", "9.9"),
			"fail":                 writeInterface("https://a.example", "SMOKE", "9.9"),
			"not-applicable":       writeInterface("https://a.example", "WIRE", "9.9"),
			"not-applicable:lower": writeInterface("https://a.example", "wire", "9.9"),
		}},
		{"interface/version", `{like: '^9\.9$', wants: version 9.9}`, map[string]string{
			"pass":              writeInterface("https://a.example", "WIRE", "9.9"),
			"fail":              writeInterface("https://a.example", "WIRE", "9.8"),
			"inconclusive:none": serveCard(`{"ways":[]}`),
		}},
		{"card/older-members", `{members: [road], like: '^8'}`, map[string]string{
			"pass":           writeInterface("https://a.example", "WIRE", "9.9"),
			"finding":        serveCard(`{"road":"/x","ways":[{"in":"9.9"}]}`),
			"not-applicable": serveCard(`{"road":"/x","ways":[{"in":"9.9"},{"in":"8.1"}]}`),
		}},
		{"card/filled", "{at: [/skills, /takes]}", map[string]string{
			"pass": serveCard(`{"skills":[{}],"takes":["a"]}`), "finding": serveCard(`{"skills":[],"takes":["a"]}`), "not-applicable": serveCard(`{"skills":7}`)}},
		{"card/demands", "{at: [/asks/*], schemes: /schemes, older: [/asked]}", map[string]string{
			"pass":           serveCard(`{"asks":[{"schemes":{"a":{}}},{}]}`),
			"finding:bare":   serveCard(`{"asks":[{"a":[]}]}`),
			"finding:older":  serveCard(`{"asked":[{"a":[]}]}`),
			"not-applicable": serveCard(`{}`),
		}},
	}, withInterfaces)
}

// writeSignedCard is a card with a signature whose protected header is that text.
func writeSignedCard(header string) string {
	return serveCard(fmt.Sprintf(`{"signatures":[{"protected":%q}]}`, base64.RawURLEncoding.EncodeToString([]byte(header))))
}

func TestSignatureHeaders(t *testing.T) {
	with := func(more string) string { return strings.TrimSuffix("{at: /signatures/*/protected, "+more, ", ") + "}" }
	runTrials(t, "card_signatures", []trial{
		{"signature/header", with(""), map[string]string{
			"pass": writeSignedCard(`{}`), "fail:array": writeSignedCard(`[]`), "fail:plain": serveCard(`{"signatures":[{"protected":"{}"}]}`), "not-applicable": serveCard(`{}`)}},
		{"signature/member", with("member: alg, not: [none]"), map[string]string{
			"pass": writeSignedCard(`{"alg":"ES256"}`), "fail:none": writeSignedCard(`{"alg":"none"}`), "fail:missing": writeSignedCard(`{}`), "fail:number": writeSignedCard(`{"alg":7}`),
			"not-applicable:unreadable": writeSignedCard(`[]`)}},
		{"signature/member", with("member: typ, is: JOSE, tolerated: true"), map[string]string{
			"pass": writeSignedCard(`{"typ":"JOSE"}`), "finding": writeSignedCard(`{"typ":"JWT"}`), "finding:missing": writeSignedCard(`{}`)}},
		{"signature/member", with("member: jku, url: true, optional: true"), map[string]string{
			"pass": writeSignedCard(`{"jku":"https://a.example/k"}`), "pass:here": writeSignedCard(`{"jku":"http://127.0.0.1/k"}`), "fail": writeSignedCard(`{"jku":"/etc/keys"}`),
			"fail:no TLS": writeSignedCard(`{"jku":"http://a.example/k"}`), "not-applicable": writeSignedCard(`{}`)}},
	})
}

func TestMembers(t *testing.T) {
	result := func(text string) string {
		return answerCall("quick/get get", "{}", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"number":"7","files":[%s]}}`, text))
	}
	runTrials(t, "members", []trial{
		{"shape/without", "{types: [File], members: [sort]}", map[string]string{
			"pass": result(`{}`), "fail": result(`{"sort":"x"}`), "not-applicable": result(``)}},
		{"shape/without", "{types: [File], members: [sort], tolerated: true}", map[string]string{
			"pass": result(`{}`), "finding": result(`{"sort":"x"}`)}},
		{"shape/one-member", "{type: File, members: [bytes, link]}", map[string]string{
			"pass": result(`{"bytes":"x"}`), "finding": result(`{"bytes":"x","link":"y"}`), "fail": result(`{}`), "not-applicable": result(``)}},
		{"shape/by-name", "{of: [{type: File, at: /kind}]}", map[string]string{
			"pass": result(`{"kind":"x"}`), "fail": result(`{"kind":3}`), "not-applicable": result(`{}`)}},
		{"message/places", `{type: File, at: /link, like: '^[0-9]$', wants: a digit, near: '^[0-9]+$'}`, map[string]string{
			"pass": result(`{"link":"1"}`), "finding": result(`{"link":"12"}`), "fail": result(`{"link":"x"}`)}},
	})
}

func TestCachedCards(t *testing.T) {
	fetch := func(step, head string) string { return step + "\n < 200 application/json {}\n" + head }
	const (
		first, again, known = "card/well-known card", "cached-card/again document", "cached-card/unchanged document"
		tag                 = " + ETag: \"a\"\n"
	)
	const (
		newer, older, newerAgain = "cached-card/newer document", "cached-card/older document", "cached-card/newer-again document"
		versions                 = "{newer: cached-card/newer, older: cached-card/older, again: cached-card/newer-again, header: A2A-Version}"
	)
	cards := func(ofNewer, ofOlder string) string { // that differ
		return fetch(newer, ofNewer) + older + "\n < 200 application/json {\"called\":\"Z\"}\n" + ofOlder + fetch(newerAgain, ofNewer)
	}
	header := func(name, like string) string {
		return fmt.Sprintf("{header: %s, like: '%s', wants: a header}", name, like)
	}
	runTrials(t, "cached_cards", []trial{
		{"discovery/header", header("Cache-Control", "."), map[string]string{
			"pass": fetch(first, " + Cache-Control: no-store\n"), "fail": fetch(first, ""), "not-applicable:in a file": cardInFile(`{}`)}},
		{"discovery/header", header("Cache-Control", "max-age=[0-9]+"), map[string]string{
			"pass": fetch(first, " + Cache-Control: public, max-age=300\n"), "fail": fetch(first, " + Cache-Control: no-store\n")}},
		{"discovery/date", "{header: Last-Modified}", map[string]string{
			"pass": fetch(first, " + Last-Modified: Mon, 02 Mar 2026 09:00:00 GMT\n"), "fail": fetch(first, " + Last-Modified: 2026-03-02\n"), "not-applicable": fetch(first, "")}},
		{"discovery/tag-kept", "{step: cached-card/again}", map[string]string{
			"pass":                 fetch(first, tag) + fetch(again, tag),
			"fail":                 fetch(first, tag) + fetch(again, " + ETag: \"b\"\n"),
			"fail:left out":        fetch(first, tag) + fetch(again, ""),
			"not-applicable":       fetch(first, "") + fetch(again, tag),
			"inconclusive:changed": fetch(first, tag) + again + "\n < 200 application/json {\"called\":\"Z\"}\n + ETag: \"b\"\n",
			"inconclusive:refused": fetch(first, tag) + again + "\n < 401 text/plain no\n",
		}},
		{"discovery/varies", versions, map[string]string{
			"pass":                    cards(" + Vary: Accept, a2a-version\n", " + Vary: *\n"),
			"fail":                    cards("", ""),
			"fail:another header":     cards(" + Vary: Accept\n", " + Vary: Accept\n"),
			"fail:one version":        cards(" + Vary: A2A-Version\n", ""),
			"not-applicable:unstored": cards(" + Cache-Control: no-store\n", " + Cache-Control: no-store\n"),
			"not-applicable:alike":    fetch(newer, "") + fetch(older, "") + fetch(newerAgain, ""),
			"inconclusive:changes":    fetch(newer, "") + fetch(older, "") + newerAgain + "\n < 200 application/json {\"called\":\"Z\"}\n",
			"inconclusive:refused":    fetch(newer, "") + older + "\n < 400 text/plain no\n" + fetch(newerAgain, ""),
		}},
		{"discovery/tag-of-version", versions, map[string]string{
			"pass":           cards(tag, " + ETag: \"b\"\n"),
			"fail":           cards(tag, tag),
			"fail:weak":      cards(tag, " + ETag: W/\"a\"\n"),
			"not-applicable": cards("", tag),
		}},
		{"discovery/not-modified", "{from: cached-card/again, step: cached-card/unchanged}", map[string]string{
			"pass":                 fetch(first, tag) + fetch(again, tag) + known + "\n < 304 - \n",
			"finding":              fetch(first, tag) + fetch(again, tag) + fetch(known, tag),
			"fail":                 fetch(first, tag) + fetch(again, tag) + known + "\n < 412 text/plain no\n",
			"fail:a body":          fetch(first, tag) + fetch(again, tag) + known + "\n < 304 application/json {}\n",
			"not-applicable":       fetch(first, "") + fetch(again, ""),
			"inconclusive:changed": fetch(first, tag) + fetch(again, tag) + fetch(known, " + ETag: \"b\"\n"),
		}},
	})
}

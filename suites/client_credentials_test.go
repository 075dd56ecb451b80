package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

func TestCredentialsOfClients(t *testing.T) {
	const (
		bearer = `"a":{"type":"http","scheme":"bearer"}`
		basic  = `"b":{"type":"http","scheme":"basic"}`
		header = `"c":{"type":"apiKey","in":"header","name":"X-Key"}`
		query  = `"d":{"type":"apiKey","in":"query","name":"k"}`
		cookie = `"e":{"type":"apiKey","in":"cookie","name":"k"}`
		oauth  = `"f":{"type":"oauth2"}`
		badge  = `"g":{"type":"mutualTLS"}`
	)
	card := func(play, schemes, demands string) string {
		return play + "/card card url=http://server.invalid/card\n" + `  < 200 application/json {"called":"Z","at":[{"to":"http://server.invalid/a","by":"JSONRPC"}],"defined":{` + schemes + `},"schemes":[` + demands + "]}\n"
	}
	send := func(step string) string {
		return call(step+" send url=http://server.invalid/a", "do", message(""), done)
	}
	demands := card("one", bearer, `{"a":[]}`)
	const given = "run one granted=bearer\n"
	const ok = "shows one/send bearer header Authorization\n"
	auth := func(word string) string { return "  Authorization: " + word + " x\n" }
	key := func(scheme, name string) string {
		return "run one granted=key\n" + card("one", scheme, `{"`+name+`":[]}`) + send("one/send")
	}
	both := "run one granted=bearer granted=key\n" + card("one", bearer+","+header, `{"a":[],"c":[]}`)
	control := "run plain granted=bearer\n" + card("plain", bearer, `{"a":[]}`) + send("plain/send") + auth("Bearer")
	either := given + card("one", bearer+","+badge, `{"g":[]},{"a":[]}`) + control
	stray := "one/stray stray url=http://server.invalid/icon\n  > GET - \n"
	token := "one/token token url=http://server.invalid/token\n  > POST - \n"
	flow := "run one granted=client-id granted=client-secret\n" + card("one", oauth, `{"f":[]}`)
	moved := "one/send send url=http://server.invalid/a\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"do\",\"params\":{}}\n  < 307 -\n"
	redirected := "one/redirected send url=http://other.invalid/a\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"do\",\"params\":{}}\n  < 200 application/json " + done + "\n"
	runClientTrials(t, "client_credentials", []trial{
		{"client/demanded-credential", "{plays: [one]}", map[string]string{
			"pass": given + demands + send("one/send") + auth("Bearer") + ok, "pass: another case": given + demands + send("one/send") + auth("bearer") + ok,
			"pass: basic":  "run one granted=basic\n" + card("one", basic, `{"b":[]}`) + send("one/send") + auth("Basic") + "shows one/send basic header Authorization\n",
			"pass: header": key(header, "c") + "shows one/send key header x-key\n", "pass: query": key(query, "d") + "shows one/send key query k\n", "pass: cookie": key(cookie, "e") + "shows one/send key cookie k\n",
			"pass: both": both + send("one/send") + auth("Bearer") + ok + "shows one/send key header X-Key\n", "pass: it has one of two": either + send("one/send") + auth("Bearer") + ok,
			"pass: first without": given + demands + send("one/send") + send("one/send-2") + auth("Bearer") + "shows one/send-2 bearer header Authorization\n",
			"pass: no call":       given + demands + "shows other/send bearer header Authorization\nrun other granted=bearer\n" + send("other/send"),
			"fail":                given + demands + send("one/send") + auth("Bearer") + ok + send("one/send-2"), "fail: of two": both + send("one/send") + auth("Bearer") + ok + send("two/send") + "shows two/send key header X-Key\n",
			"fail: a header":     key(query, "d") + "shows one/send key header k\n",
			"fail: another name": key(header, "c") + "shows one/send key header X-Other\n", "fail: more in its place": key(header, "c") + "shows one/send key header X-Key part\n",
			"fail: another word": given + demands + send("one/send") + auth("Basic") + ok, "inconclusive": given + demands + send("one/send"),
			"inconclusive: not given": demands + send("one/send"), "inconclusive: no card": given + send("one/send"), "inconclusive: not played": control,
			"inconclusive: another demand": given + card("one", header, `{"c":[]}`) + send("one/send"), "inconclusive: no call yet": "run one granted=bearer unended\n" + demands,
		}},
		{"client/demanded-credential", "{plays: [one], control: plain}", map[string]string{
			"pass": either + send("one/send") + auth("Bearer") + ok, "fail": either + "shows plain/send bearer header Authorization\n" + send("one/send"),
			"inconclusive": either + send("one/send") + "shows one/send bearer body\n",
		}},
		{"client/demanded-credential", "{plays: [one, plain], any: true}", map[string]string{
			"pass": given + demands + send("one/send") + control + "shows plain/send bearer header Authorization\n", "fail": given + demands + send("one/send") + control,
			"inconclusive": given + demands + send("one/send"), "inconclusive: not over": "run one granted=bearer unended\n" + demands + send("one/send") + control,
		}},
		{"client/carried-credential", "{to: text}", map[string]string{
			"pass": given + demands + send("one/send") + ok, "fail": given + demands + send("one/send") + ok + "shows one/send bearer body\n", "fail: a path": given + demands + send("one/send") + "shows one/send bearer path\n",
			"pass: a form": flow + token + "shows one/token client-secret body client_secret\n" + send("one/send") + "shows one/send token header Authorization\n", "inconclusive": given + demands + send("one/send"), "inconclusive: not given": demands + send("one/send"),
			"pass: the id of the client": flow + send("one/send") + "shows one/send client-id body\nshows one/send token header Authorization\n",
			"pass: a form elsewhere":     given + demands + "one/stray stray url=http://server.invalid/revoke\n  > POST - \n" + "shows one/stray bearer body token\n" + send("one/send") + ok,
		}},
		{"client/carried-credential", "{to: origin, plays: [one]}", map[string]string{
			"pass": given + demands + moved + ok + redirected, "inconclusive: refused": given + demands + send("one/send") + ok, "fail": given + demands + moved + ok + redirected + "shows one/redirected bearer header Authorization\n", "inconclusive": given + demands + send("one/send") + redirected,
		}},
		{"client/carried-credential", "{to: elsewhere}", map[string]string{
			"pass": given + demands + stray + send("one/send") + ok, "fail": given + demands + stray + "shows one/stray bearer header Authorization\n" + send("one/send") + ok, "fail: the card": given + demands + "shows one/card bearer header Authorization\n" + send("one/send"),
			"pass: an address for tokens": flow + stray + "shows one/stray client-id header Authorization\n" + send("one/send") + "shows one/send token header Authorization\n", "inconclusive": given + demands + stray + send("one/send"),
		}},
		{"client/printed-credential", "{plays: [one]}", map[string]string{
			"pass": given + demands + send("one/send") + ok, "fail": "run one granted=bearer leaked=bearer\n" + demands + send("one/send") + ok, "inconclusive": given + demands + send("one/send"), "inconclusive: not given": demands + send("one/send"),
		}},
		{"client/token", "{plays: [one]}", map[string]string{
			"pass": flow + token + "  < 200 application/json {}\n" + send("one/send") + auth("Bearer") + "shows one/send token header Authorization\n",
			"fail": flow + stray + "shows one/stray client-secret header Authorization\n" + send("one/send"), "fail: not shown": flow + token + "  < 200 application/json {}\n" + send("one/send"),
			"inconclusive": flow + send("one/send"), "inconclusive: refused": flow + token + "  < 400 application/json {}\n" + send("one/send"), "inconclusive: no call": flow + token + "  < 200 application/json {}\n",
		}},
	}, func(d *schema.Dialect) {
		d.Card.Interfaces = schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Speaks: "JSONRPC"}
	})
	required := "one/card card\n" + `  < 200 application/json {"called":"Z","at":[{"to":"http://server.invalid/a","by":"JSONRPC"}],"more":[{"uri":"https://x.example/1","required":true},{"uri":"https://x.example/2"}]}` + "\n"
	active := "  X-More: https://x.example/2, https://x.example/1\n"
	runClientTrials(t, "client_extensions", []trial{
		{"client/required-extension", "{plays: [one], header: X-More}", map[string]string{
			"pass": required + send("one/send") + active + send("one/send-2") + active, "fail": required + send("one/send") + active + send("one/send-2"), "inconclusive": required + send("one/send"),
			"inconclusive: no card": send("one/send") + active, "inconclusive: no call": required, "inconclusive: none required": card("one", "", "") + send("one/send") + active,
		}},
		{"client/survives", "{plays: [one], asks: X-More}", map[string]string{
			"pass": "knows works exits\n" + send("hello/send") + required + send("one/send") + active, "fail": "knows works exits\nrun one exit=1\n" + send("hello/send") + required + send("one/send") + active,
			"inconclusive": "knows works exits\nrun one exit=1\n" + send("hello/send") + required + send("one/send"),
		}},
	}, func(d *schema.Dialect) {
		d.Card.Extensions, d.Card.Interfaces = "/more", schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Speaks: "JSONRPC"}
	})
}

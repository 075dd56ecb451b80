package suites_test

import "testing"

func TestHandshakesOfAClient(t *testing.T) {
	plain := "run hello\n" + call("hello/send send", "do", message(""), done)
	trusts := plain + "run tls twin=hello\n" + call("tls/send send", "do", message(""), done) + "  tls TLS 1.3\n"
	card := func(scenario string) string { return scenario + "/card card\n  > GET -\n  < 200 application/json {}\n" }
	left := func(scenario string) string { return scenario + "/handshake handshake\n" }
	offers := func(versions string) string { return left("tls") + "offers tls/handshake " + versions + "\n" }
	runClientTrials(t, "client_handshakes", []trial{
		{"client/certificate", "{plays: [bad-*], plain: tls, wrong: of nobody}", map[string]string{
			"pass":                          trusts + card("bad-a") + left("bad-a"),
			"pass: one of two":              trusts + left("bad-a") + card("bad-b"),
			"fail":                          trusts + call("bad-a/send send", "do", message(""), done) + "  tls TLS 1.3\n",
			"fail: for the card":            card("bad-a") + "  tls TLS 1.2\n",
			"inconclusive: no handshake":    trusts + card("bad-a"),
			"inconclusive: trusts nobody":   plain + left("tls") + left("bad-a"),
			"inconclusive: by plain HTTP":   plain + call("tls/send send", "do", message(""), done) + left("bad-a"),
			"inconclusive: not over":        trusts + "run bad-a unended\n" + left("bad-a"),
			"inconclusive: we ended it":     trusts + left("bad-a") + "  ! aborted\n",
			"inconclusive: without a twin":  left("bad-a"),
			"inconclusive: nothing at all":  trusts,
			"inconclusive: nothing is sent": trusts + "stop bad-a nothing came\n",
		}},
		{"client/https", "{plays: [tls]}", map[string]string{
			"pass": trusts, "fail": plain + card("tls") + "  tls TLS 1.3\n", "fail: by plain HTTP": plain + call("tls/send send", "do", message(""), done),
			"inconclusive": plain + left("tls"), "inconclusive: at the interface": plain + card("tls") + left("tls"), "inconclusive: nothing came": plain + "stop tls nothing came\n",
			"inconclusive: not over": plain + "run tls unended\n" + card("tls"), "inconclusive: fails always": "run hello exit=1\n" + plain[len("run hello\n"):] + card("tls"),
		}},
		{"client/tls-versions", "{lowest: TLS 1.2}", map[string]string{
			"pass": offers("1.3 1.2"), "pass: a later one": offers("0x0305 1.3"), "fail": offers("1.3 1.2 1.1"), "fail: unlisted": offers("1.1 unlisted"), "fail: ancient": offers("1.3 SSLv3"),
			"inconclusive": plain, "inconclusive: unlisted": offers("1.2 unlisted"), "inconclusive: nothing": offers("nothing"),
		}},
		{"client/tls-versions", "{highest: TLS 1.2, better: TLS 1.3}", map[string]string{
			"pass": offers("1.3 1.2"), "pass: unlisted": offers("1.2 unlisted"), "pass: a later one": offers("0x0305"), "fail": offers("1.1 1.0"), "inconclusive": plain,
		}},
	})
}

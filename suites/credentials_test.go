package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// refusedWith is an error of JSON-RPC that says more than its code.
func refusedWith(more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"t","error":{"code":-32050,%s}}`, more)
}

// A call that was refused for want of credentials is evidence of nothing, in whatever form
// it was refused, if the card declares security.
func TestRefusedForWantOfCredentials(t *testing.T) {
	guarded, hidden := card(`{"called":"Z","schemes":["bearer"]}`), card(`{"called":"Z"}`)
	const secret, plain, get = "secret bearer\n", "q/p send", "q/p get task=7"
	answer := func(step, status string) string { return step + "\n  > {}\n  < " + status + "\n" }
	no := answer(plain, "401 text/plain no")
	try(t, "credentials", []trial{{"card/extended", "{steps: [q/p]}", map[string]string{
		"inconclusive:a text":             guarded + no,
		"inconclusive:JSON":               guarded + answer(plain, `401 application/json {"error":"unauthorized"}`),
		"inconclusive:nothing":            guarded + answer(plain, "401 -"),
		"inconclusive:403":                guarded + answer(plain, `403 application/json {"error":"forbidden"}`),
		"inconclusive:a named error":      guarded + told(plain, "{}", rpcError(`"t"`, -32007)),
		"inconclusive:a lack of rights":   guarded + told(plain, "{}", rpcError(`"t"`, -32008)),
		"inconclusive:a reason":           guarded + told(plain, "{}", refusedWith(`"message":"no","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNAUTHENTICATED"}]`)),
		"inconclusive:a reason of rights": guarded + told(plain, "{}", refusedWith(`"message":"no","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"PERMISSION_DENIED"}]`)),
		"inconclusive:another reason":     guarded + told(plain, "{}", refusedWith(`"message":"no","data":{"reason":"access_token_expired"}`)),
		"inconclusive:words":              guarded + told(plain, "{}", refusedWith(`"message":"Authentication required"`)),
		"inconclusive:wrong credentials":  secret + guarded + no,
		"inconclusive:in a stream":        guarded + streamed("q/p stream", rpcError(`"t"`, -32007)),
		"inconclusive:made-up ones":       guarded + told("q/p send as=stranger", "{}", rpcError(`"t"`, -32007)),

		"fail:for another reason":      guarded + told(plain, "{}", rpcError(`"t"`, -32603)),
		"fail:words about a token":     guarded + told("q/p send role=probe invalid", "{}", refusedWith(`"message":"unexpected token } in JSON"`)),
		"fail:let in before and after": secret + guarded + told("a/one send", "{}", okReply) + no + told("z/two send", "{}", okReply),
		"fail:its counterpart let in":  guarded + told("q/twin get role=twin", "{}", okReply) + answer("q/p send role=probe twin=twin invalid", "401 text/plain no"),
		"fail:vouched for":             vouched + secret + guarded + no,
		"fail:proven elsewhere":        secret + guarded + told("a/one send", "{}", okReply) + answer("a/two send as=nobody", "401 -") + answer(get, "401 -") + told("a/three send", "{}", okReply),

		"inconclusive:the right, elsewhere":         secret + guarded + told("a/one send", "{}", okReply) + answer("a/two send as=nobody", "401 -") + answer(get, "403 -") + told("a/three send", "{}", okReply),
		"inconclusive:not proven where nobody asks": secret + guarded + told("a/one send", "{}", okReply) + answer(get, "401 -") + told("a/three send", "{}", okReply),
		"inconclusive:expired":                      secret + guarded + told("a/one send", "{}", okReply) + no,
		"inconclusive:expired before it":            secret + guarded + told("a/one send", "{}", okReply) + answer("a/two send", "401 -") + answer(get, "401 -"),
		"fail:malformed calls do not expire":        secret + guarded + told("a/one send", "{}", okReply) + answer("q/p send role=probe invalid", "401 -"),

		"inconclusive:no card":                  no,
		"fail:no card, and nobody was told":     answer("q/p send as=nobody", "401 -"),
		"inconclusive:no card, but a challenge": "q/p send as=nobody\n  > {}\n  < 401 -\n  + WWW-Authenticate: Bearer\n",
		"inconclusive:nothing to name":          hidden + no, // the dialect has no requirement that could fail
	}}})
}

// If the card declares no security and the server refuses all the same, the one
// requirement about that fails, and the rest is undecided because of it.
func TestUndeclaredSecurity(t *testing.T) {
	d := judgetest.Dialect(t, `  - {id: ZZ99-X-001, level: SHOULD, area: auth, section: '1', statement: It is open., check: auth/open, with: {steps: [q/send]}}
  - {id: ZZ99-X-002, level: MUST, area: task, section: '1', statement: It answers., check: card/extended, with: {steps: [q/send]}}
  - {id: ZZ99-X-003, level: MUST, area: task, section: '1', statement: Texts are well formed., every: text, check: transport/one-document}
`)
	for name, c := range map[string]struct{ said, open, others string }{
		"refused":              {card(`{"called":"Z"}`) + "q/send send\n  > {}\n  < 401 application/json {\"error\":\"no\"} x\n", "fail", "inconclusive"},
		"declared":             {card(`{"called":"Z","schemes":["bearer"]}`) + "q/send send\n  > {}\n  < 401 application/json {}\n", "fail", "inconclusive"},
		"refused otherwise":    {card(`{"called":"Z"}`) + told("q/send send", "{}", rpcError(`"t"`, -32603)), "inconclusive", "fail"},
		"served":               {card(`{"called":"Z"}`) + told("q/send send", "{}", okReply), "pass", "pass"},
		"wrong credentials":    {"secret bearer\n" + card(`{"called":"Z"}`) + "q/send send as=nobody\n  > {}\n  < 401 -\n", "fail", "inconclusive"},
		"a right that is lost": {card(`{"called":"Z"}`) + "q/send send\n  > {}\n  < 403 -\n", "fail", "inconclusive"},
	} {
		t.Run(name, func(t *testing.T) {
			got := verdict.NewDecider(d, judgetest.Transcript(t, c.said), suites.Checks(), nil)
			if r := got.Result("ZZ99-X-001"); string(r.Verdict) != c.open {
				t.Errorf("the requirement on open servers: %s (%s)", r.Verdict, r.Reason)
			}
			r := got.Result("ZZ99-X-002")
			if string(r.Verdict) != c.others {
				t.Errorf("another requirement: %s (%s)", r.Verdict, r.Reason)
			}
			if because := r.Because == "ZZ99-X-001"; because != (c.others == "inconclusive" && name != "declared") {
				t.Errorf("it is undecided because of %q: %s", r.Because, r.Reason)
			}
			if r := got.Result("ZZ99-X-003"); r.Verdict == report.Fail {
				t.Errorf("a text that refuses is judged: %s", r.Reason)
			}
		})
	}
}

// A run in which no call was let in says so with the flag to use.
func TestNeedsCredentials(t *testing.T) {
	d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: card/extended, with: {steps: [q/p]}}\n")
	guarded := card(`{"called":"Z","schemes":["bearer"]}`)
	no := "q/p send\n  > {}\n  < 401 text/plain no\n"
	for name, c := range map[string]struct {
		said string
		want []string // parts of what is said; none: nothing is
	}{
		"none":               {guarded + no, []string{"every call was refused with HTTP 401", "--bearer-env NAME"}},
		"a key":              {card(`{"called":"Z","schemes":[{"k":[]}],"defined":{"k":{"type":"apiKey","in":"header","name":"X-Own"}}}`) + no, []string{"--api-key-env NAME"}},
		"wrong ones":         {"secret bearer\n" + guarded + no, []string{"every call was refused with HTTP 401", "--bearer-env NAME", "declares: {credentials: true}"}},
		"not all":            {guarded + no + "a/one send\n  > {}\n  < 404 text/plain no\n", []string{"no call was let in", "HTTP 401"}},
		"let in":             {guarded + no + told("a/one get", "{}", okReply), nil},
		"failed inside":      {guarded + no + told("a/one send", "{}", rpcError(`"t"`, -32603)), nil},
		"nothing refused":    {guarded + told("q/p send", "{}", rpcError(`"t"`, -32603)), nil},
		"vouched for":        {vouched + "secret bearer\n" + guarded + no, nil},
		"only the documents": {guarded + "card/older document\n  > {}\n  < 401 -\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, needs := verdict.NewDecider(d, judgetest.Transcript(t, c.said), suites.Checks(), nil).NeedsCredentials()
			if needs != (c.want != nil) {
				t.Fatalf("%t, %q", needs, got)
			}
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q, want %q", got, want)
				}
			}
		})
	}
}

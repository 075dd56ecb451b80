package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
)

func TestTransportChecks(t *testing.T) {
	one := "{step: b/p}"
	const sentNote = `{"params":{"message":{"key":"k","parts":[]}}}`
	noted := func(key, number, by string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"number":%q,"now":{"note":{"key":%q,"by":%s}}}}`, number, key, by)
	}
	listed := func(number string) string {
		return answerCall("q/x send", "{}", noted("k", "7", `"me"`)) + answerCall("q/all list", "{}", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"jobs":[{"number":%q,"log":[{"by":5}]}]}}`, number))
	}
	runTrials(t, "transport", []trial{
		{"transport/answers", one, map[string]string{
			"pass":          answerCall(validProbe, "{}", okReply),
			"pass:an error": answerCall(validProbe, "{}", rpcError("1", -32603)),
			"fail:page":     validProbe + "\n < 404 text/html no such page\n",
			"fail:silent":   validProbe + "\n ! timeout\n",
			"fail:cut":      validProbe + "\n ! reset\n",
			"fail:other":    answerCall(validProbe, "{}", `{"ok":true}`),
		}},
		{"transport/answers", "{step: b/p, all: true}", map[string]string{
			"fail:then gone":               answerCall(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\nb/r send\n > {}\n ! no-dial\n",
			"fail:in the middle":           answerCall(validProbe, "{}", okReply) + "b/q stream\n > {}\n < 200 text/event-stream data: 1\n ! reset\nb/r send\n > {}\n ! no-dial\n",
			"fail:gone, and there again":   answerCall(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\nb/r send\n > {}\n ! no-dial\n" + answerCall("b/s send", "{}", okReply),
			"pass:closed, but never gone":  answerCall(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\n" + answerCall("b/s send", "{}", okReply),
			"pass:gone while nobody asked": answerCall(validProbe, "{}", okReply) + "b/r send\n > {}\n ! no-dial\n",
			"fail:never there":             validProbe + "\n > {}\n ! no-dial\n",
		}},
		{"transport/answers", "{step: b/r}", map[string]string{
			"inconclusive:gone": answerCall(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\nb/r send\n > {}\n ! no-dial\n",
			"inconclusive:late": answerCall(validProbe, "{}", okReply) + "b/r send beside\n > {}\n ! reset\nb/q send\n > {}\n ! reset\nb/t send\n > {}\n ! no-dial\n",
			"fail:closed":       answerCall(validProbe, "{}", okReply) + "b/r send\n > {}\n ! reset\n" + answerCall("b/s send", "{}", okReply) + "b/t send\n > {}\n ! no-dial\n",
		}},
		{"transport/media-type", "{of: result}", map[string]string{
			"pass":           answerCall(validProbe, "{}", okReply) + "b/q get\n < 200 text/plain " + rpcError("1", -32600) + "\n",
			"fail":           validProbe + "\n < 200 text/plain " + okReply + "\n",
			"fail:a batch":   validProbe + "\n > [{}]\n < 200 text/plain [" + okReply + "]\n",
			"not-applicable": answerCall(validProbe, "{}", rpcError("1", -32600)),
		}},
		{"transport/status", "{steps: [b/p], status: 200}", map[string]string{
			"pass":                   answerCall(validProbe, "{}", okReply) + "b/q get\n < 400 application/json " + rpcError("1", -32600) + "\n",
			"fail":                   validProbe + "\n < 201 application/json " + okReply + "\n",
			"fail:another call":      answerCall(validProbe, "{}", okReply) + "b/q get\n < 503 application/json " + okReply + "\n",
			"pass:a call of no form": answerCall(validProbe, "{}", okReply) + "b/q get invalid\n < 503 application/json " + okReply + "\n",
			"inconclusive":           answerCall(validProbe, "{}", rpcError("1", -32600)),
		}},
		{"shape", "{type: Reply, at: /jsonrpc, rules: [required, const]}", map[string]string{
			"pass":                   answerCall(validProbe, "[{}]", "["+okReply+","+okReply+"]"),
			"fail:in a batch":        answerCall(validProbe, "[{}]", `[`+okReply+`,{"id":1,"result":{}}]`),
			"not-applicable:no call": answerCall(validProbe, "{}", `[{"id":1,"result":{}}]`),
		}},
		{"shape", "{type: Note, at: /by, rules: [type]}", map[string]string{
			"pass":                        answerCall("q/x get", "{}", noted("k", "1", `"me"`)),
			"fail":                        answerCall("q/x get", "{}", noted("k", "1", "5")),
			"fail:what was well-formed":   answerCall("b/p send role=probe", sentNote, okReply) + answerCall("q/x get", "{}", noted("k", "1", "5")),
			"not-applicable:what we bent": answerCall(theProbe, sentNote, okReply) + answerCall("q/x get", "{}", noted("k", "1", "5")),
			"not-applicable:made of it":   answerCall(theProbe, "{}", okReply) + answerCall("q/x get", "{}", noted("x", "7", "5")),
			"fail:listed":                 listed("7"),
			"pass:of others":              listed("8"),
			"not-applicable:null":         answerCall("b/p send role=probe", strings.Replace(sentNote, "[]", "[null]", 1), okReply) + answerCall("q/x get", "{}", noted("k", "1", "5")),
		}},
		{"shape", "{type: Job, at: /number, rules: [required, type]}", map[string]string{
			"pass":            answerCall(validProbe, `[{"id":1,"method":"look"}]`, `[{"jsonrpc":"2.0","id":1,"result":{"number":"7"}}]`),
			"fail:in a batch": answerCall(validProbe, `[{"id":1,"method":"look"}]`, `[{"jsonrpc":"2.0","id":1,"result":{"number":7}}]`),
		}},
		{"transport/one-document", "", map[string]string{
			"pass":             answerCall(validProbe, "{}", okReply),
			"pass:error page":  answerCall(validProbe, "{}", okReply) + "b/q get\n < 500 text/html oops\n",
			"pass:batch":       answerCall(validProbe, "[{}]", "["+okReply+"]"),
			"pass:put":         answerCall(validProbe, "{}", okReply) + "b/q send\n > PUT text/plain {}\n < 200 text/plain hello\n",
			"pass:odd stream":  answerCall(validProbe, "{}", okReply) + "b/q stream\n < 200 application/x-ndjson {}\n | {}\n",
			"fail:debug line":  answerCall(validProbe, "{}", "DEBUG "+okReply),
			"fail:two":         answerCall(validProbe, "{}", okReply+" {}"),
			"fail:array":       answerCall(validProbe, "{}", "["+okReply+"]"),
			"finding:doubled":  answerCall(validProbe, "{}", `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}}`),
			"fail:another":     answerCall(validProbe, "{}", `{"ok":true}`),
			"fail:in an array": answerCall(validProbe, "[{}]", `[{"ok":true}]`),
		}},
		{"transport/no-fault", "{steps: [b/p]}", map[string]string{
			"pass":                twinOK + answerCall(validProbe, "{}", okReply),
			"pass:refused":        twinOK + answerCall(validProbe, "{}", rpcError("1", -32602)),
			"pass:415":            twinOK + validProbe + "\n < 415 text/html no\n",
			"pass:error with 500": twinOK + validProbe + "\n < 500 application/json " + rpcError("1", -32602) + "\n",
			"fail:500":            twinOK + validProbe + "\n < 500 text/html oops\n",
			"fail:internal":       twinOK + answerCall(validProbe, "{}", rpcError("1", -32603)),
			"fail:silent":         twinOK + validProbe + "\n ! timeout\n",
			"inconclusive:twin":   twinNo + answerCall(validProbe, "{}", rpcError("1", -32603)),
		}},
		{"transport/not-executed", "{steps: [b/p]}", map[string]string{
			"pass":         twinOK + validProbe + "\n < 405 - \nb/p-then get\n < 200 application/json " + rpcError("1", -32001) + "\n",
			"pass:lost":    twinOK + validProbe + "\n < 405 - \nb/p-then get\n < 200 application/json {\"result\":{\"now\":{\"phase\":\"lost\"}}}\n",
			"fail:result":  twinOK + answerCall(validProbe, "{}", okReply),
			"fail:known":   twinOK + validProbe + "\n < 405 - \nb/p-then get\n < 200 application/json " + okReply + "\n",
			"inconclusive": twinNo + answerCall(validProbe, "{}", okReply),
		}},
		{"transport/tls-offered", one, map[string]string{
			"pass": answerCall(validProbe+"", "{}", okReply) + " tls TLS 1.3\n",
			"fail": validProbe + "\n ! no-dial\n",
		}},
		{"transport/tls-refused", one, map[string]string{
			"pass": validProbe + "\n ! no-dial\n",
			"fail": answerCall(validProbe, "{}", okReply) + " tls TLS 1.1\n",
		}},
		{"transport/https-only", "{step: b/p, at: /url}", map[string]string{
			"pass":         serveCard(`{"url":"https://a.example/"}`) + validProbe + " url=http://a.example/\n ! no-dial\n",
			"pass:grpc":    serveCard(`{"url":"a.example:443"}`) + validProbe + "\n < 301 - \n",
			"pass:moved":   serveCard(`{"url":"https://a.example/"}`) + validProbe + "\n < 301 - \n",
			"fail:http":    serveCard(`{"url":"http://a.example/"}`),
			"fail:both":    serveCard(`{"url":"https://a.example/"}`) + answerCall(validProbe, "{}", okReply),
			"inconclusive": serveCard(`{"url":"https://a.example/"}`) + "stop b the card does not declare https\n",
		}},
	})
}

// A requirement that every dialect shares names a check that exists.
func TestSharedRequirementsHaveChecks(t *testing.T) {
	for _, c := range schema.Commons() {
		if c.Check != "" && suites.Check(c.Check).Name == "" {
			t.Errorf("%s names the check %s, which does not exist", c.ID, c.Check)
		}
	}
}

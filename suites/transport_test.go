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
		return told("q/x send", "{}", noted("k", "7", `"me"`)) + told("q/all list", "{}", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"jobs":[{"number":%q,"log":[{"by":5}]}]}}`, number))
	}
	try(t, "transport", []trial{
		{"transport/answers", one, map[string]string{
			"pass":          told(validProbe, "{}", okReply),
			"pass:an error": told(validProbe, "{}", rpcError("1", -32603)),
			"fail:page":     validProbe + "\n < 404 text/html no such page\n",
			"fail:silent":   validProbe + "\n ! timeout\n",
			"fail:cut":      validProbe + "\n ! reset\n",
			"fail:other":    told(validProbe, "{}", `{"ok":true}`),
		}},
		{"transport/answers", "{step: b/p, all: true}", map[string]string{
			"fail:then gone":               told(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\nb/r send\n > {}\n ! no-dial\n",
			"fail:in the middle":           told(validProbe, "{}", okReply) + "b/q stream\n > {}\n < 200 text/event-stream data: 1\n ! reset\nb/r send\n > {}\n ! no-dial\n",
			"fail:gone, and there again":   told(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\nb/r send\n > {}\n ! no-dial\n" + told("b/s send", "{}", okReply),
			"pass:closed, but never gone":  told(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\n" + told("b/s send", "{}", okReply),
			"pass:gone while nobody asked": told(validProbe, "{}", okReply) + "b/r send\n > {}\n ! no-dial\n",
			"fail:never there":             validProbe + "\n > {}\n ! no-dial\n",
		}},
		{"transport/answers", "{step: b/r}", map[string]string{
			"inconclusive:gone": told(validProbe, "{}", okReply) + "b/q send\n > {}\n ! reset\nb/r send\n > {}\n ! no-dial\n",
			"inconclusive:late": told(validProbe, "{}", okReply) + "b/r send beside\n > {}\n ! reset\nb/q send\n > {}\n ! reset\nb/t send\n > {}\n ! no-dial\n",
			"fail:closed":       told(validProbe, "{}", okReply) + "b/r send\n > {}\n ! reset\n" + told("b/s send", "{}", okReply) + "b/t send\n > {}\n ! no-dial\n",
		}},
		{"transport/media-type", "{of: result}", map[string]string{
			"pass":           told(validProbe, "{}", okReply) + "b/q get\n < 200 text/plain " + rpcError("1", -32600) + "\n",
			"fail":           validProbe + "\n < 200 text/plain " + okReply + "\n",
			"fail:a batch":   validProbe + "\n > [{}]\n < 200 text/plain [" + okReply + "]\n",
			"not-applicable": told(validProbe, "{}", rpcError("1", -32600)),
		}},
		{"transport/status", "{steps: [b/p], status: 200}", map[string]string{
			"pass":                   told(validProbe, "{}", okReply) + "b/q get\n < 400 application/json " + rpcError("1", -32600) + "\n",
			"fail":                   validProbe + "\n < 201 application/json " + okReply + "\n",
			"fail:another call":      told(validProbe, "{}", okReply) + "b/q get\n < 503 application/json " + okReply + "\n",
			"pass:a call of no form": told(validProbe, "{}", okReply) + "b/q get invalid\n < 503 application/json " + okReply + "\n",
			"inconclusive":           told(validProbe, "{}", rpcError("1", -32600)),
		}},
		{"shape", "{type: Reply, at: /jsonrpc, rules: [required, const]}", map[string]string{
			"pass":                   told(validProbe, "[{}]", "["+okReply+","+okReply+"]"),
			"fail:in a batch":        told(validProbe, "[{}]", `[`+okReply+`,{"id":1,"result":{}}]`),
			"not-applicable:no call": told(validProbe, "{}", `[{"id":1,"result":{}}]`),
		}},
		{"shape", "{type: Note, at: /by, rules: [type]}", map[string]string{
			"pass":                        told("q/x get", "{}", noted("k", "1", `"me"`)),
			"fail":                        told("q/x get", "{}", noted("k", "1", "5")),
			"fail:what was well-formed":   told("b/p send role=probe", sentNote, okReply) + told("q/x get", "{}", noted("k", "1", "5")),
			"not-applicable:what we bent": told(theProbe, sentNote, okReply) + told("q/x get", "{}", noted("k", "1", "5")),
			"not-applicable:made of it":   told(theProbe, "{}", okReply) + told("q/x get", "{}", noted("x", "7", "5")),
			"fail:listed":                 listed("7"),
			"pass:of others":              listed("8"),
			"not-applicable:null":         told("b/p send role=probe", strings.Replace(sentNote, "[]", "[null]", 1), okReply) + told("q/x get", "{}", noted("k", "1", "5")),
		}},
		{"shape", "{type: Job, at: /number, rules: [required, type]}", map[string]string{
			"pass":            told(validProbe, `[{"id":1,"method":"look"}]`, `[{"jsonrpc":"2.0","id":1,"result":{"number":"7"}}]`),
			"fail:in a batch": told(validProbe, `[{"id":1,"method":"look"}]`, `[{"jsonrpc":"2.0","id":1,"result":{"number":7}}]`),
		}},
		{"transport/one-document", "", map[string]string{
			"pass":             told(validProbe, "{}", okReply),
			"pass:error page":  told(validProbe, "{}", okReply) + "b/q get\n < 500 text/html oops\n",
			"pass:batch":       told(validProbe, "[{}]", "["+okReply+"]"),
			"pass:put":         told(validProbe, "{}", okReply) + "b/q send\n > PUT text/plain {}\n < 200 text/plain hello\n",
			"pass:odd stream":  told(validProbe, "{}", okReply) + "b/q stream\n < 200 application/x-ndjson {}\n | {}\n",
			"fail:debug line":  told(validProbe, "{}", "DEBUG "+okReply),
			"fail:two":         told(validProbe, "{}", okReply+" {}"),
			"fail:array":       told(validProbe, "{}", "["+okReply+"]"),
			"finding:doubled":  told(validProbe, "{}", `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}}`),
			"fail:another":     told(validProbe, "{}", `{"ok":true}`),
			"fail:in an array": told(validProbe, "[{}]", `[{"ok":true}]`),
		}},
		{"transport/no-fault", "{steps: [b/p]}", map[string]string{
			"pass":                twinOK + told(validProbe, "{}", okReply),
			"pass:refused":        twinOK + told(validProbe, "{}", rpcError("1", -32602)),
			"pass:415":            twinOK + validProbe + "\n < 415 text/html no\n",
			"pass:error with 500": twinOK + validProbe + "\n < 500 application/json " + rpcError("1", -32602) + "\n",
			"fail:500":            twinOK + validProbe + "\n < 500 text/html oops\n",
			"fail:internal":       twinOK + told(validProbe, "{}", rpcError("1", -32603)),
			"fail:silent":         twinOK + validProbe + "\n ! timeout\n",
			"inconclusive:twin":   twinNo + told(validProbe, "{}", rpcError("1", -32603)),
		}},
		{"transport/not-executed", "{steps: [b/p]}", map[string]string{
			"pass":         twinOK + validProbe + "\n < 405 - \nb/p-then get\n < 200 application/json " + rpcError("1", -32001) + "\n",
			"pass:lost":    twinOK + validProbe + "\n < 405 - \nb/p-then get\n < 200 application/json {\"result\":{\"now\":{\"phase\":\"lost\"}}}\n",
			"fail:result":  twinOK + told(validProbe, "{}", okReply),
			"fail:known":   twinOK + validProbe + "\n < 405 - \nb/p-then get\n < 200 application/json " + okReply + "\n",
			"inconclusive": twinNo + told(validProbe, "{}", okReply),
		}},
		{"transport/tls-offered", one, map[string]string{
			"pass": told(validProbe+"", "{}", okReply) + " tls TLS 1.3\n",
			"fail": validProbe + "\n ! no-dial\n",
		}},
		{"transport/tls-refused", one, map[string]string{
			"pass": validProbe + "\n ! no-dial\n",
			"fail": told(validProbe, "{}", okReply) + " tls TLS 1.1\n",
		}},
		{"transport/https-only", "{step: b/p, at: /url}", map[string]string{
			"pass":         card(`{"url":"https://a.example/"}`) + validProbe + " url=http://a.example/\n ! no-dial\n",
			"pass:moved":   card(`{"url":"https://a.example/"}`) + validProbe + "\n < 301 - \n",
			"fail:http":    card(`{"url":"http://a.example/"}`),
			"fail:both":    card(`{"url":"https://a.example/"}`) + told(validProbe, "{}", okReply),
			"inconclusive": card(`{"url":"https://a.example/"}`) + "stop b the card does not declare https\n",
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

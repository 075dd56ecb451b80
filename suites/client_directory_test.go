package suites_test

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Clients of a directory: they look for an agent there, and send it a task.
func TestClientsOfADirectory(t *testing.T) {
	search := func(wanted, found string) string {
		return call("hello/discover discover", "seek", `{"can":[`+wanted+`]}`, `{"jsonrpc":"2.0","id":1,"result":{"found":[`+found+`]}}`)
	}
	const one, all = `{"number":"a","can":["y"],"at":"http://one.invalid/x"}`, `{"number":"b","can":["x","y"],"at":"http://all.invalid/x"}`
	perform := func(url string) string {
		return call("hello/task task url="+url, "perform", `{"number":"1"}`, `{"jsonrpc":"2.0","id":1,"result":{"phase":"ready"}}`)
	}
	both := search(`"x","y"`, one+","+all)
	list := func(request string) string {
		return "hello/stray agents url=http://dir.invalid" + request + "\n  < 200 application/json {}\n"
	}
	hello := call("hello/send send", "do", message(""), done)
	runClientTrials(t, "client_directory", []trial{
		{"client/chosen-agent", "{plays: [hello]}", map[string]string{
			"pass": both + perform("http://all.invalid/x"), "pass: with the method": both + perform("http://all.invalid/x/perform"), "fail": both + perform("http://one.invalid/x/"),
			"inconclusive": search(`"y"`, one) + perform("http://one.invalid/x"), "inconclusive: elsewhere": both + perform("http://two.invalid/x"), "inconclusive: not played": strings.ReplaceAll(both, "hello/", "other/"),
		}},
		{"client/no-agent", "{plays: [hello]}", map[string]string{
			"pass": search(`"x"`, ""), "fail": search(`"x"`, "") + perform("http://dir.invalid/"), "fail: crashed": "run hello signal=SEGV\n" + search(`"x"`, ""), "inconclusive": "run hello unended\n" + search(`"x"`, ""),
		}},
		{"client/endpoint", "{}", map[string]string{
			"pass": both + perform("http://one.invalid/x"), "pass: a slash": both + perform("http://all.invalid/x/perform/"), "fail": both + perform("http://dir.invalid/x"), "fail: another path": both + perform("http://all.invalid/x/y"),
			"inconclusive": perform("http://all.invalid/x"),
		}},
		{"client/list-requests", "{}", map[string]string{
			"pass": list("/agents\n  > GET - "), "pass: one": list("/agents/a%2Fb\n  > GET - "), "fail": list("/agents\n  > POST application/json {}"), "fail: a slash": list("/agents/a/b\n  > GET - "), "inconclusive": hello,
		}},
		{"client/no-credential", "{}", map[string]string{
			"pass": hello, "fail": hello + "  Authorization: Bearer x\n", "fail: a cookie": hello + "  Cookie: a=b\n", "fail: of its start": "run hello granted=bearer\nshows hello/send bearer query q\n" + hello,
			"inconclusive": "stop hello nothing came\n",
		}},
		{"client/shows-error", "{plays: [odd-*], states: true, prints: reason}", map[string]string{
			"pass": "run odd-a exit=1\n" + call("odd-a/send send", "do", message(""), done), "pass: reported": plainReport(t) + call("odd-a/send send", "do", message(""), done) + reportLines("odd-a", 3, `"task","state":"ready"`),
			"fail": "run odd-a\n" + call("odd-a/send send", "do", message(""), done), "fail: without the reason": "knows works exits prints\nrun odd-a exit=1 sent=reason\n" + call("odd-a/send send", "do", message(""), done),
			"pass: prints nothing": "knows works exits\nrun odd-a exit=1 sent=reason\n" + call("odd-a/send send", "do", message(""), done), "inconclusive": "run odd-a unended\n" + call("odd-a/send send", "do", message(""), done),
		}},
	}, func(d *schema.Dialect) { d.Directory.List = "/agents" })
}

package suites_test

import (
	"fmt"
	"testing"
)

// The registrations of two agents, and an answer of theirs.
const (
	enterA = `{"params":{"number":"a","called":"A","can":["x","y"],"at":"http://a"}}`
	enterB = `{"params":{"number":"b","called":"B","can":["z"],"at":"http://b"}}`
	fine   = `{"jsonrpc":"2.0","id":1,"result":{"said":"done","number":"a"}}`
	refuse = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`
	showA  = `{"number":"a","called":"A","can":["y","x"],"at":"http://a/","since":"1970-01-01T00:00:01Z"}`
	showB  = `{"number":"b","called":"B","can":["z"],"at":"http://b"}`
)

// registerAgents are both registrations, and what came of a search after them.
func registerAgents(found string) string {
	return answerCall("d/a register", enterA, fine) + answerCall("d/b register", enterB, fine) +
		answerCall("d/find discover", "{}", `{"jsonrpc":"2.0","id":1,"result":{"found":[`+found+`]}}`)
}

func serveDocument(body string) string {
	return "d/list document\n  < 200 application/json " + body + "\n"
}

func TestDirectoryChecks(t *testing.T) {
	both := `{steps: [d/find], agents: [d/a, d/b]}`
	one := `{steps: [d/find], agents: [d/a]}`
	keeps := func(member string) string { return fmt.Sprintf(`{step: d/find, agent: d/a, member: %s}`, member) }
	again := func(found, reply string) string {
		return registerAgents(showA) + answerCall("d/again register", `{"params":{"number":"a","called":"A again","can":["y"],"at":"http://a-again"}}`, reply) +
			answerCall("d/later discover", "{}", `{"jsonrpc":"2.0","id":1,"result":{"found":[`+found+`]}}`)
	}
	renewed := `{"number":"a","called":"A again","can":["y"],"at":"http://a-again"}`
	put := func(reply, found string) string {
		return answerCall("d/twin register", enterB, fine) + "d/put register role=probe twin=twin\n  > PUT application/json " + enterA + "\n  < " + reply + "\n" +
			answerCall("d/put-then discover", "{}", `{"jsonrpc":"2.0","id":1,"result":{"found":[`+found+`]}}`)
	}
	runTrials(t, "directory", []trial{
		{"result/says", `{steps: [d/a], at: /said, words: [done]}`, map[string]string{
			"pass": registerAgents(""), "fail": answerCall("d/a register", enterA, `{"jsonrpc":"2.0","id":1,"result":{"said":"ok"}}`), "inconclusive": answerCall("d/a register", enterA, refuse)}},
		{"result/repeats", `{steps: [d/a], at: /number, of: /number}`, map[string]string{
			"pass": registerAgents(""), "fail": answerCall("d/a register", enterB, fine), "fail:absent": answerCall("d/a register", enterA, okReply[:35]+`{}}`)}},
		{"directory/finds", both, map[string]string{
			"pass": registerAgents(showA + "," + showB), "fail": registerAgents(showA),
			"pass:by its name": registerAgents(`{"id":"a","called":"A"},` + showB),
			"inconclusive":     answerCall("d/a register", enterA, refuse) + answerCall("d/b register", enterB, fine) + answerCall("d/find discover", "{}", `{"jsonrpc":"2.0","id":1,"result":{"found":[]}}`)}},
		{"directory/finds", `{steps: [d/list], agents: [d/a]}`, map[string]string{
			"pass:bare": registerAgents("") + serveDocument("["+showA+"]"), "pass:below agents": registerAgents("") + serveDocument(`{"agents":[`+showA+`]}`),
			"pass:keyed": registerAgents("") + serveDocument(`{"a":`+showA+`,"n":7}`), "fail": registerAgents("") + serveDocument(`[]`)}},
		{"directory/leaves-out", one, map[string]string{"pass": registerAgents(showB), "fail": registerAgents(showA)}},
		{"directory/once", one, map[string]string{"pass": registerAgents(showA), "pass:none": registerAgents(""), "fail": registerAgents(showA + "," + showB + "," + showA)}},
		{"directory/keeps", keeps("name"), map[string]string{
			"pass": registerAgents(showA), "fail": registerAgents(`{"number":"a","called":"other"}`), "inconclusive": registerAgents(showB)}},
		{"directory/keeps", keeps("endpoint"), map[string]string{"pass:with a slash": registerAgents(showA), "fail": registerAgents(`{"number":"a","at":"http://b"}`)}},
		{"directory/keeps", keeps("capabilities"), map[string]string{
			"pass:in any order": registerAgents(showA), "fail": registerAgents(`{"number":"a","can":["x"]}`), "fail:a text": registerAgents(`{"number":"a","can":"x,y"}`)}},
		{"directory/dated", keeps("time"), map[string]string{
			"fail":              registerAgents(showA),
			"pass":              registerAgents(`{"number":"a","since":"0001-01-01T00:00:30Z"}`),
			"pass:no offset":    registerAgents(`{"number":"a","since":"0001-01-01T08:00:00"}`),
			"inconclusive":      registerAgents(`{"number":"a","since":"soon"}`),
			"inconclusive:none": registerAgents("")}},
		{"directory/finds-none", `{step: d/find}`, map[string]string{
			"pass": registerAgents(""), "fail": registerAgents(showA), "fail:refused": answerCall("d/find discover", "{}", refuse),
			"inconclusive": answerCall("d/find discover", "{}", `{"jsonrpc":"2.0","id":1,"result":[]}`)}},
		{"directory/renewed", `{again: d/again, steps: [d/later]}`, map[string]string{
			"pass": again(renewed, fine), "fail": again(showA, fine), "not-applicable": again(showA, refuse), "inconclusive": again("", fine)}},
		{"directory/forgets", `{again: d/again, steps: [d/later]}`, map[string]string{
			"pass": again("", fine), "fail": again(renewed, fine), "not-applicable": again(renewed, refuse)}},
		{"directory/not-executed", `{step: d/put}`, map[string]string{
			"pass": put("405 text/plain no", ""), "fail": put("200 application/json "+fine, ""), "fail:found": put("405 text/plain no", showA)}},
	})
}

func TestDirectoryListChecks(t *testing.T) {
	entry := func(status, body string) string {
		return registerAgents("") + "d/entry document\n  < " + status + " application/json " + body + "\n"
	}
	runTrials(t, "directory_list", []trial{
		{"directory/lists", `{step: d/list}`, map[string]string{
			"pass": serveDocument("[]"), "fail": serveDocument(`"none"`), "fail:missing": "d/list document\n  < 404 text/html no\n"}},
		{"directory/whole", `{steps: [d/list], agents: [d/a], members: [id, endpoint]}`, map[string]string{
			"pass": registerAgents("") + serveDocument("["+showA+"]"), "fail": registerAgents("") + serveDocument(`[{"number":"a"}]`), "inconclusive": registerAgents("") + serveDocument("[]")}},
		{"directory/entries", `{step: d/list, type: Nobody, texts: [id, name], lists: [capabilities]}`, map[string]string{
			"pass": serveDocument("[" + showA + "]"), "pass:nobody": serveDocument("[]"), "finding:a number": serveDocument("[" + showA + `,{"number":-1}]`),
			"finding:keyed": serveDocument(`{"b":` + showB + `,"c":{"called":{}}}`), "finding:a text": serveDocument(`{"agents":[{"number":"a","can":"x, y"}]}`),
			"finding:a number in a list": serveDocument(`[{"can":["x",1]}]`), "inconclusive": "d/list document\n  < 404 text/html no\n"}},
		{"directory/shows", `{step: d/entry, agent: d/a}`, map[string]string{
			"pass": entry("200", showA), "pass:below agent": entry("200", `{"agent":`+showA+`}`), "fail": entry("200", showB),
			"fail:a list": entry("200", "["+showA+"]"), "fail:missing": entry("404", "{}")}},
		{"directory/unknown", `{step: d/entry}`, map[string]string{
			"pass": entry("404", "{}"), "finding": entry("410", "{}"), "fail": entry("200", "null"), "fail:a fault": entry("500", "{}")}},
		{"directory/media-type", `{steps: [d/list]}`, map[string]string{
			"pass": serveDocument("[]"), "fail": "d/list document\n  < 200 text/plain []\n", "inconclusive": "d/list document\n  < 404 text/html no\n"}},
		{"http/status", `{steps: [d/list], status: [200]}`, map[string]string{"pass": serveDocument("[]"), "fail": "d/list document\n  < 401 text/html no\n"}},
	})
}

func TestDirectoryTaskChecks(t *testing.T) {
	task := func(reply string) string { return answerCall("d/task task", "{}", reply) }
	ended := func(result string) string { return task(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`) }
	failed := func(code int, data string) string {
		return task(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"no","data":%s}}`, code, data))
	}
	fails := `{step: d/task, codes: [TaskNotFound, InvalidParams], states: [broken], reasons: {TaskNotFound: late}}`
	runTrials(t, "directory_task", []trial{
		{"task/place", `{steps: [d/path, d/bare]}`, map[string]string{
			"pass:path": answerCall("d/path task", "{}", fine), "pass:bare": "d/path task\n  < 404 text/html no\n" + answerCall("d/bare task", "{}", refuse),
			"fail": "d/path task\n  < 404 text/html no\nd/bare task\n  < 404 text/html no\n"}},
		{"task/output", "", map[string]string{
			"pass": ended(`{"phase":"ready","made":null}`), "fail": ended(`{"phase":"ready"}`), "not-applicable": ended(`{"phase":"broken"}`)}},
		{"task/fails", fails, map[string]string{
			"pass:a state": ended(`{"phase":"broken"}`), "pass:an error": failed(-32602, "null"), "pass:a reason": failed(-32001, `{"reason":"late"}`),
			"fail": ended(`{"phase":"ready"}`), "fail:no reason": failed(-32001, "{}"), "fail:another error": failed(-32603, "{}"), "fail:empty": "d/task task\n  < 200 application/json\n"}},
		{"task/reason", `{codes: [TaskNotFound]}`, map[string]string{
			"pass": failed(-32001, `{"reason":"x"}`), "fail": failed(-32001, `{"reason":{}}`), "not-applicable": failed(-32001, "{}"), "not-applicable:another error": failed(-32602, `{"reason":7}`)}},
		{"errors/not-for-callers", `{codes: [TaskNotFound]}`, map[string]string{
			"pass": "d/p task role=probe invalid\n  < 200 application/json " + refuse + "\n", "not-applicable": failed(-32001, "{}"),
			"fail": "d/p task role=probe invalid\n  < 200 application/json " + rpcError("1", -32001) + "\n"}},
	})
}

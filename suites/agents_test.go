package suites_test

import (
	"fmt"
	"testing"
)

// answerAboutAgent is a document about an agent of a server that has several.
func answerAboutAgent(step, agent, body string) string {
	return fmt.Sprintf("agents/%s document agent=%s\n < 200 application/json %s\n", step, agent, body)
}

func TestAgents(t *testing.T) {
	const gone = " < 404 text/plain no\n"
	listed := "agents/list document\n < 200 application/json {\"agents\":[{\"name\":\"A-One\"},{\"name\":\"Two\",\"id\":\"2\"}]}\n"
	cards := func(one, two string) string {
		return listed + fmt.Sprintf("agents/card-1 card agent=A-One\n < 200 application/json {\"called\":%q}\nagents/card-2 card agent=2\n < 200 application/json {\"called\":%q}\n", one, two)
	}
	sent := func(step, url, reply string) string {
		return fmt.Sprintf("%s send agent=A-One url=%s\n < 200 application/json %s\n", step, url, reply)
	}
	nobody := func(data string) string {
		return listed + fmt.Sprintf("agents/unknown-send send role=probe agent=x\n < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"no\",\"data\":%s}}\n", data)
	}
	const no = `{"jsonrpc":"2.0","id":"t","error":{"code":-32603,"message":"no"}}`
	runTrials(t, "agents", []trial{
		{"agents/listed", "", map[string]string{
			"pass":           listed,
			"fail: empty":    "agents/list document\n < 200 application/json\n",
			"fail: nothing":  "agents/list document\n < 200 application/json {\"agents\":[]}\n",
			"fail: missing":  "agents/list document\n" + gone,
			"fail: as text":  "agents/list document\n < 200 text/plain [\"a\"]\n",
			"inconclusive: ": "stop agents the run's time was up\n",
		}},
		{"agents/documents", "{of: info}", map[string]string{
			"pass":          listed + answerAboutAgent("info-1", "A-One", "{}"),
			"fail: missing": listed + answerAboutAgent("info-1", "A-One", "{}") + "agents/info-2 document agent=2\n" + gone,
			"fail: list":    listed + answerAboutAgent("info-1", "A-One", "[]"),
			"inconclusive":  "agents/list document\n < 200 application/json []\n",
		}},
		{"agents/own-card", "", map[string]string{
			"pass":                     cards("a one", "Two"),
			"fail: the other's":        cards("A-One", "A-One"),
			"fail: both the same":      cards("Helper", "Helper"),
			"finding: by another name": cards("A-One", "The second"),
			"not-applicable: alone":    listed + "agents/card-1 card agent=A-One\n < 200 application/json {\"called\":\"B\"}\n",
			"inconclusive: none":       listed,
		}},
		{"agents/own-info", "", map[string]string{
			"pass":            listed + answerAboutAgent("info-1", "A-One", `{"name":"a-one"}`),
			"pass: below":     listed + answerAboutAgent("info-1", "A-One", `{"agent":{"id":"A-One"}}`),
			"pass: by its id": listed + answerAboutAgent("info-2", "2", `{"name":"Two"}`),
			"fail: nameless":  listed + answerAboutAgent("info-1", "A-One", `{"description":"an agent"}`),
			"fail: too deep":  listed + answerAboutAgent("info-1", "A-One", `{"a":{"b":{"c":"A-One"}}}`),
		}},
		{"agents/answer", "", map[string]string{
			"pass":          listed + sent("agents/send-1", "http://s/1", okReply),
			"pass: failed":  listed + sent("agents/send-1", "http://s/1", no),
			"fail: refused": listed + sent("agents/send-1", "http://s/1", rpcError("1", -32601)),
			"fail: page":    listed + "agents/send-1 send agent=A-One\n < 405 text/html no\n",
		}},
		{"agents/card-url", "{at: /url}", map[string]string{
			"pass":                 serveCard(`{"called":"Z","url":"http://s/rpc"}`) + sent("agents/url", "http://s/rpc", okReply),
			"pass: called before":  serveCard(`{"called":"Z","url":"http://s/rpc"}`) + sent("quick/send", "http://s/rpc", okReply),
			"fail":                 serveCard(`{"called":"Z","url":"http://s/rpc"}`) + "agents/url send url=http://s/rpc\n" + gone,
			"inconclusive: abroad": serveCard(`{"called":"Z","url":"http://o/rpc"}`) + sent("quick/send", "http://s/rpc", okReply),
		}},
		{"agents/unknown-info", "", map[string]string{
			"pass":            "agents/unknown-info document role=probe agent=x\n" + gone,
			"pass: an error":  "agents/unknown-info document role=probe agent=x\n < 200 application/json {\"error\":{\"code\":-32000}}\n",
			"fail: described": "agents/unknown-info document role=probe agent=x\n < 200 application/json {\"name\":\"x\"}\n",
		}},
		{"agents/unknown-card", "", map[string]string{
			"pass":           "agents/unknown-card document role=probe agent=x\n" + gone,
			"pass: an error": "agents/unknown-card document role=probe agent=x\n < 200 application/json {\"error\":\"none\"}\n",
			"fail":           "agents/unknown-card document role=probe agent=x\n < 200 application/json {\"called\":\"Z\"}\n",
		}},
		{"agents/unknown-named", "{step: agents/unknown-send, at: /data/name, codes: [TaskNotFound]}", map[string]string{
			"pass": nobody(`{"name":"x"}`), "fail": nobody(`{"name":"A-One"}`), "fail: silent": nobody(`{}`),
			"inconclusive": "agents/unknown-send send role=probe agent=x\n" + gone,
		}},
		{"agents/known-listed", "{step: agents/unknown-send, at: /data/names, codes: [TaskNotFound]}", map[string]string{
			"pass": nobody(`{"names":["2","A-One"]}`), "fail: text": nobody(`{"names":"A-One, Two"}`),
			"fail: invented": nobody(`{"names":["A-One","Two","Three"]}`), "fail: not all": nobody(`{"names":["A-One"]}`),
		}},
		{"discovery/card-well-known", "{owns: [], object: true}", map[string]string{
			"pass": serveCard(`{}`), "fail: array": serveCard(`[]`), "fail: missing": "card/well-known card\n" + gone,
		}},
		{"discovery/health", "{step: agents/health}", map[string]string{
			"pass": "agents/health document\n < 204 -\n", "fail": "agents/health document\n" + gone, "fail: dead": "agents/health document\n ! no-dial\n",
		}},
		{"discovery/health", "{step: agents/health, document: true}", map[string]string{
			"pass": "agents/health document\n < 200 application/json {}\n", "pass: empty": "agents/health document\n < 204 -\n",
			"fail: page": "agents/health document\n < 200 text/html OK\n", "fail: no JSON": "agents/health document\n < 200 application/json OK\n",
		}},
	})
}

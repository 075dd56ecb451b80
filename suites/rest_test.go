package suites_test

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// useREST has the made-up dialect travel by paths.
func useREST(d *schema.Dialect) {
	routes := map[string]schema.Routes{}
	for op, path := range map[string]string{"send": "/jobs:send", "stream": "/jobs:stream", "cancel": "/jobs/{number}:drop"} {
		routes[op] = schema.Routes{{Verb: "POST", Path: path}}
	}
	routes["get"], routes["list"] = schema.Routes{{Verb: "GET", Path: "/jobs/{number}"}}, schema.Routes{{Verb: "GET", Path: "/jobs"}}
	d.Bindings = map[string]schema.Binding{"WEB": {Kind: schema.KindREST, Media: []string{"application/json"}, Routes: routes}}
	d.Errors = map[string]schema.ErrorSign{
		"ParseError": {HTTP: schema.Statuses{400}}, "InvalidParams": {HTTP: schema.Statuses{400}}, "InternalError": {HTTP: schema.Statuses{500}},
		"MethodNotFound": {HTTP: schema.Statuses{404, 405}}, "TaskNotFound": {HTTP: schema.Statuses{404}, Reason: "NO_JOB"},
		"TaskNotCancelable": {HTTP: schema.Statuses{400}, Reason: "NO_END"},
	}
}

// answerOverREST is a step over REST that was answered so.
func answerOverREST(step, answer string) string {
	return fmt.Sprintf("%s\n  > GET -\n  < %s\n", step, answer)
}

// restError is an error over REST.
func restError(status int, more string) string {
	return fmt.Sprintf(`%d application/json {"error":{"code":%[1]d,"message":"no"%s}}`, status, more)
}

const (
	aJob    = `200 application/json {"number":"7","now":{"phase":"ready"}}`
	noJob   = `,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NO_JOB","domain":"zz"}]`
	noEnd   = `,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NO_END","domain":"zz"}]`
	webGet  = "b/p get role=probe"
	webSend = "b/p send role=probe twin=twin"
)

func TestRESTChecks(t *testing.T) {
	twin := answerOverREST("b/twin send role=twin", aJob)
	guarded := func(status string) string {
		return answerOverREST("b/p get role=probe as=nobody", status)
	}
	listed := func(step string, numbers string) string {
		return answerOverREST("b/"+step+" list", `200 application/json {"jobs":[`+numbers+`]}`)
	}
	streamed := func(media, body string) string {
		return "b/p stream role=probe\n  > {}\n  < 200 " + media + " " + body + "\n  |\n  |\n"
	}
	sent := func(answer string) string { return answerOverREST("b/p send", answer) }
	runTrials(t, "rest", []trial{
		{"http/status", "{steps: [b/p], status: [501], refused: true}", map[string]string{
			"pass": answerOverREST(webGet, "409 -"), "pass:named": answerOverREST(webGet, "501 -"), "fail": answerOverREST(webGet, "500 -"), "fail:served": answerOverREST(webGet, aJob),
		}},
		{"rest/holds-one", "{steps: [b/p], sorts: [job, word]}", map[string]string{
			"pass": sent(`200 application/json {"job":{"number":"7"}}`), "fail": sent(aJob), "fail:both": sent(`200 application/json {"job":{},"word":{}}`),
			"inconclusive": sent("404 text/html <p>"),
		}},
		{"rest/core", "{steps: [b/p]}", map[string]string{
			"pass": answerOverREST("b/p get", `200 application/json {"number":"7","group":"g","now":{"phase":"ready"}}`), "fail": answerOverREST("b/p get", `200 application/json {"number":"7","state":"ready"}`),
			"inconclusive": answerOverREST("b/p get", "404 text/html <p>"),
		}},
		{"rest/one-shape", "{steps: [b/p, b/q]}", map[string]string{
			"pass": answerOverREST(webGet, restError(404, "")) + answerOverREST("b/q get", restError(400, "")), "fail": answerOverREST(webGet, restError(404, "")) + answerOverREST("b/q get", `400 application/json {"fault":1}`),
			"fail:a page": answerOverREST(webGet, "404 text/html <p>") + answerOverREST("b/q get", restError(400, "")), "not-applicable:served": answerOverREST(webGet, aJob) + answerOverREST("b/q get", aJob),
		}},
		{"rest/told", "{steps: [b/p]}", map[string]string{
			"pass": answerOverREST(webGet, restError(404, noJob)), "pass:another": answerOverREST(webGet, restError(400, noEnd)), "fail": answerOverREST(webGet, `404 application/json {"message":"no"}`),
		}},
		{"http/status", "{steps: [b/p], status: [405], tolerated: [404]}", map[string]string{
			"pass": answerOverREST(webGet, "405 -"), "finding": answerOverREST(webGet, "404 text/html <p>"), "fail": answerOverREST(webGet, aJob), "inconclusive:a guard": answerOverREST(webGet, "401 -"),
		}},
		{"http/status", "{steps: [b/p], below: 500}", map[string]string{"pass": answerOverREST(webGet, "415 -"), "pass:taken": answerOverREST(webGet, aJob), "fail": answerOverREST(webGet, "500 -")}},
		{"rest/begins", "{steps: [b/p, b/q]}", map[string]string{
			"pass":              answerOverREST(webGet, "404 -") + answerOverREST("b/q get", aJob),
			"fail":              answerOverREST(webGet, "404 -") + answerOverREST("b/q get", restError(404, "")),
			"inconclusive":      answerOverREST(webGet, "404 -") + answerOverREST("b/q get", restError(500, "")),
			"fail:a wrong verb": answerOverREST(webGet, "405 -") + answerOverREST("b/q get", "404 -"),
		}},
		{"rest/labelled", "{media: application/zz+json, tolerated: [application/json]}", map[string]string{
			"pass": answerOverREST(webGet, `200 application/zz+json {"number":"7"}`), "finding": answerOverREST(webGet, aJob), "fail": answerOverREST(webGet, `200 text/html {"number":"7"}`),
			"fail:an error": answerOverREST(webGet, `404 text/plain {"error":{"code":404,"message":"no"}}`), "not-applicable:a page": answerOverREST(webGet, "404 text/html <p>"),
		}},
		{"rest/json", "", map[string]string{
			"pass": answerOverREST(webGet, aJob), "fail": answerOverREST(webGet, "200 application/xml <job/>"), "not-applicable:nothing": answerOverREST(webGet, "204 -"),
			"not-applicable:a page that says no": answerOverREST(webGet, "404 text/html <p>"),
			"not-applicable:no call":             answerOverREST("b/p get role=probe invalid", "200 text/html <p>"),
		}},
		{"rest/label-taken", "{steps: [b/p], like: b/twin}", map[string]string{
			"pass":                    twin + answerOverREST(webSend, aJob),
			"pass:refused alike":      answerOverREST("b/twin send role=twin", restError(404, noJob)) + answerOverREST(webSend, restError(404, noJob)),
			"fail":                    twin + answerOverREST(webSend, "415 -"),
			"fail:not read":           twin + answerOverREST(webSend, restError(400, "")),
			"fail:refused otherwise":  answerOverREST("b/twin send role=twin", restError(404, noJob)) + answerOverREST(webSend, restError(400, "")),
			"inconclusive:not either": answerOverREST("b/twin send role=twin", "415 -") + answerOverREST(webSend, "415 -"),
			"inconclusive:a page":     answerOverREST("b/twin send role=twin", "404 text/html <p>") + answerOverREST(webSend, "404 -"),
			"fail:a guard":            twin + answerOverREST(webSend, "401 -"), // which let the same call in with another label
			"fail:accepted the one":   twin + answerOverREST(webSend, restError(404, noJob)),
			"pass:accepted":           answerOverREST("b/twin send role=twin", restError(404, noJob)) + answerOverREST(webSend, aJob),
		}},
		{"rest/label-taken", "{steps: [b/p]}", map[string]string{"pass": answerOverREST(webGet, "404 -"), "fail": answerOverREST(webGet, "415 -")}},
		{"rest/succeeds", "", map[string]string{
			"pass": answerOverREST(webGet, aJob), "pass:an error": answerOverREST(webGet, restError(404, "")), "pass:another success": answerOverREST(webGet, `201 application/json {"number":"7"}`),
			"fail:an error":         answerOverREST(webGet, `200 application/json {"error":{"code":404,"message":"no"}}`),
			"fail:a result":         answerOverREST(webGet, `404 application/json {"number":"7"}`),
			"not-applicable:a page": answerOverREST(webGet, "404 text/html <p>"), "not-applicable:another object": answerOverREST(webGet, `404 application/json {"detail":"no"}`),
		}},
		{"rest/decoded", "{plain: b/plain, encoded: b/escaped}", map[string]string{
			"pass":                   listed("plain", `{"number":"7"}`) + listed("escaped", `{"number":"7"}`),
			"fail":                   listed("plain", `{"number":"7"}`) + listed("escaped", ""),
			"fail:more":              listed("plain", `{"number":"7"}`) + listed("escaped", `{"number":"7"},{"number":"8"}`),
			"fail:refused":           listed("plain", `{"number":"7"}`) + answerOverREST("b/escaped list", restError(400, "")),
			"inconclusive:not known": listed("plain", "") + listed("escaped", ""),
			"inconclusive:refused":   answerOverREST("b/plain list", restError(500, "")) + listed("escaped", ""),
		}},
		{"rest/holds", "{steps: [b/p], sorts: [job]}", map[string]string{
			"pass": answerOverREST(webSend, `200 application/json {"job":{"number":"7"}}`), "fail": answerOverREST(webSend, aJob), "inconclusive": answerOverREST(webSend, restError(400, "")),
		}},
		{"transport/header-read", "{named: [b/p], other: [b/q], error: TaskNotCancelable}", map[string]string{
			"pass":                  answerOverREST(webGet, aJob) + answerOverREST("b/q get", restError(400, noEnd)),
			"fail":                  answerOverREST(webGet, restError(400, noEnd)) + answerOverREST("b/q get", restError(400, noEnd)),
			"fail:not read":         answerOverREST(webGet, aJob) + answerOverREST("b/q get", aJob),
			"inconclusive":          answerOverREST(webGet, restError(500, "")) + answerOverREST("b/q get", restError(400, noEnd)),
			"inconclusive:no route": answerOverREST(webGet, aJob) + answerOverREST("b/q get", "405 -"),
		}},
		{"rest/guarded", "{missing: [b/p], forbidden: [b/q]}", map[string]string{
			"pass": guarded("401 -"), "finding": guarded("403 -"), "fail": guarded(aJob), "fail:a bad request": guarded("400 -"),
			"pass:forbidden": guarded("401 -") + answerOverREST("b/q get role=probe", "404 -"), "finding:forbidden": guarded("401 -") + answerOverREST("b/q get role=probe as=low", "401 -"),
			"fail:forbidden": guarded("401 -") + answerOverREST("b/q get role=probe", aJob), "inconclusive": "stop b it ended\n",
		}},
		{"rest/events", "{steps: [b/p]}", map[string]string{
			"pass":             streamed("text/event-stream", `data: {"number":"7"}`),
			"fail:lines":       streamed("application/x-ndjson", `{"number":"7"}`),
			"fail:no JSON":     streamed("text/event-stream", `data: 7 jobs`),
			"fail:no object":   streamed("text/event-stream", `data: 7`),
			"inconclusive":     answerOverREST("b/p stream role=probe", restError(400, "")),
			"inconclusive:one": streamed("text/event-stream", `data: {"error":{"code":400,"message":"no"}}`),
		}},
		{"rest/bare-events", "{steps: [b/p], without: [/jsonrpc]}", map[string]string{
			"pass": streamed("text/event-stream", `data: {"number":"7"}`), "fail": streamed("text/event-stream", `data: {"jsonrpc":"2.0","result":{}}`), "inconclusive": answerOverREST("b/p stream role=probe", "404 -"),
		}},
		{"rest/error-object", "{steps: [b/p]}", map[string]string{
			"pass": answerOverREST(webGet, restError(404, "")), "fail": answerOverREST(webGet, `404 application/problem+json {"type":"about:blank","status":404}`), "fail:a page": answerOverREST(webGet, "404 text/html <p>"),
			"fail:a text": answerOverREST(webGet, `404 application/json {"error":"no"}`), "fail:nothing": answerOverREST(webGet, "404 -"),
			"not-applicable": answerOverREST(webGet, aJob), "not-applicable:what stands before it": answerOverREST(webGet, "503 text/html <p>"), "inconclusive:a guard": answerOverREST(webGet, "401 -"),
		}},
		{"rest/code", "", map[string]string{
			"pass": answerOverREST(webGet, restError(404, "")), "fail": answerOverREST(webGet, `404 application/json {"error":{"code":-32001,"message":"no"}}`),
			"fail:a text": answerOverREST(webGet, `404 application/json {"error":{"code":"404","message":"no"}}`), "fail:none": answerOverREST(webGet, `404 application/json {"error":{"message":"no","details":[{"@type":"google.rpc.ErrorInfo","reason":"NO_JOB"}]}}`),
			"not-applicable": answerOverREST(webGet, aJob), "not-applicable:in a stream": streamed("text/event-stream", `data: {"error":{"code":400,"message":"no"}}`),
		}},
		{"rest/status-name", "{at: /status}", map[string]string{
			"pass": answerOverREST(webGet, restError(404, `,"status":"NOT_FOUND"`)), "finding": answerOverREST(webGet, restError(404, "")), "finding:another": answerOverREST(webGet, restError(404, `,"status":"INTERNAL"`)),
			"pass:a status that google.rpc does not know": answerOverREST(webGet, restError(405, `,"status":"UNIMPLEMENTED"`)),
			"fail": answerOverREST(webGet, restError(404, `,"status":5`)), "fail:words": answerOverREST(webGet, restError(404, `,"status":"Not Found"`)),
		}},
		{"errors/info-present", "{steps: [b/p]}", map[string]string{
			"pass": answerOverREST(webGet, restError(404, noJob)), "fail": answerOverREST(webGet, restError(404, "")), "fail:an empty list": answerOverREST(webGet, restError(404, `,"details":[]`)),
			"not-applicable:it may be another": answerOverREST(webGet, restError(400, "")), "not-applicable:no error": answerOverREST(webGet, aJob), "not-applicable:a page": answerOverREST(webGet, "404 text/html <p>"),
		}},
		{"rest/error-status", "{steps: [b/p], error: TaskNotFound, tolerated: [410]}", map[string]string{
			"pass": answerOverREST(webGet, restError(404, noJob)), "fail": answerOverREST(webGet, restError(500, noJob)), "finding": answerOverREST(webGet, restError(410, noJob)),
			"not-applicable:it may be another": answerOverREST(webGet, restError(400, "")),
		}},
		{"errors/refused", "{steps: [b/p], codes: [TaskNotFound]}", map[string]string{
			"pass": answerOverREST(webGet, restError(404, noJob)), "pass:by its status": answerOverREST(webGet, restError(404, "")), "fail:a page": answerOverREST(webGet, "404 text/html <p>"),
			"fail:another": answerOverREST(webGet, restError(400, "")), "fail:accepted": answerOverREST(webGet, aJob),
		}},
		{"errors/refused", "{steps: [b/p], codes: [TaskNotCancelable]}", map[string]string{
			"fail:by its status": answerOverREST(webGet, restError(400, "")), "inconclusive:it may be that": answerOverREST(webGet, restError(400, "")) + answerOverREST("b/q get role=probe task=none", restError(404, "")),
			"fail:no error": answerOverREST(webGet, "400 text/html <p>") + answerOverREST("b/q get role=probe task=none", restError(404, "")),
		}},
	}, useREST, func(d *schema.Dialect) { d.Sorts = schema.Sorts{Member: []string{"job"}, Of: []string{"send"}} })
}

// Package reportstest has sample reports and transcripts, hostile texts, and checks of rendered reports,
// for the tests of the packages that render.
package reportstest

import (
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Failing is a report on a play whose last exchange shows a failure.
func Failing(bodies ...*record.Exchange) (*report.Report, *record.Transcript) {
	play := record.Play{Scenario: "talk", Attempt: 1}
	for i, x := range bodies {
		play.Steps = append(play.Steps, record.Step{Name: string(rune('a' + i)), Role: record.Main, Op: "send", Exchange: x})
	}
	t := &record.Transcript{Started: Started, Plays: []record.Play{play}, Facts: record.Facts{Secrets: []string{"bearer", "basic"}}}
	t.Seal()
	r := SampleReport(report.Result{ID: "ZZ99-ERR-001", Level: schema.Must, Area: "errors", Verdict: report.Fail,
		Reason: "the server\n rm -rf / said `id` $(id) '", Evidence: []report.Evidence{{Exchange: len(bodies)}}})
	return r, t
}

const Millisecond = time.Millisecond

// Post is a recorded call with its answer.
func Post(body, status, contentType, answer string, at time.Duration) *record.Exchange {
	x := &record.Exchange{
		Dir: record.Out, URL: "http://127.0.0.1:9999/rpc", Conn: 1, Start: at, End: at + 12*Millisecond, Ended: record.EOF,
		Request: record.Message{
			Head: []byte("POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:9999\r\nUser-Agent: a2a-conform/1.0.0 (sample)\r\n" +
				fmt.Sprintf("Content-Length: %d\r\n", len(body)) + "Accept: application/json\r\nAuthorization: Bearer ⟦secret:bearer⟧\r\nContent-Type: application/json\r\n\r\n"),
			Body: []byte(body), Framing: record.Framing{Kind: "length", Declared: int64(len(body)), Received: int64(len(body))},
		},
		Response: record.Message{
			Head: []byte("HTTP/1.1 " + status + "\r\nContent-Type: " + contentType + "\r\n\r\n"),
			Body: []byte(answer), Framing: record.Framing{Kind: "close", Declared: -1, Received: int64(len(answer))},
		},
	}
	if answer != "" {
		x.Response.Chunks = []record.Chunk{{At: at + 8*Millisecond, N: len(answer)}}
	}
	return x
}

// Sample is a transcript with an exchange of each kind.
func Sample() *record.Transcript {
	card := Post("", "200 OK", "application/json", `{"name":"Recipe Agent","url":"http://127.0.0.1:9999/rpc","capabilities":{"streaming":true}}`, 1*Millisecond)
	card.URL = "http://127.0.0.1:9999/.well-known/agent.json"
	card.Request.Head = []byte("GET /.well-known/agent.json HTTP/1.1\r\nHost: 127.0.0.1:9999\r\nAccept: application/json\r\n\r\n")

	broken := Post(`{"jsonrpc":"2.0","id":1,`, "200 OK", "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"it's <b>bad</b>"}}`, 20*Millisecond)

	stream := Post(`{"jsonrpc":"2.0","id":2,"method":"tasks/sendSubscribe","params":{"message":{"role":"user","parts":[{"type":"text","text":"it's $HOME"}]}}}`,
		"200 OK", "text/event-stream", "", 40*Millisecond)
	for i := range 60 {
		event := fmt.Sprintf("id: %d\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"id\":\"t1\",\"status\":{\"state\":\"working\"},\"step\":%d}}\n\n", i+1, i+1)
		if i == 2 {
			event = ": keep-alive\n\n"
		}
		stream.Response.Body = append(stream.Response.Body, event...)
		stream.Response.Chunks = append(stream.Response.Chunks, record.Chunk{At: stream.Start + time.Duration(i)*10*Millisecond, N: len(event)})
	}
	stream.Response.Body = append(stream.Response.Body, "data: {\"half"...)
	stream.Response.Chunks = append(stream.Response.Chunks, record.Chunk{At: stream.Start + 610*Millisecond, N: 12})
	stream.End, stream.Ended = stream.Start+5*time.Second, record.OurClose

	page := Post(`{"jsonrpc":"2.0","id":3,"method":"tasks/get"}`, "413 Payload Too Large", "text/html", "<html><h1>413</h1>\x1b[31m\u202eevil\x00\xff</html>", 60*Millisecond)
	page.Request.Body, page.Request.Recipe = nil, &record.Recipe{Generator: "text-part", Size: 10 << 20, SHA256: "ab12"}
	page.Response.Framing.Faults = []string{"7 bytes of the declared 44 did not come"}

	gone := &record.Exchange{Dir: record.Out, URL: "http://127.0.0.1:9999/rpc", Start: 80 * Millisecond, End: 81 * Millisecond, Ended: record.NoDial, Trouble: "dial tcp 127.0.0.1:9999: connect: connection refused"}

	delivery := Post(`{"id":"t1","status":{"state":"completed"}}`, "204 No Content", "text/plain", "", 90*Millisecond)
	delivery.Dir, delivery.URL = record.In, "http://127.0.0.1:40000/hook/push/notified"
	delivery.TLS = &record.TLS{Version: "TLS 1.3", CipherSuite: "TLS_AES_128_GCM_SHA256", ServerName: "localhost", Subject: "CN=localhost", Issuer: "CN=localhost", NotAfter: "2030-01-01T00:00:00Z"}

	quiet := Post(`{"jsonrpc":"2.0","id":9,"method":"tasks/get"}`, "200 OK", "application/json", `{"jsonrpc":"2.0","id":9,"result":{}}`, 95*Millisecond)

	t := &record.Transcript{
		Started: Started, Duration: 812 * Millisecond,
		Facts: record.Facts{Tool: "1.0.0", Kind: "url", Target: "http://127.0.0.1:9999", Dialect: "zz-9.9", Gate: "conformant"},
		Plays: []record.Play{
			{Scenario: "card", Attempt: 1, Steps: []record.Step{{Name: "get", Role: record.Main, Op: "card", Exchange: card}}},
			{Scenario: "errors", Attempt: 1, Steps: []record.Step{{Name: "broken-json", Role: record.Probe, Op: "send", Invalid: true, Exchange: broken}}},
			{Scenario: "stream", Attempt: 2, Steps: []record.Step{{Name: "subscribe", Role: record.Main, Op: "stream", Exchange: stream}}},
			{Scenario: "large", Attempt: 1, Steps: []record.Step{{Name: "ten-mib", Role: record.Probe, Op: "send", Exchange: page}, {Name: "alive", Role: record.Alive, Op: "get", Exchange: gone}}},
			{Scenario: "push", Attempt: 1, Steps: []record.Step{{Name: "notified", Role: record.Main, Op: "send", Exchange: delivery}}},
			{Scenario: "quick", Attempt: 1, Steps: []record.Step{{Name: "get", Role: record.Main, Op: "get", Exchange: quiet}}},
		},
	}
	t.Seal()
	return t
}

var Started = time.Date(2025, 6, 1, 23, 58, 0, 0, time.UTC)

// SampleReport is a sampleReport about the sample transcript with the given results.
func SampleReport(results ...report.Result) *report.Report {
	for i := range results {
		r := &results[i]
		if r.Section == "" {
			r.Section = "6.7; 7.3"
		}
		if r.Statement == "" {
			r.Statement = "The artifact assembled from the stream equals the one that tasks/get returns."
		}
	}
	return &report.Report{
		SchemaVersion: view.SchemaVersion,
		Tool:          report.Tool{Name: "a2a-conform", Version: "1.0.0", Catalogue: "sha256:0123456789abcdef", CatalogueVersion: "2"},
		Target: report.Target{Kind: "url", URL: "http://127.0.0.1:9999", RPC: "http://127.0.0.1:9999/rpc", Agent: "Recipe Agent",
			Dialect: "zz-9.9", Title: "Made-up Protocol 9.9", Card: "sha256:fedcba9876543210", Declares: map[string][]string{}},
		Run:     report.Run{StartedAt: Started, DurationMs: 812, Exchanges: 7, AgentInvocations: 2, Selection: "full", Gate: "conformant"},
		Verdict: report.Decide(results, true, true, report.Whole),
		Summary: report.Summarize(results),
		Results: results,
	}
}

// EveryVerdict is a report in which every verdict occurs.
func EveryVerdict() *report.Report {
	r := SampleReport(
		report.Result{ID: "ZZ99-CARD-001", Level: schema.Must, Area: "card", Verdict: report.Pass, Section: "3.1",
			Statement: "The card names the agent.",
			Evidence:  []report.Evidence{{Exchange: 1, Pointer: "/name", Excerpt: `"Recipe Agent"`}},
			Findings:  []report.Finding{{Text: "the card has a member that the protocol does not know: x-colour", Evidence: &report.Evidence{Exchange: 1, Pointer: "/x-colour"}}}},
		report.Result{ID: "ZZ99-CARD-002", Level: schema.Must, Area: "card", Verdict: report.NotApplicable, Reason: "the card does not declare push notifications"},
		report.Result{ID: "ZZ99-CARD-003", Level: schema.Should, Area: "card", Verdict: report.NotApplicable, Vacuous: true, Reason: "no skill was seen"},
		report.Result{ID: "ZZ99-ERR-001", Level: schema.Must, Area: "errors", Verdict: report.Fail, Cause: "a malformed call is refused with the code -32603", Section: "8.1",
			Statement: "A request that is not JSON is answered with the error ParseError.",
			Reason:    "the server answered error -32600 \"it's <b>bad</b>\"; expected -32700 (Made-up Protocol 9.9 §8.1) [exchange 2, /error/code]",
			Evidence: []report.Evidence{{Exchange: 2, Pointer: "/error/code", Excerpt: "-32600"},
				{Exchange: 4, Excerpt: "<html><h1>413</h1>\x1b[31m"}},
			Others: []string{"the server answered HTTP 413 with text/html that is not JSON; expected -32700 (Made-up Protocol 9.9 §8.1) [exchange 4]"}, More: 3},
		report.Result{ID: "ZZ99-ERR-002", Level: schema.Should, Area: "errors", Verdict: report.Fail, Section: "8.2",
			Statement: "An error message says what was wrong.", Readings: []string{"§8.2: a message is a sentence", "a guide: a message may be <empty>"}, Applied: []string{"A"},
			Reason:   "the server sent the message `` ` ``; expected a sentence (Made-up Protocol 9.9 §8.2)",
			Evidence: []report.Evidence{{Exchange: 2, Pointer: "/error/message", Excerpt: `"it's <b>bad</b>"`}}},
		report.Result{ID: "ZZ99-ERR-003", Level: schema.May, Area: "errors", Verdict: report.Fail, Section: "Error data", Own: true, FindingOnly: "no sentence asks for data",
			Statement: "An error carries data.", Reason: "the server sent an error without data", Evidence: []report.Evidence{{Exchange: 2, Pointer: "/error"}}},
		report.Result{ID: "ZZ99-ERR-004", Level: schema.Must, Area: "errors", Verdict: report.Inconclusive, Because: "ZZ99-ERR-001",
			Reason: "it depends on ZZ99-ERR-001, which fails: the server answered error -32600"},
		report.Result{ID: "ZZ99-ERR-005", Level: schema.Should, Area: "errors", Verdict: report.Fail, Because: "ZZ99-ERR-001", Section: "8.3",
			Statement: "A code is one of <the> table.", Reason: "the server answered error -32600; expected a code of the table (Made-up Protocol 9.9 §8.3) [exchange 2, /error/code]",
			Evidence: []report.Evidence{{Exchange: 2, Pointer: "/error/code", Excerpt: "-32600"}}},
		report.Result{ID: "ZZ99-STR-001", Level: schema.Must, Area: "stream", Verdict: report.Pass, Section: "7",
			Statement: "Every event carries the id of the request.",
			Evidence:  []report.Evidence{{Exchange: 3, Event: 1, Pointer: "/id", Excerpt: "2"}, {Exchange: 3, Event: 57, Pointer: "/id", Excerpt: "2"}}},
		report.Result{ID: "ZZ99-STR-002", Level: schema.Must, Area: "stream", Verdict: report.Inconclusive, Remedy: "stimuli: {ask: {text: …}}  or  declares: {never: [ask]}",
			Reason: "no message is configured that makes the agent ask a question"},
		report.Result{ID: "ZZ99-STR-003", Level: schema.Should, Area: "stream", Verdict: report.Inconclusive, Remedy: "stimuli: {ask: {text: …}}  or  declares: {never: [ask]}",
			Reason: "no message is configured that makes the agent ask a question"},
		report.Result{ID: "ZZ99-STR-004", Level: schema.Must, Area: "stream", Verdict: report.Inconclusive, Reason: "the answer is too large to keep in full",
			Evidence: []report.Evidence{{Exchange: 4}}},
		report.Result{ID: "ZZ99-PUSH-001", Level: schema.Must, Area: "push", Verdict: report.Waived, Reason: "waived until 2025-12-31: ticket 4711; the server sent no token",
			Evidence: []report.Evidence{{Exchange: 6, Pointer: "/status/state", Excerpt: `"completed"`}}},
		report.Result{ID: "ZZ99-PUSH-002", Level: schema.Must, Area: "push", Verdict: report.SuiteError, Reason: "the check push/token passed without evidence",
			Evidence: []report.Evidence{{Exchange: 5}}},
	)
	r.Target.Declares = map[string][]string{"never": {"artifacts"}}
	r.Notices = []string{"the path /agent was not used: the card was read from http://127.0.0.1:9999/.well-known/agent.json and calls went to http://127.0.0.1:9999/rpc; if you mean another agent, give --card or --rpc"}
	r.Run.Waited = map[string]float64{"a stream to close": 5}
	waiver := func(id, until string, line int, state report.WaiverState, advice string) report.Waiver {
		return report.Waiver{KnownFailure: report.KnownFailure{ID: id, Why: "ticket 4711", Until: until, File: "waivers.yaml", Line: line}, State: state, Advice: advice}
	}
	r.Waivers = []report.Waiver{
		waiver("ZZ99-PUSH-001", "2025-12-31", 2, report.InForce, ""),
		waiver("ZZ99-CARD-001", "2025-12-31", 5, report.Stale, "ZZ99-CARD-001 passes: delete its waiver, waivers.yaml:5"),
		waiver("ZZ99-ERR-001", "2025-05-31", 8, report.Expired, "the waiver of ZZ99-ERR-001 ended on 2025-05-31: delete it or give it a later until, waivers.yaml:8"),
		waiver("ZZ99-STR-002", "2025-12-31", 11, report.Undecided, ""),
	}
	r.Waivers[1].Where = "of a `kind`"
	reworded := waiver("ZZ99-PUSH-002", "2025-12-31", 14, report.Reworded,
		"ZZ99-PUSH-002 fails at the place that its waiver names, but where (\"no token\") is not in the text of the failure any more; the waiver holds. Write instead, in waivers.yaml:14: where: \"sent no credential\"")
	reworded.At, reworded.Where = "push/notified /status", "no token"
	r.Waivers = append(r.Waivers, reworded)
	r.Results[0].Evidence[0].Step = "card/get"
	r.Baseline = &report.Baseline{File: "main/report.json", Changes: []report.Change{
		{ID: "ZZ99-ERR-001", Level: schema.Must, Kind: report.Broken, Was: report.Pass, Now: report.Fail},
		{ID: "ZZ99-ERR-004", Level: schema.Must, Kind: report.Lost, Was: report.Pass, Now: report.Inconclusive},
		{ID: "ZZ99-ERR-002", Level: schema.Should, Kind: report.Rejudged, Was: report.Pass, Now: report.Fail, WasLevel: schema.Must, Since: "2", Why: "a SHOULD now; the source says \"typically\""},
		{ID: "ZZ99-CARD-001", Level: schema.Must, Kind: report.Fixed, Was: report.Fail, Now: report.Pass},
	}}
	r.Results[3].Reproduce = "reproduce/ZZ99-ERR-001.sh"
	same := "In the parser, answer text that is not JSON with `-32700`, not <with> `-32600`."
	r.Results[3].Fix, r.Results[7].Fix = same, same
	r.Results[4].Fix = "Write the *reason* into `message`, for example `\"the role is unknown\"`."
	r.SDK = &report.SDKFaults{Name: "@example/sdk", Version: "1.2.3", Declared: true, Failures: 1, Causes: 1}
	r.Results[3].Known = &report.KnownFault{SDK: r.SDK.Title(), Fault: "What is not JSON is refused with `-32600`: <the parser> is asked late.", File: "src/parser.ts", Function: "parse", Upstream: "https://example.com/issues/12", Seen: "2025-05-31"}
	r.Advice = []string{"stimuli: {ask: {text: …}}  or  declares: {never: [ask]} decides 2 more", "--allow heavy"}
	return r
}

// Conforming is a report of a server that keeps every MUST.
func Conforming() *report.Report {
	return SampleReport(
		report.Result{ID: "ZZ99-CARD-001", Level: schema.Must, Area: "card", Verdict: report.Pass, Section: "3.1", Statement: "The card names the agent.",
			Evidence: []report.Evidence{{Exchange: 1, Pointer: "/name", Excerpt: `"Recipe Agent"`}}},
		report.Result{ID: "ZZ99-CARD-002", Level: schema.Must, Area: "card", Verdict: report.NotApplicable, Reason: "the card does not declare push notifications"},
		report.Result{ID: "ZZ99-STR-001", Level: schema.Should, Area: "stream", Verdict: report.Pass, Section: "7", Statement: "Every event carries the id of the request.",
			Evidence: []report.Evidence{{Exchange: 3, Event: 1, Pointer: "/id", Excerpt: "2"}}},
	)
}

// Hostile is a report in which every text of the server attacks its reader.
func Hostile(evil string) (*report.Report, *record.Transcript) {
	t := Sample()
	for _, x := range t.Exchanges {
		x.Response.Body = append([]byte(evil), x.Response.Body...)
		x.Response.Chunks = []record.Chunk{{At: x.Start, N: len(x.Response.Body)}}
		x.Response.Head = append(x.Response.Head[:len(x.Response.Head):len(x.Response.Head)], "X-Evil: "+evil+"\r\n\r\n"...)
		x.Trouble = evil
	}
	var results []report.Result
	for _, base := range EveryVerdict().Results {
		base.Reason, base.Remedy, base.Section = evil, evil, evil
		base.Fix = evil
		base.Known = &report.KnownFault{SDK: evil, Fault: evil, File: evil, Function: evil, Upstream: evil, Seen: evil}
		base.Evidence = []report.Evidence{{Exchange: 2, Step: evil, Pointer: "/" + evil, Excerpt: evil}, {Exchange: 3, Event: 28, Pointer: evil, Excerpt: evil}, {Exchange: 4}}
		base.Others, base.Reproduce = []string{evil, evil}, evil
		base.Findings = []report.Finding{{Text: evil, Evidence: &report.Evidence{Exchange: 6, Excerpt: evil}}}
		results = append(results, base)
	}
	r := SampleReport(results...)
	r.Reason, r.Tried, r.Advice, r.Notices = evil, []string{evil}, []string{evil}, []string{evil}
	r.Target.URL, r.Target.RPC, r.Target.Agent, r.Target.Title = evil, evil, evil, evil
	r.Target.Offers = []report.Offer{{Dialect: evil, Title: evil}}
	r.Target.Bindings, r.Target.Withheld = []string{evil, "x"}, []report.Withheld{{Agent: evil, Binding: evil, URL: evil, Why: evil, Remedy: evil}}
	for i := range r.Results[:3] {
		r.Results[i].Subjects = []report.SubjectResult{{Agent: evil, Binding: evil, Verdict: report.NotTried, Reason: evil}, {Binding: "x", Verdict: report.Pass}}
	}
	r.Target.Declares = map[string][]string{evil[:min(len(evil), 100)]: {evil}}
	r.SDK = &report.SDKFaults{Name: evil, Version: evil, Declare: evil, Failures: 1, Causes: 1}
	r.Waivers = []report.Waiver{{KnownFailure: report.KnownFailure{ID: evil, Why: evil, Until: evil, At: evil, Where: evil, File: evil}, State: report.Stale, Advice: evil}}
	reworded := r.Waivers[0]
	reworded.State = report.Reworded
	r.Waivers = append(r.Waivers, reworded)
	r.Baseline = &report.Baseline{File: evil, Changes: []report.Change{{ID: evil, Level: schema.Must, Kind: report.Broken, Was: report.Pass, Now: report.Fail, Before: evil, After: evil},
		{ID: evil, Level: schema.Must, Kind: report.Rejudged, Was: report.Pass, Now: report.Fail, Since: "2", Why: evil}}}
	r.Run.Cut, r.Run.Selection = evil, "--run "+evil
	r.Run.Waited = map[string]float64{evil[:min(len(evil), 100)]: 1}
	return r, t
}

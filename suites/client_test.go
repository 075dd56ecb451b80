package suites_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// clientTranscript reads a conversation as judgetest.Transcript does, in which we are the server. Besides there
// are the lines "run SCENARIO WORDS", with exit=1, signal=KILL, patience, trouble, twin=hello, sent=artifact and
// printed=artifact, "knows WORDS" on the calibration: works, exits, prints, adapter, never=stream, cannot=list, and
// "reports SCENARIO SECONDS LINE" with what its program printed.
func clientTranscript(t *testing.T, text string) *record.Transcript {
	t.Helper()
	runs := map[string]*record.ClientRun{}
	known := &record.Calibration{Works: true, Exits: true}
	said := map[string][]record.Said{}
	var kept []string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) > 1 && words[0] == "run":
			runs[words[1]] = readRun(t, words[2:])
		case len(words) > 0 && words[0] == "knows":
			known = &record.Calibration{Works: slices.Contains(words, "works"), Exits: slices.Contains(words, "exits"), Prints: slices.Contains(words, "prints")}
			known.Adapter = slices.Contains(words, "adapter")
			for _, w := range words {
				if command, is := strings.CutPrefix(w, "cannot="); is {
					known.Cannot = append(known.Cannot, command)
				}
				if op, is := strings.CutPrefix(w, "never="); is {
					known.NeverUsed = append(known.NeverUsed, op)
				}
			}
		case len(words) > 3 && words[0] == "reports":
			read, is, err := adapter.ParseLine([]byte(strings.SplitN(line, " ", 4)[3]))
			seconds, fault := strconv.ParseFloat(words[2], 64)
			if !is || err != nil || fault != nil {
				t.Fatalf("%s: %v, %v", line, err, fault)
			}
			read.Said.At, read.Said.Line = record.Instant(seconds*float64(time.Second)), len(said[words[1]])+1
			said[words[1]] = append(said[words[1]], read.Said)
		default:
			kept = append(kept, line)
		}
	}
	out := judgetest.Transcript(t, strings.Join(kept, ""))
	out.Facts.Role, out.Facts.Calibration, out.Facts.Command = record.ClientRole, known, []string{"mine", "{url}", "{text}"}
	for i := range out.Plays {
		p := &out.Plays[i]
		p.Client = runs[p.Scenario]
		if p.Client == nil {
			p.Client = readRun(t, nil)
		}
		p.Client.Said = said[p.Scenario]
		for j := range p.Steps {
			s := &p.Steps[j]
			s.Exchange.Dir = record.In
			if s.Binding == "" && s.Op != "card" && !strings.HasPrefix(s.Name, "stray") && !strings.HasPrefix(s.Name, "redirected") {
				s.Binding = "JSONRPC"
			}
		}
	}
	return out
}

// readRun reads how the client fared.
func readRun(t *testing.T, words []string) *record.ClientRun {
	t.Helper()
	run := &record.ClientRun{Command: []string{"mine"}, Started: 1, Ended: record.Instant(time.Hour)}
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch name {
		case "exit":
			run.Exit, _ = strconv.Atoi(value)
		case "signal":
			run.Signal = value
		case "patience":
			run.Patience, run.Ended = true, 0
		case "unended":
			run.Ended = 0
		case "trouble":
			run.Trouble = "no such file"
		case "twin":
			run.Twin = value
		case "sent", "printed":
			run.Markers = append(run.Markers, record.Marker{Word: "word-" + value, In: value, Sent: true, Printed: name == "printed"})
		default:
			t.Fatalf("a run has no word %q", w)
		}
	}
	return run
}

// runClientTrials judges every conversation of a client.
func runClientTrials(t *testing.T, area string, trials []trial, change ...func(*schema.Dialect)) {
	t.Helper()
	var texts strings.Builder
	for _, tr := range trials {
		d := judgetest.Dialect(t, fmt.Sprintf("  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: %s, with: %s}\n", tr.check, tr.with))
		for _, f := range change {
			f(d)
		}
		verdicts := map[string]bool{}
		for _, name := range sortedNames(tr.said) {
			t.Run(tr.check+" "+name, func(t *testing.T) {
				c := verdict.NewDecider(d, clientTranscript(t, tr.said[name]), suites.Checks(), nil)
				r := c.Result("ZZ99-X-001")
				want, _, _ := strings.Cut(name, ":")
				if string(r.Verdict) != want {
					t.Errorf("%s (%s)", r.Verdict, r.Reason)
				}
				if strings.Contains(r.Reason, "the server") {
					t.Errorf("it speaks of a server: %s", r.Reason)
				}
				if r.Verdict != report.Pass {
					fmt.Fprintf(&texts, "%s %s %s\n\t%s\n", tr.check, tr.with, name, r.Reason)
				}
			})
			word, _, _ := strings.Cut(name, ":")
			verdicts[word] = true
		}
		for _, want := range []string{"pass", "fail", "inconclusive"} {
			if !verdicts[want] {
				t.Errorf("%s has no conversation that leads to %s", tr.check, want)
			}
		}
	}
	if !t.Failed() {
		judgetest.Golden(t, "testdata/failures/"+area+".golden", texts.String())
	}
}

func sortedNames(said map[string]string) (out []string) {
	for n := range said {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// call is a call of the client, and what we answered.
func call(step, method, params, answer string) string {
	return fmt.Sprintf("%s\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":%q,\"params\":%s}\n  < 200 application/json %s\n", step, method, params, answer)
}

const (
	done    = `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","now":{"phase":"ready"}}}`
	working = `{"jsonrpc":"2.0","id":1,"result":{"number":"7","group":"g","now":{"phase":"busy"}}}`
	fault   = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`
)

func message(more string) string { return `{"message":{"key":"m"` + more + `}}` }

func TestRequestsOfAClient(t *testing.T) {
	send := func(params string) string { return call("hello/send send", "do", params, done) }
	hello := send(message(""))
	none := "hello/card card\n  > GET - \n  < 200 application/json {}\n"
	runClientTrials(t, "client_requests", []trial{
		{"client/member", "{ops: [send], at: /message/key, filled: true}", map[string]string{
			"pass": hello, "fail": send(`{"message":{}}`), "fail: empty": send(`{"message":{"key":""}}`), "inconclusive": none, "not-applicable": "knows works never=send\n" + call("hello/get get", "look", "{}", done),
		}},
		{"client/member", "{ops: [send], at: /message/by, is: [me]}", map[string]string{
			"pass": send(message(`,"by":"me"`)), "fail": send(message(`,"by":"you"`)), "inconclusive": none,
		}},
		{"client/member", "{ops: [send], at: /message/parts/*, kinds: [object], oneOf: [say, show]}", map[string]string{
			"pass": send(message(`,"parts":[{"say":"a"},{"show":1}]`)), "fail": send(message(`,"parts":[{"say":"a","show":1}]`)), "fail: none": send(message(`,"parts":[{}]`)),
			"fail: a text": send(message(`,"parts":["a"]`)), "inconclusive": send(message(`,"parts":[]`)),
		}},
		{"client/member", "{ops: [send], at: /message/raw, optional: true, form: base64}", map[string]string{
			"pass": send(message(`,"raw":"aGk="`)), "pass: of URLs": send(message(`,"raw":"_-8"`)), "fail": send(message(`,"raw":[1,2]`)), "inconclusive": hello,
		}},
		{"client/member", "{ops: [send], at: /message/size, optional: true, whole: true, min: 1, max: 9}", map[string]string{
			"pass": send(message(`,"size":9`)), "fail": send(message(`,"size":1.5`)), "fail: large": send(message(`,"size":10`)), "inconclusive": hello,
		}},
		{"client/member", "{ops: [send], at: /message/kind, absent: true}", map[string]string{
			"pass": hello, "pass: empty": send(message(`,"kind":""`)), "fail": send(message(`,"kind":"message"`)), "inconclusive": none,
		}},
		{"client/member", "{in: call, at: /id, kinds: [text, number]}", map[string]string{
			"pass": hello, "fail": "hello/send send\n  > {\"jsonrpc\":\"2.0\",\"method\":\"do\",\"id\":null}\n", "inconclusive": none,
		}},
		{"client/member", "{in: body, at: '', kinds: [object]}", map[string]string{
			"pass": hello, "fail": "hello/send send\n  > [{\"jsonrpc\":\"2.0\",\"method\":\"do\",\"id\":1}]\n", "inconclusive": none,
		}},
		{"client/header", "{name: X-Version, query: true, matches: '^[0-9]+$', as: a number}", map[string]string{
			"pass": hello + "  X-Version: 1\n", "pass: in the address": call("hello/send send url=http://server.invalid/?X-Version=1", "do", "{}", done),
			"fail": hello + "  X-Version: one\n", "fail: none": hello, "inconclusive": none,
		}},
		{"client/header", "{name: Content-Type, media: [text/json]}", map[string]string{
			"pass": "hello/send send\n  > POST text/json {}\n", "fail": hello, "inconclusive": none,
		}},
		{"client/header", "{name: X-More, optional: true, once: true, uris: true}", map[string]string{
			"pass": hello + "  X-More: https://a.example/b, urn:x\n", "fail": hello + "  X-More: b\n", "fail: twice": hello + "  X-More: urn:x\n  X-More: urn:y\n", "inconclusive": hello,
		}},
		{"client/route", "{}", map[string]string{
			"pass": hello, "fail": call("hello/send send", "Do", "{}", done), "inconclusive": none,
		}},
		{"client/route", "{methods: [POST]}", map[string]string{
			"pass": hello, "fail": "hello/call call\n  > PUT application/json {\"method\":\"do\",\"jsonrpc\":\"2.0\"}\n", "inconclusive": none,
		}},
		{"client/route", "{noBody: [GET]}", map[string]string{
			"pass": "hello/call call\n  > GET - \n", "fail": "hello/call call\n  > GET - {}\n", "inconclusive": hello,
		}},
		{"client/spelling", "{members: [messageKey], free: [data]}", map[string]string{
			"pass": send(`{"messageKey":"m","data":{"message_key":1}}`), "fail": send(`{"message":[{"message_key":"m"}]}`), "inconclusive": none,
		}},
		{"client/text", "{}", map[string]string{
			"pass": hello, "fail": "hello/send send\n  > {\"a\":\n", "fail: a mark": "hello/send send\n  > \uFEFF{}\n", "inconclusive": none,
		}},
		{"client/unique", "{ops: [send], at: /message/key, same: /message}", map[string]string{
			"pass": hello + call("hello/send-2 send", "do", `{"message":{"key":"n"}}`, done), "pass: again": hello + call("hello/send-2 send", "do", message(""), done),
			"fail": hello + call("hello/send-2 send", "do", message(`,"by":"me"`), done), "inconclusive": hello,
		}},
	})
}

func TestConversationsOfAClient(t *testing.T) {
	send := func(params, answer string) string { return call("turns/send send", "do", params, answer) }
	second := func(params string) string { return call("turns/send-2 send", "do", params, done) }
	look := func(step string) string {
		name, more, _ := strings.Cut(step, " ")
		return call(strings.TrimSpace("poll/"+name+" get "+more), "look", `{"number":"7"}`, done)
	}
	hello := send(message(""), done)
	runClientTrials(t, "client_conversations", []trial{
		{"client/given", "{at: /message/job}", map[string]string{
			"pass": hello + second(message(`,"job":"7"`)), "fail": hello + second(message(`,"job":"8"`)), "inconclusive": hello,
		}},
		{"client/context", "{task: /message/job, context: /message/group}", map[string]string{
			"pass": hello + second(message(`,"job":"7","group":"g"`)), "fail": hello + second(message(`,"job":"7","group":"h"`)), "inconclusive": hello + second(message(`,"job":"7"`)),
		}},
		{"client/ended-task", "{ops: [get], task: /number, most: 1}", map[string]string{
			"pass": look("get") + look("get-2"), "fail": look("get") + look("get-2") + look("get-3"), "inconclusive": call("poll/get get", "look", `{"number":"7"}`, working),
		}},
		{"client/second-message", "{plays: [turns], at: /message/job, what: task}", map[string]string{
			"pass": hello + second(message(`,"job":"7"`)), "fail": hello + second(message("")), "inconclusive": hello,
		}},
		{"client/count", "{plays: [turns], most: 1, fresh: /message/key, same: /message/parts}", map[string]string{
			"pass": hello + second(message("")), "fail": send(`{"message":{"key":"m","parts":[]}}`, fault) + second(`{"message":{"key":"n","parts":[]}}`),
			"inconclusive": "turns/card card\n  < 200 application/json {}\n", "inconclusive: not over": "run turns unended\n" + hello,
		}},
		{"client/count", "{plays: [poll], ops: [get], most: 2, seconds: 3}", map[string]string{
			"pass": look("get") + look("get-2") + look("get-3"), "fail": look("get") + look("get-2 beside") + look("get-3 beside"), "inconclusive": "poll/card card\n  < 200 application/json {}\n",
		}},
		{"client/pauses", "{plays: [poll], ops: [get], seconds: 2}", map[string]string{
			"pass": look("get") + look("get-2"), "fail": look("get") + look("get-2 beside"), "inconclusive": look("get"),
		}},
		{"client/pauses", "{plays: [poll], ops: [get], seconds: 2, status: [429]}", map[string]string{
			"pass": "poll/get get\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"look\"}\n  < 429\n", "fail": "poll/get get\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"look\"}\n  < 429\n" + look("get-2"), "inconclusive": look("get"),
		}},
		{"client/redirects", "{plays: [moved]}", map[string]string{
			"pass": call("moved/send send", "do", "{}", done), "fail": call("moved/send send", "do", "{}", done) + "moved/redirected redirected\n  > GET - \n", "inconclusive": "moved/card card\n  < 200 application/json {}\n",
		}},
	})
}

func TestScenariosThatAClientSurvives(t *testing.T) {
	in := func(scenario string) string { return call(scenario+"/send send", "do", message(""), done) }
	plain := in("hello")
	card := "odd/card card\n  < 200 application/json {}\n"
	runClientTrials(t, "client_scenarios", []trial{
		{"client/survives", "{plays: [odd]}", map[string]string{
			"pass": plain + in("odd"), "pass: printed": "knows prints\nrun hello printed=artifact\nrun odd printed=artifact\n" + plain + in("odd"),
			"fail": plain + in("odd") + "run odd exit=1\n", "fail: not printed": "knows exits prints\nrun odd sent=artifact\n" + plain + in("odd"), "fail: a signal": "run odd signal=SEGV exit=-1\n" + plain + in("odd"),
			"fail: too long": "run odd patience\n" + plain + in("odd"), "inconclusive: neither": "knows works\n" + plain + in("odd"), "inconclusive": "run hello exit=1\nrun odd exit=1\n" + plain + in("odd"), "inconclusive: not played": plain,
		}},
		{"client/survives", "{plays: [odd], uses: [stream]}", map[string]string{
			"pass": plain + call("odd/stream stream", "watch", "{}", done), "fail": "run odd exit=2\n" + plain + call("odd/stream stream", "watch", "{}", done), "inconclusive": plain + in("odd"),
			"not-applicable": "knows works exits never=stream\n" + plain + in("odd"),
		}},
		{"client/survives", "{plays: [odd], sends: true}", map[string]string{
			"pass": plain + in("odd"), "fail": plain + card, "inconclusive": "run odd unended\n" + plain + card,
		}},
		{"client/shows-error", "{plays: [odd]}", map[string]string{
			"pass": "run odd exit=1\n" + in("odd"), "pass: printed": "run odd printed=error\n" + in("odd"), "fail": in("odd"), "fail: a signal": "run odd signal=SEGV\n" + in("odd"),
			"inconclusive": "knows works\n" + in("odd"), "inconclusive: no call": card,
		}},
		{"client/shows-error", "{plays: [odd], follow: [get]}", map[string]string{
			"pass": in("odd") + call("odd/get get", "look", "{}", done), "fail": in("odd"), "inconclusive": "run odd trouble\n" + in("odd"),
		}},
		{"client/shows-error", "{plays: [odd], noCall: true}", map[string]string{
			"pass": "run odd exit=1\n" + card, "fail": "run odd exit=1\n" + card + in("odd"), "inconclusive": "knows works\n" + card,
		}},
		{"client/shows-error", "{plays: [odd], crash: true}", map[string]string{
			"pass": in("odd"), "fail": "run odd patience\n" + in("odd"), "inconclusive": "run odd trouble\n" + in("odd"),
		}},
		{"client/works", "{plays: [hello, odd]}", map[string]string{
			"pass": "run hello exit=1\n" + plain + in("odd"), "fail": "run hello exit=1\nrun odd exit=1\n" + plain + in("odd"), "inconclusive": "knows works\n" + plain,
		}},
	})
}

func TestAddressesOfAClientsCalls(t *testing.T) {
	card := func(more string) string {
		return `odd/card card` + "\n" + `  < 200 application/json {"called":"Z","can":{"stream":false},"at":[` + more + `{"to":"http://server.invalid/a","by":"JSONRPC"},{"to":"http://server.invalid/b","by":"JSONRPC"}]}` + "\n"
	}
	at := func(path, params string) string {
		return call("odd/send send url=http://server.invalid/"+path, "do", params, done)
	}
	entry := `{"to":"http://server.invalid/t","by":"JSONRPC","of":"me"},`
	ours := `{"to":"http://server.invalid/v","by":"JSONRPC","in":"9.9"},`
	runClientTrials(t, "client_addresses", []trial{
		{"client/address", "{what: declared}", map[string]string{
			"pass": card("") + at("a", "{}"), "fail": card("") + call("odd/stray stray url=http://server.invalid/", "do", "{}", "{}"), "inconclusive": at("a", "{}"),
		}},
		{"client/address", "{what: order, plays: [odd]}", map[string]string{
			"pass": card("") + at("a", "{}"), "fail": card("") + at("b", "{}"), "inconclusive": card(""),
		}},
		{"client/address", "{what: tenant}", map[string]string{
			"pass": card(entry) + at("t", `{"tenant":"me"}`), "fail": card(entry) + at("t", `{"tenant":"you"}`), "fail: none": card(entry) + at("t", "{}"), "inconclusive": card("") + at("a", "{}"),
		}},
		{"client/address", "{what: no-tenant}", map[string]string{
			"pass": card("") + at("a", "{}"), "fail": card("") + at("a", `{"tenant":"you"}`), "inconclusive": at("a", "{}"),
		}},
		{"client/unclaimed", "{claim: streaming, ops: [stream], at: [/message/live]}", map[string]string{
			"pass": card("") + at("a", "{}"), "fail": card("") + call("odd/stream stream", "watch", "{}", done), "fail: a member": card("") + at("a", message(`,"live":true`)), "inconclusive": at("a", "{}"),
		}},
	}, func(d *schema.Dialect) {
		d.Card.Interfaces = schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Tenant: "/of", Speaks: "JSONRPC"}
	})
	runClientTrials(t, "client_versions", []trial{
		{"client/address", "{what: supported, plays: [odd], sends: [odd]}", map[string]string{
			"pass": card(ours) + at("v", "{}"), "fail": card(ours) + at("a", "{}"), "fail: nothing": call("hello/send send", "do", "{}", done) + card(ours), "inconclusive": at("v", "{}"),
		}},
	}, func(d *schema.Dialect) {
		d.Card.Interfaces = schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Version: "/in", Speaks: "JSONRPC"}
	})
}

// Each requirement on clients that is judged names a check, with parameters that it knows.
func TestChecksOfTheCataloguesOfClients(t *testing.T) {
	judged := 0
	for _, name := range schema.Names() {
		d, err := schema.LoadClient(name)
		if err != nil {
			continue // it has no requirements on clients
		}
		for _, r := range d.Requirements {
			if r.Check == "" {
				continue
			}
			judged++
			check := suites.Check(r.Check)
			if check.Name == "" {
				t.Errorf("%s: there is no check %s", r.ID, r.Check)
			} else if _, err := check.Needs(r.With); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
	}
	if judged < 200 {
		t.Errorf("%d requirements on clients are judged", judged)
	}
}

func TestShapesOfAClientsRequests(t *testing.T) {
	send := func(params string) string { return call("hello/send send", "do", params, done) }
	runClientTrials(t, "client_shapes", []trial{
		{"client/shape", "{rules: [type], except: [/size]}", map[string]string{
			"pass": send(`{"by":"me"}`), "fail": send(`{"by":1}`), "inconclusive": call("hello/get get", "look", "{}", done),
		}},
	}, func(d *schema.Dialect) {
		op := d.Operations["send"]
		op.Params = "Note"
		d.Operations["send"] = op
	})
}

func TestFramingOfAClientsRequests(t *testing.T) {
	d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: client/framing, with: {}}\n")
	for fault, want := range map[string]report.Verdict{"": report.Pass, "two lengths": report.Fail} {
		tr := clientTranscript(t, call("hello/send send", "do", "{}", done))
		if fault != "" {
			tr.Exchanges[0].Request.Framing.Faults = []string{fault}
		}
		if r := verdict.NewDecider(d, tr, suites.Checks(), nil).Result("ZZ99-X-001"); r.Verdict != want {
			t.Errorf("%q: got %s (%s), want %s", fault, r.Verdict, r.Reason, want)
		}
	}
	if r := verdict.NewDecider(d, clientTranscript(t, ""), suites.Checks(), nil).Result("ZZ99-X-001"); r.Verdict != report.Inconclusive {
		t.Errorf("without a request: got %s (%s)", r.Verdict, r.Reason)
	}
}

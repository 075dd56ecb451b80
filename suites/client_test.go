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
// are the lines "run SCENARIO WORDS", with exit=1, granted=bearer, leaked=bearer, signal=KILL, patience, trouble, disturbed, ended=3 (seconds), twin=hello, sent=artifact and
// printed=artifact, "knows WORDS" on the calibration: works, exits, prints, adapter, never=stream, cannot=list, binds=JSONRPC,
// "started with WORD", a word of its command, "shows PLAY/STEP KIND IN NAME", a credential that is in a request (with "part" behind it
// if more is in its place), "reports SCENARIO SECONDS LINE" with what its program printed, and "offers SCENARIO/STEP
// VERSIONS", those of TLS in its handshake, such as "1.3 1.2", with "unlisted" for one that names the highest alone. A step handshake
// is one without a request, and a step keys one for the keys of signatures.
func clientTranscript(t *testing.T, text string) *record.Transcript {
	t.Helper()
	runs := map[string]*record.ClientRun{}
	known := &record.Calibration{Works: true, Exits: true}
	said := map[string][]record.Said{}
	shown := map[string][]record.Sighting{}
	command := []string{"mine", "{url}", "{text}"}
	offers := map[string][]string{}
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
				if name, is := strings.CutPrefix(w, "binds="); is {
					known.Bindings = append(known.Bindings, name)
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
		case len(words) > 3 && words[0] == "shows":
			s := record.Sighting{Kind: words[2], In: words[3], Whole: words[len(words)-1] != "part"}
			if len(words) > 4 {
				s.Name = words[4]
			}
			shown[words[1]] = append(shown[words[1]], s)
		case len(words) > 2 && words[0] == "started":
			command = []string{"mine", words[2]}
		case len(words) > 1 && words[0] == "offers":
			offers[words[1]] = words[2:]
		default:
			kept = append(kept, line)
		}
	}
	out := judgetest.Transcript(t, strings.Join(kept, ""))
	out.Facts.Role, out.Facts.Calibration, out.Facts.Command = record.ClientRole, known, command
	for i := range out.Plays {
		p := &out.Plays[i]
		p.Client = runs[p.Scenario]
		if p.Client == nil {
			p.Client = readRun(t, nil)
		}
		p.Client.Said = said[p.Scenario]
		for j := range p.Steps {
			s := &p.Steps[j]
			if strings.HasPrefix(s.Name, "notify-") { // a notification of ours
				s.Op = ""
				continue
			}
			s.Exchange.Dir = record.In
			s.Exchange.Canaries = shown[p.Scenario+"/"+s.Name]
			for k := range s.Exchange.Canaries {
				s.Exchange.Canaries[k].Of = p.Client.Start
			}
			if s.Op == "handshake" {
				s.Op = ""
				ended := s.Exchange.Ended
				if ended == record.EOF {
					ended = record.Reset
				}
				*s.Exchange = record.Exchange{ID: s.Exchange.ID, Dir: record.In, URL: "https://server.invalid/", Ended: ended, TLS: &record.TLS{}, Start: s.Exchange.Start, End: s.Exchange.End}
			}
			if s.Op == "keys" {
				s.Op = ""
			}
			if words := offers[p.Scenario+"/"+s.Name]; words != nil {
				s.Exchange.TLS.Hello = readHello(words)
			}
			if s.Binding == "" && s.Op != "card" && !strings.HasPrefix(s.Name, "token") && !strings.HasPrefix(s.Name, "stray") && !strings.HasPrefix(s.Name, "redirected") && !strings.HasPrefix(s.Name, "handshake") && !strings.HasPrefix(s.Name, "keys") {
				s.Binding = "JSONRPC"
			}
		}
	}
	return out
}

// readHello reads what a client offers in a handshake.
func readHello(words []string) *record.ClientHello {
	h := &record.ClientHello{Listed: true}
	for _, w := range words {
		switch {
		case w == "unlisted":
			h.Listed = false
		case w == "nothing":
		case strings.HasPrefix(w, "0x"), strings.HasPrefix(w, "SSL"):
			h.Versions = append(h.Versions, w)
		default:
			h.Versions = append(h.Versions, "TLS "+w)
		}
	}
	return h
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
		case "ended":
			seconds, _ := strconv.Atoi(value)
			run.Ended = record.Instant(seconds) * record.Instant(time.Second)
		case "unended":
			run.Ended = 0
		case "disturbed":
			run.Disturbed = "our own response was late"
		case "trouble":
			run.Trouble = "no such file"
		case "granted":
			run.Start, run.Granted = "one.1", append(run.Granted, value)
		case "leaked":
			run.Leaked = append(run.Leaked, "one.1."+value)
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
		{"client/member", "{ops: [send], at: /message/parts/*, optional: true, 'null': true, none: true, kinds: [object], oneOf: [say, show]}", map[string]string{
			"pass": send(`{"message":{"parts":[{"say":"a","show":null}]}}`), "pass: neither": send(`{"message":{"parts":[{"said":"a"}]}}`), "fail": send(`{"message":{"parts":[{"say":"a","show":"b"}]}}`),
			"inconclusive": send(`{"message":{"parts":[]}}`),
		}},
		{"client/member", "{ops: [send], at: /message/also, optional: true, 'null': true, kinds: [object]}", map[string]string{
			"pass": send(`{"message":{"also":{}}}`), "fail": send(`{"message":{"also":"a"}}`), "inconclusive": send(`{"message":{"also":null}}`),
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
		{"client/member", "{ops: [send], at: /hook/job, absent: true, same: /message/job}", map[string]string{
			"pass": send(`{"message":{"job":"7"},"hook":{}}`), "pass: of the message": send(`{"message":{"job":"7"},"hook":{"job":"7"}}`), "fail": send(`{"message":{"job":"7"},"hook":{"job":"8"}}`), "fail: of none": send(`{"message":{},"hook":{"job":"8"}}`), "inconclusive": none,
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
			"pass": hello, "pass: of an extension": call("hello/call call", "weather/ask", "{}", done), "fail": call("hello/send send", "Do", "{}", done), "inconclusive": none,
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
	stream := "cut/stream stream\n  > {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"watch\"}\n  < 200 text/event-stream data: " + working + "\n  |\n  |\n  ! our-close\n"
	soon := func(more, answer string) string {
		return call("poll/send send", "do", `{"at-once":true`+more+`}`, answer)
	}
	asked := func(params string) string {
		return call("poll/send send", "do", params, strings.Replace(working, "busy", "asking", 1))
	}
	pages := func(first, second string) string {
		return call("pages/list list", "all", first, done) + call("pages/list-2 list", "all", second, done)
	}
	offers := `turns/card card` + "\n" + `  < 200 application/json {"called":"Z","at":[{"to":"http://server.invalid/a","by":"JSONRPC"}],"offers":[{"uri":"urn:a"}]}` + "\n"
	aim := func(job, hook string) string {
		return call("turns/push-set push-set", "aim", `{"job":"`+job+`","tell":`+hook+`}`, done)
	}
	hook := func(word, answer string) string {
		return call("turns/send send", "do", `{"message":{"key":"m"},"hook":{"word":"`+word+`"}}`, answer)
	}
	form := func(body string) string { return "turns/send send\n  > POST application/json " + body + "\n" }
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
		{"client/resumes", "{plays: [cut], ops: [resubscribe], task: /number}", map[string]string{
			"pass": stream + call("cut/resubscribe resubscribe", "rejoin", `{"number":"7"}`, done), "fail": stream + call("cut/resubscribe resubscribe", "rejoin", `{"number":"8"}`, fault),
			"inconclusive": "run cut unended\n" + stream, "not-applicable": stream,
		}},
		{"client/follows", "{plays: [poll], at: /at-once, ops: [get], webhook: /tell}", map[string]string{
			"pass": soon("", working) + look("get"), "pass: a webhook": soon(`,"tell":{}`, working), "fail": look("get") + soon("", working), "inconclusive": soon("", done), "inconclusive: not over": "run poll unended\n" + soon("", working),
		}},
		{"client/waits", "{plays: [poll], state: asking, ops: [get], webhook: /tell, seconds: 2}", map[string]string{
			"pass": asked("{}") + look("get"), "pass: a webhook": asked(`{"tell":{}}`), "pass: a message": asked("{}") + call("poll/send-2 send", "do", "{}", done),
			"fail": asked("{}"), "fail: too long": "run poll patience\n" + asked("{}"), "inconclusive": soon("", done), "inconclusive: early": "run poll ended=3\n" + asked("{}"),
			"inconclusive: as late in the plain one": "run poll ended=9\nrun hello ended=9\n" + call("hello/send send", "do", "{}", done) + asked("{}"), "inconclusive: disturbed": "run poll disturbed\n" + asked("{}"), "inconclusive: not over": "run poll unended\n" + asked("{}"),
		}},
		{"client/fetches", "{plays: [turns], path: /files/}", map[string]string{
			"pass": hello + "turns/stray stray url=http://server.invalid/icon\n  > GET - \n", "fail": hello + "turns/stray stray url=http://server.invalid/files/one\n  > GET - \n",
			"inconclusive": offers, "inconclusive: not over": "run turns unended\n" + hello,
		}},
		{"client/filters", "{ops: [list], token: from, free: [page]}", map[string]string{
			"pass": pages(`{"phase":"busy"}`, `{"phase":"busy","from":"b","page":9}`), "fail": pages(`{"phase":"busy"}`, `{"from":"b"}`), "fail: added": pages(`{}`, `{"from":"b","phase":"busy"}`),
			"fail: another": pages(`{"phase":"busy"}`, `{"from":"b","phase":"ready"}`), "inconclusive": pages("{}", "{}"), "not-applicable": "knows works never=list\n" + hello,
		}},
		{"client/header", "{name: X-More, optional: true, uris: true, offer: extensions}", map[string]string{
			"pass": second("{}") + "  X-More: urn:a\n", "fail": second("{}") + "  X-More: a\n", "inconclusive": hello, "not-applicable": offers + hello,
		}},
		{"client/activator", "{header: X-More, mistake: [X-Much], at: /needs}", map[string]string{
			"pass": second(`{"needs":["urn:a"]}`) + "  X-More: urn:a\n  X-Much: urn:a\n", "fail": second("{}") + "  X-Much: urn:a\n", "fail: a member": second(`{"needs":["urn:a"]}`),
			"inconclusive": hello, "not-applicable": offers + hello,
		}},
		{"client/activator", "{header: X-More, mistake: [X-Much], at: /needs, finding: true}", map[string]string{
			"pass": second(`{"needs":["urn:a"]}`), "fail": second("{}") + "  X-Much: urn:a\n", "pass: a header": second("{}") + "  X-More: urn:a\n", "inconclusive": hello,
		}},
		{"client/webhooks", "{ops: [push-set], at: /tell, message: /hook, task: [/job, /message/key], what: secure, url: to}", map[string]string{
			"pass": aim("7", `{"to":"https://h.example/"}`), "pass: the same machine": second(`{"hook":{"to":"http://localhost:1/"}}`) + aim("7", `{"to":"http://[::1]/"}`),
			"fail": aim("7", `{"to":"http://h.example/"}`), "fail: in a message": second(`{"hook":{"to":"HTTP://h.example/"}}`),
			"inconclusive": hello, "inconclusive: no address": aim("7", `{"to":7}`), "not-applicable": "knows works never=push-set\n" + hello,
		}},
		{"client/webhooks", "{ops: [push-set], at: /tell, message: /hook, what: schemes, schemes: /key/kinds}", map[string]string{
			"pass": aim("7", `{"key":{"kinds":["Bearer"]}}`), "fail": aim("7", `{"key":{"secret":"x"}}`), "fail: no list": aim("7", `{"key":{"kinds":"Bearer"}}`),
			"inconclusive": aim("7", `{"to":"https://h.example/"}`),
		}},
		{"client/webhooks", "{ops: [push-set], at: /tell, message: /hook, task: [/job, /message/key], what: own, secrets: [/word, /key/secret]}", map[string]string{
			"pass": aim("7", `{"word":"a","key":{"secret":"b"}}`) + aim("8", `{"word":"c","key":{"secret":"d"}}`), "pass: of the task of a message": hook("a", done) + aim("7", `{"word":"a"}`) + aim("8", `{"word":"b"}`),
			"fail: of two messages": hook("a", done) + hook("a", strings.ReplaceAll(done, `"7"`, `"8"`)), "inconclusive: of one task": hook("a", done) + aim("7", `{"word":"a"}`),
			"pass: repeated": aim("7", `{"word":"a"}`) + aim("7", `{"word":"a"}`) + aim("8", `{"word":"b"}`),
			"fail":           aim("7", `{"word":"a"}`) + aim("8", `{"word":"a"}`), "fail: in messages": call("turns/send send", "do", `{"message":{"key":"m"},"hook":{"key":{"secret":"a"}}}`, done) + call("turns/send-2 send", "do", `{"message":{"key":"n"},"hook":{"key":{"secret":"a"}}}`, fault),
			"inconclusive": aim("7", `{"word":"a"}`), "inconclusive: none": aim("7", `{"to":"https://h.example/"}`) + aim("8", `{"to":"https://h.example/"}`),
		}},
		{"client/one-form", "{forms: {the text: [{at: /message/by, matches: ^me$}, {at: /message/parts/*/kind}], a list: [{at: /message/by, matches: ^ROLE_}, {at: /request}]}}", map[string]string{
			"pass": form(`{"message":{"by":"me","parts":[{"kind":"text"}]}}`), "pass: the other": form(`{"message":{"by":"ROLE_ME","parts":[{}]}}`), "fail": form(`{"message":{"by":"ROLE_ME","parts":[{},{"kind":"text"}]}}`),
			"fail: a member": form(`{"request":{},"message":{"by":"me"}}`), "inconclusive": form(`{"message":{"by":"us"}}`), "inconclusive: none": hello,
		}},
		{"client/activates", "{at: /message/needs/*, header: X-More}", map[string]string{
			"pass": hello + second(message(`,"needs":["urn:a","urn:b"]`)) + "  X-More: urn:b, urn:a\n", "fail": second(message(`,"needs":["urn:a","urn:b"]`)) + "  X-More: urn:b\n", "fail: none": second(message(`,"needs":["urn:a"]`)), "inconclusive": hello, "not-applicable": offers + hello,
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
	}, func(d *schema.Dialect) {
		d.Card.Extensions = "/offers"
		d.Card.Interfaces = schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Speaks: "JSONRPC"}
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
		return `odd/card card` + "\n" + `  < 200 application/json {"called":"Z","takes":["image/png"],"can":{"stream":false},"at":[` + more + `{"to":"http://server.invalid/a","by":"JSONRPC"},{"to":"http://server.invalid/b","by":"JSONRPC"}]}` + "\n"
	}
	at := func(path, params string) string {
		return call("odd/send send url=http://server.invalid/"+path, "do", params, done)
	}
	get := call("odd/get get", "look", "{}", done)
	key := func(in string) string { return `"a":{"type":"apiKey","in":"` + in + `","name":"k"}` }
	secured := func(schemes string) string {
		return "odd/card card\n" + `  < 200 application/json {"called":"Z","at":[{"to":"http://server.invalid/a","by":"JSONRPC"}],"defined":{` + schemes + "}}\n"
	}
	const given = "secret bearer\n"
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
		{"client/fallback", "{plays: [down, other]}", map[string]string{
			"pass":                   "knows works binds=JSONRPC binds=WEB\n" + call("down/send send", "do", "{}", done) + call("other/send send", "do", "{}", done),
			"fail":                   "knows works binds=JSONRPC binds=WEB\n" + call("other/send send", "do", "{}", done) + strings.ReplaceAll(card(""), "odd/", "down/"),
			"inconclusive: one play": "knows works binds=JSONRPC binds=WEB\n" + call("down/send send", "do", "{}", done),
			"inconclusive: not over": "knows works binds=JSONRPC binds=WEB\nrun down unended\n" + call("other/send send", "do", "{}", done) + strings.ReplaceAll(card(""), "odd/", "down/"),
			"inconclusive":           "knows works binds=JSONRPC binds=WEB\n" + call("other/send send", "do", "{}", done) + "down/stray stray\n  > GET - \n",
			"not-applicable":         "knows works binds=JSONRPC\n" + call("other/send send", "do", "{}", done),
		}},
		{"client/card-path", "{plays: [odd], path: /card}", map[string]string{
			"pass": "odd/stray stray url=http://server.invalid/old\n  > GET - \nodd/card card url=http://server.invalid/card\n  > GET - \n  < 200 application/json {}\n",
			"fail": "odd/stray stray url=http://server.invalid/old\n  > GET - \n", "inconclusive": at("a", "{}"), "inconclusive: not over": "run odd unended\nodd/stray stray url=http://server.invalid/old\n  > GET - \n",
			"not-applicable": "started with {card}\nodd/stray stray url=http://server.invalid/old\n  > GET - \n",
		}},
		{"client/scheme-word", "{}", map[string]string{
			"pass": secured(`"a":{"type":"http","scheme":"bearer"}`) + get + "  Authorization: Bearer x\n", "pass: a token": secured(`"a":{"type":"oauth2"}`) + get + "  Authorization: bearer x\n",
			"fail": secured(`"a":{"type":"http","scheme":"basic"}`) + get + "  Authorization: Bearer me:x\n", "fail: no name": secured(`"a":{"type":"http","scheme":"bearer"}`) + get + "  Authorization: x\n",
			"inconclusive": secured(`"a":{"type":"http","scheme":"bearer"}`) + get, "inconclusive: no scheme": secured("") + get + "  Authorization: x\n",
			"inconclusive: a key": secured(`"a":{"type":"apiKey","in":"header","name":"Authorization"},"b":{"type":"http","scheme":"basic"}`) + get + "  Authorization: x\n",
		}},
		{"client/credential", "{ops: [get]}", map[string]string{
			"pass": secured(`"a":{"type":"http","scheme":"bearer"}`) + get + "  Authorization: Bearer x\n", "pass: a query": secured(key("query")) + call("odd/get get url=http://server.invalid/?k=x", "look", "{}", done),
			"pass: a header": secured(key("header")) + get + "  K: x\n", "pass: a cookie": secured(key("cookie")) + get + "  Cookie: k=x\n", "fail": given + secured(key("header")) + get, "inconclusive: kept from plain HTTP": given + secured(key("header")) + "  tls TLS 1.3\n" + get, "fail: a query": given + secured(key("query")) + get + "  K: x\n", "inconclusive: none given": secured(key("header")) + get,
			"pass: one of two":    given + secured(`"a":{"type":"mutualTLS"},"b":{"type":"http","scheme":"bearer"}`) + get + "  Authorization: Bearer x\n",
			"pass: then with one": given + secured(key("header")) + get + call("odd/get-2 get", "look", "{}", done) + "  K: x\n", "inconclusive: it may take none": "run odd granted=key\n" + secured(key("header")) + get,
			"fail: a cookie": given + secured(key("cookie")) + get + "  Cookie: j=x\n", "inconclusive": secured(key("query")) + at("a", "{}"), "inconclusive: mutual TLS": given + secured(`"a":{"type":"mutualTLS"}`) + get, "not-applicable": secured("") + get,
		}},
		{"client/modes", "{at: /message/parts/*, files: [raw], type: as}", map[string]string{
			"pass": card("") + at("a", message(`,"parts":[{"raw":"aGk=","as":"Image/PNG; q=1"},{"say":"a","as":"text/html"}]`)), "fail": card("") + at("a", message(`,"parts":[{"raw":"aGk=","as":"video/mp4"}]`)),
			"inconclusive": card("") + at("a", message("")), "inconclusive: no card": at("a", message(`,"parts":[{"raw":"aGk=","as":"video/mp4"}]`)),
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

func TestQueriesAndPathsOfAClientsCalls(t *testing.T) {
	// A list of tasks, whose members are page, a whole number, and jobs.
	list := func(query string) string {
		return "odd/list list by=WEB url=http://server.invalid/web/jobs" + query + "\n  > GET - \n  < 200 application/json {}\n"
	}
	quit := func(body string) string {
		return "odd/quit quit by=WEB url=http://server.invalid/web/jobs/a%2F7:quit\n  > POST application/json " + body + "\n  < 200 application/json {}\n"
	}
	keyed := "odd/card card\n" + `  < 200 application/json {"called":"Z","at":[{"to":"http://server.invalid/web?tint=red","by":"WEB"}],"defined":{"a":{"type":"apiKey","in":"query","name":"k"}}}` + "\n"
	send := call("odd/send send", "do", message(""), done)
	runClientTrials(t, "client_queries", []trial{
		{"client/route", "{}", map[string]string{
			"pass": keyed + list(""), "pass: a tenant": strings.Replace(keyed, `"by"`, `"of":"a b","by"`, 1) + strings.Replace(list(""), "/web/", "/web/a%20b/", 1), "pass: no card": strings.Replace(list(""), "/web/", "/web/v1/", 1),
			"fail": keyed + strings.Replace(list(""), "/web/", "/web/v1/", 1), "inconclusive": keyed,
		}},
		{"client/route", "{header: X-Version, matches: ^1}", map[string]string{
			"pass": keyed + list("") + "  X-Version: 1\n", "fail": keyed + strings.Replace(list(""), "/web/jobs", "/web/shops", 1) + "  X-Version: 1\n",
			"inconclusive": strings.Replace(keyed, `"by"`, `"of":"a/b","by"`, 1) + strings.Replace(strings.Replace(list(""), "/web/jobs", "/web/a/b/shops", 1), "list list", "call call", 1) + "  X-Version: 1\n",
		}},
		{"client/query-names", "{exact: true, unknown: true, free: [X-Version]}", map[string]string{
			"pass": list("?page=2&x-version=1"), "pass: unknown": list("?shoe=43"), "pass: of the card": keyed + list("?tint=red&k=1&page=2"), "fail": list("?Page=2"), "fail: of no card": strings.ReplaceAll(keyed, `"k"`, `"l"`) + list("?JOBS=1&k=1"),
			"inconclusive": list("?x-version=1"), "inconclusive: in the body": quit("{}"), "inconclusive: nested": list("?jobs.number=7"),
		}},
		{"client/query-names", "{}", map[string]string{
			"pass": list("?PAGE=2"), "fail": list("?length=2"), "inconclusive": send,
		}},
		{"client/query-values", "{times: [jobs]}", map[string]string{
			"pass": list("?page=-2"), "pass: empty": list("?page=&page=3"), "pass: a time": list("?jobs=2026-01-31T12:00:00.5Z"), "fail": list("?page=two"), "fail: a fraction": list("?page=2&page=2.5"), "fail: a time": list("?jobs=2026-01-31"),
			"inconclusive": list("?page="), "inconclusive: unknown": list("?shoe=large"),
		}},
		{"client/nesting", "{}", map[string]string{
			"pass": list("?page=2"), "pass: unknown": list("?shoe.size=43"), "fail": list("?jobs.number=7"), "fail: brackets": list("?jobs[number]=7"), "inconclusive": list(""),
		}},
		{"client/path-and-body", "{}", map[string]string{
			"pass": quit(`{"number":"a/7"}`), "pass: blank": quit(`{"number":""}`), "fail": quit(`{"number":"8"}`), "inconclusive": quit(`{"why":"8"}`), "inconclusive: no body": list("?number=8"),
		}},
		{"client/outside-head", "{names: [X-Version, X-More], query: [X-Version]}", map[string]string{
			"pass": list("?X-Version=1"), "fail": list("?x-more=urn:a"), "fail: the body": quit(`{"X-Version":"1"}`), "inconclusive": keyed,
		}},
	}, func(d *schema.Dialect) {
		d.Bindings["WEB"] = schema.Binding{Kind: schema.KindREST, Media: []string{"application/json"}, Routes: map[string]schema.Routes{
			"list": {{Verb: "GET", Path: "/jobs"}}, "quit": {{Verb: "POST", Path: "/jobs/{number}:quit"}},
		}}
		d.Card.Interfaces = schema.Interfaces{At: "/at", URL: "/to", Transport: "/by", Tenant: "/of", Speaks: "WEB"}
		for op, params := range map[string]string{"list": "Jobs", "quit": "Job"} {
			is := d.Operations[op]
			is.Params = params
			d.Operations[op] = is
		}
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

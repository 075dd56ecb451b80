// Package judgetest makes transcripts out of a few lines of text, so that a
// check can be tested without a server, in a dialect that no server has.
package judgetest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// Golden compares text with a file and rewrites the file under -update.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	had := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(had) || line != had[i] {
			t.Errorf("%s, line %d: the text is now\n\t%s\n(-update rewrites the file)", file, i+1, line)
		}
	}
	if len(had) > len(strings.Split(got, "\n")) {
		t.Errorf("%s has lines that are no longer written (-update rewrites the file)", file)
	}
}

const dialect = `
name: zz-9.9
title: ZZ 9.9
prefix: ZZ99
source: {title: A made-up protocol, version: "9.9"}
detect: {version: /zz, is: ["9.9"]}
card:
  paths: [/card]
  endpoint: /url
  name: /called
  skills: /skills
  modes: /takes
  outputs: /gives
  schemes: /schemes
  definitions: /defined
  claims: {streaming: /can/stream, extended-card: /can/extend}
  signed: {at: /signed, required: [/called, /version]}
operations:
  send: {result: Job, agent: true}
  stream: {agent: true, streams: true, claim: streaming}
  get: {result: Job, about: task, reads: true}
  cancel: {result: Job, about: task}
  quit: {about: task}
  resubscribe: {about: task, streams: true, reads: true, claim: streaming}
  push-set: {about: task, claim: push}
  push-get: {about: task, reads: true, claim: push}
  push-list: {about: task, reads: true, claim: push}
  push-delete: {about: task, claim: push}
  list: {result: Jobs, reads: true}
  register: {}
  discover: {reads: true}
  task: {agent: true}
bindings:
  JSONRPC:
    kind: jsonrpc
    methods: {send: do, get: look, list: all, stream: watch, resubscribe: rejoin, cancel: drop, quit: abort, push-set: aim, push-get: aimed, push-list: aims, push-delete: forget, register: enter, discover: seek, task: perform}
errors: {ParseError: -32700, InvalidRequest: -32600, MethodNotFound: -32601, InvalidParams: -32602, InternalError: -32603, TaskNotFound: -32001, TaskNotCancelable: -32002, InvalidTaskState: -32009, ContentTypeNotSupported: -32005, AuthenticationRequired: -32007, AuthorizationFailed: -32008, RateLimitExceeded: -32010}
states:
  - {name: queued}
  - {name: busy, not: [queued]}
  - {name: asking, interrupted: true}
  - {name: ready, terminal: true, outcome: done}
  - {name: broken, terminal: true, outcome: failed}
  - {name: dropped, terminal: true, outcome: canceled}
  - {name: lost, terminal: true, outcome: unknown}
read:
  send: &job {task.id: /number, task.context: /group, task.status: /now, task.state: /now/phase, task.message: /now/note, task.timestamp: /now/at, task.error: /now/fault, message.context: /now/note/group, event.final: /over, task.artifacts: /files, task.history: /log}
  get: *job
  cancel: *job
  quit: {task.id: /number, task.canceled: /stopped}
  event: {task.id: /number, task.status: /now, task.state: /now/phase, task.timestamp: /now/at, event.final: /over, event.artifact: /file, chunk.append: /file/more, chunk.last: /file/end, event.kind: /sort, event.context: /group, event.message: /note, message.context: /note/group}
  artifact: {key: /no, name: /called, parts: /parts, texts: /parts/*/say}
  message: {id: /key, task.id: /job, role: /by, parts: /parts, texts: /parts/*/say}
  request: {message: /message, webhook.send: /tell, webhook.push-set: /tell, list.size: /page, list.state: /phase, list.since: /since, list.history: /log, list.artifacts: /files, id: /number, name: /called, capabilities: /can, endpoint: /at}
  discover: {entries: /found}
  list: {tasks: /jobs, next: /more, size: /page, total: /all}
  entry: {id: /number, name: /called, capabilities: /can, endpoint: /at, time: /since}
  task: {task.state: /phase, task.output: /made}
  webhook: {id: /id, url: /to, token: /word, credentials: /key}
  push-set: &aim {task.id: /number, webhook: /tell}
  push-get: *aim
  push-list: *aim
delivered: {task: [number, job], status: now, state: /phase}
shapes:
  card: Card
  envelope: Reply
  event: Update
patience:
  must-close: {seconds: 1, source: ours}
  delivery: {seconds: 1, source: ours}
`

const shapes = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{
"Card":{"type":"object","required":["called"],"properties":{"called":{"type":"string"},"skills":{"type":"array"}}},
"Reply":{"type":"object","required":["jsonrpc"],"properties":{"jsonrpc":{"const":"2.0"},"id":{"type":["string","number"]}},"not":{"required":["result","error"]}},
"Job":{"type":"object","required":["number"],"properties":{"number":{"type":"string"},"now":{"$ref":"#/$defs/Now"},"log":{"type":"array","items":{"$ref":"#/$defs/Note"}},"files":{"type":"array","items":{"$ref":"#/$defs/File"}}}},
"Jobs":{"type":"object","properties":{"page":{"type":"integer"},"jobs":{"type":"array","items":{"$ref":"#/$defs/Job"}}}},
"Now":{"type":"object","properties":{"note":{"$ref":"#/$defs/Note"}}},
"Note":{"type":"object","properties":{"by":{"type":"string"}}},
"File":{"type":"object","properties":{"kind":{"type":"string"},"bytes":{"type":"string"},"link":{"type":"string"}}},
"Update":{"type":"object","properties":{"number":{"type":"string"}}}}}`

// Dialect returns the made-up dialect with the given requirements, a YAML list.
func Dialect(t *testing.T, requirements string) *schema.Dialect {
	t.Helper()
	d, err := schema.LoadFS(fstest.MapFS{
		"zz-9.9/dialect.yaml":          {Data: []byte(dialect)},
		"zz-9.9/a2a.json":              {Data: []byte(shapes)},
		"zz-9.9/requirements/all.yaml": {Data: []byte("source: A made-up protocol 9.9\nrequirements:\n" + requirements)},
	}, "zz-9.9")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Transcript reads a conversation. A step begins with its place and operation;
// what belongs to it is indented:
//
//	quick/send send role=probe twin=twin bisects=all task=7 agent=a by=WEB url=http://a/ invalid as=nobody conn=2
//	  > {"id":1}                           the body that was sent
//	  > PUT text/plain {"id":1}            … by another method or as another type
//	  < 200 application/json {"id":1}      the answer, "-" for no media type
//	  | data: more                         another line of its body
//	  + Retry-After: 1                     a header of the answer
//	  ! timeout                            how it ended: timeout, reset, no-dial, our-close
//	  @ 100 300                            when its events came, in milliseconds after the call
//	  tls TLS 1.3                          the connection was secured
//	push/a-1 delivery hook=a task=7
//	  > {"job":"7"}                        what the server delivered to https://hook.invalid/a
//	  X-Word: secret                       a header of it
//	quick/get get unsent=send why there is no exchange
//	quick/get get in=WEB                 a step of the same scenario, played in another binding
//	card/configured card file=card.json
//	  | {"called":"Z"}                     what the operator has in a file
//	card/configured card url=http://b/ elsewhere   or on another host
//	card/well-known card again=configured          the same exchange as that step's
//
// Besides steps there are: "stop SCENARIO why", "reached SCENARIO MILESTONE
// STEP", "secret NAME", "declared WORD", "limit REQUESTS SECONDS", "webhook
// URL", "given SCHEMA", "keys JWKS" and "cut WHY". Each step is made when the one before has
// ended, unless it has the word "beside".
func Transcript(t *testing.T, text string) *record.Transcript {
	t.Helper()
	out := &record.Transcript{Facts: record.Facts{Dialect: "zz-9.9"}}
	playIn := func(binding, name string) *record.Play {
		for i := range out.Plays {
			if out.Plays[i].Scenario == name && out.Plays[i].Subject.Binding == binding {
				return &out.Plays[i]
			}
		}
		p := record.Play{Scenario: name, Attempt: 1}
		p.Subject.Binding = binding
		out.Plays = append(out.Plays, p)
		return &out.Plays[len(out.Plays)-1]
	}
	play := func(name string) *record.Play { return playIn("", name) }
	var x *record.Exchange
	beside := map[*record.Exchange]bool{}
	came := map[*record.Exchange][]string{}
	for line := range strings.SplitSeq(text, "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch word {
		case "":
		case ">":
			request(x, rest)
		case "<":
			status, more, _ := strings.Cut(rest, " ")
			media, body, _ := strings.Cut(more, " ")
			head := "HTTP/1.1 " + status + " \r\n"
			if media != "-" && media != "" {
				head += "Content-Type: " + media + "\r\n"
			}
			x.Response = record.Message{Head: []byte(head + "\r\n"), Body: []byte(body), Framing: record.Framing{Declared: -1}}
		case "+":
			x.Response.Head = []byte(strings.TrimSuffix(string(x.Response.Head), "\r\n") + rest + "\r\n\r\n")
		case "|":
			if len(x.Response.Body) > 0 {
				x.Response.Body = append(x.Response.Body, '\n')
			}
			x.Response.Body = append(x.Response.Body, rest...)
		case "!":
			x.Ended = record.Ended(rest)
		case "@":
			came[x] = strings.Fields(rest)
		case "tls":
			x.TLS = &record.TLS{Version: rest}
		case "stop":
			name, why, _ := strings.Cut(rest, " ")
			play(name).Stop = why
		case "reached":
			f := strings.Fields(rest)
			p := play(f[0])
			p.Reached = append(p.Reached, record.Milestone{Name: f[1], Step: f[2]})
		case "cut":
			out.Facts.Cut = rest
		case "given":
			out.Facts.Schema = &operator.Schema{File: "given.json", Text: rest}
		case "secret":
			out.Facts.Secrets = append(out.Facts.Secrets, rest)
		case "keys":
			out.Facts.CardKey = rest
		case "webhook":
			out.Facts.Webhook = rest
		case "limit":
			out.Facts.RateLimit = &operator.RateLimit{}
			if _, err := fmt.Sscan(rest, &out.Facts.RateLimit.Requests, &out.Facts.RateLimit.Seconds); err != nil {
				t.Fatal(err)
			}
		case "declared":
			out.Facts.Operator = append(out.Facts.Operator, rest)
		default:
			if field, isHeader := strings.CutSuffix(word, ":"); isHeader {
				head := strings.TrimSuffix(string(x.Request.Head), "\r\n")
				x.Request.Head = []byte(head + field + ": " + rest + "\r\n\r\n")
				break
			}
			scenario, name, ok := strings.Cut(word, "/")
			if !ok {
				t.Fatalf("the line %q is none of a conversation", line)
			}
			words := strings.TrimSuffix(rest, " beside")
			words, in, _ := strings.Cut(words, " in=")
			p := playIn(in, scenario)
			words, first, again := strings.Cut(words, " again=")
			s := step(name, words)
			if again {
				s.Exchange = p.Step(first).Exchange
			}
			x = s.Exchange
			beside[x] = strings.HasSuffix(rest, " beside")
			p.Steps = append(p.Steps, s)
		}
	}
	out.Seal()
	for i, x := range out.Exchanges {
		x.Start, x.End = record.Instant(2*i+1)*time.Second, record.Instant(2*i+2)*time.Second
		if beside[x] {
			x.Start = out.Exchanges[i-1].Start
		}
		if n := len(x.Response.Body); n > 0 && came[x] == nil {
			x.Response.Chunks = []record.Chunk{{At: x.End, N: n}}
		}
		for j, frame := range strings.SplitAfter(string(x.Response.Body), "\n\n") {
			if j < len(came[x]) {
				ms, err := strconv.Atoi(came[x][j])
				if err != nil {
					t.Fatal(err)
				}
				x.Response.Chunks = append(x.Response.Chunks, record.Chunk{At: x.Start + record.Instant(ms)*time.Millisecond, N: len(frame)})
			}
		}
	}
	return out
}

func step(name, words string) record.Step {
	op, words, _ := strings.Cut(words, " ")
	s := record.Step{Name: name, Op: op, Role: record.Main,
		Exchange: &record.Exchange{Dir: record.Out, Ended: record.EOF, URL: "http://server.invalid/"}}
	request(s.Exchange, "{}")
	if because, why, ok := strings.Cut(words, " "); strings.HasPrefix(because, "unsent=") && ok {
		s.Exchange, s.NotSent, s.Because = nil, why, strings.TrimPrefix(because, "unsent=")
		return s
	}
	texts := map[string]*string{"twin": &s.Twin, "bisects": &s.Bisects, "task": &s.Task, "context": &s.Context, "by": &s.Binding, "agent": &s.Agent, "url": &s.Exchange.URL}
	for f := range strings.FieldsSeq(words) {
		key, value, _ := strings.Cut(f, "=")
		if text := texts[key]; text != nil {
			*text = value
			continue
		}
		switch key {
		case "role":
			s.Role = record.Role(value)
		case "invalid":
			s.Invalid = true
		case "elsewhere":
			s.Elsewhere = true
		case "file":
			s.Elsewhere = true
			*s.Exchange = record.Exchange{Dir: record.Given, Ended: record.EOF, URL: "file:" + value}
		case "hook":
			s.Hook = value
			s.Exchange.Dir, s.Exchange.URL = record.In, "https://hook.invalid/"+value
		case "as":
			s.As = record.Caller(value)
		case "limited":
			s.Limited = "it was refused 3 times for the server's rate limit"
		case "late":
			s.Late = "the task had ended when its owner looked"
		case "recipe":
			s.Exchange.Request.Recipe = &record.Recipe{Generator: "a text part", Size: 10 << 20}
		case "conn":
			n, err := strconv.Atoi(value)
			if err != nil {
				panic(err)
			}
			s.Exchange.Conn = n
		default:
			panic(fmt.Sprintf("a step has no word %q", f))
		}
	}
	return s
}

func request(x *record.Exchange, text string) {
	method, media := "POST", "application/json"
	if text != "" && text[0] >= 'A' && text[0] <= 'Z' {
		method, text, _ = strings.Cut(text, " ")
		media, text, _ = strings.Cut(text, " ")
	}
	x.Request = record.Message{Head: []byte(method + " / HTTP/1.1\r\nContent-Type: " + media + "\r\n\r\n"), Body: []byte(text)}
}

package reference

import (
	"crypto/rand"
	"strconv"
	"strings"
	"testing"
	"time"
)

// streamers are the dialects with streams: where their calls go, by which method a
// stream is opened, and how a text is sent in a context.
var streamers = []struct {
	dialect, path, send, stream string
	say                         func(context, text string) string
	answer                      string // where the reply to a message has the agent's text
}{
	{"a2a-0.1", "/", "tasks/send", "tasks/sendSubscribe", sayA2A01, "result/status/message/parts/0/text"},
	{"core-schema", "/", "tasks/send", "tasks/sendSubscribe", sayA2A01, "result/status/message/parts/0/text"},
	{"a2a-0.3", "/", "message/send", "message/stream", sayA2A03, "result/status/message/parts/0/text"},
	{"a2x-0.3", "/api/a2a", "message/send", "message/stream", sayA2A03, "result/status/message/parts/0/text"},
	{"jaf-0.3", "/a2a", "message/send", "message/stream", jafText, "result/message/parts/0/text"},
}

func sayA2A01(session, words string) string {
	return `{"id":` + strconv.Quote(rand.Text()) + `,"sessionId":` + strconv.Quote(session) + `,"message":{"role":"user","parts":[{"type":"text","text":` + strconv.Quote(words) + `}]}}`
}

func sayA2A03(context, words string) string {
	return v03Message(map[string]string{"contextId": strconv.Quote(context), "parts": `[{"kind":"text","text":` + strconv.Quote(words) + `}]`})
}

// TestStreamingNotificationsAreNotAnswered: a call without id is carried out and
// gets no response, whatever its method would answer with.
func TestStreamingNotificationsAreNotAnswered(t *testing.T) {
	for _, d := range streamers {
		for _, variant := range []string{"full", "lavish"} {
			t.Run(d.dialect+"/"+variant, func(t *testing.T) {
				t.Parallel()
				s := start(t, Options{Dialect: d.dialect, Variant: variant})
				for name, params := range map[string]string{"carried out": d.say("told", "remember the sea"), "refused": `{}`} {
					r := post(t, s.URL()+d.path, `{"jsonrpc":"2.0","method":"`+d.stream+`","params":`+params+`}`)
					if r.status != 204 || r.raw != "" || r.header.Get("Content-Type") != "" {
						t.Errorf("%s: %d %v %q", name, r.status, r.header, r.raw)
					}
				}
				var known string
				for deadline := time.Now().Add(10 * time.Second); known != "I remember: the sea"; {
					r := rpc(t, s.URL()+d.path, d.send, d.say("told", "recall"))
					if known = text(r.body, d.answer); time.Now().After(deadline) {
						t.Fatalf("the notification was not carried out: %s", r.raw)
					}
				}
			})
		}
	}
}

// TestRefusedStreams: in which form a stream is not opened.
func TestRefusedStreams(t *testing.T) {
	const asJSON, asEvent = "application/json", "text/event-stream"
	for _, d := range streamers {
		for variant, want := range map[string]struct {
			status int
			media  string
		}{"full": {200, asEvent}, "lavish": {400, asJSON}, "minimal": {200, asJSON}} {
			code := -32602
			switch {
			case d.dialect == "a2a-0.1" || d.dialect == "core-schema":
				want.status, want.media = 400, asJSON
				if variant == "minimal" {
					code = -32006
				}
			case d.dialect == "jaf-0.3" && variant == "minimal":
				code = -32601
			case variant == "minimal":
				code = -32004
			}
			t.Run(d.dialect+"/"+variant, func(t *testing.T) {
				s := start(t, Options{Dialect: d.dialect, Variant: variant})
				r := rpc(t, s.URL()+d.path, d.stream, `{}`)
				if r.status != want.status || !strings.HasPrefix(r.header.Get("Content-Type"), want.media) {
					t.Errorf("answered %d %s, want %d %s", r.status, r.header.Get("Content-Type"), want.status, want.media)
				}
				expect(t, r.body, map[string]any{"jsonrpc": "2.0", "id": "r", "error/code": code, "result": nil})
			})
		}
	}
}

// TestEveryDataFieldIsOneResponse: of the protocols of A2A, which ask for it
// (0.1.0, section 3.3; 0.3.0, section 3.3.1), no server spreads a response over
// lines of data. JAF says nothing of the kind, and its lavish server does.
func TestEveryDataFieldIsOneResponse(t *testing.T) {
	for _, d := range streamers {
		for _, variant := range []string{"full", "lavish"} {
			t.Run(d.dialect+"/"+variant, func(t *testing.T) {
				t.Parallel()
				s := start(t, Options{Dialect: d.dialect, Variant: variant})
				r := rpc(t, s.URL()+d.path, d.stream, d.say("context", "echo hello"))
				fields, whole := 0, 0
				for line := range strings.Lines(r.raw) {
					data, is := strings.CutPrefix(line, "data: ")
					if !is {
						continue
					}
					fields++
					if v, err := decode([]byte(data)); err == nil && (has(v, "result") || has(v, "kind")) {
						whole++
					}
				}
				if spread := d.dialect == "jaf-0.3" && variant == "lavish"; fields < 3 || (whole == fields) == spread {
					t.Errorf("%d of %d data fields are a whole response", whole, fields)
				}
			})
		}
	}
}

// TestA2A03ErrorData: the data of an error are free; most clients read an object.
func TestA2A03ErrorData(t *testing.T) {
	for variant, path := range map[string]string{"full": "error/data/reason", "lavish": "error/data/0/reason"} {
		s := start(t, Options{Dialect: "a2a-0.3", Variant: variant})
		expect(t, rpc(t, s.URL(), "tasks/get", `{"id":"x"}`).body, map[string]any{"error/code": a2a03TaskNotFound, path: "Task not found"})
	}
}

// TestResubscriptionToWhatIsOver is told why nothing is to follow.
func TestResubscriptionToWhatIsOver(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.3"})
	for _, words := range []string{"echo x", "ask"} {
		task := text(v03Send(t, s, v03Text(words, v03Blocking)), "result/id")
		r := rpc(t, s.URL(), "tasks/resubscribe", `{"id":"`+task+`"}`)
		expect(t, r.body, map[string]any{"error/code": a2a03Unsupported, "error/message": "The task is not at work: no updates are to come"})
	}
}

// TestA2A03AsksThreeTimes: a task goes from question to question and keeps what was
// said.
func TestA2A03AsksThreeTimes(t *testing.T) {
	for _, variant := range []string{"full", "minimal"} {
		s := start(t, Options{Dialect: "a2a-0.3", Variant: variant})
		r := v03Send(t, s, v03Text("ask 3", v03Blocking))
		task := text(r, "result/id")
		for range 3 {
			expect(t, r, map[string]any{"result/id": task, "result/status/state": "input-required", "result/status/message/role": "agent"})
			r = v03Send(t, s, v03Answer(task, "blue"))
		}
		expect(t, r, map[string]any{"result/id": task, "result/status/state": "completed"})
		got := rpc(t, s.URL(), "tasks/get", `{"id":"`+task+`","historyLength":20}`)
		expect(t, got.body, map[string]any{"result/history/7/role": "agent", "result/history/8": nil})
	}
}

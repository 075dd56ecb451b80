package reference

import (
	"crypto/rand"
	"strconv"
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
	{"a2x-0.3", a2x03Path, "message/send", "message/stream", sayA2A03, "result/status/message/parts/0/text"},
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

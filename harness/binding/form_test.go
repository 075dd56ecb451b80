package binding

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// a2a03 is the dialect whose bindings have several forms.
func a2a03(t *testing.T) *schema.Dialect {
	t.Helper()
	d, err := schema.Load("a2a-0.3")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// alikeJSON reports whether a node says what a text does.
func alikeJSON(t *testing.T, n *record.Node, text string) bool {
	t.Helper()
	return n.Equal(node(t, text))
}

func inJSON(n *record.Node) string {
	text, _ := json.Marshal(n.Interface())
	return string(text)
}

func TestFormsAreRead(t *testing.T) {
	f := jsonForm(a2a03(t).Form("content"))
	for _, c := range []struct{ of, written, read string }{
		{"SendResult", `{"task":{"id":"7","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"}}}`,
			`{"kind":"task","id":"7","contextId":"c","status":{"state":"canceled"}}`},
		{"SendResult", `{"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"hello"}]}}`,
			`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"hello"}]}`},
		{"SendResult", `{"msg":{"messageId":"m","role":"ROLE_USER","parts":[]}}`, `{"kind":"message","messageId":"m","role":"user","parts":[]}`},
		// what is in the form of the text stays, in a member of its own or not
		{"SendResult", `{"task":{"kind":"task","id":"7","status":{"state":"canceled"}}}`, `{"kind":"task","id":"7","status":{"state":"canceled"}}`},
		{"SendResult", `{"kind":"task","id":"7","history":[{"kind":"message","parts":[]}]}`, `{"kind":"task","id":"7","history":[{"kind":"message","parts":[]}]}`},
		// neither one nor several are taken for a result
		{"SendResult", `{}`, `{}`},
		{"SendResult", `{"task":{"id":"7"},"message":{}}`, `{"task":{"id":"7"},"message":{}}`},
		{"StreamEvent", `{"statusUpdate":{"taskId":"7","status":{"state":"TASK_STATE_WORKING","update":{"messageId":"m"}}}}`,
			`{"kind":"status-update","taskId":"7","final":false,"status":{"state":"working","message":{"kind":"message","messageId":"m"}}}`},
		{"StreamEvent", `{"artifactUpdate":{"artifact":{"parts":[{"file":{"fileWithUri":"u","mimeType":"m"}},{"data":{"data":{"n":1}}}]}}}`,
			`{"kind":"artifact-update","artifact":{"parts":[{"kind":"file","file":{"uri":"u","mimeType":"m"}},{"kind":"data","data":{"n":1}}]}}`},
		// what nobody defines is shown as it is
		{"Task", `{"status":{"state":"TASK_STATE_UNSPECIFIED"},"odd":[1]}`, `{"kind":"task","status":{"state":"TASK_STATE_UNSPECIFIED"},"odd":[1]}`},
		{"TaskPushNotificationConfig", `{"name":"tasks/7/pushNotificationConfigs/c","pushNotificationConfig":{"url":"u"}}`,
			`{"taskId":"7","pushNotificationConfig":{"url":"u","id":"c"}}`},
		{"TaskPushNotificationConfig", `{"name":"jobs/7","pushNotificationConfig":{"url":"u"}}`, `{"name":"jobs/7","pushNotificationConfig":{"url":"u"}}`},
		{"TaskPushNotificationConfigs", `{"configs":[{"name":"tasks/7/pushNotificationConfigs/c","pushNotificationConfig":{"id":"c"}}]}`, `[{"taskId":"7","pushNotificationConfig":{"id":"c"}}]`},
		{"TaskPushNotificationConfigs", `{}`, `[]`},
		{"TaskPushNotificationConfigs", `[{"taskId":"7"}]`, `[{"taskId":"7"}]`},
		{"Security", `{"schemes":{"key":{"list":[]},"o":{"list":["a"]},"empty":{}}}`, `{"key":[],"o":["a"],"empty":[]}`},
		{"SecurityScheme", `{"apiKeySecurityScheme":{"location":"header","name":"k"}}`, `{"type":"apiKey","in":"header","name":"k"}`},
		{"SecurityScheme", `{"type":"http","scheme":"bearer"}`, `{"type":"http","scheme":"bearer"}`},
	} {
		if got := f.readValue(c.of, node(t, c.written), span{}); !alikeJSON(t, got, c.read) {
			t.Errorf("%s %s is read as\n%s, not as\n%s", c.of, c.written, inJSON(got), c.read)
		}
	}
}

func TestFormsAreWritten(t *testing.T) {
	d := a2a03(t)
	for _, c := range []struct{ form, of, text, written string }{
		{"content", "MessageSendParams", `{"message":{"kind":"message","role":"user","messageId":"m","parts":[{"kind":"text","text":"hi"},{"kind":"data","data":{"n":1}},{"kind":"file","file":{"bytes":"YQ=="}}]},"configuration":{"pushNotificationConfig":{"url":"u"}}}`,
			`{"message":{"role":"ROLE_USER","messageId":"m","content":[{"text":"hi"},{"data":{"data":{"n":1}}},{"file":{"fileWithBytes":"YQ=="}}]},"configuration":{"pushNotification":{"url":"u"}}}`},
		// what is meant to be wrong stays wrong
		{"content", "MessageSendParams", `{"message":{"kind":"note","role":"system","parts":"none"}}`, `{"message":{"kind":"note","role":"system","content":"none"}}`},
		{"parts", "MessageSendParams", `{"message":{"kind":"message","parts":[{"kind":"odd","text":"hi"}]}}`, `{"message":{"parts":[{"kind":"odd","text":"hi"}]}}`},
		{"parts", "TaskIdParams", `{"id":"7"}`, `{"name":"tasks/7"}`},
		{"parts", "CreatePushConfig", `{"taskId":"7","pushNotificationConfig":{"id":"c","url":"u"}}`,
			`{"parent":"tasks/7","configId":"c","config":{"name":"tasks/7/pushNotificationConfigs/c","pushNotificationConfig":{"id":"c","url":"u"}}}`},
		{"parts", "CreatePushConfig", `{"taskId":"7","pushNotificationConfig":{"url":"u"}}`, `{"parent":"tasks/7","config":{"pushNotificationConfig":{"url":"u"}}}`},
		{"text", "CreatePushConfig", `{"taskId":"7","pushNotificationConfig":{"url":"u"}}`, `{"config":{"taskId":"7","pushNotificationConfig":{"url":"u"}}}`},
	} {
		f := jsonForm(d.Form(c.form))
		got, err := f.encodeValueInForm(c.of, node(t, c.text))
		if err != nil || !alikeJSON(t, got, c.written) {
			t.Errorf("%s %s is written as\n%s (%v), not as\n%s", c.of, c.text, inJSON(got), err, c.written)
			continue
		}
		if again := f.readValue(c.of, node(t, c.written), span{}); !strings.Contains(c.text, "odd") && !strings.Contains(c.text, "note") && !alikeJSON(t, again, c.text) {
			t.Errorf("%s %s is read back as\n%s, not as\n%s", c.of, c.written, inJSON(again), c.text)
		}
	}
	for _, none := range []string{`{}`, `{"id":7}`, `{"id":""}`} {
		if _, err := jsonForm(d.Form("parts")).encodeValueInForm("TaskIdParams", node(t, none)); err != errNoPath {
			t.Errorf("%s: %v", none, err)
		}
	}
}

// TestFormsKeepTheirBytes: what was read stands where it was written.
func TestFormsKeepTheirBytes(t *testing.T) {
	text := `{"task":{"status":{"state":"TASK_STATE_COMPLETED"},"history":[{"role":"ROLE_USER","content":[{"text":"hi"}]}]}}`
	read := jsonForm(a2a03(t).Form("content")).readValue("SendResult", node(t, text), span{})
	for at, want := range map[string]string{"": text[8 : len(text)-1], "/kind": `"task"`, "/status/state": `"TASK_STATE_COMPLETED"`, "/history/0/role": `"ROLE_USER"`,
		"/history/0/parts": `[{"text":"hi"}]`, "/history/0/parts/0/kind": `"text"`, "/history/0/parts/0/text": `"hi"`} {
		if n := read.At(at); n == nil || text[n.Start:n.End] != want {
			t.Errorf("%s stands at %+v, not at %s", at, n, want)
		}
	}
}

// FuzzForm: whatever a server sends is read, and no node stands outside of the text.
func FuzzForm(f *testing.F) {
	d, err := schema.Load("a2a-0.3")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{`{"task":{"status":{"state":"TASK_STATE_WORKING"}}}`, `{"configs":[{"name":"tasks/1/pushNotificationConfigs/2"}]}`, `{"schemes":{"a":{}}}`, `[[]]`} {
		f.Add(text)
	}
	types := []string{"SendResult", "StreamEvent", "Task", "TaskPushNotificationConfigs", "ExtendedAgentCard", "CreatePushConfig", "MessageSendParams"}
	f.Fuzz(func(t *testing.T, text string) {
		n, _ := record.ObserveJSON([]byte(text))
		for _, name := range []string{"content", "parts"} {
			for _, of := range types {
				read := jsonForm(d.Form(name)).readValue(of, n, span{})
				if (read == nil) != (n == nil) {
					t.Fatalf("%s as %s is read as %v", text, of, read)
				}
				within(t, read, len(text))
				_, _ = jsonForm(d.Form(name)).encodeValueInForm(of, read)
			}
		}
	})
}

func within(t *testing.T, n *record.Node, length int) {
	if n == nil {
		return
	}
	if n.Start < 0 || n.End < n.Start || n.End > length {
		t.Fatalf("a node stands at %d to %d of %d", n.Start, n.End, length)
	}
	for _, e := range n.Elems {
		within(t, e, length)
	}
	for _, m := range n.Members {
		within(t, m.Value, length)
	}
}

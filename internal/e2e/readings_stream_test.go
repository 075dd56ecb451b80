package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// asEvents sends refusals of streams as their only event.
func asEvents(c call, r *reply) {
	if c.method == "SendStreamingMessage" && bytes.Contains(r.body, []byte(`"error"`)) {
		r.header = http.Header{"Content-Type": {"text/event-stream"}}
		r.body = fmt.Appendf(nil, "data: %s\n\n", bytes.TrimSpace(r.body))
	}
}

// streamNotes are about streams.
var streamNotes = []note{
	{"N04 a stream whose task waits", []reading{
		{is: "closed", want: map[string]string{"STREAM-014": "pass", "STREAM-015": "pass", "SUB-007": "pass", "STATE-006": "pass"}},
		{is: "open", variant: "lavish", want: map[string]string{"STREAM-014": "pass", "STREAM-015": "pass", "SUB-007": "pass", "STATE-006": "pass"}},
		{is: "closed while credentials are awaited", mutant: "needauth-closes-subscription", want: map[string]string{"STATE-006": "finding"}},
		{is: "broken off while credentials are awaited", mutant: "needauth-breaks-subscription", want: map[string]string{"STATE-006": "fail"}},
		{is: "refused", mutant: "subscribe-waiting-refused", want: map[string]string{"SUB-007": "fail"}},
		{is: "open after the end", mutant: "stream-stays-open", want: map[string]string{"STREAM-013": "fail"}},
	}},
	{"N05 an error before a stream begins", []reading{
		{is: "plain", want: map[string]string{"STREAM-036": "pass", "STREAM-033": "pass"}},
		{is: "an event", change: asEvents, want: map[string]string{"STREAM-036": "pass", "STREAM-033": "pass"}},
		{is: "nothing", mutant: "failed-stream-opens", want: map[string]string{"STREAM-036": "fail"}},
	}},
	{"N34 several streams of one task", []reading{
		{is: "served", want: map[string]string{"MULTI-001": "pass", "MULTI-003": "pass", "MULTI-006": "pass"}},
		{is: "with more freedom", variant: "lavish", want: map[string]string{"MULTI-001": "pass", "MULTI-003": "pass", "MULTI-006": "pass"}},
		{is: "refused", change: refusing(-32004, "followed/second", "followers/joined", "followers/dropped"),
			want: map[string]string{"MULTI-001": "finding", "MULTI-002": "not-applicable", "MULTI-003": "not-applicable", "MULTI-006": "not-applicable",
				"SUB-001": "pass", "SUB-004": "pass", "SUB-005": "pass", "SUB-006": "pass", "SUB-012": "pass"}},
		{is: "the first task of one differs", change: firstTaskAged, want: map[string]string{"MULTI-003": "pass"}},
		{is: "one lacks an event", mutant: "second-stream-lacks", want: map[string]string{"MULTI-003": "fail"}},
	}},
}

// firstTaskAged has the first task of a second stream say less than that of the first.
var firstTaskAged = inSteps(func(_ call, r *reply) {
	r.events = func(m map[string]any) {
		if task, ok := result(m)["task"].(map[string]any); ok {
			delete(task, "history")
			delete(task, "artifacts")
			delete(task, "metadata")
		}
	}
}, "followed/second")

// pushNotes are about webhooks.
var pushNotes = []note{
	{"N20 a webhook that is not there", []reading{
		{is: "not found", want: map[string]string{"PUSH-018": "pass"}},
		{is: "invalid", change: refusing(-32602, "push-configs/get-stranger"), want: map[string]string{"PUSH-018": "finding"}},
		{is: "an error of its own", change: refusing(-32055, "push-configs/get-stranger"), want: map[string]string{"PUSH-018": "finding"}},
		{is: "internal", mutant: "push-get-stranger-misnamed", want: map[string]string{"PUSH-018": "finding"}},
		{is: "empty", mutant: "push-absent-empty", want: map[string]string{"PUSH-018": "fail"}},
	}},
	{"N21 deleting what is not there", []reading{
		{is: "confirmed", want: map[string]string{"PUSH-026": "pass", "PUSH-027": "pass"}},
		{is: "not found", change: refusing(-32001, "push-configs/delete-again"), want: map[string]string{"PUSH-026": "pass"}},
		{is: "of an unknown task", mutant: "push-delete-unknown", want: map[string]string{"PUSH-027": "finding"}},
		{is: "another is deleted", mutant: "push-delete-again-other", want: map[string]string{"PUSH-026": "fail"}},
		{is: "internal", mutant: "push-delete-unknown-internal", want: map[string]string{"PUSH-027": "fail"}},
	}},
	{"N22 webhooks in a private network", []reading{
		{is: "refused", want: map[string]string{"PUSH-030": "pass"}},
		{is: "accepted", mutant: "push-link-local-accepted", want: map[string]string{"PUSH-030": "finding"}},
		{is: "an internal error", change: refusing(-32603, "push-params/link-local"), want: map[string]string{"PUSH-030": "pass"}},
	}},
	{"N23 the type of deliveries and of answers", []reading{
		{is: "of the protocol", want: map[string]string{"DELIV-006": "pass", "ENV-010": "pass"}},
		{is: "of the edition before", mutant: "push-as-json", want: map[string]string{"DELIV-006": "finding"}},
		{is: "text", mutant: "push-as-text", want: map[string]string{"DELIV-006": "fail"}},
		{is: "of the other bindings over JSON-RPC", mutant: "results-as-a2a-json", want: map[string]string{"ENV-010": "fail"}},
	}},
	{"N24 the token of a webhook", []reading{
		{is: "in its header", want: map[string]string{"DELIV-009": "pass"}},
		{is: "in another header", deliver: func(r *http.Request, _ []byte) bool {
			r.Header.Set("X-Own", r.Header.Get("X-A2A-Notification-Token"))
			r.Header.Del("X-A2A-Notification-Token")
			return true
		}, want: map[string]string{"DELIV-009": "pass"}},
		{is: "left out", mutant: "push-token-dropped", want: map[string]string{"DELIV-009": "finding"}},
		{is: "a piece of it", mutant: "push-token-truncated", want: map[string]string{"DELIV-009": "fail"}},
	}},
	{"N37 deliveries that are due", []reading{
		{is: "every change", want: map[string]string{"DELIV-002": "pass", "DELIV-011": "pass"}},
		{is: "the end alone", deliver: func(_ *http.Request, body []byte) bool { return bytes.Contains(body, []byte("TASK_STATE_COMPLETED")) },
			want: map[string]string{"DELIV-002": "pass", "DELIV-011": "pass", "DELIV-017": "pass"}},
		{is: "all but the end", mutant: "push-end-dropped", want: map[string]string{"DELIV-011": "fail"}},
	}},
}

// extensionNotes are about extensions.
var extensionNotes = []note{
	{"N25 the active extensions", []reading{
		{is: "named", want: map[string]string{"EXT-009": "pass"}},
		{is: "not named", mutant: "extensions-unannounced", want: map[string]string{"EXT-009": "finding"}},
		{is: "misnamed", mutant: "extension-misannounced", want: map[string]string{"EXT-009": "fail"}},
	}},
	{"N39 required extensions", []reading{
		{is: "asked for by every call", variant: "extended", want: map[string]string{"EXT-001": "pass", "EXT-003": "pass", "VER-002": "pass", "ENV-011": "pass", "LIM-005": "pass",
			"STREAM-003": "pass", "PUSH-008": "pass"}},
	}},
}

// A configuration need not be kept beyond the end of its task: that it was registered
// is seen from what is delivered.
func TestWebhooksOfEndedTasks(t *testing.T) {
	t.Parallel()
	late := func(r *http.Request, _ []byte) bool { // long after the list was answered
		select {
		case <-time.After(300 * time.Millisecond):
			return true
		case <-r.Context().Done():
			return false
		}
	}
	forget := func(_ call, r *reply) { r.edit(func(m map[string]any) { result(m)["configs"] = []any{} }) }
	allRead(t, []note{{"the webhook of a task that has ended", []reading{
		{is: "forgotten", change: inSteps(forget, "push/list-sent", "push-configs/list-streamed"),
			want: map[string]string{"PUSH-028": "finding", "PUSH-029": "finding"}},
		{is: "forgotten, and called late", change: inSteps(forget, "push-configs/list-streamed"), deliver: late, want: map[string]string{"PUSH-029": "finding"}},
		{is: "never known", mutant: "push-in-send-ignored", want: map[string]string{"PUSH-028": "fail"}},
	}}})
}

// An agent that answers with messages alone has no task whose events could be held
// back, whether a message is known that makes agents work for a while or not.
func TestStreamsOfMessagesAloneHoldNothingBack(t *testing.T) {
	t.Parallel()
	for name, preset := range map[string]bool{"two texts": false, "all texts": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := bundled(t, reference.Options{Dialect: "a2a-1.0", Variant: "talking"})
			o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: preset,
				Stimuli: map[string]operator.Stimulus{"quick": {Text: "echo hello"}, "message": {Text: "hello"}}},
				Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A10-STREAM-030"}}}})
			if err != nil {
				t.Fatal(err)
			}
			if r := o.Report.Results[0]; r.Verdict != report.NotApplicable {
				t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
			}
		})
	}
}

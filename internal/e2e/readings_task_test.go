package e2e

// noContext takes the context out of tasks.
var noContext = onTask10(func(m map[string]any) { delete(m, "contextId") })

// openTo makes a card whose list of input modes is open.
func openTo(mode string) func(c call, r *reply) {
	return onCard(func(m map[string]any) { m["defaultInputModes"] = []any{mode} })
}

// atOneTime puts one time into all tasks of a list.
func atOneTime(_ call, r *reply) {
	r.edit(func(m map[string]any) {
		tasks, _ := result(m)["tasks"].([]any)
		for _, v := range tasks {
			v.(map[string]any)["status"].(map[string]any)["timestamp"] = "2026-01-31T12:00:00.000Z"
		}
	})
}

// taskNotes are about messages, tasks and lists of them.
var taskNotes = []note{
	{"N14 the context of a task", []reading{
		{is: "named", want: map[string]string{"CTX-001": "pass", "DATA-005": "pass", "DATA-014": "pass", "STREAM-017": "pass", "STREAM-021": "pass"}},
		{is: "never named", change: noContext, want: map[string]string{"CTX-001": "not-applicable", "CTX-002": "not-applicable", "DATA-005": "not-applicable"}},
		{is: "named by look-ups alone", mutant: "context-hidden", want: map[string]string{"CTX-002": "fail"}},
		{is: "null", change: onTask10(func(m map[string]any) { m["contextId"] = nil }), want: map[string]string{"DATA-005": "finding"}},
		{is: "a message as a reply names none", mutant: "chat-without-context", want: map[string]string{"DATA-014": "finding"}},
		{is: "updates name none", change: func(_ call, r *reply) {
			r.edit(func(m map[string]any) {
				for _, kind := range []string{"statusUpdate", "artifactUpdate"} {
					if update, ok := result(m)[kind].(map[string]any); ok {
						delete(update, "contextId")
					}
				}
			})
		}, want: map[string]string{"STREAM-017": "fail", "STREAM-021": "fail"}},
	}},
	{"N15 media types that the agent does not take", []reading{
		{is: "refused", want: map[string]string{"SEND-004": "pass", "STREAM-034": "pass"}},
		{is: "taken silently", mutant: "odd-part-dropped", want: map[string]string{"SEND-004": "finding: the server accepts the call"}},
		{is: "taken silently on a stream", mutant: "stream-odd-part-dropped", want: map[string]string{"STREAM-034": "finding: the server accepts the call"}},
		{is: "refused with an internal error", mutant: "content-type-internal", want: map[string]string{"SEND-004": "fail", "STREAM-034": "fail"}},
		{is: "the card lists every type", mutant: "odd-part-dropped", change: openTo("*/*"), want: map[string]string{"SEND-004": "not-applicable", "STREAM-034": "not-applicable"}},
		{is: "the card lists every application", mutant: "odd-part-dropped", change: openTo("application/*"), want: map[string]string{"SEND-004": "not-applicable", "STREAM-034": "not-applicable"}},
		{is: "a header of another type is refused so", change: refusing(-32005, "envelope/text-plain"), want: map[string]string{"ENV-012": "pass", "SEND-004": "pass", "ERR-011": "pass"}},
	}},
	{"N16 a context that the client made up", []reading{
		{is: "kept", want: map[string]string{"CTX-003": "pass"}},
		{is: "refused", change: refusing(-32602, "own-context/send"), want: map[string]string{"CTX-003": "pass"}},
		{is: "replaced", mutant: "context-replaced", want: map[string]string{"CTX-003": "fail"}},
	}},
	{"N17 a page size beyond the limits", []reading{
		{is: "refused", want: map[string]string{"LIST-010": "pass"}},
		{is: "bounded", variant: "lavish", want: map[string]string{"LIST-010": "pass"}},
		{is: "taken", mutant: "list-size-unbounded", want: map[string]string{"LIST-010": "fail"}},
	}},
	{"N18 the order of tasks", []reading{
		{is: "no times", variant: "minimal", want: map[string]string{"LIST-013": "not-applicable"}},
		{is: "all of one time", mutant: "list-oldest-first", change: atOneTime, want: map[string]string{"LIST-013": "pass"}},
		{is: "the latest first", want: map[string]string{"LIST-013": "pass"}},
		{is: "the oldest first", mutant: "list-oldest-first", want: map[string]string{"LIST-013": "fail"}},
	}},
	{"N19 a second cancellation", []reading{
		{is: "refused", want: map[string]string{"CANCEL-006": "pass"}},
		{is: "the canceled task once more", variant: "lavish", want: map[string]string{"CANCEL-006": "pass"}},
		{is: "unknown by then", change: refusing(-32001, "cancel/cancel-again"), want: map[string]string{"CANCEL-006": "finding: does not know the task any more"}},
		{is: "an internal error", mutant: "cancel-again-internal", want: map[string]string{"CANCEL-006": "fail"}},
		{is: "another state", variant: "lavish", change: inSteps(onTask10(func(m map[string]any) {
			m["status"] = map[string]any{"state": "TASK_STATE_WORKING"}
		}), "cancel/cancel-again"), want: map[string]string{"CANCEL-006": "fail"}},
	}},
	{"N27 the error about a task that has ended", []reading{
		{is: "UnsupportedOperationError", want: map[string]string{"SEND-005": "pass", "SUB-008": "pass"}},
		{is: "invalid params", change: refusing(-32602, "stays/again", "stays/resubscribe"), want: map[string]string{"SEND-005": "fail: -32602", "SUB-008": "fail: -32602"}},
		{is: "unknown task", change: refusing(-32001, "stays/again", "stays/resubscribe"), want: map[string]string{"SEND-005": "fail: -32001", "SUB-008": "fail: -32001"}},
	}},
	{"N29 what a page must have", []reading{
		{is: "there", want: map[string]string{"LIST-002": "pass", "LIST-003": "pass", "LIST-005": "pass", "LIST-019": "pass"}},
		{is: "no tasks", mutant: "list-empty-left-out", want: map[string]string{"LIST-002": "fail"}},
		{is: "no token", mutant: "list-token-left-out", want: map[string]string{"LIST-003": "fail"}},
		{is: "no total", mutant: "list-total-left-out", want: map[string]string{"LIST-005": "fail"}},
		{is: "empty artifacts", mutant: "list-artifacts-empty", want: map[string]string{"LIST-019": "fail"}},
	}},
	{"N30 a part with two contents", []reading{
		{is: "refused", want: map[string]string{"SEND-016": "pass"}},
		{is: "the last one wins", mutant: "part-last-content-wins", want: map[string]string{"SEND-016": "fail"}},
	}},
	{"N31 null as the data of a part", []reading{
		{is: "taken", want: map[string]string{"DATA-035": "pass"}},
		{is: "refused", mutant: "data-null-refused", want: map[string]string{"DATA-035": "finding", "ERR-005": "pass", "DATA-016": "pass"}},
		{is: "an internal error", change: refusing(-32603, "send-params/data-null"), want: map[string]string{"DATA-035": "pass"}},
		{is: "a list is refused", mutant: "data-array-refused", want: map[string]string{"DATA-035": "fail"}},
	}},
	{"N35 whether a reply waits for the end", []reading{
		{is: "it waits", want: map[string]string{"EXEC-001": "pass"}},
		{is: "it does not", mutant: "send-never-waits", want: map[string]string{"EXEC-001": "fail"}},
		{is: "the server gives up", change: refusing(-32603, "waiting/send"), want: map[string]string{"EXEC-001": "inconclusive"}},
	}},
	{"N41 an agent that only talks", []reading{
		{is: "conforms", variant: "talking", want: map[string]string{"LIST-001": "pass", "LIST-023": "pass", "GET-006": "pass", "CANCEL-005": "pass", "SEND-009": "pass",
			"GET-001": "not-applicable", "CANCEL-001": "not-applicable", "EXEC-001": "not-applicable", "STATE-001": "not-applicable"}},
	}},
}

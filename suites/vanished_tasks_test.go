package suites_test

import "testing"

// A refusal that equals that of an unknown task proves nothing about one that has ended, if
// the looks around it show that it has gone.
func TestRefusalsOfVanishedTasks(t *testing.T) {
	const gone, other = -32001, -32602
	shown := answerCall("finished/send send task=7", "{}", writeTask("7", "ready"))
	look := func(name string, there bool) string {
		if there {
			return answerCall("finished/"+name+" get task=7", "{}", writeTask("7", "ready"))
		}
		return answerCall("finished/"+name+" get task=7", "{}", rpcError("1", gone))
	}
	call := func(op string, code int) string {
		return answerCall("finished/again "+op+" task=7", "{}", rpcError("1", code))
	}
	var trials []trial
	for _, c := range []struct{ check, with, op string }{
		{"errors/refused", "{steps: [finished/again]}", "stream"},
		{"errors/refused", "{steps: [finished/again], codes: [TaskNotCancelable, InvalidParams]}", "cancel"},
		{"errors/code", "{steps: [finished/again], codes: [TaskNotCancelable, InvalidParams]}", "cancel"},
		{"stream/refused", "{steps: [finished/again]}", "stream"},
		{"stream/refused-code", "{steps: [finished/again], codes: [InvalidParams]}", "stream"},
	} {
		trials = append(trials, trial{c.check, c.with, map[string]string{
			"pass":                      shown + look("before", true) + call(c.op, other) + look("after", true),
			"inconclusive: gone before": shown + look("before", false) + call(c.op, gone) + look("after", false),
			"inconclusive: gone after":  shown + look("before", true) + call(c.op, gone) + look("after", false),
		}})
	}
	runTrials(t, "ended", append(trials, []trial{
		{"errors/refused", "{steps: [finished/again]}", map[string]string{
			"pass: it is there":      shown + look("before", true) + call("stream", gone) + look("after", true),
			"pass: no look at it":    shown + call("stream", gone),
			"pass: it was not shown": look("before", false) + call("stream", gone),
			"fail":                   shown + look("before", true) + answerCall("finished/again stream task=7", "{}", okReply) + look("after", true),
		}},
		{"errors/refused", "{steps: [finished/again], codes: [InvalidTaskState]}", map[string]string{
			"fail: it is there": shown + look("before", true) + call("send", gone) + look("after", true),
		}},
		{"cancel/again", "{first: finished/cancel, step: finished/again, codes: [TaskNotCancelable]}", map[string]string{
			"finding":      answerCall("finished/cancel cancel task=7", "{}", writeTask("7", "dropped")) + call("cancel", gone),
			"inconclusive": answerCall("finished/cancel cancel task=7", "{}", writeTask("7", "dropped")) + call("cancel", gone) + look("later", false),
		}},
	}...))
}

package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// StreamMutants are about the events of a stream that begins with a message.
func StreamMutants(w Wording) map[string]front.Mutant {
	return map[string]front.Mutant{
		"event-without-field": {Event: w.InStream("echo", func(f *front.Frame) {
			if f.Count == 2 {
				f.Raw = string(front.Encode(f.Sent(f.Body))) + "\n\n"
			}
		})},
		"event-split": {Event: w.InStream("echo", func(f *front.Frame) {
			if f.Count == 2 {
				b := front.Encode(f.Sent(f.Body))
				f.Raw = "data: " + string(b[:20]) + "\n\ndata: " + string(b[20:]) + "\n\n"
			}
		})},
		"event-id-of-task": {Event: w.InStream("", func(f *front.Frame) {
			if front.IsNumber(front.At(f.Body, "id")) {
				front.Put(f.Body, "id", f.Task())
			}
		})},
		"streamed-task-working": {Event: w.InStream("echo", func(f *front.Frame) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
			Reply: LookingAgain("echo", 1, func(x *front.Reply) {
				if x.Server.Notes.Read("streamed "+front.Text(x.Request, "params/id")) != nil {
					front.Swap(x.Body, "result/status/state", w.state("completed"), w.state("working"))
				}
			})},
	}
}

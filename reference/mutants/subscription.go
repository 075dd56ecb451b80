package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Resuming edits the events of a stream that takes up a task again.
func (w Wording) Resuming(edit func(*front.Frame)) func(*front.Frame) {
	return func(f *front.Frame) {
		if f.Method() == w.Resubscribe {
			edit(f)
		}
	}
}

// Failing edits the refusals of a method that would have opened a stream.
func Failing(method string, code int, edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers(method, code) {
			edit(x)
		}
	}
}

// SubscriptionMutants are about streams that are refused, continued and
// taken up again.
func SubscriptionMutants(w Wording) map[string]front.Mutant {
	return map[string]front.Mutant{
		"resubscribe-old-id": {Event: func(f *front.Frame) {
			key := "subscription " + f.Task()
			if f.Method() == w.Stream {
				f.Reply.Server.Notes.Write(key, front.At(f.Body, "id"))
			} else if id := f.Reply.Server.Notes.Read(key); id != nil {
				front.Put(f.Body, "id", id)
			}
		}},
	}
}

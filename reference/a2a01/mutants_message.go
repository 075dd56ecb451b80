package a2a01

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// PartMutants are those that only A2A 0.1.0 has a place for.
var partMutants = map[string]front.Mutant{
	"uri-required":      {Reply: Words.FileDeclined(func(bytes, uri bool) bool { return bytes && !uri })},
	"bytes-required":    {Reply: Words.FileDeclined(func(bytes, uri bool) bool { return uri && !bytes })},
	"bare-file-refused": {Reply: Words.FileDeclined(func(bytes, uri bool) bool { return !uri && !bytes })},
}

// SendMutants are those that only A2A 0.1.0 has a place for.
var sendMutants = map[string]front.Mutant{
	"task-id-stringified": {Call: front.Misread("tasks/send", func(body any) {
		if id := front.At(body, "params/id"); front.IsNumber(id) {
			front.Put(body, "params/id", string(front.Encode(id)))
		}
	})},
	"history-length-parsed": {Call: front.Misread("tasks/send", func(body any) {
		if n := front.At(body, "params/historyLength"); front.IsText(n) || front.IsNumber(n) && strings.Contains(string(front.Encode(n)), ".") {
			front.Put(body, "params/historyLength", front.Num(1))
		}
	})},
	"session-replaced": {Reply: front.Answering("tasks/send", func(x *front.Reply) {
		if front.Has(x.Body, "result/sessionId") && x.Script() != "ask" {
			front.Put(x.Body, "result/sessionId", "server-session")
		}
	})},
}

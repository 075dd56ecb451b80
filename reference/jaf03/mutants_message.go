package jaf03

import (
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// completed edits the results of message/send.
func completed(edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering("message/send", func(x *front.Reply) {
		if front.Text(x.Body, "result/kind") == "completion" {
			edit(x)
		}
	})
}

// textPart edits the first part of an incoming message.
func textPart(edit func(part map[string]any)) func(*front.Call) {
	return front.Misread("message/send", func(body any) {
		if p := front.Object(body, "params/message/parts/0"); p != nil {
			edit(p)
		}
	})
}

var messageMutants = map[string]front.Mutant{
	"timestamp-unchecked": {Call: front.Misread("message/send", func(body any) {
		if s := front.Text(body, "params/message/timestamp"); s != "" {
			if _, err := time.Parse(time.RFC3339, s); err != nil {
				front.Drop(body, "params/message/timestamp")
			}
		}
	})},
	"text-stringified": {Call: textPart(func(p map[string]any) {
		if front.IsNumber(p["text"]) {
			p["text"] = string(front.Encode(p["text"]))
		}
	})},
}

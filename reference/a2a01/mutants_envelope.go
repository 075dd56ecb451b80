package a2a01

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var EnvelopeMutants = map[string]front.Mutant{
	"error-data-nan": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeMethodNotFound) {
			x.Raw = []byte(`{"jsonrpc":"2.0","id":` + string(front.Encode(front.At(x.Body, "id"))) + `,"error":{"code":-32601,"message":"Method not found","data":NaN}}`)
		}
	}},
}

// errorMutants are those that only A2A 0.1.0 has a place for.
var errorMutants = map[string]front.Mutant{
	"method-case-ignored": {Call: func(c *front.Call) {
		if c.Method != strings.ToLower(c.Method) && c.Method == "Tasks/Send" {
			front.Put(c.Body, "method", "tasks/send")
		}
	}},
}

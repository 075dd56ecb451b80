package a2a01

import (
	"bytes"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var limitMutants = map[string]front.Mutant{
	"large-body-deadly": {Reply: front.DeadlyAfter(func(x *front.Reply) bool { return len(x.Sent) >= front.MaxBody })},
	"deep-body-deadly":  {Reply: front.DeadlyAfter(func(x *front.Reply) bool { return bytes.Contains(x.Sent, bytes.Repeat([]byte("["), 10_000)) })},
}

package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// AnyIDAccepted takes an id of a forbidden type for null.
var AnyIDAccepted = front.Misread("", func(body any) {
	if front.Forbidden(front.At(body, "id")) {
		front.Put(body, "id", nil)
	}
})

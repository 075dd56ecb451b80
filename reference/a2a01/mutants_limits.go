package a2a01

import (
	"bytes"
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var rateMutants = front.InArea("ratelimit",
	front.Mutant{Name: "limited-by-page", Variant: "limited", Summary: "A proxy refuses calls beyond the limit with HTTP 503 and HTML.",
		Reply: func(x *front.Reply) {
			if x.Answers("", rateLimited) {
				x.Blank(http.StatusServiceUnavailable, "text/html")
				x.Raw = []byte("<h1>Too busy</h1>")
			}
		}},
	front.Mutant{Name: "limited-null-id", Variant: "limited", Summary: "The refusal beyond the limit has id null.",
		Reply: func(x *front.Reply) {
			if x.Answers("", rateLimited) {
				front.Put(x.Body, "id", nil)
			}
		}},
	front.Mutant{Name: "limited-for-ever", Variant: "limited", Summary: "A client that was limited once is never served again.", Grudge: true},
)

var limitMutants = front.InArea("limits",
	front.Mutant{Name: "large-body-deadly", Summary: "After a very large message none is served any more.",
		Reply: front.DeadlyAfter(func(x *front.Reply) bool { return len(x.Sent) >= front.MaxBody })},
	front.Mutant{Name: "deep-body-deadly", Summary: "After deeply nested JSON no message is served any more.",
		Reply: front.DeadlyAfter(func(x *front.Reply) bool { return bytes.Contains(x.Sent, bytes.Repeat([]byte("["), 10_000)) })},
)

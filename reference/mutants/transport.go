package mutants

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// MediaMutants are about the media types of calls and replies.
var MediaMutants = front.InArea("transport",
	front.Mutant{Name: "result-as-text", Summary: "A task that is looked up is sent as text/plain.",
		Reply: func(x *front.Reply) {
			if x.Looks() && front.Has(x.Body, "result") {
				x.Header.Set("Content-Type", "text/plain")
			}
		}},
	front.Mutant{Name: "charset-refused", Summary: "The media type is compared as a whole, so that a charset parameter gives 415.",
		Reply: func(x *front.Reply) {
			if x.Document == "" && strings.Contains(x.Http.Header.Get("Content-Type"), ";") {
				x.Status = http.StatusUnsupportedMediaType
				x.Decline(front.CodeInvalidRequest)
			}
		}},
	front.Mutant{Name: "odd-type-crashes", Summary: "A request of another media type gives HTTP 500.",
		Reply: func(x *front.Reply) {
			if x.Status == http.StatusUnsupportedMediaType {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		}},
)

package serve

import (
	"net/http"

	"golang.org/x/net/http/httpguts"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// maxShared is how many bytes of a field of a client are repeated in an answer.
const maxShared = 4 << 10

// listSharedFields returns the fields that let a page of another origin read the answer to a request (CORS); none for a
// request that names no origin.
func listSharedFields(q *request) []record.Field {
	from := q.Header.Get("Origin")
	if from == "" {
		return nil
	}
	if !isRepeatable(from) {
		from = "*"
	}
	return []record.Field{{Name: "Access-Control-Allow-Origin", Value: from}, {Name: "Access-Control-Allow-Credentials", Value: "true"},
		{Name: "Access-Control-Expose-Headers", Value: "A2A-Version, A2A-Extensions, Location, Retry-After"}, {Name: "Vary", Value: "Origin"}}
}

// answerPreflight answers a browser that asks whether a page of another origin may make a call. It reports whether the request
// is that question, which is none of the client's calls.
func answerPreflight(a *answerWriter, q *request) bool {
	if q.Method != http.MethodOptions || q.Header.Get("Origin") == "" {
		return false
	}
	fields := []record.Field{{Name: "Access-Control-Max-Age", Value: "600"}}
	for _, f := range [][3]string{
		{"Access-Control-Request-Method", "Access-Control-Allow-Methods", "GET, POST, DELETE, HEAD"},
		{"Access-Control-Request-Headers", "Access-Control-Allow-Headers", "Content-Type"},
		{"Access-Control-Request-Private-Network", "Access-Control-Allow-Private-Network", ""},
	} {
		value := f[2]
		if asked := q.Header.Get(f[0]); asked != "" && isRepeatable(asked) {
			value = asked
		}
		if value != "" {
			fields = append(fields, record.Field{Name: f[1], Value: value})
		}
	}
	a.shared = listSharedFields(q)
	a.writeWhole(http.StatusOK, fields, nil)
	return true
}

// isRepeatable reports whether a field of a client may stand in an answer.
func isRepeatable(value string) bool {
	return len(value) <= maxShared && httpguts.ValidHeaderFieldValue(value)
}

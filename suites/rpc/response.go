package rpc

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// aResponse: JSON-RPC 2.0, section 5, has a response follow each call that is no
// notification. Of a call with an id that a server can read nothing else is
// expected, however the call is refused. What stands before the server (a guard, a
// limit, a proxy) speaks for itself.
func aResponse(t *judge.T, p besideParams) {
	p.FailIfBroken(t)
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		x := v.Exchange()
		if observe.IsPlainPost(v) && hasID(v.Sent().ID) && len(x.Response.Body) > 0 && x.Ended == record.EOF && !x.IsStream() &&
			!slices.Contains(beforeTheServer, x.Status()) && (v.IsObject() || !slices.Contains(noEndpoint, x.Status())) {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) { t.Expect(v).To(beAResponse()) })
}

// beforeTheServer are the statuses of what never reached it.
var beforeTheServer = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestEntityTooLarge,
	http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// noEndpoint are the statuses of a place at which nobody listens, unless somebody
// answers there after all.
var noEndpoint = []int{http.StatusNotFound, http.StatusMethodNotAllowed}

// hasID reports whether a call has an id that JSON-RPC allows.
func hasID(id *record.Node) bool {
	return id != nil && (id.Kind == record.String || id.Kind == record.Number)
}

// beAResponse is satisfied by a JSON-RPC response of any outcome, and not by an
// object with an error in another form.
func beAResponse() match.Matcher {
	return match.Should("a JSON-RPC response object", match.IsResponse, match.Foreign)
}

package binding

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Unavailable reports whether an answer is what a gateway sends if no server is behind it:
// HTTP 502, 503 or 504 with a body of no protocol of ours. Over gRPC the same is stated by
// UNAVAILABLE without details.
func Unavailable(x *record.Exchange) bool {
	if !x.Answered() {
		return false
	}
	const unavailable = 14
	if g := x.GRPC(); g != nil && x.Status() == http.StatusOK {
		return g.Coded && g.Code == unavailable && len(g.Details) == 0 && len(g.Messages) == 0
	}
	gateway := []int{http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}
	return slices.Contains(gateway, x.Status()) && !speaksProtocol(x)
}

// speaksProtocol reports whether a body is one of JSON-RPC, or an error as bindings over plain
// HTTP have it.
func speaksProtocol(x *record.Exchange) bool {
	if x.Response.MediaType() == "application/a2a+json" {
		return true
	}
	root := x.Reply().Root
	if root == nil || root.Kind != record.Object {
		return false
	}
	if root.At(Version) != nil {
		return true
	}
	if e := root.Member("error"); e != nil && e.Kind == record.Object {
		return e.Member("code") != nil && (e.Member("status") != nil || e.Member("details") != nil)
	}
	kind := root.Member("type")
	return kind != nil && kind.Kind == record.String && strings.Contains(kind.String, "a2a")
}

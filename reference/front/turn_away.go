package front

import (
	"net/http"
	"slices"
)

// Refusing is how a guard refuses who shows no valid credentials, or may not make a call.
type Refusing string

// The ways to refuse. Over gRPC, and with an error over HTTP+JSON, a refusal has the form
// that the binding has for it.
const (
	InProtocol Refusing = ""          // with HTTP 401 and an error of the protocol
	WithJSON   Refusing = "json"      // with HTTP 401 and JSON of a gate that does not know the protocol
	WithText   Refusing = "text"      // with HTTP 401 and a text
	Forbidding Refusing = "forbidden" // with HTTP 403, or gRPC 7, whatever is missing
	WithError  Refusing = "error"     // with HTTP 200 and an error of the protocol, in a stream as its only event
)

// WithGuards adds to the variants of a dialect those of a server whose card everybody may
// read and whose calls are guarded, a variant for each way to refuse that is not that of
// the variant guarded.
func WithGuards(all []Variant) []Variant {
	out := all
	for _, v := range all {
		if v.Name != "guarded" {
			continue
		}
		for _, how := range []Refusing{WithJSON, WithText, Forbidding, WithError} {
			g := v
			g.Name, g.GuardsCard, g.Refuses = "guarded-"+string(how), false, how
			out = append(out, g)
		}
	}
	return out
}

// turnAway gives a reply the form in which the variant refuses who may not make a call. It
// holds an error of the protocol already, with a status of HTTP.
func (x *Reply) turnAway() {
	how := x.Server.Variant.Refuses
	if how == Forbidding {
		x.Status = http.StatusForbidden
		x.Header.Del("WWW-Authenticate")
	}
	switch over := x.Binding(); {
	case over == GRPC:
	case how == WithJSON, how == Forbidding:
		x.Body, x.ready = map[string]any{"error": http.StatusText(x.Status)}, true
	case how == WithText:
		x.Body, x.Raw, x.ready = nil, []byte(http.StatusText(x.Status)+"\n"), true
		x.Header.Set("Content-Type", "text/plain; charset=utf-8")
	case how == WithError && over == JSONRPC:
		x.Status = http.StatusOK
		x.Header.Del("WWW-Authenticate")
		if x.wantsStream() {
			x.refuseStream()
		}
	}
}

// wantsStream reports whether a call asks for a stream, by whatever name its protocol has for that.
func (x *Reply) wantsStream() bool {
	return slices.Contains([]string{"tasks/sendSubscribe", "tasks/resubscribe", "message/stream", "SendStreamingMessage", "SubscribeToTask"}, Text(x.Request, "method"))
}

// reasonOf is the ErrorInfo that says why a caller is turned away, for protocols that have
// no error for it.
func reasonOf(status int) []any {
	reason := "UNAUTHENTICATED"
	if status == http.StatusForbidden {
		reason = "PERMISSION_DENIED"
	}
	return []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-conform.example"}}
}

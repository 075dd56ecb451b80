package record

import (
	"fmt"
	"net/http"
)

// standings are the statuses of HTTP that go with those of gRPC, by number, as the
// comments of google.rpc.Code have them.
var standings = []int{200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401}

// Standing is the outcome of a call as a status of HTTP: the status of the
// response or, for gRPC, which answers all calls with 200, the one that
// goes with the status of the call.
func (x *Exchange) Standing() int {
	status := x.Status()
	g := x.GRPC()
	switch {
	case g == nil || !g.Coded || g.Code == 0:
		return status
	case g.Code < len(standings):
		return standings[g.Code]
	}
	return http.StatusInternalServerError
}

// StatusText is the status of an answer for people: HTTP 404, or gRPC NOT_FOUND.
func (x *Exchange) StatusText() string {
	if g := x.GRPC(); g != nil {
		switch {
		case g.Status() != "":
			return "gRPC " + g.Status()
		case g.Coded:
			return fmt.Sprintf("gRPC status %d", g.Code)
		}
		return "gRPC without a status"
	}
	return fmt.Sprintf("HTTP %d", x.Status())
}

// ReplyText is the text that Reply reads: the body or, of gRPC, the error or the first
// message as JSON.
func (x *Exchange) ReplyText() []byte {
	if x.GRPC() != nil {
		x.Reply()
		return x.observed.replyText
	}
	return x.Response.Body
}

// CallText is the text that Call reads: the body or, of gRPC, the first message as JSON.
func (x *Exchange) CallText() []byte {
	if x.HTTP2 != nil && IsGRPC(x.Request.MediaType()) {
		text, _ := x.rpcCall()
		return text
	}
	return x.Request.Body
}

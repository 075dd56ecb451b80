package record

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kinds of GRPCFault.
const (
	GRPCNoStatus       = "no-status"       // the stream ended without a grpc-status
	GRPCStatusTwice    = "status-twice"    // it has several
	GRPCBadStatus      = "status-number"   // grpc-status is no number
	GRPCUnknownStatus  = "status-unknown"  // a number that gRPC does not have
	GRPCBadMessage     = "message-coding"  // grpc-message is not percent-encoded UTF-8
	GRPCBadDetails     = "details-coding"  // grpc-status-details-bin is no base64, or no google.rpc.Status
	GRPCOtherDetails   = "details-differ"  // it states another code than grpc-status
	GRPCNoTrailers     = "no-trailers"     // the stream ended with data instead of trailers
	GRPCBadMediaType   = "media-type"      // the content type is not that of gRPC
	GRPCBrokenMessage  = "broken-message"  // a message whose payload cannot be had
	GRPCPartialMessage = "partial-message" // the stream ended inside a message
)

// GRPCFault is something in a response that the protocol of gRPC does not have.
type GRPCFault struct{ Kind, Detail string }

// GRPC is a response over HTTP/2 read by the protocol of gRPC.
type GRPC struct {
	Method       string // called, as /service/Method
	Messages     []GRPCMessage
	Rest         *GRPCMessage // begun and cut short
	Coded        bool         // a status was read
	Code         int          // the status, by number; of use only with Coded
	Message      string       // its text for people, decoded
	Details      []GRPCDetail // its details
	TrailersOnly bool         // the status came in the head, and nothing else did
	Streams      bool         // it is a stream of messages, not one reply
	Faults       []GRPCFault
}

// GRPCDetail is one detail of a status: a message of a type that the URL names.
type GRPCDetail struct {
	TypeURL string
	Value   []byte
}

// GRPCCodes are the names of the status codes, by number.
var GRPCCodes = []string{"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
	"RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"}

// Status is the name of the status; "" for none, or one that gRPC does not have.
func (g *GRPC) Status() string {
	if g == nil || !g.Coded || g.Code >= len(GRPCCodes) {
		return ""
	}
	return GRPCCodes[g.Code]
}

// Failed reports whether the status is one of an error.
func (g *GRPC) Failed() bool { return g != nil && g.Coded && g.Code != 0 }

const grpcMedia = "application/grpc"

// IsGRPC reports whether a media type is gRPC's, for any format of messages.
func IsGRPC(media string) bool {
	return media == grpcMedia || strings.HasPrefix(media, grpcMedia+"+")
}

// speaksGRPC reports whether the response is one of gRPC: by its media type, or by
// the status that it states.
func (x *Exchange) speaksGRPC() bool {
	if x == nil || x.HTTP2 == nil || !strings.HasPrefix(x.Response.Proto(), "HTTP/2") {
		return false
	}
	return IsGRPC(x.Response.MediaType()) || IsGRPC(x.Request.MediaType()) &&
		(x.Response.firstValue(statusField) != "" || len(x.Response.Trailers()[statusField]) > 0)
}

const (
	statusField  = "Grpc-Status"
	messageField = "Grpc-Message"
	detailsField = "Grpc-Status-Details-Bin"
)

// GRPC is the response read by the protocol of gRPC; nil if it is none.
func (x *Exchange) GRPC() *GRPC {
	if x == nil || x.HTTP2 == nil {
		return nil
	}
	x.observed.rpc.Do(func() {
		if x.speaksGRPC() {
			x.observed.grpc = x.readGRPC()
		}
	})
	return x.observed.grpc
}

func (x *Exchange) readGRPC() *GRPC {
	g := &GRPC{Method: x.calledPath(), Messages: x.Response.GRPCMessages()}
	m := &x.Response
	whole := x.Ended == EOF
	if !IsGRPC(m.MediaType()) {
		g.addFault(GRPCBadMediaType, "the content type is %s", QuoteOrDescribeLength(m.MediaType()))
	}
	if n := len(g.Messages); n > 0 && !g.Messages[n-1].Whole() {
		g.Rest, g.Messages = &g.Messages[n-1], g.Messages[:n-1]
		if x.Ended.ByPeer() {
			g.addFault(GRPCPartialMessage, "the stream ends inside message %d: %s", n, g.Rest.Fault)
		}
	}
	for i, one := range g.Messages {
		if one.Fault != "" {
			g.addFault(GRPCBrokenMessage, "message %d: %s", i+1, one.Fault)
		}
	}
	h := m.Trailers()
	if whole && m.Framing.Kind == "none" {
		g.TrailersOnly, h = true, m.Header()
	} else if len(h[statusField]) == 0 && whole {
		if head := m.Header(); len(head[statusField]) > 0 { // stated too early; clients of all kinds see none
			g.addFault(GRPCNoTrailers, "the stream ended without trailers; a grpc-status stands in its head")
		}
	}
	g.readStatus(h[statusField], whole)
	g.readMessage(h)
	g.readDetails(h)
	streams, known := methodStreams(g.Method)
	g.Streams = streams && known && !(len(g.Messages) == 0 && g.Rest == nil && (g.Failed() || g.TrailersOnly)) || !known && len(g.Messages) > 1
	return g
}

func (g *GRPC) addFault(kind, format string, args ...any) {
	if len(g.Faults) < MaxFaults {
		g.Faults = append(g.Faults, GRPCFault{kind, fmt.Sprintf(format, args...)})
	}
}

// readStatus reads the number of the status. Of several the first one counts.
func (g *GRPC) readStatus(all []string, whole bool) {
	if len(all) == 0 {
		if whole {
			g.addFault(GRPCNoStatus, "no grpc-status came")
		}
		return
	}
	if len(all) > 1 {
		g.addFault(GRPCStatusTwice, "grpc-status is given %d times, as %s and as %s", len(all), QuoteOrDescribeLength(all[0]), QuoteOrDescribeLength(all[1]))
	}
	n, err := strconv.ParseUint(all[0], 10, 31)
	if err != nil {
		g.addFault(GRPCBadStatus, "grpc-status is %s", QuoteOrDescribeLength(all[0]))
		return
	}
	g.Coded, g.Code = true, int(n)
	if g.Status() == "" {
		g.addFault(GRPCUnknownStatus, "grpc-status is %d, and gRPC has 0 to %d", n, len(GRPCCodes)-1)
	}
}

// readMessage reads grpc-message. What is badly encoded is shown as it is, as clients do.
func (g *GRPC) readMessage(h map[string][]string) {
	if len(h[messageField]) == 0 {
		return
	}
	raw := h[messageField][0]
	text, err := url.PathUnescape(raw)
	if err != nil || !utf8.ValidString(text) || strings.ContainsFunc(removeSecretMarks(raw), func(r rune) bool { return r < ' ' || r > '~' }) {
		g.addFault(GRPCBadMessage, "grpc-message is %s, which is not percent-encoded UTF-8", QuoteOrDescribeLength(raw))
	}
	if err != nil {
		text = raw
	}
	g.Message = strings.ToValidUTF8(text, "\ufffd")
}

// readDetails reads the google.rpc.Status that may come with the status: a code, a
// text, and messages of any types.
func (g *GRPC) readDetails(h map[string][]string) {
	if len(h[detailsField]) == 0 {
		return
	}
	b, ok := DecodeBinaryField(h[detailsField][0])
	if !ok {
		g.addFault(GRPCBadDetails, "grpc-status-details-bin is no base64")
		return
	}
	code := int64(0)
	sound := EachProtobufField(b, func(f ProtobufField) {
		switch {
		case f.Num == 1 && !f.IsBytes:
			code = int64(int32(f.Number))
		case f.Num == 3 && f.IsBytes:
			var d GRPCDetail
			if !EachProtobufField(f.Content, func(f ProtobufField) {
				switch {
				case f.Num == 1 && f.IsBytes:
					d.TypeURL = strings.ToValidUTF8(string(f.Content), "\ufffd")
				case f.Num == 2 && f.IsBytes:
					d.Value = slices.Clone(f.Content)
				}
			}) {
				g.addFault(GRPCBadDetails, "a detail in grpc-status-details-bin is no message of the type google.protobuf.Any")
			}
			if len(g.Details) < maxDetails {
				g.Details = append(g.Details, d)
			}
		}
	})
	switch {
	case !sound:
		g.addFault(GRPCBadDetails, "grpc-status-details-bin is no message of the type google.rpc.Status")
		g.Details = nil
	case g.Coded && code != int64(g.Code):
		g.addFault(GRPCOtherDetails, "grpc-status-details-bin states the code %d, and grpc-status is %d", code, g.Code)
	}
}

const maxDetails = 100

// calledPath is the path that was called.
func (x *Exchange) calledPath() string {
	_, rest, _ := strings.Cut(startLine(x.Request.Head), " ")
	path, _, _ := strings.Cut(rest, " ")
	return path
}

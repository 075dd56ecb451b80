package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// overGRPC carries the calls of JSON-RPC that a client makes over gRPC, and brings back
// results and errors as JSON-RPC would. Of a stream it brings the messages as they come.
// A call that cannot be said in messages is not made.
type overGRPC struct {
	http.RoundTripper
	client grpc10
}

func (o overGRPC) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.URL.Path != "/" && r.URL.Path != "" {
		return o.RoundTripper.RoundTrip(r)
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	call, _ := decode(raw)
	method, request := messageOf(call)
	if method == nil {
		return answered(r, "", strings.NewReader("unsaid"), nil), nil
	}
	md := metadata.MD{}
	for name, values := range r.Header {
		if name = strings.ToLower(name); slices.Contains([]string{"authorization", "x-api-key", "a2a-version", "a2a-extensions"}, name) {
			md[name] = values
		}
	}
	if _, named := r.Header["Authorization"]; !named {
		md.Set("authorization", "Bearer "+Token)
	}
	ctx, stop := context.WithCancel(metadata.NewOutgoingContext(r.Context(), md))
	stream, err := o.client.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+string(method.Parent().FullName())+"/"+string(method.Name()))
	if err == nil {
		err = stream.SendMsg(request)
	}
	if err == nil || err == io.EOF {
		stream.CloseSend()
	}
	next := func() (any, error) {
		m := dynamicpb.NewMessage(method.Output())
		if stream == nil {
			return nil, err
		}
		if err := stream.RecvMsg(m); err != nil {
			return nil, err
		}
		return map[string]any{"jsonrpc": "2.0", "id": at(call, "id"), "result": jsonOf(o.client.t, m)}, nil
	}
	var head metadata.MD
	if stream != nil && method.IsStreamingServer() {
		head, _ = stream.Header() // none if the stream ended at once
	}
	if head == nil {
		first, err := next()
		if err != nil && err != io.EOF {
			first = failed(call, err)
		}
		stop()
		return answered(r, "application/json", bytes.NewReader(encode(first)), headOf(stream)), nil
	}
	out, in := io.Pipe()
	go func() { // the client need not wait for the first event to know that there is a stream
		defer stop()
		for {
			v, e := next()
			if e != nil && e != io.EOF {
				v = failed(call, e)
			}
			if v == nil {
				break
			}
			if _, lost := in.Write([]byte("data: " + string(encode(v)) + "\n\n")); lost != nil || e != nil {
				break
			}
		}
		in.Close()
	}()
	return answered(r, "text/event-stream", out, fields(head)), nil
}

// headOf is the metadata that a call which is over began and ended with.
func headOf(stream grpc.ClientStream) http.Header {
	if stream == nil {
		return http.Header{}
	}
	md, _ := stream.Header()
	return fields(md, stream.Trailer())
}

// fields are the header fields of metadata.
func fields(of ...metadata.MD) http.Header {
	h := http.Header{}
	for name, values := range metadata.Join(of...) {
		h[http.CanonicalHeaderKey(name)] = values
	}
	return h
}

// answered is a response of HTTP.
func answered(r *http.Request, media string, body io.Reader, h http.Header) *http.Response {
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", media)
	closer, ok := body.(io.ReadCloser)
	if !ok {
		closer = io.NopCloser(body)
	}
	return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: h, Body: closer, ContentLength: -1, Request: r}
}

// messageOf is a call as a method and its message; nil if it cannot be said so.
func messageOf(call any) (protoreflect.MethodDescriptor, *dynamicpb.Message) {
	service, err := a2a10Service()
	method := protoreflect.Name(text(call, "method"))
	if err != nil || !method.IsValid() || at(call, "id") == nil {
		return nil, nil
	}
	m := service.Methods().ByName(method)
	if m == nil {
		return nil, nil
	}
	request := dynamicpb.NewMessage(m.Input())
	read := protojson.UnmarshalOptions{DiscardUnknown: true}
	if params := at(call, "params"); params != nil && read.Unmarshal(encode(params), request) != nil {
		return nil, nil
	}
	return m, request
}

// failed is an error of gRPC as one of JSON-RPC.
func failed(call any, err error) any {
	s := status.Convert(err)
	list := []any{}
	for _, detail := range s.Proto().GetDetails() {
		if raw, err := protojson.Marshal(detail); err == nil {
			list = append(list, json.RawMessage(raw))
		}
	}
	return map[string]any{"jsonrpc": "2.0", "id": at(call, "id"), "error": map[string]any{"code": s.Code(), "message": s.Message(), "data": list}}
}

// unsayable are mutants that cannot show over gRPC, though they are not about one binding:
// what they change has no place in messages and metadata.
var unsayable = map[string]string{
	"list-artifacts-empty":          "an absent value, an empty one and a default are the same in a message",
	"list-total-left-out":           "an absent value, an empty one and a default are the same in a message",
	"list-token-null":               "an absent value, an empty one and a default are the same in a message",
	"list-token-left-out":           "an absent value, an empty one and a default are the same in a message",
	"list-empty-left-out":           "an absent value, an empty one and a default are the same in a message",
	"history-zero-empty":            "an absent value, an empty one and a default are the same in a message",
	"false-read-as-true":            "an absent value, an empty one and a default are the same in a message",
	"parts-may-be-empty":            "an absent value, an empty one and a default are the same in a message",
	"extended-card-params-demanded": "an absent value, an empty one and a default are the same in a message",
	"raw-unchecked":                 "every field has its type",
	"text-stringified":              "every field has its type",
	"wrong-type-internal":           "every field has its type",
	"metadata-unchecked":            "every field has its type",
	"message-as-text":               "every field has its type",
	"single-part-wrapped":           "every field has its type",
	"timestamp-offset":              "every field has its type",
	"malformed-id-traced":           "every field has its type",
	"list-since-unchecked":          "every field has its type",
	"list-status-unchecked":         "an enum is sent as a number",
	"role-unknown-accepted":         "an enum is sent as a number",
	"kinds-added":                   "a message has no members but its fields",
	"part-kinds-added":              "a message has no members but its fields",
	"update-kind-told":              "a message has no members but its fields",
	"stream-final-flag":             "a message has no members but its fields",
	"part-mime-type-told":           "a message has no members but its fields",
	"member-in-snake-case":          "a message has no members but its fields",
	"unknown-members-refused":       "a message has no members but its fields",
	"version-of-params":             "a message has no members but its fields",
	"part-last-content-wins":        "of the members of a oneof there is one",
	"part-two-contents":             "of the members of a oneof there is one",
	"version-not-required":          "there is no envelope",
	"stream-bare":                   "there is no envelope",
	"scalar-params-ignored":         "there is no envelope",
	"scalar-params-dropped":         "there is no envelope",
	"null-body-crashes":             "there is no envelope",
	"parse-error-deadly":            "there is no envelope",
	"missing-method-unknown":        "there is no envelope",
	"unknown-method-404":            "there is no envelope",
	"event-error-beside-result":     "there is no envelope",
	"event-ids-counted":             "there is no envelope",
	"event-id-wrong-at-times":       "there is no envelope",
	"event-id-of-task":              "there is no envelope",
	"resubscribe-old-id":            "there is no envelope",
	"events-unseparated":            "events are messages",
	"event-without-field":           "events are messages",
	"event-split":                   "events are messages",
	"stream-as-ndjson":              "HTTP alone has it",
	"timestamp-seconds":             "every field has its type",
	"list-of-state-artifacts-empty": "an empty list is not sent",
	"events-doubled":                "of the members of a oneof there is one",
	"method-number-unknown":         "there is no envelope",
	"extended-card-for-every-cache": "HTTP alone has it",
	"stream-as-json":                "HTTP alone has it",
	"stream-accepted":               "HTTP alone has it",
	"version-name-exact":            "metadata have names in lower case",
	"extension-name-exact":          "metadata have names in lower case",
}

// TestMutantsShowOverGRPC holds the conversations of the mutants that are not about one
// binding over gRPC.
func TestMutantsShowOverGRPC(t *testing.T) {
	t.Parallel()
	showOver(t, Options{GRPCAddr: "127.0.0.1:0"}, func(t *testing.T, s *Server, other http.RoundTripper) http.RoundTripper {
		return overGRPC{other, dialGRPC(t, s)}
	}, unsayable)
}

package reference

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// grpc10 makes calls of A2A over gRPC, of 1.0 unless it is told otherwise, with messages
// given and read as JSON.
type grpc10 struct {
	t       *testing.T
	conn    *grpc.ClientConn
	dials   *atomic.Int64     // connections that were made
	more    map[string]string // metadata
	service func() (protoreflect.ServiceDescriptor, error)
}

// dialGRPC connects to a server, by TLS where it is spoken to all.
func dialGRPC(t *testing.T, s *Server) grpc10 {
	t.Helper()
	secure := insecure.NewCredentials()
	if s.CA() != nil {
		secure = credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})
	}
	dials := new(atomic.Int64)
	dial := func(ctx context.Context, addr string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}
	conn, err := grpc.NewClient(s.GRPCAddr(), grpc.WithTransportCredentials(secure), grpc.WithContextDialer(dial),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16*maxBody)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return grpc10{t, conn, dials, map[string]string{"a2a-version": "1.0", "authorization": "Bearer " + Token}, a2a10Service}
}

// dialGRPC03 is dialGRPC for a server of A2A 0.3.
func dialGRPC03(t *testing.T, s *Server) grpc10 {
	t.Helper()
	c := dialGRPC(t, s).with("a2a-version", "")
	c.service = a2a03Service
	return c
}

// startGRPC10 starts a server with an address for gRPC too.
func startGRPC10(t *testing.T, variant string) (*Server, v10, grpc10) {
	t.Helper()
	s := start(t, Options{Dialect: "a2a-1.0", Variant: variant, GRPCAddr: "127.0.0.1:0"})
	return s, v10{t, s.URL() + "/", map[string]string{"A2A-Version": "1.0"}}, dialGRPC(t, s)
}

// with is the same client with one more of the metadata; an empty value leaves it out.
func (c grpc10) with(name, value string) grpc10 {
	more := map[string]string{}
	for n, v := range c.more {
		more[n] = v
	}
	if more[name] = value; value == "" {
		delete(more, name)
	}
	return grpc10{c.t, c.conn, c.dials, more, c.service}
}

// spoken is what came of a call of gRPC.
type spoken struct {
	results         []any
	header, trailer metadata.MD
	status          *status.Status
	unknown         bool // a message has fields that the definition does not know
}

// result is the only result of a call that succeeded.
func (s spoken) result(t *testing.T) any {
	t.Helper()
	if s.status.Code() != codes.OK || len(s.results) != 1 {
		t.Fatalf("the call ends with %v and %d results", s.status, len(s.results))
	}
	return s.results[0]
}

// call calls a method with a message given as JSON, and reads to the end.
func (c grpc10) call(method, params string) spoken {
	c.t.Helper()
	return c.follow(c.t.Context(), method, params, nil)
}

// follow is call in a context, and gives each message to seen, unless it is nil, as it comes.
func (c grpc10) follow(ctx context.Context, method, params string, seen func(any)) (s spoken) {
	c.t.Helper()
	service, err := c.service()
	if err != nil {
		c.t.Fatal(err)
	}
	m := service.Methods().ByName(protoreflect.Name(method))
	request := dynamicpb.NewMessage(m.Input())
	if err := protojson.Unmarshal([]byte(params), request); err != nil {
		c.t.Fatalf("%s with %s: %v", method, params, err)
	}
	ctx, stop := context.WithCancel(metadata.NewOutgoingContext(ctx, metadata.New(c.more)))
	defer stop()
	stream, err := c.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+string(service.FullName())+"/"+method)
	if err == nil {
		err = stream.SendMsg(request)
	}
	if err == nil || err == io.EOF {
		err = stream.CloseSend()
	}
	for err == nil {
		answer := dynamicpb.NewMessage(m.Output())
		if err = stream.RecvMsg(answer); err != nil {
			break
		}
		v := jsonOf(c.t, answer)
		s.unknown = s.unknown || hasUnknown(answer)
		s.results = append(s.results, v)
		if seen != nil {
			seen(v)
		}
	}
	if stream != nil {
		s.header, _ = stream.Header()
		s.trailer = stream.Trailer()
	}
	if s.status = status.Convert(err); err == io.EOF {
		s.status = status.New(codes.OK, "")
	}
	return s
}

func jsonOf(t *testing.T, m *dynamicpb.Message) any {
	t.Helper()
	raw, err := protojson.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	v, err := decode(wholeSeconds.ReplaceAll(raw, []byte("$1.000Z")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// wholeSeconds are times whose milliseconds are left out because they are none.
var wholeSeconds = regexp.MustCompile(`(\dT\d\d:\d\d:\d\d)Z`)

// hasUnknown reports whether a message, or one inside it, has unknown fields.
func hasUnknown(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) > 0
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				found = found || f.MapValue().Message() != nil && hasUnknown(v.Message())
				return true
			})
		case f.IsList():
			for i := range v.List().Len() {
				found = found || hasUnknown(v.List().Get(i).Message())
			}
		default:
			found = found || hasUnknown(v.Message())
		}
		return true
	})
	return found
}

// details are the details of a status by the names of their types, as JSON.
func details(t *testing.T, s *status.Status) map[string]any {
	t.Helper()
	list := map[string]any{}
	for _, detail := range s.Proto().GetDetails() {
		raw, err := protojson.Marshal(detail)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := decode(raw)
		_, name, _ := strings.Cut(detail.GetTypeUrl(), "google.rpc.")
		list[name] = v
	}
	return list
}

// refused expects a status and, unless it is none of the protocol, a reason.
func (c grpc10) refused(s spoken, code codes.Code, reason string) {
	c.t.Helper()
	if s.status.Code() != code || s.status.Message() == "" || len(s.results) > 0 {
		c.t.Errorf("the call ends with %v and %d results, want %v", s.status, len(s.results), code)
	}
	info := details(c.t, s.status)["ErrorInfo"]
	if text(info, "reason") != reason || reason != "" && text(info, "domain") != "a2a-protocol.org" {
		c.t.Errorf("the error says of itself %v, want %q", info, reason)
	}
}

package front

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// GRPCBinding is the binding GRPC of a dialect: its operations are the methods of a service.
//
// As with HTTP+JSON, a handler, a guard and a defect see calls and answers in the form of
// JSON-RPC. They are messages when they come in and when they go out.
type GRPCBinding struct {
	Service string                                         // its full name
	Define  func() (protoreflect.ServiceDescriptor, error) // reads the definition; called by a server with an address for gRPC only
	Faults  map[int]Fault                                  // by the code of JSON-RPC

	// These convert calls and objects between JSON-RPC and the service. Nil: they do not differ.
	Read  func(procedure string, params any) (method string, read any) // a call in the form of JSON-RPC
	Write func(x *Reply, result any) any                               // a result as the JSON of its message
	Judge func(x *Reply, code int, f Fault) Fault                      // what an error is called in this case
}

// rpc is one call of gRPC under way. Inside this server it is a request of HTTP, and what
// is written of a reply goes to it.
type rpc struct {
	stream  grpc.ServerStream
	binding *GRPCBinding
	method  protoreflect.MethodDescriptor
	call    any            // in the form of JSON-RPC
	end     *status.Status // what the call ends with
}

type rpcKey struct{}

// rpcOf returns the gRPC call of a request, nil if it came otherwise.
func rpcOf(r *http.Request) *rpc {
	c, _ := r.Context().Value(rpcKey{}).(*rpc)
	return c
}

// OverGRPC reports whether a request is a call of gRPC.
func OverGRPC(r *http.Request) bool { return rpcOf(r) != nil }

// listenGRPC serves gRPC at an address of its own.
func (s *Server) listenGRPC(addr string) error {
	b := s.dialect.GRPC
	if b == nil {
		return fmt.Errorf("%s is not served over gRPC", s.dialect.Name)
	}
	service, err := b.Define()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	s.grpcAddr = l.Addr().String()
	if !s.Mutant.PlainGRPC {
		if l, err = s.secure(l, "h2"); err != nil {
			return err
		}
	}
	if s.Mutant.DropsConnOnCancel {
		l = brittle{l}
	}
	whatever := func(_ any, stream grpc.ServerStream) error { return s.serveRPC(service, stream) }
	s.grpc = grpc.NewServer(grpc.UnknownServiceHandler(whatever), grpc.MaxRecvMsgSize(MaxBody), grpc.MaxConcurrentStreams(1000), grpc.ConnectionTimeout(10*time.Second))
	s.Exchanges.Go(func() { s.grpc.Serve(l) })
	return nil
}

// GRPCAddr returns the address of gRPC, as HOST:PORT; empty if it is not.
func (s *Server) GRPCAddr() string { return s.grpcAddr }

// serveRPC carries a call through the same gates as a request of HTTP.
func (s *Server) serveRPC(service protoreflect.ServiceDescriptor, stream grpc.ServerStream) (err error) {
	defer func() { // as the server of HTTP does
		if recover() != nil {
			err = status.Error(codes.Internal, "The server failed.")
		}
	}()
	ctx := stream.Context()
	c := &rpc{stream: stream, binding: s.dialect.GRPC, end: status.New(codes.Unavailable, "The server is closing.")}
	r := asRequest(ctx, c)
	if misread := s.Mutant.Procedure; misread != nil {
		misread(r)
	}
	name, method, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if c.method = service.Methods().ByName(protoreflect.Name(method)); name != c.binding.Service || c.method == nil {
		return status.Errorf(codes.Unimplemented, "There is no method %q of a service %q.", method, name)
	}
	m := dynamicpb.NewMessage(c.method.Input())
	if err := stream.RecvMsg(m); err != nil {
		switch {
		case ctx.Err() != nil:
			return err
		case status.Code(err) == codes.ResourceExhausted:
			return status.Error(codes.ResourceExhausted, "The request is too large.")
		}
		return status.Errorf(codes.InvalidArgument, "The request is no %s.", c.method.Input().Name())
	}
	params, err := tree(m)
	if err != nil {
		return status.Errorf(codes.InvalidArgument, "The request has no JSON form: %v", err)
	}
	if c.binding.Read != nil {
		method, params = c.binding.Read(method, params)
	}
	c.call = map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	s.handler.ServeHTTP(c, r)
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	return c.end.Err()
}

// asRequest is the request of HTTP that a call stands for: its metadata are the headers.
func asRequest(ctx context.Context, c *rpc) *http.Request {
	r := &http.Request{Method: http.MethodPost, Proto: "HTTP/2.0", ProtoMajor: 2, URL: &url.URL{}, Header: http.Header{}, Body: http.NoBody}
	r.URL.Path, _ = grpc.MethodFromServerStream(c.stream)
	md, _ := metadata.FromIncomingContext(ctx)
	for name, values := range md {
		for _, value := range values {
			r.Header.Add(name, value)
		}
	}
	if client, ok := peer.FromContext(ctx); ok {
		r.RemoteAddr = client.Addr.String()
	}
	return r.WithContext(context.WithValue(ctx, rpcKey{}, c))
}

// Header, Write and WriteHeader make a call what a handler of HTTP writes to. Whatever is
// sent over gRPC is sent as a whole reply.
func (c *rpc) Header() http.Header         { return http.Header{} }
func (c *rpc) Write(b []byte) (int, error) { return len(b), nil }
func (c *rpc) WriteHeader(int)             {}

// Defined reads the definition of a service. It does so once, when somebody asks for it.
func Defined(definition string) func() (protoreflect.ServiceDescriptor, error) {
	return sync.OnceValues(func() (protoreflect.ServiceDescriptor, error) {
		const name = "a2a.proto"
		sources := &protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{name: definition})}
		files, err := (&protocompile.Compiler{Resolver: protocompile.WithStandardImports(sources)}).Compile(context.Background(), name)
		if err != nil {
			return nil, err
		}
		return files[0].Services().Get(0), nil
	})
}

// Doors serve the methods of a service over gRPC and HTTP+JSON, and what is left elsewhere.
func Doors(operations *Service, elsewhere http.Handler) http.Handler {
	rpcs, rest := GrpcDoor{operations}, RESTDoor{operations}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case OverGRPC(r):
			rpcs.ServeHTTP(w, r)
		case operations.Server.OverREST(r):
			rest.ServeHTTP(w, r)
		default:
			elsewhere.ServeHTTP(w, r)
		}
	})
}

// GrpcDoor serves the methods of a service over gRPC.
type GrpcDoor struct{ *Service }

func (s GrpcDoor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.Server.newReply(r)
	if s.Head != nil {
		s.Head(x.Header, r)
	}
	x.Sent = Encode(x.rpc.call)
	if st := s.carry(x, x.rpc.call, GRPC); st != nil {
		s.Server.stream(w, x, st)
		return
	}
	x.write(w)
}

// A GRPCMessage is a reply or an event of gRPC on its way out: a message, or the status that
// ends the call.
type GRPCMessage struct {
	Reply   *Reply             // the reply, or the head of the stream
	Message *dynamicpb.Message // nil: there is none
	Failure *Failure           // nil: there is none
}

// parcel takes what is sent of an answer that has the form of JSON-RPC.
func (c *rpc) parcel(x *Reply, answer any) *GRPCMessage {
	p := &GRPCMessage{Reply: x}
	body := Generic(answer)
	switch e := Object(body, "error"); {
	case e != nil:
		p.Failure = c.binding.failure(e, x)
	case Has(body, "result"):
		result := At(body, "result")
		if c.binding.Write != nil {
			result = c.binding.Write(x, result)
		}
		p.Message = message(result, c.method.Output())
	case x.Status != http.StatusOK:
		p.Failure = c.binding.failure(map[string]any{"message": http.StatusText(x.Status)}, x)
	default:
		p.Failure = c.binding.failure(map[string]any{"message": "There is no answer."}, x)
	}
	if edit := x.Server.Mutant.GRPC; edit != nil {
		edit(p)
	}
	return p
}

// head sends the metadata that come before all else.
func (c *rpc) head(x *Reply) {
	if x.Server.Variant.Lavish {
		c.stream.SetHeader(metadata.Pairs("x-powered-by", "a2a-reference"))
		c.stream.SetTrailer(metadata.Pairs("x-lavish", "since always"))
		grpc.SetSendCompressor(c.stream.Context(), gzip.Name) // where the client takes it
	}
	for name, values := range x.Header {
		switch name {
		case "Content-Type", "Cache-Control", "Strict-Transport-Security": // of HTTP
		default:
			c.stream.SetHeader(metadata.MD{strings.ToLower(name): values})
		}
	}
}

// reply sends a reply that is no stream.
func (c *rpc) reply(x *Reply) {
	c.head(x)
	answer := x.Body
	if x.Raw != nil { // another spelling of the answer, or no answer
		answer, _ = Decode(x.Raw)
	}
	c.send(c.parcel(x, answer))
	if x.Hang {
		<-x.HTTP.Context().Done()
	}
}

func (c *rpc) send(p *GRPCMessage) {
	c.end = status.New(codes.OK, "")
	if p.Message != nil {
		if err := c.stream.SendMsg(p.Message); err != nil {
			c.end = status.Convert(err)
		}
	}
	if p.Failure != nil {
		c.end = p.Failure.status()
	}
}

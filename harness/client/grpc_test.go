package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// grpcServer serves a service whose every method is handle, by another author's
// implementation of gRPC.
func grpcServer(t *testing.T, handle func(method string, in string, s grpc.ServerStream) error, options ...grpc.ServerOption) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	options = append(options, grpc.UnknownServiceHandler(func(_ any, s grpc.ServerStream) error {
		in := &wrapperspb.StringValue{}
		if err := s.RecvMsg(in); err != nil {
			return err
		}
		path, _ := grpc.MethodFromServerStream(s)
		return handle(path[strings.LastIndex(path, "/")+1:], in.Value, s)
	}))
	s := grpc.NewServer(options...)
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.Serve(l)
	}()
	t.Cleanup(func() { s.Stop(); <-served })
	return "http://" + l.Addr().String()
}

// rpc is a call of a method with a text.
func rpc(url, method, text string) Call {
	b, _ := proto.Marshal(wrapperspb.String(text))
	return Call{Method: "POST", URL: url + "/wire.test/" + method, HTTP2: true, Body: record.FrameGRPC(b), Header: http.Header{"Content-Type": {"application/grpc"}}}
}

// texts is a translator of messages that are one text each.
type oneText struct{}

func (oneText) JSON(_ string, _ bool, payload []byte) ([]byte, error) {
	m := &wrapperspb.StringValue{}
	if err := proto.Unmarshal(payload, m); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]string{"text": m.Value})
}

func (oneText) Detail(d record.GRPCDetail) ([]byte, error) {
	return protojson.Marshal(&anypb.Any{TypeUrl: d.TypeURL, Value: d.Value})
}

func (oneText) Streams(method string) bool { return strings.HasPrefix(method, "Stream") }

func init() { record.Translate("wire.test", oneText{}) }

// value is the text in a message that is one text.
func value(t *testing.T, m record.GRPCMessage) string {
	t.Helper()
	v := &wrapperspb.StringValue{}
	if err := proto.Unmarshal(m.Payload, v); err != nil || m.Fault != "" {
		t.Fatalf("%+v: %v", m.GRPCPrefix, err)
	}
	return v.Value
}

// back is an exchange after it was written and read.
func back(t *testing.T, x *record.Exchange) *record.Exchange {
	t.Helper()
	tr := &record.Transcript{Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Exchanges: []*record.Exchange{x}}
	tr.Seal()
	text := writeHAR(t, tr)
	read, err := record.ReadHAR(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	y := read.Exchanges[0]
	want := &record.Exchange{ID: x.ID, Dir: x.Dir, URL: x.URL, Conn: x.Conn, Start: x.Start, End: x.End, Ended: x.Ended,
		Trouble: x.Trouble, Attempts: x.Attempts, Request: x.Request, Response: x.Response, TLS: x.TLS, HTTP2: x.HTTP2}
	if !reflect.DeepEqual(y, want) {
		t.Fatalf("it is read back as\n%+v\nand was\n%+v", y, want)
	}
	if again := writeHAR(t, read); !bytes.Equal(text, again) {
		t.Error("what was read is written otherwise")
	}
	return y
}

// writeHAR returns a transcript as a HAR file.
func writeHAR(t *testing.T, tr *record.Transcript) []byte {
	t.Helper()
	tr.Seal()
	var b bytes.Buffer
	if err := record.WriteHAR(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sentFrames are the types of the frames of one side.
func frameTypes(x *record.Exchange, sent bool) string {
	var out []string
	for _, f := range x.HTTP2.Frames {
		if f.Sent == sent {
			out = append(out, f.Type)
		}
	}
	return strings.Join(out, " ")
}

func TestUnaryCall(t *testing.T) {
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(s.Context())
		s.SetHeader(metadata.Pairs("x-head", "e", "echo", strings.Join(md["a2a-version"], "|")))
		s.SetTrailer(metadata.Pairs("x-tail", "1", "x-tail", "2", "x-blob-bin", "\x00\xff"))
		return s.SendMsg(wrapperspb.String("echo " + in))
	})
	call := rpc(url, "Echo", "hello")
	call.Header["a2a-version"] = []string{"1.0"}
	x := newClient(t).Do(t.Context(), call, nil)
	for name, x := range map[string]*record.Exchange{"recorded": x, "read back": back(t, x)} {
		g := x.GRPC()
		if x.Ended != record.EOF || x.Trouble != "" || g == nil || g.Status() != "OK" || g.Code != 0 || len(g.Faults) > 0 || len(x.Response.Framing.Faults) > 0 || g.TrailersOnly || g.Streams {
			t.Fatalf("%s: %s (%s) %+v, %q", name, x.Ended, x.Trouble, g, x.Response.Framing.Faults)
		}
		if !x.Answered() || x.Status() != 200 || x.Response.Proto() != "HTTP/2" || x.Response.MediaType() != "application/grpc" || !x.Posted() || x.IsStream() || x.Conn == 0 {
			t.Errorf("%s: %q", name, x.Response.Head)
		}
		if len(g.Messages) != 1 || value(t, g.Messages[0]) != "echo hello" || g.Messages[0].Declared != 12 || g.Messages[0].Received != 12 || g.Messages[0].At <= x.Start || g.Messages[0].At > x.End {
			t.Errorf("%s: %+v", name, g.Messages)
		}
		if sent := x.Request.GRPCMessages(); len(sent) != 1 || value(t, sent[0]) != "hello" {
			t.Errorf("%s: sent %+v", name, sent)
		}
		if h := x.Response.Header(); h.Get("Echo") != "1.0" || h.Get("X-Head") != "e" {
			t.Errorf("%s: head %v", name, h)
		}
		if h := x.Response.Trailers(); fmt.Sprint(h["X-Tail"]) != "[1 2]" || h.Get("X-Blob-Bin") != "AP8" || h.Get("Grpc-Status") != "0" {
			t.Errorf("%s: trailers %v", name, h)
		}
		if text := x.Reply().Root.Member("text"); text == nil || text.String != "echo hello" || x.Call().Root.Member("text").String != "hello" {
			t.Errorf("%s: the reply is %+v", name, x.Reply())
		}
		if h := x.Request.Header(); h[":path"][0] != "/wire.test/Echo" || h[":method"][0] != "POST" || h.Get("Grpc-Timeout") == "" || h.Get("Te") != "trailers" {
			t.Errorf("%s: the request is %q", name, x.Request.Head)
		}
		if got := frameTypes(x, true); !strings.HasPrefix(got, "SETTINGS WINDOW_UPDATE HEADERS") || !strings.Contains(got, "DATA") || !strings.HasSuffix(got, "GOAWAY") || strings.Contains(got, "RST_STREAM") {
			t.Errorf("%s: we sent %s", name, got)
		}
		if got := frameTypes(x, false); !strings.HasPrefix(got, "SETTINGS") || !strings.Contains(got, "HEADERS DATA HEADERS") {
			t.Errorf("%s: they sent %s", name, got)
		}
	}
}

// What viewers of the file see of a call are messages as JSON, and fields in lines.
func TestGRPCForViewers(t *testing.T) {
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		s.SendMsg(wrapperspb.String("one"))
		s.SendMsg(wrapperspb.String("two"))
		return status.Error(codes.NotFound, "no more")
	})
	x := newClient(t).Do(t.Context(), rpc(url, "StreamSome", "go"), nil)
	type pair struct{ Name, Value string }
	var file struct {
		Log struct {
			Entries []struct {
				Request struct {
					HTTPVersion, Method string
					PostData            struct{ Text string }
					Headers             []pair
				}
				Response struct {
					HTTPVersion string
					Status      int
					Content     struct{ Text string }
					Trailers    []pair `json:"_trailers"`
				}
			}
		}
	}
	if err := json.Unmarshal(writeHAR(t, &record.Transcript{Started: time.Now(), Exchanges: []*record.Exchange{x}}), &file); err != nil {
		t.Fatal(err)
	}
	e := file.Log.Entries[0]
	if e.Request.HTTPVersion != "HTTP/2" || e.Request.Method != "POST" || e.Request.PostData.Text != `{"text":"go"}` || e.Request.Headers[0] != (pair{":method", "POST"}) {
		t.Errorf("%+v %+v", e.Request, e.Request.PostData)
	}
	if want := "{\"text\":\"one\"}\n{\"text\":\"two\"}\n" + `{"error":{"code":5,"status":"NOT_FOUND","message":"no more"}}`; e.Response.Content.Text != want {
		t.Errorf("got %s", e.Response.Content.Text)
	}
	if e.Response.HTTPVersion != "HTTP/2" || e.Response.Status != 200 || len(e.Response.Trailers) < 2 {
		t.Errorf("%+v", e.Response)
	}
}

func TestStreamingCall(t *testing.T) {
	next := make(chan struct{})
	url := grpcServer(t, func(method, in string, s grpc.ServerStream) error {
		for i := range 3 {
			if err := s.SendMsg(wrapperspb.String(fmt.Sprint(i))); err != nil {
				return err
			}
			<-next
		}
		return nil
	})
	var seen []string
	call := rpc(url, "StreamThree", "")
	reader := call.Events()
	x := newClient(t).Do(t.Context(), call, func(p []byte, at record.Instant) bool {
		for _, e := range reader.Feed(p, at) {
			seen = append(seen, e.Root.Member("text").String)
			next <- struct{}{}
		}
		return true
	})
	events := back(t, x).Events()
	if fmt.Sprint(seen) != "[0 1 2]" || !x.IsStream() || len(events) != 3 || x.Rest() != nil {
		t.Fatalf("%v; %s (%s): %+v", seen, x.Ended, x.Trouble, events)
	}
	for i, e := range events {
		if e.Root.Member("text").String != fmt.Sprint(i) || !e.HasData || i > 0 && e.At <= events[i-1].At || e.At != x.GRPC().Messages[i].At {
			t.Errorf("event %d is %+v", i, e)
		}
	}
}

// Events are read alike while they arrive and from the record, whatever carries them.
func TestEventsAsTheyArrive(t *testing.T) {
	var body []byte
	r := Call{Method: "POST", URL: "http://h/"}.Events()
	for _, p := range []string{": hi\n\nda", "ta: {\"a\":1}\n", "\n"} {
		for i, e := range r.Feed([]byte(p), 1) {
			if body = append(body, e.Data...); i > 0 || e.HasData != (e.Root != nil) {
				t.Errorf("%+v", e)
			}
		}
	}
	if string(body) != `{"a":1}` {
		t.Errorf("%q", body)
	}
	call := rpc("http://h", "StreamTwo", "")
	r = call.Events()
	both := append(record.FrameGRPC(message("one")), compressed(zipped(string(message("two")), 1))...)
	if e := r.Feed(both, 1); len(e) != 2 || e[0].Root.Member("text").String != "one" || e[1].Root.Member("text").String != "two" || e[1].Start != e[0].End {
		t.Errorf("%+v", e)
	}
}

// A message of a record can be exchanged for another one.
func TestReframe(t *testing.T) {
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		s.SendMsg(wrapperspb.String("one"))
		return s.SendMsg(wrapperspb.String("two"))
	})
	x := newClient(t).Do(t.Context(), rpc(url, "StreamTwo", ""), nil)
	y := back(t, x.Reframe(1, message("second")))
	if e := y.Events(); len(e) != 2 || e[0].Data != `{"text":"one"}` || e[1].Data != `{"text":"second"}` || e[1].At != x.Events()[1].At || len(y.GRPC().Faults) > 0 {
		t.Errorf("%+v", e)
	}
	if got := y.Response.Framing.Received - x.Response.Framing.Received; got != 3 || x.Events()[1].Data != `{"text":"two"}` {
		t.Errorf("%d bytes more", got)
	}
}

// A stream that is refused is an error, and one that fails later ends with it.
func TestStreamsThatFail(t *testing.T) {
	url := grpcServer(t, func(method, in string, s grpc.ServerStream) error {
		if in != "" {
			s.SendMsg(wrapperspb.String(in))
		}
		return status.Error(codes.ResourceExhausted, "50% – done")
	})
	refused := back(t, newClient(t).Do(t.Context(), rpc(url, "StreamNone", ""), nil))
	if g := refused.GRPC(); refused.IsStream() || !g.TrailersOnly || g.Status() != "RESOURCE_EXHAUSTED" || g.Message != "50% – done" || len(g.Faults) > 0 {
		t.Errorf("%+v %v", g, refused.IsStream())
	}
	if e := refused.Reply().Root.Member("error"); e == nil || e.Member("code").Number != "8" || e.Member("status").String != "RESOURCE_EXHAUSTED" || e.Member("message").String != "50% – done" {
		t.Errorf("%+v", refused.Reply())
	}
	failed := newClient(t).Do(t.Context(), rpc(url, "StreamOne", "one"), nil)
	if e := failed.Events(); !failed.IsStream() || len(e) != 2 || e[0].Root.Member("text").String != "one" || e[1].Root.Member("error").Member("code").Number != "8" {
		t.Errorf("%+v", e)
	}
}

func TestStatusDetails(t *testing.T) {
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		st, err := status.New(codes.NotFound, "no such task").WithDetails(&errdetails.ErrorInfo{Reason: "TASK_NOT_FOUND", Domain: "a2a-protocol.org"}, wrapperspb.String("second"))
		if err != nil {
			return err
		}
		return st.Err()
	})
	x := back(t, newClient(t).Do(t.Context(), rpc(url, "Get", ""), nil))
	g := x.GRPC()
	info := &errdetails.ErrorInfo{}
	if len(g.Faults) > 0 || len(g.Details) != 2 || !strings.HasSuffix(g.Details[0].TypeURL, "/google.rpc.ErrorInfo") || proto.Unmarshal(g.Details[0].Value, info) != nil || info.Reason != "TASK_NOT_FOUND" {
		t.Fatalf("%+v", g)
	}
	details := x.Reply().Root.Member("error").Member("details")
	if len(details.Elems) != 2 || details.Elems[0].Member("reason").String != "TASK_NOT_FOUND" || !strings.HasSuffix(details.Elems[1].Member("@type").String, "StringValue") {
		t.Errorf("%+v", x.Reply())
	}
}

// A server may compress where the call says so; what it says is in the record.
func TestCompressionAccepted(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		if err := grpc.SetSendCompressor(s.Context(), "gzip"); err != nil {
			return s.SendMsg(wrapperspb.String(err.Error()))
		}
		return s.SendMsg(wrapperspb.String(long))
	})
	call := rpc(url, "Long", "")
	call.Header["Grpc-Accept-Encoding"] = []string{"gzip"}
	x := back(t, newClient(t).Do(t.Context(), call, nil))
	if m := x.GRPC().Messages[0]; m.Flag != 1 || value(t, m) != long || m.Received >= int64(m.Size) || m.Declared != m.Received || len(x.GRPC().Faults) > 0 {
		t.Errorf("%+v", m.GRPCPrefix)
	}
	if x := newClient(t).Do(t.Context(), rpc(url, "Long", ""), nil); !strings.Contains(value(t, x.GRPC().Messages[0]), "not support") {
		t.Errorf("%q", x.Response.Body)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	b, _ := proto.Marshal(wrapperspb.String("zipped"))
	z.Write(b)
	z.Close()
	call = rpc(url, "Long", "")
	call.Body = record.FrameGRPC(zipped.Bytes())
	call.Body[0] = 1
	call.Header["Grpc-Encoding"] = []string{"gzip"}
	x = newClient(t).Do(t.Context(), call, nil)
	if x.GRPC().Status() != "OK" || value(t, x.Request.GRPCMessages()[0]) != "zipped" {
		t.Errorf("%+v", x.GRPC())
	}
	call = rpc(url, "Long", "")
	call.Body[0] = 1
	call.Header["Grpc-Encoding"] = []string{"snappy"}
	x = newClient(t).Do(t.Context(), call, nil)
	if x.GRPC().Status() != "UNIMPLEMENTED" {
		t.Errorf("%+v", x.GRPC())
	}
}

// Where we have seen enough the server learns that the call is cancelled.
func TestCancelledStream(t *testing.T) {
	cancelled := make(chan error, 1)
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		s.SendMsg(wrapperspb.String("first"))
		<-s.Context().Done()
		cancelled <- s.Context().Err()
		return nil
	})
	client := newClient(t)
	x := client.Do(t.Context(), rpc(url, "StreamOn", ""), func([]byte, record.Instant) bool { return false })
	if <-cancelled; x.Ended != record.OurClose || len(x.Events()) != 1 || x.Trouble != "" {
		t.Errorf("%s (%s) %v", x.Ended, x.Trouble, x.Events())
	}
	if got := frameTypes(x, true); !strings.HasSuffix(got, "GOAWAY") || !strings.Contains(got, "RST_STREAM PING") || x.HTTP2.Lost != "" {
		t.Errorf("we sent %s %s", got, x.HTTP2.Lost)
	}
	if got := frameTypes(x, false); !strings.Contains(got, "PING") { // the answer to ours
		t.Errorf("we got %s", got)
	}
	stop := make(chan struct{})
	call := rpc(url, "StreamOn", "")
	call.Stop = stop
	x = client.Do(t.Context(), call, func([]byte, record.Instant) bool { close(stop); return true })
	if <-cancelled; x.Ended != record.OurClose || back(t, x).Ended != record.OurClose {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
	if f := x.HTTP2.Frames[len(x.HTTP2.Frames)-2]; f.Type != "RST_STREAM" || f.Code != "CANCEL" || !f.Sent {
		t.Errorf("%+v", f)
	}
}

func TestDeadlines(t *testing.T) {
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		until, told := s.Context().Deadline()
		if in == "tell" {
			return s.SendMsg(wrapperspb.String(fmt.Sprint(told, told && time.Until(until) <= time.Minute+grpcTimeoutSlack)))
		}
		<-s.Context().Done()
		return status.FromContextError(s.Context().Err()).Err()
	})
	client := newClient(t)
	call := rpc(url, "Wait", "tell")
	call.Timeout = time.Minute
	if x := client.Do(t.Context(), call, nil); value(t, x.GRPC().Messages[0]) != "true true" {
		t.Errorf("%q", x.Request.Head)
	}
	call.Header["Grpc-Timeout"] = nil
	if x := client.Do(t.Context(), call, nil); value(t, x.GRPC().Messages[0]) != "false false" {
		t.Errorf("%q", x.Request.Head)
	}
	call = rpc(url, "Wait", "")
	call.Header["Grpc-Timeout"] = []string{"30m"}
	// The server says so, or resets the stream, whichever its clock does first.
	if x := client.Do(t.Context(), call, nil); x.GRPC().Status() != "DEADLINE_EXCEEDED" && (x.Ended != record.Reset || x.HTTP2.Ending().Code != "CANCEL") {
		t.Errorf("%s (%s) %+v", x.Ended, x.Trouble, x.GRPC())
	}
	call.Header["Grpc-Timeout"], call.Timeout = nil, 50*time.Millisecond
	if x := client.Do(t.Context(), call, nil); x.Ended != record.Timeout || x.Answered() || !strings.HasSuffix(frameTypes(x, true), "RST_STREAM GOAWAY") {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if x := client.Do(ctx, rpc(url, "Wait", ""), nil); x.Ended != record.Aborted {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
	for d, want := range map[time.Duration]string{time.Microsecond: "1m", 1500 * time.Microsecond: "2m", 30 * time.Hour: "108000S", 48 * time.Hour: "172800S", time.Second: "1000m"} {
		if got := grpcTimeout(d); got != want && d < 27*time.Hour {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

// Large calls go by the windows of the server, and large answers by ours.
func TestFlowControl(t *testing.T) {
	t.Parallel()
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error { return s.SendMsg(wrapperspb.String(in + in)) },
		grpc.MaxRecvMsgSize(64<<20), grpc.MaxSendMsgSize(64<<20))
	text := strings.Repeat("0123456789abcdef", 200<<10) // 3.2 MB
	x := newClient(t).Do(t.Context(), rpc(url, "Echo", text), nil)
	if x.Ended != record.EOF || x.GRPC().Status() != "OK" || value(t, x.GRPC().Messages[0]) != text+text || len(x.Response.Framing.Faults) > 0 {
		t.Fatalf("%s (%s) %q", x.Ended, x.Trouble, x.Response.Framing.Faults)
	}
	if !strings.Contains(frameTypes(x, false), "WINDOW_UPDATE") || strings.Count(frameTypes(x, true), "WINDOW_UPDATE") < 5 {
		t.Errorf("%s, %s", frameTypes(x, true), frameTypes(x, false))
	}
	x = newClient(t).Do(t.Context(), rpc(url, "Echo", text+text), nil)
	if x.Ended != record.Limit || len(x.Response.Body) > record.CutHead {
		t.Errorf("%s (%s): %d bytes", x.Ended, x.Trouble, len(x.Response.Body))
	}
	back(t, x)
}

func TestGRPCByTLS(t *testing.T) {
	front := httptest.NewUnstartedServer(nil) // for its certificate
	front.StartTLS()
	front.Close()
	cert := front.TLS.Certificates[0]
	roots := x509.NewCertPool()
	roots.AddCert(front.Certificate())
	peers := make(chan int, 10)
	plain := grpcServer(t, func(_, in string, s grpc.ServerStream) error { return s.SendMsg(wrapperspb.String(in)) })
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error { return s.SendMsg(wrapperspb.String(in)) },
		grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequestClientCert,
			VerifyConnection: func(s tls.ConnectionState) error { peers <- len(s.PeerCertificates); return nil }})))
	client := NewClient(Config{Started: time.Now(), TLS: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{cert}}})
	defer client.Close()
	host := strings.TrimPrefix(url, "http:")
	for _, scheme := range []string{"https:", ""} {
		x := client.Do(t.Context(), rpc(scheme+host, "Echo", "x"), nil)
		if x.Ended != record.EOF || x.TLS == nil || !x.TLS.Verified || x.HTTP2.ALPN != "h2" || x.HTTP2.NoTLS != "" || !strings.HasPrefix(x.URL, "https://127.") || <-peers != 1 {
			t.Errorf("%s: %s (%s) %+v", scheme, x.Ended, x.Trouble, x.HTTP2)
		}
		back(t, x)
	}
	line := client.Line(true)
	defer line.Close()
	call := rpc("https:"+host, "Echo", "x")
	call.Line = line
	if x := client.Do(t.Context(), call, nil); x.Ended != record.EOF || <-peers != 0 {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
	// Where nobody speaks TLS the call goes out in plain, and later ones at once.
	for range 2 {
		x := client.Do(t.Context(), rpc(strings.TrimPrefix(plain, "http:"), "Echo", "x"), nil)
		if x.Ended != record.EOF || x.TLS != nil || !strings.HasPrefix(x.HTTP2.NoTLS, record.HandshakeTrouble) || !strings.HasPrefix(x.URL, "http://127.") || x.GRPC().Status() != "OK" {
			t.Errorf("%s (%s) %+v", x.Ended, x.Trouble, x.HTTP2)
		}
		back(t, x)
	}
	// Who shows a certificate that does not hold does speak TLS.
	strict := NewClient(Config{Started: time.Now(), TLS: &tls.Config{RootCAs: x509.NewCertPool()}})
	defer strict.Close()
	if x := strict.Do(t.Context(), rpc(host, "Echo", "x"), nil); x.Ended != record.NoDial || !strings.Contains(x.Trouble, "certificate") || !strings.HasPrefix(x.URL, "https://") || x.Refused() {
		t.Errorf("%s (%s) %s %v", x.Ended, x.Trouble, x.URL, x.Refused())
	}
	if x := strict.Do(t.Context(), rpc("http:"+host, "Echo", "x"), nil); x.Ended != record.Reset && x.Ended != record.Timeout {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
}

// farAway is a connection whose other end is not on this machine, as it says.
type farAway struct{ net.Conn }

func (farAway) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }

func TestCredentialsInPlain(t *testing.T) {
	secret := Config{Redact: redact.NewRedactor([]redact.Secret{{Name: "bearer", Value: "tok-12345678"}}, "made up")}
	open := []byte("POST / HTTP/2\r\nx: y\r\n\r\n")
	for name, c := range map[string]struct {
		head     string
		cfg      Config
		secured  bool
		conn     net.Conn
		withheld bool
	}{
		"none":             {"x: y", secret, false, farAway{}, false},
		"credentials":      {"authorization: Bearer abc", secret, false, farAway{}, true},
		"a known secret":   {"x: tok-12345678", secret, false, farAway{}, true},
		"made up":          {"x-api-key: made up", secret, false, farAway{}, false},
		"by TLS":           {"authorization: Bearer abc", secret, true, farAway{}, false},
		"told to":          {"authorization: Bearer abc", Config{Redact: secret.Redact, TLS: &tls.Config{InsecureSkipVerify: true}}, false, farAway{}, false},
		"to this machine":  {"authorization: Bearer abc", secret, false, here{}, false},
		"through a proxy":  {"authorization: Bearer abc", secret, false, tunnel{here{}, "127.0.0.1:80"}, true},
		"nothing is known": {"authorization: Bearer abc", Config{}, false, farAway{}, true},
	} {
		client := NewClient(c.cfg)
		head := bytes.Replace(open, []byte("x: y"), []byte(c.head), 1)
		if why := client.refuseExposedCredentials(c.conn, c.secured, head); (why != "") != c.withheld {
			t.Errorf("%s: %q", name, why)
		}
		client.Close()
	}
}

type here struct{ net.Conn }

func (here) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv6loopback, Port: 1} }

// A call that is no gRPC is one of HTTP/2 all the same.
func TestPlainHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Trailer", "X-Sum")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusTeapot)
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"proto":%q,"body":%q}`, r.Proto, body)
		w.Header().Set("X-Sum", "3")
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	client := NewClient(Config{Started: time.Now(), TLS: &tls.Config{RootCAs: roots}})
	defer client.Close()
	x := client.Do(t.Context(), Call{Method: "PUT", URL: s.URL + "/a?b=c", HTTP2: true, Body: []byte("text")}, nil)
	if x.Status() != 418 || x.GRPC() != nil || x.IsStream() || x.Reply().Root.Member("body").String != "text" || x.Response.Trailers().Get("X-Sum") != "3" || fmt.Sprint(x.Response.Framing.Interim) != "[103]" {
		t.Errorf("%s (%s) %q %q", x.Ended, x.Trouble, x.Response.Head, x.Response.Body)
	}
	back(t, x)
	x = client.Do(t.Context(), Call{Method: "GET", URL: s.URL, HTTP2: true}, nil)
	if x.Status() != 418 || x.Reply().Root.Member("body").String != "" {
		t.Errorf("%s (%s) %q", x.Ended, x.Trouble, x.Response.Body)
	}
	for _, url := range []string{"", "127.0.0.1:1/x", "ftp://h/", "https:///x", "%"} {
		if x := client.Do(t.Context(), Call{Method: "GET", URL: url, HTTP2: true}, nil); x.Ended != record.Unsent {
			t.Errorf("%q: %s (%s)", url, x.Ended, x.Trouble)
		}
	}
}

// Secrets that come back are taken out, and what is left can still be read.
func TestSecretsInGRPC(t *testing.T) {
	const secret = "tok-1234567890abcdef"
	url := grpcServer(t, func(_, in string, s grpc.ServerStream) error {
		md, _ := metadata.FromIncomingContext(s.Context())
		grpc.SetSendCompressor(s.Context(), "gzip")
		s.SetHeader(metadata.Pairs("x-echo", md["x-token"][0], "x-echo-bin", "\x0a\x14"+secret))
		s.SendMsg(wrapperspb.String("you sent " + md["x-token"][0] + ", didn't you"))
		s.SendMsg(wrapperspb.String("in: " + in))
		st, _ := status.New(codes.PermissionDenied, "no: "+secret).WithDetails(&errdetails.ErrorInfo{Reason: "SEEN", Domain: secret})
		return st.Err()
	})
	client := NewClient(Config{Started: time.Now(), Redact: redact.NewRedactor([]redact.Secret{{Name: "bearer", Value: secret}})})
	defer client.Close()
	call := rpc(url, "StreamSecrets", secret)
	call.Header["X-Token"] = []string{secret}
	call.Header["Authorization"] = []string{"Bearer unknown-to-all"}
	call.Header["Grpc-Accept-Encoding"] = []string{"gzip"}
	x := back(t, client.Do(t.Context(), call, nil))
	if len(x.GRPC().Faults) > 0 || len(x.Events()) != 3 {
		t.Fatalf("%s (%s) %+v", x.Ended, x.Trouble, x.GRPC())
	}
	if got := value(t, x.GRPC().Messages[0]); got != "you sent ⟦secret:bearer⟧..., didn't you" && !strings.HasPrefix(got, "you sent ⟦secret:bearer") {
		t.Errorf("got %s", got)
	}
	if g := x.GRPC(); len(g.Details) != 1 || !strings.Contains(string(g.Details[0].Value), "⟦secret:bear") || !strings.Contains(g.Message, "⟦secret:bearer⟧") {
		t.Errorf("%+v", g)
	}
	tr := &record.Transcript{Started: time.Now(), Exchanges: []*record.Exchange{x}}
	tr.Seal()
	text := writeHAR(t, tr)
	type raw struct {
		Raw struct{ Head, Body, Trailer []byte } `json:"_raw"`
	}
	var halves struct {
		Log struct {
			Entries []struct{ Request, Response raw }
		}
	}
	if err := json.Unmarshal(text, &halves); err != nil {
		t.Fatal(err)
	}
	e := halves.Log.Entries[0]
	all := bytes.Join([][]byte{text, e.Request.Raw.Head, e.Request.Raw.Body, e.Response.Raw.Head, e.Response.Raw.Body, e.Response.Raw.Trailer}, nil)
	for _, known := range []string{secret, secret[4:12], "unknown-to-all"} {
		if bytes.Contains(all, []byte(known)) {
			t.Errorf("%q is in the record", known)
		}
	}
}

package serve

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// callOverGRPC makes a client that sends its text over gRPC if the card has that alone, by a stream if the card offers streams, and
// else over JSON-RPC. It prints what comes.
func callOverGRPC(t *testing.T, d *schema.Dialect, has bool) func(ctx context.Context, task *Task) error {
	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context, task *Task) error {
		c := newHTTP2Client(t)
		defer c.CloseIdleConnections()
		card := object{}
		resp, err := plain.Get(task.Card)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&card); err != nil {
			return err
		}
		name, at := "JSONRPC", strings.Replace(task.RPC, "grpc", "http", 1)
		if strings.Contains(task.RPC, rpcPath) == strings.HasPrefix(task.Scenario, "only-grpc") {
			return fmt.Errorf("the first interface is at %s", task.RPC)
		}
		if strings.HasPrefix(task.Scenario, "only-grpc") {
			if name = overGRPC; !has {
				return errors.New("the client has no such binding")
			}
		}
		op := "send"
		if card["capabilities"].(object)["streaming"] == true {
			op = "stream"
		}
		message := object{"messageId": "m-1", "role": "ROLE_USER", "parts": []any{object{"text": task.Text}}}
		if d.Name == a2a03 {
			message = object{"kind": "message", "messageId": "m-1", "role": "user", "parts": []any{object{"kind": "text", "text": task.Text}}}
		}
		call, err := binding.ByNameOrDefault(d, name).Encode(at, binding.Request{Op: op, ID: "1", Params: object{"message": message}})
		if err != nil {
			return err
		}
		url := call.URL
		if strings.HasPrefix(url, "//") {
			url = "http:" + url
		}
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(call.Body))
		if err != nil {
			return err
		}
		q.Header = call.Header
		sender := plain
		if name == overGRPC {
			sender = c
		}
		reply, err := sender.Do(q)
		if err != nil {
			return err
		}
		defer reply.Body.Close()
		io.Copy(task.Stdout, reply.Body)
		if status := reply.Header.Get("Grpc-Status") + reply.Trailer.Get("Grpc-Status"); name == overGRPC && status != "0" {
			return fmt.Errorf("the call ended with the status %s", status)
		}
		return nil
	}
}

// playGRPC plays scenarios with such a client.
func playGRPC(t *testing.T, dialect string, has bool, scenarios ...string) *record.Transcript {
	t.Helper()
	d, err := schema.LoadClient(dialect)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := Run(t.Context(), Config{Dialect: d, Command: []string{"a client"}, Func: callOverGRPC(t, d, has), Scenarios: scenarios, pace: 0.01, Patience: 3 * time.Second, Jobs: 32})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestServeGRPC(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{a2a10, a2a03} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			tr := playGRPC(t, dialect, true, "only-grpc", "only-grpc-stream", "only-grpc-stream-slow", "only-grpc-stream-error", "only-grpc-error-task-not-found", "only-grpc-error-task-not-cancelable")
			if !slices.Equal(tr.Facts.Calibration.Bindings, []string{overGRPC, jsonRPC}) {
				t.Errorf("the client has %q", tr.Facts.Calibration.Bindings)
			}
			for scenario, want := range map[string]struct {
				op, status, reason string
				messages           int
				only               bool // the status comes with the head
			}{
				"only-grpc":                           {"send", "OK", "", 1, false},
				"only-grpc-stream":                    {"stream", "OK", "", 5, false},
				"only-grpc-stream-slow":               {"stream", "OK", "", 5, false},
				"only-grpc-stream-error":              {"stream", "INTERNAL", "", 2, false},
				"only-grpc-error-task-not-found":      {"send", "NOT_FOUND", "TASK_NOT_FOUND", 0, true},
				"only-grpc-error-task-not-cancelable": {"send", "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE", 0, true},
			} {
				p := tr.Play(scenario)
				if len(p.Steps) != 2 || p.Steps[1].Binding != overGRPC || p.Steps[1].Op != want.op || p.Steps[1].Name != want.op {
					t.Errorf("%s: the steps are %+v", scenario, p.Steps)
					continue
				}
				x := p.Steps[1].Exchange
				g := x.GRPC()
				if g == nil || g.Status() != want.status || len(g.Messages) != want.messages || g.TrailersOnly != want.only || len(g.Faults) > 0 || x.Ended != record.EOF {
					t.Errorf("%s: ended by %s (%s): %+v", scenario, x.Ended, x.Trouble, g)
				}
				if want.reason != "" && dialect == a2a10 && !strings.Contains(fmt.Sprint(x.Reply().Root.Interface()), want.reason) {
					t.Errorf("%s: the answer is %s", scenario, fmt.Sprint(x.Reply().Root.Interface()))
				}
				if x.Call().Root == nil || !strings.Contains(fmt.Sprint(x.Call().Root.Interface()), DefaultText) || len(x.Request.Prefixes) != 1 || len(x.Request.Chunks) == 0 {
					t.Errorf("%s: the call is %q with %+v", scenario, x.Request.Body, x.Request.Prefixes)
				}
				for _, m := range p.Client.Markers {
					if m.In == "error" && !m.Sent {
						t.Errorf("%s: the text of the error was not sent", scenario)
					}
				}
				if exit := p.Client.Exit; (exit == 0) != (want.status == "OK") {
					t.Errorf("%s: exit code %d: %s", scenario, exit, p.Client.Stderr)
				}
			}
			var har bytes.Buffer
			if err := record.WriteHAR(&har, tr); err != nil {
				t.Fatal(err)
			}
			again, err := record.ReadHAR(&har)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range tr.Exchanges {
				y := again.Exchanges[i]
				if (x.HTTP2 == nil) != (y.HTTP2 == nil) || x.HTTP2 != nil && (len(x.HTTP2.Frames) != len(y.HTTP2.Frames) || !bytes.Equal(x.Request.Body, y.Request.Body) || !bytes.Equal(x.Response.Trailer, y.Response.Trailer)) {
					t.Errorf("exchange %d is kept as %+v", i, y)
				}
			}
		})
	}
}

// A client that has no gRPC is started once for it, and one that has it for more.
func TestPlayFurtherScenariosOfGRPC(t *testing.T) {
	t.Parallel()
	all := 0
	for i := range grpcScripts {
		if s := &grpcScripts[i]; s.Over != "" && len(s.Needs) == 0 {
			all++
		}
	}
	for has, want := range map[bool]int{false: 0, true: all} {
		tr := playGRPC(t, a2a10, has)
		further := 0
		for i := range tr.Plays {
			if s := Find(a2a10, tr.Plays[i].Scenario); s.Over != "" {
				further++
			} else if s.OnlyByName {
				t.Errorf("%s was played", s.Name)
			}
		}
		if further != want || tr.Play("only-grpc") == nil {
			t.Errorf("%d scenarios were played besides only-grpc, want %d", further, want)
		}
	}
}

// What is no call of a method is answered by a status, and recorded as a call.
func TestRefuseOddCallsOfGRPC(t *testing.T) {
	t.Parallel()
	d, err := schema.LoadClient(a2a10)
	if err != nil {
		t.Fatal(err)
	}
	c := newHTTP2Client(t)
	tr, err := Run(t.Context(), Config{Dialect: d, Command: []string{"a client"}, Scenarios: []string{"only-grpc"}, Func: func(ctx context.Context, task *Task) error {
		if !strings.HasPrefix(task.Scenario, "only-grpc") {
			return callOverGRPC(t, d, true)(ctx, task)
		}
		for _, path := range []string{"/a2a.v1.A2AService/SendMessage", "/lf.a2a.v1.A2AService/Ask", "/lf.a2a.v1.A2AService/SendMessage", "/lf.a2a.v1.A2AService/GetTask"} {
			body := record.FrameGRPC([]byte{0xff})
			if strings.HasSuffix(path, "GetTask") {
				body = record.FrameGRPC(nil)
			}
			resp, err := c.Post(task.URL+path, grpcMedia, bytes.NewReader(body))
			if err != nil {
				return err
			}
			fmt.Fprintln(task.Stdout, resp.Header.Get("Grpc-Status"))
			resp.Body.Close()
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := tr.Play("only-grpc")
	var got []string
	for _, s := range p.Steps {
		got = append(got, s.Name+" "+s.Binding+" "+s.Exchange.GRPC().Status())
	}
	want := []string{"call GRPC UNIMPLEMENTED", "call-2 GRPC UNIMPLEMENTED", "send GRPC INTERNAL", "get GRPC NOT_FOUND"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// If an address is one of https, HTTP/2 is agreed on by the handshake.
func TestRecordHTTP2OverTLS(t *testing.T) {
	t.Parallel()
	other := httptest.NewTLSServer(nil)
	defer other.Close()
	r := newRecordedWith(t, recorderConfig{Started: time.Now(), HTTP2: true, TLS: &tls.Config{Certificates: other.TLS.Certificates}}, "localhost")
	roots := other.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "example.com"}, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP2(true)
	resp, err := (&http.Client{Transport: transport}).Post("https://"+r.addr+"/echo", "text/plain", strings.NewReader("one"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil || string(text) != "got one" {
		t.Errorf("the answer is %q, %v", text, err)
	}
	resp.Body.Close()
	transport.CloseIdleConnections()
	x := r.exchanges(1)[0]
	if x.HTTP2 == nil || x.HTTP2.ALPN != "h2" || x.TLS == nil || !slices.Contains(x.TLS.Hello.Protocols, "h2") || !strings.HasPrefix(x.URL, "https://") {
		t.Errorf("the exchange is %+v over %+v", x.HTTP2, x.TLS)
	}
}

package client_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/a2a10"
	"github.com/a2a-conform/a2a-conform/reference/client"
)

// services are the definitions of the services of gRPC, as the bundled servers have them.
var services = map[string]func() (protoreflect.ServiceDescriptor, error){"a2a-1.0": a2a10.Service, "a2a-0.3": a2a03.Service}

// offerGRPC has the card have gRPC alone, without streams.
func offerGRPC(s *testAgent, card object) {
	s.setInterfaces(card, s.makeInterface(strings.TrimPrefix(s.base, "http://"), "GRPC", "1.0"))
	card["capabilities"].(object)["streaming"] = false
}

// serveGRPC answers a call of gRPC: the second look at a task finds it completed. An agent whose situation fails refuses it.
func (s *testAgent) serveGRPC(w http.ResponseWriter, r *http.Request, body []byte) {
	w.Header().Set("Content-Type", "application/grpc")
	service, err := services[s.dialect]()
	if err != nil {
		panic(err)
	}
	called, is := strings.CutPrefix(r.URL.Path, "/"+string(service.FullName())+"/")
	method := service.Methods().ByName(protoreflect.Name(called))
	if !is || method == nil {
		w.Header().Set("Grpc-Status", "12")
		return
	}
	if len(body) < 5 || proto.Unmarshal(body[5:], dynamicpb.NewMessage(method.Input())) != nil {
		w.Header().Set("Grpc-Status", "3")
		return
	}
	s.mu.Lock()
	s.counts[called]++
	n := s.counts[called]
	s.mu.Unlock()
	if s.failing {
		info, err := anypb.New(&errdetails.ErrorInfo{Reason: "PUSH_NOTIFICATION_NOT_SUPPORTED", Domain: "a2a-protocol.org"})
		if err != nil {
			panic(err)
		}
		packed, _ := proto.Marshal(&spb.Status{Code: 9, Message: "no", Details: []*anypb.Any{info}})
		w.Header().Set("Grpc-Status", "9")
		w.Header().Set("Grpc-Message", "n%6F")
		w.Header().Set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(packed))
		return
	}
	task := object{"id": s.task, "contextId": "Context-B", "status": object{"state": "TASK_STATE_WORKING"}}
	if called == "GetTask" && n > 1 {
		task = object{"id": s.task, "contextId": "Context-B", "status": object{"state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-02T03:04:05Z"},
			"artifacts": []any{object{"artifactId": "a", "parts": []any{object{"text": "größer"}}}}}
	}
	answer := task
	if called != "GetTask" {
		answer = object{"task": task}
	}
	text, _ := json.Marshal(answer)
	m := dynamicpb.NewMessage(method.Output())
	if err := protojson.Unmarshal(text, m); err != nil {
		panic(err)
	}
	payload, _ := proto.Marshal(m)
	w.Header().Set("Trailer", "Grpc-Status")
	w.Write(append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(payload))), payload...))
	w.Header().Set("Grpc-Status", "0")
}

// dialectsWith returns the dialects that have a variant.
func dialectsWith(variant string) []string {
	return slices.DeleteFunc(client.Dialects(), func(dialect string) bool {
		return client.Options{Dialect: dialect, Variant: variant}.Validate() != nil
	})
}

// The messages of the client are understood by a server of gRPC that others wrote, and the client understands its answers.
func TestCallsOfGRPCReachTheBundledServer(t *testing.T) {
	for _, dialect := range dialectsWith("grpc") {
		server, err := reference.Start(context.Background(), reference.Options{Dialect: dialect, GRPCAddr: "127.0.0.1:0", Rate: reference.Rate{Requests: 10_000, Window: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		card := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			resp, err := http.Get(server.URL() + r.URL.Path)
			if err != nil {
				return
			}
			defer resp.Body.Close()
			var document object
			json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&document)
			s := &testAgent{dialect: dialect, base: server.URL()}
			s.setInterfaces(document, s.makeInterface(server.GRPCAddr(), "GRPC", "1.0"))
			json.NewEncoder(w).Encode(document)
		}))
		t.Cleanup(card.Close)
		for _, test := range []struct {
			name, text, second, want string
			code                     int
		}{
			{"echo", "echo größer", "", "größer", 0},
			{"slow", "slow 0.1", "", "", 0},
			{"ask", "ask", "blue", "blue", 0},
			{"fail", "fail", "", "", 1},
			{"turns", "remember teal", "recall", "teal", 0},
		} {
			t.Run(dialect+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				code, out, errs := run(t, client.Options{URL: card.URL, Text: test.text, Second: test.second, Dialect: dialect, Variant: "grpc"})
				if code != test.code || !strings.Contains(out, test.want) {
					t.Errorf("exit code %d, want %d and %q\nstdout: %s\nstderr: %s", code, test.code, test.want, out, errs)
				}
			})
		}
	}
}

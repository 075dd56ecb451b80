package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// speaker calls a server by gRPC as our client does.
type speaker struct {
	t      *testing.T
	d      *schema.Dialect
	by     binding.Binding
	base   string
	client *client.Client
	header http.Header // beside that of the binding
	talk   *record.Transcript
}

// does makes a call and returns what was recorded of it.
func (s speaker) does(op string, params map[string]any) *record.Exchange {
	s.t.Helper()
	return s.until(op, params, nil)
}

// until makes a call that we end ourselves once the events suffice.
func (s speaker) until(op string, params map[string]any, enough func(events int) bool) *record.Exchange {
	s.t.Helper()
	r := binding.Request{Op: op}
	if params != nil {
		r.Params = params
	}
	call, err := s.by.Encode(s.base, r)
	if err != nil {
		s.t.Fatal(err)
	}
	for name, values := range s.header {
		call.Header[name] = values
	}
	seen := 0
	x := s.client.Do(s.t.Context(), call, func([]byte, record.Instant) bool {
		seen++
		return enough == nil || !enough(seen)
	})
	s.talk.Exchanges = append(s.talk.Exchanges, x)
	if sent := s.by.Sent(x); sent.Op != op || !sent.Sound {
		s.t.Errorf("%s is read from the record as %+v", op, sent)
	}
	for i, faults := range binding.MessageFaults(s.by, x) {
		s.t.Errorf("%s: message %d has %v", op, i, faults)
	}
	return x
}

// gives makes a call that has to be answered by a result of the dialect's shape.
func (s speaker) gives(op string, params map[string]any) *record.Node {
	s.t.Helper()
	x := s.does(op, params)
	a := s.by.Decode(op, x)
	if !a.Result.Present() {
		s.t.Fatalf("%s: %s, %s %s", op, x.Ended, x.Trouble, raw(x))
	}
	s.shaped(s.d.Operation(op).Result, a.Result.Node)
	return a.Result.Node
}

// shaped demands that a value is of a definition.
func (s speaker) shaped(definition string, n *record.Node) {
	s.t.Helper()
	if definition == "" {
		return
	}
	violations, err := s.d.Shapes().Validate(definition, n.Interface())
	if err != nil || len(violations) > 0 {
		s.t.Errorf("it is no %s: %v %v", definition, violations, err)
	}
}

// streams makes a call that is answered by a stream, and returns what its events hold.
func (s speaker) streams(op string, params map[string]any) (sorts []string, task string) {
	s.t.Helper()
	x := s.does(op, params)
	if !x.IsStream() || x.Ended != record.EOF {
		s.t.Fatalf("%s: %s, %s %s", op, x.Ended, x.Trouble, raw(x))
	}
	for _, e := range x.Events() {
		a := s.by.Event(op, e.Root)
		if !a.Result.Present() {
			s.t.Errorf("an event of %s is %s", op, e.Data)
			continue
		}
		s.shaped(s.d.Types.Event, a.Result.Node)
		sort, at := binding.Content(s.d, "event", a.Result.Node)
		content := a.Result.Node.At(at)
		if sort == "task" {
			task = content.At("/id").String
		}
		if state := content.At("/status/state"); state != nil {
			sort += " " + state.String
		}
		sorts = append(sorts, sort)
	}
	return sorts, task
}

// refuses makes a call that has to be refused by an error of that name.
func (s speaker) refuses(op string, params map[string]any, name string) {
	s.t.Helper()
	x := s.does(op, params)
	a := s.by.Decode(op, x)
	if !a.Marked || !a.Refuses(name) {
		s.t.Errorf("%s of %v is answered with %v, want %s: %s, %s %s", op, params, a.Names, name, x.Ended, x.Trouble, raw(x))
	}
}

func raw(x *record.Exchange) string {
	return fmt.Sprintf("%s%q%s", x.Response.Head, x.Response.Body, x.Response.Trailer)
}

func said(text string, more ...map[string]any) map[string]any {
	message := map[string]any{"messageId": fmt.Sprint(text, time.Now().UnixNano()), "role": "ROLE_USER", "parts": []any{map[string]any{"text": text}}}
	params := map[string]any{"message": message}
	for _, m := range more {
		for name, value := range m {
			params[name] = value
		}
	}
	return params
}

// TestGRPC calls an agent on the official SDK by gRPC: what our binding writes is
// understood there, and what comes from there is understood here.
func TestGRPC(t *testing.T) {
	bin := t.TempDir()
	build(t, "go10", ".", filepath.Join(bin, "clerk10"))
	home := started(t, []string{filepath.Join(bin, "clerk10")})
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	httpClient := client.NewClient(client.Config{Started: time.Now(), Timeout: 10 * time.Second})
	t.Cleanup(httpClient.Close)
	s := speaker{t, d, binding.ByNameOrDefault(d, "GRPC"), grpcAddress(t, home), httpClient, http.Header{"Authorization": {"Bearer " + token}}, &record.Transcript{Started: time.Now()}}
	in := func(t *testing.T) speaker { s := s; s.t = t; return s }

	t.Run("messages", func(t *testing.T) {
		s := in(t)
		if text := s.gives("send", said("hello")).At("/message/parts/0/text"); text == nil || text.String != "Good day." {
			t.Errorf("the message says %+v", text)
		}
		stock := s.gives("send", said("list the stock")).At("/task/artifacts/0/parts/0/data")
		if stock.At("/pens") == nil || stock.At("/pens").Number != "12" || stock.At("/paper/1").String != "A5" {
			t.Errorf("the stock is %+v", stock)
		}
	})
	t.Run("tasks", func(t *testing.T) {
		s := in(t)
		task := s.gives("send", said("write a report")).At("/task")
		id := task.At("/id").String
		if got := s.gives("get", map[string]any{"id": id, "historyLength": 0}); got.At("/id").String != id || got.At("/status/state").String != "TASK_STATE_COMPLETED" || got.At("/history") != nil {
			t.Errorf("the task is %+v", got)
		}
		listed := s.gives("list", map[string]any{"contextId": task.At("/contextId").String, "status": "TASK_STATE_COMPLETED"})
		if len(listed.At("/tasks").Elems) != 1 || listed.At("/totalSize").Number != "1" {
			t.Errorf("the list is %+v", listed)
		}
		if none := s.gives("list", map[string]any{"contextId": "none"}); len(none.At("/tasks").Elems) != 0 || none.At("/totalSize").Number != "0" {
			t.Errorf("the list of nothing is %+v", none)
		}
		asked := s.gives("send", said("book a table")).At("/task")
		if canceled := s.gives("cancel", map[string]any{"id": asked.At("/id").String}); canceled.At("/status/state").String != "TASK_STATE_CANCELED" {
			t.Errorf("the task is %+v", canceled.At("/status/state"))
		}
	})
	t.Run("streams", func(t *testing.T) {
		s := in(t)
		sorts, task := s.streams("stream", said("write a report"))
		if want := "task TASK_STATE_SUBMITTED, statusUpdate TASK_STATE_WORKING, artifactUpdate, artifactUpdate, artifactUpdate, statusUpdate TASK_STATE_COMPLETED"; strings.Join(sorts, ", ") != want || task == "" {
			t.Errorf("the events are %s, want %s", strings.Join(sorts, ", "), want)
		}
		if sorts, _ := s.streams("stream", said("hello")); !slices.Equal(sorts, []string{"message"}) {
			t.Errorf("the events are %s", sorts)
		}
		slow := s.gives("send", said("count slowly", map[string]any{"configuration": map[string]any{"returnImmediately": true}})).At("/task/id").String
		if sorts, _ := s.streams("resubscribe", map[string]any{"id": slow}); len(sorts) < 2 || !strings.HasPrefix(sorts[0], "task ") || sorts[len(sorts)-1] != "statusUpdate TASK_STATE_COMPLETED" {
			t.Errorf("the events are %s", sorts)
		}
		x := s.until("stream", said("count slowly"), func(events int) bool { return events > 0 })
		if x.Ended != record.OurClose || !x.IsStream() || len(x.Events()) == 0 {
			t.Errorf("a stream that we left ended as %s, with %d events", x.Ended, len(x.Events()))
		}
	})
	t.Run("push configurations", func(t *testing.T) {
		s := in(t)
		hook := httptest.NewServer(http.NotFoundHandler())
		defer hook.Close()
		task := s.gives("send", said("book a table")).At("/task/id").String
		made := s.gives("push-set", map[string]any{"taskId": task, "id": "c", "url": hook.URL, "token": "k", "authentication": map[string]any{"scheme": "Bearer", "credentials": "x"}})
		if made.At("/url").String != hook.URL || made.At("/token").String != "k" || made.At("/authentication/scheme").String != "Bearer" {
			t.Errorf("the configuration is %+v", made)
		}
		if got := s.gives("push-get", map[string]any{"taskId": task, "id": "c"}); !got.Equal(made) {
			t.Errorf("the configuration is %+v, want %+v", got, made)
		}
		if all := s.gives("push-list", map[string]any{"taskId": task}); len(all.At("/configs").Elems) != 1 {
			t.Errorf("the configurations are %+v", all)
		}
		if gone := s.gives("push-delete", map[string]any{"taskId": task, "id": "c"}); gone.Kind != record.Object || len(gone.Members) != 0 {
			t.Errorf("what is left is %+v", gone)
		}
	})
	t.Run("the extended card", func(t *testing.T) {
		if card := in(t).gives("extended-card", nil); len(card.At("/skills").Elems) != 2 || card.At("/securitySchemes/token/httpAuthSecurityScheme/scheme").String != "Bearer" {
			t.Errorf("the card is %+v", card)
		}
	})
	t.Run("refusals", func(t *testing.T) {
		s := in(t)
		done := s.gives("send", said("write a report")).At("/task/id").String
		s.refuses("get", map[string]any{"id": "none"}, "TaskNotFound")
		s.refuses("cancel", map[string]any{"id": done}, "TaskNotCancelable")
		s.refuses("cancel", map[string]any{"id": "none"}, "TaskNotFound")
		s.refuses("resubscribe", map[string]any{"id": "none"}, "TaskNotFound")
		s.refuses("push-set", map[string]any{"taskId": done}, "InvalidParams")
		s.refuses("send", nil, "InvalidParams")
		s.refuses("send", map[string]any{"message": map[string]any{"messageId": "m", "role": 77, "parts": []any{map[string]any{}}}}, "InvalidParams")
		again := said("and once more")
		again["message"].(map[string]any)["taskId"] = done
		s.refuses("send", again, "InvalidParams") // as this SDK calls it
		stranger := s
		stranger.header = nil
		x := stranger.does("get", map[string]any{"id": done})
		if g := x.GRPC(); g == nil || g.Status() != "UNAUTHENTICATED" || !g.TrailersOnly {
			t.Errorf("a stranger is answered with %s", raw(x))
		}
		unknown, err := s.by.Encode(s.base, binding.Request{Op: "unknown/method"})
		if err != nil {
			t.Fatal(err)
		}
		unknown.Header.Set("Authorization", "Bearer "+token)
		if a := s.by.Decode("", httpClient.Do(context.Background(), unknown, nil)); !a.Refuses("MethodNotFound") {
			t.Errorf("a method that is not there is refused as %v", a.Names)
		}
	})
	t.Run("the record", func(t *testing.T) { in(t).replayed() })
}

// replayed demands that what was read of a run is read of its record.
func (s speaker) replayed() {
	s.t.Helper()
	s.talk.Seal()
	var har bytes.Buffer
	if err := record.WriteHAR(&har, s.talk); err != nil {
		s.t.Fatal(err)
	}
	again, err := record.ReadHAR(&har)
	if err != nil {
		s.t.Fatal(err)
	}
	if len(again.Exchanges) != len(s.talk.Exchanges) || len(again.Exchanges) < 20 {
		s.t.Fatalf("%d exchanges became %d", len(s.talk.Exchanges), len(again.Exchanges))
	}
	for i, x := range s.talk.Exchanges {
		y := again.Exchanges[i]
		op := s.by.Sent(x).Op
		a, b := s.by.Decode(op, x), s.by.Decode(op, y)
		if s.by.Sent(y).Op != op || !s.by.Sent(y).Params.Equal(s.by.Sent(x).Params) || !a.Result.Node.Equal(b.Result.Node) || !a.Failure.Node.Equal(b.Failure.Node) || !slices.Equal(a.Names, b.Names) || len(x.Events()) != len(y.Events()) {
			s.t.Errorf("%s was read as %+v, and is read as %+v", op, a, b)
		}
	}
}

// grpcAddress is where the card of a server says that gRPC is spoken.
func grpcAddress(t *testing.T, home string) string {
	t.Helper()
	r, err := http.Get(home + "/.well-known/agent-card.json")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var card struct {
		SupportedInterfaces []struct{ URL, ProtocolBinding string }
	}
	if err := json.NewDecoder(r.Body).Decode(&card); err != nil {
		t.Fatal(err)
	}
	for _, i := range card.SupportedInterfaces {
		if i.ProtocolBinding == "GRPC" {
			return i.URL
		}
	}
	t.Fatal("the card names no interface of gRPC")
	return ""
}

package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// testCommand starts the client of the tests.
func testCommand() []string { return []string{os.Args[0], "client", "{url}", "{text}"} }

func loadDialect(t *testing.T, name string) *schema.Dialect {
	t.Helper()
	d, err := schema.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func runClient(t *testing.T, cfg Config) *record.Transcript {
	t.Helper()
	cfg.Naming.Seed = "test"
	tr, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// names are the names of the steps of a play.
func names(p *record.Play) (out []string) {
	for _, s := range p.Steps {
		out = append(out, s.Name)
	}
	return out
}

// A client that does all right is recorded as the contract states, in both dialects.
func TestPlayScenariosWithClient(t *testing.T) {
	for _, dialect := range []string{a2a10, a2a03} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			tr := runClient(t, Config{Dialect: loadDialect(t, dialect), Command: testCommand(), Scenarios: []string{"hello", "stream", "card-broken-html"}, Text: "What is up?"})
			if tr.Facts.Role != record.ClientRole || tr.Facts.Cut != "" {
				t.Errorf("the role is %q, and the run was cut because of %q", tr.Facts.Role, tr.Facts.Cut)
			}
			if c := tr.Facts.Calibration; c == nil || !c.Works || !c.Exits || !c.Prints || !c.Streams || strings.Join(c.Bindings, " ") != "JSONRPC" {
				t.Errorf("the calibration is %+v", c)
			}
			for scenario, want := range map[string]string{"hello": "card send", "stream": "card stream", "card-broken-html": "card"} {
				p := tr.Play(scenario)
				if p == nil || p.Client == nil {
					t.Fatalf("%s was not played", scenario)
				}
				if got := strings.Join(names(p), " "); got != want {
					t.Errorf("%s has the steps %q, want %q; the client printed %q", scenario, got, want, p.Client.Stderr)
				}
				if failed := scenario == "card-broken-html"; failed != (p.Client.Exit == 1) || !failed != p.Client.Printed() {
					t.Errorf("%s ended with %d, printed %v: %q %q", scenario, p.Client.Exit, p.Client.Printed(), p.Client.Stdout, p.Client.Stderr)
				}
			}
			send := tr.Play("hello").Step("send").Exchange
			if send.Dir != record.In || send.Ended != record.EOF || send.Status() != 200 || send.Reply().Root.At("/result") == nil || send.Call().Root.At("/params/message/messageId") == nil {
				t.Errorf("the message was recorded as %s %d %s", send.Dir, send.Status(), send.Ended)
			}
			if text := string(send.Request.Head); strings.Contains(text, "a-secret-of-the-client") || !strings.Contains(text, "Authorization: Bearer ⟦") {
				t.Errorf("the credential of the client is recorded: %s", text)
			}
			stream := tr.Play("stream").Step("stream").Exchange
			if n := len(stream.Events()); !stream.IsStream() || n != 52 || len(stream.Response.Chunks) < 40 {
				t.Errorf("the stream has %d events in %d pieces", n, len(stream.Response.Chunks))
			}
			if m := tr.Play("stream").Client.Markers; len(m) != 52 || m[1].In != "chunk-1" || !m[1].Sent || !m[1].Printed || m[51].Sent {
				t.Errorf("the markers are %+v", m)
			}
			if tr.Play("card-broken-html").Client.Fault == "" || tr.Play("card-broken-html").Client.Twin != "hello" || tr.Play("hello").Client.Fault != "" {
				t.Error("the fault and the twin of a scenario are not recorded")
			}
			compareAfterFile(t, tr)
		})
	}
}

// compareAfterFile writes a record to a file, reads it and compares.
func compareAfterFile(t *testing.T, tr *record.Transcript) {
	t.Helper()
	var first, second bytes.Buffer
	if err := record.WriteHAR(&first, tr); err != nil {
		t.Fatal(err)
	}
	text := bytes.Clone(first.Bytes())
	back, err := record.ReadHAR(&first)
	if err != nil {
		t.Fatal(err)
	}
	if err := record.WriteHAR(&second, back); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, second.Bytes()) {
		t.Error("the record changes in a file")
	}
	for i := range tr.Plays {
		want, _ := json.Marshal(tr.Plays[i].Client)
		got, _ := json.Marshal(back.Plays[i].Client)
		if !bytes.Equal(got, want) || len(back.Plays[i].Steps) != len(tr.Plays[i].Steps) {
			t.Errorf("play %d of the file is %s, want %s", i, got, want)
		}
	}
	if len(back.Exchanges) != len(tr.Exchanges) {
		t.Fatalf("the file has %d exchanges, want %d", len(back.Exchanges), len(tr.Exchanges))
	}
	for i, x := range back.Exchanges {
		if (x.Closed == nil) != (tr.Exchanges[i].Closed == nil) || x.Closed != nil && *x.Closed != *tr.Exchanges[i].Closed {
			t.Errorf("exchange %d of the file was closed %+v, want %+v", i+1, x.Closed, tr.Exchanges[i].Closed)
		}
	}
}

// A client that is a function is judged like a program.
func TestPlayScenariosWithFunction(t *testing.T) {
	t.Parallel()
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Scenarios: []string{"card-broken-html"}, Naming: operator.Naming{},
		Func: func(ctx context.Context, task *Task) error {
			return runTestClient([]string{task.URL, task.Text}, strings.NewReader(task.Second), task.Stdout)
		}})
	if c := tr.Facts.Calibration; !c.Works || !c.Exits || !c.Prints {
		t.Errorf("the calibration is %+v", c)
	}
}

// Requests are named by what they are: off the card, no operation, or an operation in another form.
func TestNameSteps(t *testing.T) {
	t.Parallel()
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Func: func(ctx context.Context, task *Task) error {
		for _, c := range [][3]string{
			{"POST", task.URL, `{"jsonrpc":"2.0","id":1,"method":"SendMessage"}`},
			{"GET", task.URL + "/.well-known/agent.json", ""},
			{"POST", task.RPC, `{"jsonrpc":"2.0","id":1,"method":"DoWonders"}`},
			{"POST", task.RPC, `no JSON`},
			{"GET", task.RPC, ""},
			{"POST", task.RPC, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{}}}`},
			{"POST", task.URL + restPath + "/message:send", `{"message":{}}`},
			{"GET", task.URL + restPath + "/tasks/none", ""},
			{"GET", task.URL + restPath + "/tasks/none:subscribe", ""},
			{"POST", task.URL + restPath + "/tasks/none:subscribe", ""},
			{"GET", task.URL + restPath + "/nothing", ""},
		} {
			if _, err := do(ctx, client.Call{Method: c[0], URL: c[1], Body: []byte(c[2])}); err != nil {
				return err
			}
		}
		return nil
	}, Scenarios: []string{"hello"}})
	want := "stray 404, stray-2 404, call 200, call-2 200, call-3 405, send 200, send-2 200, get 404, subscribe 404, subscribe-2 404, call-4 404"
	var got []string
	for _, s := range tr.Play("hello").Steps {
		got = append(got, fmt.Sprint(s.Name, " ", s.Exchange.Status()))
	}
	if strings.Join(got, ", ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
	}
	compareAfterFile(t, tr)
}

// What happens because we ended a client is no fault of its own.
func TestExcuseEndedClients(t *testing.T) {
	t.Parallel()
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Command: testCommand(), Scenarios: []string{"silent"}, Patience: 2 * time.Second})
	p := tr.Play("silent")
	if p == nil || p.Step("send") == nil {
		t.Fatalf("silent was not played: %q", tr.Facts.Cut)
	}
	x := p.Step("send").Exchange
	if !p.Client.Patience || x.Ended != record.Aborted || x.Closed == nil || x.Closed.By != record.ByUs || x.Answered() {
		t.Errorf("it ended by %s (%s), closed %+v", x.Ended, x.Trouble, x.Closed)
	}
}

// A client that never ends is ended, and one that calls nothing is not played with any further.
func TestEndUselessRuns(t *testing.T) {
	t.Parallel()
	d := loadDialect(t, a2a10)
	for name, c := range map[string]struct {
		call    func(context.Context, *Task) error
		command []string
		want    string
	}{
		"hangs":   {call: func(ctx context.Context, _ *Task) error { <-ctx.Done(); return ctx.Err() }, want: "sent no message"},
		"nothing": {call: func(context.Context, *Task) error { return nil }, want: "sent no message"},
		"fails":   {call: func(context.Context, *Task) error { return errors.New("no such host") }, want: "sent no message"},
		"missing": {command: []string{"/nowhere/such-a-client"}, want: "could not be started"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := runClient(t, Config{Dialect: d, Func: c.call, Command: c.command, Patience: 200 * time.Millisecond})
			if len(tr.Plays) != 2 || !strings.Contains(tr.Facts.Cut, c.want) || tr.Facts.Calibration.Works {
				t.Errorf("%d plays, cut because of %q", len(tr.Plays), tr.Facts.Cut)
			}
			if patience := name == "hangs"; tr.Plays[0].Client.Patience != patience || tr.Plays[0].Has(patienceOver) != patience {
				t.Errorf("the time of the client was up: %v", tr.Plays[0].Client.Patience)
			}
			compareAfterFile(t, tr)
		})
	}
}

// A secret in the command line of a client is in no part of the record.
func TestRedactCommands(t *testing.T) {
	t.Parallel()
	const secret = "a-secret-of-the-operator"
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Command: []string{"/nowhere/such-a-client", "--token=" + secret}, Redact: redact.NewRedactor([]redact.Secret{{Name: "token", Value: secret}})})
	var text bytes.Buffer
	if err := record.WriteHAR(&text, tr); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), secret) || !strings.Contains(tr.Facts.Target, "--token=⟦") {
		t.Errorf("the command is recorded as %q", tr.Facts.Target)
	}
}

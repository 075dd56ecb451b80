package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A reading is one way in which a server of A2A 1.0 may behave, and what sentences of
// the protocol come to on it.
type reading struct {
	is              string // what the server does
	variant, mutant string // of the bundled server
	change          func(c call, r *reply)
	deliver         func(r *http.Request, body []byte) bool // changes a delivery, or says that there is none
	target          func(*conform.Target)
	grpc            bool // the server speaks gRPC too
	// want is a verdict by the ends of ids, where finding is a pass with something to
	// tell; what follows a colon is part of the reason or of a finding.
	want map[string]string
}

// A note is a sentence that can be read in several ways, or sentences that say
// different things, and the readings that are told apart.
type note struct {
	name     string
	readings []reading
}

// TestNotes: what the sources leave open passes, what one of them advises against
// passes with a finding, and what none of them allows fails.
//
// Notes N00, N01, N40 and N42 say how the catalogue was written, and decide nothing
// between readings.
func TestNotes(t *testing.T) {
	t.Parallel()
	allRead(t, slices.Concat(envelopeNotes, cardNotes, taskNotes, streamNotes, pushNotes, extensionNotes, bindingNotes))
}

// allRead judges a server for each reading. Those that are bundled servers as they are
// share one run.
func allRead(t *testing.T, notes []note) {
	t.Helper()
	type server struct {
		variant, mutant string
		grpc            bool
	}
	shared := map[server]*trial{}
	for _, n := range notes {
		for _, r := range n.readings {
			if !r.altered() {
				key := server{r.variant, r.mutant, r.grpc}
				if shared[key] == nil {
					shared[key] = &trial{reading: reading{variant: r.variant, mutant: r.mutant, grpc: r.grpc}}
				}
				shared[key].add(r)
			}
		}
	}
	for _, n := range notes {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range n.readings {
				t.Run(r.is, func(t *testing.T) {
					t.Parallel()
					of := shared[server{r.variant, r.mutant, r.grpc}]
					if r.altered() {
						of = &trial{reading: r}
						of.add(r)
					}
					of.once.Do(func() { of.run(t) })
					cameTo(t, of.got, r.want)
				})
			}
		})
	}
}

func (r reading) altered() bool { return r.change != nil || r.deliver != nil || r.target != nil }

// A trial is a run on the server of a reading.
type trial struct {
	reading
	ids  []string
	once sync.Once
	got  map[string]report.Result
}

func (o *trial) add(r reading) {
	for id := range r.want {
		o.ids = append(o.ids, "A2A10-"+id)
	}
}

func (o *trial) run(t *testing.T) {
	server := reference.Options{Dialect: "a2a-1.0", Variant: o.variant, Mutant: o.mutant}
	if o.grpc {
		server.GRPCAddr = "127.0.0.1:0"
	}
	target := conform.Target{Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true, Webhook: conform.Webhook{Listen: "127.0.0.1:0"},
		Allow: []schema.Risk{schema.Outbound}}, Endpoint: conform.Endpoint{CardKey: string(reference.CardKeys())}, Judging: conform.Judging{Select: conform.Selection{Run: o.ids}}}
	if o.change != nil {
		target.URL, target.IDs = doctored(t, server, o.change), stepsAsIDs
		target.Binding = "JSONRPC" // of which alone the change is made
	} else {
		target.URL = bundled(t, server).URL()
	}
	if o.deliver != nil {
		target.Webhook.Listen = testprocess.HoldAddress(t)
		target.Webhook.URL = relayed(t, target.Webhook.Listen, o.deliver)
	}
	if o.target != nil {
		o.target(&target)
	}
	out, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	o.got = verdicts(out)
}

// relayed is where deliveries are received for a webhook that listens at an address.
func relayed(t *testing.T, listen string, deliver func(r *http.Request, body []byte) bool) string {
	relay := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !deliver(r, body) {
			return
		}
		again, err := http.NewRequest(r.Method, "http://"+listen+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			return
		}
		again.Header = r.Header
		if resp, err := http.DefaultClient.Do(again); err == nil { // the run may be over
			resp.Body.Close()
		}
	}))
	t.Cleanup(relay.Close)
	return relay.URL
}

// cameTo demands the verdicts that are wanted of a reading, by the ends of ids.
func cameTo(t *testing.T, got map[string]report.Result, want map[string]string) {
	t.Helper()
	for id, verdict := range want {
		r := got["A2A10-"+id]
		is, said := string(r.Verdict), r.Reason
		for _, f := range r.Findings {
			said += "\n" + f.Text
			if r.Verdict == report.Pass {
				is = "finding"
			}
		}
		if verdict, part, _ := strings.Cut(verdict, ": "); is != verdict || !strings.Contains(said, part) {
			t.Errorf("%s is %s, want %s %s: %s", id, is, verdict, part, said)
		}
	}
	for id, r := range got {
		if r.Verdict == report.SuiteError {
			t.Errorf("%s: %s", id, r.Reason)
		}
	}
}

// inSteps changes the answers to the calls of some steps.
func inSteps(change func(c call, r *reply), names ...string) func(c call, r *reply) {
	return func(c call, r *reply) {
		if slices.ContainsFunc(names, c.named) {
			change(c, r)
		}
	}
}

// refusing refuses the calls of some steps with a code.
func refusing(code int, names ...string) func(c call, r *reply) {
	return inSteps(func(c call, r *reply) { r.error(c, code, "No.") }, names...)
}

// onCard edits the public card.
func onCard(edit func(m map[string]any)) func(c call, r *reply) {
	return func(c call, r *reply) {
		if strings.HasPrefix(c.path, "/.well-known/agent-card") {
			r.edit(edit)
		}
	}
}

// onTask10 edits each task that is a result, or is held by one.
func onTask10(edit func(m map[string]any)) func(c call, r *reply) {
	return func(_ call, r *reply) {
		r.edit(func(m map[string]any) {
			task, _ := result(m)["task"].(map[string]any)
			if task == nil {
				task = result(m)
			}
			if task["status"] != nil {
				edit(task)
			}
		})
	}
}

// TestWarnings: what a sentence advises against without a note about its readings.
func TestWarnings(t *testing.T) {
	allRead(t, []note{
		{"the card", []reading{
			{is: "the client has it already", mutant: "card-condition-ignored", want: map[string]string{"DISC-010": "finding"}},
			{is: "asked for on a condition it fails", mutant: "card-condition-failed", want: map[string]string{"DISC-010": "fail"}},
			{is: "a mode is a word", change: onCard(func(m map[string]any) { m["defaultInputModes"] = []any{"text"} }), want: map[string]string{"CARD-010": "finding"}},
			{is: "a mode is a phrase", mutant: "card-input-modes-phrase", want: map[string]string{"CARD-010": "fail"}},
			{is: "a url goes by http", mutant: "card-interface-plain", want: map[string]string{"CARD-014": "finding"}},
			{is: "a url is a path", mutant: "card-url-relative", want: map[string]string{"CARD-014": "fail"}},
			{is: "a binding is not declared", mutant: "rest-undeclared", want: map[string]string{"CARD-020": "fail"}},
			{is: "a scheme has the form of 0.3", mutant: "card-scheme-as-openapi", target: withToken, want: map[string]string{"CARD-043": "fail"}},
		}},
		{"the extended card for everybody", []reading{
			{is: "of an agent with schemes", mutant: "extended-card-open", target: withToken, want: map[string]string{"EXTCARD-005": "fail"}},
			{is: "of an agent without any", mutant: "extended-card-open", target: withToken, change: onCard(func(m map[string]any) {
				delete(m, "securitySchemes")
				delete(m, "securityRequirements")
			}), want: map[string]string{"EXTCARD-005": "finding"}},
		}},
		{"calls without credentials", []reading{
			{is: "refused by HTTP 401", variant: "guarded", target: withToken, want: map[string]string{"AUTH-009": "pass"}},
			{is: "refused by JSON-RPC alone", variant: "guarded", target: withToken, change: func(_ call, r *reply) {
				if r.status == 401 {
					r.status = 200
				}
			}, want: map[string]string{"AUTH-009": "finding"}},
			{is: "refused by HTTP 500", mutant: "guard-answers-500", target: withToken, want: map[string]string{"AUTH-009": "fail"}},
		}},
		{"a webhook that no agent without push notifications needs to refuse", []reading{
			{is: "refused", variant: "silent", want: map[string]string{"PUSH-005": "pass"}},
			{is: "ignored", mutant: "push-in-send-accepted", want: map[string]string{"PUSH-005": "finding"}},
			{is: "an internal error", mutant: "push-in-send-internal", want: map[string]string{"PUSH-005": "fail"}},
		}},
		{"tasks and lists", []reading{
			{is: "a state that stands for none", change: onTask10(func(m map[string]any) { m["status"].(map[string]any)["state"] = "TASK_STATE_UNSPECIFIED" }), want: map[string]string{"DATA-004": "fail"}},
			{is: "a time with an offset", mutant: "timestamp-offset", want: map[string]string{"DATA-029": "fail"}},
			{is: "an unknown token begins anew", mutant: "list-token-restarts", want: map[string]string{"LIST-025": "fail"}},
		}},
	})
}

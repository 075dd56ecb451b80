package harness

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

const byGRPC = "GRPC"

// served is the bundled server with an address for gRPC.
func served(t *testing.T, o reference.Options) (*reference.Server, *schema.Dialect) {
	t.Helper()
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	o.Dialect, o.GRPCAddr = d.Name, "127.0.0.1:0"
	server, err := reference.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server, d
}

// A sentence that is not about a binding comes to the same over JSON-RPC and over gRPC,
// but for what protobuf cannot say.
func TestGRPCIsJudgedAlike(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	server, d := served(t, reference.Options{})
	by := map[string]*verdict.Decider{}
	for _, name := range []string{"JSONRPC", byGRPC} {
		by[name] = spoke(t, d, operator.Target{URL: server.URL(), Endpoint: operator.Endpoint{Binding: name}})
	}
	tried := 0
	for _, q := range d.Requirements {
		here, there := by["JSONRPC"].Result(q.ID), by[byGRPC].Result(q.ID)
		switch {
		case !q.For(schema.KindGRPC) || !q.For(schema.KindJSONRPC):
		case there.Verdict == report.NotApplicable && strings.Contains(there.Reason, "was not sent"): // there are no words for it
		case here.Verdict == report.Inconclusive || there.Verdict == report.Inconclusive: // a busy machine was late
		case here.Verdict != there.Verdict:
			t.Errorf("%s %s\n\tover JSON-RPC %s: %s\n\tover gRPC %s: %s", q.ID, q.Statement, here.Verdict, here.Reason, there.Verdict, there.Reason)
		case there.Verdict == report.Pass:
			tried++
		}
	}
	if tried < 230 {
		t.Errorf("only %d sentences hold over gRPC", tried)
	}
}

// A connection that a server takes from who gives a stream up is no SHOULD that is kept.
func TestDroppedStreams(t *testing.T) {
	t.Parallel()
	for mutant, want := range map[string]report.Verdict{"": report.Pass, "grpc-drop-breaks-connection": report.Fail} {
		server, d := served(t, reference.Options{Mutant: mutant})
		target := operator.Target{URL: server.URL(), Dialect: d.Name, Endpoint: operator.Endpoint{Binding: byGRPC}, Behaviour: operator.Behaviour{DefaultStimuli: true}}
		talk, err := run(t.Context(), target, scenario.All, func(*schema.Dialect) ([]string, error) { return []string{"quick", "stream", "drop"}, nil })
		if err != nil {
			t.Fatal(err)
		}
		if r := verdict.NewDecider(d, talk.Transcript, suites.Checks(), nil).Result("A2A10-GRPC-OP-016"); r.Verdict != want {
			t.Errorf("%q: %s: %s", mutant, r.Verdict, r.Reason)
		}
		x := talk.Transcript.Play("drop").Steps[0].Exchange
		if answered := slices.ContainsFunc(x.HTTP2.Frames, func(f record.HTTP2Frame) bool { return !f.Sent && f.Type == "PING" && f.Flags == 1 }); answered != (mutant == "") || (x.HTTP2.Lost == "") != answered {
			t.Errorf("%q: %q %+v", mutant, x.HTTP2.Lost, x.HTTP2.Frames)
		}
	}
}

// What text of JSON can be and protobuf cannot is not sent, and costs no verdict.
func TestWhatProtobufCannotSay(t *testing.T) {
	t.Parallel()
	server, d := served(t, reference.Options{})
	target := operator.Target{URL: server.URL(), Dialect: d.Name, Endpoint: operator.Endpoint{Binding: byGRPC}, Behaviour: operator.Behaviour{DefaultStimuli: true, Allow: []schema.Risk{schema.Heavy}}}
	names := []string{"malformed", "version", "send-params", "nested", "heavy", "foreign-letters"}
	talk, err := run(t.Context(), target, scenario.All, func(*schema.Dialect) ([]string, error) { return names, nil })
	if err != nil {
		t.Fatal(err)
	}
	unsaid := 0
	for _, p := range talk.Transcript.Plays {
		for _, s := range p.Steps {
			switch {
			case s.Unsayable:
				unsaid++
			case s.Exchange == nil || s.Exchange.HTTP2 == nil:
			case s.Exchange.Request.MediaType() != "application/grpc":
				t.Errorf("%s/%s was sent as %s", p.Scenario, s.Name, s.Exchange.Request.MediaType())
			case s.Exchange.Request.Recipe == nil && s.Exchange.Call().Root == nil && binding.ByNameOrDefault(d, byGRPC).Sent(s.Exchange).Op != "":
				t.Errorf("%s/%s was sent as no message", p.Scenario, s.Name)
			}
		}
	}
	if unsaid < 5 {
		t.Errorf("%d steps have no words in protobuf", unsaid)
	}
}

// Credentials go to another port of the target's host over TLS, or where nobody is on
// the way.
func TestCredentialsOnAPortOfGRPC(t *testing.T) {
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, address string
		shown         bool
	}{
		{byGRPC, "https://agent.example:50051", true},
		{byGRPC, "http://agent.example:50051", false},
		{byGRPC, "https://other.example:50051", false},
		{"HTTP+JSON", "https://agent.example:50051", false},
	} {
		base, _ := url.Parse("https://agent.example")
		u, _ := url.Parse(c.address)
		r := &runner{target: target{operator.Target{URL: base.String(), Credentials: operator.Credentials{Bearer: "a-token-of-some-length"}}}}
		to, held := r.resolveTrusted(d, c.name, base, u)
		if (to != "") != c.shown || (held == nil) != c.shown {
			t.Errorf("%s %s: %q %+v", c.name, c.address, to, held)
		}
	}
	for _, host := range []string{"127.0.0.1", "::1", "localhost"} {
		base, _ := url.Parse("http://" + net.JoinHostPort(host, "80"))
		u, _ := url.Parse("http://" + net.JoinHostPort(host, "50051"))
		r := &runner{target: target{operator.Target{URL: base.String(), Credentials: operator.Credentials{Bearer: "a-token-of-some-length"}}}}
		if _, held := r.resolveTrusted(d, byGRPC, base, u); held != nil {
			t.Errorf("%s: %+v", host, held)
		}
	}
}

// An address whose scheme is not what is spoken there is a mistake of the operator's, and a
// certificate that does not hold is no fault in what the server answers.
func TestWrongSchemeForGRPC(t *testing.T) {
	t.Parallel()
	plain, d := served(t, reference.Options{})
	secure, _ := served(t, reference.Options{Variant: "tls"})
	for _, c := range []struct{ url, want string }{
		{"https://" + plain.GRPCAddr(), "the server does not speak TLS there"},
		{"http://" + secure.GRPCAddr(), "the server uses TLS there"},
		{"http://" + plain.GRPCAddr(), ""},
		{secure.GRPCAddr(), ""},
	} {
		target := operator.Target{URL: plain.URL(), Dialect: d.Name, Endpoint: operator.Endpoint{Interfaces: map[string]string{"grpc": c.url}}, Behaviour: operator.Behaviour{DefaultStimuli: true}}
		talk, err := run(t.Context(), target, scenario.All, func(*schema.Dialect) ([]string, error) { return []string{"quick"}, nil })
		if c.want != "" {
			if mistake := (*UsageError)(nil); !errors.As(err, &mistake) || !strings.Contains(mistake.Text, c.want) {
				t.Errorf("%s: %v, want %s", c.url, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		verdicts := verdict.NewDecider(d, talk.Transcript, suites.Checks(), nil)
		for _, q := range d.Requirements {
			if r := verdicts.Result(q.ID); r.Verdict == report.Fail {
				t.Errorf("%s: %s: %s", c.url, q.ID, r.Reason)
			}
		}
	}
}

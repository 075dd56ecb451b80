package fleet

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// Entries that ask for more are void with the reason, and nobody is called.
func TestRefusedEntriesSendNothing(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var called atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			called.Add(1)
			c.Close()
		}
	}()
	at := "http://" + l.Addr().String()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	var targets []agentlist.Target
	for _, text := range []string{
		`{"target":"` + at + `","name":"secret","auth":{"bearer":"secret:acme"}}`, `{"target":"` + at + `","name":"file","card":"/etc/passwd"}`,
		`{"target":"` + at + `","name":"metadata","rpc":"http://169.254.169.254"}`, `{"target":"` + at + `","name":"private","rpc":"http://10.0.0.1"}`, `{"target":"` + at + `","name":"disruptive","allow":["disruptive"]}`,
	} {
		one, _, _, err := agentlist.ParseEntry([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, one)
	}
	a, err := f.Add(t.Context(), "v1", append(targets, some(t, 1)...))
	if err != nil {
		t.Fatal(err)
	}
	w := worker("w", JudgeInProcess, t)
	w.Allowance.Secrets = allowance.Secrets{"acme": {Value: "long-enough-to-hide", Hosts: []string{"agents.example.com"}}}
	if err := w.Work(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	outcomes, err := f.Outcomes(t.Context(), a.Round.ID, targets)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Missing || o.Verdict != "void" || o.Details.Reason == "" {
			t.Errorf("%s: %s", o.Target.Name, broker.Encode(o))
		}
	}
	if n := called.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

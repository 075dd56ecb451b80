package main

import (
	"io"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// While a server is looked for, one line names it and how long a call may take. Nothing is
// printed if a conversation has ended, or to whoever asked for quiet.
func TestWaitingForTheFirstAnswer(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	p := newProgress(w, false)
	stop := p.awaitAnswer("http://agent.test", 30*time.Second, 0)
	line := make([]byte, 200)
	n, err := r.Read(line)
	if want := "waiting for http://agent.test to answer; each call may take up to 30s (--timeout)\n"; err != nil || string(line[:n]) != want {
		t.Errorf("got %q, %v; want %q", line[:n], err, want)
	}
	stop()
	for name, quiet := range map[string]bool{"quiet": true, "moved": false} {
		var out strings.Builder
		p := newProgress(&out, quiet)
		p.showProgress(operator.Progress{Done: 1, Total: 2, Scenario: "quick", Held: true})
		before := out.String()
		p.awaitAnswer("http://agent.test", time.Second, time.Hour)()
		p.sayWaiting("http://agent.test", time.Second)
		if out.String() != before {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}

// TestProgressNamesWhatIsAwaited names the conversation or the call that has run longest, and for how long.
func TestProgressNamesWhatIsAwaited(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := newProgress(&out, false)
	now := time.Now()
	for _, c := range []struct {
		what  string
		since time.Time
		last  operator.Progress
		want  string
	}{
		{"GET /.well-known/agent-card.json", now, operator.Progress{}, "waiting for GET /.well-known/agent-card.json"},
		{"large: a large message", now.Add(-2500 * time.Millisecond), operator.Progress{Done: 57, Total: 59}, "57/59 conversations · waiting 2 s for large: a large message"},
		{"", time.Time{}, operator.Progress{Done: 59, Total: 59}, "59/59 conversations"},
	} {
		p.last = c.last
		p.showAwaited(c.what, c.since)
		if got := p.describeState(now); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	for _, held := range []bool{false, true} {
		p.showProgress(operator.Progress{Done: 1, Total: 2, Scenario: "quick", Doc: "one harmless message", Took: 5 * time.Millisecond, Held: held})
	}
	if got, want := out.String(), "[1/2] quick (5 ms): one harmless message\n"; got != want {
		t.Errorf("on a pipe: got %q, want %q", got, want)
	}
}

// A start of a client is one line, with what the server does in that scenario.
func TestProgressOfClients(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := newProgress(&out, false)
	begun := conform.ClientProgress{Done: 1, Total: 2, Scenario: "stream-cr"}
	ended := begun
	ended.Play = &record.Play{Client: &record.ClientRun{Started: record.Instant(time.Millisecond), Ended: record.Instant(6 * time.Millisecond)}}
	p.showClientProgress(begun, "Lines end with CR alone.")
	p.showClientProgress(ended, "Lines end with CR alone.")
	if got, want := out.String(), "[1/2] stream-cr (5 ms): Lines end with CR alone.\n"; got != want {
		t.Errorf("on a pipe: got %q, want %q", got, want)
	}
	out.Reset()
	p.line.Live = true
	p.showClientProgress(begun, strings.Repeat("long ", 40))
	if got := []rune(out.String()); len(got) > mostShown+10 || !strings.HasSuffix(out.String(), "…") || !strings.Contains(out.String(), "1/2 scenarios · stream-cr: long long") {
		t.Errorf("on a terminal: got %q", out.String())
	}
}

package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
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
		p.showProgress(operator.Progress{Done: 1, Total: 2, Scenario: "quick"})
		before := out.String()
		p.awaitAnswer("http://agent.test", time.Second, time.Hour)()
		p.sayWaiting("http://agent.test", time.Second)
		if out.String() != before {
			t.Errorf("%s: %q", name, out.String())
		}
	}
}

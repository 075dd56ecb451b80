package e2e

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/transport"
)

// A server that was asked to the end and showed nothing is not recognised; if the operator says
// that it is an A2A server, that is a failure. One that was not asked to the end, whether the run
// was interrupted or its time was over, is accused of nothing.
func TestUnrecognisedOnlyWhenAskedToTheEnd(t *testing.T) {
	t.Parallel()
	// judged is what becomes of a server that has never heard of A2A, with which something
	// happens at its nth question; how many there were, too.
	var rpc string // the path of the endpoint that the operator names
	judged := func(ctx context.Context, deadline time.Duration, nth int32, happens func(*http.Request)) (*report.Report, report.Result, int32) {
		var asked atomic.Int32
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) == nth {
				happens(r)
			}
			http.NotFound(w, r)
		}))
		defer s.Close()
		target := conform.Target{URL: s.URL, Limits: conform.Limits{Deadline: deadline}}
		if rpc != "" {
			target.RPC = s.URL + rpc
		}
		o, err := conform.Run(ctx, target)
		if err != nil && !errors.Is(err, context.Canceled) || len(o.Report.Results) != 1 || o.Report.Results[0].ID != transport.Discoverable {
			t.Fatalf("%+v, %v", o, err)
		}
		return o.Report, o.Report.Results[0], asked.Load()
	}

	rpc = "/rpc"
	if r, res, _ := judged(t.Context(), 0, 0, nil); r.Verdict != report.Nonconformant || res.Verdict != report.Fail {
		t.Errorf("asked to the end, and the endpoint was named: %s, %s (%s)", r.Verdict, res.Verdict, res.Reason)
	}
	rpc = ""
	r, res, questions := judged(t.Context(), 0, 0, nil)
	if r.Verdict != report.Void || res.Verdict != report.Inconclusive {
		t.Errorf("asked to the end: %s, %s (%s)", r.Verdict, res.Verdict, res.Reason)
	}
	gone := func(r *http.Request) {
		io.Copy(io.Discard, r.Body) // until then the client's end is not noticed
		<-r.Context().Done()
	}
	for nth := int32(1); nth < questions; nth++ {
		ctx, interrupt := context.WithCancel(t.Context())
		r, res, _ := judged(ctx, 0, nth, func(r *http.Request) { interrupt(); gone(r) })
		if r.Verdict != report.Void || res.Verdict != report.Inconclusive {
			t.Errorf("interrupted at question %d of %d: %s, %s (%s)", nth, questions, r.Verdict, res.Verdict, res.Reason)
		}
		if r, res, _ := judged(t.Context(), 300*time.Millisecond, nth, gone); r.Verdict == report.Nonconformant || res.Verdict != report.Inconclusive {
			t.Errorf("out of time at question %d of %d: %s, %s (%s)", nth, questions, r.Verdict, res.Verdict, res.Reason)
		}
	}
}

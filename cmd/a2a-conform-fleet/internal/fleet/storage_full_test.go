package fleet

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// runningBroker is a broker that a test stops and starts again.
type runningBroker struct {
	t    testing.TB
	stop func()
}

func (r *runningBroker) start(b broker.Server) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended, up := make(chan error, 1), make(chan struct{})
	var once sync.Once
	b.Log = func(text string) { r.t.Log(text); once.Do(func() { close(up) }) }
	go func() { ended <- b.Serve(ctx) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			r.t.Error(err)
		}
	})
	r.t.Cleanup(r.stop)
	select {
	case <-up:
	case err := <-ended:
		ended <- nil
		r.t.Fatal(err)
	}
}

// said is what somebody said.
type said struct {
	mu    sync.Mutex
	texts []string
}

func (s *said) say(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, text)
}

func (s *said) with(part string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range s.texts {
		if strings.Contains(text, part) {
			n++
		}
	}
	return n
}

// A broker that may keep no more has everybody wait, and they say why; with a larger bound the
// round comes to its end, and each target has one result.
func TestBrokerWithoutRoom(t *testing.T) {
	t.Parallel()
	b := broker.Server{Data: t.TempDir(), MaxBytes: 96 << 10}
	r := &runningBroker{t: t}
	r.start(b)
	f := connected(t, b.Data, "test")
	targets := some(t, 60)
	if a, err := f.Add(t.Context(), "v1", targets); err != nil || a.Queued != len(targets) {
		t.Fatal(a, err)
	}
	s := &stub{}
	var heard said
	var all sync.WaitGroup
	defer all.Wait()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for _, name := range []string{"w0", "w1"} {
		g, err := Connect(ctx, broker.ConnectOptions{Data: b.Data, Name: name, Log: func(text string) { t.Log(name + ": " + text); heard.say(text) }})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		all.Go(func() {
			if err := worker(name, s.judge, t).Work(ctx, g); err != nil {
				t.Error(err)
			}
		})
	}
	const full = "the broker has no room to store anything"
	eventually(t, "a worker that says so", func() bool { return heard.with(full) > 0 })
	if st, err := f.Status(t.Context(), 1); err != nil || st.Rounds[0].Finished != nil || st.Rounds[0].Results >= len(targets) || st.Rounds[0].Waiting == 0 {
		t.Fatalf("the round is over: %s %v", broker.Encode(st), err)
	}
	r.stop()
	b.MaxBytes = 64 << 20
	r.start(b)
	all.Wait()
	if n := heard.with(full); n > 4 { // of each worker once, and again after a minute
		t.Errorf("said %d times", n)
	}
	st, err := f.Status(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if one := st.Rounds[0]; one.Finished == nil || one.Results != len(targets) || one.GivenUp != 0 || one.Waiting != 0 || len(st.Dead) != 0 {
		t.Errorf("%s", broker.Encode(st))
	}
	outcomes, err := f.Outcomes(t.Context(), st.Rounds[0].ID, targets)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Missing {
			t.Errorf("%s has no result", o.Target.URL)
		}
	}
}

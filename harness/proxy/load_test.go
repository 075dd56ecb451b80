package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// startPlainProxy starts a reverse proxy of the standard library that records nothing.
func startPlainProxy(t testing.TB, upstream string) string {
	t.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, FlushInterval: -1,
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 64}})
	t.Cleanup(s.Close)
	return s.URL
}

// answerText is an answer of an agent of a usual size.
var answerText = `{"jsonrpc":"2.0","id":"1","result":{"task":{"id":"task-1","contextId":"context-1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"` + strings.Repeat("word ", 200) + `"}]}]}}}`

const sentText = `{"jsonrpc":"2.0","id":"1","method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`

func startAgent(t testing.TB) string {
	return startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answerText)
	}))
}

// measureCalls makes calls one after the other and returns how long each took.
func measureCalls(t testing.TB, c *http.Client, at string, n int) []time.Duration {
	t.Helper()
	out := make([]time.Duration, 0, n)
	for range n {
		start := time.Now()
		answer, err := c.Post(at, "application/json", strings.NewReader(sentText))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		out = append(out, time.Since(start))
	}
	return out
}

// quantile returns the duration below which a share of the durations is.
func quantile(of []time.Duration, share float64) time.Duration {
	slices.Sort(of)
	return of[int(float64(len(of)-1)*share)]
}

// Calls take hardly longer than through a reverse proxy that records nothing. The batches alternate, so that both meet the
// same machine; what is compared are the overheads beyond a direct call.
func TestOverhead(t *testing.T) {
	batches, size, median, tail := 12, 100, 3.0, 0.0 // a machine that does other things stretches single calls
	if testamount.All() {
		batches, size, median, tail = 60, 250, 1.5, 3
	}
	upstream := startAgent(t)
	p := openProxy(t, upstream)
	c := newClient(t, false)
	addresses := []string{upstream, startPlainProxy(t, upstream), p.URLs()[0]}
	for attempt := 1; ; attempt++ {
		all := make([][]time.Duration, len(addresses))
		for _, at := range addresses {
			measureCalls(t, c, at, size) // so that connections and pools are there
		}
		for batch := range batches {
			for i := range addresses {
				at := (i + batch) % len(addresses)
				all[at] = append(all[at], measureCalls(t, c, addresses[at], size)...)
			}
		}
		of := func(share float64) (ratio float64, text string) {
			direct, plain, ours := quantile(all[0], share), quantile(all[1], share), quantile(all[2], share)
			return float64(ours) / float64(plain), fmt.Sprintf("at %v: direct %v, the plain proxy %v, this one %v, ratio %.2f, of the overheads %.2f", share, direct, plain, ours, float64(ours)/float64(plain), float64(ours-direct)/float64(plain-direct))
		}
		half, text := of(0.5)
		late, lateText := of(0.99)
		t.Log(text)
		t.Log(lateText)
		if half <= median && (tail == 0 || late <= tail) {
			break
		}
		if attempt == 3 {
			t.Errorf("three times, the ratio was above %v at the median or above %v at 0.99", median, tail)
			break
		}
	}
}

// At 2,000 calls in a second, each exchange is recorded or counted as dropped.
func TestManyCalls(t *testing.T) {
	seconds := 1
	if testamount.All() {
		seconds = 5
	}
	const rate, workers = 2000, 16
	p := openProxy(t, startAgent(t))
	c := newClient(t, false)
	c.Transport.(*http.Transport).MaxIdleConnsPerHost = workers
	turns := make(chan bool, rate)
	var work sync.WaitGroup
	var made atomic.Int64
	for range workers {
		work.Go(func() {
			for range turns {
				measureCalls(t, c, p.URLs()[0], 1)
				made.Add(1)
			}
		})
	}
	start := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	for range seconds * 100 {
		<-tick.C
		for range rate / 100 {
			turns <- true
		}
	}
	tick.Stop()
	close(turns)
	work.Wait()
	took := time.Since(start)
	p.Close()
	s := p.Stats()
	t.Logf("%d calls in %v (%.0f in a second): %+v", made.Load(), took, float64(made.Load())/took.Seconds(), s)
	if s.Recorded+s.Dropped != made.Load() || s.Passed != made.Load() || s.Open != 0 || s.HeldBytes > usualKept {
		t.Errorf("of %d calls, %+v were counted", made.Load(), s)
	}
}

// A stream of 100,000 events passes in full, and takes little memory.
func TestLongStream(t *testing.T) {
	const events = 100_000
	text := "data: " + answerText[:300] + "\n\n"
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range events {
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}
	}))
	for _, second := range []bool{false, true} {
		p := openProxy(t, upstream)
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		answer, err := newClient(t, second).Get(p.URLs()[0])
		if err != nil {
			t.Fatal(err)
		}
		var most uint64
		came := int64(0)
		for i := 0; ; i++ {
			n, err := io.CopyN(io.Discard, answer.Body, 256<<10)
			came += n
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapInuse+now.StackInuse)
			if err != nil {
				break
			}
		}
		if came != int64(len(text)*events) {
			t.Errorf("%d bytes came, want %d", came, len(text)*events)
		}
		p.Close()
		grown := int64(most) - int64(before.HeapInuse+before.StackInuse)
		t.Logf("second %v: the memory in use grew by %.1f MiB", second, float64(grown)/(1<<20))
		if grown > 64<<20 {
			t.Errorf("the stream takes %d MiB", grown>>20)
		}
		x := p.Record().Passed[0]
		if !x.Out.Gaps.Response || len(x.Out.Events()) == 0 || x.Out.Response.Framing.Received != came {
			t.Errorf("recorded %d events, of %d bytes, gaps %+v", len(x.Out.Events()), x.Out.Response.Framing.Received, x.Out.Gaps)
		}
	}
}

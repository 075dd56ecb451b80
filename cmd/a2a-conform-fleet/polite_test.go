package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
)

// observed is a bundled server that notes when calls arrive.
type observed struct {
	url string

	mu       sync.Mutex
	arrivals []time.Time
}

func (o *observed) all() []time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.arrivals)
}

// observedAt starts a server at a host, behind a proxy that notes arrivals. What the server
// says of its address is made to name the proxy's.
func observedAt(t *testing.T, host, dialect string) *observed {
	t.Helper()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	behind, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	o := &observed{}
	proxy := &httputil.ReverseProxy{FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) },
		ModifyResponse: func(r *http.Response) error {
			if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
				return nil
			}
			text, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			text = bytes.ReplaceAll(text, []byte(s.URL()), []byte(o.url))
			r.Body = io.NopCloser(bytes.NewReader(text))
			r.ContentLength = int64(len(text))
			r.Header.Set("Content-Length", strconv.Itoa(len(text)))
			return nil
		}}
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.arrivals = append(o.arrivals, time.Now())
		o.mu.Unlock()
		proxy.ServeHTTP(w, r)
	})}}
	o.url = "http://" + l.Addr().String()
	server.Start()
	t.Cleanup(server.Close)
	return o
}

// judgedByThree has three workers judge servers, all of which are queued before the first
// begins.
func judgedByThree(t *testing.T, servers []*observed, dialect string, flags ...string) {
	t.Helper()
	data := t.TempDir()
	started(t, "broker", "--data", data)
	list := "agents:\n"
	for _, s := range servers {
		list += fmt.Sprintf("  - {target: \"%s\", dialect: %s, stimuli: plain}\n", s.url, dialect)
	}
	file := filepath.Join(t.TempDir(), "agents.yaml")
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	targets, _, err := agentlist.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Connect(t.Context(), broker.ConnectOptions{Data: data, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := f.Add(t.Context(), programVersion(), targets)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		started(t, append([]string{"work", "--data", data, "--quiet", "--allow-network", "127.0.0.0/8"}, flags...)...)
	}
	s, err := f.Await(t.Context(), a.Round.ID, func(fleet.RoundStatus) {})
	if err != nil {
		t.Fatal(err)
	}
	if s.Results != len(servers) || s.Repeated > 0 {
		t.Errorf("%d results for %d targets, %d conversations held again", s.Results, len(servers), s.Repeated)
	}
}

// used is which part of a rate was used on average, from the first moment to the last.
func used(at []time.Time, perSecond float64) float64 {
	slices.SortFunc(at, time.Time.Compare)
	return float64(len(at)-1) / at[len(at)-1].Sub(at[0]).Seconds() / perSecond
}

var idle = flag.Bool("idle", false, "nothing else goes on on this machine: that a fleet uses the rates which it may use is tried too")

// What all workers together do to one host, and to all, stays within the bounds, and uses
// them. No other test goes on in this process, which notes when calls arrive.
func TestFleetPoliteness(t *testing.T) {
	testamount.SkipInShort(t)
	few := func(many, few int) int {
		if *idle {
			return many
		}
		return few
	}
	t.Run("calls to one host", func(t *testing.T) {
		t.Parallel()
		const perSecond = 40
		servers := []*observed{}
		for range few(8, 2) {
			servers = append(servers, observedAt(t, "127.9.0.1", "a2x-0.3"))
		}
		judgedByThree(t, servers, "a2x-0.3", "--per-host", "3", "--per-second", fmt.Sprint(perSecond))
		var at []time.Time
		for _, s := range servers {
			at = append(at, s.all()...)
		}
		most, part := commandtest.MostWithin(at, 2*time.Second), used(at, perSecond)
		t.Logf("%d calls; at most %d within 2 s; %.2f of the rate was used", len(at), most, part)
		if most > 2*perSecond || *idle && part < 0.8 {
			t.Errorf("%d calls within 2 s at %d a second, of which %.2f were used", most, perSecond, part)
		}
	})
	t.Run("starts over all workers", func(t *testing.T) {
		t.Parallel()
		const perSecond = 3
		var servers []*observed
		for i := range few(36, 9) {
			servers = append(servers, observedAt(t, fmt.Sprintf("127.9.1.%d", 1+i), "core-schema"))
		}
		judgedByThree(t, servers, "core-schema", "--runs-per-second", fmt.Sprint(perSecond))
		var at []time.Time
		for _, s := range servers {
			at = append(at, slices.MinFunc(s.all(), time.Time.Compare))
		}
		most, part := commandtest.MostWithin(at, 2*time.Second), used(at, perSecond)
		t.Logf("%d starts; at most %d within 2 s; %.2f of the rate was used", len(at), most, part)
		if most > 2*perSecond || *idle && part < 0.8 {
			t.Errorf("%d starts within 2 s at %d a second, of which %.2f were used", most, perSecond, part)
		}
	})
	t.Run("one run at a time", func(t *testing.T) {
		t.Parallel()
		var same, others []*observed
		for i := range few(8, 4) {
			same = append(same, observedAt(t, "127.9.2.1", "core-schema"))
			others = append(others, observedAt(t, fmt.Sprintf("127.9.3.%d", 1+i), "core-schema"))
		}
		judgedByThree(t, slices.Concat(same, others), "core-schema")
		slices.SortFunc(same, func(a, b *observed) int { return a.all()[0].Compare(b.all()[0]) })
		for i := 1; i < len(same); i++ {
			before, at := same[i-1].all(), same[i].all()
			if last := slices.MaxFunc(before, time.Time.Compare); at[0].Before(last) {
				t.Errorf("%s was called at %v, and %s until %v", same[i].url, at[0], same[i-1].url, last)
			}
		}
	})
}

package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/a2a-conform/a2a-conform/harness/livepage"
)

// Bounds on the page of the operator.
const (
	maxPageConns = 32
	maxPageHead  = 16 << 10
	pageWait     = 10 * time.Second
)

// Judged is what the traffic came to when it was judged last.
type Judged struct {
	At    time.Time // the zero time if it was not judged yet
	Times int64     // how often it was judged
	Sides []livepage.TrafficSide
}

// Page serves what passed as a page and as metrics, to this machine alone.
type Page struct {
	Address string // of the page; the metrics are at metrics below it
	server  *http.Server
}

// OpenPage opens the page at HOST:PORT of this machine. judged returns what the traffic came to.
func (p *Proxy) OpenPage(at string, judged func() Judged) (*Page, error) {
	addr, err := net.ResolveTCPAddr("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("the page cannot be served at %s: %w", at, err)
	}
	if !addr.IP.IsLoopback() {
		return nil, fmt.Errorf("the page cannot be served at %s, which is not an address of this machine alone; name one such as 127.0.0.1:9464", at)
	}
	l, err := net.ListenTCP("tcp", addr)
	if err != nil {
		return nil, err
	}
	page := &Page{Address: "http://" + l.Addr().String() + "/"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { p.writePage(w, judged()) })
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]int64{"version": p.Stats().Passed + judged().Times})
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
		writeMetrics(w, p.Stats(), judged())
	})
	page.server = &http.Server{Handler: livepage.Guard(livepage.HostsOf(l.Addr().String()), mux), ReadTimeout: pageWait, WriteTimeout: pageWait, IdleTimeout: 6 * pageWait,
		MaxHeaderBytes: maxPageHead, ErrorLog: log.New(io.Discard, "", 0)}
	go page.server.Serve(netutil.LimitListener(l, maxPageConns)) // until it is closed
	return page, nil
}

// Close ends the page.
func (g *Page) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if g.server.Shutdown(ctx) != nil {
		g.server.Close()
	}
}

// writePage answers by the page.
func (p *Proxy) writePage(w http.ResponseWriter, j Judged) {
	s := p.Stats()
	t := livepage.Traffic{Nonce: rand.Text(), Version: s.Passed + j.Times, Sides: j.Sides}
	for _, e := range p.entries { // paths may be secret
		t.Routes = append(t.Routes, livepage.TrafficRoute{Address: e.nameBase(""), Upstream: e.upstream.Scheme + "://" + e.upstream.Host})
	}
	for _, c := range s.listCounts() {
		t.Counts = append(t.Counts, livepage.TrafficCount{What: c.words, Count: c.count})
	}
	if !j.At.IsZero() {
		t.Judged = j.At.Format(time.TimeOnly)
	}
	var text bytes.Buffer
	if err := livepage.WriteTraffic(&text, t); err != nil {
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", livepage.Policy(t.Nonce))
	w.Write(text.Bytes()) // to whoever is still there
}

// counted is one of the numbers that are shown.
type counted struct {
	words string
	count int64
}

// listCounts returns the numbers that the page shows, first how many exchanges passed.
func (s Stats) listCounts() []counted {
	return []counted{{"passed", s.Passed}, {"recorded", s.Recorded}, {"dropped by the record", s.Dropped}, {"left out", s.LeftOut}, {"upgraded", s.Upgraded}, {"no HTTP", s.Unreadable}, {"under way", s.Open}, {"kept now", int64(s.Held)}}
}

// writeMetrics writes the counts as OpenMetrics has them. No label has a text that passed.
func writeMetrics(w io.Writer, s Stats, j Judged) {
	fmt.Fprint(w, "# TYPE a2a_conform_proxy_exchanges counter\n# HELP a2a_conform_proxy_exchanges Exchanges that came to their end, by what became of them in the record.\n")
	for i, n := range []int64{s.Recorded, s.Dropped, s.LeftOut, s.Upgraded, s.Unreadable} {
		fmt.Fprintf(w, "a2a_conform_proxy_exchanges_total{record=%q} %d\n", fateNames[i], n)
	}
	gauge := func(name, help string, n int64) {
		fmt.Fprintf(w, "# TYPE a2a_conform_proxy_%[1]s gauge\n# HELP a2a_conform_proxy_%[1]s %[2]s\na2a_conform_proxy_%[1]s %[3]d\n", name, help, n)
	}
	gauge("open_exchanges", "Exchanges that are under way.", s.Open)
	gauge("held_exchanges", "Exchanges that are kept.", int64(s.Held))
	gauge("held_size", "About how many bytes of memory they take.", s.HeldBytes)
	if len(j.Sides) > 0 {
		gauge("judged_timestamp", "When the traffic was judged last, in seconds since 1970.", j.At.Unix())
		fmt.Fprint(w, "# TYPE a2a_conform_proxy_requirements gauge\n# HELP a2a_conform_proxy_requirements Requirements by their verdict when the traffic was judged last.\n")
		for _, side := range j.Sides {
			for _, c := range []counted{{"fail", int64(side.Fails)}, {"pass", int64(side.Passes)}, {"undecided", int64(side.Undecided)}} {
				fmt.Fprintf(w, "a2a_conform_proxy_requirements{side=%q,verdict=%q} %d\n", side.Name, c.words, c.count)
			}
		}
	}
	fmt.Fprint(w, "# EOF\n")
}

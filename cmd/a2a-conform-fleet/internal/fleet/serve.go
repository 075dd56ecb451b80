package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
)

// HandlerForHosts returns a server of the fleet's site that answers for its own hosts only.
func (f *Fleet) HandlerForHosts(own *Hosts) http.Handler { return own.refuseOthers(f.Handler()) }

// Handler returns a server of the fleet's site, live and read only. Who may see it is up to the proxy
// before it.
func (f *Fleet) Handler() http.Handler {
	s := &siteServer{f: f}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.serveOverview)
	mux.HandleFunc("GET /"+pagesFolder+"/{file}", s.serveTargetPage)
	mux.HandleFunc("GET /"+pagesFolder+"/{target}/{file}", s.serveEvidenceFile)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}

type siteServer struct {
	f *Fleet

	mu   sync.Mutex // of the overview, which is made anew every few seconds at most
	made time.Time
	text []byte
	busy chan struct{}
}

// freshFor is for how long an overview is shown again.
const freshFor = 3 * time.Second

func (s *siteServer) serveOverview(w http.ResponseWriter, r *http.Request) {
	text, err := s.renderOverviewIfExpired(r.Context())
	if err != nil {
		writeUnavailable(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(text)
}

func (s *siteServer) renderOverviewIfExpired(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.made) < freshFor {
		return s.text, nil
	}
	ctx, cancel := context.WithTimeout(ctx, broker.LongRequestTimeout)
	defer cancel()
	o, err := s.f.Overview(ctx, true)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := fleetpage.WritePage(&b, o); err != nil {
		return nil, err
	}
	s.text, s.made = b.Bytes(), time.Now()
	return s.text, nil
}

// writeUnavailable answers what is no fault of whoever asks.
func writeUnavailable(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	http.Error(w, "the broker does not answer: try again in a moment", http.StatusServiceUnavailable)
}

// targetPage is the page of a target.
var targetPage = regexp.MustCompile(`^([0-9a-f]{16})\.html$`)

var roundNumber = regexp.MustCompile(`^[0-9]{1,6}$`)

// roundParameter returns the round that is asked for; "" for the latest.
func roundParameter(r *http.Request) (string, bool) {
	n := r.URL.Query().Get("round")
	if n == "" {
		return "", true
	}
	if !roundNumber.MatchString(n) {
		return "", false
	}
	return fmt.Sprintf("%06s", n), true
}

func (s *siteServer) serveTargetPage(w http.ResponseWriter, r *http.Request) {
	m := targetPage.FindStringSubmatch(r.PathValue("file"))
	round, ok := roundParameter(r)
	if m == nil || !ok {
		http.NotFound(w, r)
		return
	}
	s.writeRendered(w, r, "text/html; charset=utf-8", func(ctx context.Context, to io.Writer) (bool, error) {
		return s.f.writeTargetPage(ctx, m[1], round, to, false)
	})
}

func (s *siteServer) serveEvidenceFile(w http.ResponseWriter, r *http.Request) {
	target, file := r.PathValue("target"), r.PathValue("file")
	round, ok := roundParameter(r)
	if !ok || !targetPage.MatchString(target+".html") || file != reportFile && file != transcriptFile {
		http.NotFound(w, r)
		return
	}
	if !s.waitForSlot(r) {
		return
	}
	defer s.releaseSlot()
	ctx, cancel := context.WithTimeout(r.Context(), broker.LongRequestTimeout)
	defer cancel()
	e, found, err := s.f.findEvidence(ctx, target, round)
	if err != nil || !found {
		writeMissingOrUnavailable(w, r, err)
		return
	}
	w.Header().Set("Content-Disposition", "attachment")
	w.Header().Set("Content-Type", "application/json")
	of := e.report
	if file == transcriptFile {
		of = e.transcript
	}
	if err := readEvidence(of, func(from io.Reader) error {
		_, err := io.Copy(w, from)
		return err
	}); err != nil {
		panic(http.ErrAbortHandler) // so that what is there is not taken for the whole
	}
}

// waitForSlot waits until what is kept of a run may be read: of few at a time.
func (s *siteServer) waitForSlot(r *http.Request) bool {
	s.mu.Lock()
	if s.busy == nil {
		s.busy = make(chan struct{}, 2)
	}
	s.mu.Unlock()
	select {
	case s.busy <- struct{}{}:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (s *siteServer) releaseSlot() { <-s.busy }

// writeMissingOrUnavailable answers if there is nothing to show: nothing is kept, or it cannot be read.
func writeMissingOrUnavailable(w http.ResponseWriter, r *http.Request, errOrNilIfMissing error) {
	switch {
	case errOrNilIfMissing == nil:
		http.NotFound(w, r)
	case errors.Is(errOrNilIfMissing, broker.ErrUnreadableObject):
		http.Error(w, "what the broker keeps of this run cannot be read", http.StatusNotFound)
	default:
		writeUnavailable(w, errOrNilIfMissing)
	}
}

// writeRendered answers with what is rendered, once that is whole. Few are rendered at a time: each may
// take as much memory as its transcript.
func (s *siteServer) writeRendered(w http.ResponseWriter, r *http.Request, kind string, render func(context.Context, io.Writer) (bool, error)) {
	if !s.waitForSlot(r) {
		return
	}
	defer s.releaseSlot()
	ctx, cancel := context.WithTimeout(r.Context(), broker.LongRequestTimeout)
	defer cancel()
	var b bytes.Buffer
	if found, err := render(ctx, &b); err != nil || !found {
		writeMissingOrUnavailable(w, r, err)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Write(b.Bytes())
}

package prove

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// temper is how a proxy changes answers: some are changed at random, by what was
// asked, so that a call is answered in the same way whatever went on beside it;
// habits change all of them.
type temper struct {
	seed    uint64
	variant string
	target  conform.Target
	rate    float64 // of the answers that are changed
	what    string  // in words
	words   []string
	habits  []func(text []byte) []byte
	bare    bool // no event has an envelope

	mu   sync.Mutex
	last map[string][]byte // the latest body of each media type …
	owed map[string][]byte // … and one that another call is to be answered with
}

// members are the names that mean something in a dialect.
func members(d *schema.Dialect) []string {
	out := []string{"jsonrpc", "id", "result", "error", "code", "message", "data"}
	for _, r := range d.Shapes().Rules() {
		if at := strings.Split(r.At, "/"); at[len(at)-1] != "" && at[len(at)-1] != "*" {
			out = append(out, at[len(at)-1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// habit adds something that is done to every text.
func (t *temper) habit(r *rand.Rand, names []string) {
	if r.IntN(8) == 0 {
		t.what, t.bare = t.what+", no event has an envelope", true
		return
	}
	name, g := names[r.IntN(len(names))], someGarbling(r, t.words)
	t.what += fmt.Sprintf(", every member %s %s", name, g.what)
	t.habits = append(t.habits, func(text []byte) []byte {
		return everywhere(text, func(p place) bool { return p.name() == name }, g.do)
	})
}

// edit changes an answer.
func (t *temper) edit(p *proxy, to proxyCall, r *http.Response) error {
	n := lot(t.seed, to.op+to.id+r.Request.Method+r.Request.URL.Path)
	rnd := rand.New(rand.NewPCG(t.seed, uint64(n)))
	change := rnd.Float64() < t.rate
	if mediaType(r) == "text/event-stream" {
		s := &streamTemper{temper: t, rnd: rnd, change: change, p: p}
		replaceLines(r, "", s.line)
	} else if err := t.body(p, rnd, change, r); err != nil {
		return err
	}
	if change && rnd.IntN(4) == 0 {
		t.head(rnd, r)
	}
	return nil
}

// body changes an answer that is no stream.
func (t *temper) body(p *proxy, rnd *rand.Rand, change bool, r *http.Response) error {
	cut := -1
	err := replaceBody(r, func(text []byte) []byte {
		do := rnd.IntN(8)
		text = t.swapped(mediaType(r), t.text(p.replaceTargetHost(text)), change && do == 0)
		if !change || len(text) == 0 {
			return text
		}
		switch do {
		case 0:
			return text
		case 1:
			cut = rnd.IntN(len(text))
			return text
		}
		text, _ = garbled(rnd, t.words, text)
		return text
	})
	if cut >= 0 && err == nil { // the rest is announced and never comes
		r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, int64(cut)), brokenOff{}))
	}
	return err
}

// text does to a text what is done to all.
func (t *temper) text(text []byte) []byte {
	for _, habit := range t.habits {
		text = habit(text)
	}
	return text
}

// swapped is the body of the answer before, if it is to be: then this one's goes
// to the next call.
func (t *temper) swapped(kind string, text []byte, swap bool) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, owed := t.last[kind], t.owed[kind]
	t.last[kind], t.owed[kind] = text, nil
	switch {
	case swap && last != nil:
		t.owed[kind] = text
		return last
	case owed != nil:
		return owed
	}
	return text
}

// brokenOff is where a connection breaks.
type brokenOff struct{}

func (brokenOff) Read([]byte) (int, error) { return 0, errors.New("the connection broke") }

// head changes the status or a header.
func (t *temper) head(rnd *rand.Rand, r *http.Response) {
	names := slices.DeleteFunc([]string{"Content-Type", "Content-Type", "Content-Type", "Date", "Cache-Control", "Www-Authenticate", "Connection", "Location", "Content-Encoding"},
		func(n string) bool { return r.Header.Get(n) == "" && rnd.IntN(4) > 0 })
	switch rnd.IntN(4) {
	case 0:
		r.StatusCode = []int{201, 204, 302, 400, 401, 403, 404, 500, 503}[rnd.IntN(9)]
		r.Status = strconv.Itoa(r.StatusCode) + " Changed"
		if r.StatusCode == 204 { // which has no body
			r.Body.Close()
			r.Body = http.NoBody
			r.Header.Del("Content-Length")
		}
	case 1:
		if len(names) > 0 {
			r.Header[names[rnd.IntN(len(names))]] = nil
		}
	default:
		if len(names) > 0 {
			r.Header.Set(names[rnd.IntN(len(names))], oddHeaders[rnd.IntN(len(oddHeaders))])
		}
	}
}

// streamTemper changes a stream, event by event.
type streamTemper struct {
	*temper
	p      *proxy
	rnd    *rand.Rand
	change bool
	block  []string // lines of the event that is not complete
	late   string   // an event that is sent after the next
	over   bool     // nothing more is sent
}

// line takes a line of the stream and returns what is sent on.
func (s *streamTemper) line(line string) string {
	if line != "" {
		s.block = append(s.block, line)
		return ""
	}
	block := s.block
	s.block = nil
	if s.over || len(block) == 0 {
		return ""
	}
	whole := func(text []byte) []byte { return text }
	if s.bare {
		whole = bareEvent
	}
	event := s.event(block, whole)
	late := s.late
	s.late = ""
	if !s.change || s.rnd.IntN(3) > 0 {
		return event + late
	}
	switch s.rnd.IntN(7) {
	case 0:
		return late
	case 1:
		return event + event + late
	case 2:
		s.late = event
		return late
	case 3:
		s.over = true
		return event[:s.rnd.IntN(len(event)+1)]
	case 4:
		return s.event(block, bareEvent) + late
	}
	return s.event(block, func(text []byte) []byte {
		text, _ = garbled(s.rnd, s.words, text)
		return text
	}) + late
}

// bareEvent is the result of an event, without its envelope.
func bareEvent(text []byte) []byte {
	root, _ := record.ObserveJSON(text)
	if result := root.Member("result"); result != nil {
		return text[result.Start:result.End]
	}
	return text
}

// event is a block with its data changed, on one line.
func (s *streamTemper) event(block []string, change func([]byte) []byte) string {
	var out strings.Builder
	var data [][]byte
	for _, line := range block {
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			data = append(data, []byte(text))
			continue
		}
		out.WriteString(line + "\n")
	}
	if data != nil {
		text := change(s.text(s.p.replaceTargetHost(bytes.Join(data, []byte(" ")))))
		out.WriteString("data:" + string(inLine(text)) + "\n")
	}
	return out.String() + "\n"
}

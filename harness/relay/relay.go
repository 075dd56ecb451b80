// Package relay is between a client and a server that are both of others: it passes requests and answers on as they
// come, and records both halves, what the client sent and was given, and what the server was sent and answered.
package relay

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Config is what a relay is opened for.
type Config struct {
	Upstream string            // URL of the server, as a client would be given it
	Dialects []*schema.Dialect // by which cards are read; the first one is that of the calls
	Card     []byte            // the server's card; nil if it is not known before the client fetches it
	Started  time.Time         // zero point of all instants
	Redact   *redact.Redactor  // nil redacts credential headers only
	// Patience is after how long the program of the client is ended: what breaks off since then is not its own doing.
	Patience time.Duration
	// Timeout is how long one answer of the server may take, streams included; 0 for five minutes.
	Timeout time.Duration
}

// Relay passes on what clients send to one server. Only the fields about connections, Host, and the addresses on
// cards are changed.
type Relay struct {
	cfg      Config
	upstream *url.URL          // its origin
	given    []byte            // the card that was known, as the client is given it; nil for none
	cards    card.Intermediary // replaces the addresses on the server's cards by that of the relay
	listener *serve.Listener
	caller   *client.Client

	notes card.Notes

	mu    sync.Mutex
	calls []passed
}

// passed is a call that was passed on.
type passed struct {
	at  record.Instant // of the first byte of the client's request
	url string         // to which it went
	out *record.Exchange
}

// defaultTimeout is how long an answer of the server may take.
const defaultTimeout = 5 * time.Minute

// Open opens the address of a relay, and begins to pass on.
func Open(ctx context.Context, cfg Config) (*Relay, error) {
	u, err := url.Parse(cfg.Upstream)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of a server; write it like http://localhost:9999", redact.StripSecrets(cfg.Upstream))
	}
	l, err := serve.NewListener(ctx, serve.ListenerConfig{Started: cfg.Started, Redact: cfg.Redact})
	if err != nil {
		return nil, err
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	r := &Relay{cfg: cfg, upstream: &url.URL{Scheme: u.Scheme, Host: u.Host}, listener: l,
		caller: client.NewClient(client.Config{Started: cfg.Started, Timeout: cfg.Timeout, Redact: cfg.Redact})}
	r.cards = card.Intermediary{Name: "the relay", Dialects: cfg.Dialects, Routes: []card.Route{{Upstream: r.upstream, Base: l.Base()}}}
	if cfg.Card != nil {
		var notes []string
		r.given, notes, _ = r.cards.ReplaceInAnswer(nil, nil, cfg.Card)
		r.notes.AddNotes(notes)
	}
	l.Serve(r.passOn)
	return r, nil
}

// URL returns what a client is given in place of the server's URL.
func (r *Relay) URL() string { return r.listener.Base() + traffic.ReadPath(r.cfg.Upstream) }

// FirstInterface returns the address of the first interface of the card that was known when the relay was opened, as the
// client is given it; "" without a card.
func (r *Relay) FirstInterface() string {
	if r.given == nil {
		return ""
	}
	root, _ := record.ObserveJSON(r.given)
	return card.Of(r.cfg.Dialects[0], root).Preferred().URL()
}

// Close ends the relay: what is under way is broken off.
func (r *Relay) Close() {
	r.listener.Close()
	r.caller.Close()
}

// AwaitQuiet waits until clients have closed their connections, at most for the patience.
func (r *Relay) AwaitQuiet(patience time.Duration) { r.listener.AwaitQuiet(patience) }

// passOn passes a request on, and the answer back: each piece of it at once, unless it is a card.
func (r *Relay) passOn(a *serve.Answer, q *serve.Request) {
	if len(q.Target) > record.MaxAddress {
		a.Refuse(http.StatusRequestURITooLong, "the address is too long to be passed on")
		return
	}
	by := r.cards.FindCardCall(&record.Exchange{Dir: record.In, URL: r.listener.Base() + q.Target, Request: *q.Message})
	isCard := by != nil || r.asksForCard(q)
	var head, text []byte
	call := client.Call{Method: q.Method, URL: r.addressOf(q.Target), Header: listPassedFields(q.Message, isCard), Body: slices.Clone(q.Message.Body), Once: true, Bare: true, Stop: a.Gone(),
		Begun: func(begin []byte, is record.Framing) {
			if head = begin; !isCard {
				a.Pass(head, is.Declared)
			}
		}}
	x := r.caller.Do(a.Context(), call, func(piece []byte, _ record.Instant) bool {
		if isCard {
			text = append(text, piece...)
			return true
		}
		return a.Write(piece)
	})
	switch {
	case x.Ended == record.OurClose: // the client has left
	case head == nil:
		a.Refuse(http.StatusBadGateway, "the server gave no answer that can be passed on")
	case x.Ended != record.EOF && isCard:
		a.Refuse(http.StatusBadGateway, "the server's answer ended before it was complete")
	case x.Ended != record.EOF:
		a.Break("the server's answer ended before it was complete")
	case isCard:
		given, notes, _ := r.cards.ReplaceInAnswer(by, head, text)
		r.notes.AddNotes(notes)
		a.Pass(head, int64(len(given)))
		a.Write(given)
		a.End()
	default:
		a.End()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) < maxCalls {
		r.calls = append(r.calls, passed{at: q.Start, url: r.listener.Base() + q.Target, out: x})
	}
}

// maxCalls is how many calls are kept of one relay; the listener keeps no more of them either.
const maxCalls = 300

// addressOf returns the server's address of a request target.
func (r *Relay) addressOf(target string) string {
	if _, rest, absolute := strings.Cut(target, "://"); absolute {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			target = rest[i:]
		} else {
			target = "/"
		}
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return r.upstream.String() + target
}

// listPassedFields returns the header fields of a request that are passed on. A card is asked for without a coding, since
// addresses on it are replaced.
func listPassedFields(m *record.Message, isCard bool) http.Header {
	out := http.Header{}
	var named []string
	for _, f := range m.Fields() {
		if strings.EqualFold(f.Name, "Connection") {
			named = append(named, strings.Split(f.Value, ",")...)
		}
	}
	for _, f := range m.Fields() {
		name := f.Name
		switch canonical := http.CanonicalHeaderKey(name); canonical {
		case "Host", "Expect":
			continue
		case "Content-Encoding":
			if m.Framing.Coding != "" {
				continue // it was taken off, to be recorded
			}
		case "User-Agent", "Accept-Encoding":
			name = canonical // net/http looks for these
		}
		if serve.IsOfConnection(name, named) || isCard && name == "Accept-Encoding" {
			continue
		}
		out[name] = append(out[name], f.Value)
	}
	return out
}

// asksForCard reports whether a request is one for a card at a well-known place, below the host or below the server's URL.
func (r *Relay) asksForCard(q *serve.Request) bool {
	path, _, _ := strings.Cut(q.Target, "?")
	return r.cards.IsCardPath(path, traffic.ReadPath(r.cfg.Upstream))
}

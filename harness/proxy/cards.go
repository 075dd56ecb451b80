package proxy

import (
	"bytes"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// cardReader recognises the cards that pass.
type cardReader struct {
	m      card.Intermediary
	below  []string // paths of the URLs of the servers
	agents []string // patterns of the paths of the cards of several agents
	words  []string // one of which is in each call that returns a card

	notes    card.Notes
	bypassed atomic.Bool // an address on a signed card would have been changed
}

func newCardReader(p *Proxy) *cardReader {
	c := &cardReader{m: card.Intermediary{Name: "the proxy", Dialects: p.cfg.Dialects, GRPC: true}}
	for _, e := range p.entries {
		c.below = append(c.below, strings.TrimSuffix(e.upstream.Path, "/"))
	}
	for _, d := range p.cfg.Dialects {
		if d.Agents.Card != "" {
			c.agents = append(c.agents, strings.ReplaceAll(d.Agents.Card, "{name}", "*"))
		}
		for _, b := range d.Bindings {
			if b.Kind == schema.KindGRPC {
				continue
			}
			if word := b.Methods[card.ExtendedCard]; word != "" {
				c.words = append(c.words, word)
			}
			for _, route := range b.Routes[card.ExtendedCard] {
				c.words = append(c.words, path.Base(route.Path))
			}
		}
	}
	return c
}

// isCardPath reports whether a path is one at which a card may be.
func (c *cardReader) isCardPath(at string) bool {
	for _, below := range c.below {
		if c.m.IsCardPath(at, below) {
			return true
		}
	}
	return slices.ContainsFunc(c.agents, func(pattern string) bool {
		matches, err := path.Match(pattern, at)
		return matches && err == nil
	})
}

// findCall reports whether an exchange is a call that returns a card, and returns the binding that reads it. Few calls are
// taken apart: those that have a word by which such a call is known.
func (c *cardReader) findCall(x *record.Exchange) binding.Binding {
	if !slices.ContainsFunc(c.words, func(word string) bool {
		return bytes.Contains(x.Request.Body, []byte(word)) || strings.Contains(x.URL, word)
	}) {
		return nil
	}
	return c.m.FindCardCall(x)
}

// replaceInAnswer replaces the addresses on a card on its way to the client. Any other answer passes on as it comes.
func (c *cardReader) replaceInAnswer(e *entry, of *capture, answer *http.Response) error {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if answer.StatusCode != http.StatusOK || kind == "text/event-stream" || record.IsGRPC(kind) || answer.ContentLength > record.MaxBody {
		return nil
	}
	isCard := c.isCardPath(of.path)
	of.isCard = isCard
	if answer.Request.Method == http.MethodHead {
		if isCard {
			answer.Header.Del("Content-Length") // that of the replaced card is another one
			answer.ContentLength = -1
		}
		return nil
	}
	var by binding.Binding
	if !isCard {
		x := &record.Exchange{Dir: record.In, URL: answer.Request.URL.String(), Request: record.Message{Head: []byte(answer.Request.Method + " " + answer.Request.URL.RequestURI() + " HTTP/1.1\r\n\r\n"), Body: of.readFirst()}}
		if by = c.findCall(x); by == nil {
			return nil
		}
		of.isCard = true
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, record.MaxBody+1))
	if err != nil || len(text) > record.MaxBody {
		answer.Body = &restBody{io.MultiReader(bytes.NewReader(text), failedReader{err}, answer.Body), answer.Body}
		return nil
	}
	head := formatResponseHead(answer.StatusCode, answer.Status, answer.Proto, answer.Header, nil, false)
	given, notes, bypassed := c.routesFor(e, of).ReplaceInAnswer(by, head, text)
	c.notes.AddNotes(notes)
	if bypassed {
		c.bypassed.Store(true)
	}
	answer.Body = &restBody{bytes.NewReader(given), answer.Body}
	if bytes.Equal(given, text) {
		return nil
	}
	of.noteReplaced(given)
	of.endAnswerChunks()
	if len(answer.Trailer) > 0 { // which follows a body in chunks alone
		answer.Header.Del("Content-Length")
		answer.ContentLength = -1
		return nil
	}
	answer.ContentLength = int64(len(given))
	answer.Header.Set("Content-Length", strconv.Itoa(len(given)))
	return nil
}

// restBody is a body of which the beginning was read.
type restBody struct {
	io.Reader
	io.Closer
}

// failedReader fails as the body did.
type failedReader struct{ err error }

func (f failedReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// routesFor returns what replaces the addresses on a card that was asked for at an entry. A client that calls an
// address of all interfaces is given the name by which it calls.
func (c *cardReader) routesFor(e *entry, of *capture) card.Intermediary {
	m := c.m
	for _, other := range e.entries {
		m.Routes = append(m.Routes, card.Route{Upstream: other.upstream, Base: other.nameBase(of.called)})
	}
	return m
}

// nameBase returns the origin of an entry for a client that called some host; "" if that is not known.
func (e *entry) nameBase(called string) string {
	scheme, port, open := strings.Cut(e.base, "://:")
	if !open {
		return e.base
	}
	u, err := url.Parse("//" + called)
	if err != nil || u.Host == "" || u.Host != called || u.Hostname() == "" {
		return scheme + "://localhost:" + port
	}
	return scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}

package client

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A call is one request to the agent, before it is sent. Mutants edit it.
type call struct {
	session    *session
	op         operation
	httpMethod string
	url        string
	header     http.Header
	binding    string
	envelope   object
	encode     func(any) []byte
	editREST   func(*restRequest) // edits the call if it is one of HTTP+JSON
	editGRPC   func(*grpcRequest) // edits the call if it is one of gRPC
}

// getParams returns the parameters of the call.
func (c *call) getParams() object { return getObject(c.envelope, "params") }

// getMessage returns the message that the call sends, nil if it sends none.
func (c *call) getMessage() object { return getObject(c.envelope, "params", "message") }

// encodeJSON writes a value as JSON.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // of maps, texts and numbers, which have no error
	return bytes.TrimRight(b.Bytes(), "\n")
}

// chooseEndpoint returns the first interface of the card whose binding has an operation; the first one if none has it.
func (s *session) chooseEndpoint(op operation) (at endpoint, found bool) {
	for _, e := range s.card.endpoints {
		if e.binding == restBinding && s.dialect.routes[op].path != "" || e.binding != restBinding && s.dialect.methods[op] != "" {
			return e, true
		}
	}
	if op == list && s.card.lists.url != "" { // 0.3 has it there alone
		return s.card.lists, true
	}
	return s.card.endpoints[0], false
}

// useFirstEndpoint directs the call to the first interface of the card that has its operation, with its tenant.
func (c *call) useFirstEndpoint() {
	first, _ := c.session.chooseEndpoint(c.op)
	c.url, c.binding = first.url, first.binding
	if rest, is := strings.CutPrefix(c.url, "https:"); is && c.session.habits.httpsBecomesHTTP {
		c.url = "http:" + rest
	}
	media := "application/json"
	if c.inREST() {
		media = c.session.dialect.restMedia
	}
	c.header.Set("Content-Type", media)
	if delete(c.getParams(), "tenant"); first.tenant != "" {
		c.getParams()["tenant"] = first.tenant
	}
}

// newCall makes a call, with everything that all calls have in common.
func (s *session) newCall(op operation, params object) *call {
	number := s.calls.Add(1)
	var id any = newID()
	if s.habits.numericIDs {
		id = number
	}
	c := &call{
		session: s, op: op, httpMethod: http.MethodPost, encode: encodeJSON,
		envelope: object{"jsonrpc": "2.0", "id": id, "method": s.dialect.methods[op], "params": params},
		header:   http.Header{"Accept": {"application/json"}, "User-Agent": {"a2a-reference-client"}},
	}
	c.useFirstEndpoint()
	if op == stream || op == subscribe {
		c.header.Set("Accept", "text/event-stream, application/json")
	}
	if s.dialect.version != "" {
		c.header.Set("A2A-Version", s.dialect.version)
	}
	if len(s.card.extensions) > 0 && s.dialect.extensionHeader != "" {
		c.header.Set(s.dialect.extensionHeader, strings.Join(s.card.extensions, ", "))
	}
	if s.habits.extraHeaders {
		c.header.Set("Traceparent", "00-"+strings.ReplaceAll(newID(), "-", "")+"-"+newID()[:8]+newID()[:8]+"-01")
		c.header.Set("Accept-Language", "en, de;q=0.5")
		c.header.Set("X-Request-Id", newID())
		if s.dialect.namesHeaders {
			c.header.Set("X-A2A-Version", "0.3.0")
			c.header.Set("X-A2A-Timeout", "30000")
			c.header.Set("X-A2A-Trace-Id", newID())
		}
	}
	if s.dialect.completeCall != nil {
		s.dialect.completeCall(c)
	}
	return c
}

// newID returns a random UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// callForResult makes a call that has one answer, and returns its result.
func (s *session) callForResult(op operation, params object) (object, error) {
	return s.makeCall(s.newCall(op, params))
}

// makeCall makes a call that was written before and has one answer, and returns its result.
func (s *session) makeCall(c *call) (result object, err error) {
	err = s.callWithRetries(c, func(r *response) (err error) {
		result, err = s.readResult(r)
		return err
	})
	return result, err
}

// sendCall sends a call once. It follows redirects only within the origin, and only those
// that keep method and body.
func (s *session) sendCall(c *call) (*response, error) {
	if s.habits.beforeSending != nil {
		s.habits.beforeSending(c)
	}
	if c.inGRPC() {
		return s.sendGRPC(c)
	}
	httpMethod, address, body := c.httpMethod, c.url, c.encode(c.envelope)
	if c.inREST() {
		httpMethod, address, body = c.writeREST()
	}
	shown := s.chooseCredentials(c.op)
	for hop := 0; ; hop++ {
		r, err := http.NewRequestWithContext(s.ctx, httpMethod, address, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header = c.header.Clone()
		s.addCredentials(r, shown)
		if s.habits.afterCredentials != nil {
			s.habits.afterCredentials(c, r)
		}
		reply, err := s.http.Do(r)
		if err != nil {
			return nil, fmt.Errorf("the agent cannot be called: %w", err)
		}
		if name := s.dialect.extensionHeader; s.habits.awaitsExtensions && r.Header.Get(name) != "" && reply.Header.Get(name) == "" {
			<-s.ctx.Done()
			return nil, errors.New("the agent did not activate the extensions in time")
		}
		next, err := s.readRedirect(r.URL, reply)
		if err == nil && next == nil {
			return &response{call: c, status: reply.StatusCode, header: reply.Header, body: reply.Body}, nil
		}
		reply.Body.Close()
		switch {
		case err != nil:
			return nil, err
		case hop >= maxCallRedirects:
			return nil, errors.New("too many redirects")
		}
		if !isSameOrigin(r.URL, next) && !s.habits.carriesCredentials {
			shown = nil
		}
		if !keepsMethod(reply.StatusCode) {
			httpMethod, body = http.MethodGet, nil
		}
		address = next.String()
	}
}

// readRedirect returns the target of a redirect, nil if the reply is none. A redirect that
// is not followed is an error.
func (s *session) readRedirect(from *url.URL, reply *http.Response) (*url.URL, error) {
	changesMethod := slices.Contains([]int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther}, reply.StatusCode)
	if !changesMethod && !keepsMethod(reply.StatusCode) {
		return nil, nil
	}
	next, err := from.Parse(reply.Header.Get("Location"))
	if err != nil || next.Host == "" {
		return nil, fmt.Errorf("%s leads nowhere", reply.Status)
	}
	switch {
	case !isSameOrigin(from, next) && !s.habits.leavesOrigin:
		return nil, fmt.Errorf("%s leads to another origin, %s://%s, and is not followed", reply.Status, next.Scheme, next.Host)
	case changesMethod && !s.habits.postBecomesGet:
		return nil, fmt.Errorf("%s would change the method, and is not followed", reply.Status)
	}
	return next, nil
}

// keepsMethod reports whether a redirect with the status is followed by the same request.
func keepsMethod(status int) bool {
	return status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
}

// isSameOrigin reports whether two URLs differ in no more than the path and what follows.
func isSameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

// decodeJSON decodes exactly one JSON value, with numbers as they are written.
func decodeJSON(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows the JSON value")
	}
	return nil
}

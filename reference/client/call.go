package client

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A call is one request to the agent, before it is sent. Mutants edit it.
type call struct {
	session  *session
	op       operation
	verb     string
	url      string
	header   http.Header
	envelope object
	encode   func(any) []byte
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

// useFirstEndpoint directs the call to the first interface of the card, with its tenant.
func (c *call) useFirstEndpoint() {
	first := c.session.card.endpoints[0]
	c.url = first.url
	if delete(c.getParams(), "tenant"); first.tenant != "" {
		c.getParams()["tenant"] = first.tenant
	}
}

// newCall makes a call, with everything that all calls have in common.
func (s *session) newCall(op operation, params object) *call {
	s.calls++
	var id any = newID()
	if s.habits.numericIDs {
		id = s.calls
	}
	c := &call{
		session: s, op: op, verb: http.MethodPost, encode: encodeJSON,
		envelope: object{"jsonrpc": "2.0", "id": id, "method": s.dialect.methods[op], "params": params},
		header:   http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "User-Agent": {"a2a-reference-client"}},
	}
	c.useFirstEndpoint()
	if op == stream || op == subscribe {
		c.header.Set("Accept", "text/event-stream, application/json")
	}
	if s.dialect.version != "" {
		c.header.Set("A2A-Version", s.dialect.version)
	}
	if len(s.card.extensions) > 0 {
		c.header.Set(s.dialect.extensionHeader, strings.Join(s.card.extensions, ", "))
	}
	if s.habits.extraHeaders {
		c.header.Set("Traceparent", "00-"+strings.ReplaceAll(newID(), "-", "")+"-"+newID()[:8]+newID()[:8]+"-01")
		c.header.Set("Accept-Language", "en, de;q=0.5")
		c.header.Set("X-Request-Id", newID())
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
func (s *session) callForResult(op operation, params object) (result object, err error) {
	err = s.callWithRetries(s.newCall(op, params), func(r *response) (err error) {
		result, err = s.readResult(r)
		return err
	})
	return result, err
}

// callWithRetries sends a call, again as often as the rules for retries allow, and reads what
// comes by a function.
func (s *session) callWithRetries(c *call, read func(*response) error) error {
	for number := 1; ; number++ {
		if s.calls > maxCalls {
			return fmt.Errorf("the client gives up after %d calls", maxCalls)
		}
		r, err := s.sendCall(c)
		a := attempt{call: c, number: number}
		if err == nil {
			a.status, a.retryAfter = r.status, r.header.Get("Retry-After")
			err = read(r)
			r.body.Close()
		}
		a.err = err
		again, wait := s.habits.retry(a)
		if !again {
			return err
		}
		s.calls++
		if err := s.waitFor(wait); err != nil {
			return err
		}
	}
}

// An attempt is how one try of a call ended.
type attempt struct {
	call       *call
	number     int // from 1
	status     int
	retryAfter string
	err        error
}

// Limits of retries.
const (
	maxTries     = 3
	maxRetryWait = 5 * time.Second
)

// decideRetry decides whether a call is made again, and after which time: if the agent is
// busy and names a time, or if it cannot be reached and the card names another address.
func decideRetry(a attempt) (again bool, wait time.Duration) {
	s := a.call.session
	if isUnreachable(a.err) && len(s.card.endpoints) > 1 && !s.habits.firstInterfaceOnly {
		s.card.endpoints = s.card.endpoints[1:]
		a.call.useFirstEndpoint()
		return true, 0
	}
	if a.err == nil || a.number >= maxTries || a.status != http.StatusTooManyRequests && a.status != http.StatusServiceUnavailable {
		return false, 0
	}
	wait, ok := readRetryAfter(a.retryAfter)
	return ok && wait <= maxRetryWait, wait
}

// readRetryAfter reads a number of seconds or a date (RFC 9110, section 10.2.3).
func readRetryAfter(value string) (time.Duration, bool) {
	if n, err := strconv.Atoi(value); err == nil && n >= 0 && n < 1<<20 {
		return time.Duration(n) * time.Second, true
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(time.Until(t), 0), true
	}
	return 0, false
}

// isUnreachable reports whether no connection was made, so that nothing was sent.
func isUnreachable(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// A response is what came for a call. Its body may be a stream.
type response struct {
	call   *call
	status int
	header http.Header
	body   io.ReadCloser
}

// isStream reports whether the response consists of events. Media types are the same in
// any case and with parameters.
func (r *response) isStream() bool {
	if r.call.session.habits.exactMediaType {
		return r.header.Get("Content-Type") == eventStream
	}
	media, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	return media == eventStream
}

const eventStream = "text/event-stream"

// sendCall sends a call once. It follows redirects only within the origin, and only those
// that keep method and body.
func (s *session) sendCall(c *call) (*response, error) {
	if s.habits.beforeSending != nil {
		s.habits.beforeSending(c)
	}
	body := c.encode(c.envelope)
	address, verb := c.url, c.verb
	shown := s.chooseCredentials()
	for hop := 0; ; hop++ {
		r, err := http.NewRequestWithContext(s.ctx, verb, address, bytes.NewReader(body))
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
			verb, body = http.MethodGet, nil
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

// An rpcError is an error of JSON-RPC.
type rpcError struct {
	code    int
	name    string // of the protocol, "" if the code is not one of its own
	message string
}

func (e *rpcError) Error() string {
	return fmt.Sprintf("the agent answered with the error %s (%d): %s", cmp.Or(e.name, "of an unknown kind"), e.code, e.message)
}

// newStatusError returns the error of a status without a usable body.
func newStatusError(status int) error {
	return fmt.Errorf("the agent answered HTTP %d %s", status, http.StatusText(status))
}

// readResult reads a response that is no stream, and returns its result.
func (s *session) readResult(r *response) (object, error) {
	if s.habits.needsLength && r.header.Get("Content-Length") == "" {
		return nil, errors.New("the response has no Content-Length")
	}
	body, err := readBody(r.body, maxBody)
	if err != nil {
		return nil, fmt.Errorf("the response cannot be read: %w", err)
	}
	if most := s.habits.maxBody; most > 0 {
		body = body[:min(len(body), most)]
	}
	if r.status/100 != 2 && s.habits.statusHidesError {
		return nil, fmt.Errorf("unexpected HTTP status %d", r.status)
	}
	return s.readAnswer(r.call, r.status, body)
}

// readAnswer reads a response of JSON-RPC, or an event with one. Its errors are more
// telling than the HTTP status.
func (s *session) readAnswer(c *call, status int, body []byte) (object, error) {
	var envelope object
	if err := decodeJSON(body, &envelope); err != nil || envelope == nil {
		switch {
		case status/100 != 2:
			return nil, newStatusError(status)
		case s.habits.anythingIsSuccess:
			return nil, nil
		}
		return nil, fmt.Errorf("the response is no JSON object: %w", cmp.Or(err, errors.New("it is null")))
	}
	if e := envelope["error"]; e != nil {
		if s.habits.idBeforeError && !isSameID(c.envelope["id"], envelope["id"]) {
			return nil, errors.New("the response has another id")
		}
		if _, is := e.(object); !is && status/100 != 2 { // an error of something else than JSON-RPC
			return nil, newStatusError(status)
		}
		return nil, s.readError(c, e)
	}
	if status/100 != 2 {
		return nil, newStatusError(status)
	}
	result, ok := envelope["result"].(object)
	switch {
	case !ok && s.habits.anythingIsSuccess:
		return nil, nil
	case !isSameID(c.envelope["id"], envelope["id"]) && !s.habits.takesAnyID:
		return nil, errors.New("the response has the id of another call")
	case !ok:
		return nil, errors.New("the response has neither a result nor an error")
	}
	if s.habits.refuse != nil {
		if err := s.habits.refuse(s, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// readError reads an error of JSON-RPC. It returns nil only for mutants that pass over some
// errors.
func (s *session) readError(c *call, v any) error {
	e := s.readRPCError(v)
	if s.habits.translate != nil {
		return s.habits.translate(c, e, getMember(v, "data"))
	}
	return e
}

// readRPCError reads the code and the text of an error, whatever its other members are.
func (s *session) readRPCError(v any) *rpcError {
	n, _ := getMember(v, "code").(json.Number)
	code, _ := strconv.Atoi(n.String())
	return &rpcError{code: code, name: s.dialect.errors[code], message: getText(v, "message")}
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

// isSameID compares the id of a call with that of its response.
func isSameID(sent, got any) bool {
	return bytes.Equal(encodeJSON(sent), encodeJSON(got))
}

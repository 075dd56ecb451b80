package hostile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"time"
)

// request is one request to a spoiled server.
type request struct {
	*Running
	w       http.ResponseWriter
	r       *http.Request
	op      string          // card, send, stream, get, cancel, or "" for anything else
	id      json.RawMessage // of the call
	first   bool            // the first message of the run, if ids name the step
	body    []byte
	message bool // it is for the agent
	nth     int  // of the requests on its connection, from 1
}

// servedKey leads to the number of requests that a connection has carried.
type servedKey struct{}

// methods are the operations by their names in A2A 0.1.0, 0.3.0 and 1.0.
var methods = map[string]string{"tasks/send": "send", "tasks/sendSubscribe": "stream", "tasks/resubscribe": "stream", "tasks/get": "get", "tasks/cancel": "cancel",
	"message/send": "send", "message/stream": "stream",
	"SendMessage": "send", "SendStreamingMessage": "stream", "SubscribeToTask": "stream", "GetTask": "get", "CancelTask": "cancel", "ListTasks": "list", "ListTaskPushNotificationConfigs": "push-list",
	"CreateTaskPushNotificationConfig": "push-set"}

func (r *Running) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 16<<20))
	if err != nil {
		return
	}
	v := &request{Running: r, w: w, r: req, body: body}
	if served, ok := req.Context().Value(servedKey{}).(*int); ok { // one request after the other
		*served++
		v.nth = *served
	}
	var call struct {
		ID     json.RawMessage
		Method string
	}
	if req.Method == http.MethodGet && (req.URL.Path == "/.well-known/agent.json" || req.URL.Path == "/.well-known/agent-card.json") {
		v.op = "card"
	} else if json.Unmarshal(body, &call) == nil {
		v.op, v.id = methods[call.Method], call.ID
		v.first = string(call.ID) == `"quick/send"` || string(call.ID) == `"stream/subscribe"`
	}
	v.message = v.op == "send" || v.op == "stream" && call.Method != "tasks/resubscribe" && call.Method != "SubscribeToTask"
	if v.message {
		r.lock.Lock()
		r.seen[string(body)]++
		r.lock.Unlock()
	}
	r.spoil(v)
}

// isEveryNthOnReusedConn counts the requests that come on connections which have carried others,
// and reports whether this is one of them and the nth of its like.
func (v *request) isEveryNthOnReusedConn(n int) bool {
	if v.nth < 2 {
		return false
	}
	return v.countCall()%n == 0
}

// countCall counts the calls that are spoilt, and returns the number of this one, from 1.
func (v *request) countCall() int {
	v.lock.Lock()
	defer v.lock.Unlock()
	v.calls++
	return v.calls
}

// isAbout reports whether the visit is about one of the operations; "first-send" and
// "first-stream" are the first messages of a run.
func (v *request) isAbout(ops ...string) bool {
	for _, op := range ops {
		if v.op == op || v.first && op == "first-"+v.op {
			return true
		}
	}
	return false
}

// forwardRequest puts the request to the bundled server.
func (v *request) forwardRequest() (*http.Response, error) {
	up, err := http.NewRequestWithContext(v.r.Context(), v.r.Method, v.ref.URL()+v.r.URL.RequestURI(), bytes.NewReader(v.body))
	if err != nil {
		return nil, err
	}
	up.Header = v.r.Header.Clone()
	return v.up.RoundTrip(up)
}

// fetchHealthy returns the bundled server's whole answer, its addresses made ours.
func (v *request) fetchHealthy() healthyAnswer {
	resp, err := v.forwardRequest()
	if err != nil {
		return healthyAnswer{status: 500}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return healthyAnswer{status: 500}
	}
	return healthyAnswer{resp.StatusCode, resp.Header.Get("Content-Type"), strings.ReplaceAll(string(text), v.ref.URL(), v.URL)}
}

// passThrough lets an answer through as it comes.
func (v *request) passThrough() { v.forwardWithEditedBody(func(text string) string { return text }) }

// forwardWithEditedBody lets an answer through with another body: of an event stream each frame
// by itself, as it comes.
func (v *request) forwardWithEditedBody(change func(string) string) {
	resp, err := v.forwardRequest()
	if err != nil {
		v.hangUp()
		return
	}
	defer resp.Body.Close()
	for k, vs := range resp.Header {
		if k != "Content-Length" {
			v.w.Header()[k] = vs
		}
	}
	v.w.WriteHeader(resp.StatusCode)
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		text, err := io.ReadAll(resp.Body)
		if err == nil {
			io.WriteString(v.w, change(strings.ReplaceAll(string(text), v.ref.URL(), v.URL)))
		}
		return
	}
	var frame strings.Builder
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadString('\n')
		frame.WriteString(line)
		if line == "\n" || err != nil && frame.Len() > 0 {
			if _, err := io.WriteString(v.w, change(frame.String())); err != nil {
				return
			}
			http.NewResponseController(v.w).Flush()
			frame.Reset()
		}
		if err != nil {
			return
		}
	}
}

// takeConnection hands over the connection; it is closed afterwards.
func (v *request) takeConnection(speak func(c net.Conn)) {
	c, _, err := http.NewResponseController(v.w).Hijack()
	if err != nil {
		return
	}
	if !v.trackConnection(c) {
		return
	}
	defer v.dropConnection(c)
	speak(c)
}

func (v *request) hangUp() { v.takeConnection(func(net.Conn) {}) }

// writeText writes text to a connection as it is.
func writeText(c net.Conn, format string, args ...any) {
	fmt.Fprintf(c, format, args...)
}

// endless is an amount of bytes that no test waits for.
const endless = math.MaxInt

// writeRepeatedly writes a piece until so many bytes were written, or no one takes them any more.
func writeRepeatedly(w io.Writer, piece string, bytes int) {
	block := []byte(strings.Repeat(piece, max(1, (64<<10)/len(piece))))
	for sent := 0; sent < bytes; sent += len(block) {
		if bytes-sent < len(block) {
			block = block[:bytes-sent]
		}
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// writeSlowly writes one byte at a time.
func writeSlowly(ctx context.Context, c net.Conn, text string, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := range len(text) {
		if _, err := c.Write([]byte{text[i]}); err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// resetConnection makes the close of a connection a reset.
func resetConnection(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

// readToEnd waits until the client closes, so that nothing it sent is left unread
// and a close is not turned into a reset.
func readToEnd(c net.Conn) { io.Copy(io.Discard, c) }

// Heads of answers that are written by hand.
const (
	okJSON   = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	okStream = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
)

// splitAfterResultBrace cuts a healthy answer after the opening brace of its result, so that a
// member can be put first.
func splitAfterResultBrace(text string) (before, after string) {
	at := strings.Index(text, `"result":{`)
	if at < 0 {
		return text, ""
	}
	at += len(`"result":{`)
	return text[:at], text[at:]
}

// forOperations spoils the given operations and lets the rest through.
func forOperations(ops string, spoil func(*request)) func(*request) {
	return func(v *request) {
		if v.isAbout(strings.Fields(ops)...) {
			spoil(v)
			return
		}
		v.passThrough()
	}
}

// healthyAnswer is a healthy answer of the bundled server, to be spoiled.
type healthyAnswer struct {
	status int
	kind   string // media type
	text   string
}

// formatHead returns its head without the end: status line and Content-Type.
func (a healthyAnswer) formatHead() string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n", a.status, a.kind)
}

// formatWhole returns the answer as it should be, the last on its connection.
func (a healthyAnswer) formatWhole() string {
	return fmt.Sprintf("%sConnection: close\r\nContent-Length: %d\r\n\r\n%s", a.formatHead(), len(a.text), a.text)
}

// writeByHand writes the answer by hand. Of calls for a stream only those that open one
// are spoiled.
func writeByHand(ops string, speak func(v *request, c net.Conn, a healthyAnswer)) func(*request) {
	return forOperations(ops, func(v *request) {
		a := v.fetchHealthy()
		v.takeConnection(func(c net.Conn) {
			if v.op == "stream" && a.kind != "text/event-stream" {
				writeText(c, "%s", a.formatWhole())
				return
			}
			speak(v, c, a)
		})
	})
}

// editBodies changes the healthy body of the given operations.
func editBodies(ops string, change func(text string) string) func(*request) {
	return forOperations(ops, func(v *request) { v.forwardWithEditedBody(change) })
}

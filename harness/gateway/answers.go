package gateway

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// answerParam is the query parameter by which a request asks the upstream for an answer of its own. It is a parameter,
// since gateways may leave out fields that they do not know.
const answerParam = "a2a-conform-answer"

// idParam is the query parameter by which a request that arrived is assigned to the call that it comes from.
const idParam = "a2a-conform-call"

// The fields by which the upstream and the calls show what becomes of fields.
const (
	HopField  = "X-A2a-Conform-Hop"  // it is named by Connection
	NoteField = "X-A2a-Conform-Note" // a field without a meaning, in two lines
	TailField = "X-A2a-Conform-Tail" // it comes after the body
)

// The times of the answers that take long.
const (
	EventPause  = 150 * time.Millisecond // between two events of a stream
	QuietPause  = 3 * time.Second        // in which a stream is silent
	AnswerPause = 4 * time.Second        // before an answer begins
)

// LargeBody is the size of a large request and of a large answer, in bytes.
const LargeBody = 2 << 20

// eventCount is how many events a stream has.
const eventCount = 6

// freshness are the values of Cache-Control of the answers about caches.
var freshness = map[string]string{
	"plain":      "max-age=60",
	"no-store":   "no-store, max-age=60",
	"private":    "private, max-age=60",
	"no-cache":   "no-cache, max-age=60",
	"authorized": "max-age=60",
	"vary":       "max-age=60",
	"vary-star":  "max-age=60",
	"post":       "max-age=60",
	"stale":      "max-age=1, must-revalidate",
}

// answerItself answers a request in the way that it asks for.
func (u *Upstream) answerItself(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	// The body has blanks that no encoder writes, so that it shows whether somebody wrote it anew.
	body := fmt.Sprintf("{\"answer\" :  %q,\n\t\"serial\":%d, \"amount\":1.50e0}\n", name, u.serial.Add(1))
	if control, ok := freshness[name]; ok {
		h.Set("Cache-Control", control)
		h.Set("Etag", fmt.Sprintf("%q", fmt.Sprint("v", u.serial.Load())))
	} else {
		h.Set("Cache-Control", "no-store")
	}
	status := http.StatusOK
	switch name {
	case "vary":
		h.Set("Vary", "A2A-Version")
	case "vary-star":
		h.Set("Vary", "*")
	case "fields":
		setFields(h)
	case "hop":
		if r.ProtoMajor >= 2 { // which has no such fields
			break
		}
		h.Set("Connection", HopField)
		h.Set(HopField, "1")
		h.Set("Keep-Alive", "timeout=77")
		if r.Close && writeAndClose(w, h, body) { // net/http would replace Connection
			return
		}
	case "intact":
		h.Set("Cache-Control", "no-transform, no-store")
	case "unauthorized":
		h.Set("Www-Authenticate", `Bearer realm="conform"`)
		status = http.StatusUnauthorized
	case "forbidden":
		status = http.StatusForbidden
	case "busy":
		h.Set("Retry-After", "7")
		status = http.StatusTooManyRequests
	case "broken":
		status = http.StatusInternalServerError
	case "down":
		status = http.StatusServiceUnavailable
	case "nothing":
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNoContent)
		return
	case "slow":
		if !waitFor(r, AnswerPause) {
			return
		}
	case "interim":
		h.Set("Link", "</a2a-conform>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
	case "tail":
		h.Set("Trailer", TailField)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
		w.(http.Flusher).Flush()
		h.Set(TailField, "last")
		return
	case "large":
		body = `{"answer":"large","text":"` + strings.Repeat("0123456789abcdef", LargeBody/16) + `"}`
	case "coded":
		h.Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = compressText(strings.Repeat(body, 50))
		}
	case "drop":
		panic(http.ErrAbortHandler)
	case "events", "quiet", "cut":
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		// An event with two lines of data, and a comment before it: both are allowed.
		writeEvents(w, r, name, func(i int) []byte {
			return fmt.Appendf(nil, ": event %d\nid: %d\ndata: {\"n\":%d,\ndata: \"of\":%d}\n\n", i, i, i, eventCount)
		})
		return
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprint(w, body)
	}
}

// writeAndClose answers by bytes of its own, and closes the connection. It reports whether it could.
func writeAndClose(w http.ResponseWriter, h http.Header, body string) bool {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	defer conn.Close()
	out := append([]byte("HTTP/1.1 200 OK\r\n"), formatFields(h)...)
	conn.Write(fmt.Appendf(out, "Content-Length: %d\r\n\r\n%s", len(body), body)) // whoever called has left if it fails
	return true
}

// setFields sets the fields of an answer that a caller may need.
func setFields(h http.Header) {
	h.Set("A2A-Extensions", "https://conform.example.com/ext/trace/v1")
	h[NoteField] = []string{"one", "two"}
	h.Set("Etag", `"fields"`)
	h.Set("Retry-After", "7")
	h.Set("Via", "1.1 conform-upstream")
}

// isStreamed reports whether an answer of that name is a stream.
func isStreamed(name string) bool { return name == "events" || name == "quiet" || name == "cut" }

// codes are the codes of gRPC that mean what the statuses of HTTP do.
var codes = map[string]string{"unauthorized": "16", "forbidden": "7", "busy": "8", "broken": "13", "down": "14"}

// answerGRPC answers a call of gRPC in the way that it asks for: by tasks that have a number as their id, and a status after them.
func (u *Upstream) answerGRPC(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", "application/grpc")
	if code := codes[name]; code != "" { // all of such an answer is its head
		h.Set("Grpc-Status", code)
		h.Set("Grpc-Message", "a2a-conform "+name)
		if name == "busy" {
			h.Set("Retry-After", "7")
		}
		return
	}
	h.Set("Trailer", "Grpc-Status")
	text := fmt.Sprint(u.serial.Add(1))
	switch name {
	case "fields":
		setFields(h)
	case "slow":
		if !waitFor(r, AnswerPause) {
			return
		}
	case "large":
		text = strings.Repeat("0123456789abcdef", LargeBody/16)
	case "drop":
		panic(http.ErrAbortHandler)
	case "events", "quiet", "cut":
		writeEvents(w, r, name, func(i int) []byte { return record.FrameGRPC(formatTask(fmt.Sprint(i))) })
		h.Set("Grpc-Status", "0")
		return
	}
	w.Write(record.FrameGRPC(formatTask(text)))
	h.Set("Grpc-Status", "0")
}

// formatTask writes an answer that is a task, by its id alone: both that of a message and an event of a stream have it as field 1.
func formatTask(id string) []byte {
	task := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), id)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), task)
}

// writeEvents answers by a stream.
func writeEvents(w http.ResponseWriter, r *http.Request, name string, format func(i int) []byte) {
	out := http.NewResponseController(w)
	w.WriteHeader(http.StatusOK)
	for i := 1; i <= eventCount; i++ {
		w.Write(format(i))
		out.Flush()
		pause := EventPause
		switch {
		case name == "quiet" && i == 1:
			pause = QuietPause
		case name == "quiet" && i > 1:
			return
		case name == "cut" && i == 3:
			panic(http.ErrAbortHandler) // which breaks the answer off
		}
		if i == eventCount || !waitFor(r, pause) {
			return
		}
	}
}

// waitFor lets time pass. It reports false if the caller left meanwhile.
func waitFor(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// compressText returns a text in gzip.
func compressText(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte(text)) // to memory
	w.Close()
	return out.String()
}

package gateway

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// trait is one habit or one fault of a gateway.
type trait struct {
	Info
	prefix                                                                                        string                                                                      // of the path at which callers reach the gateway
	keeps                                                                                         []string                                                                    // fields about the connection that it passes on with requests
	keepsBack                                                                                     []string                                                                    // and with answers
	Out                                                                                           func(out *http.Request)                                                     // changes the request to the server
	Request                                                                                       func(body []byte) []byte                                                    // changes the body of a request
	Back                                                                                          func(h http.Header, answer *http.Response)                                  // changes the head of an answer
	Body                                                                                          func(r *http.Request, h http.Header, status int, text []byte) (int, []byte) // changes the body of an answer
	Events                                                                                        func(text []byte) []byte                                                    // changes a stream, which is held back for that
	Blocks                                                                                        string                                                                      // what a path ends in that is not passed on
	trailers                                                                                      func(name string, grpc bool) bool                                           // which trailers it drops
	headWait                                                                                      time.Duration                                                               // for how long it waits for the beginning of an answer; 0 for any time
	cache                                                                                         *cache
	frames                                                                                        [][2]string // fields that it adds to answers over HTTP/2
	rawAnswer                                                                                     func(w http.ResponseWriter, status int, h http.Header, text []byte) bool
	decodes, raw, http2, repeats, interim, chunks, splits                                         bool
	cutsQuiet, hidesCuts, keepsLength, limitsRequests, limitsAnswers, leavesCards, rewritesSigned bool
}

// Info describes a habit or a fault.
type Info struct {
	Name    string
	Summary string
	Legal   bool // the texts allow it
	Signed  bool // it shows with a signed card
	Older   bool // it shows with an agent of two versions
}

// Habits lists the habits that the texts allow.
func Habits() []Info { return listInfos(true) }

// Faults lists the faults.
func Faults() []Info { return listInfos(false) }

func listInfos(legal bool) (out []Info) {
	for _, t := range traits {
		if t.Legal == legal {
			out = append(out, t.Info)
		}
	}
	return out
}

// noTrailer reports whether a field after the body is dropped.
func (t *trait) noTrailer(name string, grpc bool) bool {
	return t.trailers != nil && t.trailers(name, grpc)
}

func newHabit(name, summary string) Info { return Info{Name: name, Summary: summary, Legal: true} }

func newFault(name, summary string) Info { return Info{Name: name, Summary: summary} }

// removeFields removes fields from requests.
func removeFields(names ...string) func(*http.Request) {
	return func(out *http.Request) {
		for _, name := range names {
			out.Header.Del(name)
		}
	}
}

// removeBack removes fields from answers.
func removeBack(names ...string) func(http.Header, *http.Response) {
	return func(h http.Header, _ *http.Response) {
		for _, name := range names {
			h.Del(name)
		}
	}
}

const hop, note = "X-A2a-Conform-Hop", "X-A2a-Conform-Note"

// traits are all habits and faults.
var traits = slices.Concat(habits, fieldFaults, framingFaults, cacheFaults, protocolFaults, streamFaults, callFaults)

var habits = []trait{
	{Info: newHabit("via-both-ways", "adds Via to answers as well"), Back: func(h http.Header, _ *http.Response) { h.Add("Via", viaEntry) }},
	{Info: newHabit("forwarded", "adds Forwarded and the fields by which proxies name the caller"), Out: func(out *http.Request) {
		out.Header.Set("X-Forwarded-For", "192.0.2.1")
		out.Header.Set("X-Forwarded-Proto", "https")
		out.Header.Set("Forwarded", "for=192.0.2.1;proto=https")
		out.Header.Set("X-Request-Id", "7")
	}},
	{Info: newHabit("own-server", "writes its own Server and Date"), Back: func(h http.Header, _ *http.Response) {
		h.Set("Server", "conform-gateway")
		h.Set("Date", time.Unix(0, 0).UTC().Format(http.TimeFormat))
	}},
	{Info: newHabit("security-fields", "adds fields for browsers, and a cookie by which it finds the same server again"), Back: func(h http.Header, _ *http.Response) {
		h.Set("Strict-Transport-Security", "max-age=60")
		h.Set("Access-Control-Allow-Origin", "*")
		h.Add("Set-Cookie", "node=1; Path=/")
	}},
	{Info: newHabit("http2-upstream", "calls the server over HTTP/2"), http2: true},
	{Info: newHabit("compresses", "compresses answers for callers who take that"), Body: func(r *http.Request, h http.Header, status int, text []byte) (int, []byte) {
		if status == http.StatusOK && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && h.Get("Content-Encoding") == "" && len(text) > 0 {
			h.Set("Content-Encoding", "gzip")
			h.Add("Vary", "Accept-Encoding")
			text = compressText(text)
		}
		return status, text
	}},
	{Info: newHabit("other-chunks", "sends answers in chunks, and without a length"), chunks: true, splits: true, Body: func(_ *http.Request, _ http.Header, status int, text []byte) (int, []byte) { return status, text }},
	{Info: newHabit("joined-lines", "joins several lines of one field"), Out: func(out *http.Request) {
		for name, values := range out.Header {
			out.Header[name] = []string{strings.Join(values, ", ")}
		}
	}},
	{Info: newHabit("below-a-path", "serves the agent below a path of its own"), prefix: "/agents/one"},
	{Info: newHabit("stores", "stores answers that may be stored"), cache: &cache{}},
	{Info: newHabit("pseudonyms", "replaces the names in Via by its own"), Out: func(out *http.Request) {
		var entries []string
		for entry := range strings.SplitSeq(out.Header.Get("Via"), ", ") {
			version, _, _ := strings.Cut(entry, " ")
			if entry = version + " inside"; len(entries) == 0 || entries[len(entries)-1] != entry {
				entries = append(entries, entry)
			}
		}
		out.Header.Set("Via", strings.Join(entries, ", "))
	}},
	{Info: newHabit("own-connection", "writes a Connection and a Keep-Alive of its own"), Out: func(out *http.Request) {
		out.Header.Set("Connection", "keep-alive")
		out.Header.Set("Keep-Alive", "timeout=5")
	}, Back: func(h http.Header, answer *http.Response) {
		if answer.ProtoMajor < 2 {
			h.Set("Keep-Alive", "timeout=5")
		}
	}},
}

var fieldFaults = []trait{
	{Info: newFault("hop-passed", "passes on a field that Connection names"), keeps: []string{hop}},
	{Info: newFault("connection-passed", "passes on the Connection of the caller"), keeps: []string{"Connection"}},
	{Info: newFault("keep-alive-passed", "passes on the Keep-Alive of the caller"), keeps: []string{"Keep-Alive"}},
	{Info: newFault("answer-hop-passed", "passes on a field of the server that Connection names"), keepsBack: []string{hop}},
	{Info: newFault("answer-connection-passed", "passes on the Connection of the server"), keepsBack: []string{"Connection"}},
	{Info: newFault("answer-keep-alive-passed", "passes on the Keep-Alive of the server"), keepsBack: []string{"Keep-Alive"}},
	{Info: newFault("unknown-fields-dropped", "passes on no fields that it does not know"), Out: removeFields(note)},
	{Info: newFault("field-order-changed", "sorts the values of a field"), Out: func(out *http.Request) {
		if values := out.Header[note]; len(values) > 1 {
			slices.Reverse(values)
		}
	}},
	{Info: newFault("trace-dropped", "removes traceparent"), Out: removeFields("Traceparent")},
	{Info: newFault("cookie-dropped", "removes cookies"), Out: removeFields("Cookie")},
	{Info: newFault("via-missing", "does not name itself in Via"), Out: func(out *http.Request) {
		if v := strings.TrimSuffix(strings.TrimSuffix(out.Header.Get("Via"), viaEntry), ", "); v != "" {
			out.Header.Set("Via", v)
			return
		}
		out.Header.Del("Via")
	}},
	{Info: newFault("via-replaced", "writes itself in the place of all others in Via"), Out: func(out *http.Request) { out.Header.Set("Via", viaEntry) }},
	{Info: newFault("via-malformed", "names itself in Via without a version"), Out: func(out *http.Request) {
		out.Header.Set("Via", strings.Replace(out.Header.Get("Via"), viaEntry, "conform-gateway", 1))
	}},
}

var framingFaults = []trait{
	{Info: newFault("two-lengths", "sends Content-Length and Transfer-Encoding to the server"), raw: true},
	{Info: newFault("answer-two-lengths", "sends Content-Length and Transfer-Encoding to the caller"), rawAnswer: func(w http.ResponseWriter, status int, h http.Header, text []byte) bool {
		if status != http.StatusOK || len(text) == 0 {
			return false
		}
		return writeRaw(w, status, h, fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n", len(text)), fmt.Appendf(nil, "%x\r\n%s\r\n0\r\n\r\n", len(text), text))
	}},
	{Info: newFault("length-kept", "changes a body and leaves its length"), keepsLength: true, Body: func(_ *http.Request, h http.Header, status int, text []byte) (int, []byte) {
		if status == http.StatusUnauthorized {
			return status, text[:len(text)-2]
		}
		return status, text
	}},
	{Info: newFault("length-of-nothing", "states a length with status 204"), rawAnswer: func(w http.ResponseWriter, status int, h http.Header, _ []byte) bool {
		return status == http.StatusNoContent && writeRaw(w, status, h, "Content-Length: 0\r\n", nil)
	}},
	{Info: newFault("content-transformed", "writes JSON anew that has no-transform"), Body: func(_ *http.Request, h http.Header, status int, text []byte) (int, []byte) {
		if strings.Contains(h.Get("Cache-Control"), "no-transform") {
			text = compactJSON(text)
		}
		return status, text
	}},
	{Info: newFault("request-transformed", "writes the JSON of requests anew"), Request: compactJSON},
	{Info: newFault("tail-dropped", "drops fields after the body"), trailers: func(_ string, grpc bool) bool { return !grpc }},
	{Info: newFault("interim-dropped", "drops interim answers"), interim: true},
	{Info: newFault("target-decoded", "decodes the path"), decodes: true},
	{Info: newFault("compression-lost", "does not ask the server for compressed answers"), Out: removeFields("Accept-Encoding")},
	{Info: newFault("cut-hidden", "ends an answer in order that the server broke off"), hidesCuts: true},
}

var cacheFaults = []trait{
	{Info: newFault("no-store-ignored", "stores what has no-store"), cache: &cache{noStore: true}},
	{Info: newFault("private-ignored", "stores what no shared cache is to store"), cache: &cache{private: true}},
	{Info: newFault("authorization-ignored", "stores answers to calls with credentials"), cache: &cache{authorization: true}},
	{Info: newFault("vary-ignored", "gives stored answers to other versions"), cache: &cache{vary: true}},
	{Info: newFault("vary-star-ignored", "gives stored answers that vary by more than the request"), cache: &cache{varyStar: true}},
	{Info: newFault("no-cache-ignored", "gives stored answers without asking the server"), cache: &cache{noCache: true}},
	{Info: newFault("change-ignored", "keeps stored answers after a change"), cache: &cache{change: true}},
	{Info: newFault("post-stored", "stores answers to messages"), cache: &cache{posts: true}},
	{Info: newFault("stale-served", "gives stored answers that are stale"), cache: &cache{stale: true}},
	{Info: newFault("age-missing", "gives stored answers without their age"), cache: &cache{age: true}},
	{Info: newFault("etag-dropped", "removes the ETag of the card"), Back: removeBack("Etag")},
}

// rewriteError changes the error of a JSON-RPC response.
func rewriteError(change func(e map[string]any)) func(*http.Request, http.Header, int, []byte) (int, []byte) {
	return func(_ *http.Request, _ http.Header, status int, text []byte) (int, []byte) {
		var doc map[string]any
		if json.Unmarshal(text, &doc) != nil || doc["jsonrpc"] == nil {
			return status, text
		}
		e, ok := doc["error"].(map[string]any)
		if !ok {
			return status, text
		}
		change(e)
		out, err := json.Marshal(doc)
		if err != nil {
			return status, text
		}
		return status, out
	}
}

// replacePages replaces answers from a status on by a page.
func replacePages(from int) func(*http.Request, http.Header, int, []byte) (int, []byte) {
	return func(_ *http.Request, h http.Header, status int, text []byte) (int, []byte) {
		if status < from {
			return status, text
		}
		h.Set("Content-Type", "text/html")
		return status, fmt.Appendf(nil, "<html><body><h1>%d</h1></body></html>\n", status)
	}
}

var protocolFaults = []trait{
	{Info: Info{Name: "version-dropped", Summary: "removes A2A-Version", Older: true}, Out: removeFields(versionKey)},
	{Info: Info{Name: "version-forced", Summary: "has each call be one of version 1.0", Older: true}, Out: func(out *http.Request) { out.Header.Set(versionKey, "1.0") }},
	{Info: newFault("extensions-dropped", "removes A2A-Extensions"), Out: removeFields("A2a-Extensions")},
	{Info: newFault("answer-extensions-dropped", "removes the A2A-Extensions of answers"), Back: removeBack("A2a-Extensions")},
	{Info: Info{Name: "card-rewritten", Summary: "replaces the addresses of a signed card", Signed: true}, rewritesSigned: true},
	{Info: newFault("card-blocked", "does not pass on calls for the card"), Blocks: cardPath},
	{Info: newFault("card-edited", "changes the description of the agent"), Body: func(r *http.Request, _ http.Header, status int, text []byte) (int, []byte) {
		if strings.HasSuffix(r.URL.Path, cardPath) {
			text = bytes.Replace(text, []byte(`"description":"`), []byte(`"description":"Behind a gateway. `), 1)
		}
		return status, text
	}},
	{Info: newFault("card-passed", "leaves the addresses on cards"), leavesCards: true},
	{Info: newFault("error-rewritten", "replaces errors by one of its own"), Body: rewriteError(func(e map[string]any) {
		clear(e)
		e["code"], e["message"] = -32603, "the gateway found an error"
	})},
	{Info: newFault("details-dropped", "drops the details of errors"), Body: rewriteError(func(e map[string]any) { delete(e, "data") })},
	{Info: newFault("status-mapped", "has each error of the caller be one of the server"), Body: func(_ *http.Request, _ http.Header, status int, text []byte) (int, []byte) {
		if status == http.StatusNotFound || status == http.StatusForbidden {
			status = http.StatusInternalServerError
		}
		return status, text
	}},
	{Info: newFault("error-page", "answers each error by a page"), Body: replacePages(400)},
	{Info: newFault("server-errors-replaced", "answers each error of the server by a page"), Body: replacePages(500)},
	{Info: newFault("challenge-dropped", "removes WWW-Authenticate"), Back: removeBack("Www-Authenticate")},
	{Info: newFault("retry-after-dropped", "removes Retry-After"), Back: removeBack("Retry-After")},
	{Info: newFault("trailer-dropped", "drops the trailers of gRPC"), trailers: func(_ string, grpc bool) bool { return grpc }, Back: func(h http.Header, _ *http.Response) {
		if isGRPC(h) {
			h.Del("Grpc-Status")
			h.Del("Grpc-Message")
			h.Del("Grpc-Status-Details-Bin")
		}
	}},
	{Info: newFault("grpc-details-dropped", "drops the details of errors of gRPC"), trailers: func(name string, _ bool) bool { return name == "Grpc-Status-Details-Bin" }, Back: removeBack("Grpc-Status-Details-Bin")},
	{Info: newFault("grpc-version-dropped", "removes the version from the metadata of gRPC"), Out: func(out *http.Request) {
		if isGRPC(out.Header) {
			out.Header.Del(versionKey)
		}
	}},
	{Info: newFault("http2-connection", "sends a field about the connection over HTTP/2"), frames: [][2]string{{"keep-alive", "timeout=5"}}},
	{Info: newFault("http2-upper-case", "sends a field name in upper case over HTTP/2"), frames: [][2]string{{"X-Gateway", "1"}}},
}

// splitEvents cuts a stream into its events.
func splitEvents(text []byte) [][]byte { return bytes.SplitAfter(text, []byte("\n\n")) }

var streamFaults = []trait{
	{Info: newFault("events-reordered", "exchanges two events"), Events: func(text []byte) []byte {
		all := splitEvents(text)
		if len(all) > 3 {
			all[1], all[2] = all[2], all[1]
		}
		return bytes.Join(all, nil)
	}},
	{Info: newFault("last-event-lost", "loses the last event"), Events: func(text []byte) []byte {
		all := splitEvents(text)
		return bytes.Join(all[:max(0, len(all)-2)], nil)
	}},
	{Info: newFault("stream-relabelled", "calls a stream a text"), Back: func(h http.Header, _ *http.Response) {
		if isEvents(h) {
			h.Set("Content-Type", "text/plain")
		}
	}},
	{Info: newFault("stream-buffered", "holds a stream back until it has ended"), Events: func(text []byte) []byte { return text }},
	{Info: newFault("quiet-stream-cut", "cuts a stream in which nothing comes"), cutsQuiet: true},
}

// messageID is the id of a message in a request.
var messageID = regexp.MustCompile(`"messageId":"[^"]*"`)

// taskID is the id of a task in an answer.
var taskID = regexp.MustCompile(`("task":\{"id":")[^"]*"`)

var callFaults = []trait{
	{Info: newFault("message-id-replaced", "gives each message an id of its own"), Request: func(body []byte) []byte {
		return messageID.ReplaceAll(body, []byte(`"messageId":"conform-gateway"`))
	}},
	{Info: newFault("task-id-replaced", "gives each task an id of its own, and forgets it"), Body: func(_ *http.Request, _ http.Header, status int, text []byte) (int, []byte) {
		return status, taskID.ReplaceAll(text, []byte(`${1}conform-gateway"`))
	}},
	{Info: newFault("content-type-dropped", "removes the Content-Type of requests"), Out: func(out *http.Request) {
		if !isGRPC(out.Header) {
			out.Header.Del("Content-Type")
		}
	}},
	{Info: newFault("answer-type-changed", "calls JSON a text"), Back: func(h http.Header, _ *http.Response) {
		if h.Get("Content-Type") == "application/json" {
			h.Set("Content-Type", "text/plain")
		}
	}},
	{Info: newFault("post-repeated", "sends a message again if the server closes the connection"), repeats: true},
	{Info: newFault("credentials-kept", "keeps the credentials of callers"), Out: removeFields("Authorization")},
	{Info: newFault("key-kept", "keeps the keys of callers"), Out: removeFields("X-Api-Key")},
	{Info: newFault("body-limited", "takes requests of 1 MiB at most"), limitsRequests: true},
	{Info: newFault("answer-limited", "takes answers of 1 MiB at most"), limitsAnswers: true},
	{Info: newFault("short-timeout", "waits 1.5 s for an answer"), headWait: shortWait},
}

// compactJSON writes JSON without blanks.
func compactJSON(text []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return text
	}
	return out.Bytes()
}

// compressText returns a text in gzip.
func compressText(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(text) // to memory
	w.Close()
	return out.Bytes()
}

// writeRaw writes an answer past net/http, and closes the connection.
func writeRaw(w http.ResponseWriter, status int, h http.Header, framing string, body []byte) bool {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
	}
	defer conn.Close()
	text := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for name, values := range h {
		for _, v := range values {
			if name != "Content-Length" {
				text = fmt.Appendf(text, "%s: %s\r\n", name, v)
			}
		}
	}
	conn.Write(append(append(text, framing+"Connection: close\r\n\r\n"...), body...))
	return true
}

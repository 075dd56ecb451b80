package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference/a2a10"
)

// overRest carries the calls of JSON-RPC that a client makes as requests of HTTP+JSON,
// and brings back results and errors as JSON-RPC would. Of a stream it brings the events
// as they come. A call that cannot be said over HTTP+JSON is not made.
type overRest struct{ http.RoundTripper }

func (o overRest) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.URL.Path != "/" && r.URL.Path != "" {
		return o.RoundTripper.RoundTrip(r)
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	call, _ := decode(raw)
	verb, path, body, ok := said(call)
	if call == nil { // what is no call is no message either
		verb, path, body, ok = "POST", "/message:send", raw, true
	}
	if !ok {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("unsaid")), Request: r}, nil
	}
	to, err := url.Parse(r.URL.Scheme + "://" + r.URL.Host + "/rest" + path)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Method, r.URL = verb, to
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	reply, err := o.RoundTripper.RoundTrip(r)
	if err != nil || !strings.HasPrefix(reply.Header.Get("Content-Type"), "application/a2a+json") {
		return reply, err
	}
	defer reply.Body.Close()
	if raw, err = io.ReadAll(reply.Body); err != nil {
		return nil, err
	}
	if v, err := decode(raw); err == nil {
		answer := map[string]any{"jsonrpc": "2.0", "id": at(call, "id"), "result": v}
		if e := at(v, "error"); e != nil {
			answer = map[string]any{"jsonrpc": "2.0", "id": at(call, "id"), "error": e}
		}
		raw = encode(answer)
	}
	reply.Body = io.NopCloser(bytes.NewReader(raw))
	return reply, nil
}

// said is a call as a request of HTTP+JSON; not ok if it cannot be said so.
func said(call any) (verb, path string, body []byte, ok bool) {
	params, is := at(call, "params").(map[string]any)
	if !is || at(call, "id") == nil {
		return "", "", nil, false
	}
	segment := func(name string) string {
		v := params[name]
		delete(params, name)
		if v == nil {
			return "/"
		}
		return "/" + url.PathEscape(fmt.Sprint(v))
	}
	method := text(call, "method")
	switch method {
	case "SendMessage":
		verb, path = "POST", "/message:send"
	case "SendStreamingMessage":
		verb, path = "POST", "/message:stream"
	case "GetTask":
		verb, path = "GET", "/tasks"+segment("id")
	case "ListTasks":
		verb, path = "GET", "/tasks"
	case "CancelTask":
		verb, path = "POST", "/tasks"+segment("id")+":cancel"
	case "SubscribeToTask":
		verb, path = "POST", "/tasks"+segment("id")+":subscribe"
	case "CreateTaskPushNotificationConfig":
		verb, path = "POST", "/tasks"+segment("taskId")+"/pushNotificationConfigs"
	case "GetTaskPushNotificationConfig":
		verb, path = "GET", "/tasks"+segment("taskId")+"/pushNotificationConfigs"+segment("id")
	case "ListTaskPushNotificationConfigs":
		verb, path = "GET", "/tasks"+segment("taskId")+"/pushNotificationConfigs"
	case "DeleteTaskPushNotificationConfig":
		verb, path = "DELETE", "/tasks"+segment("taskId")+"/pushNotificationConfigs"+segment("id")
	case "GetExtendedAgentCard":
		verb, path = "GET", "/extendedAgentCard"
	default:
		return "", "", nil, false
	}
	if verb == "POST" {
		return verb, path, encode(params), true
	}
	query := url.Values{}
	for name, value := range params {
		switch v := value.(type) {
		case string, json.Number, bool:
			query.Set(name, fmt.Sprint(v))
		case map[string]any:
			if len(v) > 0 {
				return "", "", nil, false
			}
		default:
			return "", "", nil, false
		}
	}
	return verb, path + "?" + query.Encode(), nil, true
}

// ofRPC are mutants that cannot show over HTTP+JSON, though they are not about the
// envelope alone.
var ofRPC = map[string]string{
	"unknown-method-404":            "a path stands for the method",
	"missing-method-unknown":        "a path stands for the method",
	"method-number-unknown":         "a path stands for the method",
	"version-not-required":          "there is no member jsonrpc",
	"scalar-params-dropped":         "there are no params but a body",
	"scalar-params-ignored":         "there are no params but a body",
	"extended-card-params-demanded": "the operation has no body",
	"malformed-id-traced":           "an id in a path is a string",
	"stream-bare":                   "events have no envelope",
	"event-error-beside-result":     "events have no envelope",
	"event-ids-counted":             "events have no id",
	"event-id-wrong-at-times":       "events have no id",
	"event-id-of-task":              "events have no id",
	"resubscribe-old-id":            "events have no id",
}

// TestMutantsShowOverRest holds the conversations of the mutants that are not about one
// binding over HTTP+JSON: a defect of an operation shows in every binding. What the engine
// does wrong, and what is delivered, passes through no binding.
func TestMutantsShowOverRest(t *testing.T) {
	t.Parallel()
	showOver(t, Options{}, func(_ *testing.T, _ *Server, other http.RoundTripper) http.RoundTripper { return overRest{other} }, ofRPC)
}

// showOver plays the mutants of A2A 1.0 that are not about one binding in another, but
// those that cannot show there. Most show over one binding as they do over another, so that
// one is enough most of the time; .ci/run plays more, and .ci/full all.
func showOver(t *testing.T, o Options, by carrier, cannot map[string]string) {
	t.Helper()
	skipInShort(t)
	areas := strings.Fields("errors message context execution task state stream subscription list push tenant version extension extended-card auth limits ratelimit data")
	o.Dialect = "a2a-1.0"
	healthy, drawn := make(map[string]func() course), drawMutants(t)
	for _, m := range a2a10.Dialect.Mutants() {
		if !slices.Contains(areas, m.Area) || cannot[m.Name] != "" || m.Call == nil && m.Reply == nil && m.Event == nil && m.Guard == nil {
			continue
		}
		if !drawn.take(m.Area) {
			continue
		}
		key := m.Variant + " " + m.Area
		if healthy[key] == nil {
			healthy[key] = sync.OnceValue(func() course {
				o := o
				o.Variant = m.Variant
				return playBy(t, o, playA2A10, m.Area, nil, by)
			})
		}
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			o := o
			o.Mutant = m.Name
			want := healthy[key]()
			seen := playBy(t, o, playA2A10, m.Area, want, by)
			if len(seen.differs(want)) == 0 {
				t.Errorf("in this binding the mutant behaves like the healthy server: %s", m.Summary)
			}
		})
	}
}

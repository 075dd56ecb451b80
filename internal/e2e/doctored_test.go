package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
)

// A call is what a client sent to a doctored server, and the answer what it
// gets. Whoever doctors changes the answer.
type call struct {
	path, method string          // HTTP path, JSON-RPC method
	id           json.RawMessage // as it was sent; nil where there was none
	params       map[string]any
}

type reply struct {
	status int
	header http.Header
	body   []byte
	events func(m map[string]any) // changes each event of a stream
}

// json is what is told instead.
func (r *reply) json(status int, text string) {
	r.status, r.header, r.body, r.events = status, http.Header{"Content-Type": {"application/json"}}, []byte(text), nil
}

// error is a JSON-RPC error that is told instead.
func (r *reply) error(c call, code int, message string) {
	r.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, c.id, code, message))
}

// edit changes the JSON text of a reply, or of each event of a stream.
func (r *reply) edit(change func(m map[string]any)) {
	r.body, r.events = changed(r.body, change), change
}

// changed is a JSON object with a change made to it; other text stays as it is.
func changed(text []byte, change func(m map[string]any)) []byte {
	var m map[string]any
	if change == nil || json.Unmarshal(text, &m) != nil {
		return text
	}
	change(m)
	out, err := json.Marshal(m)
	if err != nil {
		return text
	}
	return out
}

// stepsAsIDs has the ids of calls tell a doctored server the step.
var stepsAsIDs = operator.Naming{Call: func(step string) string { return step }}

// named reports whether the id of a call begins so, where ids tell the step.
func (c call) named(prefix string) bool { return bytes.HasPrefix(c.id, []byte(`"`+prefix)) }

// text is what the message of a call says.
func (c call) text() string {
	message, _ := c.params["message"].(map[string]any)
	parts, _ := json.Marshal(message["parts"])
	return string(parts)
}

// result is the object that a reply bears as its result; nil if it bears none.
func result(m map[string]any) map[string]any {
	out, _ := m["result"].(map[string]any)
	return out
}

// doctored is a bundled server some of whose answers are changed on their way.
func doctored(t *testing.T, o reference.Options, change func(c call, r *reply)) string {
	t.Helper()
	return inFrontOf(t, o, func(w http.ResponseWriter, sent []byte, r *http.Request, from *serverAnswer) {
		var members struct {
			ID     json.RawMessage
			Method string
			Params map[string]any
		}
		json.Unmarshal(sent, &members) // what is no call has no method
		out := &reply{status: from.StatusCode, header: from.Header, body: from.body}
		out.header.Del("Content-Length")
		change(call{r.URL.Path, members.Method, members.ID, members.Params}, out)
		maps.Copy(w.Header(), out.header)
		w.WriteHeader(out.status)
		if !from.streams || out.body != nil {
			w.Write(out.body)
			return
		}
		for lines := bufio.NewReader(from.Body); ; {
			line, err := lines.ReadBytes('\n')
			if data, is := bytes.CutPrefix(line, []byte("data:")); is {
				line = append([]byte("data: "), append(bytes.TrimSpace(changed(data, out.events)), '\n')...)
			}
			w.Write(from.readdress(line))
			w.(http.Flusher).Flush()
			if err != nil {
				return
			}
		}
	})
}

// changedServer is the URL of a bundled server whose answers, or the blocks of whose streams,
// are changed on their way. Without either change it is the bundled server itself.
func changedServer(t *testing.T, o reference.Options, change func(call, *reply), write func(method, block string) string) string {
	t.Helper()
	switch {
	case change != nil:
		return doctored(t, o, change)
	case write != nil:
		return blocksOf(t, o, write)
	}
	return bundled(t, o).URL()
}

// A serverAnswer is what the bundled server behind a front answered.
type serverAnswer struct {
	*http.Response
	streams   bool
	body      []byte                   // of what is no stream, with the addresses of the front
	readdress func(text []byte) []byte // puts the address of the front in the place of the server's
}

// inFrontOf serves what a bundled server answers, as the given function passes it on.
func inFrontOf(t *testing.T, o reference.Options, passOn func(w http.ResponseWriter, sent []byte, r *http.Request, from *serverAnswer)) string {
	t.Helper()
	behind := bundled(t, o)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		onward, err := http.NewRequestWithContext(r.Context(), r.Method, behind.URL()+r.URL.RequestURI(), bytes.NewReader(sent))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		onward.Header = r.Header.Clone()
		onward.Header.Set("Accept-Encoding", "identity")
		response, err := http.DefaultTransport.RoundTrip(onward)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		from := &serverAnswer{Response: response, streams: strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")}
		from.readdress = func(text []byte) []byte {
			return bytes.ReplaceAll(text, []byte(behind.URL()), []byte("http://"+r.Host))
		}
		if !from.streams {
			body, _ := io.ReadAll(response.Body)
			from.body = from.readdress(body)
		}
		passOn(w, sent, r, from)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

package prove

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// proxy is before the bundled server and edits its answers.
type proxy struct {
	listener net.Listener
	server   *http.Server
	target   *url.URL
}

// answerEdit edits an answer on its way.
type answerEdit func(p *proxy, to proxyCall, r *http.Response) error

// proxyCall is what a request asks for.
type proxyCall struct {
	op string          // "card" for the agent card
	id string          // of the call, as JSON
	by binding.Binding // how it travels
}

type callKey struct{}

func startProxy(d *schema.Dialect, target string, edit answerEdit) (*proxy, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: l, target: u}
	reverse := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(u)
			r.Out = r.Out.WithContext(context.WithValue(r.Out.Context(), callKey{}, parseCall(d, r.Out)))
		},
		FlushInterval: -1,
		ModifyResponse: func(r *http.Response) error {
			to, _ := r.Request.Context().Value(callKey{}).(proxyCall)
			return edit(p, to, r)
		},
		ErrorLog:  log.New(io.Discard, "", 0),
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32},
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"], w.Header()["Date"] = nil, nil // what the answer lacks is not made up
		reverse.ServeHTTP(w, r)
	})
	p.server = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: reverse.ErrorLog}
	go p.server.Serve(l)
	return p, nil
}

// parseCall returns what a request asks for.
func parseCall(d *schema.Dialect, r *http.Request) proxyCall {
	if ofAgent, _ := path.Match(strings.ReplaceAll(d.Agents.Card, "{name}", "*"), r.URL.Path); ofAgent || slices.Contains(d.Card.Paths, r.URL.Path) {
		return proxyCall{op: "card"}
	}
	to := proxyCall{by: binding.ByNameOrDefault(d, "")}
	x := &record.Exchange{URL: r.URL.String(), Request: record.Message{Head: []byte(r.Method + " " + r.URL.RequestURI() + " HTTP/1.1\r\n\r\n")}}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return to
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		x.Request.Body = body
	}
	for _, name := range binding.Names(d) {
		by := binding.ByNameOrDefault(d, name)
		sent := by.Sent(x)
		if sent.ID != nil {
			if id, err := json.Marshal(sent.ID.Interface()); err == nil {
				to.id = string(id)
			}
		}
		if sent.Op != "" {
			to.op, to.by = sent.Op, by
			break
		}
	}
	return to
}

func (p *proxy) baseURL() string { return "http://" + p.listener.Addr().String() }

func (p *proxy) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if p.server.Shutdown(ctx) != nil {
		p.server.Close()
	}
}

// replaceTargetHost makes the addresses in a text those of the proxy.
func (p *proxy) replaceTargetHost(text []byte) []byte {
	return bytes.ReplaceAll(text, []byte(p.target.Host), []byte(p.listener.Addr().String()))
}

// replaceBody gives an answer another body.
func replaceBody(r *http.Response, edit func([]byte) []byte) error {
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil {
		return err
	}
	text = edit(text)
	r.Body = io.NopCloser(bytes.NewReader(text))
	r.ContentLength = int64(len(text))
	r.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}

// replaceLines passes an event stream on line by line. first is sent before.
func replaceLines(r *http.Response, first string, edit func(line string) string) {
	from := r.Body
	r.Header.Del("Content-Length")
	r.ContentLength = -1
	out, in := io.Pipe()
	r.Body = out
	go func() {
		defer from.Close()
		_, err := io.WriteString(in, first)
		lines := bufio.NewScanner(from)
		lines.Buffer(make([]byte, 64<<10), 8<<20)
		for err == nil && lines.Scan() {
			_, err = io.WriteString(in, edit(lines.Text()))
		}
		in.CloseWithError(lines.Err())
	}()
}

func mediaType(r *http.Response) string {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.TrimSpace(kind)
}

// isJSON reports whether a media type is one of JSON texts.
func isJSON(kind string) bool { return kind == "application/json" || strings.HasSuffix(kind, "+json") }

// addPermittedVariations changes whatever a server is free to choose: parameters of media
// types, headers and members no one knows, white space, line ends, comments and
// fields of event streams. No verdict may change behind it.
func addPermittedVariations(p *proxy, _ proxyCall, r *http.Response) error {
	r.Header.Set("X-Control", "unknown header")
	r.Header.Add("X-Control", "twice")
	switch kind := mediaType(r); {
	case isJSON(kind):
		r.Header.Set("Content-Type", kind+`; charset="utf-8"`)
		return replaceBody(r, func(text []byte) []byte { return p.addMembersAndReformatJSON(text, true) })
	case kind == "text/event-stream":
		r.Header.Set("Content-Type", "text/event-stream;charset=UTF-8")
		n := 0
		replaceLines(r, "\ufeff: a comment before anything else\r\nretry: 3000\r\n\r\n", func(line string) string {
			data, isData := strings.CutPrefix(line, "data:")
			switch {
			case isData:
				n++
				return fmt.Sprintf(": event %d\r\nid: control-%d\r\ndata:%s\r\n", n, n, p.addMembersAndReformatJSON([]byte(strings.TrimPrefix(data, " ")), false))
			case strings.HasPrefix(line, "id:"):
				return ""
			}
			return line + "\r\n"
		})
	}
	return nil
}

// addMembersAndReformatJSON adds a member to every object whose type may have more members, and
// writes the text with other white space. The card's addresses are ours.
func (p *proxy) addMembersAndReformatJSON(text []byte, indent bool) []byte {
	text = p.replaceTargetHost(text)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return text
	}
	addUnknownMembers(v)
	var out []byte
	var err error
	if indent {
		out, err = json.MarshalIndent(v, "\t", "   ")
		out = append(append([]byte("\r\n  "), out...), "\n\n"...)
	} else {
		out, err = json.Marshal(v)
	}
	if err != nil {
		return text
	}
	return out
}

// addUnknownMembers leaves alone what belongs to the user: metadata, and the data of
// parts and errors.
func addUnknownMembers(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			if name != "metadata" && name != "data" && name != "headers" {
				addUnknownMembers(m)
			}
		}
		v["x-control"] = map[string]any{"null": nil, "list": []any{1, "two"}}
	case []any:
		for _, e := range v {
			addUnknownMembers(e)
		}
	}
}

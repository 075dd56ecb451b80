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
	"strconv"
	"strings"
	"time"
)

// A control proxy stands before a healthy server and changes whatever a server
// is free to choose: parameters of media types, headers and members nobody
// knows, white space, line ends, comments and fields of event streams. No
// verdict may change behind it.
type controlProxy struct {
	listener net.Listener
	server   *http.Server
	target   *url.URL
}

func startControlProxy(target string) (*controlProxy, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &controlProxy{listener: l, target: u}
	reverse := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(u) },
		FlushInterval:  -1,
		ModifyResponse: p.modify,
		ErrorLog:       log.New(io.Discard, "", 0),
		Transport:      &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32},
	}
	p.server = &http.Server{Handler: reverse, ReadHeaderTimeout: 10 * time.Second}
	go p.server.Serve(l)
	return p, nil
}

func (p *controlProxy) url() string { return "http://" + p.listener.Addr().String() }

func (p *controlProxy) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if p.server.Shutdown(ctx) != nil {
		p.server.Close()
	}
}

func (p *controlProxy) modify(r *http.Response) error {
	r.Header.Set("X-Control", "nobody knows this header")
	r.Header.Add("X-Control", "twice")
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.TrimSpace(kind) {
	case "application/json":
		r.Header.Set("Content-Type", `application/json; charset="utf-8"`)
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return err
		}
		text = p.json(text, true)
		r.Body = io.NopCloser(bytes.NewReader(text))
		r.ContentLength = int64(len(text))
		r.Header.Set("Content-Length", strconv.Itoa(len(text)))
	case "text/event-stream":
		r.Header.Set("Content-Type", "text/event-stream;charset=UTF-8")
		r.Header.Del("Content-Length")
		r.ContentLength = -1
		out, in := io.Pipe()
		go p.stream(r.Body, in)
		r.Body = out
	}
	return nil
}

// json adds a member to every object whose type may have more members, and
// writes the text with other white space. The card's addresses are ours.
func (p *controlProxy) json(text []byte, indent bool) []byte {
	text = bytes.ReplaceAll(text, []byte(p.target.Host), []byte(p.listener.Addr().String()))
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return text
	}
	extend(v, 0)
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

// extend leaves alone what belongs to the user: metadata, and the data of
// parts and errors.
func extend(v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		for name, m := range v {
			if name != "metadata" && name != "data" && name != "headers" {
				extend(m, depth+1)
			}
		}
		v["x-control"] = map[string]any{"depth": depth, "null": nil, "list": []any{1, "two"}}
	case []any:
		for _, e := range v {
			extend(e, depth+1)
		}
	}
}

// stream passes an event stream on with other line ends, comments, and fields
// that clients must not mind.
func (p *controlProxy) stream(from io.ReadCloser, to *io.PipeWriter) {
	defer from.Close()
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), 8<<20)
	n := 0
	write := func(format string, args ...any) bool {
		_, err := fmt.Fprintf(to, format, args...)
		return err == nil
	}
	ok := write("\ufeff: a comment before anything else\r\nretry: 3000\r\n\r\n")
	for ok && lines.Scan() {
		line := lines.Text()
		data, isData := strings.CutPrefix(line, "data:")
		switch {
		case isData:
			n++
			ok = write(": event %d\r\nid: control-%d\r\ndata:%s\r\n", n, n, p.json([]byte(strings.TrimPrefix(data, " ")), false))
		case strings.HasPrefix(line, "id:"):
		default:
			ok = write("%s\r\n", line)
		}
	}
	to.CloseWithError(lines.Err())
}

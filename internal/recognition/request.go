// Package recognition tries to tell clients apart by what a server can see of their requests. It is
// there to test with: how well the suite can be reported from clients that are in use.
package recognition

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Request is what a server sees of one request.
type Request struct {
	At     time.Duration `json:"at"`   // since the first request
	Conn   int           `json:"conn"` // number of the connection, from 1
	Method string        `json:"method"`
	Target string        `json:"target"`
	Fields [][2]string   `json:"fields"` // of the header, in their order and as they are written
	Body   string        `json:"body,omitempty"`
}

// Recording is what one client sent to one server, in the order in which it came.
type Recording struct {
	Client   string // its name and version
	Dialect  string
	Requests []Request
}

// Write writes a recording as JSON, a line for each request.
func (r Recording) Write(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(map[string]string{"client": r.Client, "dialect": r.Dialect}); err != nil {
		return err
	}
	for _, q := range r.Requests {
		if err := out.Encode(q); err != nil {
			return err
		}
	}
	return nil
}

// Read reads a recording.
func Read(from io.Reader) (r Recording, err error) {
	in := json.NewDecoder(from)
	if err := in.Decode(&r); err != nil {
		return r, err
	}
	for in.More() {
		var q Request
		if err := in.Decode(&q); err != nil {
			return r, err
		}
		r.Requests = append(r.Requests, q)
	}
	return r, nil
}

// OfRun returns what a run sent to its server over HTTP/1.1, as the server saw it.
func OfRun(t *record.Transcript, dialect string) Recording {
	r := Recording{Client: "a2a-conform", Dialect: dialect}
	for _, x := range t.Exchanges {
		if x.Dir != record.Out || x.Conn == 0 || x.HTTP2 != nil {
			continue
		}
		q, err := parseHead(bufio.NewReader(bytes.NewReader(x.Request.Head)))
		if err != nil {
			continue // a request that was never sent has no head
		}
		q.At, q.Conn, q.Body = x.Start, x.Conn, string(x.Request.Body)
		r.Requests = append(r.Requests, q)
	}
	r.sortByTime()
	return r
}

// parseHead reads the head of a request up to the blank line.
func parseHead(from *bufio.Reader) (q Request, err error) {
	first, err := from.ReadString('\n')
	if err != nil {
		return q, err
	}
	words := strings.Fields(first)
	if len(words) != 3 {
		return q, fmt.Errorf("%q begins no request", first)
	}
	q.Method, q.Target = words[0], words[1]
	for {
		line, err := from.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		if err != nil && err != io.EOF || line == "" {
			return q, err
		}
		name, value, _ := strings.Cut(line, ":")
		q.Fields = append(q.Fields, [2]string{name, strings.TrimSpace(value)})
	}
}

// targetPath returns the path of the target without what follows it.
func (q Request) targetPath() string {
	at, err := url.Parse(q.Target)
	if err != nil {
		return q.Target
	}
	return at.Path
}

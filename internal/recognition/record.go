package recognition

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing/iotest"
	"time"
)

// Recorder passes on what clients send to a server, byte by byte, and keeps the requests.
type Recorder struct {
	URL string

	listener net.Listener
	server   string // HOST:PORT of the server
	began    time.Time
	passing  sync.WaitGroup

	mu       sync.Mutex
	requests []Request
	conns    int
	fault    error
}

// Record listens in front of a server at HOST:PORT of this machine. The addresses in its
// responses are replaced by the recorder's own, so that clients that read the card come back.
func Record(server string) (*Recorder, error) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		if len(l.Addr().String()) != len(server) { // a body would change its length
			l.Close()
			continue
		}
		r := &Recorder{URL: "http://" + l.Addr().String(), listener: l, server: server, began: time.Now()}
		go r.acceptClients()
		return r, nil
	}
	return nil, fmt.Errorf("no address is as long as %s", server)
}

func (r *Recorder) acceptClients() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", r.server)
		if err != nil {
			client.Close()
			continue
		}
		r.mu.Lock()
		r.conns++
		number := r.conns
		r.mu.Unlock()
		seen, copied := io.Pipe()
		r.passing.Go(func() {
			io.Copy(io.MultiWriter(server, copied), client)
			copied.Close()
			server.(*net.TCPConn).CloseWrite()
		})
		r.passing.Go(func() {
			r.passBack(client, server)
			client.Close()
			server.Close()
		})
		r.passing.Go(func() {
			r.keepRequests(number, seen)
			io.Copy(io.Discard, seen)
		})
	}
}

// passBack copies what the server sends, with the recorder's address in place of the server's.
func (r *Recorder) passBack(client, server net.Conn) {
	piece := make([]byte, 64<<10)
	for {
		n, err := server.Read(piece)
		changed := bytes.ReplaceAll(piece[:n], []byte(r.server), []byte(r.listener.Addr().String()))
		if _, failed := client.Write(changed); failed != nil || err != nil {
			return
		}
	}
}

// keepRequests reads the requests of a connection.
func (r *Recorder) keepRequests(conn int, from io.Reader) {
	for in := bufio.NewReader(from); ; {
		if _, err := in.Peek(1); err != nil {
			return
		}
		at := time.Since(r.began)
		q, err := parseHead(in)
		if err == nil {
			q.At, q.Conn = at, conn
			q.Body, err = readBody(q, in)
		}
		r.mu.Lock()
		if err != nil {
			r.fault = cmp.Or(r.fault, err)
			r.mu.Unlock()
			return
		}
		r.requests = append(r.requests, q)
		r.mu.Unlock()
	}
}

// readBody reads the body of a request by net/http, which knows how it is framed. It gets one byte at a time, so that
// nothing of the next request is taken.
func readBody(q Request, in *bufio.Reader) (string, error) {
	head := q.Method + " / HTTP/1.1\r\n"
	for _, f := range q.Fields {
		head += f[0] + ": " + f[1] + "\r\n"
	}
	parsed, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(head+"\r\n"), iotest.OneByteReader(in))))
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(parsed.Body)
	return string(body), err
}

// Stop ends the recording once no one sends any more, and returns what came.
func (r *Recorder) Stop() (Recording, error) {
	r.listener.Close()
	r.passing.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	all := Recording{Requests: r.requests}
	all.sortByTime()
	return all, r.fault
}

// sortByTime puts the requests in the order in which they came, and counts the time from the first.
func (r *Recording) sortByTime() {
	slices.SortStableFunc(r.Requests, func(a, b Request) int { return cmp.Compare(a.At, b.At) })
	if len(r.Requests) > 0 {
		first := r.Requests[0].At
		for i := range r.Requests {
			r.Requests[i].At -= first
		}
	}
}

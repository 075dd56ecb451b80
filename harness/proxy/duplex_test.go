package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// closedAtEnd is a body that is closed as soon as it has ended.
type closedAtEnd struct {
	of    *strings.Reader
	ended bool
}

func (c *closedAtEnd) Read(p []byte) (int, error) {
	if c.ended {
		return 0, http.ErrBodyReadAfterClose
	}
	n, _ := c.of.Read(p)
	c.ended = c.of.Len() == 0
	if c.ended {
		return n, io.EOF
	}
	return n, nil
}

func (*closedAtEnd) Close() error { return nil }

// Answers that begin as soon as the request has come pass in full, however busy the machine is.
func TestQuickAnswersPassInFull(t *testing.T) {
	upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
		}
	}))
	p := openProxy(t, upstream)
	// The body is read to its end by one who then looks for more, after the answer has begun.
	early := &requestTap{ReadCloser: &closedAtEnd{of: strings.NewReader("x")}, c: &capture{recorder: p.recorder, fate: leftOut}, in: &http.Request{}}
	for range 2 {
		if _, err := io.ReadAll(early); err != nil {
			t.Fatal(err)
		}
	}
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() {
			for range 300 {
				c := newClient(t, false)
				answer, err := c.Post(p.URLs()[0], "application/json", strings.NewReader(sentText))
				if err != nil {
					t.Error(err)
					return
				}
				text, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				c.CloseIdleConnections()
				if err != nil || len(text) != 27 {
					t.Errorf("got %d %q, %v", answer.StatusCode, text, err)
					return
				}
			}
		})
	}
	work.Wait()
	p.Close()
	for _, x := range p.Record().Passed {
		if x.Out.Ended != "eof" {
			t.Errorf("%s %s", x.Out.Ended, x.Out.Trouble)
		}
	}
}

// An answer that begins before the request has ended reaches the client, and the rest of the request the server.
func TestAnswerBeforeRequestEnds(t *testing.T) {
	for _, second := range []bool{false, true} {
		upstream := startServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).EnableFullDuplex()
			w.WriteHeader(200)
			for {
				p := make([]byte, 100)
				n, err := r.Body.Read(p)
				fmt.Fprintf(w, "<%s>", p[:n])
				w.(http.Flusher).Flush()
				if err != nil {
					return
				}
			}
		}))
		p := openProxy(t, upstream)
		body, in := io.Pipe()
		r, err := http.NewRequestWithContext(t.Context(), "POST", p.URLs()[0], body)
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(in, "one")
		answer, err := newClient(t, second).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 5)
		if _, err := io.ReadFull(answer.Body, got); err != nil || string(got) != "<one>" {
			t.Fatalf("got %q, %v", got, err)
		}
		io.WriteString(in, "two")
		in.Close()
		if rest, err := io.ReadAll(answer.Body); err != nil || !strings.HasPrefix(string(rest), "<two>") {
			t.Errorf("got %q, %v", rest, err)
		}
		answer.Body.Close()
		if x := closeAndRecord(t, p, 1)[0]; string(x.Out.Request.Body) != "onetwo" || x.Out.Ended != "eof" {
			t.Errorf("recorded %+v", x.Out)
		}
	}
}

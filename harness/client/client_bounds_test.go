package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

const okJSON = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// answering is a server whose every answer is the same text, after which the
// connection closes.
func answering(t *testing.T, text string) (url string) {
	return serve(t, func(c net.Conn) {
		if _, _, err := request(bufio.NewReader(c)); err == nil {
			io.WriteString(c, text)
		}
	})
}

// Of a stream that is too large the whole events at its beginning are kept, and
// nothing that could be taken for an event and was none.
func TestStreamIsCutBetweenEvents(t *testing.T) {
	url := serve(t, func(c net.Conn) {
		if _, _, err := request(bufio.NewReader(c)); err != nil {
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
		for i := 0; ; i++ {
			if _, err := fmt.Fprintf(c, "data: {\"number\":%d,\"text\":\"%s\"}\n\n", i, strings.Repeat("t", 3000)); err != nil {
				return
			}
		}
	})
	x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: url}, nil)
	if x.Ended != record.Limit || x.Rest() != nil || len(x.Events()) == 0 || len(x.Response.Body) > record.CutHead {
		t.Errorf("%s (%s): %d events in %d bytes, and %v", x.Ended, x.Trouble, len(x.Events()), len(x.Response.Body), x.Rest())
	}
	for i, e := range x.Events() {
		if e.Root == nil || e.Root.Member("number").Number != fmt.Sprint(i) || len(e.Root.Member("text").String) != 3000 {
			t.Errorf("event %d is %.60q", i, e.Data)
		}
	}
}

// JSON beyond what is taken apart is a limit of ours, not a fault of the server.
func TestJSONBeyondOurLimits(t *testing.T) {
	for name, body := range map[string]string{
		"deep":            strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"deep, unclosed":  strings.Repeat(`{"a":`, 5000),
		"values":          "[0" + strings.Repeat(",0", 2*record.MaxJSONValues) + "]",
		"values in event": "data: [0" + strings.Repeat(",0", 2*record.MaxJSONValues) + "]\n\n",
	} {
		head := okJSON
		if strings.HasPrefix(body, "data:") {
			head = strings.Replace(head, "application/json", "text/event-stream", 1)
		}
		x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: answering(t, head+"\r\n"+body)}, nil)
		if x.Ended != record.Limit || !strings.Contains(x.Trouble, "more than") {
			t.Errorf("%s: %s (%s)", name, x.Ended, x.Trouble)
		}
	}
	x := newClient(t).Do(t.Context(), Call{Method: "POST", URL: answering(t, okJSON+"\r\n[1"+strings.Repeat(",1", 5000)+"]")}, nil)
	if x.Ended != record.EOF || len(x.Reply().Root.Elems) != 5001 {
		t.Errorf("an ordinary text: %s (%s)", x.Ended, x.Trouble)
	}
}

// What many small values take in memory is bounded over the run.
func TestWeightOfARun(t *testing.T) {
	client, whole := newClient(t), 0
	for range 50 {
		x := &record.Exchange{Ended: record.EOF, Response: record.Message{Head: []byte(okJSON + "\r\n"), Body: []byte("[" + strings.Repeat("{},", 20_000) + "0]")}}
		client.budget.CountAndCutExchange(x)
		if x.Ended == record.EOF {
			whole++
		} else if x.Ended != record.Limit || !strings.Contains(x.Trouble, "values") || len(x.Response.Body) > record.CutHead+record.CutTail {
			t.Errorf("%s (%s), %d bytes", x.Ended, x.Trouble, len(x.Response.Body))
		}
	}
	if whole == 0 || int64(whole)*20_000*160 > record.MaxWeight {
		t.Errorf("%d were kept whole", whole)
	}
}

// Large bodies are read a few at a time; one whose turn does not come in time is
// a limit of ours.
func TestLargeBodiesTakeTurns(t *testing.T) {
	client := newClient(t)
	for range cap(client.large) {
		client.large <- struct{}{}
	}
	url := answering(t, okJSON+"\r\n\""+strings.Repeat("x", 2*largeBody)+"\"")
	x := client.Do(t.Context(), Call{Method: "POST", URL: url, Timeout: 200 * time.Millisecond}, nil)
	if x.Ended != record.Limit || !strings.Contains(x.Trouble, "while others did") {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
	<-client.large
	if x := client.Do(t.Context(), Call{Method: "POST", URL: url}, nil); x.Ended != record.EOF || len(client.large) != cap(client.large)-1 {
		t.Errorf("%s (%s), %d turns are taken", x.Ended, x.Trouble, len(client.large))
	}
}

// A server may close a connection after an answer without a word: the next call
// goes out on another one. A call that was answered by nothing on a fresh
// connection is not made again, for it may have been executed.
func TestClosedBetweenCalls(t *testing.T) {
	var asked atomic.Int64
	url := serve(t, func(c net.Conn) {
		if _, _, err := request(bufio.NewReader(c)); err == nil {
			asked.Add(1)
			io.WriteString(c, okJSON+"Content-Length: 2\r\n\r\n{}")
		}
	})
	client := newClient(t)
	for i := range 20 {
		if x := client.Do(t.Context(), Call{Method: "POST", URL: url, Body: []byte("{}")}, nil); x.Ended != record.EOF || x.Status() != 200 {
			t.Errorf("call %d: %s (%s)", i, x.Ended, x.Trouble)
		}
	}
	if asked.Load() != 20 {
		t.Errorf("20 calls were answered %d times", asked.Load())
	}
	asked.Store(0)
	silent := serve(t, func(c net.Conn) {
		if _, _, err := request(bufio.NewReader(c)); err == nil {
			asked.Add(1)
		}
	})
	x := client.Do(t.Context(), Call{Method: "POST", URL: silent, Body: []byte("{}")}, nil)
	if x.Ended != record.Reset || asked.Load() != 1 {
		t.Errorf("%s (%s), asked %d times", x.Ended, x.Trouble, asked.Load())
	}
	if strings.Contains(string(x.Request.Head), "Idempotency") {
		t.Errorf("it sent %q", x.Request.Head)
	}
}

// What an interrupted run could not finish says nothing about the server,
// whatever cause the interruption gives.
func TestInterruptedWithACause(t *testing.T) {
	url := serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { stop(errors.New("interrupt signal received")) })
	if x := newClient(t).Do(ctx, Call{Method: "POST", URL: url}, nil); x.Ended != record.Aborted {
		t.Errorf("%s (%s)", x.Ended, x.Trouble)
	}
}

// What is cut without a look for secrets in all of it has none at its edges.
func TestSparedKeepsNoHalfSecret(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse-battery-staple"
	client := NewClient(Config{Redact: redact.NewRedactor([]redact.Secret{{Name: "bearer", Value: secret}})})
	for _, at := range []int{0, record.CutHead - 9, record.CutHead + 9, record.CutHead + record.CutMargin - 9} {
		for _, fromEnd := range []int{len(secret), record.CutTail - 9, record.CutTail + 9} {
			body := bytes.Repeat([]byte("x"), 2*record.MaxBody)
			copy(body[at:], secret)
			copy(body[len(body)-fromEnd:], secret)
			x := &record.Exchange{Ended: record.Limit, Trouble: "too long", Response: record.Message{Body: body}}
			client.budget.CutBeforeRedaction(x)
			if len(x.Response.Body) > record.CutHead+record.CutTail+2*record.CutMargin {
				t.Fatalf("%d bytes are searched", len(x.Response.Body))
			}
			client.cfg.Redact.Exchange(x)
			client.budget.CountAndCutExchange(x)
			if i := bytes.Index(x.Response.Body, []byte("rec")); i >= 0 || bytes.Contains(x.Response.Body, []byte("attery")) {
				t.Errorf("a secret at %d and %d from the end: a part is left", at, fromEnd)
			}
		}
	}
}

package client

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

func receiver(t *testing.T, cfg ReceiverConfig) *Receiver {
	t.Helper()
	cfg.Started = time.Now()
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	r, err := Receive(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// A delivery is kept as it was written, and a known secret in it is not.
func TestDelivery(t *testing.T) {
	r := receiver(t, ReceiverConfig{Redact: redact.NewRedactor([]redact.Secret{{Name: "mine", Value: "0123456789"}})})
	h := r.Hook("first")
	req, err := http.NewRequest(http.MethodPost, h.URL(), strings.NewReader(`{"told":"0123456789"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header["x-odd-Name"] = []string{"kept"}
	req.Header.Set("Authorization", "Bearer of-its-own")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-h.News(0)
	x := h.Deliveries()[0]
	head := string(x.Request.Head)
	for _, want := range []string{"POST /", "first?notify=1 HTTP/1.1\r\n", "x-odd-Name: kept\r\n", "Authorization: Bearer ⟦secret:authorization⟧\r\n", "\r\n\r\n"} {
		if !strings.Contains(head, want) {
			t.Errorf("the head has no %q: %q", want, head)
		}
	}
	if got := string(x.Request.Body); got != `{"told":"⟦secret:mine⟧"}` {
		t.Errorf("body %s", got)
	}
	if x.Dir != record.In || x.Ended != record.EOF || x.URL != h.URL() || x.Status() != 200 || x.End < x.Start {
		t.Errorf("%+v", x)
	}
}

// What is no delivery is not kept: a probe for the webhook, another method, a
// path that nobody was told.
func TestNoDelivery(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	h := r.Hook("a")
	resp, err := http.Get(h.URL() + "&validationToken=abc")
	if err != nil {
		t.Fatal(err)
	}
	token, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(token) != "abc" {
		t.Errorf("the validation token came back as %q", token)
	}
	for url, want := range map[string]int{h.URL(): http.StatusMethodNotAllowed, r.Base() + "/other": http.StatusNotFound} {
		req, _ := http.NewRequest(http.MethodPut, url, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("PUT %s: %d", url, resp.StatusCode)
		}
	}
	if n := len(h.Deliveries()); n != 0 {
		t.Errorf("%d deliveries", n)
	}
}

// A proxy may lead here from a path of its own, kept or taken off.
func TestWebhookBehindProxy(t *testing.T) {
	r := receiver(t, ReceiverConfig{URL: "https://hooks.example.com/a2a/"})
	h := r.Hook((*operator.IDs)(nil).New())
	rest, ok := strings.CutPrefix(h.URL(), "https://hooks.example.com/a2a")
	if !ok {
		t.Fatalf("the URL is %s", h.URL())
	}
	for _, path := range []string{rest, "/a2a" + rest} {
		w := httptest.NewRecorder()
		r.serveHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader("{}")))
	}
	if n := len(h.Deliveries()); n != 2 {
		t.Errorf("%d of 2 deliveries were found", n)
	}
}

// A delivery with a coding is kept as the text that it stands for, or not at all: a secret
// could hide in coded bytes.
func TestDeliveryCoded(t *testing.T) {
	packed := func(text string) string {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		z.Write([]byte(text))
		z.Close()
		return out.String()
	}
	r := receiver(t, ReceiverConfig{Redact: redact.NewRedactor([]redact.Secret{{Name: "token", Value: "hidden-secret"}})})
	for _, c := range []struct {
		name, coding, body, want, trouble string
		ended                             record.Ended
	}{
		{"gzip", "gzip", packed(`{"a":1}`), `{"a":1}`, "", record.EOF},
		{"identity", "identity", `{"a":1}`, `{"a":1}`, "", record.EOF},
		{"with a secret", "gzip", packed(`{"a":"hidden-secret"}`), record.SecretMark, "", record.EOF},
		{"cut", "gzip", packed(`{"a":"hidden-secret"}`)[:30], "", "is not kept", record.Limit},
		{"not known", "br", `{"a":1}`, "", "is not known", record.Limit},
		{"too large", "gzip", packed(strings.Repeat(" ", record.MaxDelivery+1)), "", "goes beyond 1 MiB", record.Limit},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := r.Hook((*operator.IDs)(nil).New())
			q := httptest.NewRequest(http.MethodPost, h.URL(), strings.NewReader(c.body))
			q.Header.Set("Content-Encoding", c.coding)
			q = q.WithContext(context.WithValue(q.Context(), headKey{}, &headConn{first: []byte("POST / HTTP/1.1\r\nContent-Encoding: " + c.coding + "\r\n\r\n")}))
			r.serveHTTP(httptest.NewRecorder(), q)
			x := h.Deliveries()[0]
			if got := string(x.Request.Body); !strings.Contains(got, c.want) || c.want == "" && got != "" || strings.Contains(got, "hidden") {
				t.Errorf("the body is %q, want %q", got, c.want)
			}
			if x.Ended != c.ended || !strings.Contains(x.Trouble, c.trouble) {
				t.Errorf("it ended as %s, %q; want %s, %q", x.Ended, x.Trouble, c.ended, c.trouble)
			}
		})
	}
}

// A flood is answered and counted, and only its beginning is kept.
func TestWebhookFlood(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	h := r.Hook("a")
	var group sync.WaitGroup
	const flood = 3 * maxDeliveries
	for range 4 {
		group.Go(func() {
			for range flood / 4 {
				resp, err := http.Post(h.URL(), "application/json", strings.NewReader("{}"))
				if err != nil {
					t.Error(err)
					return
				}
				resp.Body.Close()
			}
		})
	}
	group.Wait()
	for len(h.Deliveries())+h.Surplus() < flood {
		<-h.News(len(h.Deliveries()) + h.Surplus())
	}
	if kept, surplus := len(h.Deliveries()), h.Surplus(); kept != maxDeliveries || surplus != flood-maxDeliveries {
		t.Errorf("%d kept, %d counted", kept, surplus)
	}
}

// endless is a body of a gigabyte that counts what was taken of it.
type endless struct{ taken atomic.Int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.taken.Load() >= 1<<30 {
		return 0, io.EOF
	}
	e.taken.Add(int64(len(p)))
	return copy(p, bytes.Repeat([]byte("x"), len(p))), nil
}

// Of a delivery of a gigabyte one megabyte is read and little is kept.
func TestWebhookGigabyte(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	h := r.Hook("a")
	body := &endless{}
	if resp, err := http.Post(h.URL(), "application/json", body); err == nil { // it may be told before it gives up
		resp.Body.Close()
	}
	<-h.News(0)
	x := h.Deliveries()[0]
	if x.Ended != record.Limit || len(x.Request.Body) > record.CutHead || x.Request.Framing.Cut == "" {
		t.Errorf("ended %s with %d bytes kept", x.Ended, len(x.Request.Body))
	}
	if taken := body.taken.Load(); taken > 64<<20 {
		t.Errorf("%d MiB were taken", taken>>20)
	}
}

// A delivery that breaks off is kept as what it is.
func TestDeliveryBrokenOff(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	h := r.Hook("a")
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.Base(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", strings.TrimPrefix(h.URL(), r.Base()))
	conn.Close()
	<-h.News(0)
	if x := h.Deliveries()[0]; x.Ended != record.Reset || string(x.Request.Body) != "{" {
		t.Errorf("ended %s with %q", x.Ended, x.Request.Body)
	}
}

// A webhook by https is one.
func TestWebhookTLS(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	r := receiver(t, ReceiverConfig{Cert: &server.TLS.Certificates[0]})
	h := r.Hook("a")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	resp, err := client.Post(h.URL(), "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-h.News(0)
	if !strings.HasPrefix(h.URL(), "https://127.0.0.1:") {
		t.Errorf("the URL is %s", h.URL())
	}
	if !strings.HasPrefix(string(h.Deliveries()[0].Request.Head), "POST /") {
		t.Errorf("head %q", h.Deliveries()[0].Request.Head)
	}
}

// Agents that were registered for a test are gone, whatever is asked of them.
func TestGoneAgents(t *testing.T) {
	r, err := Receive(ReceiverConfig{Listen: "127.0.0.1:0", Started: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for path, want := range map[string]int{GoneAgents + "a": http.StatusGone, GoneAgents + "a/a2a/task": http.StatusGone, "/else": http.StatusNotFound} {
		answer, err := http.Post(r.Base()+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, answer.StatusCode, want)
		}
	}
}

// A delivery that is held gets no answer, and is kept once it has got one; who waits
// hears of it when it comes.
func TestDeliveryHeld(t *testing.T) {
	r := receiver(t, ReceiverConfig{})
	h := r.Hook("held")
	h.Hold()
	news := h.News(0)
	answered := make(chan error, 1)
	go func() {
		resp, err := http.Post(h.URL(), "application/json", strings.NewReader("{}"))
		if err == nil {
			resp.Body.Close()
		}
		answered <- err
	}()
	<-news
	if h.Holding() != 1 || len(h.Deliveries()) != 0 {
		t.Errorf("%d are held and %d kept", h.Holding(), len(h.Deliveries()))
	}
	news = h.News(0)
	h.Release()
	if err := <-answered; err != nil {
		t.Error(err)
	}
	<-news
	if h.Holding() != 0 || len(h.Deliveries()) != 1 {
		t.Errorf("%d are held and %d kept after the release", h.Holding(), len(h.Deliveries()))
	}
	h.Release()
}

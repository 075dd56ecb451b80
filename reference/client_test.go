package reference

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// newClient returns a client that every variant serves: it shows the token and
// takes any certificate.
func newClient() *http.Client {
	return &http.Client{Transport: withToken{&http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
}

// withToken adds the token to every request that names no credential.
type withToken struct{ *http.Transport }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if _, named := r.Header["Authorization"]; !named {
		r.Header.Set("Authorization", "Bearer "+Token)
	}
	return w.Transport.RoundTrip(r)
}

var client = newClient()

// roomy is a rate that no test comes to.
var roomy = Rate{Requests: 10_000, Window: time.Minute}

// start runs a server for the length of the test.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	if o.Rate == (Rate{}) {
		o.Rate = roomy
	}
	s, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// result is an HTTP reply with its body decoded; of a stream it is the only event.
type result struct {
	status int
	header http.Header
	raw    string
	body   any
}

func fetch(t *testing.T, method, url, contentType, body string) result {
	t.Helper()
	return fetchWith(t, method, url, contentType, body, nil)
}

// fetchWith is fetch with further headers.
func fetchWith(t *testing.T, method, url, contentType, body string, more map[string]string) result {
	t.Helper()
	return fetchBy(client, t, method, url, contentType, body, more)
}

// fetchBy is fetchWith by a client of its own.
func fetchBy(client *http.Client, t *testing.T, method, url, contentType, body string, more map[string]string) result {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for name, value := range more {
		r.Header.Set(name, value)
	}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	res := result{status: reply.StatusCode, header: reply.Header, raw: string(raw)}
	switch media := reply.Header.Get("Content-Type"); {
	case strings.HasPrefix(media, "application/json"), strings.HasPrefix(media, "application/a2a+json"):
		if res.body, err = decode(raw); err != nil {
			t.Fatalf("%s: %v in %q", url, err, raw)
		}
	case strings.HasPrefix(media, "text/event-stream"):
		if list := readEvents(t, bytes.NewReader(raw), nil); len(list) == 1 {
			res.body = list[0]
		}
	}
	return res
}

func post(t *testing.T, url, body string) result {
	t.Helper()
	return fetch(t, http.MethodPost, url, "application/json", body)
}

// rpc calls a method with params given as JSON.
func rpc(t *testing.T, url, method, params string) result {
	t.Helper()
	return post(t, url, `{"jsonrpc":"2.0","id":"r","method":"`+method+`","params":`+params+`}`)
}

// events calls a streaming method and reads the results up to the end of the
// stream. seen, unless nil, is called with each as it arrives.
func events(t *testing.T, url, method, params string, seen func(any)) []any {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":"s","method":"` + method + `","params":` + params + `}`
	reply, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if media := reply.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/event-stream") {
		t.Fatalf("%s: the stream is %s", method, media)
	}
	var results []any
	readEvents(t, reply.Body, func(v any) {
		if at(v, "id") != "s" || at(v, "jsonrpc") != "2.0" {
			t.Errorf("envelope of event: %v", v)
		}
		results = append(results, at(v, "result"))
		if seen != nil {
			seen(at(v, "result"))
		}
	})
	return results
}

// readEvents reads the data of all events of a stream. seen, unless nil, is called
// with each as it arrives.
func readEvents(t *testing.T, stream io.Reader, seen func(any)) []any {
	t.Helper()
	var list []any
	var data strings.Builder
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			data.WriteString(text + "\n")
			continue
		}
		if line == "" && data.Len() > 0 {
			v, err := decode([]byte(data.String()))
			if err != nil {
				t.Fatalf("%v in %q", err, data.String())
			}
			list = append(list, v)
			data.Reset()
			if seen != nil {
				seen(v)
			}
		}
	}
	return list
}

// expect compares members of a decoded JSON value.
func expect(t *testing.T, v any, want map[string]any) {
	t.Helper()
	for path, w := range want {
		if n, ok := w.(int); ok {
			w = num(n)
		}
		if got := at(v, path); got != w {
			b, _ := json.Marshal(v)
			t.Errorf("%s is %v, want %v, in %s", path, got, w, b)
		}
	}
}

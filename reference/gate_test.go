package reference

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ask makes a call with an Authorization header.
func ask(t *testing.T, s *Server, authorization, method, params string) result {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL(), strings.NewReader(a2aCall(`"r"`, method, params)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	reply, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	out := result{status: reply.StatusCode, header: reply.Header}
	raw := make([]byte, 1<<16)
	n, _ := reply.Body.Read(raw)
	out.body, _ = decode(raw[:n])
	return out
}

func TestGuard(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.1", Variant: "guarded"})
	first, second, low := "Bearer "+Token, "Bearer "+SecondToken, "Bearer "+LowToken
	if r := ask(t, s, first, "tasks/send", a2aBare("one", "echo x", "")); r.status != 200 || !has(r.body, "result") {
		t.Fatalf("the first client is answered %d %v", r.status, r.body)
	}
	for _, c := range []struct {
		name, authorization, method, params string
		status, code                        int // code 0 is a result
	}{
		{"nobody", "", "tasks/get", `{"id":"one"}`, 401, -32007},
		{"another scheme", "Basic " + Token, "tasks/get", `{"id":"one"}`, 401, -32007},
		{"a stranger", "Bearer x", "tasks/send", a2aBare("two", "echo x", ""), 401, -32007},
		{"no task of the stranger", first, "tasks/get", `{"id":"two"}`, 200, -32001},
		{"another client", second, "tasks/get", `{"id":"one"}`, 200, -32001},
		{"another client cancels", second, "tasks/cancel", `{"id":"one"}`, 200, -32001},
		{"another client sends", second, "tasks/send", a2aBare("one", "echo x", ""), 200, -32001},
		{"its own task", second, "tasks/send", a2aBare("three", "echo x", ""), 200, 0},
		{"few rights", low, "tasks/send", a2aBare("four", "forbidden", ""), 403, -32008},
		{"what few rights allow", low, "tasks/send", a2aBare("four", "echo x", ""), 200, 0},
		{"all rights", first, "tasks/send", a2aBare("five", "forbidden", ""), 200, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ask(t, s, c.authorization, c.method, c.params)
			code, _ := strconv.Atoi(string(encode(at(r.body, "error/code"))))
			if r.status != c.status || code != c.code || at(r.body, "id") != "r" {
				t.Errorf("answered %d %v", r.status, r.body)
			}
			if challenge := r.header.Get("WWW-Authenticate"); (r.status == 401) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("challenge %q with status %d", challenge, r.status)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	s := start(t, Options{Dialect: "a2a-0.1", Variant: "limited", Rate: Rate{Requests: 3, Window: time.Minute}})
	for i, left := range []string{"2", "1", "0", "0"} {
		r := ask(t, s, "", "tasks/get", `{"id":"none"}`)
		h := r.header
		if h.Get("X-RateLimit-Limit") != "3" || h.Get("X-RateLimit-Remaining") != left || h.Get("X-RateLimit-Window") != "60" {
			t.Errorf("call %d: %v", i+1, h)
		}
		reset, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
		if until := time.Until(time.Unix(reset, 0)); err != nil || until <= 0 || until > 62*time.Second {
			t.Errorf("call %d: reset %q", i+1, h.Get("X-RateLimit-Reset"))
		}
		wait, _ := strconv.Atoi(h.Get("Retry-After"))
		if limited := i == 3; limited != (r.status == 429) || limited != (at(r.body, "error/code") == num(-32010)) || limited != (wait > 0 && wait <= 60) {
			t.Errorf("call %d: %d %v, Retry-After %d", i+1, r.status, r.body, wait)
		}
		if at(r.body, "id") != "r" {
			t.Errorf("call %d: the id is %v", i+1, at(r.body, "id"))
		}
	}
	if r := ask(t, s, "Bearer another", "tasks/get", `{"id":"none"}`); r.status != 200 {
		t.Errorf("another client is answered %d", r.status)
	}
	if _, err := Start(t.Context(), Options{Dialect: "a2a-0.1", Rate: Rate{Requests: -1, Window: time.Second}}); err == nil {
		t.Error("a rate of less than nothing is taken")
	}
}

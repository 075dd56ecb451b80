package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/client"
)

func TestReferenceClient(t *testing.T) {
	for _, dialect := range client.Dialects() {
		if dialect == "directory-0.1" { // whose servers take no text, but an action
			continue
		}
		s, err := reference.Start(t.Context(), reference.Options{Dialect: dialect})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		var variants []string
		for _, v := range client.Variants(dialect) {
			variants = append(variants, v.Name)
		}
		slices.Sort(variants)
		failure := "failed"
		if dialect == "jaf-0.3" { // whose servers answer a message by the error
			failure = "InternalError (-32603)"
		}
		for _, c := range []struct {
			name string
			args []string
			code int
			out  string
			errs string
		}{
			{"an answer", []string{s.URL(), "echo größer"}, 0, "größer", ""},
			{"without a scheme", []string{strings.TrimPrefix(s.URL(), "http://"), "echo größer"}, 0, "größer", ""},
			{"a question", []string{s.URL(), "ask", "blue"}, 0, "blue", ""},
			{"a task that fails", []string{s.URL(), "fail"}, 1, "", failure},
			{"a mutant", []string{s.URL(), "echo größer", "--mutant", "jsonrpc-missing"}, 1, "", "InvalidRequest (-32600)"},
			{"a mutant and a variant", []string{s.URL(), "fail", "--mutant", "any-end-is-done", "--variant", "chatty"}, 0, "*** state", ""},
			{"no text", []string{s.URL()}, 2, "", "reference-client was given 1 argument; it is called like `a2a-conform reference-client URL TEXT [SECOND]`"},
			{"four texts", []string{s.URL(), "ask", "blue", "green"}, 2, "", "was given 4 arguments; it is called like"},
			{"no such variant", []string{s.URL(), "hello", "--variant", "loud"}, 2, "", "choose one of " + strings.Join(variants, ", ")},
			{"no such mutant", []string{s.URL(), "hello", "--mutant", "loud"}, 2, "", `no mutant "loud"`},
			{"the list", []string{"--list"}, 0, "jsonrpc-missing", ""},
		} {
			t.Run(dialect+"/"+c.name, func(t *testing.T) {
				code, out, errs := command(t, slices.Concat([]string{"reference-client", "--dialect", dialect}, c.args)...)
				if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.errs) || c.errs == "" && errs != "" {
					t.Errorf("exit %d, want %d, %q and %q\n%s%s", code, c.code, c.out, c.errs, out, errs)
				}
			})
		}
	}
	if code, _, errs := command(t, "reference-client", "--list", "--dialect", "core"); code != 2 || !strings.Contains(errs, "a2a-0.3, a2a-1.0") {
		t.Errorf("a dialect without a client: exit %d, %s", code, errs)
	}
}

func TestReferenceClientShowsItsCredentials(t *testing.T) {
	shown := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			shown <- r.Header.Get("Authorization")
			w.WriteHeader(http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `{"url": "http://%s/", "securitySchemes": {"a": {"type": "http", "scheme": "bearer"}}, "security": [{"a": []}]}`, r.Host)
	}))
	t.Cleanup(s.Close)
	t.Setenv("A2A_CONFORM_BEARER", "the-token")
	if code, _, errs := command(t, "reference-client", "--dialect", "a2a-0.3", s.URL, "hello"); code != 1 || !strings.Contains(errs, "403") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	if got := <-shown; got != "Bearer the-token" {
		t.Errorf("got %q", got)
	}
}

func TestReferenceClientCompletion(t *testing.T) {
	for flag, want := range map[string]string{"--dialect": "a2a-0.3", "--variant": "streaming", "--mutant": "waits-for-close"} {
		words, _ := completed(t, "reference-client", "--dialect", "a2a-0.3", flag, "")
		if !slices.Contains(words, want) || slices.Contains(words, "version-missing") {
			t.Errorf("%s: %v", flag, words)
		}
	}
}

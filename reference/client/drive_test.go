package client_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/client"
)

// startServer runs a bundled server for the length of the test, and returns its URL.
func startServer(t *testing.T, o reference.Options) string {
	t.Helper()
	o.Rate = reference.Rate{Requests: 10_000, Window: time.Minute}
	s, err := reference.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.URL()
}

// run runs a client, and returns its exit code and what it printed.
func run(t *testing.T, o client.Options) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	o.Stdout, o.Stderr = &out, &errs
	code = client.Run(t.Context(), o)
	return code, out.String(), errs.String()
}

func TestVariantsWorkWithTheBundledServer(t *testing.T) {
	for _, dialect := range client.Dialects() {
		for _, server := range []string{"full", "minimal"} {
			url := startServer(t, reference.Options{Dialect: dialect, Variant: server})
			for _, v := range client.Variants(dialect) {
				for _, test := range []struct {
					name, text, second, want string
					code                     int
				}{
					{"echo", "echo größer", "", "größer", 0},
					{"slow", "slow 0.4", "", "", 0},
					{"artifact", "artifact", "", "", 0},
					{"ask", "ask", "blue", "blue", 0},
					{"fail", "fail", "", "", 1},
					{"reject", "reject", "", "", 1},
					{"turns", "remember teal", "recall", "teal", 0},
				} {
					t.Run(strings.Join([]string{dialect, server, v.Name, test.name}, "/"), func(t *testing.T) {
						t.Parallel()
						code, out, errs := run(t, client.Options{URL: url, Text: test.text, Second: test.second, Dialect: dialect, Variant: v.Name})
						if code != test.code || !strings.Contains(out, test.want) {
							t.Errorf("exit code %d, want %d and %q\nstdout: %s\nstderr: %s", code, test.code, test.want, out, errs)
						}
					})
				}
			}
		}
	}
}

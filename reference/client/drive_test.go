package client_test

import (
	"bytes"
	"context"
	"slices"
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

// requiredExtensions are those that the bundled server demands in its variant extended.
var requiredExtensions = []string{"https://conform.example.com/ext/trace/v1"}

// testPause is the pause of the clients of these tests.
const testPause = 10 * time.Millisecond

// run runs a client, and returns its exit code and what it printed.
func run(t *testing.T, o client.Options) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	o.Stdout, o.Stderr, o.Pause = &out, &errs, testPause
	code = client.Run(t.Context(), o)
	return code, out.String(), errs.String()
}

func TestVariantsWorkWithTheBundledServer(t *testing.T) {
	for _, dialect := range talking {
		for _, server := range []string{"full", "minimal"} {
			url := startServer(t, reference.Options{Dialect: dialect, Variant: server})
			for _, v := range client.Variants(dialect) {
				if strings.HasSuffix(v.Name, "rest") && dialect == "a2a-0.3" {
					continue // which writes the form of the text, and the server reads that of a2a.proto
				}
				if server == "minimal" && !slices.Contains([]string{"plain", "chatty", "polling"}, v.Name) {
					continue
				}
				for _, test := range []struct {
					name, text, second, want string
					code                     int
				}{
					{"echo", "echo größer", "", "größer", 0},
					{"slow", "slow 0.1", "", "", 0},
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

// Whatever freedom a server uses, a healthy client understands it.
func TestServersOfEveryKindAreUnderstood(t *testing.T) {
	for _, dialect := range talking {
		for _, server := range reference.Variants(dialect) {
			o := client.Options{Dialect: dialect, Text: "echo größer"}
			want := "größer"
			switch server {
			case "talking":
				want = "Hello"
			case "extended":
				o.Extensions = requiredExtensions
			case "tls", "guarded", "guarded-text", "guarded-json", "guarded-error", "guarded-forbidden", "paid": // which need a certificate, a credential for the card, or a payment
				continue
			}
			o.URL = startServer(t, reference.Options{Dialect: dialect, Variant: server})
			for _, variant := range []string{"plain", "streaming", "polling", "rich", "extended"} {
				if !slices.ContainsFunc(client.Variants(dialect), func(v client.Info) bool { return v.Name == variant }) {
					continue
				}
				o := o
				o.Variant = variant
				t.Run(strings.Join([]string{dialect, server, o.Variant}, "/"), func(t *testing.T) {
					t.Parallel()
					if code, out, errs := run(t, o); code != 0 || !strings.Contains(out, want) {
						t.Errorf("exit code %d\nstdout: %s\nstderr: %s", code, out, errs)
					}
				})
			}
		}
	}
}

func TestAnswersAreReadFromStdin(t *testing.T) {
	for _, dialect := range talking {
		url := startServer(t, reference.Options{Dialect: dialect})
		for text, want := range map[string]string{"ask": "blue", "echo hello": "hello"} {
			if text == "ask" && dialect == "jaf-0.3" {
				continue // whose tasks never ask
			}
			code, out, errs := run(t, client.Options{URL: url, Dialect: dialect, Text: text, Stdin: strings.NewReader("blue\n")})
			if code != 0 || !strings.Contains(out, want) || strings.Contains(out, "blue") != (text == "ask") {
				t.Errorf("%s, %s: exit code %d\nstdout: %s\nstderr: %s", dialect, text, code, out, errs)
			}
		}
	}
}

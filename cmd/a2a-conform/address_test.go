package main

import "testing"

// TestCompleteAddress completes addresses of this machine, and leaves all others as they are.
func TestCompleteAddress(t *testing.T) {
	for typed, want := range map[string]string{
		"localhost:9999":              "http://localhost:9999",
		":9999":                       "http://localhost:9999",
		"localhost":                   "http://localhost",
		"localhost:9999/agents/echo":  "http://localhost:9999/agents/echo",
		"localhost:9999/":             "http://localhost:9999/",
		"127.0.0.1:9999":              "http://127.0.0.1:9999",
		"[::1]:9999":                  "http://[::1]:9999",
		"::1:9999":                    "http://[::1]:9999",
		"::1":                         "http://[::1]",
		" https://agent.example.com ": "https://agent.example.com",
		"\thttp://localhost:9999\n":   "http://localhost:9999",
		"agent.example.com:443":       "agent.example.com:443", // http or https
		"localhost.example.com:80":    "localhost.example.com:80",
		"run":                         "run",
		"./agent-card.json":           "./agent-card.json",
		"http:localhost:9999":         "http:localhost:9999",
		"localhost:secret":            "localhost:secret",
		"user:pass@localhost:9999":    "user:pass@localhost:9999",
		"localhost:9999?key=secret":   "localhost:9999?key=secret",
		"2001:db8::1":                 "2001:db8::1",
		"":                            "",
	} {
		if got := addLoopbackScheme(typed); got != want {
			t.Errorf("completeAddress(%q) = %q, want %q", typed, got, want)
		}
	}
}

// TestSameServer compares the server of a configuration with the one on the command line.
func TestSameServer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://agent.test", "http://agent.test/agents/echo", true},
		{"HTTP://Agent.Test:80", "http://agent.test:80", true},
		{"http://localhost:9999", "http://127.0.0.1:9999/", true},
		{"http://localhost:9999", "http://[::1]:9999", true},
		{"http://localhost:9999", "http://localhost:9998", false},
		{"http://localhost:9999", "http://localhost.example.com:9999", false},
		{"http://agent.test", "https://agent.test", false},
		{"http://agent.test", "http://agent.test:8080", false},
		{"http://agent.test", "http://agent.test.evil.example", false},
		{"", "", false},
	} {
		if got := sameServer(c.a, c.b); got != c.want {
			t.Errorf("sameServer(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

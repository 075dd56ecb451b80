package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/client"
)

// reportOf runs the variant reporting with commands, and returns its exit code and its lines in short.
func reportOf(t *testing.T, url, dialect string, commands ...string) (code int, lines string) {
	t.Helper()
	code, out, errs := run(t, client.Options{URL: url, Dialect: dialect, Text: "echo größer", Variant: "reporting", Context: `{"do":[` + strings.Join(commands, ",") + `]}`})
	var short []string
	for line := range strings.Lines(out) {
		var l struct {
			Saw, Cannot, State, Of, Kind, Name string
			Code                               int
			Assembled                          bool
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s is no line of JSON: %v (%s)", line, err, errs)
		}
		word := l.Saw + l.State + l.Of + l.Kind
		switch {
		case l.Cannot != "":
			word = "cannot " + l.Cannot
		case l.Code != 0:
			word += fmt.Sprint(l.Code)
		case l.Assembled:
			word += "whole"
		}
		short = append(short, word)
	}
	return code, strings.Join(short, " ")
}

// The variant reporting does what its context asks for, and reports what it saw.
func TestCommandsAreDone(t *testing.T) {
	t.Parallel()
	const send = `{"do":"send","text":"echo größer"}`
	for _, dialect := range complete {
		url := startServer(t, reference.Options{Dialect: dialect})
		list := "cannot list"
		if dialect == client.DefaultDialect {
			list = "" // the tasks, some of them of others
		}
		begins := "card task"
		if dialect == "a2a-0.1" || dialect == "a2x-0.3" || dialect == "jaf-0.3" { // whose streams have no tasks, or not at their beginning
			begins = "card status"
		}
		for _, c := range []struct {
			commands []string
			code     int
			want     string // at its beginning
			ends     string
		}{
			{[]string{send}, 0, begins, "artifactwhole endtask"},
			{[]string{`{"do":"card"}`, send}, 0, begins, "artifactwhole endtask"},
			{[]string{`{"do":"send","text":"slow 5","wait":false}`, `{"do":"cancel","task":"last"}`}, 0, "card task", "canceled"},
			{[]string{`{"do":"send","text":"slow 5","wait":false}`, `{"do":"get","task":"last"}`, `{"do":"cancel","task":"last"}`}, 0, "card task", "canceled"},
			{[]string{send, `{"do":"cancel","task":"last"}`, `{"do":"get","task":"last"}`}, 1, begins, "artifactwhole artifactwhole"},
			{[]string{`{"do":"get","task":"last"}`, send}, 1, "card error", "endtask"},
			{[]string{`{"do":"stream","text":"slow 5"}`, `{"do":"stop","after":2}`, `{"do":"cancel","task":"last"}`}, 0, begins, "endstream taskcanceled statuscanceled"},
			{[]string{`{"do":"send","text":"ask"}`, `{"do":"send","text":"blue","task":"last"}`}, 0, begins, "statuscompleted endstream endtask"},
			{[]string{`{"do":"push"}`, `{"do":"dance"}`}, 1, "card error cannot dance", ""},
			{[]string{send, `{"do":"list"}`}, 0, begins, list},
		} {
			if dialect == "a2x-0.3" && strings.Contains(c.commands[0], "false") {
				continue // its servers answer a message once the task has ended
			}
			if all := strings.Join(c.commands, " "); dialect == "jaf-0.3" && (strings.Contains(all, "cancel") || strings.Contains(all, "ask")) {
				continue // its tasks never ask, and a task that has ended is canceled without an error
			}
			t.Run(dialect+" "+strings.Join(c.commands, " "), func(t *testing.T) {
				t.Parallel()
				if code, got := reportOf(t, url, dialect, c.commands...); code != c.code || !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, c.ends) {
					t.Errorf("exit code %d: %s", code, got)
				}
			})
		}
	}
}

// The variant reporting keeps a card as long as its response says, and asks for a stale one under a condition.
func TestCardsAreKept(t *testing.T) {
	t.Parallel()
	for control, want := range map[string]string{
		"max-age=3600": "200", "max-age=0": "200 304", "no-cache, max-age=9": "200 304", "no-store, max-age=9": "200 200", "": "200 304",
	} {
		var got []string
		agent := &testAgent{}
		agent.start(t)
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", control)
			w.Header().Set("ETag", `"1"`)
			status := http.StatusOK
			if r.Header.Get("If-None-Match") == `"1"` {
				status = http.StatusNotModified
			}
			got = append(got, fmt.Sprint(status))
			if w.WriteHeader(status); status == http.StatusOK {
				json.NewEncoder(w).Encode(agent.card())
			}
		}))
		t.Cleanup(front.Close)
		code, lines := reportOf(t, front.URL, client.DefaultDialect, `{"do":"card"}`, `{"do":"send","text":"hello"}`, `{"do":"card"}`, `{"do":"send","text":"hello"}`)
		if code != 0 || strings.Join(got, " ") != want || strings.Count(lines, "endtask") != 2 {
			t.Errorf("%q: exit code %d, the card was answered by %v, want %s: %s", control, code, got, want, lines)
		}
	}
}

// A context that is no JSON, and a card that cannot be read, end the run.
func TestReportingEndsInOrder(t *testing.T) {
	t.Parallel()
	for _, context := range []string{"{", "[]", `{"do":1}`} {
		if code, out, _ := run(t, client.Options{URL: "http://127.0.0.1:1", Text: "x", Variant: "reporting", Context: context}); code != 1 || !strings.HasPrefix(out, `{"saw":"error","message":`) {
			t.Errorf("%s: exit code %d, %s", context, code, out)
		}
	}
	if code, lines := reportOf(t, "http://127.0.0.1:1", client.DefaultDialect); code != 1 || lines != "error" {
		t.Errorf("exit code %d: %s", code, lines)
	}
}

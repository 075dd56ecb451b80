package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/client"
)

// runHealthy runs a healthy client in a situation and returns what was seen of it.
func runHealthy(t *testing.T, in situation, dialect, variant string) (code int, seen string) {
	t.Helper()
	return runInSituation(t, in, dialect, variant, "")
}

func TestEveryFormOfAStreamIsRead(t *testing.T) {
	for _, dialect := range talking {
		for _, name := range []string{"comments", "multi-line", "CR LF", "CR", "packed", "no space", "fields", "empty", "mark", "split", "label", "unknown event", "cut", "cut often"} {
			for _, variant := range []string{"streaming", "chatty"} {
				t.Run(strings.Join([]string{dialect, name, variant}, "/"), func(t *testing.T) {
					t.Parallel()
					if code, seen := runHealthy(t, situations[name], dialect, variant); code != 0 || !strings.Contains(seen, "größer") {
						t.Error(seen)
					}
				})
			}
		}
	}
}

func TestChunksArePutTogether(t *testing.T) {
	for _, dialect := range talking {
		if code, seen := runHealthy(t, situations["hello"], dialect, "streaming"); code != 0 || !strings.Contains(seen, "größer") {
			t.Errorf("%s: %s", dialect, seen)
		}
	}
}

// What comes after the end of a task, or twice, changes nothing.
func TestLateAndRepeatedEventsChangeNothing(t *testing.T) {
	late := situation{serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.wrap("task", s.taskIn("working")), s.chunk("größer", false), s.status("completed", true), s.status("completed", true),
			s.chunk("late", true), s.status("failed", true))
	})}
	twice := situation{serve: whenStreaming(func(s *testAgent, w http.ResponseWriter, c receivedCall) {
		s.stream(w, c, s.status("working", false), s.status("working", false), s.chunk("größer", false), s.chunk("größer", false), s.status("completed", true))
	})}
	for _, dialect := range talking {
		for _, in := range []situation{late, twice} {
			code, seen := runHealthy(t, in, dialect, "streaming")
			_, printed, _ := strings.Cut(seen, "stdout: ")
			if code != 0 || strings.Contains(printed, "late") || strings.Count(printed, "größer") != 1 || strings.Count(printed, "state: working") != 1 {
				t.Errorf("%s: %s", dialect, seen)
			}
		}
	}
}

func TestRedirectsWithinTheOriginAreFollowed(t *testing.T) {
	for status, follows := range map[int]bool{http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true, http.StatusFound: false, http.StatusMovedPermanently: false, http.StatusSeeOther: false} {
		in := situation{serve: func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
			if c.r.URL.Path != "/rpc" {
				return false
			}
			http.Redirect(w, c.r, "/moved", status)
			return true
		}}
		code, seen := runHealthy(t, in, client.DefaultDialect, "plain")
		if follows != (code == 0) || follows != strings.Contains(seen, "POST /moved") || strings.Contains(seen, "GET /moved") {
			t.Errorf("%d: %s", status, seen)
		}
	}
}

// A redirect that leads back to itself ends.
func TestRedirectsAreBounded(t *testing.T) {
	in := redirecting(http.StatusTemporaryRedirect, func(s *testAgent) string { return s.base + "/rpc" })
	if code, seen := runHealthy(t, in, client.DefaultDialect, "plain"); code != 1 || strings.Count(seen, "POST") > 5 {
		t.Error(seen)
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			var at []time.Time
			in := situation{serve: whenCalled("send", func(s *testAgent, w http.ResponseWriter, c receivedCall) {
				if at = append(at, time.Now()); len(at) == 1 {
					w.Header().Set("Retry-After", "1")
					s.refuse(w, c, status, -32000)
					return
				}
				s.answer(w, c)
			})}
			code, seen := runHealthy(t, in, client.DefaultDialect, "plain")
			if code != 0 || len(at) != 2 || at[1].Sub(at[0]) < time.Second {
				t.Errorf("%v: %s", at, seen)
			}
			lines := slices.DeleteFunc(strings.Split(seen, "\n"), func(l string) bool { return !strings.Contains(l, "messageId") })
			if len(lines) != 2 || lines[0] != lines[1] {
				t.Errorf("the message is not the same: %q", lines)
			}
		})
	}
}

// Errors name their code, their name and their text.
func TestErrorsAreReported(t *testing.T) {
	for name, want := range map[string]string{
		"error": "ContentTypeNotSupported (-32005): no", "error in 404": "TaskNotFound (-32001)", "error without id": "InvalidRequest (-32600)",
		"unknown error": "-32099", "error data": "InvalidParams (-32602)", "500": "InternalError (-32603)", "401": "-32000",
	} {
		for _, dialect := range talking {
			if _, code, is := strings.Cut(want, " ("); is && dialect == "jaf-0.3" { // whose errors have other names
				want = "(" + code
			}
			for _, variant := range []string{"plain", "terse", "polling"} {
				code, seen := runHealthy(t, situations[name], dialect, variant)
				if _, errs, _ := strings.Cut(seen, "stderr: "); code != 1 || !strings.Contains(errs, want) {
					t.Errorf("%s, %s, %s: %s", name, dialect, variant, seen)
				}
			}
		}
	}
}

func TestTerseClientsPrintTheResultAlone(t *testing.T) {
	code, seen := runHealthy(t, situations["hello"], client.DefaultDialect, "terse")
	if _, printed, _ := strings.Cut(seen, "stdout: "); code != 0 || !strings.HasPrefix(printed, "größer\n\nstderr:") {
		t.Error(seen)
	}
}

// An agent that never comes to an end is left.
func TestTheTimeIsBounded(t *testing.T) {
	in := situation{
		options: func(o *client.Options) { o.Timeout, o.Pause = 300*time.Millisecond, time.Minute },
		serve: func(s *testAgent, w http.ResponseWriter, c receivedCall) bool {
			if c.op == "send" {
				s.reply(w, c, s.wrap("task", s.taskIn("working")))
			} else {
				s.reply(w, c, s.taskIn("working"))
			}
			return true
		},
	}
	if code, seen := runHealthy(t, in, client.DefaultDialect, "plain"); code != 1 || !strings.Contains(seen, "in time") {
		t.Error(seen)
	}
}

// Errors in HTTP+JSON are read with their code and reason, also if the error of JSON-RPC is the whole body.
func TestErrorsInRESTAreReported(t *testing.T) {
	for text, want := range map[string]string{
		`{"code":-32005,"message":"no"}`:           "ContentTypeNotSupported (-32005): no",
		`{"error":{"code":-32005,"message":"no"}}`: "ContentTypeNotSupported (-32005): no",
		`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"no","details":[{"reason":"TOO_MUCH"}]}}`: "TOO_MUCH (400): no",
		`{"error":{"code":404,"status":"NOT_FOUND","message":"no"}}`:                                          "NOT_FOUND (404): no",
		`{"message":"no"}`: "HTTP 400",
	} {
		for _, dialect := range []string{"a2a-1.0", "a2a-0.3"} {
			in := situation{editCard: offerREST, serve: func(_ *testAgent, w http.ResponseWriter, _ receivedCall) bool {
				w.WriteHeader(http.StatusBadRequest)
				w.Write([]byte(text))
				return true
			}}
			code, seen := runHealthy(t, in, dialect, "rest")
			if _, errs, _ := strings.Cut(seen, "stderr: "); code != 1 || !strings.Contains(errs, want) {
				t.Errorf("%s, %s: exit code %d, %s", dialect, text, code, errs)
			}
		}
	}
}

// A webhook is registered in HTTP+JSON at the path of its task.
func TestWebhooksAreRegisteredInREST(t *testing.T) {
	for dialect, want := range map[string][]string{
		"a2a-1.0": {"POST /rest/tasks/", "/pushNotificationConfigs", `"url":"http://127.0.0.1:1/hook"`},
		"a2a-0.3": {"POST /rest/v1/tasks/", "/pushNotificationConfigs", `{"config":{"pushNotificationConfig":{`},
	} {
		in := situation{editCard: offerREST, options: func(o *client.Options) {
			giveCommands(sendOne, `{"do":"push","task":"last"}`)(o)
			o.Hook = "http://127.0.0.1:1/hook"
		}}
		code, seen := runHealthy(t, in, dialect, "thorough-rest")
		for _, part := range want {
			if code != 0 || !strings.Contains(seen, part) {
				t.Errorf("%s: exit code %d, without %s:\n%s", dialect, code, part, seen)
			}
		}
	}
}

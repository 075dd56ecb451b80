package script

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

const (
	ours   = "723c2f51-cdd0-4095-98e8-6b017be11ec5"
	theirs = "11111111-2222-4333-8444-555555555555"
)

// written is the script of the first failure of a report.
func written(r *report.Report, t *record.Transcript) []byte {
	return buildScript(r, &r.Results[0], t, nil)
}

// performed runs a script in a shell whose curl writes down its arguments and its
// input, and answers with the given body. There is no a2a-conform, so that it ends with 3.
func performed(t *testing.T, shell string, script []byte, answer string) string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Fatalf("this test runs scripts of reports: install %s", shell)
	}
	// What a call is given is written at once: another one may be written at the same time.
	curl := "curl() { call=$(mktemp \"$SENT.XXXXXX\"); { printf 'ARG<%s>' \"$@\"; printf 'BODY<'; cat; printf '>'; } > \"$call\"; cat \"$call\" >> \"$SENT\"; printf '%s' '" + answer + "'; }\n"
	dir := t.TempDir()
	sent := filepath.Join(dir, "sent")
	cmd := exec.Command(path)
	cmd.Stdin = strings.NewReader("")
	cmd.Args = []string{shell, "-c", curl + string(script)}
	cmd.Env = []string{"A2A_TOKEN=s3cret", "A2A_X_API_KEY=k3y", "A2A_BASIC=me:secret", "PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "SENT=" + sent,
		"A2A_REPRODUCE_DIR=" + filepath.Join(dir, "kept"), "A2A_CONFORM=/nowhere"}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 3 {
		t.Fatalf("%s: %v, want exit 3\n%s\nin\n%s", shell, err, out, script)
	}
	text, _ := os.ReadFile(sent)
	return string(out) + string(text)
}

func TestScriptSendsTheBytes(t *testing.T) {
	for name, body := range map[string]string{
		"plain":         `{"jsonrpc":"2.0","id":1}`,
		"quotes":        `it's "so" \ 'quoted' \n \0 \\`,
		"shell":         "$(id) `id` $HOME ; rm -rf / & | > x < y * ? [a] {b,c} ~ ! # \\ %s %% %d",
		"file":          "@/etc/passwd",
		"option":        "--output=/tmp/x",
		"controls":      "a\x1b[31m\r\n\tb\x7f\u009b1'",
		"bidi":          "a\u202eb1'",
		"invalid UTF-8": "a\xff1\xc3",
		"NUL":           "-100% \\ a\x00b'\n\xff$HOME",
		"lines":         "{\n  \"a\": 1\n}\n",
	} {
		for _, shell := range []string{"sh", "bash"} {
			t.Run(name+" in "+shell, func(t *testing.T) {
				r, tr := reportstest.Failing(reportstest.Post(body, "200 OK", "application/json", "", 0))
				text := written(r, tr)
				out := performed(t, shell, text, "")
				if !strings.Contains(out, "BODY<"+body+">") {
					t.Errorf("the script sends %q, want %q\n%s", out, body, text)
				}
				if !strings.Contains(out, "ARG<http://127.0.0.1:9999/rpc>") || !strings.Contains(out, "ARG<Authorization: Bearer s3cret>") {
					t.Errorf("the script calls %q", out)
				}
			})
		}
	}
}

// Ids of ours are new in every repetition; an id that the server chose is read
// out of its answer.
func TestScriptIDs(t *testing.T) {
	first := reportstest.Post(`{"id":1,"params":{"messageId":"`+ours+`"}}`, "200 OK", "application/json",
		`{"id": 1, "result": {"id" : "task-4711", "contextId":"`+theirs+`", "x": {"id":"other, one"}}}`, 0)
	second := reportstest.Post(`{"id":2,"params":{"id":"task-4711","contextId":"`+theirs+`","again":"`+ours+`"}}`, "200 OK", "application/json", "{}", 20*reportstest.Millisecond)
	r, tr := reportstest.Failing(first, second)
	tr.Plays[0].Steps[1].Task = "task-4711"
	text := written(r, tr)
	out := performed(t, "sh", text, `{"id": 9, "result": {"id" : "new\$(id)", "contextId":"c`+theirs+`", "x": {"id":"other, one"}}}`)
	last := out[strings.LastIndex(out, "ARG<"):]
	if !strings.Contains(last, `{"id":2,"params":{"id":"new\$(id)","contextId":"c`+theirs+`","again":"`+ours[:24]) || strings.Contains(out, ours) {
		t.Errorf("the last call is %s\nin\n%s", last, text)
	}
}

// A request that was being answered when the next one was sent is repeated so.
func TestScriptOverlap(t *testing.T) {
	slow := reportstest.Post(`{"id":1}`, "200 OK", "application/json", "{}", 0)
	slow.End = 500 * reportstest.Millisecond
	r, tr := reportstest.Failing(slow, reportstest.Post(`{"id":2}`, "200 OK", "application/json", "{}", 100*reportstest.Millisecond))
	tr.Plays[0].Steps[1].Op = "cancel"
	text := string(written(r, tr))
	if !strings.Contains(text, "} &\n") || !strings.Contains(text, "\nwait\n") {
		t.Errorf("one waits for the other in\n%s", text)
	}
	out := performed(t, "sh", []byte(text), "")
	if !strings.Contains(out, `BODY<{"id":1}>`) || !strings.Contains(out, `BODY<{"id":2}>`) || !strings.Contains(out, "== the answer to 1:") {
		t.Errorf("got %s", out)
	}
}

// An id that the next call needs is awaited, if the server is slower than it was when it was recorded.
func TestScriptWaitsForAnID(t *testing.T) {
	slow := reportstest.Post(`{"id":1,"params":{"messageId":"`+ours+`"}}`, "200 OK", "application/json", `{"id": 1, "result": {"id" : "task-4711"}}`, 0)
	slow.End = 500 * reportstest.Millisecond
	r, tr := reportstest.Failing(slow, reportstest.Post(`{"id":2,"params":{"id":"task-4711"}}`, "200 OK", "application/json", "{}", 20*reportstest.Millisecond))
	tr.Plays[0].Steps[1].Op, tr.Plays[0].Steps[1].Task = "cancel", "task-4711"
	text := written(r, tr)
	late := "'; sleep 0.7; printf '%s' '" // the server answers after the time at which the second call was made
	if out := performed(t, "sh", text, late+`{"id": 9, "result": {"id" : "new"}}`); !strings.Contains(out, `{"id":2,"params":{"id":"new"}}`) {
		t.Errorf("got %s\nof\n%s", out, text)
	}
	if out := performed(t, "sh", text, late+`{"id": 9, "error": {}}`); !strings.Contains(out, `{"id":2,"params":{"id":""}}`) {
		t.Errorf("without an id, got %s\nof\n%s", out, text)
	}
}

// A stream that we left at once is left after a second, or before a slow task ends.
func TestScriptLeavesAStream(t *testing.T) {
	for _, c := range []struct {
		seconds, took float64
		want          string
	}{{0, 0.01, "0.06"}, {4, 0.01, "1.00"}, {0.4, 0.01, "0.20"}, {4, 2, "2.05"}} {
		left := reportstest.Post(`{"id":1}`, "200 OK", "text/event-stream", "data: {}\n\n", 0)
		left.End, left.Ended = record.Instant(c.took*float64(time.Second)), record.OurClose
		r, tr := reportstest.Failing(left, reportstest.Post(`{"id":2}`, "200 OK", "application/json", "{}", 5_000*reportstest.Millisecond))
		tr.Facts.Stimuli = map[string]operator.Stimulus{"slow": {Text: "work", Seconds: c.seconds}}
		if text := string(written(r, tr)); !strings.Contains(text, " --max-time "+c.want+" ") {
			t.Errorf("%+v: it is left at another time in\n%s", c, text)
		}
	}
}

// Nothing that a server or a name chose leaves its comment or its quotes.
func TestHostileScripts(t *testing.T) {
	for _, evil := range []string{"\n id >&2; exit 3 #", "\r\nexit 3", "'; exit 3; '", `"; exit 3; "`, "$(exit 3)", "`exit 3`", "\u2028exit 3", "\x00exit 3",
		"\nEND_OF_FILE\nid >&2; exit 3\n", "' > /dev/null; id; '", "%n%s$(id)", "##[error]$(id)", "::error::`id`"} {
		r, tr := reportstest.Hostile(evil)
		for i := range r.Results {
			text := buildScript(r, &r.Results[i], tr, nil)
			if text == nil {
				continue
			}
			out := performed(t, "sh", text, "")
			if strings.Contains(out, "uid=") || strings.Contains(string(text), "\nEND_OF_FILE\nid") {
				t.Errorf("%q was obeyed:\n%s", evil, text)
			}
			for l := range strings.Lines(string(text)) {
				if strings.HasPrefix(l, "exit 3") || strings.HasPrefix(l, " id >&2") {
					t.Errorf("%q has a line of its own:\n%s", evil, text)
				}
			}
		}
	}
}

// What a server answers is shown without what acts on a terminal or on a log, and its bytes
// are kept.
func TestScriptShowsHarmlessly(t *testing.T) {
	r, tr := reportstest.Failing(reportstest.Post("{}", "200 OK", "application/json", "", 0))
	out := performed(t, "sh", written(r, tr), "HTTP/1.1 200 OK\r\n\r\n\x1b]0;title\x07##[error]x\n::error::y\n\u009b31m")
	out, _, _ = strings.Cut(out, "ARG<")
	for _, evil := range []string{"\x1b", "\x07", "##[", "\n::", "\u009b"} {
		if strings.Contains(out, evil) {
			t.Errorf("%q is shown as it came:\n%q", evil, out)
		}
	}
	if !strings.Contains(out, "| ::error::y") {
		t.Errorf("the answer is not shown:\n%q", out)
	}
}

// Calls that curl cannot make are left to a2a-conform, and the script states the reason. Its configuration
// names credentials by the environment.
func TestScriptThatRuns(t *testing.T) {
	for name, change := range map[string]func(*record.Exchange){
		"too large to be written out": func(x *record.Exchange) { x.Request.Recipe = &record.Recipe{} },
		"a webhook":                   func(x *record.Exchange) { x.Dir = record.In },
		"gRPC": func(x *record.Exchange) {
			x.HTTP2 = &record.HTTP2{}
			x.Request.Head = []byte("POST / HTTP/2\r\nContent-Type: application/grpc\r\n\r\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := reportstest.Post("{}", "200 OK", "application/json", "", 0)
			change(x)
			r, tr := reportstest.Failing(x)
			tr.Facts.Target, tr.Facts.Dialect = "http://127.0.0.1:9999/'$(id)'", "a2a-1.0"
			text := string(written(r, tr))
			if strings.Contains(text, "curl -sS") || !strings.Contains(text, name) || !strings.Contains(text, "run \"$target\"") || !strings.Contains(text, `"bearer": "${A2A_TOKEN}"`) {
				t.Errorf("got\n%s", text)
			}
			if out := performed(t, "sh", []byte(text), ""); strings.Contains(out, "uid=") || !strings.Contains(out, "a2a-conform run") {
				t.Errorf("it says\n%s", out)
			}
		})
	}
}

func TestScriptCredentials(t *testing.T) {
	x := reportstest.Post(`{}`, "200 OK", "application/json", "", 0)
	x.Request.Head = []byte(strings.Replace(string(x.Request.Head), "Bearer ⟦secret:bearer⟧", "Basic ⟦secret:basic⟧", 1))
	r, tr := reportstest.Failing(x)
	text := written(r, tr)
	if out := performed(t, "sh", text, ""); !strings.Contains(out, "ARG<-u>ARG<me:secret>") {
		t.Errorf("the credentials are not passed: %s", out)
	}
	if other, tr := reportstest.Failing(reportstest.Post(`{"token":"⟦secret:webhook-credential⟧"}`, "200 OK", "application/json", "", 0)); !strings.Contains(
		performed(t, "sh", written(other, tr), ""), `BODY<{"token":"made-up-for-this-repetition"}>`) {
		t.Error("a secret that the run made up is asked for")
	}
	missing := strings.ReplaceAll(string(text), "A2A_BASIC", "A2A_NOT_THERE")
	cmd := exec.Command("sh", "-c", missing)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "A2A_NOT_THERE") {
		t.Errorf("a credential that is not set is not asked for: %v, %s", err, out)
	}
}

// If there is nothing to repeat, there is no script.
func TestNoScript(t *testing.T) {
	for name, change := range map[string]func(*report.Result, *record.Exchange){
		"a pass":           func(r *report.Result, _ *record.Exchange) { r.Verdict = report.Pass },
		"undecided":        func(r *report.Result, _ *record.Exchange) { r.Verdict = report.Inconclusive },
		"no evidence":      func(r *report.Result, _ *record.Exchange) { r.Evidence = nil },
		"a name of a path": func(r *report.Result, _ *record.Exchange) { r.ID = "../../ZZ99-ERR-001" },
	} {
		t.Run(name, func(t *testing.T) {
			x := reportstest.Post("{}", "200 OK", "application/json", "", 0)
			r, tr := reportstest.Failing(x)
			change(&r.Results[0], x)
			if text := written(r, tr); text != nil {
				t.Errorf("got\n%s", text)
			}
		})
	}
}

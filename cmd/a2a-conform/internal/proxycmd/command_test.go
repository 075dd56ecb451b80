package proxycmd

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// shared is what the command has of others.
func shared() Shared {
	return Shared{
		Register: func(*pflag.FlagSet, *conform.Judging) func(*conform.Judging) error {
			return func(*conform.Judging) error { return nil }
		},
		IsColored: func(io.Writer) bool { return false },
	}
}

// lines keeps what a command prints, and sends each write on.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if l.news != nil {
		l.news <- string(p)
	}
	return len(p), nil
}

// The authorities that a call to the server is verified by may be as many as those of a system.
func TestManyAuthorities(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	one := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, append(bytes.Repeat([]byte("# an authority\n"), schema.MaxFile/10), one...), 0o600); err != nil {
		t.Fatal(err)
	}
	f := flags{ca: file}
	secure, err := f.upstreamTLS()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Certificate().Verify(x509.VerifyOptions{Roots: secure.RootCAs}); err != nil {
		t.Errorf("the authority at the end of the file is not trusted: %v", err)
	}
}

// Mistakes in the command line are refused before anything listens, in words that help.
func TestMistakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"":                       "needs the URL of the server",
		"--upstream localhost:1": "is no URL of a server",
		"--upstream http://h --listen a --listen b": "more addresses to listen at than servers",
		"--upstream http://h --tls-cert x":          "belong together",
		"--upstream http://h --host client":         "is not one of upstream, keep",
		"--upstream http://h --rewrite all":         "is not one of cards, none",
		"--upstream http://h --side left":           "is not one of both, server, client",
		"--upstream http://h --sample 3":            "write it like 1/100",
		"--upstream http://h --sample 1/0":          "write it like 1/100",
		"--upstream http://h --hold -1s":            "is before now",
		"--upstream http://h --env NAME":            "there is none",
		"--upstream http://h --dialect a2b":         "a2b",
		"--upstream http://h --ca " + file:          "no certificate in PEM form",
		"--upstream http://h --page 0.0.0.0:0":      "not an address of this machine alone",
	} {
		cmd := Command(shared())
		cmd.SetArgs(strings.Fields(args))
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		if err := cmd.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}

// With --watch, what passed is judged while the proxy runs, and a line is printed if the verdicts change.
func TestWatch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	defer server.Close()
	times := 0
	judge := func(r traffic.Recording, _ bool, side conform.TrafficSide, _ conform.Judging) (*conform.TrafficOutcome, error) {
		if len(r.Passed) == 0 {
			return nil, conform.ErrNoTraffic
		}
		times++
		if side != conform.ServerSide || r.Source != "proxy" || !r.Cut || len(r.Passed) != 1 {
			t.Errorf("judged is %+v, of %s", r, side)
		}
		rep := &report.Report{Verdict: report.Nonconformant, Results: []report.Result{{ID: "X-001", Verdict: report.Fail}, {ID: "X-002", Verdict: report.Pass}}}
		return &conform.TrafficOutcome{Server: &conform.Outcome{Report: rep}}, nil
	}
	cmd := newCommand(shared(), time.Millisecond, judge)
	errs := &lines{news: make(chan string, 100)}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	cmd.SetArgs([]string{"--upstream", server.URL, "--watch", "--side", "server", "--quiet", "--page", "127.0.0.1:0"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(io.Discard)
	cmd.SetErr(errs)
	ended := make(chan error, 1)
	go func() { ended <- cmd.ExecuteContext(ctx) }()
	address, page := "", ""
	for {
		select {
		case line := <-errs.news:
			if m := regexp.MustCompile(`Calls to (\S+)`).FindStringSubmatch(line); m != nil {
				address = m[1]
			}
			if m := regexp.MustCompile(`metrics: (\S+)metrics`).FindStringSubmatch(line); m != nil {
				page = m[1]
			}
			if strings.Contains(line, "Ctrl-C") {
				answer, err := http.Get(address)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
			}
			if !strings.Contains(line, "server: 1 fail, 1 pass, 0 undecided") {
				continue
			}
		case <-time.After(20 * time.Second):
			t.Fatal("nothing was judged")
		}
		break
	}
	answer, err := http.Get(page + "metrics")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if !strings.Contains(string(text), `a2a_conform_proxy_requirements{side="server",verdict="fail"} 1`) {
		t.Errorf("the metrics are %s", text)
	}
	stop()
	var code cli.ExitCode
	if err := <-ended; !errors.As(err, &code) || code != 1 || times < 2 {
		t.Errorf("it ended with %v, and judged %d times", err, times)
	}
}

// A signed card is left as it is, and the run states that clients bypass the proxy. Where nothing passed, there is no result.
func TestBypassAndVoid(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"name":"A","supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"signatures":[{"protected":"e30","signature":"AA"}]}`, server.Listener.Addr())
	})
	server.Start()
	defer server.Close()
	for _, c := range []struct{ script, prints, warns string }{
		{"true", "nothing passed the proxy", ""},
		{`exec curl -s -o /dev/null "$A2A_CONFORM_URL/.well-known/agent-card.json"`, "NO RESULT: only the card passed", "bypass the proxy"},
	} {
		cmd := Command(shared())
		out, errs := &lines{}, &lines{}
		cmd.SetArgs([]string{"--upstream", server.URL, "--dialect", "a2a-1.0", "--", "sh", "-c", c.script})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(out)
		cmd.SetErr(errs)
		err := cmd.ExecuteContext(t.Context())
		var code cli.ExitCode
		if !errors.As(err, &code) || code != void || !strings.Contains(out.text.String(), c.prints) || !strings.Contains(errs.text.String(), c.warns) {
			t.Errorf("%s: %v\n%s%s", c.script, err, &out.text, &errs.text)
		}
	}
}

// With --hold, only the threads in which something failed are written; nothing is if nothing failed.
func TestHoldWritesWhatFailed(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text, _ := io.ReadAll(r.Body)
		switch {
		case r.URL.Path != "/rpc":
			fmt.Fprintf(w, `{"name":"A","description":"d","version":"1","defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"capabilities":{},"skills":[{"id":"s","name":"s","description":"d","tags":["t"]}],"supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, server.Listener.Addr())
		case strings.Contains(string(text), "broken"):
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"task-broken","contextId":"context-b","status":{"state":"FINISHED"}}}}`)
		default:
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"task-sound","contextId":"context-s","status":{"state":"TASK_STATE_COMPLETED"}}}}`)
		}
	})
	server.Start()
	defer server.Close()
	send := func(text string) string {
		return `curl -s -o /dev/null -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-` + text + `","role":"ROLE_USER","parts":[{"text":"` + text + `"}]}}}' "$A2A_CONFORM_URL/rpc"` + "\n"
	}
	for _, c := range []struct {
		script     string
		code       int
		has, lacks string // of the transcript that is written
	}{
		{send("sound") + send("broken"), 1, "task-broken", "task-sound"},
		{send("sound"), 0, "", ""},
	} {
		dir := filepath.Join(t.TempDir(), "reports")
		cmd := Command(shared())
		out, errs := &lines{}, &lines{}
		cmd.SetArgs([]string{"--upstream", server.URL, "--dialect", "a2a-1.0", "--side", "server", "--hold", "1h", "--bodies", "--out", dir, "--", "sh", "-c", c.script})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(out)
		cmd.SetErr(errs)
		err := cmd.ExecuteContext(t.Context())
		var code cli.ExitCode
		if errors.As(err, &code); int(code) != c.code {
			t.Errorf("%s: %v\n%s%s", c.script, err, &out.text, &errs.text)
		}
		if c.has == "" && strings.Contains(out.text.String(), files.HTMLFile) {
			t.Errorf("%s: a page is named, and none is written:\n%s", c.script, &out.text)
		}
		var written []byte
		filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				text, _ := os.ReadFile(path)
				written = append(written, text...)
			}
			return nil
		})
		if c.has == "" && len(written) > 0 || c.has != "" && (!bytes.Contains(written, []byte(c.has)) || bytes.Contains(written, []byte(c.lacks))) {
			t.Errorf("%s: written are %d bytes, with %s: %v, with %s: %v", c.script, len(written), c.has, bytes.Contains(written, []byte(c.has)), c.lacks, bytes.Contains(written, []byte(c.lacks)))
		}
	}
}

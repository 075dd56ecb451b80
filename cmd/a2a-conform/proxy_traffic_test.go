package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/hostile"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// proxyProcess is the command proxy in a process of its own.
type proxyProcess struct {
	*child
	lines *lineBuffer
}

// lineBuffer keeps what a process prints, and has it be waited for.
type lineBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func (b *lineBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.news != nil {
		close(b.news)
	}
	b.news = make(chan struct{})
	return b.text.Write(p)
}

// await waits for what an expression matches, and returns it.
func (b *lineBuffer) await(t *testing.T, of *regexp.Regexp) string {
	t.Helper()
	late := time.After(waiting)
	for {
		b.mu.Lock()
		if b.news == nil {
			b.news = make(chan struct{})
		}
		found, news := of.FindStringSubmatch(b.text.String()), b.news
		b.mu.Unlock()
		if found != nil {
			return found[1]
		}
		select {
		case <-news:
		case <-late:
			t.Fatalf("%s was not printed in time", of)
		}
	}
}

var callsTo = regexp.MustCompile(`Calls to (\S+) pass on`)

// startProxyProcess starts the proxy, and returns it with the address at which it takes calls.
func startProxyProcess(t *testing.T, args ...string) (p *proxyProcess, url string) {
	t.Helper()
	p = &proxyProcess{newChild(t, append([]string{"proxy"}, args...)...), &lineBuffer{}}
	p.Stderr = io.MultiWriter(&p.Errors, p.lines)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	return p, p.lines.await(t, callsTo)
}

// end interrupts the proxy, and demands that it ends in order and in time.
func (p *proxyProcess) end(t *testing.T) (code int) {
	t.Helper()
	p.Process.Signal(os.Interrupt)
	guard := time.AfterFunc(endless, func() { p.Process.Kill() })
	p.Wait() // how it ended is in its state
	if !guard.Stop() {
		t.Error("it did not end")
	}
	after := p.Check(t)
	t.Logf("at its peak, the proxy held %d MiB", after.Peak>>20)
	return p.ProcessState.ExitCode()
}

// The proxy lasts as long as a command, which learns its address, and both sides are judged.
func TestProxyWithCommand(t *testing.T) {
	t.Parallel()
	server, err := reference.Start(context.Background(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	for _, c := range []struct {
		name    string
		flags   []string
		command []string
		code    int
		prints  string
	}{
		{"the client", []string{"--out", "reports"}, []string{os.Args[0], "reference-client", "--variant", "streaming", "{url}", "hello", "more"}, 0, "PARTIAL"},
		{"the server's side", []string{"--side", "server", "--quiet"}, []string{os.Args[0], "reference-client", "{url}", "hello"}, 0, "partial: "},
		{"a gate that asks for more", []string{"--gate", "conformant"}, []string{os.Args[0], "reference-client", "{url}", "hello"}, 3, "PARTIAL"},
		{"a faulty client", nil, []string{os.Args[0], "reference-client", "--mutant", "message-id-missing", "{url}", "hello"}, 1, "A2A10-CL-MSG-001"},
		{"the code of the command", nil, []string{"sh", "-c", `test -n "$A2A_CONFORM_URL" && test "$A2A_CONFORM_URL" = "$AGENT_URL" && exit 7`}, 7, "NO RESULT: nothing passed"},
		{"nothing passes", nil, []string{"true"}, 2, "NO RESULT: nothing passed"},
		{"a command that is not there", nil, []string{"/no/such/program"}, 2, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"proxy", "--upstream", server.URL(), "--env", "AGENT_URL"}, c.flags...)
			run := newChild(t, append(append(args, "--"), c.command...)...)
			left, _ := os.ReadDir(run.Dir)
			run.Run() // how it ended is in its state
			run.Check(t)
			if code := run.ProcessState.ExitCode(); code != c.code && !(c.name == "a faulty client" && code != 0) || !strings.Contains(run.Printed.String()+run.Errors.String(), c.prints) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, c.code, c.prints, &run.Printed, &run.Errors)
			}
			written, _ := os.ReadDir(run.Dir)
			if !slices.Contains(c.flags, "--out") {
				if len(written) != len(left) {
					t.Errorf("%d files were written without --out", len(written))
				}
				if strings.Contains(run.Printed.String(), files.HTMLFile) {
					t.Errorf("a page is named without --out:\n%s", &run.Printed)
				}
				return
			}
			for _, side := range []string{"server", "client"} {
				var r report.Report
				text, err := os.ReadFile(filepath.Join(run.Dir, "reports", side, files.JSONFile))
				if err == nil {
					err = json.Unmarshal(text, &r)
				}
				if err != nil || r.Verdict != report.Partial {
					t.Errorf("the report on the %s is %s, %v", side, r.Verdict, err)
				}
			}
		})
	}
}

// networkClients are the hostile clients that act on the proxy itself, and not on who starts them.
var networkClients = []string{"a flood of requests", "10,000 connections", "a body of 1 GB", "a slow drip", "deep JSON", "smuggled requests"}

// A client that means harm costs the proxy little memory and time.
func TestHostileClientsOfProxy(t *testing.T) {
	t.Parallel()
	server, err := reference.Start(context.Background(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	for _, name := range networkClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, url := startProxyProcess(t, "--upstream", server.URL(), "--quiet")
			harm := exec.Command(os.Args[0], hostileClientWord, name, url)
			if err := harm.Start(); err != nil {
				t.Fatal(err)
			}
			guard := time.AfterFunc(10*time.Second, func() { harm.Process.Kill() })
			harm.Wait() // it is ended after a while
			guard.Stop()
			answer, err := http.Get(url + "/.well-known/agent-card.json")
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("afterwards, another client gets %v, %v", answer, err)
			}
			if err == nil {
				answer.Body.Close()
			}
			p.end(t)
			if strings.Contains(p.Printed.String()+p.Errors.String(), "\x1b[31m") {
				t.Error("a sequence of the client reached the terminal")
			}
		})
	}
}

// A server that means harm costs the proxy little memory and time, and hangs nobody who does not wait.
func TestHostileServersBehindProxy(t *testing.T) {
	t.Parallel()
	slots := make(testSlots, 4)
	for _, s := range hostile.Servers() {
		if testamount.LeavesOut(s.Lead) {
			continue
		}
		slots.runSubtest(t, s.Name, func(t *testing.T) {
			server, err := s.Start()
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			p, url := startProxyProcess(t, "--upstream", server.URL, "--insecure", "--quiet")
			callThrough(url)
			code := p.end(t)
			if code != 0 && code != 1 && code != 2 {
				t.Errorf("exit %d: %.500s%.500s", code, p.Printed.String(), p.Errors.String())
			}
		})
	}
}

// callThrough makes the calls of a usual client, which waits a moment for each and reads no more than it can use.
func callThrough(url string) {
	for _, second := range []bool{false, true} {
		tr := &http.Transport{Protocols: new(http.Protocols), TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}}
		tr.Protocols.SetHTTP1(!second)
		tr.Protocols.SetUnencryptedHTTP2(second)
		c := &http.Client{Transport: tr, Timeout: 1500 * time.Millisecond, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		for _, call := range []struct{ path, body string }{
			{"/.well-known/agent.json", ""}, {"/.well-known/agent-card.json", ""}, {"/", `{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"t","message":{"role":"user","parts":[{"type":"text","text":"hello"}]}}}`},
			{"/", `{"jsonrpc":"2.0","id":2,"method":"tasks/sendSubscribe","params":{"id":"u","message":{"role":"user","parts":[{"type":"text","text":"hello"}]}}}`},
			{"/", `{"jsonrpc":"2.0","id":2,"method":"message/stream","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hello"}]}}}`},
		} {
			method := http.MethodPost
			if call.body == "" {
				method = http.MethodGet
			}
			r, err := http.NewRequest(method, url+call.path, strings.NewReader(call.body))
			if err != nil {
				continue
			}
			r.Header.Set("Content-Type", "application/json")
			if answer, err := c.Do(r); err == nil {
				io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<20))
				answer.Body.Close()
			}
		}
		tr.CloseIdleConnections()
	}
}

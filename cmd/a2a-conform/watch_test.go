package main

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
)

// conversation is a command that is typed to, and what it answers.
type conversation struct {
	t    *testing.T
	cmd  *child
	keys io.WriteCloser
	said chan string
}

func converse(t *testing.T, c *child) *conversation {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w := io.Pipe()
	c.Stdout, c.Stderr = w, w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); w.Close() })
	k := &conversation{t: t, cmd: c, keys: in, said: make(chan string)}
	go func() {
		defer close(k.said)
		for s := bufio.NewScanner(out); s.Scan(); {
			k.said <- s.Text()
		}
	}()
	return k
}

// until waits for a line that holds a text, and returns all that was said up to it.
func (k *conversation) until(text string) string {
	k.t.Helper()
	var b strings.Builder
	for end := time.After(time.Minute); ; {
		select {
		case line, ok := <-k.said:
			if !ok {
				k.t.Fatalf("it ended before it said %q:\n%s", text, b.String())
			}
			b.WriteString(line + "\n")
			if strings.Contains(line, text) {
				return b.String()
			}
		case <-end:
			k.t.Fatalf("it did not say %q:\n%s", text, b.String())
		}
	}
}

// With --watch a server is judged again when Enter is pressed and when a file changes, and what
// changed is told; the last verdict is the exit code.
func TestWatch(t *testing.T) {
	t.Parallel()
	serve := func(addr, mutant string) *reference.Server {
		t.Helper()
		server, err := reference.Start(t.Context(), reference.Options{Dialect: "directory-0.1", Addr: addr, Mutant: mutant})
		if err != nil {
			t.Fatal(err)
		}
		return server
	}
	addr := testprocess.HoldAddress(t)
	server := serve(addr, "")
	c := newChild(t, "run", server.URL(), "--dialect", "directory-0.1", "--watch", "src", "--stimuli", "plain")
	deep := filepath.Join(c.Dir, "src", "deep")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	k := converse(t, c)
	k.until("watching src; Enter judges again, q ends")

	// A file in a folder that was there, and one in a folder that is new.
	server.Close()
	server = serve(addr, "register-missing")
	if err := os.WriteFile(filepath.Join(deep, "agent.go"), []byte("package agent"), 0o644); err != nil {
		t.Fatal(err)
	}
	k.until("changed: ")
	if out := k.until("watching src"); !strings.Contains(out, "Broken (") || !strings.Contains(out, "nonconformant: ") || !strings.Contains(out, "(regression)") {
		t.Errorf("a defect is told so:\n%s", out)
	}
	server.Close()
	server = serve(addr, "")
	defer server.Close()
	if _, err := io.WriteString(k.keys, "\n"); err != nil {
		t.Fatal(err)
	}
	if out := k.until("watching src"); !strings.Contains(out, "Fixed (") {
		t.Errorf("what is mended is told so:\n%s", out)
	}
	newer := filepath.Join(c.Dir, "src", "new")
	if err := os.Mkdir(newer, 0o755); err != nil {
		t.Fatal(err)
	}
	k.until("changed: ")
	k.until("watching src")
	if err := os.WriteFile(filepath.Join(newer, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	k.until("changed: ")
	if out := k.until("watching src"); !strings.Contains(out, "no changes") {
		t.Errorf("the same again is told so:\n%s", out)
	}
	if _, err := io.WriteString(k.keys, "q\n"); err != nil {
		t.Fatal(err)
	}
	k.keys.Close() // who waits for keys waits for them in vain
	if _ = c.Wait(); c.ProcessState.ExitCode() != 0 {
		t.Errorf("it ended with %v", c.ProcessState)
	}
}

// At the end of the input --watch ends, also if it found a configuration file by itself and watches
// it: only a path that somebody named keeps it going.
func TestWatchEndsWithItsInput(t *testing.T) {
	t.Parallel()
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "directory-0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c := newChild(t, "run", "--watch", "--stimuli", "plain")
	if err := os.WriteFile(filepath.Join(c.Dir, usualConfig), []byte("target: "+server.URL()+"\ndialect: directory-0.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Run(); err != nil || !strings.Contains(c.Errors.String(), "watching "+usualConfig) {
		t.Errorf("it ended with %v:\n%s", err, c.Errors.String())
	}
}

func TestWatchMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"two targets":      {[]string{"http://127.0.0.1:1", "srcc"}, "srcc"},
		"another format":   {[]string{"--self", "--format", "json"}, "--format json"},
		"a plan":           {[]string{"--self", "--plan"}, "--plan"},
		"a value":          {[]string{"--self", "--watch=src"}, "--watch src"},
		"no server":        {[]string{"."}, "name the server's URL too"},
		"its own baseline": {[]string{"--self", "--gate", "baseline=a2a-report/report.json"}, "copy it elsewhere"},
		"several dialects": {[]string{"--self", "--dialect", "a2a-0.1,a2a-0.3"}, "one dialect"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, errs := command(t, append([]string{"run", "--watch"}, c.args...)...)
			if code != 2 || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d, %q, want %q", code, errs, c.want)
			}
		})
	}
}

// --open starts the user's browser with the page, and where there is none says so; the verdict
// is the same.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, dialects := range map[string]string{"report.html": "directory-0.1", "index.html": "core-schema,directory-0.1"} {
		t.Run(name, func(t *testing.T) {
			path := t.TempDir()
			opened := filepath.Join(path, "opened")
			script := "#!/bin/sh\nprintf %s \"$1\" >'" + opened + "'\n"
			for _, program := range []string{"xdg-open", "open"} {
				if err := os.WriteFile(filepath.Join(path, program), []byte(script), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", path+":/usr/bin:/bin")
			if code, _, errs := command(t, "run", "--self", "--dialect", dialects, "--quiet", "--open"); code != 0 {
				t.Fatalf("exit code %d: %s", code, errs)
			}
			if got, err := os.ReadFile(opened); err != nil || !strings.HasSuffix(string(got), "/a2a-report/"+name) {
				t.Errorf("opened %q, %v", got, err)
			}
			t.Setenv("PATH", "")
			if code, _, errs := command(t, "run", "--self", "--dialect", dialects, "--quiet", "--open"); code != 0 || !strings.Contains(errs, filepath.Join("a2a-report", name)) {
				t.Errorf("without a browser: exit code %d, %s", code, errs)
			}
		})
	}
}

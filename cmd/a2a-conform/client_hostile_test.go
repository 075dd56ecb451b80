package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// hostileClientWord as the first argument makes the test program a client of one hostile kind, which
// the second argument names.
const hostileClientWord = "hostile-client"

// hostileClients are clients that mean harm, by name. Each is given the base URL of the agent.
var hostileClients = map[string]func(base string){
	"a flood of requests": func(base string) {
		for range 20_000 {
			if _, err := http.Get(base + "/x"); err != nil {
				return
			}
		}
	},
	"10,000 connections": func(base string) {
		var work sync.WaitGroup
		for range 100 {
			work.Go(func() {
				for range 100 {
					if c, err := net.Dial("tcp", hostOf(base)); err == nil {
						fmt.Fprintf(c, "GET /x HTTP/1.1\r\nHost: h\r\n")
						defer c.Close()
					}
				}
			})
		}
		work.Wait()
	},
	"a body of 1 GB": func(base string) {
		zeros := bytes.NewReader(bytes.Repeat([]byte("0"), 1<<20))
		repeat := &repeatedReader{zeros, 1 << 30}
		http.Post(base+"/agent/rpc", "application/json", repeat)
	},
	"a slow drip": func(base string) {
		c, err := net.Dial("tcp", hostOf(base))
		if err != nil {
			return
		}
		for {
			if _, err := io.WriteString(c, "P"); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	},
	"deep JSON": func(base string) {
		http.Post(base+"/agent/rpc", "application/json", strings.NewReader(strings.Repeat(`[{"a":`, 1<<20)))
	},
	"smuggled requests": func(base string) {
		c, err := net.Dial("tcp", hostOf(base))
		if err != nil {
			return
		}
		io.WriteString(c, "POST /agent/rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /<script>alert(1)</script> HTTP/1.1\r\nHost: h\r\nX: \x1b[31m\r\n\r\n")
		io.Copy(io.Discard, c)
	},
	"an output of 1 GB": func(string) {
		line := bytes.Repeat([]byte("<script>alert(1)</script>\x1b[31m "), 1<<15)
		for range 1 << 10 {
			if _, err := os.Stdout.Write(line); err != nil {
				return
			}
		}
	},
	"children that stay": func(string) {
		for range 20 {
			exec.Command("sleep", "600").Start()
		}
	},
}

func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}

// repeatedReader reads a text over and over, up to a length.
type repeatedReader struct {
	of   *bytes.Reader
	left int
}

func (r *repeatedReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n, err := r.of.Read(p)
	if err == io.EOF {
		r.of.Seek(0, io.SeekStart)
		n, err = r.of.Read(p)
	}
	r.left -= n
	return n, err
}

// A client that means harm costs little memory and time, and what it sends does nothing to whoever
// reads the reports.
func TestHostileClients(t *testing.T) {
	t.Parallel()
	for name := range hostileClients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := newChild(t, "client", "--scenario", "hello", "--patience", "4s", "--", os.Args[0], hostileClientWord, name, "{url}")
			guard := time.AfterFunc(time.Minute, func() { run.Process.Kill() })
			run.Run()
			guard.Stop()
			after := run.Check(t)
			if after.Peak > 256<<20 {
				t.Errorf("it took %d MiB", after.Peak>>20)
			}
			// Nothing came that a client of the protocol sends, whichever of these it is called.
			if code := run.ProcessState.ExitCode(); code != 1 && code != 2 && code != 4 {
				t.Errorf("exit %d: %.500s%.500s", code, run.Printed.String(), run.Errors.String())
			}
			silent(t, run)
			page, err := os.ReadFile(filepath.Join(run.Dir, "a2a-client-report", "report.html"))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(page, []byte("<script>alert(1)")) {
				t.Error("the page has a script of the client")
			}
			if strings.Contains(run.Printed.String()+run.Errors.String()+string(page), "\x1b[31m") {
				t.Error("a sequence of the client reached the terminal or the page")
			}
			if name == "children that stay" {
				if left, _ := exec.Command("pgrep", "-f", "sleep 600").Output(); len(bytes.TrimSpace(left)) > 0 {
					t.Errorf("children of the client are still there: %s", left)
				}
			}
		})
	}
}

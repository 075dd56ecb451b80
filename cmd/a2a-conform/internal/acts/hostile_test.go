package acts

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// answerID is the beginning of a response to a call whose id does not matter.
const answerID = `{"jsonrpc":"2.0","id":"x","result":`

// hostileAnswers are what a server answers to each call, in ways that cost whoever reads it without bounds.
var hostileAnswers = map[string]func(w http.ResponseWriter, r *http.Request){
	"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"an endless body": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answerID+`"`)
		for block := strings.Repeat("x", 64<<10); r.Context().Err() == nil; {
			if _, err := io.WriteString(w, block); err != nil {
				return
			}
		}
	},
	"endless events": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "data: "+answerID+`{"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}}}`+"\n\n"); err != nil {
				return
			}
		}
	},
	"a deep value": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answerID+strings.Repeat(`{"task":`, 200_000)+"1"+strings.Repeat("}", 200_000)+"}")
	},
	"a list of a million tasks": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answerID+`{"tasks":[`+strings.Repeat(`{"id":"a"},`, 1_000_000)+`{"id":"a"}]}}`)
	},
	"commands in texts": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, answerID+`{"task":{"id":"\u001b[2J\n::error::x</script><script>alert(1)</script>","status":{"state":"\u001b]0;x\u0007\n::set-output name=a::b"}}}}`)
	},
}

// TestHostileServersAreBounded: whatever answers the calls of the corpus, the run ends, its memory and its files are bounded, and
// nothing that the server wrote acts on a terminal, in a log or on the page.
func TestHostileServersAreBounded(t *testing.T) {
	const deadline = 3 * time.Second
	for name, answer := range hostileAnswers {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits most of the time
			var server *httptest.Server
			server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/.well-known/") {
					io.Copy(io.Discard, r.Body) // a server notices that its client is gone once it has read the call
					answer(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"name":"Trap","description":"d","version":"1","supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"s","description":"d","tags":["t"]}]}`, server.URL)
			}))
			defer server.Close()
			defer server.CloseClientConnections()
			dir, began := t.TempDir(), time.Now()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			code, out := runCommandFor(t, deadline, "", "corpus", server.URL, "--transport", "jsonrpc", "--out", dir)
			runtime.ReadMemStats(&after)
			if took := time.Since(began); took > deadline+20*time.Second {
				t.Errorf("the run took %v", took)
			}
			if code != 1 && code != 3 && code != 4 {
				t.Errorf("got %d:\n%s", code, out)
			}
			if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 2<<30 { // of all that go on at the same time
				t.Errorf("the heap has grown by %d MB", grown>>20)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if len(text) > 200<<20 {
					t.Errorf("%s has %d MB", filepath.Base(file), len(text)>>20)
				}
				if filepath.Base(file) == "report.html" && strings.Contains(string(text), "<script>alert(1)") {
					t.Errorf("a script of the server is on the page")
				}
			}
			if strings.ContainsAny(out, "\x1b\x07") || strings.Contains("\n"+out, "\n::") {
				t.Errorf("the output acts: %q", out)
			}
		})
	}
}

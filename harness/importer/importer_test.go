package importer

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

var update = flag.Bool("update", false, "write the golden files anew")

// readFile reads one file of testdata.
func readFile(t *testing.T, name string) traffic.Recording {
	t.Helper()
	r := NewReader()
	if err := r.Add(name, func() (io.ReadCloser, error) { return os.Open(filepath.Join("testdata", name)) }); err != nil {
		t.Fatal(err)
	}
	return r.Recording()
}

// openText returns what opens a file with a text.
func openText(text string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// describeRecording writes everything of a recording that is judged.
func describeRecording(r traffic.Recording) string {
	var b strings.Builder
	fmt.Fprintf(&b, "source %s, target %q, started %s, dropped %d\n", r.Source, r.Target, r.Started.UTC().Format("2006-01-02T15:04:05.000"), r.Dropped)
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, p := range r.Passed {
		x := p.Out
		fmt.Fprintf(&b, "\n%s %v-%v, connection %d, %s %s\ngaps %+v\n", x.URL, x.Start, x.End, p.Connection, x.Ended, x.Trouble, *x.Gaps)
		for _, m := range []*record.Message{&x.Request, &x.Response} {
			fmt.Fprintf(&b, "%q\n%q\n%v %+v\n", m.Head, m.Body, m.Chunks, m.Framing)
		}
	}
	return b.String()
}

// Each program leaves out other things, and what it leaves out is marked.
func TestRecordingsOfOthers(t *testing.T) {
	for _, name := range []string{"chrome.har", "firefox.har", "playwright.har", "mitmproxy.har", "curl-hex.txt", "curl-ascii.txt", "curl-ascii-stream.txt"} {
		t.Run(name, func(t *testing.T) {
			got := describeRecording(readFile(t, name))
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// The files of one test suite are put together by their dates.
func TestSeveralFiles(t *testing.T) {
	r := NewReader()
	for _, name := range []string{"mitmproxy.har", "chrome.har"} {
		if err := r.Add(name, func() (io.ReadCloser, error) { return os.Open(filepath.Join("testdata", name)) }); err != nil {
			t.Fatal(err)
		}
	}
	got := r.Recording()
	if len(got.Passed) != 6 || got.Source != "several programs" {
		t.Fatalf("got %d exchanges of %s, want 6 of several programs", len(got.Passed), got.Source)
	}
	last := record.Instant(0)
	for i, p := range got.Passed {
		if p.Out.Start < last {
			t.Errorf("exchange %d begins at %v, after one that begins at %v", i, p.Out.Start, last)
		}
		last = p.Out.Start
		for _, c := range p.Out.Response.Chunks {
			if c.At < p.Out.Start || c.At > p.Out.End {
				t.Errorf("exchange %d of %v to %v has a chunk at %v", i, p.Out.Start, p.Out.End, c.At)
			}
		}
	}
	if first := got.Passed[0].Out; first.Start != 0 || !first.Gaps.Fields {
		t.Errorf("got the first exchange at %v with %+v, want that of the browser at 0", first.Start, *first.Gaps)
	}
}

// What cannot be read is refused by what is wrong with it.
func TestUnreadableFiles(t *testing.T) {
	entry := `{"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"GET","url":"http://a/"}}`
	for text, want := range map[string]string{
		"":                                    "it is empty",
		"GET / HTTP/1.1":                      ErrUnknownFormat.Error(),
		`{"log":{}}`:                          "log.entries is empty or absent",
		`{"log":{"entries":{}}}`:              "log.entries is empty or absent",
		`{"log":{"entries":[3]}}`:             "log.entries[0] cannot be read",
		`{"log":{"entries":[` + entry:         "it ends too early",
		`{"log":{"entries":[{}]}}`:            `log.entries[0].startedDateTime is "" and no date`,
		`{"log":{"entries":[]}} {}`:           "something follows its end",
		"== Info: Trying 1\n== Info: gave up": "the trace of curl has no request",
		"=> Send header, 3 bytes (0x3)\nzz":   "line 2 is no line of a trace of curl",
		`{"log":{"entries":[` + strings.Replace(entry, "GET", "G T", 1) + `]}}`:     "log.entries[0].request.method is no method of HTTP",
		`{"log":{"entries":[` + strings.Replace(entry, "http://a/", "%", 1) + `]}}`: "log.entries[0].request.url is no URL",
		`{"log":{"entries":[` + strings.Replace(entry, "2026", "9999", 1) + `]}}`:   ".startedDateTime is in the year 9999",
		`{"log":{"creator":{"name":"a2a-conform"},"entries":[` + entry + `]}}`:      "not a transcript of a2a-conform",
	} {
		err := NewReader().Add("f", openText(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

// An exchange without a response shows nothing about the server.
func TestNoResponse(t *testing.T) {
	got := readFile(t, "chrome.har").Passed[3].Out
	if got.Ended != record.Aborted || got.Answered() {
		t.Errorf("got %s, answered %v; want aborted", got.Ended, got.Answered())
	}
}

// Whatever a file has, its reading ends with exchanges that are consistent, or with an error.
func FuzzImport(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil && !strings.HasSuffix(name, ".golden") {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewReader()
		if r.Add("f", openText(string(text))) != nil {
			return
		}
		for _, p := range r.Recording().Passed {
			if p.Out == nil || p.In == nil {
				t.Fatal("an exchange has one side")
			}
			for _, m := range []*record.Message{&p.Out.Request, &p.Out.Response} {
				n := 0
				for _, c := range m.Chunks {
					n += c.N
				}
				if n != 0 && n != len(m.Body) {
					t.Fatalf("chunks of %d bytes for a body of %d", n, len(m.Body))
				}
			}
		}
	})
}

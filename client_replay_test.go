package conform_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// clientTranscript is a run of a client that sends one message, with these parameters.
func clientTranscript(params string) *record.Transcript {
	const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	request := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + params + `}`
	x := &record.Exchange{Dir: record.In, Ended: record.EOF, Conn: 1, URL: "http://127.0.0.1:9/", Start: 1, End: 2,
		Request: record.Message{Head: []byte("POST / HTTP/1.1\r\nHost: 127.0.0.1:9\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n\r\n"), Body: []byte(request),
			Framing: record.Framing{Kind: "length", Declared: int64(len(request)), Received: int64(len(request))}},
		Response: record.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(answer),
			Framing: record.Framing{Kind: "close", Declared: -1, Received: int64(len(answer))}}}
	run := &record.ClientRun{Command: []string{"mine", "http://127.0.0.1:9/", "hello"}, Text: "hello", Started: 1, Ended: 3}
	t := &record.Transcript{Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: time.Second, Facts: record.Facts{Dialect: "a2a-1.0", Kind: "url", Role: record.ClientRole, Target: "mine {url} {text}", Gate: "conformant",
		Command: []string{"mine", "{url}", "{text}"}, Calibration: &record.Calibration{Works: true, Exits: true, Bindings: []string{"JSONRPC"}}},
		Plays: []record.Play{{Scenario: "hello", Attempt: 1, Client: run, Steps: []record.Step{{Name: "send", Op: "send", Role: record.Main, Binding: "JSONRPC", Exchange: x}}}}}
	t.Seal()
	return t
}

// A transcript of a client is judged by the requirements on clients, and no file of its report says
// of a server what is meant of the client.
func TestReplayOfAClient(t *testing.T) {
	broken := clientTranscript(`{"message":{"role":"ROLE_AGENT","parts":[]}}`)
	void := clientTranscript(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`)
	void.Facts.Calibration = &record.Calibration{}
	void.Plays[0].Client.Stderr = "no such flag: --url"
	silent := clientTranscript("{}")
	silent.Plays[0].Steps, silent.Exchanges = nil, nil
	for _, c := range []struct {
		name   string
		of     *record.Transcript
		want   report.RunVerdict
		reason string
	}{
		{"broken", broken, report.Nonconformant, "the client breaks 3 of "},
		{"partial", clientTranscript(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`), report.Partial, "no MUST requirement on clients is broken, but "},
		{"void", void, report.Void, "no such flag: --url"},
		{"silent", silent, report.Unreachable, "the client sent no request in the whole run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var har bytes.Buffer
			if err := record.WriteHAR(&har, c.of); err != nil {
				t.Fatal(err)
			}
			o, err := conform.Replay(&har)
			if err != nil {
				t.Fatal(err)
			}
			if got := o.Report; got.Verdict != c.want || !bytes.Contains([]byte(got.Reason), []byte(c.reason)) {
				t.Errorf("got %s (%s), want %s (…%s…)", got.Verdict, got.Reason, c.want, c.reason)
			}
			dir := t.TempDir()
			if err := reports.Write(dir, o.Report, o.Transcript, nil); err != nil {
				t.Fatal(err)
			}
			var screen bytes.Buffer
			reports.Terminal(&screen, o.Report, false)
			reports.Quiet(&screen, o.Report)
			if err := os.WriteFile(filepath.Join(dir, "screen.txt"), screen.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			written, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(written) < 5 {
				t.Fatalf("%d files were written: %v", len(written), err)
			}
			scripts, err := filepath.Glob(filepath.Join(dir, "reproduce", "*"))
			if err != nil {
				t.Fatal(err)
			}
			written = append(slices.DeleteFunc(written, func(name string) bool { return filepath.Base(name) == "reproduce" }), scripts...)
			of := regexp.MustCompile(`(?i)[^.>"]{0,80}\b(the|this) server (breaks|broke|sent|answered|called|calls|does|meets|gave|let|has|left)\b[^.<"]{0,40}`)
			for _, file := range written {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if found := of.Find(text); found != nil {
					t.Errorf("%s says: %s", filepath.Base(file), found)
				}
			}
		})
	}
}

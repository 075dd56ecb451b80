package conform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// useByHand does what an application does that an operator points at the agent: it reads the card and sends a message.
func useByHand(t *testing.T, to serve.Addresses, message string) {
	t.Helper()
	resp, err := http.Get(to.Card)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var card struct {
		SupportedInterfaces []struct{ URL, ProtocolBinding string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil || len(card.SupportedInterfaces) == 0 || card.SupportedInterfaces[0].ProtocolBinding != "JSONRPC" {
		t.Fatalf("the card has the interfaces %v (%v)", card.SupportedInterfaces, err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, card.SupportedInterfaces[0].URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":`+message+`}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), "The answer is") {
		t.Fatalf("the agent answered %s (%v)", text, err)
	}
}

// What a client sends that is used by hand is judged while it is used, and in the end. Nothing fails that it did not do.
func TestAttendClient(t *testing.T) {
	t.Parallel()
	const whole = `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}`
	for name, c := range map[string]struct {
		message string
		want    report.RunVerdict
		fails   int
	}{
		"whole":  {whole, report.Partial, 0},
		"broken": {`{"role":"ROLE_AGENT","parts":[]}`, report.Nonconformant, 3},
		"nobody": {"", report.Unreachable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ready := make(chan serve.Addresses, 1)
			type ended struct {
				*conform.Outcome
				error
			}
			over := make(chan ended, 1)
			go func() {
				o, err := conform.AttendClient(ctx, conform.ClientTarget{}, serve.Attached{Listen: "127.0.0.1:0", Ready: func(to serve.Addresses) { ready <- to }})
				over <- ended{o, err}
			}()
			var to serve.Addresses
			select {
			case to = <-ready:
			case e := <-over:
				t.Fatal(e.error)
			}
			if c.message != "" {
				useByHand(t, to, c.message)
				awaitVerdict(t, to.Page, string(c.want))
			}
			cancel()
			e := <-over
			if e.error != nil {
				t.Fatal(e.error)
			}
			passes := 0
			var failed []string
			for _, r := range e.Report.Results {
				switch r.Verdict {
				case report.Pass:
					passes++
				case report.Fail, report.SuiteError:
					failed = append(failed, r.ID+": "+r.Reason)
				}
			}
			if e.Report.Verdict != c.want || len(failed) != c.fails || (passes > 10) != (c.message != "") {
				t.Errorf("the client is %s (%s), with %d passes and the failures\n%s", e.Report.Verdict, e.Report.Reason, passes, strings.Join(failed, "\n"))
			}
			checkRemediesByHand(t, e.Report)
			compareWithReplay(t, e.Outcome)
		})
	}
}

// awaitVerdict waits until the page shows a verdict.
func awaitVerdict(t *testing.T, page, want string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		resp, err := http.Get(page)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `<p class="verdict`) && strings.Contains(string(text), ">"+want+"</p>") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the page does not show the verdict %s: %s", want, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// compareWithReplay checks that the file of a run is judged as the run was.
func compareWithReplay(t *testing.T, o *conform.Outcome) {
	t.Helper()
	var har bytes.Buffer
	if err := record.WriteHAR(&har, o.Transcript); err != nil {
		t.Fatal(err)
	}
	again, err := conform.Replay(&har)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range again.Report.Results {
		if want := o.Report.Results[i]; r.ID != want.ID || r.Verdict != want.Verdict {
			t.Errorf("%s is %s in the file and was %s", r.ID, r.Verdict, want.Verdict)
		}
	}
}

// A mistake in the addresses is one of the operator.
func TestAttendClientMistakes(t *testing.T) {
	t.Parallel()
	_, err := conform.AttendClient(t.Context(), conform.ClientTarget{}, serve.Attached{Listen: "everywhere"})
	var mistake *conform.UsageError
	if !errors.As(err, &mistake) {
		t.Errorf("it ended with %v", err)
	}
}

// checkRemediesByHand checks that what would decide requirements is worded for a client that has no command.
func checkRemediesByHand(t *testing.T, r *report.Report) {
	t.Helper()
	seen := map[string]int{}
	for _, one := range r.Results {
		seen[one.Remedy]++
		if strings.Contains(one.Remedy, "in the command") || strings.HasPrefix(one.Remedy, "a2a-conform ") {
			t.Errorf("%s is decided by %q", one.ID, one.Remedy)
		}
	}
	for _, want := range []string{"a command that starts the client, in place of --listen: a2a-conform client --dialect a2a-1.0 -- COMMAND {url} {text}", "the second message that the page asks for, in the same conversation"} {
		if seen[want] == 0 && r.Verdict != report.Unreachable {
			t.Errorf("nothing is decided by %q: %v", want, seen)
		}
	}
}

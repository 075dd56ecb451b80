package conform_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// bundledClient is the client that comes with this program, as a function.
func bundledClient(dialect, variant string) func(ctx context.Context, c *conform.ClientRun) error {
	return func(ctx context.Context, c *conform.ClientRun) error {
		code := client.Run(ctx, client.Options{URL: c.URL, Text: c.Text, Second: c.Second, Dialect: dialect, Variant: variant, Stdin: strings.NewReader(""), Stdout: c.Out, Stderr: c.Out})
		if code != 0 {
			return errors.New("no answer")
		}
		return nil
	}
}

// How many requirements that need nothing but a command may stay undecided, since one text does not
// have a healthy client do what they are about.
const (
	maxUndecided      = 15
	maxUndecidedMusts = 3
	maxStarts         = 111
)

// The bundled client breaks nothing, and is decided on everything that needs no more than a command
// that is given two texts, but for a few requirements.
func TestBundledClientIsDecided(t *testing.T) {
	t.Parallel()
	for _, dialect := range conform.ClientDialects {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			o, err := conform.RunClient(t.Context(), conform.ClientTarget{Dialect: dialect, Func: bundledClient(dialect, "streaming"), Command: []string{"client", "{url}", "{text}", "{second}"}})
			if err != nil {
				t.Fatal(err)
			}
			if o.ExitCode() != 0 || o.Report.Verdict != report.Partial && o.Report.Verdict != report.Conformant {
				t.Errorf("exit %d, %s: %s", o.ExitCode(), o.Report.Verdict, o.Report.Reason)
			}
			if n := len(o.Transcript.Plays); n > maxStarts { // a start that a busy machine disturbed is replaced
				t.Errorf("the client was started %d times, and again if it was disturbed; at most %d are allowed", n, maxStarts)
			}
			musts := 0
			var undecided []string
			for _, r := range o.Report.Results {
				q := o.Dialect.Requirement(r.ID)
				switch {
				case r.Verdict == report.Fail, r.Verdict == report.SuiteError:
					t.Errorf("%s: %s: %s", r.ID, r.Verdict, r.Reason)
				case r.Verdict == report.Inconclusive && needsMoreThanTexts(q):
				case r.Verdict == report.Inconclusive:
					undecided = append(undecided, r.ID+": "+r.Reason)
					if r.Level == schema.Must {
						musts++
					}
				}
			}
			t.Logf("undecided:\n%s", strings.Join(undecided, "\n"))
			if len(undecided) > maxUndecided || musts > maxUndecidedMusts {
				t.Errorf("%d requirements are undecided, %d of them MUST; at most %d and %d may be", len(undecided), musts, maxUndecided, maxUndecidedMusts)
			}
		})
	}
}

// Most of the catalogues shows in the calls of a client that is given one text or two.
func TestWhatTextsShowIsJudged(t *testing.T) {
	for dialect, want := range map[string]int{"a2a-1.0": 120, "a2a-0.3": 100} {
		d, err := schema.LoadClient(dialect)
		if err != nil {
			t.Fatal(err)
		}
		judged := 0
		for i := range d.Requirements {
			switch q := &d.Requirements[i]; {
			case q.Unobservable != "", needsMoreThanTexts(q):
			default:
				judged++
			}
		}
		if judged < want {
			t.Errorf("%s: %d requirements need no more than a command, want at least %d", dialect, judged, want)
		}
	}
}

func needsMoreThanTexts(q *schema.Requirement) bool {
	return slices.ContainsFunc(q.Needs, func(n string) bool { return n != "drive" && n != "turns" })
}

// Clients that do nothing right never come out well.
func TestNoClientIsGreenByAccident(t *testing.T) {
	t.Parallel()
	get := func(ctx context.Context, url string) {
		if r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil); err == nil {
			if resp, err := http.DefaultClient.Do(r); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
	}
	for name, c := range map[string]struct {
		send func(ctx context.Context, c *conform.ClientRun) error
		want report.RunVerdict
		code int
	}{
		"no call at all":    {func(context.Context, *conform.ClientRun) error { return nil }, report.Unreachable, 4},
		"only the card":     {func(ctx context.Context, c *conform.ClientRun) error { get(ctx, c.CardURL); return nil }, report.Void, 2},
		"only calls of GET": {func(ctx context.Context, c *conform.ClientRun) error { get(ctx, c.URL+"/agent/rpc"); return nil }, report.Nonconformant, 1},
		"a crash each time": {func(context.Context, *conform.ClientRun) error { panic("no agent") }, report.Unreachable, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := conform.RunClient(t.Context(), conform.ClientTarget{Func: c.send, Name: name})
			if err != nil {
				t.Fatal(err)
			}
			if o.Report.Verdict != c.want || o.ExitCode() != c.code {
				t.Errorf("got %s and exit %d, want %s and %d: %s", o.Report.Verdict, o.ExitCode(), c.want, c.code, o.Report.Reason)
			}
		})
	}
}

// A client is judged by a few scenarios inside a Go test.
func TestClientInATest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	conform.TestClient(t, bundledClient("a2a-1.0", "plain"), func(c *conform.ClientTarget) {
		c.Scenarios, c.Reports = []string{"hello-message"}, dir
	})
}

// A client that sends nothing and does not end is ended: the report says so, and its record is replayed.
func TestClientThatIsEnded(t *testing.T) {
	t.Parallel()
	send := bundledClient("a2a-1.0", "plain")
	o, err := conform.RunClient(t.Context(), conform.ClientTarget{Scenarios: []string{"unknown-members"}, Patience: 2 * time.Second, Name: "mine",
		Func: func(ctx context.Context, c *conform.ClientRun) error {
			if c.Scenario == "unknown-members" {
				<-ctx.Done()
				return ctx.Err()
			}
			return send(ctx, c)
		}})
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(o.Report.Notices, "\n"); !strings.Contains(said, "was ended after 2s, in unknown-members") {
		t.Errorf("the notices do not say that the client was ended: %s", said)
	}
	dir := t.TempDir()
	if err := o.Write(dir); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "transcript.har"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	again, err := conform.Replay(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := again.Report.Verdict, o.Report.Verdict; got != want {
		t.Errorf("a replay comes to %s, want %s", got, want)
	}
}

package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// runTestAdapter is a program that reports what the small client saw: in one scenario, or in all whose contexts it reads. In
// some scenarios it misbehaves.
func runTestAdapter() {
	if one := os.Getenv("A2A_CONFORM_CONTEXT"); one != "" {
		os.Exit(playTestAdapter(one))
	}
	fmt.Println("ready for", os.Getenv("A2A_CONFORM_DIALECT"), os.Getenv("A2A_CONFORM_KEEP"), os.Getenv("A2A_CONFORM_URL"))
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		code := playTestAdapter(in.Text())
		var c adapter.Context
		json.Unmarshal(in.Bytes(), &c)
		fmt.Printf(`{"saw":"end","of":"scenario","scenario":%q,"exit":%d}`+"\n", c.Scenario, code)
		if c.Scenario == "hello-message" {
			os.Exit(0) // in good order, between two scenarios
		}
	}
}

func playTestAdapter(text string) int {
	var c adapter.Context
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	report := func(line string) {
		fmt.Printf(`{"scenario":%q,%s`+"\n", c.Scenario, strings.TrimPrefix(line, "{"))
	}
	switch c.Scenario {
	case "task-bare":
		os.Exit(3)
	case "ends-failed":
		time.Sleep(time.Hour)
	case "ends-rejected":
		fmt.Println(`{"saw":"task","scenario":"hello"}`)
		fmt.Println(`{"saw":"task","text":`)
	}
	for _, do := range c.Do {
		switch do.Do {
		case adapter.Send, adapter.Stream:
			if err := runTestClient([]string{c.URL, do.Text}, strings.NewReader(""), os.Stdout); err != nil {
				report(fmt.Sprintf(`{"saw":"error","message":%q}`, err))
				return 1
			}
			report(`{"saw":"task","state":"completed"}`)
		default:
			report(fmt.Sprintf(`{"cannot":%q}`, do.Do))
		}
	}
	return 0
}

// kinds are what a program reported in a play.
func kinds(p *record.Play) string {
	var out []string
	for _, s := range p.Client.Said {
		out = append(out, s.Saw+s.Cannot)
	}
	return strings.Join(out, " ")
}

// A program that reports what it saw is recognised, gets the commands of each scenario, and is played more than others.
func TestPlayWithAdapter(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		t.Run(fmt.Sprintf("keep %v", keep), func(t *testing.T) {
			t.Parallel()
			tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Command: []string{os.Args[0], "adapter"}, Scenarios: []string{"hello", "ends-failed", "ends-completed", "hello-message", "task-bare", "ends-rejected"}, Reported: []string{"list-pages", "cancel"},
				Keep: keep, Patience: 4 * time.Second, pace: 0.1, Redact: redact.NewRedactor([]redact.Secret{{Name: "state", Value: "completed"}})})
			if c := tr.Facts.Calibration; !c.Adapter || !c.Works || !c.Exits || !slices.Equal(c.Cannot, []string{"cancel", "list"}) || tr.Facts.ClientLevel() != 2 {
				t.Errorf("the calibration is %+v", c)
			}
			for scenario, want := range map[string]string{"hello": "task", "list-pages": "task list", "cancel": "task cancel", "card-broken-html": "error", "no-answer-html": "error", "ends-rejected": "task", "task-bare": "", "ends-failed": ""} {
				if keep && want != "" {
					want += " end"
				}
				p := tr.Play(scenario)
				if p == nil {
					t.Fatalf("%s was not played", scenario)
				}
				if got := kinds(p); got != want || p.Client.Kept != keep {
					t.Errorf("%s: it reported %q, want %q: %+v", scenario, got, want, p.Client)
				}
			}
			for scenario, want := range map[string]int{"hello": 0, "card-broken-html": 1, "task-bare": 3} {
				if run := tr.Play(scenario).Client; run.Exit != want || run.Patience {
					t.Errorf("%s: exit %d, want %d", scenario, run.Exit, want)
				}
			}
			if run := tr.Play("ends-failed").Client; !run.Patience {
				t.Errorf("ends-failed: %+v", run)
			}
			if run := tr.Play("ends-rejected").Client; len(run.Misread) != 2 || run.Misread[1].Line != run.Misread[0].Line+1 || !strings.Contains(run.Misread[0].Why, "another scenario") {
				t.Errorf("ends-rejected: %+v", run.Misread)
			}
			if run := tr.Play("cancel").Client; len(run.Do) != 2 || run.Do[1] != `{"do":"cancel","task":"last"}` || !strings.Contains(run.Do[0], `"wait":false`) {
				t.Errorf("cancel: it was given %q", run.Do)
			}
			if run := tr.Play("hello").Client; run.Said[0].State != "⟦secret:state⟧" || run.Said[0].At < run.Started || run.Said[0].At > run.Ended {
				t.Errorf("hello: %+v", run)
			}
			var renewed []string
			for i := range tr.Plays {
				if why := tr.Plays[i].Client.Renewed; why != "" {
					renewed = append(renewed, why)
				}
			}
			slices.Sort(renewed)
			if got := strings.Join(renewed, "; "); keep != (got == "it ended by itself after the scenario before; it ended by itself in the scenario task-bare; it was not done with the scenario ends-failed in its time, and was ended") {
				t.Errorf("it was started anew because of %q", got)
			}
			compareAfterFile(t, tr)
		})
	}
}

// A client that reports nothing is not played what only reports would show.
func TestPlayNoMoreWithoutAdapter(t *testing.T) {
	t.Parallel()
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Command: testCommand(), Scenarios: []string{"hello"}, Reported: []string{"list-pages", "cancel"}})
	for i := range tr.Plays {
		p := &tr.Plays[i]
		if !slices.Contains(calibration, p.Scenario) || len(p.Client.Do) > 0 || len(p.Client.Said) > 0 {
			t.Errorf("%s was played: %+v", p.Scenario, p.Client)
		}
	}
	if tr.Facts.Calibration.Adapter || tr.Facts.ClientLevel() != 1 {
		t.Errorf("the calibration is %+v", tr.Facts.Calibration)
	}
}

// A command that is started once has no words that are filled in, and one that cannot be started is named.
func TestMistakesOfKeptCommands(t *testing.T) {
	t.Parallel()
	if _, err := Run(t.Context(), Config{Dialect: loadDialect(t, a2a10), Command: []string{"client", "{url}"}, Keep: true}); err == nil || !strings.Contains(err.Error(), "{url} cannot be filled in") {
		t.Errorf("got %v", err)
	}
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Command: []string{"/nowhere/such-a-client"}, Keep: true})
	if !strings.Contains(tr.Facts.Cut, "could not be started") || len(tr.Plays) != 2 {
		t.Errorf("%d plays, cut because of %q", len(tr.Plays), tr.Facts.Cut)
	}
}

// A kept program that floods us, or reads nothing, is ended with its time, and what is kept of it is bounded.
func TestBoundKeptPrograms(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"floods":        `yes '{"saw":"status","state":"working"}'`,
		"long":          `head -c 200000000 /dev/zero`,
		"reads nothing": `sleep 60`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			tr := runClient(t, Config{Dialect: loadDialect(t, a2a10), Command: []string{"/bin/sh", "-c", script}, Keep: true, Patience: 300 * time.Millisecond, Text: strings.Repeat("x", 1<<20)})
			if len(tr.Plays) != 2 || time.Since(began) > 20*time.Second {
				t.Errorf("%d plays in %v", len(tr.Plays), time.Since(began))
			}
			for i := range tr.Plays {
				if run := tr.Plays[i].Client; len(run.Said) > adapter.MaxLines+1 || len(run.Misread) > 10 || len(run.Stdout) > MaxOutput {
					t.Errorf("%d lines and %d bytes are kept", len(run.Said), len(run.Stdout))
				}
			}
		})
	}
}

// The card of a scenario about caches has a validator, changes, or may be kept, as it states.
func TestServeCardsForCaches(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{a2a10, a2a03} {
		tr := runClient(t, Config{Dialect: loadDialect(t, dialect), Scenarios: []string{"card-cached", "card-stale", "card-moves"}, Func: func(ctx context.Context, task *Task) error {
			if !strings.HasPrefix(task.Scenario, "card-") {
				return runTestClient([]string{task.URL, task.Text}, strings.NewReader(""), task.Stdout)
			}
			var tag, changed string
			for i := range 4 {
				header := map[string][]string{}
				switch {
				case i == 1:
					header["If-None-Match"] = []string{tag}
				case i == 2:
					header["If-None-Match"], header["If-Modified-Since"] = []string{`"other"`}, []string{changed}
				case i == 3:
					header["If-Modified-Since"] = []string{changed}
				}
				head, err := get(ctx, client.Call{Method: "GET", URL: task.Card, Header: header})
				if err != nil {
					return err
				}
				tag, changed = head.Get("ETag"), head.Get("Last-Modified")
				if i == 0 {
					if err := runTestClient([]string{task.URL, task.Text}, strings.NewReader(""), io.Discard); err != nil {
						return err
					}
				}
			}
			return runTestClient([]string{task.URL, task.Text}, strings.NewReader(""), task.Stdout)
		}})
		for scenario, want := range map[string]string{
			"card-cached": "card 200, card-2 200, send 200 /agent/rpc, card-3 304, card-4 200, card-5 304, card-6 200, send-2 200 /agent/rpc",
			"card-stale":  "card 200, card-2 200, send 200 /agent/rpc, card-3 304, card-4 200, card-5 304, card-6 200, send-2 200 /agent/rpc",
			"card-moves":  "card 200, card-2 200, send 200 /agent/rpc, card-3 200, card-4 200, card-5 200, card-6 200, send-2 200 /agent/new/rpc",
		} {
			var got []string
			for _, s := range tr.Play(scenario).Steps {
				one := fmt.Sprint(s.Name, " ", s.Exchange.Status())
				if s.Op == "send" {
					one += " /agent" + strings.SplitN(s.Exchange.URL, "/agent", 2)[1]
				}
				got = append(got, one)
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s: got %s, want %s", scenario, strings.Join(got, ", "), want)
			}
			if head := string(tr.Play(scenario).Step("card-3").Exchange.Response.Head); strings.Contains(head, "304") && strings.Contains(head, "Content-Length") {
				t.Errorf("%s: an answer without a body has a length: %s", scenario, head)
			}
		}
		refuteTrouble(t, tr)
	}
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// nobody is where no server listens.
const nobody = "http://127.0.0.1:1"

// defect is a broken server, and a requirement that it breaks.
type defect struct{ dialect, mutant, id string }

// scripted is a run on a broken server, with the scripts that it left.
type scripted struct {
	defect
	dir             string
	broken, healthy string
	env             []string
	report          *report.Report
}

// scriptsOf judges a broken server and leaves the reports in a folder.
func scriptsOf(t *testing.T, d defect) (*scripted, error) {
	spoken, err := schema.Load(d.dialect)
	if err != nil {
		return nil, err
	}
	s := &scripted{defect: d, dir: t.TempDir()}
	variant := "full"
	for _, m := range reference.Mutants(d.dialect) {
		if m.Name == d.mutant {
			variant = cmp.Or(m.Variant, variant)
		}
	}
	target := conform.Target{Dialect: d.dialect, Version: "test", Behaviour: conform.Behaviour{DefaultStimuli: true, Allow: []schema.Risk{schema.Heavy, schema.Outbound, schema.Residue}, Declarations: []string{"cancel"}}, Credentials: conform.Credentials{Bearer: reference.Token, APIKey: reference.Token}, Limits: conform.Limits{Timeout: 12 * time.Second, Retries: 1,
		Deadline: time.Minute}, Judging: conform.Judging{Select: conform.Selection{Run: []string{d.id}}}}
	target.OtherIdentity, target.RestrictedIdentity = operator.Identity{Bearer: reference.SecondToken}, operator.Identity{Bearer: reference.LowToken}
	target.Webhook.Listen = "127.0.0.1:0"
	target.Stimuli = map[string]operator.Stimulus{"slow": {Text: "slow 4", Seconds: 4}} // under way for sure, on a busy machine too
	second := reference.SecondToken
	if spoken.Card.Signed.At != "" {
		target.CardKey = string(reference.CardKeys())
	}
	if spoken.Card.Schemes != "" && spoken.Card.Required != "" {
		target.APIKey, target.OtherIdentity, second = reference.Key, operator.Identity{Basic: reference.SecondBasic}, reference.SecondBasic
	}
	for _, w := range spoken.Requirement(d.id).Operator {
		if slices.Contains([]string{"production", "credentials", "several-versions", "authenticated", "webhook-reachable"}, w) {
			target.Declarations = append(target.Declarations, w)
		}
	}
	if variant == "guarded" {
		target.Declarations = append(target.Declarations, "authenticated")
	}
	if variant == "hasty" {
		target.Timeouts = &operator.Timeouts{Call: reference.Hasty.Call.Seconds(), Stream: reference.Hasty.Stream.Seconds()}
		target.Stimuli["long"] = operator.Stimulus{Text: "slow 5", Seconds: 5}
	}
	for i, mutant := range []string{d.mutant, "", d.mutant} {
		if i == 2 && !strings.Contains(mutant, "deadly") && !strings.HasPrefix(mutant, "dies-") && mutant != "limited-for-ever" { // the run has brought down those
			break
		}
		o := reference.Options{Dialect: d.dialect, Variant: variant, Mutant: mutant}
		if spoken.Speaks(schema.KindGRPC) {
			o.GRPCAddr = "127.0.0.1:0"
		}
		if strings.Contains(d.id, "-RATE-") { // that a shell exceeds on a busy machine too
			o.Rate = reference.Rate{Requests: 60, Window: 6 * time.Second}
		}
		server, err := reference.Start(t.Context(), o)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { server.Close() })
		if pem := server.CA(); pem != nil {
			return nil, fmt.Errorf("variant %s is about TLS", variant)
		}
		switch i {
		case 0:
			target.URL, s.broken = server.URL(), server.URL()
		case 1:
			s.healthy = server.URL()
		case 2:
			s.broken = server.URL()
		}
	}
	if strings.Contains(d.id, "-RATE-") {
		target.Allow = append(target.Allow, schema.Disruptive)
	}
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		return nil, err
	}
	if err := o.Write(s.dir); err != nil {
		return nil, err
	}
	s.report = o.Report
	file, err := commandtest.Program()
	if err != nil {
		return nil, err
	}
	s.env = append(os.Environ(), "A2A_TOKEN="+target.Bearer, "A2A_API_KEY="+target.APIKey, "A2A_SECOND="+second, "A2A_LOW="+reference.LowToken,
		"A2A_CONFORM="+file, commandtest.LeftVariable+"="+filepath.Join(s.dir, "left"), "GITHUB_ACTIONS=", "CI=")
	return s, nil
}

// script runs the script of the defect in a shell against a server.
func (s *scripted) script(shell, server string, env ...string) (code int, out string) {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, filepath.Join(s.dir, "reproduce", s.id+".sh"))
	cmd.Env = slices.Concat(s.env, []string{"A2A_TARGET=" + server}, env)
	cmd.WaitDelay = time.Second
	text, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(text)
}

// text is the script.
func (s *scripted) text() string {
	text, _ := os.ReadFile(filepath.Join(s.dir, "reproduce", s.id+".sh"))
	return string(text)
}

// A script of a failure ends with 1 while the fault is there, 0 when it is gone, 2 where
// nobody answers, and 3 where there is no a2a-conform to judge what came.
func TestReproduceVerdicts(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	for _, program := range []string{"dash", "bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("the scripts are tried with %s: install it", program)
		}
	}
	for i, d := range []defect{
		{"a2a-0.1", "card-skills-empty", ""},
		{"a2a-0.1", "final-missing", "A2A01-STR-012"},
		{"a2a-0.1", "resubscribe-old-id", "A2A01-STR-041"},
		{"a2a-0.1", "one-task-per-session", ""},
		{"a2a-0.1", "id-fraction-cut", ""},
		{"a2a-1.0", "list-status-ignored", "A2A10-LIST-016"},
		{"a2a-1.0", "rest-error-domain-foreign", ""},
		{"a2a-1.0", "guard-open-cancel", "A2A10-AUTH-004"},
		{"a2a-1.0", "cancel-unseen", "A2A10-CANCEL-010"},
		{"a2a-1.0", "grpc-unknown-task-internal", ""}, // by a2a-conform run
	} {
		lead := i%2 == 0
		if testamount.Few() && !lead {
			continue
		}
		t.Run(d.dialect+" "+d.mutant, func(t *testing.T) {
			t.Parallel()
			if d.id == "" {
				d.id = firstBroken(t, d)
			}
			s, err := scriptsOf(t, d)
			if err != nil {
				t.Fatal(err)
			}
			for _, shell := range []string{"dash", "bash"} {
				if testamount.LeavesOut(lead && (shell == "dash" || i == 0)) {
					continue
				}
				var all sync.WaitGroup // they wait most of the time
				for _, c := range []struct {
					server, who, conform string
					want                 int
				}{{s.broken, "the broken server", "", 1}, {s.healthy, "a healthy server", "", 0}, {nobody, "nobody", "", 2}, {s.broken, "the broken server without a2a-conform", "/nowhere/a2a-conform", 3}} {
					all.Go(func() {
						env := []string{"A2A_REPRODUCE_DIR=" + filepath.Join(s.dir, shell+fmt.Sprint(c.want))}
						if c.conform != "" {
							env = append(env, "A2A_CONFORM="+c.conform)
						}
						if code, out := s.script(shell, c.server, env...); code != c.want {
							t.Errorf("%s in %s against %s: exit %d, want %d\n%s\nin\n%s", d.id, shell, c.who, code, c.want, out, s.text())
						} else if c.want == 3 && !strings.Contains(out, "expected: ") && !strings.Contains(out, "a2a-conform run ") {
							t.Errorf("it does not say what to look for:\n%s", out)
						}
					})
				}
				all.Wait()
			}
		})
	}
}

// firstBroken is the first requirement that the catalogue says a mutant breaks.
func firstBroken(t *testing.T, d defect) string {
	spoken, err := schema.Load(d.dialect)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range spoken.Requirements {
		if slices.Contains(r.Mutants, d.mutant) {
			return r.ID
		}
	}
	t.Fatalf("nothing breaks by %s", d.mutant)
	return ""
}

// Every requirement that a mutant breaks has a script that shows it, or one that has
// a2a-conform hold the conversation. It takes long, and is tried only with all tests.
func TestReproduceEvery(t *testing.T) {
	if !testamount.All() {
		return
	}
	var mu sync.Mutex
	all := map[string][]string{}
	for _, name := range reference.Dialects() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		waits := map[string]bool{}
		for _, m := range reference.Mutants(name) {
			waits[m.Name] = m.Waits
		}
		t.Run(name, func(t *testing.T) {
			for _, r := range d.Requirements {
				if len(r.Mutants) == 0 || r.Check == "" {
					continue
				}
				mutant := r.Mutants[0]
				if i := slices.IndexFunc(r.Mutants, func(m string) bool { return !waits[m] }); i >= 0 {
					mutant = r.Mutants[i]
				}
				t.Run(r.ID, func(t *testing.T) {
					t.Parallel()
					kind, what := cameOf(t, defect{name, mutant, r.ID})
					mu.Lock()
					defer mu.Unlock()
					all[kind] = append(all[kind], what)
					if kind != byCurl && kind != byRun && kind != notShown && kind != leftOpen {
						t.Errorf("%s: %s", kind, what)
					}
				})
			}
		})
	}
	for kind, which := range all {
		slices.Sort(which)
		t.Logf("%d %s", len(which), kind)
		if kind != byCurl {
			t.Logf("    %s", strings.Join(which, "\n    "))
		}
	}
}

// What came of a script.
const (
	byCurl   = "shown by curl: 1 by the broken server, 0 by a healthy one"
	byRun    = "shown by a2a-conform run: 1 by the broken server, 0 by a healthy one"
	leftOpen = "shown by curl; a healthy server shows nothing of the kind, and the script says which run decides it"
	notShown = "not tried: the run with this configuration does not show the defect"
)

// cameOf runs the script of a defect against the broken and a healthy server.
func cameOf(t *testing.T, d defect) (kind, what string) {
	what = d.id + " " + d.mutant
	s, err := scriptsOf(t, d)
	if err != nil {
		return notShown, what + ": " + err.Error()
	}
	i := slices.IndexFunc(s.report.Results, func(r report.Result) bool { return r.ID == d.id && r.Verdict == report.Fail })
	if i < 0 {
		return notShown, what
	}
	text := s.text()
	if text == "" {
		return "no script", what
	}
	kind = byCurl
	if !strings.Contains(text, "curl -sS") {
		kind = byRun
		_, why, _ := strings.Cut(text, "A script with curl cannot reproduce it: ")
		why, _, _ = strings.Cut(why, "\n")
		what += ": " + why
		if os.Getenv("A2A_SKIP_RUNS") != "" {
			return kind, what
		}
	}
	if code, out := s.script("sh", s.broken); code != 1 {
		if os.Getenv("A2A_SHOW") != "" {
			what += text + out
		}
		return fmt.Sprintf("%s, but exit %d by the broken server", strings.Fields(kind)[2], code), what + "\n" + tail(out)
	}
	if code, out := s.script("sh", s.healthy); code != 0 {
		if code == 2 && strings.Contains(out, "vacuous: ") && strings.Contains(out, "    or        a2a-conform run ") {
			return leftOpen, what
		}
		if os.Getenv("A2A_SHOW") != "" {
			what += text
		}
		return fmt.Sprintf("%s, but exit %d by a healthy server", strings.Fields(kind)[2], code), what + "\n" + tail(out)
	}
	return kind, what
}

// tail is the end of what a script printed.
func tail(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-6):], "\n")
}

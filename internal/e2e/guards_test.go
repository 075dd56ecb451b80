package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// guardedCase is a run on a bundled server that asks for credentials and whose card
// everybody may read.
type guardedCase struct{ dialect, binding, variant, token string }

// guardedCases are all dialects with security, in each binding, with each way to refuse
// calls, and no, a wrong and the right credential.
func guardedCases() (all []guardedCase) {
	bindings := map[string][]string{"a2a-0.1": {"JSONRPC"}, "a2a-0.3": {"JSONRPC", "HTTP+JSON", "GRPC"}, "a2a-1.0": {"JSONRPC", "HTTP+JSON", "GRPC"}, "a2x-0.3": {"JSONRPC"}, "jaf-0.3": {"JSONRPC"}}
	for _, dialect := range []string{"a2a-0.1", "a2a-0.3", "a2a-1.0", "a2x-0.3", "jaf-0.3"} {
		for _, binding := range bindings[dialect] {
			for _, variant := range reference.Variants(dialect) {
				if !strings.HasPrefix(variant, "guarded-") {
					continue
				}
				for _, token := range []string{"", "wrong-token-of-nobody", reference.Token} {
					all = append(all, guardedCase{dialect, binding, variant, token})
				}
			}
		}
	}
	return all
}

// A server that is right to refuse calls is accused of nothing, and praised for nothing: a
// run without valid credentials is void, and one with them comes to what the open server
// comes to. Some cases are tried, chosen by a seed, and all if more than a few tests are run.
func TestGuards(t *testing.T) {
	t.Parallel()
	all := guardedCases()
	if testamount.Few() {
		random := rand.New(rand.NewPCG(38, 1))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:5]
	}
	var mu sync.Mutex
	open := map[string]*conform.Outcome{}
	of := func(t *testing.T, c guardedCase) *conform.Outcome {
		mu.Lock()
		defer mu.Unlock()
		key := c.dialect + c.binding
		if open[key] == nil {
			open[key] = guardedRun(t, guardedCase{c.dialect, c.binding, "full", ""})
		}
		return open[key]
	}
	for _, c := range all {
		t.Run(fmt.Sprintf("%s %s %s %q", c.dialect, c.binding, c.variant, c.token), func(t *testing.T) {
			base, o := of(t, c), guardedRun(t, c)
			let := c.token == reference.Token
			d, err := schema.Load(c.dialect)
			if err != nil {
				t.Fatal(err)
			}
			passes := map[string]bool{}
			for _, r := range base.Report.Results {
				passes[r.ID] = r.Verdict == report.Pass
			}
			for _, r := range o.Report.Results {
				if departs := d.Requirement(r.ID) != nil && d.Requirement(r.ID).Departs[c.variant] != "" && r.Level != schema.Must; r.Verdict == report.Fail && !departs {
					t.Errorf("%s fails: %s", r.ID, r.Reason)
				}
				if r.Verdict != report.Pass || let {
					continue
				}
				if !passes[r.ID] && !slices.Contains(aboutCards, r.Area) {
					t.Errorf("%s passes, and not on the open server", r.ID)
				}
				for _, e := range r.Evidence {
					for _, x := range o.Transcript.Exchanges {
						if x.ID == e.Exchange && (x.Standing() == 401 || x.Standing() == 403) {
							t.Errorf("%s passes on a call that was refused (exchange %d)", r.ID, x.ID)
						}
					}
				}
			}
			if let {
				if o.Report.NeedsCredentials || o.Report.Verdict != base.Report.Verdict {
					t.Errorf("%s (%s), and the open server is %s (%s)", o.Report.Verdict, o.Report.Reason, base.Report.Verdict, base.Report.Reason)
				}
				return
			}
			says := "every call was refused with "
			if o.Report.Verdict != report.Void || !o.Report.NeedsCredentials || !strings.HasPrefix(o.Report.Reason, says) {
				t.Fatalf("%s: %s", o.Report.Verdict, o.Report.Reason)
			}
			for _, gate := range []string{"conformant", "no-failures", report.BaselineGate + "old.json"} {
				r := *o.Report
				if r.Run.Gate = gate; report.ExitCode(&r) != 2 {
					t.Errorf("the exit code with --gate %s is %d", gate, report.ExitCode(&r))
				}
			}
			firstLines(t, o.Report, says, "-env")
		})
	}
}

// aboutCards are areas in which a card that declares security has more to pass.
var aboutCards = []string{"card", "discovery", "signature"}

// firstLines demands that the first line of every output that people read has some words.
func firstLines(t *testing.T, r *report.Report, words ...string) {
	t.Helper()
	var terminal, quiet, summary bytes.Buffer
	reports.Terminal(&terminal, r, false)
	reports.Quiet(&quiet, r)
	if err := reports.Markdown(&summary, r); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"terminal": terminal.String(), "quiet": quiet.String(), "summary.md": summary.String()} {
		first, _, _ := strings.Cut(text, "\n")
		for _, w := range words {
			if !strings.Contains(first, w) {
				t.Errorf("%s begins with %q, want %q in it", name, first, w)
			}
		}
	}
}

// guardedRun judges a bundled server in one binding.
func guardedRun(t *testing.T, c guardedCase) *conform.Outcome {
	t.Helper()
	options := reference.Options{Dialect: c.dialect, Variant: c.variant}
	if c.binding == "GRPC" {
		options.GRPCAddr = "127.0.0.1:0"
	}
	s := bundled(t, options)
	target := conform.Target{URL: s.URL(), Dialect: c.dialect, Behaviour: conform.Behaviour{DefaultStimuli: true, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}}, Endpoint: conform.Endpoint{Binding: c.binding}, Credentials: conform.Credentials{Bearer: c.token}}
	if c.token == reference.Token {
		target.OtherIdentity, target.RestrictedIdentity = operator.Identity{Bearer: reference.SecondToken}, operator.Identity{Bearer: reference.LowToken}
		if c.dialect != "jaf-0.3" {
			target.APIKey = reference.Token
		} else {
			target.APIKey, target.OtherIdentity = reference.Key, operator.Identity{Basic: reference.SecondBasic}
		}
	}
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Package provegateway shows that the checks of gateways bite, and bite fairly: each requirement fails, or has its finding, on
// a gateway with the fault that it is about, nothing else does, and gateways with habits that the texts allow fail nothing.
package provegateway

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/prove"
	"github.com/a2a-conform/a2a-conform/harness"
	suite "github.com/a2a-conform/a2a-conform/harness/gateway"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reference/gateway"
	"github.com/a2a-conform/a2a-conform/schema"
	judge "github.com/a2a-conform/a2a-conform/suites/gateway"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Outcome is what a proof found.
type Outcome struct {
	Rows     []Row           `json:"requirements"`
	Habits   []string        `json:"habits"` // gateways that fail nothing
	Faults   []Fault         `json:"faults"`
	Problems []prove.Problem `json:"problems"`
}

// Row is what the proof found about one requirement.
type Row struct {
	ID      string   `json:"id"`
	Finding bool     `json:"finding,omitempty"` // what breaks it is a finding, and no failure
	Passes  []string `json:"passes"`            // right gateways on which it passes
	Bites   []string `json:"bites"`             // faulty ones on which it fails, or has its finding
}

// Fault is what the suite made of one faulty gateway.
type Fault struct {
	Name   string   `json:"name"`
	Breaks []string `json:"breaks"`
}

// OK reports whether the proof holds.
func (o *Outcome) OK() bool { return len(o.Problems) == 0 }

// parallel is how many gateways are judged at the same time. Most of their time they wait.
const parallel = 24

// right is the name of the gateway without a habit and without a fault.
const right = "right"

// direct is the name of the run without any gateway.
const direct = "none"

// subject is a gateway that is judged.
type subject struct {
	gateway.Info
	variant string // of the bundled server
}

// listSubjects lists the gateways, those that are right first.
func listSubjects() []subject {
	out := []subject{{gateway.Info{Name: direct, Legal: true}, "full"}, {gateway.Info{Name: right, Legal: true}, "full"}, {gateway.Info{Name: right, Legal: true}, "signed"}, {gateway.Info{Name: right, Legal: true}, "two-versions"}}
	for _, i := range slices.Concat(gateway.Habits(), gateway.Faults()) {
		s := subject{i, "full"}
		switch {
		case i.Signed:
			s.variant = "signed"
		case i.Older:
			s.variant = "two-versions"
		}
		out = append(out, s)
	}
	return out
}

// Judge judges a gateway of that habit or fault before the bundled server; "right" has neither, and with "none" there is no gateway at
// all.
func Judge(ctx context.Context, name, dialect, variant string) ([]report.Result, error) {
	t, err := recordThrough(ctx, dialect, variant, func(server string) (string, func(), error) {
		if name == direct {
			return server, func() {}, nil
		}
		trait := name
		if name == right {
			trait = ""
		}
		g, err := gateway.Start(gateway.Options{Upstream: server, Trait: trait})
		if err != nil {
			return "", nil, err
		}
		return g.URL(), g.Close, nil
	})
	if err != nil {
		return nil, err
	}
	return judgeRecord(t)
}

// recordThrough holds the conversations with the bundled server, directly and through the gateway that a function starts before the URL
// of the server. That returns the URL of the gateway, and what ends it.
func recordThrough(ctx context.Context, dialect, variant string, start func(server string) (address string, end func(), err error)) (*record.Transcript, error) {
	o := reference.Options{Dialect: dialect, Variant: variant}
	if dialect == reference.DefaultDialect || dialect == "a2a-0.3" {
		o.GRPCAddr = "127.0.0.1:0"
	}
	server, err := reference.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	started := time.Now()
	up, err := suite.OpenUpstream(suite.UpstreamConfig{Server: server.URL(), GRPC: server.GRPCAddr(), Started: started})
	if err != nil {
		return nil, err
	}
	defer up.Close()
	address, end, err := start(up.URL())
	if err != nil {
		return nil, err
	}
	defer end()
	return suite.Play(ctx, suite.Config{Direct: up.URL(), Through: address, Upstream: up, Dialect: dialect, Detect: harness.DetectDialects, Started: started, Gate: "conformant"})
}

// judgeRecord judges a gateway by a record.
func judgeRecord(t *record.Transcript) ([]report.Result, error) {
	d, err := schema.Load(t.Facts.Dialect)
	if err != nil {
		return nil, err
	}
	return judge.Judge(d, t)
}

// isBroken reports whether a requirement fails or has its finding.
func isBroken(r *report.Result) bool { return r.Verdict == report.Fail || len(r.Findings) > 0 }

// Prove judges all gateways; if names are given, only those and the right ones without a habit.
func Prove(ctx context.Context, names ...string) (*Outcome, error) {
	all := listSubjects()
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(s subject) bool { return s.Name != right && s.Name != direct && !slices.Contains(names, s.Name) })
	}
	results := make([][]report.Result, len(all))
	var work errgroup.Group
	work.SetLimit(parallel)
	for i, s := range all {
		work.Go(func() (err error) {
			results[i], err = Judge(ctx, s.Name, reference.DefaultDialect, s.variant)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	o := compareAll(all, results, len(names) == 0)
	if n := len(o.Problems); n > 0 && n <= fewDoubtful && ctx.Err() == nil { // on a busy machine something may have come too late
		for i, s := range all {
			if !slices.ContainsFunc(o.Problems, func(p prove.Problem) bool { return p.Mutant == s.Name && p.Variant == s.variant }) {
				continue
			}
			again, err := Judge(ctx, s.Name, reference.DefaultDialect, s.variant)
			if err != nil {
				return nil, err
			}
			results[i] = again
		}
		o = compareAll(all, results, len(names) == 0)
	}
	return o, ctx.Err()
}

// fewDoubtful is how many problems are looked at once more.
const fewDoubtful = 8

// compareAll finds what does not hold. Of a whole proof each requirement has to have its gateways.
func compareAll(all []subject, results [][]report.Result, whole bool) *Outcome {
	o := &Outcome{Problems: []prove.Problem{}}
	requirements := schema.LoadGateways().Requirements
	o.Rows = make([]Row, len(requirements))
	for n, r := range requirements {
		o.Rows[n] = Row{ID: r.ID, Finding: r.Finding, Passes: []string{}, Bites: []string{}}
	}
	for i, s := range all {
		broken := []string{}
		add := func(id, format string, args ...any) {
			o.Problems = append(o.Problems, prove.Problem{Kind: "gateway", Requirement: id, Mutant: s.Name, Variant: s.variant, Text: fmt.Sprintf(format, args...)})
		}
		for n := range requirements {
			r, got := &requirements[n], &results[i][n]
			due := slices.Contains(r.Mutants, s.Name)
			is := isBroken(got)
			if is {
				broken = append(broken, r.ID)
			}
			switch {
			case s.Legal && is && r.Finding && s.Name == direct: // a card that names the server leads past a gateway that is not there
				add(r.ID, "has a finding without any gateway: %s", describeBreak(got))
			case s.Legal && is && r.Finding && s.variant == "signed" && r.ID == addressesOfSigned: // which is right: it must not be changed
			case s.Legal && is:
				add(r.ID, "breaks on a right gateway: %s", describeBreak(got))
			case s.Legal && got.Verdict == report.Pass:
				o.Rows[n].Passes = append(o.Rows[n].Passes, s.Name)
			case due && is:
				o.Rows[n].Bites = append(o.Rows[n].Bites, s.Name)
			case due:
				add(r.ID, "does not break on it: %s, %s", got.Verdict, got.Reason)
			case is && r.Follows[s.Name] == "" && !(s.variant == "signed" && r.ID == addressesOfSigned):
				add(r.ID, "breaks without being about it: %s", describeBreak(got))
			case !is && r.Follows[s.Name] != "":
				add(r.ID, "does not break on it, though follows names it: %s, %s", got.Verdict, got.Reason)
			}
		}
		if s.Legal {
			o.Habits = append(o.Habits, s.Name)
		} else {
			o.Faults = append(o.Faults, Fault{s.Name, broken})
		}
	}
	if whole {
		o.addMissing(all)
	}
	return o
}

// addMissing adds the requirements that nothing breaks or passes, and the faults that no requirement is about.
func (o *Outcome) addMissing(all []subject) {
	for _, row := range o.Rows {
		if len(row.Bites) == 0 {
			o.Problems = append(o.Problems, prove.Problem{Kind: "bite", Requirement: row.ID, Text: "no gateway breaks it"})
		}
		if len(row.Passes) == 0 {
			o.Problems = append(o.Problems, prove.Problem{Kind: "healthy", Requirement: row.ID, Text: "it passes on no right gateway"})
		}
	}
	for _, s := range all {
		if !s.Legal && !slices.ContainsFunc(schema.LoadGateways().Requirements, func(r schema.GatewayRequirement) bool { return slices.Contains(r.Mutants, s.Name) }) {
			o.Problems = append(o.Problems, prove.Problem{Kind: "bite", Mutant: s.Name, Text: "no requirement is about it"})
		}
	}
}

// addressesOfSigned is the finding that each right gateway gives rise to that leaves a signed card as it is.
const addressesOfSigned = "GW-CARD-004"

// describeBreak returns why a requirement is broken.
func describeBreak(r *report.Result) string {
	if len(r.Findings) > 0 {
		return r.Findings[0].Text
	}
	return r.Reason
}

// Table writes the outcome for people.
func (o *Outcome) Table(w io.Writer) {
	for _, r := range o.Rows {
		kind := "fails"
		if r.Finding {
			kind = "finding"
		}
		fmt.Fprintf(w, "%-14s %-8s %s\n", r.ID, kind, cmp.Or(strings.Join(r.Bites, ", "), "-"))
	}
	for _, p := range o.Problems {
		fmt.Fprintf(w, "PROBLEM  %s %s %s (%s): %s\n", p.Kind, p.Requirement, p.Mutant, p.Variant, p.Text)
	}
	fails := 0
	for _, r := range o.Rows {
		if !r.Finding {
			fails++
		}
	}
	verdict := "the proof holds"
	if !o.OK() {
		verdict = fmt.Sprintf("the proof does not hold: %d problems", len(o.Problems))
	}
	fmt.Fprintf(w, "%d requirements that can fail and %d findings, %d faulty gateways, %d right ones: %s\n", fails, len(o.Rows)-fails, len(o.Faults), len(o.Habits), verdict)
}

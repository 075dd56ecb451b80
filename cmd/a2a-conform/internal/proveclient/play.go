package proveclient

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

const (
	// timeout is the time in which a bundled client ends by itself, and patience the time after which it is
	// ended: only a mutant without a limit needs that long.
	timeout  = 14 * time.Second
	patience = 18 * time.Second
	// pause is the measure of all waiting of the clients: no shorter than what the catalogue asks of them.
	pause = 150 * time.Millisecond
	jobs  = 6 // plays of one client at the same time
)

// text is what the clients send: its letters show in which encoding.
const text = "Größer? What can you do?"

// granted are the extras that the clients are granted.
var granted = []string{serve.WithCredentials, serve.WithTLS, serve.WithKeys, serve.WithWebhook, serve.WithExtension}

// declared is what is stated about the clients: what is only shown of others is a failure of theirs.
var declared = []string{"production"}

// command describes the bundled client, which is called and not started.
var command = []string{"a2a-conform", "reference-client", "{url}", "{text}", "{second}"}

// maxGiven bounds a file that a client is given.
const maxGiven = 1 << 20

// always are the scenarios, if the dialect has them, in which requests of all kinds are made, in each binding that a client has: requirements on
// every request are judged by them.
var always = []string{"hello", "only-rest", "turns", "poll", "stream", "input-required"}

// A subject is one bundled client: a healthy variant, or a mutant.
type subject struct {
	variant, mutant string
	scenarios       []string // none for all
}

// named returns how the subject is called in problems.
func (s subject) named() string { return cmp.Or(s.mutant, "the healthy variant "+s.variant) }

// listSubjects returns the healthy variants of the bundled client, and the mutants that the requirements
// of the dialect name.
func listSubjects(d *schema.Dialect) (healthy, mutants []subject) {
	for _, v := range client.Variants(d.Name) {
		healthy = append(healthy, subject{variant: v.Name})
	}
	for _, m := range client.Mutants(d.Name) {
		s := subject{variant: m.Variant, mutant: m.Name, scenarios: listServed(d, always)}
		named := false
		for i := range d.Requirements {
			if r := &d.Requirements[i]; isProvenBy(r, m.Name) || r.Follows[m.Name] != "" {
				named = true
				s.scenarios = append(s.scenarios, listScenarios(d, r)...)
			}
		}
		if named {
			slices.Sort(s.scenarios)
			s.scenarios = slices.Compact(s.scenarios)
			mutants = append(mutants, s)
		}
	}
	return healthy, mutants
}

// isProvenBy reports whether a requirement names a mutant as one that breaks it.
func isProvenBy(r *schema.Requirement, mutant string) bool {
	return slices.Contains(r.Mutants, mutant) || slices.Contains(r.Finding, mutant)
}

// listScenarios returns the names, as serve.Config has them, of the scenarios that a requirement looks at.
func listScenarios(d *schema.Dialect, r *schema.Requirement) []string {
	names := listPlays(r)
	if r.Observe == schema.ObservePassive || len(names) == 0 {
		names = append(names, r.Scenario...)
	}
	return listServed(d, names)
}

// listServed returns those of some scenarios that can be played.
func listServed(d *schema.Dialect, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !isServed(d, name) })
}

// listPlays returns the scenarios that the check of a requirement names. All variants of one stand for a
// pattern.
func listPlays(r *schema.Requirement) (names []string) {
	plays, _ := r.With["plays"].([]any)
	for _, p := range plays {
		names = append(names, strings.TrimRight(fmt.Sprint(p), "-*"))
	}
	return names
}

// isServed reports whether a scenario, or variants of it, can be played.
func isServed(d *schema.Dialect, name string) bool {
	return slices.ContainsFunc(serve.Scripts(d.Name), func(s serve.Script) bool { return s.Name == name || strings.HasPrefix(s.Name, name+"-") })
}

// explainUnserved returns why nothing can break a requirement yet: a scenario that its check needs cannot be
// played, or none of those that give occasion for a fault; "" if they can.
func explainUnserved(d *schema.Dialect, r *schema.Requirement) string {
	for _, name := range listPlays(r) {
		if !isServed(d, name) {
			return "the scenario " + name + " is not served yet"
		}
	}
	if len(listPlays(r)) == 0 && len(r.Scenario) > 0 && !slices.ContainsFunc(r.Scenario, func(name string) bool { return isServed(d, name) }) {
		return "the scenario " + strings.Join(r.Scenario, " or ") + " is not served yet"
	}
	return ""
}

// A judgement is what the suite made of a subject.
type judgement struct {
	subject
	results map[string]*report.Result
	cut     string // why not all was played
	busy    bool   // the machine was, so that what depends on time was left undecided
}

// breaks reports whether a requirement failed.
func (j *judgement) breaks(id string) bool { return j.verdict(id) == report.Fail }

// verdict returns what came of a requirement.
func (j *judgement) verdict(id string) report.Verdict {
	if r := j.results[id]; r != nil {
		return r.Verdict
	}
	return ""
}

// finds reports whether something was remarked about a requirement.
func (j *judgement) finds(id string) bool {
	return j.results[id] != nil && len(j.results[id].Findings) > 0
}

// describe returns what came of a requirement, with the reason.
func (j *judgement) describe(id string) string {
	r := j.results[id]
	if r == nil {
		return "not judged"
	}
	text := strings.TrimSpace(string(r.Verdict) + " " + r.Reason)
	if len(r.Findings) > 0 {
		text += "; it remarks: " + r.Findings[0].Text
	}
	return text
}

// playAndJudge plays a subject through its scenarios and judges the record.
func playAndJudge(ctx context.Context, d *schema.Dialect, checks judge.Checks, s subject) (*judgement, error) {
	t, err := serve.Run(ctx, serve.Config{Dialect: d, Command: command, Func: callBundledClient(d, s), Scenarios: s.scenarios, Jobs: jobs, Patience: patience, Text: text, With: granted, Facts: record.Facts{Operator: declared}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named(), err)
	}
	judged, err := summary.Judge(d, t, checks, summary.CallDirectly)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.named(), err)
	}
	j := &judgement{subject: s, results: map[string]*report.Result{}, cut: t.Facts.Cut}
	for i := range judged.Report.Results {
		r := &judged.Report.Results[i]
		j.results[r.ID] = r
	}
	for i := range t.Plays {
		j.busy = j.busy || t.Plays[i].Client != nil && t.Plays[i].Client.Disturbed != ""
	}
	return j, nil
}

// callBundledClient returns the bundled client as a function.
// A file that cannot be read shows in what the client does not do.
func callBundledClient(d *schema.Dialect, s subject) func(context.Context, *serve.Task) error {
	return func(ctx context.Context, t *serve.Task) error {
		ca, _ := schema.ReadFile(t.CA, maxGiven)
		keys, _ := schema.ReadFile(t.Keys, maxGiven)
		cert, _ := schema.ReadFile(t.Cert, maxGiven)
		certKey, _ := schema.ReadFile(t.CertKey, maxGiven)
		code := client.Run(ctx, client.Options{URL: t.URL, Text: t.Text, Second: t.Second, CA: string(ca), Keys: string(keys), Cert: string(cert), CertKey: string(certKey), Context: t.Context, Dialect: d.Name, Variant: s.variant, Mutant: s.mutant,
			Credentials: client.ReadCredentials(t.Credentials), Extensions: slices.Concat(serve.OptionalExtensions, t.Extensions), Timeout: timeout, Pause: pause, Stdout: t.Stdout, Stderr: t.Stderr})
		if code != 0 {
			return fmt.Errorf("exit code %d", code)
		}
		return nil
	}
}

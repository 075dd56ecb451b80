package conform

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// ClientDialects are the dialects whose clients can be judged, the current one first.
var ClientDialects = []string{"a2a-1.0", "a2a-0.3", "a2a-0.1", "a2x-0.3", "jaf-0.3", "directory-0.1", "core-schema"}

// ClientTarget is a client that is judged: the suite is the server that it calls. Command or Func is
// required.
type ClientTarget struct {
	// Command starts the client once for each scenario, without a shell and in an empty folder. {url}, {card},
	// {rpc}, {text}, {second} and {scenario} in its arguments are filled in; if it has none of them, the URL and
	// the text are appended. Its exit code is 0 if the agent answered.
	Command []string
	// Func is a client in this process, in place of a command. It returns an error if the agent did not answer,
	// and ends with its context.
	Func func(ctx context.Context, c *ClientRun) error
	Name string // of Func, for reports

	// Keep has the command started once for all scenarios: it reads what to do from its standard input
	// (docs/adapters.md).
	Keep bool
	// With are the extras that the client is granted, such as credentials: the names of serve.Extras.
	With         []string
	Hook         string // the address of the client's webhook, if it is always the same; it needs the extra webhook
	Dialect      string // one of ClientDialects; "" for the first
	Text, Second string // the message that is to be sent, and the one after it in the same conversation; "" for default texts
	// Scenarios are those that are played; none for all that the selection of requirements takes.
	Scenarios []string
	Jobs      int           // scenarios at the same time; 0 for serve.DefaultJobs
	Patience  time.Duration // for one start of the client; 0 for serve.DefaultPatience
	Dir       string        // in which the command is started; "" for an empty folder for each start
	// Declarations are what the operator states about the client: production, that it is in production.
	Declarations []string
	Judging
	Bundled bool // the client is the bundled one

	Reports  string                        // the folder that TestClient writes its reports into; "" for none
	Version  string                        // of the program, for the report
	Progress func(ClientProgress)          // is called before and after each start of the client; may be nil
	IDs      operator.Naming               // how ids are made, for tests
	Without  func(name, value string) bool // reports whether a member of our environment is kept from the client; may be nil
}

// ClientProgress is how far the run of a client has come.
type ClientProgress = serve.Progress

// ClientRun is what a client that is a function is to do: to send a text to an agent, and to show
// what came.
type ClientRun struct {
	URL      string // the base URL of the agent, below which its card is
	CardURL  string // the URL of the card
	Text     string // the message
	Second   string // the message after it, in the same conversation; "" if none is due
	Scenario string // the name of the scenario
	CA       string // the file of the certificate authority that the client is to trust; "" unless serve.WithTLS is granted
	// Cert and CertKey are the files of a certificate for the client and of its key; "" unless the agent asks for one.
	Cert, CertKey string
	Keys          string // the file of the public keys by which the client is to verify cards; "" unless serve.WithKeys is granted
	Context       string // all of this, and commands, as JSON, for a client that does what it is asked to and reports what it saw (docs/adapters.md)
	// Credentials are those that were made up for this start, if the client is granted credentials: bearer, basic, key, client-id and client-secret.
	Credentials map[string]string
	Extensions  []string  // the URIs of extensions that the client is to know, if it is granted some
	Out         io.Writer // takes what the client shows to its user: the texts and states that the agent sent
}

// RunClient starts the client once for each scenario, and judges what it sent and how it understood
// the answers. Each failure was seen twice: its scenario is played again, alone. The error is a
// mistake of the operator (*UsageError), a fault of the suite, or a context that was canceled, and
// then there may be an outcome as well.
func RunClient(ctx context.Context, target ClientTarget) (*Outcome, error) {
	return RunClientWith(ctx, target, summary.CallDirectly)
}

// RunClientWith is RunClient with another way to call the checks.
func RunClientWith(ctx context.Context, target ClientTarget, call summary.Caller) (*Outcome, error) {
	if len(target.Command) == 0 && target.Func == nil {
		return nil, &UsageError{Text: "no client to start: give its command after --, such as a2a-conform client -- node my-client.js {url} {text}"}
	}
	d, err := completeClientTarget(&target)
	if err != nil {
		return nil, err
	}
	config := serve.Config{
		Dialect: d, Command: target.Command, Text: target.Text, Second: target.Second, Jobs: target.Jobs, Patience: target.Patience, Dir: target.Dir,
		Naming: target.IDs, Without: target.Without, Facts: listClientFacts(d, &target), Progress: target.Progress, Keep: target.Keep, With: target.With, Hook: target.Hook,
	}
	if config.Scenarios, config.Reported, err = chooseClientScenarios(d, &target); err != nil {
		return nil, err
	}
	if target.Func != nil {
		config.Func = func(ctx context.Context, t *serve.Task) error {
			return target.Func(ctx, &ClientRun{URL: t.URL, CardURL: t.Card, Text: t.Text, Second: t.Second, Scenario: t.Scenario, CA: t.CA, Cert: t.Cert, CertKey: t.CertKey, Keys: t.Keys, Context: t.Context, Credentials: t.Credentials, Extensions: t.Extensions, Out: t.Stdout})
		}
		if len(config.Command) == 0 {
			config.Command = []string{cmp.Or(target.Name, "function")}
		}
	}
	config.Confirm = func(t *record.Transcript) []string {
		outcome, err := judgeTranscript(d, t, summary.CallDirectly)
		if err != nil { // it comes again when the whole record is judged
			return nil
		}
		return scenariosOfFailures(outcome)
	}
	transcript, err := serve.Run(ctx, config)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	outcome, err := judgeTranscript(d, transcript, call)
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("the run was interrupted: %w", context.Cause(ctx))
	}
	return outcome, err
}

// completeClientTarget fills in what a target leaves open, and loads its dialect.
func completeClientTarget(target *ClientTarget) (*schema.Dialect, error) {
	target.Version, target.Dialect = cmp.Or(target.Version, Version()), cmp.Or(target.Dialect, ClientDialects[0])
	if !slices.Contains(ClientDialects, target.Dialect) {
		return nil, &UsageError{Text: fmt.Sprintf("the clients of %q cannot be judged; the dialects are %s", target.Dialect, strings.Join(ClientDialects, ", "))}
	}
	if err := completeGate(&target.Judging, report.NoFailuresGate); err != nil {
		return nil, err
	}
	if err := serve.ValidateExtras(target.With); err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	for _, word := range target.Declarations {
		if schema.ExplainClientNeed(word) == "" && schema.ExplainClientNeed("declares."+word) == "" {
			return nil, &UsageError{Text: schema.Unknown("declaration about clients", word, ClientDeclarations)}
		}
	}
	d, err := schema.LoadClient(target.Dialect)
	if err != nil {
		return nil, err
	}
	return d, sameDialect(d, &Target{Dialect: target.Dialect, Judging: target.Judging})
}

// ClientDeclarations are what an operator can state about a client that no run shows.
var ClientDeclarations = []string{"production"}

// listClientFacts returns what the record states of how a client is judged.
func listClientFacts(d *schema.Dialect, target *ClientTarget) record.Facts {
	f := record.Facts{Tool: target.Version, Kind: "url", Catalogue: d.Digest, Gate: target.Gate, Selection: target.Select, Schema: target.Schema,
		Waivers: target.Waivers, SDK: target.SDK, Baseline: target.Baseline, Operator: target.Declarations}
	if target.Bundled {
		f.Kind = report.BundledTarget
	}
	return f
}

// ordinaryScenarios are those in which a client makes its ordinary calls.
var ordinaryScenarios = []string{"hello", "turns", "input-required", "poll", "stream"}

// chooseClientScenarios returns the scenarios that are named, or those in which the selected
// requirements are judged: those of any client, and those of one that reports what it saw.
func chooseClientScenarios(d *schema.Dialect, target *ClientTarget) (names, reported []string, err error) {
	if len(target.Scenarios) > 0 {
		return target.Scenarios, nil, refuseWithoutExtras(target)
	}
	ids, err := suites.Select(d, target.Select)
	if err != nil {
		return nil, nil, &UsageError{Text: err.Error()}
	}
	for _, id := range ids {
		r := d.Requirement(id)
		if r == nil || r.Check == "" {
			continue
		}
		if r.NeedsAdapter() {
			reported = append(reported, r.Scenario...)
			continue
		}
		for _, name := range r.Scenario {
			if serve.IsSpared(d.Name, name) {
				reported = append(reported, name)
			} else {
				names = append(names, name)
			}
		}
		if len(r.Scenario) == 0 { // each request of the client is looked at
			names = append(names, ordinaryScenarios...)
		}
	}
	for _, list := range []*[]string{&names, &reported} {
		slices.Sort(*list)
		*list = slices.DeleteFunc(slices.Compact(*list), func(name string) bool { return !serve.Has(d.Name, name) })
	}
	if len(names) == 0 {
		names = []string{"hello"}
	}
	return names, reported, nil
}

// refuseWithoutExtras returns an error if a scenario is named that needs an extra which the operator did not grant.
func refuseWithoutExtras(target *ClientTarget) error {
	for _, name := range target.Scenarios {
		if missing := serve.FindMissingExtras(target.Dialect, name, target.With); len(missing) > 0 {
			return &UsageError{Text: fmt.Sprintf("the scenario %s is played only if the client is granted more than its command: add --with %s", name, strings.Join(missing, ","))}
		}
	}
	return nil
}

// PlanClient returns the scenarios that RunClient plays, and starts nothing: those that are named, or those in which the selected
// requirements are judged, and what they are compared with. The error is a mistake of the operator (*UsageError).
func PlanClient(target ClientTarget) ([]serve.Script, error) {
	d, err := completeClientTarget(&target)
	if err != nil {
		return nil, err
	}
	names, _, err := chooseClientScenarios(d, &target)
	if err != nil {
		return nil, err
	}
	scripts, err := serve.ChooseScripts(d.Name, names, target.With)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	return scripts, nil
}

// scenariosOfFailures returns for each failure the first scenario in which it shows.
func scenariosOfFailures(o *Outcome) (names []string) {
	for _, r := range o.Report.Results {
		if r.Verdict != report.Fail && r.Verdict != report.Waived || len(r.Evidence) == 0 {
			continue
		}
		for _, x := range o.Transcript.Exchanges {
			if x.ID != r.Evidence[0].Exchange {
				continue
			}
			if _, p := o.Transcript.StepOf(x); p != nil && !slices.Contains(names, p.Scenario) {
				names = append(names, p.Scenario)
			}
		}
	}
	return names
}

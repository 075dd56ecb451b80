// Package conform judges A2A servers: it talks to a server, seals the
// transcript, and decides every requirement of the protocol the server speaks.
//
//	outcome, err := conform.Run(ctx, conform.Target{URL: "http://localhost:9999"})
//	if err == nil {
//		fmt.Println(outcome.Report.Verdict, outcome.Report.Reason)
//		err = outcome.Write("a2a-report")
//	}
//
// In a Go test of a server, Test makes a subtest of every requirement.
//
// Whatever the server does is in the report; an error is a slip of the operator
// (UsageError), a fault of the suite, or a context that was canceled. Judging is pure: Replay gives the verdicts of a
// recording again, without any network. Runs share nothing but the catalogue,
// which nobody changes, so that they may go on side by side.
//
// What the wire cannot show is the operator's word: the messages that make an
// agent show a behaviour (Target.Stimuli), the behaviours it does not have
// (Target.Never), and the failures that are known (Target.Waivers).
package conform

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/internal/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Outcome is a finished run: the report, and the transcript it rests on.
type Outcome struct {
	Report     *judge.Report
	Transcript *wire.Transcript
	Dialect    *schema.Dialect
}

// ExitCode is the exit code of a process that made this run.
func (o *Outcome) ExitCode() int { return judge.ExitCode(o.Report) }

// Why a run says nothing of the server, to be told apart by errors.Is.
var (
	ErrUnreachable = errors.New("the server gave no HTTP response")
	ErrVoid        = errors.New("the run counts for nothing")
)

// Err tells why the run says nothing of the server: an error that wraps ErrUnreachable or
// ErrVoid. It is nil for every other verdict, a bad one as well.
func (o *Outcome) Err() error {
	switch o.Report.Verdict {
	case judge.Unreachable:
		return fmt.Errorf("%w: %s", ErrUnreachable, o.Report.Reason)
	case judge.Void:
		return fmt.Errorf("%w: %s", ErrVoid, o.Report.Reason)
	}
	return nil
}

// Judge is a way to judge the selected requirements of a case.
type Judge func(c *judge.Case, ids []string) []judge.Result

// Direct judges by calling the checks, some at the same time.
func Direct(c *judge.Case, ids []string) []judge.Result { return c.Judge(ids) }

// Version is the version of this module as the build knows it.
func Version() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append([]*debug.Module{&b.Main}, b.Deps...) {
			if strings.HasPrefix(m.Path, "github.com/a2a-conform/a2a-conform") && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return "devel"
}

// Run talks to the target and judges it. The error is a slip of the operator
// (*UsageError) or a fault of the suite; whatever the server does is in the
// report (Outcome.Err tells a server that could not be reached). Where it takes the
// operator's word to go on from what the server said, as where its card leaves its protocol
// open, there is an outcome beside the error; and beside the one of a context that was
// canceled, which errors.Is knows.
func Run(ctx context.Context, target Target) (*Outcome, error) {
	return RunWith(ctx, target, Direct)
}

// RunWith is Run with another way to call the checks.
func RunWith(ctx context.Context, target Target, call Judge) (*Outcome, error) {
	if target.Version == "" {
		target.Version = Version()
	}
	if target.Gate == "" {
		target.Gate = "conformant"
	}
	if !judge.KnownGate(target.Gate) {
		return nil, &UsageError{Text: fmt.Sprintf("--gate %q is not one of %s", target.Gate, strings.Join(judge.Gates(), ", "))}
	}
	if target.Baseline == nil {
		var err error
		if target.Baseline, err = baseline(target.Gate); err != nil {
			return nil, err
		}
	}
	switch d := target.Dialect; {
	case strings.Contains(d, ","):
		return nil, &UsageError{Text: fmt.Sprintf("the dialect is %q, but a run judges one dialect: run once for each", d)}
	case d == "" || d == "auto":
		meant, err := DialectsOf(target)
		if err != nil {
			return nil, err
		}
		target.Prefer = append(slices.Clone(target.Prefer), meant...)
	}
	checks := suites.Checks()
	talk, err := harness.Run(ctx, harness.Target(target), func(d *schema.Dialect) ([]string, error) {
		d, err := given(d, target.Schema)
		if err != nil {
			return nil, err
		}
		if err := sameDialect(d, &target); err != nil {
			return nil, err
		}
		ids, err := suites.Select(d, target.Select)
		if err != nil {
			return nil, &UsageError{Text: err.Error()}
		}
		return Scenarios(d, checks, ids)
	})
	if err != nil && talk != nil {
		return slipOutcome(talk.Transcript), err
	}
	if err != nil {
		return nil, err
	}
	interrupted := func(o *Outcome, err error) (*Outcome, error) {
		if err == nil && talk.Transcript.Facts.Stopped && ctx.Err() != nil {
			err = fmt.Errorf("the run was interrupted: %w", context.Cause(ctx))
		}
		return o, err
	}
	if talk.Dialect == nil {
		return interrupted(unrecognisedOutcome(talk.Transcript), nil)
	}
	return interrupted(JudgeTranscript(talk.Dialect, talk.Transcript, checks, call))
}

// given is the dialect as the operator's schema has it judged, if there is one.
func given(d *schema.Dialect, s *operator.Schema) (*schema.Dialect, error) {
	if s == nil {
		return d, nil
	}
	own, err := d.Given(s.File, []byte(s.Text))
	if err != nil {
		return nil, &UsageError{Text: "--schema: " + err.Error()}
	}
	return own, nil
}

// Scenarios lists the scenarios that judging the given requirements takes.
func Scenarios(d *schema.Dialect, checks judge.Checks, ids []string) ([]string, error) {
	names, base, err := suites.Scenarios(d, checks, ids)
	if err != nil {
		return nil, err
	}
	for _, s := range scenario.All(d) {
		if base && s.Base && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names, nil
}

// JudgeTranscript judges a sealed transcript. It is all that a replay does.
func JudgeTranscript(d *schema.Dialect, t *wire.Transcript, checks judge.Checks, call Judge) (*Outcome, error) {
	d, err := given(d, t.Facts.Schema)
	if err != nil {
		return nil, err
	}
	sel := t.Facts.Selection
	ids, err := suites.Select(d, sel)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	c := judge.NewCase(d, undisguised(t), checks, nil)
	results := slices.Concat(call(c, ids), brokenBeneath(c, ids), dropped(t), outward(c.Transcript))
	c.WithoutAnswers(results)
	c.NameSteps(results)
	results = append(results, faced(t)...)
	causes := c.Causes(results)
	facts := t.Facts
	full := sel.String() == "full"
	r := newReport(t, results)
	r.Tool.Catalogue = d.Digest
	r.Target.Title = d.Title
	r.Target.Offers = offers(facts)
	r.Run.AgentInvocations = c.Invocations()
	r.Verdict = judge.Decide(results, full && !twoFaced(results), c.Reached(), cutOf(facts))
	refused, needsCredentials := c.NeedsCredentials()
	if r.NeedsCredentials = needsCredentials; needsCredentials && r.Verdict != judge.Nonconformant && r.Verdict != judge.Unreachable {
		r.Verdict = judge.Void
	}
	if card, ok := c.Card(); ok {
		sum := sha256.Sum256(card.Exchange().Response.Body)
		r.Target.Card = "sha256:" + hex.EncodeToString(sum[:])
		r.Target.Agent = judge.Shorten(c.ReadCard(card).Name(), 100)
	}
	r.Causes = causes
	r.RestOn(c)
	r.Notices = slices.Concat(notOffered(d, facts), choice(d, facts), away(c), expired(c), failing(c), withoutTasks(results), notices(t))
	r.Reason = explain(r) + spread(d, r) + leftOut(c)
	if why := unreachedReason(t); r.Verdict == judge.Unreachable && why != "" {
		r.Reason = why
	}
	if needsCredentials {
		r.Reason = explainRefused(r, refused)
	}
	r.Advice = advice(results)
	r.Waivers = c.Waivers(results)
	r.Baseline = compared(facts.Baseline, results, schema.Changes())
	if r.Verdict == judge.Unreachable || r.Target.Card == "" && len(d.Card.Paths) > 0 {
		r.Tried = facts.Tried
	}
	return &Outcome{r, t, d}, nil
}

// brokenBeneath are the broken requirements that the judged ones rest on,
// though they were not selected: leaving them out would hide why nothing could
// be decided.
func brokenBeneath(c *judge.Case, ids []string) (out []judge.Result) {
	for _, id := range ids {
		root := c.Result(id).Because
		if root == "" || slices.Contains(ids, root) || slices.ContainsFunc(out, func(r judge.Result) bool { return r.ID == root }) {
			continue
		}
		if r := c.Result(root); r.Verdict == judge.Fail || r.Verdict == judge.Waived {
			out = append(out, *r)
		}
	}
	return out
}

// cutOf tells how a run ended.
func cutOf(f wire.Facts) judge.Cut {
	switch {
	case f.Stopped:
		return judge.Interrupted
	case f.Cut != "":
		return judge.OutOfTime
	}
	return judge.Whole
}

// newReport fills in what the transcript alone tells.
func newReport(t *wire.Transcript, results []judge.Result) *judge.Report {
	facts := t.Facts
	r := &judge.Report{
		SchemaVersion: "1",
		Tool:          judge.Tool{Name: "a2a-conform", Version: facts.Tool, CatalogueVersion: schema.Changes().Latest()},
		Target: judge.Target{Kind: facts.Kind, URL: facts.Target, RPC: facts.RPC, Agents: facts.Agents, Bindings: facts.Bindings, Withheld: judge.Uncalled(facts), Dialect: facts.Dialect,
			Declares: map[string][]string{}, Insecure: facts.Insecure},
		Run: judge.Run{StartedAt: t.Started.UTC(), DurationMs: t.Duration.Milliseconds(), Exchanges: t.Spoken(),
			Repeats: repeats(t), Selection: facts.Selection.String(), Gate: facts.Gate, Waited: facts.Waited, Cut: facts.Cut},
		Summary: judge.Summarize(results),
		Results: results,
	}
	if len(facts.Never) > 0 {
		r.Target.Declares["never"] = facts.Never
	}
	if len(facts.Operator) > 0 {
		r.Target.Declares["words"] = facts.Operator
	}
	if l := facts.RateLimit; l != nil {
		r.Target.Declares["rateLimit"] = []string{fmt.Sprintf("%d requests in %v s", l.Requests, l.Seconds)}
	}
	if l := facts.Timeouts; l != nil {
		for name, seconds := range map[string]float64{"call": l.Call, "stream": l.Stream} {
			if seconds > 0 {
				r.Target.Declares["timeouts."+name] = []string{fmt.Sprintf("%v s", seconds)}
			}
		}
	}
	return r
}

// explain says in a sentence why the run has its verdict.
func explain(r *judge.Report) string {
	must := r.Summary["MUST"]
	switch r.Verdict {
	case judge.Void:
		if r.Run.Cut != "" {
			return r.Run.Cut + "; the report shows what was judged until then, but it proves nothing"
		}
		return "a2a-conform itself failed; this is not the server's fault"
	case judge.Unreachable:
		return fmt.Sprintf("the RPC endpoint %s gave no HTTP response in the whole run; if the endpoint is elsewhere, give --rpc", r.Target.RPC)
	case judge.Nonconformant:
		text := fmt.Sprintf("the server breaks %d of %d decided MUST requirements", must.Fail, must.Pass+must.Fail+must.Waived)
		if must.Inconclusive > 0 {
			text += fmt.Sprintf("; %d more could not be decided", must.Inconclusive)
		}
		if all := must.Fail + r.Summary["SHOULD"].Fail + r.Summary["MAY"].Fail; r.Causes < all {
			text += fmt.Sprintf("; all %d failures together (MUST, SHOULD and MAY) have %d cause%s", all, r.Causes, strings.Repeat("s", min(1, r.Causes-1)))
		}
		if r.Run.Cut != "" {
			text += "; " + r.Run.Cut + ", so it may break more"
		}
		return text
	case judge.Partial:
		if twoFaced(r.Results) {
			return onlyForUs(r)
		}
		if r.Run.Selection != "full" {
			return fmt.Sprintf("no MUST requirement is broken, but only part of the catalogue was judged (%s)", r.Run.Selection)
		}
		if r.Run.Cut != "" {
			return r.Run.Cut + fmt.Sprintf("; until then no MUST requirement was broken without a waiver, %s undecided", areMusts(must.Inconclusive))
		}
		switch {
		case must.Waived == 0:
			return fmt.Sprintf("no MUST requirement is broken, but %s could not be decided", musts(must.Inconclusive))
		case must.Inconclusive == 0:
			return fmt.Sprintf("no MUST requirement is broken without a waiver; %s waived", areMusts(must.Waived))
		}
		return fmt.Sprintf("no MUST requirement is broken without a waiver (%s waived), but %d could not be decided", areMusts(must.Waived), must.Inconclusive)
	}
	return fmt.Sprintf("the server meets all %d MUST requirements that apply", must.Pass)
}

// explainRefused states that no call was let in, before anything else. What is broken all the
// same follows.
func explainRefused(r *judge.Report, refused string) string {
	switch {
	case r.Verdict != judge.Void:
		return refused + "; what could be seen all the same: " + explain(r)
	case r.Summary["MUST"].SuiteError+r.Summary["SHOULD"].SuiteError+r.Summary["MAY"].SuiteError > 0, r.Run.Cut != "":
		return explain(r) + "; " + refused
	}
	return refused
}

// musts counts requirements of the highest level.
func musts(n int) string {
	if n == 1 {
		return "1 MUST requirement"
	}
	return fmt.Sprintf("%d MUST requirements", n)
}

// areMusts begins a sentence about them.
func areMusts(n int) string {
	if n == 1 {
		return musts(n) + " is"
	}
	return musts(n) + " are"
}

// advice gathers what would get undecided requirements decided, one line for
// each remedy, the one that helps most first. Behaviours for which no message
// is known make one declaration together.
func advice(results []judge.Result) []string {
	count := map[string]int{}
	var order, silent []string
	for _, r := range results {
		if r.Verdict != judge.Inconclusive || r.Remedy == "" {
			continue
		}
		if count[r.Remedy]++; count[r.Remedy] == 1 {
			order = append(order, r.Remedy)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	var out []string
	for _, remedy := range order {
		out = append(out, fmt.Sprintf("%s decides %d more", remedy, count[remedy]))
		if _, rest, ok := strings.Cut(remedy, "never: ["); ok {
			name, _, _ := strings.Cut(rest, "]")
			silent = append(silent, name)
		}
	}
	if len(silent) > 1 {
		out = append(out, fmt.Sprintf("if your agent never does any of these, declare it: declares: {never: [%s]}", strings.Join(silent, ", ")))
	}
	return out
}

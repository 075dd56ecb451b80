package repotest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/scenario/malformed"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// vocabulary are the words of a catalogue whose meaning lives in other rooms than
// the catalogue.
type vocabulary struct {
	checks  judge.Checks
	steps   map[string][]string // by scenario
	mutants []string
	claims  []string
	writer  *dialect.Writer
}

func vocabularyOf(d *schema.Dialect) (vocabulary, error) {
	v := vocabulary{checks: suites.Checks(), steps: scenario.Steps(d), claims: card.Words()}
	for _, m := range reference.Mutants(d.Name) {
		v.mutants = append(v.mutants, m.Name)
	}
	var err error
	v.writer, err = dialect.For(d.Name)
	return v, err
}

// mistakes are the words in a catalogue that mean nothing, each with where it stands
// and what may have been meant.
func (v vocabulary) mistakes(d *schema.Dialect) (mistakes []error) {
	for _, r := range d.Requirements {
		mistakes = append(mistakes, v.requirement(d, r)...)
	}
	for _, b := range d.Blocks {
		mistakes = append(mistakes, v.unclaimed(d, b.File, b.Name, b.Claims)...)
		for _, p := range b.Probes {
			if err := v.unpatched(d, b, p); err != nil {
				mistakes = append(mistakes, d.ErrorAtLine(p.File, "patch", "", "%s/%s: %v", b.Name, p.Name, err))
			}
		}
	}
	file := "schema/" + d.Name + "/dialect.yaml:1"
	for _, c := range slices.Sorted(maps.Keys(d.Card.Claims)) {
		if !slices.Contains(v.claims, c) {
			mistakes = append(mistakes, d.ErrorAtLine(file, "claims", c, "card.claims: %s", schema.Unknown("claim", c, v.claims)))
		}
	}
	written := slices.Sorted(maps.Keys(v.writer.Params))
	for _, op := range slices.Sorted(maps.Keys(d.Operations)) {
		if v.writer.Params[op] == nil {
			mistakes = append(mistakes, d.ErrorAtLine(file, "operations", op, "operations: %s", schema.Unknown("operation", op, written)))
		}
		if c := d.Operation(op).Claim; c != "" && !slices.Contains(v.claims, c) {
			mistakes = append(mistakes, d.ErrorAtLine(file, "claim", c, "operations.%s: %s", op, schema.Unknown("claim", c, v.claims)))
		}
	}
	return mistakes
}

// requirement finds the mistakes in one requirement.
func (v vocabulary) requirement(d *schema.Dialect, r schema.Requirement) (mistakes []error) {
	mistake := func(key, word, sentence string) {
		mistakes = append(mistakes, d.ErrorAtLine(r.File, key, word, "%s: %s", r.ID, sentence))
	}
	mistakes = v.unclaimed(d, r.File, r.ID, r.Claims)
	for key, named := range map[string][]string{"mutants": r.Mutants, "finding": r.Finding, "used": r.Used} {
		for _, m := range named {
			if !slices.Contains(v.mutants, m) {
				mistake(key, m, schema.Unknown("mutant", m, v.mutants))
			}
		}
	}
	if r.Check == "" {
		return mistakes
	}
	check, ok := v.checks[r.Check]
	if !ok {
		mistake("check", r.Check, schema.Unknown("check", r.Check, v.checks.Names()))
		return mistakes
	}
	steps, err := check.Needs(r.With)
	if err != nil {
		word, sentence := r.Check, "the parameters of "+r.Check+": "+err.Error()
		if _, unknown, ok := strings.Cut(err.Error(), "unknown field "); ok {
			word = strings.Trim(unknown, `"`)
			sentence = schema.Unknown("parameter", word, check.Members())
		}
		mistake("with", word, sentence)
		return mistakes
	}
	for _, w := range said(r.With) { // steps that are no reason to play their scenario
		if of, _, ok := strings.Cut(w, "/"); ok && v.steps[of] != nil && !slices.Contains(steps, w) {
			steps = append(steps, w)
		}
	}
	for _, s := range steps {
		if word, sentence := v.unsaid(s); sentence != "" {
			mistake("with", stated(r, s, word), sentence)
		}
	}
	names, err := check.ErrorNames(r.With)
	if err != nil {
		mistake("with", r.Check, err.Error())
	}
	known := slices.Sorted(maps.Keys(d.Errors))
	for _, n := range names {
		if !slices.Contains(known, n) {
			mistake("with", n, schema.Unknown("error", n, known))
		}
	}
	return mistakes
}

// unsaid is what is wrong with the name of a step, and which part of it.
func (v vocabulary) unsaid(name string) (word, sentence string) {
	of, step, ok := strings.Cut(name, "/")
	known := v.steps[of]
	switch {
	case !ok:
		return name, fmt.Sprintf("%q is no step; write scenario/step", name)
	case known == nil:
		return of, schema.Unknown("scenario", of, slices.Sorted(maps.Keys(v.steps)))
	case step != "" && !scenario.IsStep(known, step):
		var names []string
		for _, s := range known {
			names = append(names, of+"/"+s)
		}
		return step, schema.Unknown("step", name, names)
	}
	return "", ""
}

// unclaimed finds mistakes among the claims of a card that something asks for.
func (v vocabulary) unclaimed(d *schema.Dialect, file, name string, claims []string) (mistakes []error) {
	for _, c := range claims {
		if word := strings.TrimPrefix(c, "no-"); !slices.Contains(v.claims, word) {
			mistakes = append(mistakes, d.ErrorAtLine(file, "claims", c, "%s: %s", name, schema.Unknown("claim", word, v.claims)))
		}
	}
	return mistakes
}

// unpatched tells why a probe's patch cannot be made on the valid request.
func (v vocabulary) unpatched(d *schema.Dialect, b schema.Block, p schema.Probe) error {
	op := p.Op
	if op == "" {
		op = b.Op
	}
	write := v.writer.Params[op]
	if len(p.Patch) == 0 || write == nil {
		return nil
	}
	o := dialect.Outgoing{Text: "hello", Task: "t", Context: "c", Message: "m", Entry: &dialect.Entry{}, Wanted: []string{"w"}, Sender: "s"}
	if v.writer.Push != nil {
		o.Push = v.writer.Push(dialect.Push{URL: "http://h/", Token: "t", Scheme: "Bearer", Credentials: "c"})
	}
	request, err := malformed.Bent(p, binding.Request{Op: op, ID: "i", Params: write(o)})
	if err == nil {
		_, err = binding.ByNameOrDefault(d, "").Encode("", request)
	}
	return err
}

// stated is the name of a step as the parameters have it: whole, or the part that is
// wrong where the check puts it together.
func stated(r schema.Requirement, name, part string) string {
	if slices.Contains(said(r.With), name) {
		return name
	}
	return part
}

// said are the words in the parameters of a requirement, keys included.
func said(with any) (out []string) {
	switch with := with.(type) {
	case string:
		return []string{with}
	case []any:
		for _, e := range with {
			out = append(out, said(e)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(with)) {
			out = append(append(out, key), said(with[key])...)
		}
	}
	return out
}

// A dialect that nobody speaks, with a line for each mistake to be made in.
var wordy = map[string]string{
	"dialect.yaml": `name: zz-9.9
title: ZZ 9.9
prefix: ZZ99
source: {title: A made-up protocol, version: "9.9"}
card: {claims: {streaming: /can/stream}}
operations: {send: {agent: true}, get: {about: task}, cancel: {about: task, claim: push}}
bindings: {JSONRPC: {kind: jsonrpc, methods: {send: do, get: look, cancel: drop}}}
errors:
  TaskNotFound: -32001
  InvalidParams: -32602
shapes: {card: Card}
`,
	"a2a.json": `{"$schema":"https://json-schema.org/draft/2020-12/schema","$defs":{"Card":{"type":"object"}}}`,
	"probes.yaml": `blocks:
  - name: envelope
    op: get
    claims: [streaming]
    probes:
      - {name: no-id, patch: [{op: remove, path: /id}], then: get}
`,
	"requirements/errors.yaml": `source: A made-up protocol 9.9
requirements:
  - id: ZZ99-ERR-001
    level: MUST
    area: errors
    section: "1"
    statement: It holds.
    claims: [no-push, auth]
    check: errors/refused
    with:
      steps: [envelope/no-id]
      codes: [InvalidParams]
    mutants: [wrong-code]
    finding: [odd-code]
  - id: ZZ99-ERR-002
    level: MUST
    area: errors
    section: "1"
    statement: It holds too.
    check: ratelimit/refused
    with: {scenario: flood, code: TaskNotFound}
`,
}

// A mistake that only other rooms can tell is told with its line and what may have been
// meant.
func TestCatalogueMistakesOfOtherRooms(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"none", "dialect.yaml", "ZZ 9.9", "ZZ 9.9", ""},
		{"a check", "requirements/errors.yaml", "errors/refused", "errors/refusd",
			"requirements/errors.yaml:9: ZZ99-ERR-001: unknown check errors/refusd; did you mean errors/refused?"},
		{"a scenario", "requirements/errors.yaml", "[envelope/no-id]", "[envelop/no-id]",
			"requirements/errors.yaml:11: ZZ99-ERR-001: unknown scenario envelop; did you mean envelope?"},
		{"a scenario alone", "requirements/errors.yaml", "scenario: flood", "scenario: flud",
			"requirements/errors.yaml:21: ZZ99-ERR-002: unknown scenario flud; did you mean flood?"},
		{"a scenario of other dialects", "requirements/errors.yaml", "[envelope/no-id]", "[stream/subscribe]",
			"requirements/errors.yaml:11: ZZ99-ERR-001: unknown scenario stream; no known name is like it"},
		{"a probe", "requirements/errors.yaml", "[envelope/no-id]", "[envelope/no-ids]",
			"requirements/errors.yaml:11: ZZ99-ERR-001: unknown step envelope/no-ids; did you mean envelope/no-id?"},
		{"a probe that is gone", "probes.yaml", "name: no-id", "name: empty",
			"requirements/errors.yaml:11: ZZ99-ERR-001: unknown step envelope/no-id; choose one of envelope/twin, envelope/task, envelope/empty, envelope/empty-then, envelope/alive"},
		{"a step", "requirements/errors.yaml", "[envelope/no-id]", "[envelope/twin, quick/sned]",
			"requirements/errors.yaml:11: ZZ99-ERR-001: unknown step quick/sned; did you mean quick/send?"},
		{"no step", "requirements/errors.yaml", "[envelope/no-id]", "[envelope]",
			`requirements/errors.yaml:11: ZZ99-ERR-001: "envelope" is no step; write scenario/step`},
		{"an error", "requirements/errors.yaml", "[InvalidParams]", "[InvalidParms]",
			"requirements/errors.yaml:12: ZZ99-ERR-001: unknown error InvalidParms; did you mean InvalidParams?"},
		{"an error alone", "requirements/errors.yaml", "code: TaskNotFound", "code: TaskNotFund",
			"requirements/errors.yaml:21: ZZ99-ERR-002: unknown error TaskNotFund; did you mean TaskNotFound?"},
		{"an error that is gone", "dialect.yaml", "  InvalidParams:", "  InvalidRequest:",
			"requirements/errors.yaml:12: ZZ99-ERR-001: unknown error InvalidParams; choose one of InvalidRequest, TaskNotFound"},
		{"a parameter", "requirements/errors.yaml", "      codes:", "      code:",
			"requirements/errors.yaml:12: ZZ99-ERR-001: unknown parameter code; did you mean codes?"},
		{"a claim", "requirements/errors.yaml", "[no-push, auth]", "[no-pusch, auth]",
			"requirements/errors.yaml:8: ZZ99-ERR-001: unknown claim pusch; did you mean push?"},
		{"a claim of a block", "probes.yaml", "claims: [streaming]", "claims: [steaming]",
			"probes.yaml:4: envelope: unknown claim steaming; did you mean streaming?"},
		{"a claim in dialect.yaml", "dialect.yaml", "{streaming:", "{streamin:",
			"dialect.yaml:5: card.claims: unknown claim streamin; did you mean streaming?"},
		{"an operation that nobody writes", "dialect.yaml",
			"cancel: {about: task, claim: push}}\nbindings: {JSONRPC: {kind: jsonrpc, methods: {send: do, get: look, cancel: drop}}}",
			"cancle: {about: task, claim: push}}\nbindings: {JSONRPC: {kind: jsonrpc, methods: {send: do, get: look, cancle: drop}}}",
			"dialect.yaml:6: operations: unknown operation cancle; did you mean cancel?"},
		{"a claim of an operation", "dialect.yaml", "claim: push", "claim: pusch",
			"dialect.yaml:6: operations.cancel: unknown claim pusch; did you mean push?"},
		{"a mutant", "requirements/errors.yaml", "[wrong-code]", "[wrong-codes]",
			"requirements/errors.yaml:13: ZZ99-ERR-001: unknown mutant wrong-codes; did you mean wrong-code?"},
		{"a mutant of a finding", "requirements/errors.yaml", "[odd-code]", "[old-code]",
			"requirements/errors.yaml:14: ZZ99-ERR-001: unknown mutant old-code; did you mean odd-code?"},
		{"a patch", "probes.yaml", "path: /id}", "path: /taskID}",
			"probes.yaml:6: envelope/no-id: error in remove for path: '/taskID': unable to remove nonexistent key: taskID: missing value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(wordy[c.file], c.old) != 1 {
				t.Fatalf("%q is not there once", c.old)
			}
			files := fstest.MapFS{}
			for name, text := range wordy {
				if name == c.file {
					text = strings.Replace(text, c.old, c.new, 1)
				}
				files["zz-9.9/"+name] = &fstest.MapFile{Data: []byte(text)}
			}
			d, err := schema.LoadFS(files, "zz-9.9")
			if err != nil {
				t.Fatal(err)
			}
			writer, err := dialect.For("a2a-0.1")
			if err != nil {
				t.Fatal(err)
			}
			words := vocabulary{suites.Checks(), scenario.Steps(d), []string{"wrong-code", "odd-code"}, card.Words(), writer}
			got, want := fmt.Sprint(errors.Join(words.mistakes(d)...)), "<nil>"
			if c.want != "" {
				want = "schema/zz-9.9/" + c.want
			}
			if got != want {
				t.Errorf("got\n\t%s\nwant\n\t%s", got, want)
			}
		})
	}
}

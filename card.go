package conform

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	cardchecks "github.com/a2a-conform/a2a-conform/suites/card"
	"github.com/a2a-conform/a2a-conform/suites/cardtext"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// CardBy is by what a card is judged alone. The zero value takes all from the card.
type CardBy struct {
	Dialect string // a dialect's name, or "auto" (also ""): the one that the card declares
	CardKey string // public keys of the card's signers, as in Target.CardKey
}

// CardTool names a program and the catalogues by which it judges cards.
func CardTool(version string) report.Tool {
	return report.Tool{Name: "a2a-conform", Version: version, CatalogueVersion: schema.Changes().Latest()}
}

// RuleJSON is the rule that a card which is no JSON object breaks. No dialect is known of such a card.
const RuleJSON = "card-json"

// mostProblems bounds what is listed of one card.
const mostProblems = 400

// JudgeCard judges a card alone: by the requirements of its dialect that its bytes decide, and for what else
// its owner should know. source is the name that the card is shown by. Nothing is called. The
// checks and their texts are those of a run, on a transcript that holds nothing but the card.
func JudgeCard(source string, x *record.Exchange, by CardBy) (*report.JudgedCard, error) {
	body := x.Response.Body
	sum := sha256.Sum256(body)
	out := &report.JudgedCard{Source: source, Digest: "sha256:" + hex.EncodeToString(sum[:]), Verdict: report.Conformant,
		Summary: report.Summarize(nil), Problems: []report.CardProblem{}}
	places := cardPlaces{lines: record.SplitLines(body), root: x.Reply().Root}
	if fault := brokenCard(x); fault != nil {
		places.failCardForJSONFault(out, *fault)
		return out, nil
	}
	d, offers, fits, err := dialectOfCard(source, places.root, by.Dialect)
	if err != nil {
		return nil, err
	}
	key, err := harness.ReadCardKey(by.CardKey)
	if err != nil {
		return nil, err
	}
	if key == record.KeysFromHeader {
		return nil, &UsageError{Text: "--card-key jku would fetch keys from the server, but a card is judged without a call; give a file with the public keys"}
	}
	t := &record.Transcript{Facts: record.Facts{Tool: Version(), Kind: "url", Dialect: d.Name, Catalogue: d.Digest, CardKey: key, Given: []string{"--card"}},
		Plays: []record.Play{{Scenario: "card", Attempt: 1, Steps: []record.Step{{Name: "configured", Role: record.Main, Op: "card", Elsewhere: true, Exchange: x}}}}}
	t.Seal()
	results, err := summary.JudgeCard(d, t, suites.Checks())
	if err != nil {
		return nil, err
	}
	out.Dialect, out.Title, out.Offers = d.Name, d.Title, offers
	out.Agent = shorten.Visible(card.Of(d, places.root).Name(), 100)
	out.Summary = report.Summarize(results)
	if c := out.Summary["MUST"]; c.Fail > 0 {
		out.Verdict = report.Nonconformant
	}
	texts := cardtext.Find(d, places.root, hostOf(x.URL))
	for i := range results {
		r := &results[i]
		switch r.Verdict {
		case report.SuiteError:
			return nil, fmt.Errorf("a2a-conform itself failed on %s: %s", r.ID, r.Reason)
		case report.Inconclusive:
			out.Undecided = append(out.Undecided, r.ID)
		}
		places.addResult(out, r)
	}
	known := slices.Clone(out.Problems)
	for _, f := range texts {
		if !isJudged(d, known, f) {
			places.addFinding(out, f)
		}
	}
	sortBoundAndRedactProblems(out, texts)
	if len(fits) > 0 {
		out.Notices = append(out.Notices, fmt.Sprintf("the card fits %s too; give --dialect to judge it by another than %s", strings.Join(fits, ", "), d.Name))
	}
	if key == "" && isSigned(d, places.root) {
		out.Notices = append(out.Notices, "the signatures were not verified, since no key was given: --card-key FILE")
	}
	return out, nil
}

// brokenCard returns why a text is no card at all; nil if it is a JSON object.
func brokenCard(x *record.Exchange) *record.JSONFault {
	reply := x.Reply()
	for _, fault := range reply.Faults {
		switch fault.Kind {
		case record.FaultEmpty, record.FaultNotJSON, record.FaultTooDeep, record.FaultTooLarge, record.FaultTrailingBytes:
			return &fault
		}
	}
	if root := reply.Root; root == nil || root.Kind != record.Object {
		return &record.JSONFault{Kind: record.FaultNotJSON, Detail: "the text holds JSON, but not an object"}
	}
	return nil
}

// dialectOfCard returns the dialect to judge a card by, the later or earlier versions that the card declares too,
// and the names of the others that it fits by chance.
func dialectOfCard(source string, root *record.Node, named string) (d *schema.Dialect, otherDeclaredDialects []report.Offer, chanceFits []string, err error) {
	declared, err := harness.DetectDialects(root)
	if err != nil {
		return nil, nil, nil, err
	}
	sortBySource(declared, source)
	chosen := named == "" || named == "auto"
	switch {
	case !chosen:
	case len(declared) == 0:
		return nil, nil, nil, &UsageError{Text: fmt.Sprintf("%s holds an agent card %s, and no known protocol has such cards; give --dialect NAME (%s)",
			redact.StripSecrets(source), harness.DescribeCardVersion(root), strings.Join(CardDialects(), ", "))}
	default:
		named = declared[0]
	}
	if d, err = schema.Load(named); err != nil {
		return nil, nil, nil, &UsageError{Text: "--dialect: " + err.Error()}
	}
	if len(d.Card.Paths) == 0 {
		return nil, nil, nil, &UsageError{Text: fmt.Sprintf("--dialect: %s has no agent card; these have one: %s", d.Name, strings.Join(CardDialects(), ", "))}
	}
	for _, name := range declared {
		other, err := schema.Outline(name)
		switch {
		case err != nil || name == d.Name:
		case slices.Contains(d.Detect.Supersedes, name) || slices.Contains(other.Detect.Supersedes, d.Name):
			otherDeclaredDialects = append(otherDeclaredDialects, report.Offer{Dialect: name, Title: other.Title})
		case chosen:
			chanceFits = append(chanceFits, name)
		}
	}
	return d, otherDeclaredDialects, chanceFits, nil
}

// sortBySource sorts dialects that a card fits. Those come first whose cards have the name that the file or
// the URL ends in; if it ends in none, those last that fit others' cards too.
func sortBySource(names []string, source string) {
	source, _, _ = strings.Cut(filepath.ToSlash(source), "?")
	base := path.Base(source)
	rank := func(name string) int {
		d, err := schema.Outline(name)
		switch {
		case err != nil:
			return 3
		case slices.ContainsFunc(d.Card.Paths, func(p string) bool { return path.Base(p) == base }):
			return 0
		case d.Detect.Narrow:
			return 2
		}
		return 1
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
}

// CardDialects lists the dialects whose cards can be judged alone.
func CardDialects() (names []string) {
	for _, name := range schema.Names() {
		if d, err := schema.Outline(name); err == nil && len(d.Card.Paths) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// isSigned reports whether a card has signatures that its dialect has verified.
func isSigned(d *schema.Dialect, root *record.Node) bool {
	list := root.Member("signatures")
	return list != nil && list.Kind == record.Array && len(list.Elems) > 0 && d.Requirement(d.Prefix+"-SIGN-001") != nil
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Hostname()
	}
	return ""
}

// isJudged reports whether a requirement has already told of what a finding is about.
func isJudged(d *schema.Dialect, known []report.CardProblem, f cardtext.Finding) bool {
	return slices.ContainsFunc(known, func(p report.CardProblem) bool {
		if p.Pointer != f.Pointer {
			return false
		}
		check := ""
		if r := d.Requirement(p.Rule); r != nil {
			check = r.Check
		}
		switch {
		case strings.HasPrefix(f.Rule, "credential"):
			return p.Kind != report.CardFinding && check == "discovery/no-secret-words"
		case f.Rule == "address-no-scheme":
			return p.Kind != report.CardFinding
		}
		return false
	})
}

// sortBoundAndRedactProblems sorts and bounds the problems of a card, and takes the secrets out of them.
func sortBoundAndRedactProblems(out *report.JudgedCard, secretFindings []cardtext.Finding) {
	slices.SortStableFunc(out.Problems, func(a, b report.CardProblem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(rankKind(a), rankKind(b)))
	})
	if n := len(out.Problems); n > mostProblems {
		out.Problems, out.More = out.Problems[:mostProblems], n-mostProblems
	}
	var secrets []redact.Secret
	for _, f := range secretFindings {
		if f.Secret != "" {
			secrets = append(secrets, redact.Secret{Name: "credential on the card", Value: f.Secret})
		}
	}
	r := redact.NewRedactor(secrets)
	for i := range out.Problems {
		p := &out.Problems[i]
		p.Got, p.Want, p.Fix = r.String(p.Got), r.String(p.Want), r.String(p.Fix)
	}
	out.Agent = r.String(out.Agent)
}

// rankKind sorts findings behind what breaks a requirement at the same place.
func rankKind(p report.CardProblem) int {
	if p.Kind == report.CardFinding {
		return 1
	}
	return 0
}

// cardPlaces adds what was found on a card, each with its position in the text.
type cardPlaces struct {
	lines *record.Lines
	root  *record.Node
}

func (c cardPlaces) addProblem(out *report.JudgedCard, p report.CardProblem) {
	at := c.lines.LocatePointer(c.root, p.Pointer)
	p.Line, p.Column = at.Line, at.Column
	out.Problems = append(out.Problems, p)
}

// failCardForJSONFault adds that the text is no JSON object.
func (c cardPlaces) failCardForJSONFault(out *report.JudgedCard, fault record.JSONFault) {
	out.Verdict = report.Nonconformant
	must := out.Summary[string(schema.Must)]
	must.Fail++
	out.Summary[string(schema.Must)] = must
	at := c.lines.LocateOffset(fault.Offset)
	out.Problems = append(out.Problems, report.CardProblem{Rule: RuleJSON, Kind: report.CardFailure, Level: schema.Must, Statement: "An agent card must be a JSON object.",
		Line: at.Line, Column: at.Column, Got: shorten.Visible(fault.Detail, 200), Want: "a JSON object (RFC 8259)", Fix: "Correct the text at this place; what follows it was not judged."})
}

// addResult adds what a requirement came to: each place at which it is broken, and what else was seen.
func (c cardPlaces) addResult(out *report.JudgedCard, r *report.Result) {
	problem := report.CardProblem{Rule: r.ID, Level: r.Level, Section: r.Section, Statement: r.Statement, Because: r.Because}
	if r.Verdict == report.Fail {
		problem.Kind = map[schema.Level]string{schema.Must: report.CardFailure, schema.Should: report.CardWarning}[r.Level]
		problem.Kind, problem.Fix = cmp.Or(problem.Kind, report.CardNote), r.Fix
		for _, w := range r.Why {
			p := problem
			p.Pointer, p.Got, p.Want = w.At.Pointer, sayCardInsteadOfServer(w.Came()), w.Due
			c.addProblem(out, p)
		}
		if len(r.Why) == 0 {
			problem.Got = sayCardInsteadOfServer(r.Reason)
			if len(r.Evidence) > 0 {
				problem.Pointer = r.Evidence[0].Pointer
			}
			c.addProblem(out, problem)
		}
		out.More += r.More
	}
	problem.Kind, problem.Fix = report.CardFinding, ""
	for _, f := range r.Findings {
		if strings.HasPrefix(f.Text, cardchecks.UncallableAddress) { // package cardtext explains them
			continue
		}
		p := problem
		p.Got = sayCardInsteadOfServer(f.Text)
		if f.Evidence != nil {
			p.Pointer = f.Evidence.Pointer
		}
		c.addProblem(out, p)
	}
}

// sayCardInsteadOfServer returns a text about what a server sent as one about a card.
func sayCardInsteadOfServer(text string) string {
	if rest, ok := strings.CutPrefix(text, "the server sent "); ok {
		return "the card has " + rest
	}
	if rest, ok := strings.CutPrefix(text, "the server "); ok {
		return "the card " + rest
	}
	return text
}

func (c cardPlaces) addFinding(out *report.JudgedCard, f cardtext.Finding) {
	c.addProblem(out, report.CardProblem{Rule: f.Rule, Kind: report.CardFinding, Statement: cardtext.Describe(f.Rule), Pointer: f.Pointer,
		Got: shorten.Visible(f.Got, 300), Want: f.Want, Fix: f.Fix})
}

// Package gateway judges what is between callers and an agent, from a record in which the same conversations were held
// directly and through it. Each check is a pure function of the record.
package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// UpstreamNeed is what a requirement needs that only a server of ours behind the gateway shows.
const UpstreamNeed = "upstream"

// FindingOnly is why what breaks a requirement is a finding.
const FindingOnly = "no sentence forbids a gateway this, or the texts can be read in two ways: what is seen is reported, and is never a failure"

// upstreamRemedy is the flag by which more is decided.
const upstreamRemedy = "--upstream-listen HOST:PORT, with the gateway set up to pass calls on to that address"

// params are the parameters of the checks. Each check reads its own.
type params struct {
	Play      string   `json:"play"`
	Plays     []string `json:"plays"`
	Step      string   `json:"step"`
	Field     string   `json:"field"`
	Fields    []string `json:"fields"`
	Option    string   `json:"option"`
	Value     string   `json:"value"`
	Entries   []string `json:"entries"`
	Extension bool     `json:"extension"` // the field by which calls of the dialect ask for extensions
	Media     bool     `json:"media"`     // only the media type counts
	Weak      bool     `json:"weak"`      // a value may be weaker
	Status    int      `json:"status"`
	Type      string   `json:"type"`
	Kind      string   `json:"kind"`
	What      string   `json:"what"`
}

// outcome is what a check came to.
type outcome struct {
	verdict  report.Verdict
	reason   string
	remedy   string
	evidence []report.Evidence
}

// pair is one call of a conversation, as it was made directly and through the gateway, and the requests that arrived because
// of it.
type pair struct {
	play, step      string
	binding         string
	direct, through *record.Exchange
	arrived         []*record.Exchange
	index           int
	attempt         int // of the conversation
}

// judged is a record that is judged.
type judged struct {
	dialect *schema.Dialect
	facts   record.Facts
	pairs   []pair
	steps   map[*record.Exchange]string
}

// check decides one requirement.
type check func(j *judged, p params) outcome

var checks = map[string]check{}

// Checks lists the names of the checks.
func Checks() []string { return slices.Sorted(maps.Keys(checks)) }

// readPairs reads the pairs of a record. Of a conversation that was held once more, the last attempt counts.
func readPairs(d *schema.Dialect, t *record.Transcript) *judged {
	j := &judged{dialect: d, facts: t.Facts, steps: map[*record.Exchange]string{}}
	for p, s := range t.Steps() {
		if s.Exchange == nil {
			continue
		}
		j.steps[s.Exchange] = p.Scenario + "/" + s.Name
		name, _, _ := strings.Cut(s.Name, "-"+string(s.Side))
		i := slices.IndexFunc(j.pairs, func(q pair) bool { return q.play == p.Scenario && q.binding == p.Subject.Binding && q.step == name })
		if i < 0 {
			i = len(j.pairs)
			j.pairs = append(j.pairs, pair{play: p.Scenario, step: name, binding: p.Subject.Binding, index: i, attempt: p.Attempt})
		}
		q := &j.pairs[i]
		if p.Attempt > q.attempt {
			q.direct, q.through, q.arrived, q.attempt = nil, nil, nil, p.Attempt
		}
		switch s.Side {
		case record.DirectSide:
			q.direct = s.Exchange
		case record.ThroughSide:
			q.through = s.Exchange
		case record.ArrivedSide:
			q.arrived = append(q.arrived, s.Exchange)
		}
	}
	return j
}

// findPair returns the pair of a conversation and a step; without a step the first one of the conversation. It is nil if one half
// is missing.
func (j *judged) findPair(play, step string) *pair {
	for i := range j.pairs {
		if q := &j.pairs[i]; q.play == play && (step == "" || q.step == step) && q.direct != nil && q.through != nil {
			return q
		}
	}
	return nil
}

// findDirect returns the call of a step as it was made directly, whether or not it was made through the gateway too; nil if it was not.
func (j *judged) findDirect(play, step string) *record.Exchange {
	for i := range j.pairs {
		if q := &j.pairs[i]; q.play == play && q.step == step && q.direct != nil {
			return q.direct
		}
	}
	return nil
}

// listOfKind returns the pairs of a conversation and a step in the bindings of a kind; of all kinds if it is "".
func (j *judged) listOfKind(kind, play, step string) (out []*pair) {
	for i := range j.pairs {
		q := &j.pairs[i]
		is := j.dialect.Bindings[q.binding].Kind
		if q.direct != nil && q.through != nil && is != "" && (kind == "" || is == kind) && q.play == play && (step == "" || q.step == step) {
			out = append(out, q)
		}
	}
	return out
}

// citeExchanges points at exchanges.
func (j *judged) citeExchanges(all ...*record.Exchange) (out []report.Evidence) {
	for _, x := range all {
		if x != nil && x.ID > 0 {
			out = append(out, report.Evidence{Exchange: x.ID, Step: j.steps[x]})
		}
	}
	return out
}

func (j *judged) passWith(reason string, x ...*record.Exchange) outcome {
	return outcome{verdict: report.Pass, reason: reason, evidence: j.citeExchanges(x...)}
}

func (j *judged) failWith(x []*record.Exchange, format string, args ...any) outcome {
	return outcome{verdict: report.Fail, reason: fmt.Sprintf(format, args...), evidence: j.citeExchanges(x...)}
}

func leaveUndecided(format string, args ...any) outcome {
	return outcome{verdict: report.Inconclusive, reason: fmt.Sprintf(format, args...)}
}

func notApplicable(format string, args ...any) outcome {
	return outcome{verdict: report.NotApplicable, reason: fmt.Sprintf(format, args...)}
}

// showText returns a text of others for a reason.
func showText(text string) string { return shorten.Visible(shorten.Clip(text, 120), 120) }

// answersOf returns the answer by which a call of a pair was answered on each way.
func (j *judged) answersOf(q *pair, op string) (direct, through binding.Answer) {
	b := binding.ByNameOrDefault(j.dialect, q.binding)
	return b.Decode(op, q.direct), b.Decode(op, q.through)
}

// whyUnusable returns why nothing can be seen at a pair; "" if something can.
func whyUnusable(q *pair) string {
	switch {
	case q == nil:
		return "the conversation was not held"
	case q.direct.Ended == record.Aborted || q.through.Ended == record.Aborted:
		return "the run ended before the conversation did"
	case q.direct.Ended == record.Limit || q.through.Ended == record.Limit:
		return "an answer goes beyond the bounds of what this program keeps"
	case !q.direct.Answered():
		return "the server itself does not answer this call"
	case !q.through.Answered():
		return "the gateway does not answer this call"
	case lacksHTTP2(q):
		return noHTTP2
	}
	return ""
}

// noHTTP2 is why calls of gRPC show nothing at an address that is one for HTTP/1.1.
const noHTTP2 = "the gateway takes no HTTP/2 at the address at which it is called by gRPC"

// lacksHTTP2 reports whether a call over HTTP/2 is answered by HTTP/1.1 through the gateway, and not so directly: then the gateway
// is called at a wrong address.
func lacksHTTP2(q *pair) bool { return isOlderAnswer(q.through) && !isOlderAnswer(q.direct) }

// isOlderAnswer reports whether a call over HTTP/2 is answered by HTTP/1.1.
func isOlderAnswer(x *record.Exchange) bool {
	return x.HTTP2 != nil && x.Answered() && !strings.HasPrefix(x.Response.Proto(), "HTTP/2")
}

// isUnseen reports whether what came through the gateway is not known: the run or the bounds of this program ended it, or it came by
// another protocol.
func isUnseen(q *pair) bool {
	return q.through.Ended == record.Aborted || q.through.Ended == record.Limit || lacksHTTP2(q)
}

// refusedByGateway returns in words that the gateway answers in the place of the server; "" if the status is that of the server.
func refusedByGateway(q *pair) string {
	if q.direct.Status() == q.through.Status() {
		direct, through := q.direct.GRPC(), q.through.GRPC()
		if direct == nil || through == nil || !direct.Coded || !through.Coded || direct.Code == through.Code {
			return ""
		}
		return fmt.Sprintf("it is answered with the status %s of gRPC through the gateway, and with %s directly", describeCode(through), describeCode(direct))
	}
	return fmt.Sprintf("it is answered with HTTP status %d through the gateway, and with %d directly", q.through.Status(), q.direct.Status())
}

// describeCode names a status of gRPC.
func describeCode(g *record.GRPC) string { return cmp.Or(g.Status(), fmt.Sprint(g.Code)) }

// requirePair returns the pair of a conversation whose request arrived, or what the check comes to without one.
func (j *judged) requirePair(p params) (*pair, *outcome) {
	q := j.findPair(p.Play, p.Step)
	if why := whyUnusable(q); why != "" {
		o := leaveUndecided("%s (%s)", why, p.Play)
		return nil, &o
	}
	return q, nil
}

// requireServed returns the pair of a conversation that the gateway did not refuse itself, or what the check comes to without one.
func (j *judged) requireServed(p params) (*pair, *outcome) {
	q, stop := j.requirePair(p)
	if stop != nil {
		return nil, stop
	}
	if why := refusedByGateway(q); why != "" {
		o := leaveUndecided("%s", why)
		return nil, &o
	}
	return q, nil
}

// requireArrived returns the pair of a conversation and the request of it that arrived, or what the check comes to without one.
func (j *judged) requireArrived(p params) (*pair, *record.Exchange, *outcome) {
	q := j.findPair(p.Play, p.Step)
	if q == nil {
		o := leaveUndecided("the conversation %s was not held", p.Play)
		return nil, nil, &o
	}
	if len(q.arrived) == 0 {
		o := leaveUndecided("the request of the conversation %s did not reach the server", p.Play)
		o.evidence = j.citeExchanges(q.through)
		return nil, nil, &o
	}
	return q, q.arrived[0], nil
}

// Judge judges a sealed record by all requirements on gateways.
func Judge(d *schema.Dialect, t *record.Transcript) ([]report.Result, error) {
	j := readPairs(d, t)
	var out []report.Result
	for i := range schema.LoadGateways().Requirements {
		r := &schema.LoadGateways().Requirements[i]
		o, err := j.decideRequirement(r)
		if err != nil {
			return nil, err
		}
		result := report.Result{ID: r.ID, Level: r.Level, Area: r.Area, Section: r.Section, Statement: r.Statement, Readings: r.Readings, Applied: r.Applied,
			Verdict: o.verdict, Reason: o.reason, Remedy: o.remedy, Evidence: o.evidence, Findings: []report.Finding{}}
		if result.Evidence == nil {
			result.Evidence = []report.Evidence{}
		}
		if r.Finding {
			result.FindingOnly = FindingOnly
		}
		switch {
		case o.verdict == report.Fail && r.Finding:
			f := report.Finding{Text: o.reason + ". What users meet: " + r.Meets}
			if len(o.evidence) > 0 {
				f.Evidence = &o.evidence[0]
			}
			result.Verdict, result.Findings = report.Pass, append(result.Findings, f)
		case o.verdict == report.Fail:
			result.Fix = "What users meet: " + r.Meets
		}
		out = append(out, result)
	}
	return out, nil
}

// decideRequirement has a requirement decided by its check.
func (j *judged) decideRequirement(r *schema.GatewayRequirement) (outcome, error) {
	c := checks[r.Check]
	if c == nil {
		return outcome{}, fmt.Errorf("%s: there is no check %q", r.ID, r.Check)
	}
	var p params
	text, err := json.Marshal(r.With)
	if err == nil {
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		err = strict.Decode(&p)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("%s: with: %w", r.ID, err)
	}
	if slices.Contains(r.Needs, UpstreamNeed) && !j.facts.Upstream {
		return outcome{verdict: report.Inconclusive, reason: "only a server of this program behind the gateway shows it", remedy: upstreamRemedy}, nil
	}
	if slices.Contains(ofIntermediaries, r.Check) && sameAddress(j.facts.Target, j.facts.Through) {
		return notApplicable("the gateway is called at the address of the server, so that nothing is between them"), nil
	}
	return j.decideInEachBinding(c, p), nil
}

// decideInEachBinding has a check decide on each binding in which its conversations were held. It fails if it fails in one of them,
// and passes if it passes in one and fails in none: what a gateway does not let be seen in one binding is seen in another.
func (j *judged) decideInEachBinding(c check, p params) outcome {
	var names []string
	for _, q := range j.pairs {
		if (q.play == p.Play || slices.Contains(p.Plays, q.play)) && !slices.Contains(names, q.binding) {
			names = append(names, q.binding)
		}
	}
	if len(names) < 2 {
		return c(j, p)
	}
	byVerdict := map[report.Verdict][]outcome{}
	in := map[report.Verdict][]string{}
	for _, name := range names {
		of := *j
		of.pairs = slices.Clone(j.pairs)
		of.pairs = slices.DeleteFunc(of.pairs, func(q pair) bool { return q.binding != name })
		o := c(&of, p)
		byVerdict[o.verdict], in[o.verdict] = append(byVerdict[o.verdict], o), append(in[o.verdict], describeBinding(j.dialect, name))
	}
	for _, v := range []report.Verdict{report.Fail, report.Pass, report.Inconclusive, report.NotApplicable} {
		if all := byVerdict[v]; len(all) > 0 {
			out := all[0]
			out.evidence = nil
			for _, o := range all {
				out.evidence = append(out.evidence, o.evidence...)
			}
			out.reason = strings.Join(in[v], ", ") + ": " + out.reason
			return out
		}
	}
	return c(j, p)
}

// describeBinding names a binding for a reason; calls that have none are those by GET at the place of the card.
func describeBinding(d *schema.Dialect, name string) string {
	if name == "" {
		return "card"
	}
	return describeKind(d.Bindings[name].Kind)
}

// describeKind names a kind of binding.
func describeKind(kind string) string {
	return map[string]string{schema.KindJSONRPC: "JSON-RPC", schema.KindREST: "HTTP+JSON", schema.KindGRPC: "gRPC"}[kind]
}

// ofIntermediaries are the checks of what an intermediary has to do. A server that is called directly need not.
var ofIntermediaries = []string{"gateway/not-arrived", "gateway/option-not-arrived", "gateway/not-returned", "gateway/option-not-returned", "gateway/via", "gateway/via-kept", "gateway/via-form", "gateway/card-addresses"}

// sameAddress reports whether two URLs lead to one port.
func sameAddress(a, b string) bool {
	u, err := url.Parse(a)
	v, fault := url.Parse(b)
	return err == nil && fault == nil && u.Host == v.Host
}

// describeContent describes the content of an answer that is not what it should be.
func describeContent(x *record.Exchange) string {
	if len(x.Response.Body) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%q", showText(string(x.Response.Body)))
}

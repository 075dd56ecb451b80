package observe

import (
	"iter"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// Replies returns the JSON-RPC replies of the run, the members of answered batches
// one by one. Bodies that are no JSON-RPC replies are for the checks that ask
// for one.
func Replies(t *judge.T) (out []judge.Value) {
	for _, v := range t.All(judge.ReplyText) {
		out = append(out, judge.Filter(append([]judge.Value{v}, v.Elems()...), match.IsResponse)...)
	}
	return out
}

// ErrorReplies returns the responses that carry an error: replies, and those in stream events.
func ErrorReplies(t *judge.T) []judge.Value {
	all := append(Replies(t), judge.Filter(t.All(judge.EventText), judge.Value.IsObject)...)
	return judge.Filter(all, func(v judge.Value) bool { return match.Present(v.Failure()) })
}

// IsAnswerToJSONPost reports whether a text answers a call that came by POST as
// application/json: only such a call is promised a JSON-RPC reply.
func IsAnswerToJSONPost(v judge.Value) bool {
	r := &v.Exchange().Request
	return strings.HasPrefix(string(r.Head), http.MethodPost+" ") && r.MediaType() == "application/json"
}

// callBody returns what we sent in a step, as JSON.
func callBody(s judge.Step) *record.Node { return s.Exchange.Call().Root }

// EveryCall returns the named calls, which have to be made, and all other valid calls of an
// operation that were accepted: a sentence about every answer to it holds in whichever
// conversation one comes.
func EveryCall(t *judge.T, names []string, op string) []judge.Step {
	return collectNamedAndOtherCalls(t, names, func(o *record.Step) bool { return o.Op == op }, judge.Step.Accepted)
}

// TranscriptSteps yields every step of the transcript with its play, in the order of the plays.
func TranscriptSteps(t *judge.T) iter.Seq2[*record.Play, *record.Step] {
	return t.Case.Transcript.Steps()
}

// resolveRecordedStep returns a recorded step as checks read it. It reports false if the run did not
// come to it, or if checks read another play of the scenario.
func resolveRecordedStep(t *judge.T, p *record.Play, s *record.Step) (judge.Step, bool) {
	found, made := t.Find(p.Scenario + "/" + s.Name)
	return found, made && found.Exchange == s.Exchange
}

// ValidNonProbeSteps returns the steps of every scenario proper that are of a kind and in order: no probes, and
// none that is invalid or that contradicts what was agreed on before.
func ValidNonProbeSteps(t *judge.T, isOfKind func(*record.Step) bool) (out []judge.Step) {
	for p, o := range TranscriptSteps(t) {
		if o.Role != record.Main || o.Invalid || o.Contradicts || !isOfKind(o) {
			continue
		}
		if s, same := resolveRecordedStep(t, p, o); same {
			out = append(out, s)
		}
	}
	return out
}

// collectNamedAndOtherCalls returns the named steps, and all other valid calls of the run that are of a kind and
// whose answers show something.
func collectNamedAndOtherCalls(t *judge.T, names []string, isOfKind func(*record.Step) bool, shows func(judge.Step) bool) []judge.Step {
	out, had := t.Steps(names), map[*record.Exchange]bool{}
	for _, s := range out {
		had[s.Exchange] = true
	}
	for p, o := range TranscriptSteps(t) {
		if !isOfKind(o) || o.Invalid || o.Contradicts || o.Exchange == nil || had[o.Exchange] {
			continue
		}
		if s, same := resolveRecordedStep(t, p, o); same && shows(s) {
			had[s.Exchange] = true
			out = append(out, s)
		}
	}
	return out
}

// Params returns the parameters that we sent, or nil.
func Params(s judge.Step) *record.Node { return s.Sent().Params }

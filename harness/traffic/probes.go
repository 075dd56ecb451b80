package traffic

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/evanphx/json-patch/v5"
)

// Bounds on the search for malformed calls that a run would make as well.
const (
	maxMalformed = 100 // malformed calls that are compared with the probes, spread evenly
	maxControls  = 5   // accepted calls that one of them is compared with
	maxProbes    = 50  // that are judged
)

// malformedCall is a malformed call, the probe that a run would call it, and its control request: an accepted call of the same
// caller from which it differs by the change of the probe alone.
type malformedCall struct {
	block, probe  string
	call, control *foundCall
}

// findMalformed finds the malformed calls that probes of the dialect would make out of a call that was accepted.
func findMalformed(d *schema.Dialect, calls []*foundCall) (out []malformedCall) {
	var malformed []*foundCall
	accepted := map[string][]*foundCall{} // by the operation
	for _, c := range calls {
		switch {
		case c.by == nil || c.sent.Params == nil:
		case c.Invalid && c.sent.Sound && c.callerKnown && answersForItself(c):
			malformed = append(malformed, c)
		case c.Unusual == "" && slices.Contains([]string{taskKind, messageKind, resultKind}, c.Kind):
			accepted[c.Op] = append(accepted[c.Op], c)
		}
	}
	for _, c := range spreadEvenly(malformed, maxMalformed) {
		for _, control := range chooseControls(c, accepted[c.Op]) {
			found := findProbes(d, c, control)
			out = append(out, found...)
			if len(out) >= maxProbes {
				return out[:maxProbes]
			}
			if len(found) > 0 {
				break
			}
		}
	}
	return out
}

// answersForItself reports whether the answer to a call is one of the protocol, which no intermediary gave.
func answersForItself(c *foundCall) bool {
	if findIntermediary(c.Exchange) != "" {
		return false
	}
	a := c.by.Decode(c.Op, c.Exchange)
	return c.Exchange.IsStream() || a.IsResponse() && (a.Failure.Exists() || a.Result.Exists())
}

// chooseControls returns accepted calls of the same caller to the same address, those with as many parameters first.
func chooseControls(c *foundCall, accepted []*foundCall) (out []*foundCall) {
	for _, o := range accepted {
		if o.isOfSameCaller(c) && o.Binding == c.Binding && o.Exchange.URL == c.Exchange.URL {
			out = append(out, o)
		}
	}
	far := func(o *foundCall) int {
		return max(len(o.sent.Params.Members)-len(c.sent.Params.Members), len(c.sent.Params.Members)-len(o.sent.Params.Members))
	}
	slices.SortStableFunc(out, func(a, b *foundCall) int { return cmp.Compare(far(a), far(b)) })
	return out[:min(len(out), maxControls)]
}

// findProbes returns the probes that make a malformed call out of an accepted one.
func findProbes(d *schema.Dialect, c, control *foundCall) (out []malformedCall) {
	valid, err := json.Marshal(control.sent.Params.Interface())
	if err != nil {
		return nil
	}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.Binding != "" && b.Binding != c.by.Kind() {
			continue
		}
		for j := range b.Probes {
			p := &b.Probes[j]
			if cmp.Or(p.Op, b.Op) == c.Op && bendsParamsAlone(p) && isBentBy(p, valid, c.sent.Params.Interface()) {
				out = append(out, malformedCall{b.Name, p.Name, c, control})
			}
		}
	}
	return out
}

// bendsParamsAlone reports whether a probe changes the parameters, and nothing else, in a way that does not depend on the run.
func bendsParamsAlone(p *schema.Probe) bool {
	if p.Bends() != schema.OnParams || p.Valid || p.Raw != nil || p.Method != "" || len(p.Headers) > 0 || len(p.Patch) == 0 || p.Twin != "" {
		return false
	}
	text, err := json.Marshal(p.Patch)
	return err == nil && !strings.Contains(string(text), `"{`)
}

// isBentBy reports whether a probe makes such parameters out of valid ones.
func isBentBy(p *schema.Probe, valid []byte, params any) bool {
	ops, err := json.Marshal(p.Patch)
	if err != nil {
		return false
	}
	patch, err := jsonpatch.DecodePatch(ops)
	if err != nil {
		return false
	}
	bent, err := patch.Apply(valid)
	if err != nil {
		return false
	}
	var want any
	if json.Unmarshal(bent, &want) != nil {
		return false
	}
	text, err := json.Marshal(params)
	var got any
	if err != nil || json.Unmarshal(text, &got) != nil {
		return false
	}
	isBent := func(at string) bool {
		return slices.ContainsFunc(p.Patch, func(op schema.PatchOp) bool { return at == op.Path || strings.HasPrefix(at, op.Path+"/") })
	}
	return haveSameForm(got, want, "", isBent)
}

// haveSameForm reports whether two values are the same but for their texts, which differ from call to call. At a place that is
// bent the texts have to be the same as well.
func haveSameForm(a, b any, at string, isBent func(at string) bool) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			other, has := b[name]
			if !has || !haveSameForm(value, other, at+"/"+name, isBent) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !haveSameForm(a[i], b[i], at+"/"+strconv.Itoa(i), isBent) {
				return false
			}
		}
		return true
	case string:
		b, ok := b.(string)
		return ok && (a == b || !isBent(at))
	}
	return a == b
}

// newProbeView returns the view in which a malformed call has the place and the control request that it has in a run.
func (v *viewer) newProbeView(m malformedCall) View {
	view := View{Transcript: v.beginView(), Plays: map[string]bool{}}
	step := func(name string, role record.Role, c *foundCall) record.Step {
		return record.Step{Name: name, Role: role, Op: c.Op, Binding: c.Binding, Task: c.aboutTask(), Context: c.Context, Exchange: c.Exchange}
	}
	probe := step(m.probe, record.Probe, m.call)
	probe.Twin, probe.Invalid = controlStep, true
	view.addPlays([]record.Play{{Scenario: m.block, Subject: record.Subject{Binding: m.call.Binding}, Attempt: 1, Steps: []record.Step{step(controlStep, record.Twin, m.control), probe}}})
	v.completeView(&view)
	return view
}

// controlStep is the name of the control request of a probe. No play of a run has such a step: what a run calls its twin may be about
// something that there is not.
const controlStep = "accepted"

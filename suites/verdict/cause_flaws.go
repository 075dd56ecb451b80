package verdict

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The kinds of flaw that a malformed call can have. A server looks for each of them in
// another way: whether something is there, of which type it is, and what it is.
const (
	absent     = "something absent"
	wrongType  = "a wrong type"
	wrongValue = "a wrong value"
)

// The layers in which a call can be wrong.
const (
	envelope   = "envelope"
	parameters = "parameters"
)

// several is the number of malformed calls from which on their answers show
// something about the server as a whole.
const several = 5

// countMalformed goes through all malformed calls of the run.
func (g *grouping) countMalformed() {
	for p, s := range g.c.Transcript.Steps() {
		if s.Exchange.Answered() && s.Exchange.Dir == record.Out && g.isMalformed(p, s) {
			g.countCall(p, s)
		}
	}
}

func (g *grouping) countCall(p *record.Play, s *record.Step) {
	b := g.c.BindingOf(p, s)
	name := layerName{p.By(s), layerOf(b, s.Exchange)}
	of := g.layers[name]
	if of == nil {
		of = &layerCount{steps: map[string]bool{}}
		g.layers[name] = of
	}
	of.steps[p.Scenario+"/"+s.Name] = true
	answer := decodeAnswer(b, s.Op, s.Exchange)
	if refusesForm(b, s.Exchange, answer) {
		of.refused++
	}
	if answer.Result.Exists() && name.layer == parameters {
		family := acceptedFamily{p.By(s), g.familyOf(p, s)}
		if g.accepted[family] == nil {
			g.accepted[family] = map[string]bool{}
		}
		g.accepted[family][g.flawOf(p, s).kind] = true
	}
}

// isMalformed reports whether a step is a call that a server has to refuse for its form. A
// call of a method that does not exist is well-formed.
func (g *grouping) isMalformed(p *record.Play, s *record.Step) bool {
	if p == nil || s == nil || s.Exchange == nil {
		return false
	}
	b := g.c.BindingOf(p, s)
	return s.Invalid && !namesUnknownMethod(b, s.Exchange) || s.Role == record.Probe && layerOf(b, s.Exchange) == envelope
}

// namesUnknownMethod reports whether a call is of a method that the dialect does not have.
func namesUnknownMethod(b binding.Binding, x *record.Exchange) bool {
	sent := b.Sent(x)
	return sent.Framed && sent.Sound && sent.Op == "" && sent.Method != nil && sent.Method.Kind == record.String
}

// neverRefused reports whether no malformed call of a layer was refused for its form in
// the binding of a step.
func (g *grouping) neverRefused(p *record.Play, s *record.Step, layer string) bool {
	of := g.layers[layerName{p.By(s), layer}]
	return of != nil && of.refused == 0 && len(of.steps) >= several
}

// refusesForm reports whether an answer refuses a call for its form: by an error that
// JSON-RPC 2.0, section 5.1 has for that, by what is for one in another binding, or
// in words that are none of the protocol's, as a front end does.
func refusesForm(b binding.Binding, x *record.Exchange, answer binding.Answer) bool {
	if !answer.IsResponse() && !answer.Bare { // of a body that is no object, a parser may say so that checks nothing else
		call := x.Call().Root
		return call != nil && call.Kind == record.Object && (x.Status() == http.StatusBadRequest || x.Status() == http.StatusUnprocessableEntity)
	}
	return answer.Failure.Present() && slices.ContainsFunc(binding.PossibleErrorNames(b, x, answer), func(name string) bool {
		return slices.Contains(formErrors, name)
	})
}

// formErrors are the errors about the form of a call.
var formErrors = []string{"ParseError", "InvalidRequest", "InvalidParams"}

// layerOf finds the layer in which a malformed call is wrong: its envelope, of which
// one sees nothing if it is no JSON, or its parameters. A body that was too large to be
// kept has the envelope that we always write.
func layerOf(b binding.Binding, x *record.Exchange) string {
	ours := b.Sent(x)
	id := ours.ID
	switch {
	case !ours.Framed, x.Request.Recipe != nil:
	case !ours.Sound,
		id == nil || id.Kind != record.String && id.Kind != record.Number && id.Kind != record.Null:
		return envelope
	}
	return parameters
}

// familyOf returns what the operation of a step has in common with those that the same code of
// a server looks at: a message is a message, whether a stream is to answer it or not.
func (g *grouping) familyOf(p *record.Play, s *record.Step) string {
	if p != nil && s.Exchange != nil && namesUnknownMethod(g.c.BindingOf(p, s), s.Exchange) {
		return "an unknown method"
	}
	switch op := g.c.Dialect.Operation(s.Op); {
	case op.Agent:
		return "a message"
	case op.Claim == "push":
		return "a push configuration"
	}
	return s.Op
}

// flawOf finds what the catalogue states that a step changes in a valid call.
func (g *grouping) flawOf(p *record.Play, s *record.Step) flaw {
	if p == nil || s == nil {
		return flaw{}
	}
	for i := range g.c.Dialect.Blocks {
		b := &g.c.Dialect.Blocks[i]
		for j := range b.Probes {
			if probe := &b.Probes[j]; b.Name == p.Scenario && probe.Name == s.Name {
				return g.flawOfProbe(p, s, probe)
			}
		}
	}
	return flaw{}
}

func (g *grouping) flawOfProbe(p *record.Play, s *record.Step, probe *schema.Probe) flaw {
	if names := slices.Sorted(maps.Keys(probe.Headers)); len(names) > 0 {
		return flaw{place: "the header " + http.CanonicalHeaderKey(names[0]), header: true}
	}
	if len(probe.Patch) == 0 {
		if probe.Raw != nil && *probe.Raw == "" && !g.c.BindingOf(p, s).Sent(s.Exchange).Framed { // no body is no parameters
			return flaw{kind: absent}
		}
		return flaw{}
	}
	first := probe.Patch[0]
	out := flaw{place: bentPlace(probe, first)}
	if probe.Bends() == schema.OnParams {
		out.kind = g.kindOfFlaw(p, s, first)
	}
	return out
}

// kindOfFlaw compares what a probe puts into the parameters with what was there, or with
// what the schema has there.
func (g *grouping) kindOfFlaw(p *record.Play, s *record.Step, change schema.PatchOp) string {
	value, isObject := change.Value.(map[string]any)
	switch {
	case change.Op == "remove", change.Value == nil, change.Path == "" && isObject && len(value) == 0:
		return absent
	case strings.HasSuffix(change.Path, "/-"): // an element of a list, which is of the right type
		return wrongValue
	}
	kinds := g.c.Dialect.Shapes().Kinds(g.c.Dialect.Operation(s.Op).Params, strings.TrimPrefix(change.Path, "/"))
	if twin := p.Step(s.Twin); twin != nil && twin.Exchange != nil {
		if was := g.c.BindingOf(p, twin).Sent(twin.Exchange).Params.At(change.Path); was != nil {
			kinds = []string{was.Kind.String()}
		}
	}
	if len(kinds) > 0 && !slices.Contains(kinds, jsonKind(change.Value, kinds)) {
		return wrongType
	}
	return wrongValue
}

// jsonKind returns the JSON type of a value of a patch.
func jsonKind(value any, kinds []string) string {
	switch n := value.(type) {
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case int, int64, uint64:
		if slices.Contains(kinds, "integer") {
			return "integer"
		}
	case float64:
		if slices.Contains(kinds, "integer") && n == float64(int64(n)) {
			return "integer"
		}
	}
	return "number"
}

// bentPlace returns what a patch changes, from the envelope on.
func bentPlace(p *schema.Probe, o schema.PatchOp) string {
	if p.Bends() == schema.OnParams {
		return "params" + o.Path
	}
	return strings.TrimPrefix(o.Path, "/")
}

package harness

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The words that choose bindings otherwise than by name.
const (
	AllBindings = "all"  // the one that the card prefers in full (also ""), and in the others what every run begins with
	EachBinding = "each" // each of them in full
)

// spoken is a binding by which calls are made, and where they go.
type spoken struct {
	binding binding.Binding
	rpc     string
	full    bool // everything is played in it
}

// speaks are the bindings by which an agent is spoken to, the preferred one first, and
// those that are not called where the card has them. The one that is spoken where nobody
// says otherwise has the address of the run.
func (r *runner) speaks(ctx context.Context, d *schema.Dialect, of card.Card, rpc string) (out []spoken, withheld []wire.Withheld, err error) {
	known := binding.Names(d)
	if len(known) == 0 {
		return []spoken{{binding.ForName(d, ""), rpc, true}}, nil, nil
	}
	found := interfaces{at: map[string]string{known[0]: rpc}}
	if len(known) > 1 {
		if all := r.interfaces(ctx, d, of); len(all.at)+len(all.withheld) > 0 {
			found = all
		}
	}
	offered := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return found.at[name] == "" })
	first := of.Preferred().Transport()
	if r.target.RPC != "" {
		first = r.unnamed(d, of)
	}
	if i := slices.Index(offered, first); i > 0 {
		offered = slices.Insert(slices.Delete(offered, i, i+1), 0, first)
	}
	want := r.target.Binding
	wanted := func(name string) bool {
		return want == "" || want == AllBindings || want == EachBinding || want == name
	}
	for i, name := range offered {
		if wanted(name) {
			out = append(out, spoken{binding.ForName(d, name), found.at[name], i == 0 || want == EachBinding || want == name})
		}
	}
	withheld = slices.DeleteFunc(found.withheld, func(w wire.Withheld) bool { return !wanted(w.Binding) })
	if len(out) == 0 && len(withheld) > 0 {
		return nil, nil, notOurs(&withheld[0])
	}
	if len(out) == 0 {
		if !of.Exists() {
			return nil, nil, usage("--binding %s: no agent card could be read, so the address for it is unknown; give --rpc %[1]s=URL", want)
		}
		return nil, nil, usage("--binding %s: %s; the card offers %s; give --rpc %[1]s=URL if the server speaks it all the same", want, ofDialect(d), strings.Join(offered, ", "))
	}
	return out, withheld, nil
}

// ofDialect says which bindings there are of a dialect.
func ofDialect(d *schema.Dialect) string {
	return d.Title + " can be judged over " + strings.Join(binding.Names(d), ", ")
}

// partly reports whether a scenario is played in a binding that is not spoken in full:
// it belongs to every run, or a sentence about the binding rests on it.
func partly(d *schema.Dialect, sc scenario.Scenario, b binding.Binding) bool {
	return sc.Base || rests(d, b, func(play, _ string) bool { return play == sc.Name })
}

// rests reports whether a sentence about a binding rests on something: it names a play, or
// a play and a step.
func rests(d *schema.Dialect, b binding.Binding, on func(play, step string) bool) bool {
	return slices.ContainsFunc(d.Requirements, func(q schema.Requirement) bool {
		return q.Binding == b.Kind() && slices.ContainsFunc(wordsOf(q.With), func(word string) bool {
			play, step, _ := strings.Cut(word, "/")
			return on(play, step)
		})
	})
}

// wordsOf are the texts among the parameters of a requirement.
func wordsOf(with any) (out []string) {
	switch with := with.(type) {
	case string:
		return []string{with}
	case []any:
		for _, v := range with {
			out = append(out, wordsOf(v)...)
		}
	case map[string]any:
		for _, v := range slices.Collect(maps.Values(with)) {
			out = append(out, wordsOf(v)...)
		}
	}
	return out
}

// CheckBindings finds slips in the choice of bindings, and in where they are spoken,
// before anything is sent.
func CheckBindings(of operator.Target) error {
	t := target{of}
	return t.checkBindings()
}

// checkBindings is CheckBindings, and settles the names: they are read in any case, and by what
// the catalogue calls the binding.
func (t *target) checkBindings() error {
	of := t.dialects()
	if t.Binding != "" && t.Binding != AllBindings && t.Binding != EachBinding {
		name, known := bindingNamed(of, t.Binding)
		switch {
		case name != "":
			t.Binding = name
		case len(of) == 1:
			return usage("--binding %s: there is no such binding; %s", printable(t.Binding), ofDialect(of[0]))
		default:
			return usage("--binding %s: %s", printable(t.Binding), schema.Unknown("binding", printable(t.Binding), known))
		}
	}
	return t.checkInterfaces(of)
}

// bindingNamed is the binding that a word means in one of the dialects, and those that
// there are.
func bindingNamed(of []*schema.Dialect, word string) (name string, known []string) {
	for _, d := range of {
		for _, k := range binding.Names(d) {
			if name == "" && (strings.EqualFold(word, k) || strings.EqualFold(word, d.Bindings[k].Kind)) {
				name = k
			}
			known = append(known, k)
		}
	}
	slices.Sort(known)
	return name, slices.Compact(known)
}

// dialect loads a dialect by name.
func (t *target) dialect(name string) (*schema.Dialect, error) {
	if t.Load != nil {
		return t.Load(name)
	}
	return schema.Load(name)
}

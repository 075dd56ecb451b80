package harness

import (
	"context"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Values of --binding that are not the name of a binding.
const (
	AllBindings = "all"  // the binding that the card prefers in full, and in the others what every run begins with (also "")
	EachBinding = "each" // every binding in full
)

// calledInterface is a binding and the address at which it is called.
type calledInterface struct {
	binding binding.Binding
	rpc     string
	full    bool // all scenarios run in it
}

// chooseCalledInterfaces returns the interfaces of an agent that are called, the preferred one first, and
// those on the card that are not called. The default interface has the address of the run.
func (r *runner) chooseCalledInterfaces(ctx context.Context, d *schema.Dialect, of card.Card, rpc string) (out []calledInterface, withheld []record.Withheld, err error) {
	known := binding.Names(d)
	if len(known) == 0 {
		return []calledInterface{{binding.ByNameOrDefault(d, ""), rpc, true}}, nil, nil
	}
	found := interfaces{at: map[string]string{known[0]: rpc}}
	if len(known) > 1 {
		if all := r.findInterfaces(ctx, d, of); len(all.at)+len(all.withheld) > 0 {
			found = all
		}
	}
	offered := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return found.at[name] == "" })
	first := of.Preferred().Transport()
	if r.target.RPC != "" {
		first = r.bindingOfGivenRPCURL(d, of)
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
			out = append(out, calledInterface{binding.ByNameOrDefault(d, name), found.at[name], i == 0 || want == EachBinding || want == name})
		}
	}
	withheld = slices.DeleteFunc(found.withheld, func(w record.Withheld) bool { return !wanted(w.Binding) })
	if len(out) == 0 && len(withheld) > 0 {
		return nil, nil, untrustedError(&withheld[0])
	}
	if len(out) == 0 {
		if !of.Exists() {
			return nil, nil, usageErrorf("--binding %s: no agent card could be read, so the address for it is unknown; give --rpc %[1]s=URL", want)
		}
		return nil, nil, usageErrorf("--binding %s: %s; the card offers %s; give --rpc %[1]s=URL if the server supports it all the same", want, describeSupportedBindings(d), strings.Join(offered, ", "))
	}
	return out, withheld, nil
}

// describeSupportedBindings names the bindings that a dialect can be judged over.
func describeSupportedBindings(d *schema.Dialect) string {
	return d.Title + " can be judged over " + strings.Join(binding.Names(d), ", ")
}

// isNeededInBinding reports whether a scenario runs in a binding that is not judged in full: it
// belongs to every run, or a requirement of the binding reads it.
func isNeededInBinding(with *conversation.Setting, sc conversation.Scenario, b binding.Binding) bool {
	return sc.Base || isReadByBindingRequirement(with, b, func(play, _ string) bool { return play == sc.Name })
}

// isReadByBindingRequirement reports whether a requirement of a binding reads a play, or a step of it. One that does not apply
// because of what the card claims reads none.
func isReadByBindingRequirement(with *conversation.Setting, b binding.Binding, matches func(play, step string) bool) bool {
	mayApply := func(q schema.Requirement) bool {
		return !slices.ContainsFunc(q.Claims, func(word string) bool {
			return with.Card.Exists() && !strings.HasPrefix(word, "no-") && !with.Claimed(word)
		})
	}
	return slices.ContainsFunc(with.Dialect.Requirements, func(q schema.Requirement) bool {
		return q.Binding == b.Kind() && mayApply(q) && slices.ContainsFunc(stringsIn(q.With), func(word string) bool {
			play, step, _ := strings.Cut(word, "/")
			return matches(play, step)
		})
	})
}

// stringsIn returns the strings among the parameters of a requirement.
func stringsIn(with any) (out []string) {
	switch with := with.(type) {
	case string:
		return []string{with}
	case []any:
		for _, v := range with {
			out = append(out, stringsIn(v)...)
		}
	case map[string]any:
		for _, v := range with {
			out = append(out, stringsIn(v)...)
		}
	}
	return out
}

// CheckBindings reports mistakes in the choice of bindings and in their addresses before anything
// is sent.
func CheckBindings(of operator.Target) error {
	t := target{of}
	return t.checkBindings()
}

// checkBindings does what CheckBindings does, and replaces the names by those of the catalogue,
// whatever their case.
func (t *target) checkBindings() error {
	of := t.namedOrAllDialects()
	if t.Binding != "" && t.Binding != AllBindings && t.Binding != EachBinding {
		name, known := bindingNamed(of, t.Binding)
		switch {
		case name != "":
			t.Binding = name
		case len(of) == 1:
			return usageErrorf("--binding %s: there is no such binding; %s", sanitizeAndShorten(t.Binding), describeSupportedBindings(of[0]))
		default:
			return usageErrorf("--binding %s: %s", sanitizeAndShorten(t.Binding), schema.Unknown("binding", sanitizeAndShorten(t.Binding), known))
		}
	}
	return t.checkInterfaces(of)
}

// bindingNamed returns the binding that a word names in one of the dialects, and all names that
// exist.
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

// loadDialect loads a dialect by name.
func (t *target) loadDialect(name string) (*schema.Dialect, error) {
	if t.Load != nil {
		return t.Load(name)
	}
	return schema.Load(name)
}

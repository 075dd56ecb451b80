package harness

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/internal/scenario"
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

// speaks are the bindings by which an agent is spoken to, the preferred one first.
// The one that is spoken where nobody says otherwise has the address of the run.
func (r *runner) speaks(d *schema.Dialect, of card.Card, rpc string) (out []spoken, err error) {
	known := binding.Names(d)
	if len(known) == 0 {
		return []spoken{{binding.Of(d, ""), rpc, true}}, nil
	}
	at := map[string]string{}
	for _, i := range of.Interfaces() {
		if name := i.Transport(); len(known) > 1 && slices.Contains(known, name) && at[name] == "" && i.URL() != "" && r.target.RPC == "" {
			if at[name], err = r.reachable(i.URL()); err != nil {
				return nil, err
			}
		}
	}
	prefers := of.Preferred().Transport()
	switch {
	case r.target.RPC != "" && slices.Contains(known, r.target.Binding): // the operator's word on both
		at, prefers = map[string]string{r.target.Binding: rpc}, r.target.Binding
	case len(at) == 0 || len(known) == 1:
		at = map[string]string{known[0]: rpc}
	}
	offered := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return at[name] == "" })
	if i := slices.Index(offered, prefers); i > 0 {
		offered = slices.Insert(slices.Delete(offered, i, i+1), 0, prefers)
	}
	want := r.target.Binding
	for i, name := range offered {
		if want == "" || want == AllBindings || want == EachBinding || want == name {
			out = append(out, spoken{binding.Of(d, name), at[name], i == 0 || want == EachBinding || want == name})
		}
	}
	if len(out) == 0 {
		return nil, usage("--binding %s: %s; the card offers %s", printable(want), ofDialect(d), strings.Join(offered, ", "))
	}
	return out, nil
}

// ofDialect says which bindings there are of a dialect.
func ofDialect(d *schema.Dialect) string {
	return d.Title + " is judged by " + strings.Join(binding.Names(d), ", ")
}

// reachable is the address of an interface on the card, where calls may go.
func (r *runner) reachable(address string) (string, error) {
	base := parse(r.target.URL)
	u, err := base.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", nil
	}
	return r.own(base, u)
}

// own is an address that a card gives as the server's own, so that calls may go there.
func (r *runner) own(base, u *url.URL) (string, error) {
	if isAny(u.Hostname()) {
		u.Scheme, u.Host = base.Scheme, base.Host // a server that publishes 0.0.0.0 means itself
	}
	u.User, u.Fragment = nil, ""
	switch {
	case !sameHost(u, base):
		return "", usage("the card says that calls go to %s, which is another host than the target %s; give --rpc %[1]s if that is meant", printable(u.String()), base.Host)
	case !sameOrigin(u, base) && len(r.target.secrets()) > 0:
		return "", usage("the card says that calls go to %s, which is another origin than the target %s and would be sent its credentials; give --rpc %[1]s if that is meant", printable(u.String()), base)
	}
	return u.String(), nil
}

// partly reports whether a scenario is played in a binding that is not spoken in full:
// it belongs to every run, or a sentence about the binding rests on it.
func partly(d *schema.Dialect, sc scenario.Scenario, b binding.Binding) bool {
	if sc.Base {
		return true
	}
	return slices.ContainsFunc(d.Requirements, func(q schema.Requirement) bool {
		return q.Binding == b.Kind() && slices.ContainsFunc(wordsOf(q.With), func(word string) bool {
			name, _, _ := strings.Cut(word, "/")
			return name == sc.Name
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

// checkBinding finds slips in the choice of bindings before anything is sent.
func (t *Target) checkBinding() error {
	if t.Binding == "" || t.Binding == AllBindings || t.Binding == EachBinding {
		return nil
	}
	if d, err := t.dialect(t.Dialect); err == nil && !slices.Contains(binding.Names(d), t.Binding) {
		return usage("--binding %s: there is no such binding; %s", printable(t.Binding), ofDialect(d))
	}
	return nil
}

// dialect loads a dialect by name.
func (t *Target) dialect(name string) (*schema.Dialect, error) {
	if t.load != nil {
		return t.load(name)
	}
	return schema.Load(name)
}

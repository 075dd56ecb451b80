package client

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// activationParams name what a message needs of extensions, and the header field that activates them.
type activationParams struct {
	At     string `json:"at"`
	Header string `json:"header"`
}

// checkActivation judges whether the extensions that a message names are activated by its call.
func checkActivation(t *judge.T, p activationParams) {
	var all []judge.Request
	for _, r := range t.Calls() {
		if len(r.Params.Expand(p.At)) > 0 {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		stopAsUnused(t, "extensions", "no message of the client names an extension")
	}
	judge.Each(t, all, func(r judge.Request) {
		var active []string
		for element := range strings.SplitSeq(strings.Join(r.Header().Values(p.Header), ","), ",") {
			active = append(active, strings.TrimSpace(element))
		}
		for _, v := range r.Params.Expand(p.At) {
			if uri := cmp.Or(v.Text(), "nothing"); !slices.Contains(active, uri) {
				t.Fail(v, "sent "+describeValue(v)+", which the header "+p.Header+" does not have", "the same extension in "+p.Header)
			}
			t.OK(v)
		}
	})
}

// activatorParams name the header field by which calls activate extensions, and what is taken for it by mistake.
type activatorParams struct {
	Header  string   `json:"header"`
	Mistake []string `json:"mistake"` // header fields that do not activate them
	At      string   `json:"at"`      // a member of the parameters that does not
	Finding bool     `json:"finding"` // an activation by that member alone is a finding
}

// checkActivator judges by which name calls activate extensions.
func checkActivator(t *judge.T, p activatorParams) {
	mistaken := func(r judge.Request) string {
		i := slices.IndexFunc(p.Mistake, func(name string) bool { return r.Header().Get(name) != "" })
		if i < 0 {
			return ""
		}
		return p.Mistake[i]
	}
	all := slices.DeleteFunc(t.Calls(), func(r judge.Request) bool {
		return r.Header().Get(p.Header) == "" && mistaken(r) == "" && len(r.Params.At(p.At).Elems()) == 0
	})
	if len(all) == 0 {
		stopAsUnused(t, "extensions", "the client activates no extension")
	}
	judge.Each(t, all, func(r judge.Request) {
		at, members := r.Head(p.Header), r.Params.At(p.At)
		switch name := mistaken(r); {
		case r.Header().Get(p.Header) != "":
		case name != "":
			t.Fail(at, "activated extensions by "+name+" alone", "the header "+p.Header)
		case p.Finding:
			t.Finding(members, "the client activated extensions in the parameters alone; expected the header %s", p.Header)
		default:
			t.Fail(members, "activated extensions in the parameters alone", "the header "+p.Header)
		}
		t.OK(at)
	})
}

// stopAsUnused ends a check because the client does not use what cards may offer. One that was offered it has no use
// for it.
func stopAsUnused(t *judge.T, claim, why string) {
	for _, s := range t.AllStarts() {
		if slices.ContainsFunc(s.Cards(), func(c card.Card) bool { return c.Claims(claim) == card.Yes }) {
			t.StopNotApplicable("%s, though a card offers %s", why, strings.ReplaceAll(claim, "-", " "))
		}
	}
	t.StopVacuous("%s", why)
}

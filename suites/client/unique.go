package client

import (
	"bytes"
	"fmt"
	"path"
	"slices"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// uniqueParams name the ids of requests.
type uniqueParams struct {
	Ops  []string `json:"ops"`
	In   string   `json:"in"`   // call: it is a member of the envelope
	At   string   `json:"at"`   // the pointer of the id
	Same string   `json:"same"` // the pointer of what the id belongs to: equal ids come with equal ones
	// Alike are pointers of what equal ids come with, each equal: then it is the same once more.
	Alike   []string `json:"alike"`
	Call    string   `json:"call"`    // the member of the envelope that it equals; if not, that is a finding
	Overlap bool     `json:"overlap"` // only of calls of one start that are under way at the same time
	Apart   bool     `json:"apart"`   // only of different starts
}

// checkUnique judges whether different requests have different ids. Ids that are missing are left to others.
func checkUnique(t *judge.T, p uniqueParams) {
	type owner struct {
		r  judge.Request
		id judge.Value
	}
	var all []owner
	for _, r := range t.Calls(p.Ops...) {
		root := r.Params
		if p.In == "call" {
			root = r.Call
		}
		if id := root.At(p.At); id.Exists() && !id.IsNull() && id.Text() != "" || id.IsNumber() {
			all = append(all, owner{r, id})
		}
	}
	pairs := 0
	judge.Each(t, all, func(b owner) {
		for _, a := range all {
			if a.r.Exchange == b.r.Exchange {
				break
			}
			if p.Apart && a.r.Play == b.r.Play {
				continue
			}
			if p.Overlap && (a.r.Play != b.r.Play || a.r.Exchange.End <= b.r.Exchange.Start) {
				continue
			}
			if p.Overlap && bytes.Equal(a.r.Exchange.Request.Body, b.r.Exchange.Request.Body) {
				continue // the same call, once more
			}
			pairs++
			if len(p.Alike) > 0 && !slices.ContainsFunc(p.Alike, func(at string) bool { return !isAlike(a.r.Params.At(at), b.r.Params.At(at)) }) {
				continue
			}
			if a.id.Equal(b.id) && (p.Same == "" || !a.r.Params.At(p.Same).Equal(b.r.Params.At(p.Same))) {
				t.Fail(b.id, fmt.Sprintf("sent `%s` %s again, for something else", b.id.Member(), shorten.Visible(b.id.Text()+b.id.Number(), 60)), "an id of its own", a.id)
			}
		}
		if of := b.r.Call.At(p.Call); p.Call != "" && (of.IsString() || of.IsNumber()) && of.Text()+of.Number() != b.id.Text()+b.id.Number() {
			t.Finding(b.id, "sent %s in a call with %s", describeValue(b.id), describeValue(of))
		}
		t.OK(b.id)
	})
	if pairs == 0 {
		t.StopVacuous("%s", p.describeNothingCompared())
	}
}

// isAlike reports whether two members are equal, or both missing.
func isAlike(a, b judge.Value) bool { return a.Equal(b) || !a.Exists() && !b.Exists() }

// describeNothingCompared states that the run has no two ids to compare, and of what.
func (p *uniqueParams) describeNothingCompared() string {
	id := "`" + path.Base(p.At) + "`"
	if p.Overlap {
		return "no two calls of the client were under way at the same time, so there was no " + id + " to compare with that of another call"
	}
	return "the client did not send two requests with " + id + ", so there was none to compare with that of another request"
}

package judge

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// A requirement rests on others. Where one of those fails on some of the things
// that it looked at and holds on the rest, only the exchanges on which it failed
// are left out: one stream without its end takes nothing from five healthy ones.

// spoil leaves out the exchanges that a failing prerequisite failed on; it reports
// false where it held on no other, or not all that failed is listed.
func (c *Case) spoil(r, prerequisite *Result) bool {
	failed := map[*wire.Exchange]bool{}
	for _, e := range prerequisite.Evidence {
		if i := slices.IndexFunc(c.Transcript.Exchanges, func(x *wire.Exchange) bool { return x.ID == e.Exchange }); i >= 0 {
			failed[c.Transcript.Exchanges[i]] = true
		}
	}
	healthy := false
	for x := range prerequisite.held {
		healthy = healthy || !failed[x]
	}
	if !healthy || prerequisite.More > 0 {
		return false
	}
	if r.spoiled == nil {
		r.spoiled = map[*wire.Exchange]string{}
	}
	for x := range failed {
		r.spoiled[x] = prerequisite.ID
	}
	return true
}

// leaves reports whether a text is left out, and remembers why.
func (t *T) leaves(s *Said) bool {
	id := t.result.spoiled[s.Exchange]
	if id != "" {
		t.withheld = id
	}
	return id != ""
}

// Held books that the sentence holds on something, where a check goes through
// what is broken alone.
func (t *T) Held(v Value) { t.result.holds([]*wire.Exchange{v.said.Exchange}) }

func (r *Result) holds(on []*wire.Exchange) {
	if r.held == nil {
		r.held = map[*wire.Exchange]bool{}
	}
	for _, x := range on {
		r.held[x] = true
	}
}

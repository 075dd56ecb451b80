package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// Nonced is how many calls of a transcript show that their ids were derived from a nonce.
type Nonced struct {
	Bodies int // calls of the suite that have a body
	Calls  int // of these, the ones that carry an id derived from it
	Echoed int // of these, the ones that were answered with that id
}

var anUUID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// CheckNonce reports whether the ids of a transcript are derived from a nonce, so that it was
// written after the nonce was known. It does not show who wrote it. Every id in the URL or
// body of a call has to be derived, but for what the server sent before, and the operator's
// own texts and addresses.
func (t *Transcript) CheckNonce(nonce string) (Nonced, error) {
	if err := operator.CheckNonceForm(nonce); err != nil {
		return Nonced{}, err
	}
	if t.Facts.Salt == "" {
		return Nonced{}, errors.New("the run was made without a nonce")
	}
	ours := t.derivedIDs(nonce)
	addresses := slices.AppendSeq([]string{t.Facts.Target, t.Facts.RPC}, maps.Values(t.Facts.Endpoints))
	places := findUUIDs([]byte(strings.Join(addresses, "\n")))
	var texts []byte
	for _, s := range t.Facts.Stimuli {
		texts = append(fmt.Appendf(texts, "%+v", s), '\n')
	}
	own := findUUIDs(texts)
	var all Nonced
	told := map[string]bool{}
	for _, x := range t.inTimeOrder() {
		if x.Dir != Out {
			maps.Copy(told, findUUIDs(x.Request.Body, x.Response.Body))
			continue
		}
		var strange string
		carries, foreign := "", false
		for id := range findUUIDs(x.Request.Body, []byte(x.URL)) {
			switch {
			case ours[randomPart(id)]:
				carries = max(carries, id)
			case told[id] || places[id]:
			default:
				foreign = true
				if !own[id] {
					strange = max(strange, id)
				}
			}
		}
		if strange != "" {
			return all, fmt.Errorf("exchange %d carries the id %s, which is not derived from it", x.ID, strange)
		}
		if foreign && carries == "" {
			return all, fmt.Errorf("exchange %d carries no id that is derived from it", x.ID)
		}
		if len(x.Request.Body) > 0 {
			all.Bodies++
		}
		if carries != "" && len(x.Request.Body) > 0 {
			all.Calls++
			if bytes.Contains(x.Response.Body, []byte(carries)) {
				all.Echoed++
			}
		}
		maps.Copy(told, findUUIDs(x.Response.Body))
	}
	if all.Calls == 0 || all.Calls*leastShare < all.Bodies {
		return all, fmt.Errorf("only %d of %d calls with a body carry an id that is derived from it", all.Calls, all.Bodies)
	}
	return all, nil
}

// leastShare: of so many calls with a body, one at least carries an id of ours. The others are
// malformed, or have an id that the test of it prescribes; in a run they are less than half.
const leastShare = 3

// inTimeOrder are the exchanges in the order in which they began, what the operator gave first.
func (t *Transcript) inTimeOrder() []*Exchange {
	out := slices.Clone(t.Exchanges)
	slices.SortStableFunc(out, func(a, b *Exchange) int {
		if given := (b.Dir == Given); given != (a.Dir == Given) {
			return map[bool]int{true: 1, false: -1}[given]
		}
		return cmp.Compare(a.Start, b.Start)
	})
	return out
}

// idsPerStep is how many ids a step takes at most, and some for those of a play that are in
// no step.
const idsPerStep = 16

// randomPart is the end of a UUID, which is made of chance alone also if the UUID begins with
// the time.
func randomPart(uuid string) string { return uuid[len("00000000-0000-0000-"):] }

// derivedIDs are the ends of the ids that the plays of the transcript can have made.
func (t *Transcript) derivedIDs(nonce string) map[string]bool {
	out := map[string]bool{}
	naming := operator.Naming{Nonce: nonce, Salt: t.Facts.Salt}
	add := func(n int, purpose ...string) {
		ids := naming.IDs(purpose...)
		for range n {
			out[randomPart(ids.New())] = true
		}
	}
	for _, lone := range []string{"webhook", "reach", "discovery"} {
		add(4*idsPerStep, lone)
	}
	for i := range t.Plays {
		p := &t.Plays[i]
		for attempt := 1; attempt <= min(p.Attempt, maxAttempts); attempt++ {
			purpose := []string{p.Scenario, strconv.Itoa(attempt), p.Subject.Agent}
			add(idsPerStep*(len(p.Steps)+2), purpose...)
			if p.Subject.Binding != "" {
				add(idsPerStep*(len(p.Steps)+2), append(purpose, p.Subject.Binding)...)
			}
		}
	}
	return out
}

// maxAttempts bounds how often a play is taken to have been held.
const maxAttempts = 10

func findUUIDs(texts ...[]byte) map[string]bool {
	out := map[string]bool{}
	for _, text := range texts {
		for _, id := range anUUID.FindAll(text, -1) {
			out[string(id)] = true
		}
	}
	return out
}

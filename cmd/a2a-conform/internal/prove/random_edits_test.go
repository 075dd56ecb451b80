package prove

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// edits is how many edits of recorded transcripts are judged for each dialect.
const edits = 500

// A healthy transcript in which something was taken out or changed is judged
// without an error of ours. Every other seed takes one thing out, the others
// change anything.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	for _, name := range tried() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			healthy := healthyVariants(t, name)
			seeds := seedsOf(edits)
			f := newFaults(t)
			onAllCores(len(seeds), func(i int) {
				if b, d := editOf(healthy, seeds[i]); d != nil {
					f.guard(seeds[i], d.what, &d.Transcript, func() { f.judge(seeds[i], b, d) })
				}
			})
			f.report()
		})
	}
}

// A check that ends without a word where a fact is missing is found out.
func TestRandomEditsFindFaults(t *testing.T) {
	t.Parallel()
	const check = "discovery/card-object"
	healthy := healthyVariants(t, "core-schema")
	for _, b := range healthy {
		b.checks = b.checks.With(judge.Define(check, "a check of this test", func(t *judge.T, _ map[string]any) {
			if v := t.Card(); v.At("/name").Exists() {
				t.OK(v)
			}
		}))
	}
	f := newFaults(t)
	for i := 0; i < edits && len(f.all) == 0; i++ {
		if b, d := editOf(healthy, i); d != nil {
			f.judge(i, b, d)
		}
	}
	if len(f.all) != 1 || f.seen[check] != 1 || !strings.Contains(f.all[0], "ended without an expectation") || !strings.Contains(f.all[0], "replay") {
		t.Errorf("the fault of %s was not found out: %q", check, f.all)
	}
}

// base is a recorded variant of the bundled server and what can be taken out of
// it.
type base struct {
	dialect *schema.Dialect
	*Recording
	takeOuts []takeOut
	checks   judge.Checks
	storeys  [][]string
	cache    *judge.Cache // of what the edits leave alone
	prepared sync.Once
}

// prepare does what only a variant that is edited needs.
func (b *base) prepare() {
	b.prepared.Do(func() {
		b.takeOuts = takeOuts(b.Transcript)
		b.judge(b.Transcript, b.cache)
	})
}

// healthyVariants are the recorded variants of the bundled server.
func healthyVariants(t *testing.T, name string) []*base {
	t.Helper()
	m := material(t, name)
	var out []*base
	for _, rec := range m.Variants {
		if rec.Variant == controlVariant {
			continue
		}
		cache := rec.newDecider(m.Dialect, suites.Checks()).Cache()
		out = append(out, &base{dialect: m.Dialect, Recording: rec, checks: suites.Checks(), storeys: storeys(m.Dialect), cache: cache})
	}
	return out
}

// editOf makes the edit of a seed, every third one of another variant than the
// first; nil where there is nothing to edit.
func editOf(healthy []*base, seed int) (*base, *draft) {
	b, n := healthy[0], seed-seed/3
	if seed%3 == 2 && len(healthy) > 1 {
		n = seed / 3
		b, n = healthy[1+n%(len(healthy)-1)], n/(len(healthy)-1)
	}
	b.prepare()
	d := drafted(b.Transcript)
	if n%2 == 0 && n/2 < len(b.takeOuts) {
		out := b.takeOuts[n/2]
		d.what = "variant " + b.Variant + ": taken out: " + out.what
		if !out.do(d) {
			return nil, nil
		}
		return b, d
	}
	r := rand.New(rand.NewPCG(uint64(seed), 2))
	d.what = "variant " + b.Variant + ": "
	if out := b.takeOuts[r.IntN(min(len(b.takeOuts), edits/3))]; r.IntN(3) == 0 && out.do(d) {
		d.say("taken out: %s", out.what)
	}
	d.over = false
	revise(r, vocabulary(b.dialect), d)
	return b, d
}

// judge judges a draft and notes every error of ours. What requirements rest on
// counts as kept, so that each check has to say by itself what it lacks. Nobody
// is accused of what we had no time for.
func (f *faults) judge(seed int, b *base, d *draft) {
	cache := b.cache.Fork()
	results := b.judge(&d.Transcript, cache)
	verdict.NewDecider(b.dialect, &d.Transcript, b.checks, cache).Causes(results)
	f.errors(seed, d.what, b.dialect, verdict.Reported(results), &d.Transcript)
	if !d.over {
		return
	}
	was, is := verdict.NewDecider(b.dialect, b.Transcript, b.checks, b.cache), verdict.NewDecider(b.dialect, &d.Transcript, b.checks, cache)
	for _, r := range b.dialect.Requirements {
		if is := is.Result(r.ID); is.Verdict == report.Fail && was.Result(r.ID).Verdict != report.Fail {
			f.note(seed, "accuses "+r.Check, fmt.Sprintf("%s, as the run was over before its time\n\t%s fails: %s", d.what, r.ID, is.Reason), &d.Transcript)
		}
	}
}

func (b *base) judge(t *record.Transcript, cache *judge.Cache) (results []verdict.Result) {
	c := verdict.NewDecider(b.dialect, t, b.checks, cache)
	for _, ids := range b.storeys {
		results = append(results, c.Judge(ids)...)
		for _, id := range ids {
			c.SetResult(&verdict.Result{CheckResult: judge.CheckResult{Result: report.Result{ID: id, Verdict: report.Pass}}})
		}
	}
	return results
}

// storeys are the requirements of a dialect, each above those that it rests on.
func storeys(d *schema.Dialect) (out [][]string) {
	height := map[string]int{}
	var of func(id string) int
	of = func(id string) int {
		if _, known := height[id]; !known {
			for _, below := range d.Requirement(id).After {
				height[id] = max(height[id], of(below)+1)
			}
		}
		return height[id]
	}
	for _, r := range d.Requirements {
		for of(r.ID) >= len(out) {
			out = append(out, nil)
		}
		out[of(r.ID)] = append(out[of(r.ID)], r.ID)
	}
	return out
}

// revise makes one to three random changes.
func revise(r *rand.Rand, words []string, d *draft) {
	for range 1 + r.IntN(3) {
		for tries := 0; tries < 20 && !revised(r, words, d); tries++ {
		}
	}
}

// revised makes one random change, and reports whether there was anything to
// change.
func revised(r *rand.Rand, words []string, d *draft) bool {
	x := d.any(r, d.calls())
	if x == nil {
		return false
	}
	switch r.IntN(10) {
	case 0, 1, 2:
		return d.garbleOne(r, words, d.any(r, d.Exchanges))
	case 3, 4:
		return d.garbleAlike(r, words, x)
	case 5:
		return d.shuffleEvents(r)
	case 6:
		return d.swap(x, d.any(r, d.calls()))
	case 7:
		return d.changeHeader(r, x)
	case 8:
		status := []int{200, 201, 204, 302, 400, 401, 403, 404, 429, 500, 503}[r.IntN(11)]
		d.say("%s answered with status %d", d.name(x), status)
		d.replace(x, restatused(x, status))
	default:
		how := []record.Ended{record.Reset, record.Timeout, record.OurClose, record.Limit, record.Aborted}[r.IntN(5)]
		n := r.IntN(len(x.Response.Body) + 1)
		d.say("the answer of %s ended after %d bytes: %s", d.name(x), n, how)
		y := x.Splice(n, len(x.Response.Body), nil)
		y.Ended, y.Response.Framing.Declared = how, x.Response.Framing.Declared
		d.replace(x, y)
	}
	return true
}

// garbleOne garbles one text.
func (d *draft) garbleOne(r *rand.Rand, words []string, x *record.Exchange) bool {
	all := texts(x)
	if len(all) == 0 {
		return false
	}
	t := all[r.IntN(len(all))]
	to, what := garbled(r, words, t.data)
	d.say("in %s, event %d, %s", d.name(x), t.event, what)
	d.replace(x, rewritten(x, t, to))
	return true
}

// garbleAlike garbles what has one name, or stands at one place in the replies to
// one operation, wherever it is.
func (d *draft) garbleAlike(r *rand.Rand, words []string, x *record.Exchange) bool {
	all := texts(x)
	if len(all) == 0 {
		return false
	}
	root, _ := record.ObserveJSON(all[r.IntN(len(all))].data)
	if root == nil {
		return false
	}
	p, g, of := somewhere(r, root), someGarbling(r, words), d.op(x)
	alike := func(op string, o place) bool { return op == of && o.pattern() == p.pattern() }
	what := fmt.Sprintf("%q of every reply to %s", p.pattern(), of)
	if p.name() != "" && r.IntN(2) == 0 {
		alike, what = func(_ string, o place) bool { return o.name() == p.name() }, "every member "+p.name()
	}
	d.say("%s %s", what, g.what)
	return d.rewrite(func(op string, t text) []byte {
		return everywhere(t.data, func(o place) bool { return alike(op, o) }, g.do)
	})
}

// shuffleEvents takes an event out of a stream, repeats it, or puts the events
// in another order.
func (d *draft) shuffleEvents(r *rand.Rand) bool {
	x := d.any(r, d.streams())
	if x == nil {
		return false
	}
	order := blocks(len(x.Events()), func(int) bool { return true })
	i, j := r.IntN(len(order)), r.IntN(len(order))
	switch r.IntN(4) {
	case 0:
		order = slices.Delete(order, i, i+1)
	case 1:
		order = slices.Insert(order, i, j)
	case 2:
		order[i], order[j] = order[j], order[i]
	default:
		slices.Reverse(order)
	}
	d.say("the blocks of the stream of %s are %v, counted from 0", d.name(x), order)
	d.replace(x, reframed(x, order))
	return true
}

// swap lets two calls have each other's answers.
func (d *draft) swap(x, y *record.Exchange) bool {
	if x == y {
		return false
	}
	a, b := fresh(x), fresh(y)
	a.Response, b.Response = y.Response, x.Response
	a.Response.Chunks, b.Response.Chunks = nil, nil // which came at other times
	d.say("%s and %s have each other's answers", d.name(x), d.name(y))
	d.replace(x, a)
	d.replace(y, b)
	return true
}

// changeHeader takes a header out, repeats it, or gives it another value.
func (d *draft) changeHeader(r *rand.Rand, x *record.Exchange) bool {
	all := x.Response.Fields()
	if len(all) == 0 {
		return false
	}
	i, value := r.IntN(len(all)), oddHeaders[r.IntN(len(oddHeaders))]
	switch name := all[i].Name; r.IntN(3) {
	case 0:
		d.say("the header %s of %s taken out", name, d.name(x))
		all = slices.Delete(all, i, i+1)
	case 1:
		d.say("the header %s of %s made %q", name, d.name(x), value)
		all[i].Value = value
	default:
		d.say("the header %s of %s sent again, as %q", name, d.name(x), value)
		all = append(all, record.Field{Name: name, Value: value})
	}
	d.replace(x, reheaded(x, func([]record.Field) []record.Field { return all }))
	return true
}

var oddHeaders = strings.Split(`|odd|text/event-stream|application/json|text/html; charset="|0|-1|99999999999999999999|close|Basic|no-store`+"|\xff\xfe", "|")

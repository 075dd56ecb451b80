package verdict

import (
	"cmp"
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Causes groups failures of one cause, a cause being what the maker of a server would
// fix: one failure is its root, which is of the gravest level among them, and the others
// name that one (Because). It returns how many roots there are.
//
// Every violation has a mark, and violations with the same mark have one cause. A
// mark belongs to the failure that has the fewest others, and then to that of most
// subjects; a failure that owns none of its marks follows from those that own them.
//
// If a requirement is broken in several bindings, its marks are those of the first of them,
// which the agent prefers: so a server has as many causes if one binding is judged as if
// all are, unless something is wrong in another one alone.
func (c *Decider) Causes(results []Result) int {
	marks, words := c.markFailures(results)
	k := &causeGroups{results: results, marks: marks, owner: map[string]int{}, of: map[int][]int{}}
	for by := range max(1, len(c.Transcript.Facts.Bindings)) {
		k.giveOwners(by)
	}
	for i := range results {
		if results[i].Cause = ""; results[i].Verdict == report.Fail {
			root := k.rootOf(i)
			k.of[root] = append(k.of[root], i)
		}
	}
	for owner, all := range k.of {
		root := k.chooseRoot(owner, all)
		for _, i := range all {
			results[i].Because = results[root].ID
		}
		results[root].Because = ""
		if len(all) > 1 {
			results[root].Cause = words[k.mostShared(owner, all)]
		}
	}
	return len(k.of)
}

// causeGroups are failures by the owners of their marks.
type causeGroups struct {
	results []Result
	marks   [][]causeMark
	owner   map[string]int // of each mark
	of      map[int][]int  // the failures of each owner
}

// decidingMarks returns the marks that decide from what a failure follows, and the number of the
// binding in which they were seen.
func (k *causeGroups) decidingMarks(i int) (marks []causeMark, by int) {
	for _, m := range k.marks[i] {
		if len(marks) == 0 || m.by < by {
			marks, by = nil, m.by
		}
		if m.by == by {
			marks = append(marks, m)
		}
	}
	return marks, by
}

// giveOwners gives the marks that have no owner yet one among the failures that a binding decides.
// Such a failure owns its marks in other bindings too.
func (k *causeGroups) giveOwners(binding int) {
	k.shareMarks(func(i int) []causeMark {
		if marks, by := k.decidingMarks(i); by == binding {
			return marks
		}
		return nil
	})
	k.shareMarks(func(i int) []causeMark {
		if _, by := k.decidingMarks(i); by == binding {
			return k.marks[i]
		}
		return nil
	})
}

// shareMarks gives an owner to each mark without one: of the failures that have it, the
// narrowest one.
func (k *causeGroups) shareMarks(marksOf func(i int) []causeMark) {
	owned := maps.Clone(k.owner)
	for i := range k.results {
		for _, m := range marksOf(i) {
			if _, has := owned[m.name]; !has {
				k.claimMark(m.name, i)
			}
		}
	}
}

func (k *causeGroups) claimMark(mark string, i int) {
	o, has := k.owner[mark]
	here, there := &k.results[i], &k.results[o]
	if !has || here.root && !there.root || here.root == there.root && k.isNarrower(i, o) {
		k.owner[mark] = i
	}
}

// isNarrower reports whether a failure has fewer marks than another, or of several agents
// fewer in each of them.
func (k *causeGroups) isNarrower(i, o int) bool {
	mine, _ := k.decidingMarks(i)
	others, _ := k.decidingMarks(o)
	here, there := len(mine)*k.countAgents(o), len(others)*k.countAgents(i)
	return here < there || here == there && k.countAgents(i) > k.countAgents(o)
}

// countAgents counts the agents for which a requirement fails.
func (k *causeGroups) countAgents(i int) int {
	names := map[string]bool{}
	for _, s := range k.results[i].Subjects {
		if s.Verdict == report.Fail {
			names[s.Agent] = true
		}
	}
	return max(1, len(names))
}

// rootOf returns the failure that owns what a failure follows from; it may be the failure itself.
func (k *causeGroups) rootOf(i int) int {
	marks, by := k.decidingMarks(i)
	if len(marks) == 0 || slices.ContainsFunc(marks, func(m causeMark) bool { return k.owner[m.name] == i }) {
		return i
	}
	root := k.owner[marks[0].name]
	if _, first := k.decidingMarks(root); first < by {
		return k.rootOf(root)
	}
	return root
}

// mostShared returns the mark of a cause that most of its failures have.
func (k *causeGroups) mostShared(owner int, all []int) (name string) {
	failures := map[string]int{}
	for _, i := range all {
		for _, m := range k.marks[i] {
			if failures[m.name]++; k.owner[m.name] == owner && (failures[m.name] > failures[name] || failures[m.name] == failures[name] && m.name < name) {
				name = m.name
			}
		}
	}
	return name
}

// chooseRoot finds the failure that represents a cause: one of the gravest level, and of these
// one about answers as a whole, rather than about a member of one.
func (k *causeGroups) chooseRoot(owner int, all []int) int {
	slices.SortFunc(all, func(i, j int) int { return cmp.Or(-oneIf(i == owner)+oneIf(j == owner), i-j) })
	return slices.MinFunc(all, func(i, j int) int {
		a, b := &k.results[i], &k.results[j]
		return cmp.Or(
			slices.Index(levels, a.Level)-slices.Index(levels, b.Level),
			oneIf(b.root)-oneIf(a.root),
			oneIf(k.isAboutMember(i))-oneIf(k.isAboutMember(j)))
	})
}

// isAboutMember reports whether a failure is about members of answers alone that should
// not have come as they did.
func (k *causeGroups) isAboutMember(i int) bool {
	return !slices.ContainsFunc(k.results[i].Broken, func(v judge.Breach) bool { return v.OfHead || v.IsAboutWholeAnswer() })
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// levels begin with the gravest.
var levels = []schema.Level{schema.Must, schema.Should, schema.May}

// markFailures lists the marks of each failure, in the order of its violations, and what is
// wrong in general, by mark.
func (c *Decider) markFailures(results []Result) (marks [][]causeMark, words map[string]string) {
	g := &grouping{c: c, layers: map[layerName]*layerCount{}, accepted: map[acceptedFamily]map[string]bool{}, rejected: map[textName][]judge.Breach{}, calls: map[callName][]judge.Breach{}, joined: map[string]string{}}
	for _, r := range results {
		for _, v := range r.Broken {
			if r.Verdict == report.Fail && (!v.OfHead || v.Header == "") && v.Document.Exchange != nil {
				v.OfHead = false // it is about the answer as a whole
				g.rejected[exchangeEventKey(v.Document)] = append(g.rejected[exchangeEventKey(v.Document)], v)
				g.addCall(v)
			}
		}
	}
	g.countMalformed()
	marks = make([][]causeMark, len(results))
	shared := map[sign]int{}
	for i, r := range results {
		if r.Verdict != report.Fail {
			continue
		}
		for _, v := range r.Broken {
			signs := g.findSigns(v)
			for _, s := range signs {
				g.joinSigns(signs[0].key, s.key)
				shared[s]++
			}
			marks[i] = append(marks[i], causeMark{signs[0].key, g.bindingOf(v)})
		}
	}
	for i := range marks {
		var found []causeMark
		for _, m := range marks[i] {
			if m.name = g.findMark(m.name); !slices.Contains(found, m) {
				found = append(found, m)
			}
		}
		marks[i] = found
	}
	return marks, g.chooseWords(shared)
}

// chooseWords chooses the words for each mark: those of the sign that most violations share.
func (g *grouping) chooseWords(shared map[sign]int) map[string]string {
	words, most := map[string]string{}, map[string]int{}
	for s, n := range shared {
		mark := g.findMark(s.key)
		if s.words != "" && (n > most[mark] || n == most[mark] && s.words < words[mark]) {
			words[mark], most[mark] = s.words, n
		}
	}
	return words
}

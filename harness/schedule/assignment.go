package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// Assignment is a scenario together with the agent and the interface that it is performed with.
type Assignment struct {
	Scenario conversation.Scenario
	Setting  *conversation.Setting
	Agent    string
	Binding  string
	// FurtherBinding is the binding if it is not that of the agent's first interface, else "".
	FurtherBinding string

	beyondBudget bool // its messages are more than the run may send
}

// Bindings returns the names of the bindings that the conversation uses.
func (a Assignment) Bindings() (names []string) {
	if a.Binding != "" {
		names = append(names, a.Binding)
	}
	for _, other := range a.FurtherSettings() {
		names = append(names, other.Binding.Name())
	}
	return names
}

// FurtherSettings returns the other interfaces of the agent that the conversation calls.
func (a Assignment) FurtherSettings() []*conversation.Setting {
	if !a.Scenario.MultiInterface {
		return nil
	}
	return a.Setting.Others
}

const (
	// orderSpread is the share of its weight by which a play may come earlier in one run than in
	// another, so that a server cannot recognise the suite by the order of its calls.
	orderSpread = 0.4
	// callMargin is how many of the allowed calls stay unused, because a server may still count
	// calls that have just ended.
	callMargin = 2
	// longPlay is how many probes make a play so long that it takes two slots of the pool.
	longPlay = 20
)

// orderByWeight returns the places of the assignments, the longest plays first, so that no long
// play begins last and runs alone. The weight of the longest play that waits for one is added to
// that one; what waits for it in turn does not count. A play that waits for another while it runs comes after it.
func orderByWeight(all []Assignment, ids operator.Naming) []int {
	order, weight := make([]int, len(all)), make([]float64, len(all))
	for i := range order {
		order[i], weight[i] = i, all[i].Scenario.Weight()
	}
	for i := range all {
		for _, on := range playsToWaitFor(all, i) {
			weight[on] = max(weight[on], all[on].Scenario.Weight()+all[i].Scenario.Weight())
		}
	}
	if ids.Varies() {
		for i, a := range all {
			weight[i] *= 1 + orderSpread*float64(ids.Choose(1000, "order", a.Scenario.Name, a.Agent, a.FurtherBinding))/1000
		}
	}
	for i := range all {
		for _, on := range promisesReused(all, i) {
			weight[on] = max(weight[on], math.Nextafter(weight[i], math.Inf(1)))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	return order
}

// playsToWaitFor returns the places of the plays that one play waits for: those whose tasks it
// uses and, if the dialect allows an answer without a task and the play sends the harmless
// message, the play that shows which message makes a task.
func playsToWaitFor(all []Assignment, at int) (places []int) {
	a := all[at]
	if a.Setting.Dialect == nil {
		return nil
	}
	needsTask := a.Setting.Dialect.Sorted() && !a.Scenario.ProvesTaskCreation && a.Scenario.Harmless(a.Setting.Stimuli)
	for _, name := range a.Scenario.AfterFirst {
		if i := slices.IndexFunc(all, func(other Assignment) bool { return other.Setting == a.Setting && other.Scenario.Name == name }); i >= 0 {
			places = append(places, i)
			break
		}
	}
	for i, other := range all {
		sameInterface := other.Setting == a.Setting || slices.Contains(a.FurtherSettings(), other.Setting)
		if sameInterface && (slices.Contains(a.Scenario.After, other.Scenario.Name) || needsTask && other.Scenario.ProvesTaskCreation) {
			places = append(places, i)
		}
	}
	return places
}

// promisesReused returns the places of the plays that one play waits for while it runs: they have to begin before it.
func promisesReused(all []Assignment, at int) (places []int) {
	for i, other := range all {
		if other.Setting == all[at].Setting && other.Scenario.Promises && all[at].Scenario.Reuses[other.Scenario.Name] > 0 {
			places = append(places, i)
		}
	}
	return places
}

// poolSize returns how many slots the pool has. A slot is for a play, or for a call if the protocol
// limits the calls of a client.
func poolSize(all []Assignment, concurrency int) int {
	if limit := simultaneousCallLimit(all...); limit > 0 {
		return min(concurrency, max(1, limit-callMargin))
	}
	return concurrency
}

// slotsOf returns how many slots of the pool one play takes.
func slotsOf(a Assignment, concurrency, size int) int {
	switch {
	case isLongTwoSlotPlay(a, concurrency):
		return 2
	case simultaneousCallLimit(a) == 0:
		return 1
	}
	return min(max(1, a.Scenario.Parallel), size)
}

// isLongTwoSlotPlay reports whether a play is so long that it takes two slots of the pool, and makes
// two calls at a time.
func isLongTwoSlotPlay(a Assignment, concurrency int) bool {
	return simultaneousCallLimit(a) == 0 && concurrency > 1 && a.Scenario.Class == conversation.Shared && a.Scenario.Probes > longPlay
}

// simultaneousCallLimit returns how many calls the protocol allows a client at the same time; 0 means any
// number.
func simultaneousCallLimit(all ...Assignment) int {
	if len(all) == 0 || all[0].Setting.Dialect == nil {
		return 0
	}
	return all[0].Setting.Dialect.Limits.Calls
}

package reference

import (
	"slices"
	"sync"
	"time"
)

// A registration is what an agent tells a directory about itself.
type registration struct {
	AgentID      string   `json:"agentId"`
	Name         string   `json:"name"`
	Capabilities []string `json:"capabilities"`
	Endpoint     string   `json:"endpoint"`
}

// An entry is what a directory tells about an agent.
type entry struct {
	registration
	RegisteredAt string `json:"registeredAt"`
}

// offers reports whether any of the wanted capabilities is among the entry's.
func (e entry) offers(wanted []string) bool {
	return slices.ContainsFunc(e.Capabilities, func(c string) bool { return slices.Contains(wanted, c) })
}

// registryFaults are defects of a directory that show in what it finds later.
type registryFaults struct {
	deaf    bool // an id that is registered again keeps its old values
	doubles bool // an id that is registered again is there twice
	clings  bool // capabilities that were given up go on matching
	started bool // every entry is dated with the start of the directory
}

// A registry holds the entries in the order of their registration.
type registry struct {
	faults registryFaults
	start  time.Time

	mu      sync.Mutex
	entries []entry
}

// newRegistry makes an empty one.
func newRegistry(f registryFaults) *registry {
	return &registry{faults: f, start: time.Now().Add(-24 * time.Hour)}
}

func (r *registry) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at(id) >= 0
}

func (r *registry) at(id string) int {
	return slices.IndexFunc(r.entries, func(e entry) bool { return e.AgentID == id })
}

// put adds an entry, or replaces the one of that id.
func (r *registry) put(e registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.faults.started {
		now = r.start
	}
	fresh := entry{e, timestamp(now)}
	i := r.at(e.AgentID)
	switch {
	case i < 0 || r.faults.doubles:
		r.entries = append(r.entries, fresh)
	case r.faults.deaf:
	case r.faults.clings:
		fresh.Capabilities = append(slices.Clone(fresh.Capabilities), r.entries[i].Capabilities...)
		r.entries[i] = fresh
	default:
		r.entries[i] = fresh
	}
}

// find returns the entries that match; nil matches all.
func (r *registry) find(match func(entry) bool) []entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := []entry{}
	for _, e := range r.entries {
		if match == nil || match(e) {
			found = append(found, e)
		}
	}
	return found
}

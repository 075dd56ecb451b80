package front

import (
	"slices"
	"sync"
	"time"
)

// A registration is what an agent states about itself to a directory.
type Registration struct {
	AgentID      string   `json:"agentId"`
	Name         string   `json:"name"`
	Capabilities []string `json:"capabilities"`
	Endpoint     string   `json:"endpoint"`
}

// An entry is what a directory states about an agent.
type Entry struct {
	Registration
	RegisteredAt string `json:"registeredAt"`
}

// Offers reports whether any of the wanted capabilities is among the entry's.
func (e Entry) Offers(wanted []string) bool {
	return slices.ContainsFunc(e.Capabilities, func(c string) bool { return slices.Contains(wanted, c) })
}

// RegistryFaults are defects of a directory that show in what it finds later.
type RegistryFaults struct {
	Deaf    bool // an id that is registered again keeps its old values
	Doubles bool // an id that is registered again is there twice
	Clings  bool // capabilities that were given up go on matching
	Started bool // every entry is dated with the start of the directory
}

// A registry holds the entries in the order of their registration.
type Registry struct {
	faults RegistryFaults
	start  time.Time

	mu      sync.Mutex
	entries []Entry
}

// NewRegistry makes an empty one.
func NewRegistry(f RegistryFaults) *Registry {
	return &Registry{faults: f, start: time.Now().Add(-24 * time.Hour)}
}

func (r *Registry) Has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at(id) >= 0
}

func (r *Registry) at(id string) int {
	return slices.IndexFunc(r.entries, func(e Entry) bool { return e.AgentID == id })
}

// Put adds an entry, or replaces the one of that id.
func (r *Registry) Put(e Registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.faults.Started {
		now = r.start
	}
	fresh := Entry{e, Timestamp(now)}
	i := r.at(e.AgentID)
	switch {
	case i < 0 || r.faults.Doubles:
		r.entries = append(r.entries, fresh)
	case r.faults.Deaf:
	case r.faults.Clings:
		fresh.Capabilities = append(slices.Clone(fresh.Capabilities), r.entries[i].Capabilities...)
		r.entries[i] = fresh
	default:
		r.entries[i] = fresh
	}
}

// Find returns the entries that match; nil matches all.
func (r *Registry) Find(match func(Entry) bool) []Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := []Entry{}
	for _, e := range r.entries {
		if match == nil || match(e) {
			found = append(found, e)
		}
	}
	return found
}

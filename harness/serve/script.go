package serve

import (
	"slices"
	"strings"
	"sync"
)

// Script is a scripted server: what it does is the same whatever the client sends as its text.
type Script struct {
	Name  string
	Group string
	Doc   string // what it does, in a sentence
	// Fault states what it does that the text forbids; "" if the text permits all of it.
	Fault string
	// Twin is the plain scenario in which the same client is compared with this one; "" for a plain one.
	Twin     string
	Dialects []string // in which there is something to provoke; empty for all
	Turns    bool     // the client is given a second text
	Alone    bool     // it measures time: nothing else is played meanwhile

	set func(s *stage)
}

// belongsTo reports whether the scenario is one of a dialect.
func (s *Script) belongsTo(dialect string) bool {
	return (dialect == a2a10 || dialect == a2a03) && (len(s.Dialects) == 0 || slices.Contains(s.Dialects, dialect))
}

// groups are the scenarios in the order in which they are played.
var groups = sync.OnceValue(func() (out []Script) {
	for _, g := range []struct {
		name    string
		scripts []Script
	}{{"plain", plain}, {"card", cards}, {"interfaces", interfaces}, {"responses", responses}, {"errors", listErrorScripts()}, {"stream forms", streams},
		{"stream life", streamLife}, {"tasks", tasks}, {"HTTP", exchanges}, {"HTTP", framings}} {
		for _, s := range g.scripts {
			s.Group = g.name
			out = append(out, s)
		}
	}
	return out
})

// Scripts are the scenarios of a dialect, in the order in which they are played.
func Scripts(dialect string) (out []Script) {
	for _, s := range groups() {
		if s.belongsTo(dialect) {
			out = append(out, s)
		}
	}
	return out
}

// Find returns the scenario of that name; nil if the dialect has none.
func Find(dialect, name string) *Script {
	for _, s := range groups() {
		if s.Name == name && s.belongsTo(dialect) {
			return &s
		}
	}
	return nil
}

// The names of dialects whose clients are served.
const (
	a2a10 = "a2a-1.0"
	a2a03 = "a2a-0.3"
)

// sortScripts puts scenarios that were made from lists without an order in the order of their names.
func sortScripts(list []Script) {
	slices.SortStableFunc(list, func(a, b Script) int { return strings.Compare(a.Name, b.Name) })
}

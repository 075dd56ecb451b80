package serve

import (
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
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
	Alone    bool     // it measures time: no other play goes on
	// Least is how long the play goes on after the client ended, so that what it leaves behind is seen.
	Least time.Duration

	set func(s *stage)
}

// Has reports whether the scenario is one of a dialect.
func (s *Script) Has(dialect string) bool {
	return (dialect == a2a10 || dialect == a2a03) && (len(s.Dialects) == 0 || slices.Contains(s.Dialects, dialect))
}

// Scripts are the scenarios of a dialect, in the order in which they are played.
func Scripts(dialect string) (out []Script) {
	for _, group := range [][]Script{plain, cards, streams} {
		for _, s := range group {
			if s.Has(dialect) {
				out = append(out, s)
			}
		}
	}
	return out
}

// Find returns the scenario of that name; nil if the dialect has none.
func Find(dialect, name string) *Script {
	all := Scripts(dialect)
	if i := slices.IndexFunc(all, func(s Script) bool { return s.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// The names of dialects whose clients are served.
const (
	a2a10 = "a2a-1.0"
	a2a03 = "a2a-0.3"
)

// plainFields are the fields of an answer in JSON.
func jsonFields(media string) []record.Field {
	return []record.Field{{Name: "Content-Type", Value: media}}
}

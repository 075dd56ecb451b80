package acts

import (
	"sync"

	"github.com/a2a-conform/a2a-conform/schema"
	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
)

// The relations of requirements to a test of the corpus.
const (
	JudgesSame     = "same"
	JudgesStronger = "stronger" // the requirements demand more
	JudgesWeaker   = "weaker"   // the requirements demand less
	JudgesNone     = "none"     // no requirement is about it
	IsWrong        = "wrong"    // the test demands what A2A does not demand
)

// Mapping is what the requirements of a2a-1.0 judge in place of one test of the corpus.
type Mapping struct {
	ID           string   `yaml:"id"`
	Is           string   `yaml:"is"` // one of the relations
	Requirements []string `yaml:"requirements"`
	Why          string   `yaml:"why"`       // a sentence; may be "" for same
	Corrected    bool     `yaml:"corrected"` // the corpus has corrected the test since
	Beyond       *Beyond  `yaml:"beyond"`    // what else the test demands; nil if it is nothing
}

// Beyond is one thing that a test demands although A2A does not, next to what it is about.
type Beyond struct {
	Path string `yaml:"path"` // of the value in the answer; "" for the whole of it
	Why  string `yaml:"why"`  // a sentence
}

// Mapping returns the mapping of a test; ok is false if it is not one of the corpus that comes with this program. Another corpus
// may have corrected a test of the same id.
func (t *Test) Mapping() (m Mapping, ok bool) {
	if !t.Published {
		return m, false
	}
	return FindMapping(t.ID)
}

// Excuse returns the sentence about why A2A does not demand what a server failed; "" if it does, or the test is not
// one of the corpus.
func (r *TestResult) Excuse() string {
	m, ok := r.Test.Mapping()
	switch {
	case !ok || r.Result != Failed:
		return ""
	case m.Beyond != nil && r.Failure.Path == m.Beyond.Path:
		return m.Beyond.Why
	case m.Is == IsWrong, m.Is == JudgesWeaker, m.Is == JudgesSame:
		return m.Why
	}
	return ""
}

// Mappings returns the mappings of all tests of the corpus, in the order of the corpus.
var Mappings = sync.OnceValues(func() ([]Mapping, error) {
	var file struct {
		Tests []Mapping `yaml:"tests"`
	}
	err := schema.Strict("schema/acts/map.yaml", corpus.MapText(), &file)
	return file.Tests, err
})

// FindMapping returns the mapping of a test by its id; ok is false if the corpus has no such test.
func FindMapping(id string) (m Mapping, ok bool) {
	all, err := Mappings()
	if err != nil {
		return m, false
	}
	for _, m := range all {
		if m.ID == id {
			return m, true
		}
	}
	return m, false
}

// Package acts holds a corpus of ACTS, the A2A Conformance Test Specification, as it was published, and what the
// requirements of this project judge in its place.
package acts

import (
	"embed"
	"io/fs"
)

//go:embed corpus/*.acts.yaml
var files embed.FS

// The corpus, for everybody who names it.
const (
	CorpusMaster = "suite.acts.yaml" // the document that includes all others
	CorpusSource = "https://github.com/a2aproject/A2A/tree/dbcabfba/tests/acts"
	CorpusCommit = "dbcabfba"
	CorpusDate   = "2026-05-29"
	CorpusTests  = 111
)

// Corpus returns the documents of the corpus, as they were published.
func Corpus() fs.FS {
	below, err := fs.Sub(files, "corpus")
	if err != nil {
		panic(err) // the name is valid
	}
	return below
}

// ReadCorpusFile returns a document of the corpus by its name.
func ReadCorpusFile(name string) ([]byte, error) { return fs.ReadFile(Corpus(), name) }

//go:embed map.yaml
var mapText []byte

// MapText returns which requirements of a2a-1.0 judge the same as each test of the corpus, as YAML.
func MapText() []byte { return mapText }

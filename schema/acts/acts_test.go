package acts

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// corpusDigest is the digest of the documents as they were published, in the order of their names.
const corpusDigest = "7cd8f88c72cbb5a4e634f94f5a947bff298e2c320f0d658cf3522524272b3fed"

// TestCorpusIsUnmodified: the documents are those of the commit, and its README, the notice and the licence name their source.
func TestCorpusIsUnmodified(t *testing.T) {
	names, err := fs.Glob(Corpus(), "*.acts.yaml")
	if err != nil || len(names) != 15 {
		t.Fatalf("got %v, %v", names, err)
	}
	sum := sha256.New()
	for _, name := range names {
		text, err := ReadCorpusFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(text)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != corpusDigest {
		t.Errorf("the documents have the digest %s, want %s", got, corpusDigest)
	}
	for _, file := range []string{"corpus/README.md", "../../NOTICE", "../../LICENSE"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{CorpusCommit, CorpusDate, "Apache License", "conformance-spec"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s", file, want)
			}
		}
	}
}

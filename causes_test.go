package conform

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// What would have to be mended on real servers was found by hand. Each of these
// causes is one of the report, no two of them are the same one, and there are no
// more than a fifth above them.
func TestCausesOfRealServers(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.causes.yaml")
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var found struct {
				Causes []struct {
					Root         string   `yaml:"root"`
					Requirements []string `yaml:"requirements"`
				} `yaml:"causes"`
				None []string `yaml:"none"`
			}
			if err := yaml.Unmarshal(text, &found); err != nil {
				t.Fatal(err)
			}
			o, err := Replay(bytes.NewReader(unzipped(t, strings.TrimSuffix(file, ".causes.yaml")+".har.gz")))
			if err != nil {
				t.Fatal(err)
			}
			root := map[string]string{} // of each failure
			for _, r := range o.Report.Results {
				if r.Verdict == judge.Fail {
					root[r.ID] = r.ID
					if r.Because != "" {
						root[r.ID] = r.Because
					}
				}
			}
			for _, id := range found.None {
				if root[id] != "" {
					t.Errorf("%s fails, which is our own doing or beyond the text", id)
				}
			}
			of := map[string]string{}
			for _, c := range found.Causes {
				var roots []string
				for _, id := range c.Requirements {
					if r := root[id]; r != "" && !slices.Contains(roots, r) {
						roots = append(roots, r)
					}
				}
				for _, r := range roots {
					if of[r] != "" {
						t.Errorf("%q and %q are one cause, %s", of[r], c.Root, r)
					}
					of[r] = c.Root
				}
			}
			if most := len(found.Causes) + len(found.Causes)/5; o.Report.Causes > most {
				t.Errorf("%d causes, want at most %d", o.Report.Causes, most)
			}
		})
	}
}

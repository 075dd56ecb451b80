package skeletons

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The programs on the SDKs are those that .ci/peers judges, to the letter.
func TestSkeletonsAreJudgedClients(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"js", "a2a-1.0", "js10/adapter.js"}, {"js", "a2a-0.3", "js/adapter.js"}, {"go", "a2a-1.0", "go10/adapter/main.go"}, {"go", "a2a-0.3", "go/adapter/main.go"},
	} {
		text, err := Read(c[0], c[1])
		judged, fault := os.ReadFile(filepath.Join("../../../../.ci/peers", c[2]))
		if err != nil || fault != nil || !bytes.Equal(text, judged) {
			t.Errorf("the program in %s for %s is not .ci/peers/%s: %v, %v", c[0], c[1], c[2], err, fault)
		}
	}
	if _, err := Read("cobol", "a2a-1.0"); err == nil || !strings.Contains(err.Error(), "js, python, go") {
		t.Errorf("got %v", err)
	}
}

// The program in Python does all commands, and reports what it saw: as one process, and as one for each scenario.
func TestPythonIsAnAdapter(t *testing.T) {
	t.Parallel()
	text, err := Read("python", "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "adapter.py")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dialect string
		keep    bool
		play    []string
	}{
		{"a2a-1.0", true, nil},
		{"a2a-0.3", true, nil},
		{"a2a-1.0", false, []string{"cancel"}},
	} {
		t.Run(strings.Join(append([]string{c.dialect}, c.play...), " "), func(t *testing.T) {
			t.Parallel()
			d, err := schema.Load(c.dialect)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{ // the lines of the scenario, without those about parts
				"hello":               "card task artifact status artifact end",
				"hello-message":       "card message end",
				"turns":               "card task artifact status artifact end task artifact status artifact end",
				"input-required":      "card task status task artifact status artifact end",
				"stream-message":      "card message end end",
				"stream-error":        "card task artifact status artifact end error",
				"stream-abandon":      "card task artifact status artifact artifact end artifact artifact",
				"extended-card":       "card error task artifact status artifact end", // it has no token for that card
				"card-moves":          "card task artifact status artifact end card task artifact status artifact end",
				"cancel":              "card task status task status",
				"cancel-late-refused": "card task status error",
				"get":                 "card task artifact status artifact end task artifact status",
				"card-broken-html":    "error",
				"ends-failed":         "card task status end",
			}
			if c.dialect == "a2a-1.0" {
				want["list-pages"] = "card task artifact status artifact end task task task"
			}
			play := c.play
			for name := range want {
				if c.keep {
					play = append(play, name)
				}
			}
			tr, err := serve.Run(t.Context(), serve.Config{Dialect: d, Command: []string{"python3", file}, Scenarios: play, Keep: c.keep, Patience: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if k := tr.Facts.Calibration; tr.Facts.Cut != "" || !k.Adapter || !k.Works || !k.Exits || !k.Prints || len(k.Cannot) > 0 {
				t.Fatalf("%s, %+v: %+v", tr.Facts.Cut, k, tr.Play("hello").Client)
			}
			for _, name := range append(play, "hello", "card-broken-html") {
				p := tr.Play(name)
				if got := listKinds(p.Client); got != want[name] {
					t.Errorf("%s: it reported %s, want %s; it printed %s", name, got, want[name], p.Client.Stderr)
				}
				if fails := strings.Contains(want[name], "error") || name == "ends-failed"; fails != (p.Client.Exit == 1) || p.Client.Renewed != "" || len(p.Client.Misread) > 0 {
					t.Errorf("%s: it ended with %d: %q %+v", name, p.Client.Exit, p.Client.Renewed, p.Client.Misread)
				}
			}
			if c.keep {
				kinds := []string{}
				for _, s := range tr.Play("hello").Client.Reports("part") {
					kinds = append(kinds, s.Kind)
				}
				if !slices.Equal(kinds, []string{"text"}) {
					t.Errorf("it saw parts of the kinds %v", kinds)
				}
			}
		})
	}
}

// listKinds returns what was reported, without parts and the end of the scenario.
func listKinds(run *record.ClientRun) string {
	var out []string
	for _, s := range run.Said {
		if s.Saw != "part" && s.Of != "scenario" {
			out = append(out, s.Saw+s.Cannot)
		}
	}
	return strings.Join(out, " ")
}

package catalogue

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
)

// madeUp returns a dialect with a requirement of each kind. It has the name of a published one, whose
// sections have addresses.
func madeUp() *schema.Dialect {
	return &schema.Dialect{
		Name: "a2a-1.0", Title: "A2A 1.0.1", Digest: "sha256:0123", Source: schema.Source{Title: "A Protocol", Version: "1.0.1"},
		Requirements: []schema.Requirement{
			{Rule: schema.Rule{ID: "ZZ-ERR-001", Level: schema.Must, Area: "errors", Section: "9.5; a text of its own", Statement: "The server must refuse an unknown `role` with `-32602`.",
				Needs: []string{"task", "stimulus.slow", "webhook"}, After: []string{"ZZ-OWN-001"}, Binding: schema.KindGRPC,
				Check: "errors/refused", With: map[string]any{"steps": []string{"send-params/role<b>"}}, Mutants: []string{"role-accepted", "role-internal"},
				Readings: []string{"The first one.", "The second one."}, Applied: []string{"A", "B"}},
				Claims: []string{"streaming"}, Every: "error", Risk: schema.Heavy, Finding: []string{"role-late"}, File: "schema/zz/requirements/errors.yaml:3"},
			{Rule: schema.Rule{ID: "ZZ-ERR-002", Level: schema.Should, Area: "errors", Section: "9.5", Statement: "An error should have a `message`.", Check: "shape", After: []string{"ZZ-ERR-001"}}},
			{Rule: schema.Rule{ID: "ZZ-OWN-001", Level: schema.Must, Area: "card", Section: "9.4.1", Statement: "The server must answer.", Check: "answers", Mutants: []string{"mute"}}, Operator: []string{"production"}},
			{Rule: schema.Rule{ID: "ZZ-CARD-001", Level: schema.May, Area: "card", Section: "9.4.1", Statement: "The card may be cached.", Check: "cached"}, Permission: true},
			{Rule: schema.Rule{ID: "ZZ-CARD-002", Level: schema.Must, Area: "card", Section: "9.4.1", Statement: "The card must not have secrets.", Unobservable: "Only the owner knows what is a `secret`."}},
			{Rule: schema.Rule{ID: "ZZ-CARD-003", Level: schema.Should, Area: "card", Section: "9.4.1", Statement: "The card should be small.", Check: "small"}, FindingOnly: "The text has no number.", Finding: []string{"mute"}},
		},
	}
}

// madeUpSource returns what pages show of the requirements of madeUp.
func madeUpSource() Source {
	return Source{
		Steps: func(_ *schema.Dialect, r *schema.Requirement) []Step {
			if r.ID != "ZZ-ERR-001" {
				return nil
			}
			return []Step{{"send-params/role", "Calls `SendMessage` with an unknown role."}, {"send-params/role<b>", "Sends <b>."}}
		},
		Expects: func(check string) string { return "what " + check + " expects" },
		Defects: func(string) []Defect {
			return []Defect{{"role-accepted", "Any `role` is accepted."}, {"role-internal", "It is an internal error."}, {"role-late", "It is refused late."}, {"mute", "Nothing is answered."}}
		},
	}
}

// withGateways adds two requirements on gateways to what pages show.
func withGateways(s Source) Source {
	s.Gateways = &schema.Gateways{Title: "the profile of gateways", Digest: "sha256:4567", Requirements: []schema.GatewayRequirement{
		{Rule: schema.Rule{ID: "ZZ-GW-001", Level: schema.Must, Area: "via", Section: "RFC 9110, 7.6.3", Statement: "The gateway must send `Via`.", Needs: []string{"upstream"},
			Check: "gateway/via", With: map[string]any{"play": "fields"}, Mutants: []string{"via-missing"}}, Meets: "No loop is noticed."},
		{Rule: schema.Rule{ID: "ZZ-GW-002", Level: schema.May, Area: "limits", Section: "RFC 9110, 7.6.3; A2A 1.0, 3.1.2", Statement: "The gateway may wait for 4 s.",
			Check: "gateway/survives", Mutants: []string{"short-timeout"}}, Finding: true, Meets: "Calls fail after a `time`."},
	}}
	s.Faults = []Defect{{"via-missing", "sends no `Via`"}, {"short-timeout", "waits for 1 s"}}
	s.GatewayFindingOnly = "no sentence forbids it"
	return s
}

// The requirements on gateways have a page each and one for all of them. Without any the site is as it was.
func TestGateways(t *testing.T) {
	pages := render(t, madeUp(), withGateways(madeUpSource()))
	for _, name := range []string{"ZZ-GW-001.html", "gateways.html"} {
		reportstest.Golden(t, name, pages[name])
	}
	if text := pages["ZZ-GW-002.html"]; !strings.Contains(text, "no sentence forbids it") || strings.Contains(text, "with one of these defects") {
		t.Errorf("the page of a finding: %s", text)
	}
	if !slices.ContainsFunc(searchRows(t, pages[dataFile]), func(row []string) bool { return row[0] == "ZZ-GW-001" && row[3] == gateways.title }) {
		t.Error("the search does not find a requirement on gateways")
	}
	if !strings.Contains(pages["index.html"], "and of gateways") || strings.Contains(render(t, madeUp(), madeUpSource())["index.html"], "gateways") {
		t.Error("the index does not tell whether the site has requirements on gateways")
	}
}

// render returns the files of a site by name.
func render(t *testing.T, d *schema.Dialect, source Source) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range newSite([]*schema.Dialect{d}, source).listFiles() {
		out[f.Name] = reportstest.Render(t, f.Render)
	}
	return out
}

func TestGolden(t *testing.T) {
	pages := render(t, madeUp(), madeUpSource())
	for _, name := range []string{"ZZ-ERR-001.html", "a2a-1.0.html", "index.html", "A2A-DISC-000.html"} {
		reportstest.Golden(t, name, pages[name])
	}
}

// What is peculiar to a requirement is on its page, and not on that of another.
func TestKindsOfRequirements(t *testing.T) {
	pages := render(t, madeUp(), madeUpSource())
	for text, ids := range map[string][]string{
		"Readings A and B are":    {"ZZ-ERR-001"},
		"added by this suite":     {"ZZ-OWN-001"},
		"it is a permission":      {"ZZ-CARD-001"},
		"No run judges it: Only":  {"ZZ-CARD-002"},
		"The text has no number.": {"ZZ-CARD-003"},
		"a2a-conform prove":       {"ZZ-ERR-002"},
		"--grpc-addr":             {"ZZ-ERR-001"},
		"--stimuli plain --allow heavy --webhook-listen 127.0.0.1:0": {"ZZ-ERR-001"},
		"These depend on it":         {"ZZ-ERR-001", "ZZ-OWN-001"},
		"--mutant mute":              nil,
		"--mutant role-accepted":     {"ZZ-ERR-001"},
		"Nothing is answered.":       {"ZZ-OWN-001", "ZZ-CARD-003"},
		"the report then lists":      {"A2A-DISC-000"},
		`id="step-send-params-role"`: {"ZZ-ERR-001"},
	} {
		for name, page := range pages {
			id, isPage := strings.CutSuffix(name, ".html")
			if !isPage || name == "index.html" || id == "a2a-1.0" || id == everyDialect.name {
				continue
			}
			if got, want := strings.Contains(page, text), slices.Contains(ids, id); got != want {
				t.Errorf("%s has %q: got %v, want %v", name, text, got, want)
			}
		}
	}
}

// No text becomes markup or a script, whatever it is, and the search data remain data.
func TestTextsAreEscaped(t *testing.T) {
	for name, attack := range reportstest.Attacks {
		if len(attack) > 1<<16 { // the catalogue is part of the program, and its texts are short
			continue
		}
		d, source := madeUp(), madeUpSource()
		r := &d.Requirements[0]
		r.Statement, r.Area, r.Every, r.Readings, r.Needs, r.Section = attack, attack, attack, []string{attack}, []string{attack}, attack
		r.Check, r.File, r.Mutants = attack, attack, []string{attack}
		source.Steps = func(*schema.Dialect, *schema.Requirement) []Step { return []Step{{attack, attack}} }
		source.Expects = func(string) string { return attack }
		source.Defects = func(string) []Defect { return []Defect{{attack, attack}} }
		pages := render(t, d, source)
		for _, page := range []string{"ZZ-ERR-001.html", "a2a-1.0.html"} {
			root, err := nethtml.Parse(strings.NewReader(pages[page]))
			if err != nil {
				t.Fatal(err)
			}
			for n := range root.Descendants() {
				if n.Type != nethtml.ElementNode {
					continue
				}
				if n.Data == "img" || n.Data == "script" && n.FirstChild != nil {
					t.Errorf("%s on %s: an element %s", name, page, n.Data)
				}
				for _, a := range n.Attr {
					if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
						t.Errorf("%s on %s: an attribute %s=%q", name, page, a.Key, a.Val)
					}
				}
			}
		}
		if rows := searchRows(t, pages[dataFile]); !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == "ZZ-ERR-001" }) {
			t.Errorf("%s: the search data lack ZZ-ERR-001", name)
		}
		if strings.Contains(pages[dataFile], "</script") {
			t.Errorf("%s: the search data end a script", name)
		}
	}
}

// searchRows reads the search data as a browser does.
func searchRows(t *testing.T, script string) (rows [][]string) {
	t.Helper()
	text, begun := strings.CutPrefix(script, "var requirements = ")
	text, ended := strings.CutSuffix(text, ";\n")
	if err := json.Unmarshal([]byte(text), &rows); err != nil || !begun || !ended {
		t.Fatalf("the search data are no list: %v", err)
	}
	return rows
}

// writeSite writes the site of a dialect into a folder.
func writeSite(dir string, d *schema.Dialect) error {
	_, err := Write(dir, []*schema.Dialect{d}, madeUpSource())
	return err
}

// readSite returns the files of a folder.
func readSite(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range found {
		if out[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// The same catalogues give the same bytes, which are those that were rendered.
func TestSiteIsTheSameEachTime(t *testing.T) {
	var sites []map[string][]byte
	for range 2 {
		dir := filepath.Join(t.TempDir(), "below", "site")
		if err := writeSite(dir, madeUp()); err != nil {
			t.Fatal(err)
		}
		sites = append(sites, readSite(t, dir))
	}
	rendered := render(t, madeUp(), madeUpSource())
	if len(sites[0]) != len(rendered)+1 || len(sites[1]) != len(sites[0]) {
		t.Errorf("got %d and %d files, want %d and %s", len(sites[0]), len(sites[1]), len(rendered), MarkerFile)
	}
	for name, text := range sites[0] {
		if !bytes.Equal(text, sites[1][name]) || name != MarkerFile && string(text) != rendered[name] {
			t.Errorf("%s differs", name)
		}
	}
}

// The site of an earlier catalogue is replaced, without the pages of what is gone, and without a change
// to files of others.
func TestSiteIsWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil { // a folder for pages in a repository
		t.Fatal(err)
	}
	if err := writeSite(dir, madeUp()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "CNAME"), []byte("agents.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	later := madeUp()
	later.Requirements = later.Requirements[1:]
	later.Requirements[0].After, later.Requirements[0].Statement = nil, "An error should have a text."
	if err := writeSite(dir, later); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Errorf("the hidden folder is gone: %v", err)
	}
	got := readSite(t, dir)
	if _, still := got["ZZ-ERR-001.html"]; still {
		t.Error("the page of a requirement that is gone is still there")
	}
	if !strings.Contains(string(got["ZZ-ERR-002.html"]), "An error should have a text.") || string(got["CNAME"]) != "agents.example\n" {
		t.Error("a page is the earlier one, or the file of somebody else is gone")
	}
}

// A folder that holds anything else is refused, and nothing in it changes.
func TestOtherFoldersAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"another site":            {"index.html", "mine", "name an empty or new folder with --out"},
		"a marker of others":      {MarkerFile, `{"site":"mine","files":[]}`, "is not a list of files that this command wrote"},
		"a marker that is broken": {MarkerFile, `{"site":`, "is not a list of files that this command wrote"},
		"a marker that leads out": {MarkerFile, `{"site":"requirements of a2a-conform","files":["../x.html"]}`, "is not a list of files that this command wrote"},
		"a marker of much":        {MarkerFile, `{"site":"requirements of a2a-conform"}` + strings.Repeat(" ", maxMarkerBytes), "cannot read "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := writeSite(dir, madeUp()); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--out") {
				t.Errorf("got the error %v, want %q", err, c.want)
			}
			if got := readSite(t, dir); len(got) != 1 || string(got[c.file]) != c.text {
				t.Errorf("the folder holds %d files", len(got))
			}
		})
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeSite(file, madeUp()); err == nil || !strings.Contains(err.Error(), "--out") {
		t.Errorf("a file in place of a folder: got the error %v", err)
	}
}

// A site whose writing ended early is recognized.
func TestInterruptedSiteIsWrittenAgain(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	if err := newMarkerFile([]string{"index.html", "ZZ-ERR-001.html"}).Render(io.Writer(&b)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, MarkerFile), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeSite(dir, madeUp()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ZZ-ERR-001.html")); err != nil {
		t.Error(err)
	}
}

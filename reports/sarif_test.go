package reports

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func sarif(t *testing.T, parts ...view.Part) sarifLog {
	t.Helper()
	b := reportstest.Render(t, func(w io.Writer) error { return SARIF(w, parts, howJudged) })
	return checkSARIF(t, []byte(b))
}

// linkInMessage is what a viewer makes a link of.
var linkInMessage = regexp.MustCompile(`"(?:text|markdown)": ".*\]\(`)

// checkSARIF checks what the published schema leaves open, and what must hold whatever a server sends.
func checkSARIF(t *testing.T, text []byte) (doc sarifLog) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("SARIF: %v", err)
	}
	if m := linkInMessage.Find(text); m != nil {
		t.Errorf("SARIF has a link of others: %.300s", m)
	}
	for _, run := range doc.Runs {
		rules := run.Tool.Driver.Rules
		if len(run.Invocations) != 1 || run.Automation.ID == "" {
			t.Errorf("a run has %d invocations and the category %q", len(run.Invocations), run.Automation.ID)
		}
		for i, r := range run.Results {
			if r.Index >= len(rules) || rules[r.Index].ID != r.Rule {
				t.Errorf("the rule of result %d is another", i)
			}
			if (r.Kind != "fail") != (r.Level == "none") {
				t.Errorf("result %d is of kind %s and level %s", i, r.Kind, r.Level)
			}
			if r.Suppressions == nil || len(r.Locations) != 1 || r.Message.Text == "" || len(r.Fingerprints) != 2 {
				t.Errorf("result %d lacks something: %+.300v", i, r)
			}
			ids := map[int]bool{}
			for _, l := range slices.Concat(r.Locations, r.Related) {
				if uri := l.Physical.Artifact.URI; uri != files.TranscriptFile && uri != "zz-9.9/"+files.TranscriptFile {
					t.Errorf("a place lies in %.200q", uri)
				}
				if l.ID != nil && ids[*l.ID] {
					t.Errorf("two places of result %d have the id %d", i, *l.ID)
				} else if l.ID != nil {
					ids[*l.ID] = true
				}
			}
		}
	}
	return doc
}

// What becomes of a verdict in SARIF.
func TestSARIF(t *testing.T) {
	r := reportstest.EveryVerdict()
	doc := sarif(t, view.Part{Report: r})
	if len(doc.Runs) != 1 || doc.Runs[0].Invocations[0].Successful || doc.Runs[0].Tool.Driver.Properties["catalogue"] != r.Tool.Catalogue {
		t.Errorf("%+v", doc.Runs)
	}
	kinds := map[string]string{}
	for _, res := range doc.Runs[0].Results {
		s := res.Kind + " " + res.Level + " " + res.Baseline
		for _, w := range res.Suppressions {
			s += " " + w.Justification
		}
		kinds[res.Rule] = s
	}
	for id, want := range map[string]string{
		"ZZ99-ERR-001": "fail error new", "ZZ99-ERR-002": "fail warning new", "ZZ99-ERR-003": "fail note unchanged", "ZZ99-ERR-004": "open none new",
		"ZZ99-ERR-005": "fail warning unchanged", "ZZ99-STR-002": "open none unchanged", "ZZ99-PUSH-001": "fail error unchanged ticket 4711",
		"ZZ99-CARD-001": "", "ZZ99-CARD-002": "", "ZZ99-PUSH-002": "",
	} {
		if kinds[id] != want {
			t.Errorf("%s is %q, want %q", id, kinds[id], want)
		}
	}
	if doc := sarif(t, view.Part{Report: reportstest.Conforming()}); len(doc.Runs[0].Results) != 0 || !doc.Runs[0].Invocations[0].Successful {
		t.Errorf("of a server that conforms: %+v", doc.Runs[0])
	}
	if doc := sarif(t, view.Part{Folder: "zz-9.9", Report: r}, view.Part{Folder: "zz-8.8", Failure: "no such agent"}); len(doc.Runs) != 2 ||
		doc.Runs[0].Results[0].Locations[0].Physical.Artifact.URI != "zz-9.9/"+files.TranscriptFile || doc.Runs[1].Invocations[0].Told[0].Message.Text != "no such agent" {
		t.Errorf("of several: %+v", doc.Runs)
	}
}

// A rule leads to the published text, if there is one.
func TestRulesLeadToTheText(t *testing.T) {
	for _, c := range []struct{ dialect, section, want string }{
		{"a2a-1.0", "9.4.1; 9.5", "https://github.com/a2aproject/A2A/blob/v1.0.1/docs/specification.md#941-sendmessage"},
		{"a2a-1.0", "no such section; 9.5", "https://github.com/a2aproject/A2A/blob/v1.0.1/docs/specification.md#95-error-handling"},
		{"zz-9.9", "9.4.1", ""},
	} {
		r := reportstest.EveryVerdict()
		r.Target.Dialect = c.dialect
		for i := range r.Results {
			r.Results[i].Section = c.section
		}
		for _, rule := range sarif(t, view.Part{Report: r}).Runs[0].Tool.Driver.Rules {
			if rule.HelpURI != c.want {
				t.Errorf("%s of %s %s: got helpUri %q, want %q", rule.ID, c.dialect, c.section, rule.HelpURI, c.want)
			}
		}
	}
}

// A result is known again in the next run by its requirement and its place, and by no
// number of an exchange, position in a list or text.
func TestFingerprintsLast(t *testing.T) {
	made := func(id, reason string, e report.Evidence) string {
		return fingerprintResult(&report.Result{ID: id, Reason: reason, Evidence: []report.Evidence{e}})["primaryLocationLineHash"]
	}
	was := made("ZZ99-ERR-001", "a", report.Evidence{Exchange: 2, Step: "quick/send", Pointer: "/result/history/0/role"})
	if is := made("ZZ99-ERR-001", "b", report.Evidence{Exchange: 9, Step: "quick/send", Pointer: "/result/history/3/role", Event: 4}); is != was {
		t.Errorf("%s, was %s", is, was)
	}
	for _, other := range []string{
		made("ZZ99-ERR-002", "a", report.Evidence{Exchange: 2, Step: "quick/send", Pointer: "/result/history/0/role"}),
		made("ZZ99-ERR-001", "a", report.Evidence{Exchange: 2, Step: "quick/get", Pointer: "/result/history/0/role"}),
		made("ZZ99-ERR-001", "a", report.Evidence{Exchange: 2, Step: "quick/send", Pointer: "/result/status"}),
	} {
		if other == was || strings.Contains(other, "quick") {
			t.Errorf("%s, as the first", other)
		}
	}
}

// What is printed of a report is what lies in its file, whatever a server wrote: nothing is
// left for the last writer to break.
func TestJSONIsInert(t *testing.T) {
	for name, evil := range reportstest.Attacks {
		r, _ := reportstest.Hostile(evil)
		var b, again bytes.Buffer
		if err := JSON(&b, r); err != nil {
			t.Fatal(err)
		}
		i := safetext.NewWriter(&again, false)
		_, _ = i.Write(b.Bytes())
		_ = i.Flush()
		if !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("%s: other bytes are printed", name)
		}
	}
}

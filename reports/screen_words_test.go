package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// oldWords are names of the code and of report.json, which nobody has to learn to read a
// report: people read undecided, not exercised, counterpart, depends on, setting.
var oldWords = regexp.MustCompile(`(?i)\b(inconclusive|vacuous|twin|rests? on|operator|scenarios?|not-applicable|suite-error|in-force|reworded|stale)\b`)

// newWords are what people read in their place.
var newWords = []string{"undecided", "not exercised", "not applicable", "suite error"}

// everythingOnTheScreen is a report with every verdict, every state of a waiver, several
// bindings, settings of each kind, and a baseline that all of them changed against.
func everythingOnTheScreen(t *testing.T) *report.Report {
	t.Helper()
	r := everyVerdict()
	r.Target.Bindings = []string{"JSONRPC", "HTTP+JSON"}
	r.Target.Declares = map[string][]string{"words": {"cancel"}, "never": {"slow"}, "rateLimit": {"5 requests in 1 s"}, "production": {}}
	for i := range r.Results {
		r.Results[i].Subjects = []report.SubjectResult{{Binding: "JSONRPC", Verdict: r.Results[i].Verdict}, {Binding: "HTTP+JSON", Verdict: report.NotTried}}
		r.Baseline.Changes = append(r.Baseline.Changes, report.Change{ID: r.Results[i].ID, Level: r.Results[i].Level, Was: r.Results[i].Verdict, Now: report.Inconclusive, Kind: report.Lost})
	}
	shown := map[report.Verdict]bool{}
	for _, v := range []report.Verdict{report.Pass, report.Fail, report.Inconclusive, report.NotApplicable, report.Waived, report.SuiteError} {
		for _, res := range r.Results {
			shown[v] = shown[v] || res.Verdict == v
		}
		if !shown[v] {
			t.Fatalf("the sample has no %s", v)
		}
	}
	return r
}

func TestScreenWords(t *testing.T) {
	r, tr := everythingOnTheScreen(t), sample()
	parts := []Part{{Title: "Made-up", Folder: "zz", Report: r}}
	written := func(render func(w io.Writer) error) string {
		t.Helper()
		var b bytes.Buffer
		if err := render(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := func(render func(w io.Writer)) string {
		return written(func(w io.Writer) error { render(w); return nil })
	}
	changes := r.Baseline.Changes
	two := []Entry{{Name: "one", Report: r}, {Name: "another", Report: conforming()}}
	for name, screen := range map[string]string{
		"the terminal":           text(func(w io.Writer) { Terminal(w, r, true) }),
		"one line":               text(func(w io.Writer) { Quiet(w, r) }),
		"summary.md":             written(func(w io.Writer) error { return Markdown(w, r) }),
		"the page":               pageText(t, written(func(w io.Writer) error { return HTML(w, r, tr) })),
		"the page over several":  pageText(t, written(func(w io.Writer) error { return Index(w, "http://127.0.0.1:9999", parts) })),
		"the summary of several": written(func(w io.Writer) error { return indexMarkdown(w, "http://127.0.0.1:9999", parts) }),
		"junit.xml":              junitText(t, written(func(w io.Writer) error { return JUnit(w, r) })),
		"a matrix":               pageText(t, written(func(w io.Writer) error { return Matrix(w, two, &schema.History{}) })),
		"a matrix as Markdown":   written(func(w io.Writer) error { return MatrixMarkdown(w, two, &schema.History{}) }),
		"the brief page":         pageText(t, written(func(w io.Writer) error { return HTMLBrief(w, r, tr) })),
		"a page of what changed": pageText(t, written(func(w io.Writer) error {
			return DiffHTML(w, conforming(), r, report.CompareReports(conforming(), r, &schema.History{}))
		})),
		"a comparison":            written(func(w io.Writer) error { return Diff(w, r, r, changes) }),
		"a comparison for a page": written(func(w io.Writer) error { return DiffMarkdown(w, r, r, changes) }),
	} {
		checkScreenWords(t, name, screen)
		if name != "the summary of several" && !strings.Contains(strings.ToLower(screen), "undecided") {
			t.Errorf("%s does not say undecided:\n%s", name, screen)
		}
	}
}

// checkScreenWords makes sure that a screen uses none of the names that only programs read.
func checkScreenWords(t *testing.T, name, screen string) {
	t.Helper()
	for _, at := range oldWords.FindAllStringIndex(screen, 5) {
		t.Errorf("%s says %q: …%s…", name, screen[at[0]:at[1]], screen[max(0, at[0]-60):min(len(screen), at[1]+60)])
	}
}

// What programs read keeps its names.
func TestReportKeepsItsNames(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, everythingOnTheScreen(t)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Results []struct {
			Verdict string
			Vacuous bool
		}
		Waivers []struct{ State string }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	seen, vacuous := map[string]bool{}, false
	for _, r := range got.Results {
		seen[r.Verdict], vacuous = true, vacuous || r.Vacuous
	}
	for _, v := range []string{"pass", "fail", "inconclusive", "not-applicable", "waived", "suite-error"} {
		if !seen[v] {
			t.Errorf("no result of report.json is %s: %v", v, seen)
		}
	}
	for _, v := range newWords {
		if seen[v] {
			t.Errorf("a result of report.json is %q", v)
		}
	}
	if !vacuous {
		t.Error("no result of report.json is vacuous")
	}
	states := map[string]bool{}
	for _, w := range got.Waivers {
		states[w.State] = true
	}
	for _, s := range []string{"in-force", "stale", "expired", "undecided", "reworded"} {
		if !states[s] {
			t.Errorf("no waiver of report.json is %s: %v", s, states)
		}
	}
}

// pageText is what is read on a page: its text and the labels that are read aloud, without
// styles, scripts and the bytes of exchanges.
func pageText(t *testing.T, page string) string {
	t.Helper()
	root, err := nethtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	var walk func(n *nethtml.Node)
	walk = func(n *nethtml.Node) {
		switch {
		case n.Type == nethtml.ElementNode && (n.Data == "style" || n.Data == "script" || n.Data == "pre"):
			return
		case n.Type == nethtml.TextNode:
			out.WriteString(n.Data + " ")
		}
		for _, a := range n.Attr {
			if a.Key == "aria-label" || a.Key == "title" {
				out.WriteString(a.Val + " ")
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return out.String()
}

// junitText is what a dashboard shows of junit.xml: messages and bodies. Types and
// properties are for programs.
func junitText(t *testing.T, doc string) string {
	t.Helper()
	var out strings.Builder
	for d := xml.NewDecoder(strings.NewReader(doc)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.CharData:
			out.Write(x)
		case xml.StartElement:
			for _, a := range x.Attr {
				if a.Name.Local == "message" {
					out.WriteString(a.Value + "\n")
				}
			}
		}
	}
}

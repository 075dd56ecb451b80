package certificate

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	"golang.org/x/net/html"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// aSum are digests of files, for pages.
var aSum = contents{ReportFile: strings.Repeat("a", 64), TranscriptFile: strings.Repeat("b", 64), PageFile: strings.Repeat("c", 64)}

func render(t *testing.T, r *report.Report) string {
	t.Helper()
	text, err := renderPage(r, aSum, Tool{Version: "v1.2.0"}, "SHA256:abc", time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPageGolden(t *testing.T) {
	broken, part := reportstest.EveryVerdict(), reportstest.Conforming()
	broken.Verdict = report.Nonconformant
	part.Verdict, part.Run.Selection = report.Partial, "--area card"
	for name, r := range map[string]*report.Report{"broken": broken, "conformant": reportstest.Conforming(), "part": part} {
		t.Run(name, func(t *testing.T) { reportstest.Golden(t, "certificate."+name+".html", render(t, r)) })
	}
}

// The page can be read by everybody, also by those who do not see it: it has a title, a language, headings in
// their order, tables with heads, and scrolling parts that a keyboard reaches. It loads nothing and runs nothing.
func TestPageIsAccessible(t *testing.T) {
	root, err := html.Parse(strings.NewReader(render(t, reportstest.EveryVerdict())))
	if err != nil {
		t.Fatal(err)
	}
	count, level := map[string]int{}, 0
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		count[n.Data]++
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		switch n.Data {
		case "html":
			if attr["lang"] != "en" {
				t.Error("no language")
			}
		case "h1", "h2", "h3":
			if is := int(n.Data[1] - '0'); is > level+1 {
				t.Errorf("a heading %s comes after one of level %d", n.Data, level)
			} else {
				level = is
			}
		case "th":
			if attr["scope"] == "" {
				t.Error("a head of a table says not what it heads")
			}
		case "script", "img", "link", "iframe", "form":
			t.Errorf("it has a %s", n.Data)
		}
		if strings.Contains(attr["class"], "wide") && (attr["tabindex"] != "0" || attr["role"] == "" || attr["aria-label"] == "") {
			t.Error("a part that scrolls is not reached by the keyboard")
		}
		if id := attr["id"]; id != "" && ids[id] {
			t.Errorf("the id %s is there twice", id)
		} else {
			ids[id] = true
		}
		if attr["style"] != "" || attr["src"] != "" {
			t.Errorf("a %s has a style or a source of its own", n.Data)
		}
	}
	if count["title"] != 1 || count["h1"] != 1 || count["main"] != 1 || count["header"] != 1 {
		t.Errorf("got %v", count)
	}
}

// Whatever a server calls itself is text on the page.
func TestPageEscapes(t *testing.T) {
	r := reportstest.EveryVerdict()
	const evil = "<script>alert(1)</script>\"'><img src=x>\u202e\x1b[31m'; rm -rf / #"
	r.Target.Agent, r.Target.URL, r.Target.Title, r.Target.Card, r.Target.Bindings, r.Run.Selection = evil, "http://x/"+evil, evil, evil, []string{evil}, evil
	r.Results = append(r.Results, report.Result{ID: evil, Level: schema.Must, Verdict: report.Fail})
	text := render(t, r)
	if strings.Contains(text, "<script") || strings.Contains(text, "<img") || strings.ContainsAny(text, "\u202e\x1b") {
		t.Errorf("the text of a server acts:\n%s", text)
	}
	if len(text) > 60<<10 {
		t.Errorf("the page has %d bytes", len(text))
	}
	if got := quoteArgument("a'b c"); got != `'a'\''b c'` {
		t.Errorf("got %s", got)
	}
}

// The profiles that the program brings along are read as those of a file, and each asks for more than basic.
func TestNamedProfiles(t *testing.T) {
	if got := strings.Join(ProfileNames(), " "); got != "basic procurement strict" {
		t.Errorf("got %s", got)
	}
	for _, name := range ProfileNames() {
		p, err := BuiltInProfileOrNil(name)
		if err != nil || p == nil {
			t.Fatalf("%s: %v", name, err)
		}
		if p.Undecided == nil || *p.Undecided != 0 || p.Waivers == nil || len(p.Waivers) > 0 || p.age == 0 || p.age > 90*24*time.Hour || len(p.AcceptedKeys()) > 0 {
			t.Errorf("%s: %+v", name, p)
		}
		if name != "basic" && (p.Nonce != nonceRequired || p.Declares == nil || p.age > 30*24*time.Hour) {
			t.Errorf("%s: %+v", name, p)
		}
		if p.acceptsVersion("v1.2.0") {
			t.Errorf("%s accepts the judgement of another version", name)
		}
	}
	for _, name := range []string{"", "none", "../profiles/basic", "basic.yaml"} {
		if p, err := BuiltInProfileOrNil(name); p != nil || err != nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	buyers, _ := BuiltInProfileOrNil("procurement")
	for version, want := range map[string]bool{"v1.2.0": true, "v12.0.1": true, "devel": false, "v0.0.0-20261101000000-abcdef012345": false} {
		if got := matchesAny(buyers.Versions, version); got != want {
			t.Errorf("procurement and version %s: %v", version, got)
		}
	}
}

// A certificate without the page about it, as earlier versions made it, is read; one that lacks a page that was
// signed, or has one that was not, is refused.
func TestSummaryMayBeMissing(t *testing.T) {
	files := map[string][]byte{EnvelopeFile: []byte("{}"), ReportFile: []byte("{}"), TranscriptFile: []byte("x"), PageFile: []byte("page"), SummaryFile: []byte("summary")}
	whole, err := zipCertificateFiles(files, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := unzipCertificateFiles(whole); err != nil || !bytes.Equal(got[SummaryFile], files[SummaryFile]) {
		t.Errorf("got %q, %v", got, err)
	}
	sums := func(names ...string) *statement {
		at := contents{}
		for _, name := range names {
			at[name] = hexSHA256(files[name])
		}
		p := &testresult.TestResult{}
		for name, sum := range at {
			p.Configuration = append(p.Configuration, &intoto.ResourceDescriptor{Name: name, Digest: map[string]string{"sha256": sum}})
		}
		return &statement{nil, p, nil}
	}
	without := map[string][]byte{ReportFile: files[ReportFile], TranscriptFile: files[TranscriptFile], PageFile: files[PageFile]}
	for _, c := range []struct {
		name string
		has  map[string][]byte
		of   *statement
		want string
	}{
		{"neither", without, sums(ReportFile, TranscriptFile, PageFile), ""},
		{"both", files, sums(ReportFile, TranscriptFile, PageFile, SummaryFile), ""},
		{"signed alone", without, sums(ReportFile, TranscriptFile, PageFile, SummaryFile), "lacks certificate.html"},
		{"there alone", files, sums(ReportFile, TranscriptFile, PageFile), "no digest of certificate.html"},
	} {
		err := (&Verification{}).checkDigests(c.has, c.of)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := ReadProfile("x", []byte("keys: [{holder: a, file: b}]"), func(string) ([]byte, error) { return nil, errors.New("none") }); err == nil {
		t.Error("a key that is nowhere is read")
	}
}

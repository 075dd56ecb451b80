package reports

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// attacks are texts a server might send to whoever reads a report about it.
// Each that is a text holds the word EVIL, so that it can be found again.
var attacks = map[string]string{
	"nothing":        "",
	"markup":         `EVIL</pre></code></style></title><script>alert(1)</script><img src=x onerror=alert(1)>" onclick="x`,
	"end of CDATA":   "EVIL]]>]]]]><![CDATA[>&#0;&nope;<?xml?><!--",
	"terminal":       "EVIL\x1b[2J\x1b]0;title\x07\x1b[31m\u009b31mEVIL\r\x08\x7f",
	"lines":          "EVIL\nCONFORMANT Every MUST holds.\n\nFAIL EVIL\r\n## EVIL\n\n- EVIL\n```\nEVIL\n",
	"verdict":        "CONFORMANT EVIL",
	"NUL":            "EVIL\x00EVIL",
	"invalid UTF-8":  "EVIL\xff\xfe\xc0\xaf\xed\xa0\x80EVIL",
	"bidi":           "EVIL\u202egnp.exe\u2066\u2069\u200f\u2028\ufeff\U000e0041EVIL",
	"noncharacters":  "EVIL\ufffe\uffff\U0001ffff",
	"markdown":       "EVIL`</code>``` ![x](javascript:EVIL) **EVIL** | EVIL | @octocat #1 $x$ www.EVIL.example https://EVIL.example <b>EVIL</b> [EVIL](x)\\",
	"backticks":      strings.Repeat("`", 3000) + "EVIL",
	"large":          strings.Repeat("EVIL ", 1<<20/5),
	"large controls": "EVIL" + strings.Repeat("\x00\u202e\xff", 1<<15),
	"deep":           "EVIL" + strings.Repeat(`[{"a":`, 1<<15),
	"events":         "EVIL" + strings.Repeat("data: {\"EVIL\":1}\n\n", 1<<12),
	"template":       "EVIL{{.CSS}}{{template \"page\"}}",
	"commands":       "::error::EVIL\n::error title=x::EVIL\r\n  ::set-output name=x::EVIL\n##[error]EVIL ##vso[task.complete]EVIL",
	"escapes":        "EVIL%0A::error::EVIL%0D%0a::stop-commands::x%25,title=EVIL::x:,%3A",
	"link":           "EVIL [EVIL](https://EVIL.example) {0} [EVIL](1)",
	"larger":         strings.Repeat("EVIL\n::error::", 2<<20/13),
	"shell":          "EVIL'; rm -rf / #$(id)`id`\"\\",
}

// seedLength bounds the attacks that FuzzHostile begins with, and tries in each test.
const seedLength = 1 << 12

func TestHostile(t *testing.T) {
	for name, evil := range attacks {
		if len(evil) < seedLength {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, tr := hostile(evil)
			wellFormed(t, r, tr)
		})
	}
}

func FuzzHostile(f *testing.F) {
	for _, evil := range attacks {
		if len(evil) < seedLength {
			f.Add(evil)
		}
	}
	f.Fuzz(func(t *testing.T, evil string) {
		r, tr := hostile(evil)
		wellFormed(t, r, tr)
	})
}

// wellFormed renders a report in every format and checks what must hold
// whatever a server says.
func wellFormed(t *testing.T, r *report.Report, tr *record.Transcript) {
	t.Helper()
	outputs := map[string]*bytes.Buffer{}
	for name, render := range map[string]func(io.Writer) error{
		"json":     func(w io.Writer) error { return JSON(w, r) },
		"junit":    func(w io.Writer) error { return JUnit(w, r) },
		"html":     func(w io.Writer) error { return HTML(w, r, tr) },
		"brief":    func(w io.Writer) error { return HTMLBrief(w, r, tr) },
		"markdown": func(w io.Writer) error { return Markdown(w, r) },
		"terminal": func(w io.Writer) error { Terminal(w, r, false); return nil },
		"quiet":    func(w io.Writer) error { Quiet(w, r); return nil },
		"index":    func(w io.Writer) error { return Index(w, r.Target.URL, hostileParts(r)) },
		"overview": func(w io.Writer) error { return indexMarkdown(w, r.Target.URL, hostileParts(r)) },
		"github":   func(w io.Writer) error { return GitHub(w, hostileParts(r)) },
		"sarif": func(w io.Writer) error {
			return SARIF(w, hostileParts(r), func(string, string) string { return r.Reason })
		},
		"colors":       func(w io.Writer) error { Terminal(w, r, true); return nil },
		"badge":        func(w io.Writer) error { return Badge(w, r) },
		"badge of all": func(w io.Writer) error { return overAll(r.Target.URL, hostileParts(r)).svg(w) },
		"endpoint":     func(w io.Writer) error { return BadgeEndpoint(w, r) },
		"matrix":       func(w io.Writer) error { return Matrix(w, hostileEntries(r), &schema.History{}) },
		"matrix.md":    func(w io.Writer) error { return MatrixMarkdown(w, hostileEntries(r), &schema.History{}) },
		"diff page":    func(w io.Writer) error { return DiffHTML(w, conforming(), r, hostileChanges(r)) },
	} {
		var b bytes.Buffer
		if err := render(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		outputs[name] = &b
		// Fourteen results with some ten texts each, in which escapes take up to
		// six times the room of what they stand for.
		if limit := 8 << 20; b.Len() > limit {
			t.Errorf("%s has %d bytes, want at most %d", name, b.Len(), limit)
		}
		text := b.String()
		if name == "colors" {
			text = regexp.MustCompile(`\x1b\[[0-9;]+m`).ReplaceAllString(text, "")
		}
		if !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8", name)
		}
		if plain := visible(text); plain != text {
			t.Errorf("%s holds a character that acts or hides, at byte %d", name, firstDifference(plain, text))
		}
	}
	if outputs["markdown"].Len() > 1<<20 {
		t.Errorf("the summary has %d bytes, GitHub takes 1 MiB", outputs["markdown"].Len())
	}
	if _, err := ReadJSON(bytes.NewReader(outputs["json"].Bytes())); err != nil {
		t.Errorf("report.json: %v", err)
	}
	checkXML(t, outputs["junit"].Bytes())
	ingest(t, r)
	checkHTML(t, outputs["html"].Bytes())
	checkHTML(t, outputs["brief"].Bytes())
	checkPlaces(t, outputs["brief"].String())
	if n := outputs["brief"].Len(); n > mostBrief {
		t.Errorf("the brief page has %d bytes", n)
	}
	checkMarkdown(t, outputs["markdown"].String())
	checkHTML(t, outputs["index"].Bytes())
	checkMarkdown(t, outputs["overview"].String())
	checkLines(t, outputs["terminal"].String())
	checkCommands(t, outputs["github"].String())
	checkSARIF(t, outputs["sarif"].Bytes())
	checkHTML(t, outputs["matrix"].Bytes())
	checkMarkdown(t, outputs["matrix.md"].String())
	checkHTML(t, outputs["diff page"].Bytes())
	checkSVG(t, outputs["badge"].Bytes())
	checkSVG(t, outputs["badge of all"].Bytes())
	if !json.Valid(outputs["endpoint"].Bytes()) {
		t.Error("badge.json is no JSON")
	}
}

// hostileParts are the parts of a run as several dialects, of which one was judged
// and one ended with an error that quotes the server.
func hostileParts(r *report.Report) []Part {
	return []Part{{Folder: "zz-9.9", Title: r.Target.Title, Report: r}, {Folder: "zz-8.8", Title: r.Target.Title, Slip: r.Reason}}
}

// hostileEntries are reports of a matrix: of one server at two times, of one whose name the
// card chose, and of one by another dialect.
func hostileEntries(r *report.Report) []Entry {
	earlier, named, other := *r, *conforming(), *r
	earlier.Results = earlier.Results[1:]
	named.Target.Agent = r.Reason
	other.Target.Dialect = r.Reason
	return []Entry{{Report: r, Page: "zz-9.9/report.html"}, {Report: &earlier}, {Report: &named}, {Report: conforming()}, {Name: "another", Report: &other}}
}

func hostileChanges(r *report.Report) []report.Change {
	return report.CompareReports(conforming(), r, &schema.History{})
}

func firstDifference(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func checkXML(t *testing.T, text []byte) {
	t.Helper()
	checkElements(t, text, "testsuites testsuite testcase properties property failure error skipped system-out")
}

// checkSVG makes sure that a picture holds what we draw: nothing that acts or is fetched.
func checkSVG(t *testing.T, text []byte) {
	t.Helper()
	checkElements(t, text, "svg title clipPath rect g text")
}

// checkElements makes sure that XML is well-formed and has no other elements than these.
func checkElements(t *testing.T, text []byte, names string) {
	t.Helper()
	known := map[string]bool{}
	for _, name := range strings.Fields(names) {
		known[name] = true
	}
	for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
		tok, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Errorf("the XML is not well-formed: %v", err)
			return
		}
		if e, ok := tok.(xml.StartElement); ok && !known[e.Name.Local] {
			t.Errorf("the XML has an element %s", e.Name.Local)
		}
	}
}

// The elements and attributes that the templates are known to write, with what an attribute
// may hold that acts on a browser. What names or labels something may hold any text.
var (
	knownElements   = regexp.MustCompile(`^(html|head|meta|title|style|script|body|header|main|footer|nav|section|article|h[1-4]|p|span|b|a|mark|code|pre|div|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|th|td|details|summary|svg|rect|path|button|input|label)$`)
	voidElements    = map[string]bool{"meta": true, "input": true}
	closedElements  = map[string]bool{"rect": true, "path": true} // as SVG writes them
	knownAttributes = map[string]*regexp.Regexp{
		"lang": nil, "charset": nil, "http-equiv": nil, "content": nil, "name": nil, "title": nil, "aria-label": nil, "data-l": nil,
		"class": regexp.MustCompile(`^[a-z -]*$`), "id": regexp.MustCompile(`^[A-Za-z0-9-]+$`), "for": regexp.MustCompile(`^q$`),
		"scope": regexp.MustCompile(`^(col|row)$`), "role": regexp.MustCompile(`^[a-z]+$`), "tabindex": regexp.MustCompile(`^0$`),
		"type": regexp.MustCompile(`^(button|search)$`), "autocomplete": regexp.MustCompile(`^off$`), "spellcheck": regexp.MustCompile(`^false$`),
		"hidden": regexp.MustCompile(`^$`), "open": regexp.MustCompile(`^$`), "aria-pressed": regexp.MustCompile(`^false$`), "aria-hidden": regexp.MustCompile(`^true$`),
		"data-k": regexp.MustCompile(`^[a-z -]*$`), "data-of": regexp.MustCompile(`^(servers|agents)$`), "data-s": regexp.MustCompile(`^[0-9]+$`),
		"viewbox": regexp.MustCompile(`^0 0 (1000 [0-9]+|[0-9]+ 12)$`), "preserveaspectratio": regexp.MustCompile(`^none$`), "d": regexp.MustCompile(`^[Mhv0-9 ]+$`),
		"x": regexp.MustCompile(`^[0-9]+$`), "y": regexp.MustCompile(`^[0-9]+$`), "width": regexp.MustCompile(`^[0-9]+$`), "height": regexp.MustCompile(`^[0-9]+$`),
		"href": regexp.MustCompile(`^#[A-Za-z0-9-]+$`),
	}
)

// safe reports whether an attribute is one of ours: a link leads to a place on the page, to
// a file of ours or to the text of a protocol.
func safe(a html.Attribute) bool {
	form, known := knownAttributes[a.Key]
	if a.Key == "href" && (ownFile.MatchString(a.Val) || ownText(a.Val)) {
		return true
	}
	return known && (form == nil || form.MatchString(a.Val))
}

// ownText reports whether an address is one of our list.
func ownText(address string) bool {
	for _, of := range published() {
		for _, known := range of {
			if address == known {
				return true
			}
		}
	}
	return false
}

// checkHTML reads the page as a browser does, and accepts only elements and
// attributes that the template is known to write, and no script but ours.
func checkHTML(t *testing.T, text []byte) {
	t.Helper()
	var open []string
	for z := html.NewTokenizer(bytes.NewReader(text)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF || len(open) > 0 {
				t.Errorf("report.html ends with %v, and %v open", z.Err(), open)
			}
			return
		case html.CommentToken:
			t.Error("report.html has a comment")
		case html.TextToken:
			if said := z.Token().Data; len(open) > 0 && open[len(open)-1] == "script" && said != pageScript {
				t.Errorf("report.html has a script %.200q", said)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			if !knownElements.MatchString(tok.Data) || tok.Type == html.SelfClosingTagToken && !closedElements[tok.Data] {
				t.Errorf("report.html has an element %s", tok)
			}
			for _, a := range tok.Attr {
				if !safe(a) {
					t.Errorf("report.html has an attribute %s=%q", a.Key, a.Val)
				}
			}
			if !voidElements[tok.Data] && tok.Type == html.StartTagToken {
				open = append(open, tok.Data)
			}
		case html.EndTagToken:
			tok := z.Token()
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Fatalf("report.html closes %s where %v is open", tok.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// ownFile is a link of the page over several reports.
var ownFile = regexp.MustCompile(`^zz-9\.9/(report|junit|summary|transcript)\.[a-z]+(#r-[A-Z0-9-]+)?$`)

// checkMarkdown takes out the code spans, as CommonMark finds them, and the
// escaped characters. What is left may hold no markup but the summary's own.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	for l := range strings.Lines(text) {
		var rest strings.Builder
		for l != "" {
			i := strings.IndexByte(l, '`')
			if i < 0 {
				rest.WriteString(l)
				break
			}
			if i > 0 && l[i-1] == '\\' {
				rest.WriteString(l[:i+1])
				l = l[i+1:]
				continue
			}
			rest.WriteString(l[:i])
			l = l[i:]
			n := len(l) - len(strings.TrimLeft(l, "`"))
			end := closing(l[n:], n)
			if end < 0 {
				t.Fatalf("a code span is not closed in %.200q", l)
			}
			l = l[n+end+n:]
		}
		if left := rest.String(); markup.MatchString(unescape.ReplaceAllString(left, "")) {
			t.Errorf("a line holds markup that is not the summary's own: %.200q", left)
		}
	}
}

// closing finds a run of exactly n backticks.
func closing(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

var (
	unescape = regexp.MustCompile(`\\[[:punct:]]|</?sub>`)
	markup   = regexp.MustCompile("[<>\\[\\]`_~$@]|https?://|www\\.[[:alnum:]]|^(?:#{3,}|#) .*EVIL")
)

// checkLines makes sure that a line which begins like one of the summary's own
// was not chosen by the server.
func checkLines(t *testing.T, text string) {
	t.Helper()
	verdicts := 0
	for l := range strings.Lines(text) {
		// The verdict of the hostile report is void.
		if strings.HasPrefix(l, "CONFORMANT") {
			verdicts++
		}
	}
	if verdicts > 0 {
		t.Errorf("the terminal shows %d verdicts of the server's own", verdicts)
	}
}

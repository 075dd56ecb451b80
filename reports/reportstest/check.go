package reportstest

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/view"
)

// CheckIDsAndLinks makes sure that an id is on the page once, and that each link on it leads to one.
func CheckIDsAndLinks(t *testing.T, text string) {
	t.Helper()
	ids, links := map[string]int{}, map[string]bool{}
	for z := nethtml.NewTokenizer(strings.NewReader(text)); z.Next() != nethtml.ErrorToken; {
		for _, a := range z.Token().Attr {
			switch {
			case a.Key == "id":
				ids[a.Val]++
			case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
				links[a.Val[1:]] = true
			}
		}
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for to := range links {
		if ids[to] == 0 {
			t.Errorf("a link leads to %s, which is nowhere", to)
		}
	}
}

// Attacks are texts a server might send to whoever reads a report about it.
// Each that is a text holds the word EVIL, so that it can be found again.
var Attacks = map[string]string{
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

func FirstDifference(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
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
		"data-r": regexp.MustCompile(`^[a-z -]+$`), "data-v": regexp.MustCompile(`^(MUST|SHOULD|MAY)$`),
		"viewbox": regexp.MustCompile(`^0 0 (1000 [0-9]+|[0-9]+ (12|100))$`), "preserveaspectratio": regexp.MustCompile(`^none$`), "d": regexp.MustCompile(`^[MLhv0-9 ]+$`),
		"x": regexp.MustCompile(`^[0-9]+$`), "y": regexp.MustCompile(`^[0-9]+$`), "width": regexp.MustCompile(`^[0-9]+$`), "height": regexp.MustCompile(`^[0-9]+$`),
		"href": regexp.MustCompile(`^#[A-Za-z0-9-]+$`),
	}
)

// isKnownAttribute reports whether an attribute is one of ours: a link leads to a place on the page, to
// a file of ours or to the text of a protocol.
func isKnownAttribute(a nethtml.Attribute) bool {
	form, known := knownAttributes[a.Key]
	if a.Key == "href" && (ownFile.MatchString(a.Val) || isPublishedAddress(a.Val)) {
		return true
	}
	return known && (form == nil || form.MatchString(a.Val))
}

// isPublishedAddress reports whether an address is one of our list.
func isPublishedAddress(address string) bool {
	for _, of := range view.PublishedSections() {
		for _, known := range of {
			if address == known {
				return true
			}
		}
	}
	return false
}

// CheckOnlyKnownHTML reads the page as a browser does, and accepts only elements and
// attributes that the template is known to write, and no script but ours.
func CheckOnlyKnownHTML(t *testing.T, text []byte) {
	t.Helper()
	var open []string
	for z := nethtml.NewTokenizer(bytes.NewReader(text)); ; {
		switch z.Next() {
		case nethtml.ErrorToken:
			if z.Err() != io.EOF || len(open) > 0 {
				t.Errorf("report.html ends with %v, and %v open", z.Err(), open)
			}
			return
		case nethtml.CommentToken:
			t.Error("report.html has a comment")
		case nethtml.TextToken:
			if said := z.Token().Data; len(open) > 0 && open[len(open)-1] == "script" && said != layout.Script {
				t.Errorf("report.html has a script %.200q", said)
			}
		case nethtml.StartTagToken, nethtml.SelfClosingTagToken:
			tok := z.Token()
			if !knownElements.MatchString(tok.Data) || tok.Type == nethtml.SelfClosingTagToken && !closedElements[tok.Data] {
				t.Errorf("report.html has an element %s", tok)
			}
			for _, a := range tok.Attr {
				if !isKnownAttribute(a) {
					t.Errorf("report.html has an attribute %s=%q", a.Key, a.Val)
				}
			}
			if !voidElements[tok.Data] && tok.Type == nethtml.StartTagToken {
				open = append(open, tok.Data)
			}
		case nethtml.EndTagToken:
			tok := z.Token()
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Fatalf("report.html closes %s where %v is open", tok.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// ownFile is a link of the page over several reports.
var ownFile = regexp.MustCompile(`^(zz-9\.9/(report|junit|summary|transcript)\.[a-z]+(#r-[A-Z0-9-]+)?|agents\.json)$`)

// CheckOnlyOwnMarkdown takes out the code spans, as CommonMark finds them, and the
// escaped characters. What is left may hold no markup but the summary's own.
func CheckOnlyOwnMarkdown(t *testing.T, text string) {
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
			end := findBacktickRun(l[n:], n)
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

// findBacktickRun finds a run of exactly n backticks.
func findBacktickRun(s string, n int) int {
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

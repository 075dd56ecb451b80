package html

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func render(t *testing.T, r *report.Report, tr *record.Transcript) string {
	t.Helper()
	return reportstest.Render(t, func(w io.Writer) error { return WriteReport(w, r, tr) })
}

// TestHTMLPolicy checks that the policy lets in the style sheet and the script as they stand
// in the page, and nothing else.
func TestHTMLPolicy(t *testing.T) {
	page := render(t, reportstest.EveryVerdict(), reportstest.Sample())
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, ok := strings.Cut(rest, "</style>")
	if !ok {
		t.Fatal("no style sheet")
	}
	sum := sha256.Sum256([]byte(style))
	_, rest, _ = strings.Cut(page, "<script>")
	code, _, ok := strings.Cut(rest, "</script>")
	if !ok || code != layout.Script || len(code) > 15<<10 || strings.Count(page, "<script") != 1 {
		t.Errorf("the page has another script, or one of %d bytes", len(code))
	}
	codeSum := sha256.Sum256([]byte(code))
	scriptSum := "sha256-" + base64.StdEncoding.EncodeToString(codeSum[:])
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; script-src '" + scriptSum + "';"
	if !strings.Contains(html.UnescapeString(page), want) {
		t.Errorf("the policy does not hold %s", want)
	}
	for _, bad := range []string{"http-equiv=\"refresh", "url(", "@import", " style=", "src=", "scroll-behavior"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
}

// TestHTMLLinks checks that every link leads somewhere on the page.
func TestHTMLLinks(t *testing.T) {
	page := render(t, reportstest.EveryVerdict(), reportstest.Sample())
	for part := range strings.SplitSeq(page, ` href="#`) {
		id, _, _ := strings.Cut(part, `"`)
		if !strings.HasPrefix(part, "<!DOCTYPE") && strings.Count(page, ` id="`+id+`"`) != 1 {
			t.Errorf("the link to %q has %d targets", id, strings.Count(page, ` id="`+id+`"`))
		}
	}
}

// TestFixesAreShownOnce checks that failures of one cause show what to change in the server once if it is
// the same, and each its own if it is not.
func TestFixesAreShownOnce(t *testing.T) {
	const other, line = "Sort the table.", `<p class="due fix"><b>fix</b> <span class="copy">`
	r := reportstest.EveryVerdict()
	first := slices.IndexFunc(r.Results, func(res report.Result) bool { return res.ID == "ZZ99-ERR-001" })
	next := slices.IndexFunc(r.Results, func(res report.Result) bool { return res.Because == "ZZ99-ERR-001" && res.Verdict == report.Fail })
	if first < 0 || next < 0 || r.Results[next].Fix != r.Results[first].Fix {
		t.Fatal("the sample has no two failures of one cause with the same fix")
	}
	text := "In the parser, answer text that is not JSON with <code>-32700</code>, not &lt;with&gt; <code>-32600</code>."
	if page := render(t, r, reportstest.Sample()); strings.Count(page, line+text) != 1 {
		t.Errorf("the page has the fix that two failures share %d times, want 1", strings.Count(page, line+text))
	}
	r.Results[next].Fix = other
	page := render(t, r, reportstest.Sample())
	for _, fix := range []string{text, other} {
		if strings.Count(page, line+fix) != 1 {
			t.Errorf("the page has the fix %q %d times, want 1", fix, strings.Count(page, line+fix))
		}
	}
}

func TestHTMLShowsWhatIsCited(t *testing.T) {
	page := render(t, reportstest.EveryVerdict(), reportstest.Sample())
	for _, want := range []string{`id="x1"`, `id="x6"`, "event 57 ", "errors/broken-json", "stream/subscribe (attempt 2)", "6 of the run&#39;s 7 exchanges",
		"events left out", "incomplete event, which clients drop", "10,485,760 bytes made by text-part", `␛[31m\u202eevil␀\xff`, "connection refused", "TLS 1.3"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, `id="x7"`) {
		t.Error("the page shows an exchange that nothing cites")
	}
}

func TestHTMLBoundsExchanges(t *testing.T) {
	var results []report.Result
	tr := &record.Transcript{}
	for i := range 1000 {
		tr.Exchanges = append(tr.Exchanges, reportstest.Post("{}", "200 OK", "application/json", "{}", 0))
		v := report.Pass
		if i%2 == 0 {
			v = report.Fail
		}
		results = append(results, report.Result{ID: fmt.Sprint("ZZ99-X-", i), Level: schema.Must, Area: "x", Verdict: v, Evidence: []report.Evidence{{Exchange: i + 1}}})
	}
	tr.Seal()
	page := render(t, reportstest.SampleReport(results...), tr)
	if got := strings.Count(page, `<details class="exchange"`); got != maxPassing+maxWeighty {
		t.Errorf("%d exchanges are shown, want %d", got, maxPassing+maxWeighty)
	}
	if !strings.Contains(page, "600 cited exchanges more") {
		t.Error("the page does not say how many are left out")
	}
}

// A long body is shown by its beginning and its end, with the digest of all of it.
func TestHTMLLongBody(t *testing.T) {
	tr := reportstest.Sample()
	body := "BEGIN " + strings.Repeat("a long answer\n", 5000) + " END"
	x := tr.Exchanges[1]
	x.Response.Body, x.Response.Head = []byte(body), []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
	page := render(t, reportstest.EveryVerdict(), tr)
	_, shown, _ := strings.Cut(page, `id="x2"`)
	shown, _, _ = strings.Cut(shown, `id="x3"`)
	for _, want := range []string{"BEGIN a long", " END</pre>", fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(body))), fmt.Sprintf("of a text of %s", safetext.CountWithNoun(len(body), "byte"))} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if len(shown) < 10<<10 || len(shown) > 24<<10 {
		t.Errorf("%d bytes are shown of %d", len(shown), len(body))
	}
}

func TestHTMLWithoutTranscript(t *testing.T) {
	page := render(t, reportstest.Conforming(), nil)
	if !strings.Contains(page, "Nothing was recorded.") || strings.Contains(page, `href="#x`) {
		t.Error("a page without a transcript links into it")
	}
}

func TestPrettyJSON(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for name, c := range map[string]struct {
		in   string
		want bool
	}{
		"object":     {` {"a":[1,{"b":2}]} `, true},
		"duplicates": {`{"a":1,"a":2}`, true},
		"broken":     {`{"a":`, false},
		"trailing":   {`{} {}`, false},
		"deep":       {deep, false},
		"large":      {`"` + strings.Repeat("x", 1<<20) + `"`, false},
	} {
		if _, ok := view.IndentJSON([]byte(c.in)); ok != c.want {
			t.Errorf("%s: laid out is %v, want %v", name, ok, c.want)
		}
	}
}

// Of a handshake with a client it is shown what that offered, also if nothing came of it.
func TestDescribeHello(t *testing.T) {
	hello := &record.ClientHello{Versions: []string{"TLS 1.3", "TLS 1.2"}, Listed: true}
	for _, c := range []struct {
		facts record.TLS
		want  string
	}{
		{record.TLS{Hello: hello}, "the client offered TLS 1.3, TLS 1.2"},
		{record.TLS{Version: "TLS 1.3", CipherSuite: "TLS_AES_128_GCM_SHA256", Hello: &record.ClientHello{Versions: []string{"TLS 1.3"}, ServerName: "localhost", Protocols: []string{"h2"}}},
			"the client offered TLS 1.3 for localhost with h2, and got TLS 1.3 TLS_AES_128_GCM_SHA256"},
	} {
		if got := describeHello(&c.facts); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

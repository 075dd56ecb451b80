package reports

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"io"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

//go:embed report.css
var css string

// pageScript is all that runs in a page. The page can be read without it.
//
//go:embed page.js
var pageScript string

//go:embed report.html.tmpl report.cards.tmpl report.rows.tmpl report.lanes.tmpl matrix.html.tmpl diff.html.tmpl fleet.html.tmpl
var htmlFiles embed.FS

// htmlTemplate is read when the first page is made.
var htmlTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{"scrolls": scrolls}).ParseFS(htmlFiles, "*.tmpl"))
})

// scrolls reports whether a text may be too long to be seen at once: it scrolls then, and
// must be reached by the keyboard.
func scrolls(text []piece) bool {
	n, lines := 0, 0
	for _, p := range text {
		n += len(p.Text)
		lines += strings.Count(p.Text, "\n")
	}
	return n > 1500 || lines > 16
}

// HTML writes a report as one page that needs nothing else: no picture, no font, and
// nothing of another host. Its policy lets the browser use the one style sheet and the one
// script in it and nothing more, should a text of the server ever escape its escaping.
func HTML(w io.Writer, r *report.Report, t *record.Transcript) error {
	if t == nil {
		t = &record.Transcript{}
	}
	p, b := newPage(canonical(r), t, whole)
	var all, plays []*pagePart
	add := func(name string, of any) *pagePart {
		part := &pagePart{name: name, of: of}
		all = append(all, part)
		return part
	}
	add("above", p)
	add("talks above", p)
	for i := range p.Talks.Plays {
		plays = append(plays, add("play", &p.Talks.Plays[i]))
	}
	add("talks below", p)
	add("requirements above", p)
	for i := range p.Areas {
		add("area", &p.Areas[i])
	}
	add("requirements below", p)
	add("below", p)
	if err := renderParts(all); err != nil {
		return err
	}
	room := mostBytes(r)
	for _, part := range all {
		room -= part.text.Len()
	}
	b.unfold(p.Talks, room) // what of the exchanges has room is known when all else is there
	if err := renderParts(plays); err != nil {
		return err
	}
	for _, part := range all {
		if _, err := part.text.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// pagePart is a piece of the page that can be made beside the others.
type pagePart struct {
	name string // of its template
	of   any
	text bytes.Buffer
}

// renderParts makes parts of the page side by side.
func renderParts(parts []*pagePart) error {
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, part := range parts {
		all.Go(func() error {
			part.text.Reset()
			return htmlTemplate().ExecuteTemplate(&part.text, part.name, part.of)
		})
	}
	return all.Wait()
}

// wholePage is the template of the page as a whole.
const wholePage = "report.html.tmpl"

// mostBytes is how large a page may be, about.
func mostBytes(r *report.Report) int {
	if len(r.Results) > 450 {
		return 1_300_000
	}
	return 840_000
}

// policyWith is a policy that also lets a browser run the one script in a page.
func policyWith(style, script string) string {
	return strings.Replace(policy(style), "; base-uri", "; script-src '"+digest(script)+"'; base-uri", 1)
}

// digest names a style sheet or a script in a policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Class is the kind as a CSS class.
func (k kind) Class() string { return strings.ReplaceAll(string(k), " ", "-") }

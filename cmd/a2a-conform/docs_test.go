package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/a2a-conform/a2a-conform/reports/catalogue"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
)

// sitePage is a page of the site of requirements as a browser reads it.
type sitePage struct {
	text  string
	ids   map[string]int
	links []string // addresses of what the page leads to
	loads []string // addresses of what the page loads
}

// readSitePage reads a page, and refuses whatever acts in it besides the scripts of the site.
func readSitePage(t *testing.T, file string) sitePage {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	p := sitePage{ids: map[string]int{}}
	var words strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			words.WriteString(n.Data)
		}
		if n.Data == "script" && n.FirstChild != nil || n.Data == "style" && n.Type == html.ElementNode {
			t.Errorf("%s has a script or a style sheet in it", file)
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				p.ids[a.Val]++
			case a.Key == "href" && n.Data == "a":
				p.links = append(p.links, a.Val)
			case a.Key == "href" || a.Key == "src":
				p.loads = append(p.loads, a.Val)
			case strings.HasPrefix(a.Key, "on") || a.Key == "style":
				t.Errorf("%s has the attribute %s=%q", file, a.Key, a.Val)
			}
		}
	}
	p.text = strings.Join(strings.Fields(words.String()), " ")
	return p
}

// Every requirement has a page with what explain shows of it, every link and anchor leads to something,
// nothing is loaded but the files of the site, and the site is small.
func TestSiteOfRequirements(t *testing.T) {
	here(t)
	code, out, errs := command(t, "docs", "--out", "site")
	ids := append(requirementIDs(), schema.LoadGateways().IDs()...)
	if want := fmt.Sprintf("%s: %d,%03d requirements\n", filepath.Join("site", "index.html"), len(ids)/1000, len(ids)%1000); code != 0 || out != want || errs != "" {
		t.Fatalf("exit %d, %q, %q; want %q", code, out, errs, want)
	}
	found, err := os.ReadDir("site")
	if err != nil {
		t.Fatal(err)
	}
	pages, files, size := map[string]sitePage{}, map[string]bool{}, int64(0)
	for _, f := range found {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name()] = true
		if size += info.Size(); strings.HasSuffix(f.Name(), ".html") {
			pages[f.Name()] = readSitePage(t, filepath.Join("site", f.Name()))
		}
	}
	if t.Logf("%d files, %d bytes", len(files), size); size > 16_000_000 {
		t.Errorf("the site has %d bytes, want at most 16,000,000", size)
	}
	published := map[string]bool{}
	for _, of := range view.PublishedSections() {
		for _, address := range of {
			published[address] = true
		}
	}
	for name, p := range pages {
		for id, n := range p.ids {
			if n > 1 || url.PathEscape(id) != id {
				t.Errorf("%s has %d elements with the id %q", name, n, id)
			}
		}
		for _, file := range p.loads {
			if !slices.Contains([]string{"site.css", "list.js", "search.js", "search-data.js"}, file) || !files[file] {
				t.Errorf("%s loads %s", name, file)
			}
		}
		for _, to := range p.links {
			file, place, placed := strings.Cut(to, "#")
			if file == "" {
				file = name
			}
			if target, ok := pages[file]; published[to] || ok && (!placed || target.ids[place] == 1) {
				continue
			}
			t.Errorf("%s has a dead link: %s", name, to)
		}
	}
	for _, id := range ids {
		if _, ok := pages[id+".html"]; !ok {
			t.Errorf("%s has no page", id)
		}
	}
	for _, name := range schema.Names() {
		checkDialectPages(t, name, pages)
	}
	checkGatewayPages(t, pages)
	if code, _, errs := command(t, "docs", "--out", "site"); code != 0 {
		t.Errorf("once more: exit %d, %s", code, errs)
	}
}

// checkGatewayPages compares the pages on gateways with their catalogue.
func checkGatewayPages(t *testing.T, pages map[string]sitePage) {
	t.Helper()
	faults := map[string]string{}
	for _, f := range listGatewayFaults() {
		faults[f.Name] = f.Summary
	}
	plain := func(text string) string { return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ") }
	for _, r := range schema.LoadGateways().Requirements {
		want := []string{r.Statement, string(r.Level), r.Meets}
		for _, m := range r.Mutants {
			want = append(want, m, faults[m])
		}
		for _, text := range want {
			if text == "" || !strings.Contains(pages[r.ID+".html"].text, plain(text)) {
				t.Errorf("the page of %s lacks %q", r.ID, text)
			}
		}
		if list := pages["gateways.html"]; list.ids[r.ID] != 1 || !slices.Contains(list.links, r.ID+".html") {
			t.Errorf("the page of gateways does not list %s", r.ID)
		}
	}
}

// checkDialectPages compares the pages of a dialect with its catalogue.
func checkDialectPages(t *testing.T, name string, pages map[string]sitePage) {
	t.Helper()
	d, err := schema.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	list := pages[name+".html"]
	defects := map[string]string{}
	for _, m := range catalogueSource().Defects(name) {
		defects[m.Name] = m.Summary
	}
	plain := func(text string) string { return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ") }
	for i := range d.Requirements {
		r := &d.Requirements[i]
		p := pages[r.ID+".html"]
		want := append([]string{r.Statement, string(r.Level)}, r.Readings...)
		for _, step := range describeSteps(d, r) {
			want = append(want, step.Step, step.Sends)
		}
		for _, m := range slices.Concat(r.Mutants, r.Finding) {
			if defects[m] == "" {
				t.Errorf("%s: the defect %s has no summary", r.ID, m)
			}
			want = append(want, m, defects[m])
		}
		for _, text := range want {
			if !strings.Contains(p.text, plain(text)) {
				t.Errorf("the page of %s lacks %q", r.ID, text)
			}
		}
		for _, to := range append(citedSectionURLs(d, r), pageNames(r.After)...) {
			if !slices.Contains(p.links, to) {
				t.Errorf("the page of %s has no link to %s", r.ID, to)
			}
		}
		if list.ids[r.ID] != 1 || !slices.Contains(list.links, r.ID+".html") {
			t.Errorf("the page of %s does not list %s", name, r.ID)
		}
	}
}

// pageNames returns the names of the pages of requirements.
func pageNames(ids []string) (out []string) {
	for _, id := range ids {
		out = append(out, id+".html")
	}
	return out
}

// A folder with files of somebody else is left as it is.
func TestDocsRefuseOtherFolders(t *testing.T) {
	dir := here(t)
	if err := os.WriteFile("index.html", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "docs", "--out", dir)
	if code != 2 || out != "" || !strings.Contains(errs, "holds no site of requirements (there is no "+catalogue.MarkerFile+")") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if got := filesIn(t, "."); len(got) != 1 {
		t.Errorf("the folder holds %q", got)
	}
}

package catalogue

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The files that the pages share.
const (
	styleFile  = "site.css"
	listFile   = "list.js"        // narrows the list on the page of a dialect
	searchFile = "search.js"      // searches on the index
	dataFile   = "search-data.js" // what is searched
)

// MarkerFile lists the files of a site. Only a folder that has it is written over.
const MarkerFile = "a2a-conform-site.json"

// policy lets a browser use only the files of the site. A page that is opened from a file has no origin,
// so that not every browser counts its neighbors as its own: file: allows them.
const policy = "default-src 'none'; style-src 'self' file:; script-src 'self' file:; base-uri 'none'; form-action 'none'"

//go:embed index.html.tmpl dialect.html.tmpl requirement.html.tmpl
var templateFiles embed.FS

//go:embed site.css
var ownStyle string

//go:embed search.js
var searchScript string

// siteTemplate parses the templates when the first page is made.
var siteTemplate = sync.OnceValue(func() *template.Template { return layout.ParseTemplates(templateFiles, nil) })

// Write writes the site of these dialects into dir, which is made if need be, and returns how many pages
// of requirements it has. It refuses a folder with other contents. From the site of an earlier version,
// pages of requirements that are gone are removed.
func Write(dir string, dialects []*schema.Dialect, source Source) (int, error) {
	s := newSite(dialects, source)
	all := s.listFiles()
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
	}
	earlier, err := readOwnFilesOrRefuse(dir)
	if err != nil {
		return 0, err
	}
	if err := files.MakeDir(dir); err != nil {
		return 0, err
	}
	for _, name := range earlier {
		if slices.Contains(names, name) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("cannot remove a page of the earlier site: %w; name another folder with --out", err)
		}
	}
	// The marker comes first, so that a site that was interrupted can be written again.
	if err := files.WriteEachJoiningErrors(dir, slices.Concat([]files.File{newMarkerFile(names)}, all)...); err != nil {
		return 0, err
	}
	return len(s.byID), nil
}

// listFiles returns all files of the site but its marker.
func (s *site) listFiles() []files.File {
	page := func(name, template string, data func() any) files.File {
		return files.File{Name: name, Render: func(w io.Writer) error { return siteTemplate().ExecuteTemplate(w, template, data()) }}
	}
	text := func(name string, parts ...string) files.File {
		return files.File{Name: name, Render: func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Join(parts, ""))
			return err
		}}
	}
	out := []files.File{
		text(styleFile, layout.CSS, ownStyle), text(listFile, layout.Script), text(searchFile, searchScript),
		{Name: dataFile, Render: s.writeSearchDataAsScript},
		page(files.IndexFile, "index.html.tmpl", func() any { return s.viewIndex() }),
	}
	for _, g := range s.groups {
		out = append(out, page(g.name+".html", "dialect.html.tmpl", func() any { return viewDialect(g) }))
		for _, e := range g.entries {
			out = append(out, page(e.pageName(), "requirement.html.tmpl", func() any { return s.viewRequirement(e) }))
		}
	}
	return out
}

// marker is what MarkerFile holds.
type marker struct {
	Site  string   `json:"site"`
	Files []string `json:"files"`
}

// siteKind is what a marker states about the site.
const siteKind = "requirements of a2a-conform"

func newMarkerFile(names []string) files.File {
	return files.File{Name: MarkerFile, Render: func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(marker{siteKind, names})
	}}
}

// siteFileName matches the names of files that a site may have, none of which leads out of its folder.
var siteFileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*\.(html|css|js)$`)

// maxMarkerBytes bounds what is read of a marker: several times that of the largest site.
const maxMarkerBytes = 1 << 20

// readOwnFilesOrRefuse returns the files of the site that a folder holds. The folder may be missing or empty; if it
// has anything else, it is not ours to write over. Hidden files, such as .git, do not count.
func readOwnFilesOrRefuse(dir string) ([]string, error) {
	found, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the folder %s: %w; name another with --out", dir, err)
	}
	hidden := func(f fs.DirEntry) bool { return strings.HasPrefix(f.Name(), ".") }
	if !slices.ContainsFunc(found, func(f fs.DirEntry) bool { return !hidden(f) }) {
		return nil, nil
	}
	path := filepath.Join(dir, MarkerFile)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not empty and holds no site of requirements (there is no %s); name an empty or new folder with --out", dir, MarkerFile)
	}
	var m marker
	text, err := schema.ReadFile(path, maxMarkerBytes)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w; name another folder with --out", path, err)
	}
	_ = json.Unmarshal(text, &m) // what it cannot read is no marker
	if m.Site != siteKind || slices.ContainsFunc(m.Files, func(name string) bool { return !siteFileName.MatchString(name) }) {
		return nil, fmt.Errorf("%s is not a list of files that this command wrote; name another folder with --out, or delete %s yourself", path, dir)
	}
	return m.Files, nil
}

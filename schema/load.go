package schema

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

//go:embed */dialect.yaml */a2a.json */probes.yaml */requirements/*.yaml
var files embed.FS

// Names lists the dialects that ship with the program.
func Names() []string {
	entries, _ := fs.ReadDir(files, ".")
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

var (
	loaded  = map[string]*Dialect{}
	loading sync.Mutex
)

// Load returns a dialect that ships with the program.
func Load(name string) (*Dialect, error) {
	loading.Lock()
	defer loading.Unlock()
	if d := loaded[name]; d != nil {
		return d, nil
	}
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("unknown dialect %q: there are %s", name, strings.Join(Names(), ", "))
	}
	d, err := LoadFS(files, name)
	if err != nil {
		return nil, err
	}
	loaded[name] = d
	return d, nil
}

// LoadFS reads the dialect in the folder dir of a file system.
func LoadFS(fsys fs.FS, dir string) (*Dialect, error) {
	digest := sha256.New()
	read := func(name string) ([]byte, error) {
		b, err := fs.ReadFile(fsys, path.Join(dir, name))
		if err == nil {
			fmt.Fprintf(digest, "%s %d\n", name, len(b))
			digest.Write(b)
		}
		return b, err
	}
	d := &Dialect{byID: map[string]*Requirement{}, made: &sync.Map{}}
	text, err := read("dialect.yaml")
	if err != nil {
		return nil, err
	}
	if err := Strict(path.Join("schema", dir, "dialect.yaml"), text, d); err != nil {
		return nil, err
	}
	structures, err := read("a2a.json")
	if err != nil {
		return nil, err
	}
	probes, err := read("probes.yaml")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names, err := fs.Glob(fsys, path.Join(dir, "requirements", "*.yaml"))
	if err != nil {
		return nil, err
	}
	texts := make([][]byte, len(names))
	for i, name := range names {
		if texts[i], err = read(path.Join("requirements", path.Base(name))); err != nil {
			return nil, err
		}
	}
	d.Digest = "sha256:" + hex.EncodeToString(digest.Sum(nil))
	// A run begins with this: the files are taken apart side by side.
	var parts errgroup.Group
	parts.Go(func() (err error) {
		d.shapes, err = CompileShapes(path.Join("schema", dir, "a2a.json"), structures)
		return err
	})
	parts.Go(func() (err error) {
		if probes != nil {
			d.Blocks, err = blocks(path.Join("schema", dir, "probes.yaml"), probes)
		}
		return err
	})
	chapters := make([][]Requirement, len(names))
	for i, name := range names {
		parts.Go(func() (err error) {
			chapters[i], err = requirements(path.Join("schema", name), texts[i])
			return err
		})
	}
	if err := parts.Wait(); err != nil {
		return nil, err
	}
	d.Requirements = slices.Concat(chapters...)
	for i := range d.Requirements {
		r := &d.Requirements[i]
		d.byID[r.ID] = r
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	return d, nil
}

// blocks reads the file of probes.
func blocks(file string, text []byte) ([]Block, error) {
	var doc struct {
		Blocks []Block `yaml:"blocks"`
	}
	err := Strict(file, text, &doc)
	return doc.Blocks, err
}

// requirements reads one file of the catalogue.
func requirements(file string, text []byte) ([]Requirement, error) {
	var doc struct {
		Source       string        `yaml:"source"`
		Requirements []Requirement `yaml:"requirements"`
	}
	if err := Strict(file, text, &doc); err != nil {
		return nil, err
	}
	lines := idLines(text)
	for i := range doc.Requirements {
		r := &doc.Requirements[i]
		r.File = fmt.Sprintf("%s:%d", file, lines[r.ID])
		r.Statement = strings.Join(strings.Fields(r.Statement), " ")
		if r.Risk == "" {
			r.Risk = Harmless
		}
	}
	return doc.Requirements, nil
}

var idLine = regexp.MustCompile(`^\s*-?\s*id:\s*(\S+)`)

func idLines(text []byte) map[string]int {
	out := map[string]int{}
	for i, line := range bytes.Split(text, []byte("\n")) {
		if m := idLine.FindSubmatch(line); m != nil {
			out[string(m[1])] = i + 1
		}
	}
	return out
}

// check finds slips in the catalogue that decoding alone does not.
func (d *Dialect) check() error {
	var errs []error
	bad := func(r *Requirement, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s: %s", r.File, r.ID, fmt.Sprintf(format, args...)))
	}
	seen := map[string]string{}
	for i := range d.Requirements {
		r := &d.Requirements[i]
		if where, twice := seen[r.ID]; twice {
			bad(r, "the id is taken by %s", where)
		}
		seen[r.ID] = r.File
		if !strings.HasPrefix(r.ID, d.Prefix+"-") {
			bad(r, "the id does not begin with %s-", d.Prefix)
		}
		if !slices.Contains([]Level{Must, Should, May}, r.Level) {
			bad(r, "level %q is none of MUST, SHOULD, MAY", r.Level)
		}
		if r.Statement == "" || r.Area == "" || r.Section == "" {
			bad(r, "statement, area and section are all needed")
		}
		ways := 0
		for _, w := range []string{r.Check, r.Unobservable, r.Judged} {
			if w != "" {
				ways++
			}
		}
		if ways != 1 {
			bad(r, "it needs exactly one of check, unobservable and judged")
		}
		if r.Judged != "" && r.Judged != "later" {
			bad(r, "judged %q: the only word is later", r.Judged)
		}
		if !slices.Contains(append(Risks(), Harmless), r.Risk) {
			bad(r, "risk %q is none of harmless, heavy, outbound, residue, disruptive", r.Risk)
		}
		if r.About != "" && r.About != AboutServer {
			bad(r, "about %q: the only word is %s", r.About, AboutServer)
		}
		for _, a := range r.After {
			if d.byID[a] == nil {
				bad(r, "after names %s, which does not exist", a)
			}
		}
	}
	return errors.Join(errs...)
}

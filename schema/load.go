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
	if text, err = read("a2a.json"); err != nil {
		return nil, err
	}
	if d.shapes, err = CompileShapes(path.Join("schema", dir, "a2a.json"), text); err != nil {
		return nil, err
	}
	if text, err = read("probes.yaml"); err == nil {
		var doc struct {
			Blocks []Block `yaml:"blocks"`
		}
		if err := Strict(path.Join("schema", dir, "probes.yaml"), text, &doc); err != nil {
			return nil, err
		}
		d.Blocks = doc.Blocks
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names, err := fs.Glob(fsys, path.Join(dir, "requirements", "*.yaml"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := read(path.Join("requirements", path.Base(name)))
		if err != nil {
			return nil, err
		}
		if err := d.requirements(path.Join("schema", name), text); err != nil {
			return nil, err
		}
	}
	for i := range d.Requirements {
		r := &d.Requirements[i]
		d.byID[r.ID] = r
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	d.Digest = "sha256:" + hex.EncodeToString(digest.Sum(nil))
	return d, nil
}

// requirements reads one file of the catalogue.
func (d *Dialect) requirements(file string, text []byte) error {
	var doc struct {
		Source       string        `yaml:"source"`
		Requirements []Requirement `yaml:"requirements"`
	}
	if err := Strict(file, text, &doc); err != nil {
		return err
	}
	lines := idLines(text)
	for i := range doc.Requirements {
		r := &doc.Requirements[i]
		r.File = fmt.Sprintf("%s:%d", file, lines[r.ID])
		r.Statement = strings.Join(strings.Fields(r.Statement), " ")
		if r.Risk == "" {
			r.Risk = Harmless
		}
		d.Requirements = append(d.Requirements, *r)
	}
	return nil
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

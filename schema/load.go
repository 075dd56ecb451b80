package schema

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/schema/shape"
)

//go:embed probes.yaml common/requirements.yaml gateway/requirements.yaml */dialect.yaml */a2a.json */a2a.proto */probes.yaml */requirements/*.yaml */client/*.yaml */fixes.yaml
var files embed.FS

// DefaultName is the dialect of the bundled server and of the proof if none is named: the
// current version of the Agent2Agent protocol.
const DefaultName = "a2a-1.0"

// Names lists the dialects that ship with the program.
func Names() []string {
	entries, _ := fs.ReadDir(files, ".")
	var out []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != commonFolder && e.Name() != gatewayFolder {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	return out
}

// catalogueName names a catalogue that ships with the program: whose requirements in which dialect.
type catalogueName struct{ dialect, role string }

var (
	loaded  = map[catalogueName]*Dialect{}
	loading sync.Mutex
)

// Load returns a dialect that ships with the program, with the requirements on its servers.
func Load(name string) (*Dialect, error) { return load(name, "") }

// LoadEach returns the dialects of some names, as Load does, in their order.
func LoadEach(names ...string) (all []*Dialect, err error) {
	for _, name := range names {
		d, err := Load(name)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// load returns a dialect that ships with the program, with the requirements on a role.
func load(name, role string) (*Dialect, error) {
	loading.Lock()
	defer loading.Unlock()
	if d := loaded[catalogueName{name, role}]; d != nil {
		return d, nil
	}
	if err := checkKnownDialect(name); err != nil {
		return nil, err
	}
	d, s, err := loadDialect(files, name, role)
	if err != nil {
		return nil, err
	}
	d.shapes = sync.OnceValue(func() *shape.Shapes {
		shapes, err := shape.Compile(s.shapesFile, s.shapes)
		if err != nil { // tests compile all that ship
			panic(err)
		}
		return shapes
	})
	if role == "" { // the fixes are those of servers
		d.fixes = sync.OnceValue(func() map[string]string {
			fixes, err := d.readFixes(files, name)
			if err != nil { // tests read all that ship
				panic(err)
			}
			return fixes
		})
	}
	loaded[catalogueName{name, role}] = d
	return d, nil
}

// checkKnownDialect reports an error for a name that no dialect has.
func checkKnownDialect(name string) error {
	if names := Names(); !slices.Contains(names, name) {
		return fmt.Errorf("unknown dialect %q; %schoose one of %s", name, meantDialect(name, names), strings.Join(names, ", "))
	}
	return nil
}

var outlineCache sync.Map // by name

// Outline returns what identifies a dialect that ships with the program: its dialect.yaml without
// its shapes, probes and requirements, which take ten times as long to read. It is enough to
// recognise a server's dialect, and to make calls.
func Outline(name string) (*Dialect, error) {
	if d, ok := outlineCache.Load(name); ok {
		return d.(*Dialect), nil
	}
	if err := checkKnownDialect(name); err != nil {
		return nil, err
	}
	d, _, err := readDialectYAML(files, name, func(file string) ([]byte, error) { return fs.ReadFile(files, path.Join(name, file)) })
	if err != nil {
		return nil, err
	}
	kept, _ := outlineCache.LoadOrStore(name, d)
	return kept.(*Dialect), nil
}

// readDialectYAML reads dialect.yaml, and reports its name for those who find mistakes in it.
func readDialectYAML(fsys fs.FS, dir string, read func(string) ([]byte, error)) (*Dialect, string, error) {
	d := &Dialect{files: fsys, byID: map[string]*Requirement{}, made: &sync.Map{}, protos: map[string][]byte{}}
	text, err := read("dialect.yaml")
	if err != nil {
		return nil, "", err
	}
	file := path.Join("schema", dir, "dialect.yaml")
	if err := Strict(file, text, d); err != nil {
		return nil, "", err
	}
	d.setJSONRPCMethods()
	for _, name := range slices.Sorted(maps.Keys(d.Bindings)) {
		if of := d.Bindings[name].Proto; of != "" && d.protos[of] == nil {
			if d.protos[of], err = read(of); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, "", err
			}
		}
	}
	return d, file, nil
}

// Digest returns the digest of a dialect that ships with the program. It takes as long as
// its Outline.
func Digest(name string) (string, error) {
	d, _, err := readDialectFiles(files, name, "")
	if err != nil {
		return "", err
	}
	return d.Digest, nil
}

// dialectFiles are the texts of a dialect's files that are not taken apart yet.
type dialectFiles struct {
	dialect    string   // the name of dialect.yaml, for those who find mistakes in it
	shapes     []byte   // a2a.json
	shapesFile string   // its name in errors
	probes     []byte   // nil if there are none
	shared     []byte   // probes of several dialects
	names      []string // of the files of the catalogue
	chapters   [][]byte // those files
}

// readDialectFiles reads the files of a dialect, with the requirements on a role, and takes apart
// dialect.yaml, which names some of them.
func readDialectFiles(fsys fs.FS, dir, role string) (*Dialect, *dialectFiles, error) {
	digest := sha256.New()
	read := func(name string) ([]byte, error) {
		b, err := fs.ReadFile(fsys, path.Join(dir, name))
		if err == nil {
			fmt.Fprintf(digest, "%s %d\n", name, len(b))
			digest.Write(b)
		}
		return b, err
	}
	var s dialectFiles
	d, file, err := readDialectYAML(fsys, dir, read)
	if err != nil {
		return nil, nil, err
	}
	s.dialect = file
	s.shapesFile = path.Join("schema", dir, "a2a.json")
	if s.shapes, err = read("a2a.json"); err != nil {
		return nil, nil, err
	}
	if s.probes, err = read("probes.yaml"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if s.probes != nil {
		if s.shared, err = read(path.Join("..", sharedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
	}
	if s.names, err = fs.Glob(fsys, path.Join(dir, chooseFolder(role), "*.yaml")); err != nil {
		return nil, nil, err
	}
	for _, name := range s.names {
		text, err := read(path.Join(chooseFolder(role), path.Base(name)))
		if err != nil {
			return nil, nil, err
		}
		s.chapters = append(s.chapters, text)
	}
	d.Role = role
	d.Digest = "sha256:" + hex.EncodeToString(digest.Sum(nil))
	return d, &s, nil
}

// LoadFS reads the dialect in the folder dir of a file system.
func LoadFS(fsys fs.FS, dir string) (*Dialect, error) {
	d, s, err := loadDialect(fsys, dir, "")
	if err != nil {
		return nil, err
	}
	shapes, err := shape.Compile(s.shapesFile, s.shapes)
	if err != nil {
		return nil, err
	}
	d.shapes = func() *shape.Shapes { return shapes }
	fixes, err := d.readFixes(fsys, dir)
	if err != nil {
		return nil, err
	}
	d.fixes = func() map[string]string { return fixes }
	return d, nil
}

// loadDialect is LoadFS without the compilation of the JSON Schema, which takes as long as all
// the rest and of which a run has need later.
func loadDialect(fsys fs.FS, dir, role string) (*Dialect, *dialectFiles, error) {
	d, s, err := readDialectFiles(fsys, dir, role)
	if err != nil {
		return nil, nil, err
	}
	// A run begins with this: the files are taken apart side by side.
	var parts errgroup.Group
	var described shape.Definitions
	parts.Go(func() (err error) {
		described, err = shape.Describe(s.shapesFile, s.shapes)
		return err
	})
	parts.Go(func() error {
		if s.probes == nil {
			return nil
		}
		of, err := readShared(s.shared)
		if err == nil {
			d.Blocks, d.shared, err = parseBlocksAndSharedPlaces(path.Join("schema", dir, "probes.yaml"), s.probes, of)
		}
		return err
	})
	parse := parseRequirements[Requirement]
	if role == ClientRole {
		parse = parseRequirements[clientEntry]
	}
	chapters := make([][]Requirement, len(s.names))
	for i, name := range s.names {
		parts.Go(func() (err error) {
			chapters[i], err = parse(path.Join("schema", name), s.chapters[i])
			return err
		})
	}
	if err := parts.Wait(); err != nil {
		return nil, nil, err
	}
	d.Requirements = slices.Concat(chapters...)
	for i := range d.Requirements {
		r := &d.Requirements[i]
		d.byID[r.ID] = r
	}
	if err := d.checkCatalogue(s.dialect, described); err != nil {
		return nil, nil, err
	}
	return d, s, nil
}

// parseBlocksAndSharedPlaces reads the file of probes, and returns the lines of the texts of shared ones.
func parseBlocksAndSharedPlaces(file string, text []byte, of sharedProbes) ([]Block, map[string]string, error) {
	doc, err := parse(file, text)
	if err != nil {
		return nil, nil, err
	}
	places, err := of.insertSharedProbes(file, doc.Content[0])
	if err != nil {
		return nil, nil, err
	}
	var out struct {
		Blocks []Block `yaml:"blocks"`
	}
	root, err := decodeDocument(file, doc, &out, MaxYAML)
	if err != nil {
		return nil, nil, err
	}
	for i := range out.Blocks {
		b := &out.Blocks[i]
		var node *yaml.Node
		b.File, node = findListEntry(file, root, "blocks", i, "name")
		for j := range b.Probes {
			b.Probes[j].File, _ = findListEntry(file, node, "probes", j, "name")
		}
	}
	return out.Blocks, places, nil
}

// catalogueEntry is a requirement as the files of a catalogue have it.
type catalogueEntry interface{ toRequirement() Requirement }

// toRequirement returns the requirement: those on servers have all members in their files.
func (r Requirement) toRequirement() Requirement { return r }

// parseRequirements reads one file of a catalogue.
func parseRequirements[E catalogueEntry](file string, text []byte) ([]Requirement, error) {
	var doc struct {
		Source       string `yaml:"source"`
		Requirements []E    `yaml:"requirements"`
	}
	root, err := decodeStrict(file, text, &doc, MaxYAML)
	if err != nil {
		return nil, err
	}
	var out []Requirement
	for i, e := range doc.Requirements {
		r := e.toRequirement()
		r.File, _ = findListEntry(file, root, "requirements", i, "id")
		for _, text := range []*string{&r.Statement, &r.Look, &r.Fair, &r.Mutant} {
			*text = joinWords(*text)
		}
		if r.Risk == "" {
			r.Risk = Harmless
		}
		out = append(out, r)
	}
	return out, nil
}

// joinWords returns a text in one line.
func joinWords(text string) string { return strings.Join(strings.Fields(text), " ") }

// meantDialect returns the question about a name that is no dialect's, if one is like it: the one with
// that version, the newest whose name it begins, or the one that is spelled most like it.
func meantDialect(word string, names []string) string {
	near := ""
	word = strings.ToLower(word)
	for _, n := range names {
		if word != "" && (strings.HasSuffix(n, "-"+word) || strings.HasSuffix(n, "-"+strings.TrimPrefix(word, "v")) || strings.HasPrefix(n, word)) && (near == "" || !strings.HasPrefix(near, "a2a-") || strings.HasPrefix(n, "a2a-")) {
			near = n
		}
	}
	if near == "" {
		near = Nearest(word, names)
	}
	if near == "" {
		return ""
	}
	return "did you mean " + near + "? "
}

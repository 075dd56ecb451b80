package acts

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Options are how documents are read.
type Options struct {
	Strict  bool              // only the grammar of the draft is accepted, none of Forms that is beyond it
	Literal []string          // keys that are names of members, although they are operators or like one
	Vars    map[string]string // variables of the operator; they take precedence over those of documents
	// Published is set if the documents are those of the corpus that comes with this program, to which the mappings belong.
	Published bool
}

// maxDocuments bounds how many documents are read with those that they include.
const maxDocuments = 100

// Source returns the text of a document by its name, which is a path with slashes below some folder. It bounds the
// size of the text.
type Source func(name string) ([]byte, error)

// Files reads documents and what they include. The names of included documents are relative to the document that
// includes them, and lead to nothing outside of the folder of source.
func Files(source Source, names []string, options Options) (*Set, error) {
	l := newLoader(options)
	l.source, l.show = source, func(name string) string { return name }
	for _, name := range names {
		l.loadDocument(path.Clean(name), "", nil)
	}
	return l.finishReading(names[0])
}

// ReadFiles reads documents of the operator's. What they include is in the folder of each, or below it.
func ReadFiles(files []string, options Options) (*Set, error) {
	l := newLoader(options)
	for _, file := range files {
		dir := filepath.Dir(file)
		l.seen = map[string]bool{}
		l.show = func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		l.source = func(name string) ([]byte, error) { return schema.ReadFile(l.show(name), schema.MaxFile) }
		l.loadDocument(filepath.Base(file), "", nil)
	}
	return l.finishReading(files[0])
}

func newLoader(options Options) *loader {
	return &loader{options: options, seen: map[string]bool{}, tests: map[string]string{}, suites: map[string]string{}}
}

// finishReading returns what was read, unless something is wrong with it.
func (l *loader) finishReading(first string) (*Set, error) {
	if err := errors.Join(l.faults...); err != nil {
		return nil, err
	}
	if len(l.set.Suites)+l.set.Behaviours == 0 {
		return nil, fmt.Errorf("%s:1: the document and what it includes hold no test; add suites", first)
	}
	return &l.set, nil
}

// loader reads documents that include each other.
type loader struct {
	source  Source
	show    func(name string) string // how errors name a document
	options Options
	set     Set
	seen    map[string]bool
	tests   map[string]string // places of tests, by id
	suites  map[string]string // places of suites, by id
	count   int               // of tests
	faults  []error
}

// loadDocument reads a document, for a place that includes it or for nothing, with the variables of whoever includes it.
func (l *loader) loadDocument(name, includedAt string, outer map[string]string) {
	if l.seen[name] { // A document counts once, whoever includes it.
		return
	}
	if len(l.seen) == maxDocuments {
		l.faults = append(l.faults, fmt.Errorf("%s: more than %d documents are included; leave some out", includedAt, maxDocuments))
	}
	if len(l.seen) >= maxDocuments {
		return
	}
	l.seen[name] = true
	text, err := l.source(name)
	if err != nil {
		if includedAt != "" {
			err = fmt.Errorf("%s: %s cannot be read: %w; correct the name", includedAt, quoteIfOdd(name), err)
		}
		l.faults = append(l.faults, err)
		return
	}
	root, err := schema.ReadYAML(l.show(name), text)
	if err != nil {
		l.faults = append(l.faults, err)
		return
	}
	r := &reader{file: l.show(name), options: l.options, variables: maps.Clone(outer)}
	if r.variables == nil {
		r.variables = map[string]string{}
	}
	var doc document
	if findMember(root, "behaviors") != nil && findMember(root, "suites") == nil {
		l.set.Behaviours += r.checkBehaviours(root)
	} else {
		doc = r.readDocument(root)
	}
	if err := r.joinFaults(); err != nil {
		l.faults = append(l.faults, err)
	}
	if l.set.Version == "" {
		l.set.Version, l.set.SpecVersion = doc.version, doc.specVersion
	}
	l.set.Notices = append(l.set.Notices, r.notices...)
	for i, s := range doc.suites {
		l.addSuite(r, doc.suiteNodes[i], s)
	}
	for _, in := range doc.include {
		file := path.Join(path.Dir(name), in.Value)
		at := fmt.Sprintf("%s:%d", l.show(name), in.Line)
		if path.IsAbs(in.Value) || !fs.ValidPath(file) || strings.Contains(in.Value, "\\") {
			l.faults = append(l.faults, fmt.Errorf("%s: include names %s, which is outside of the folder; name a file in it or below", at, quoteShort(in.Value)))
			continue
		}
		l.loadDocument(file, at, r.variables)
	}
}

// addSuite adds a suite, whose id and those of its tests are given once.
func (l *loader) addSuite(r *reader, n *yaml.Node, s Suite) {
	at := fmt.Sprintf("%s:%d", r.file, max(n.Line, 1))
	if first := l.suites[s.ID]; first != "" && s.ID != "" {
		l.faults = append(l.faults, fmt.Errorf("%s: the suite %s is given twice, first at %s; rename one", at, quoteIfOdd(s.ID), first))
	}
	l.suites[s.ID] = at
	for _, t := range s.Tests {
		at := fmt.Sprintf("%s:%d", t.File, t.Line)
		if first := l.tests[t.ID]; first != "" && t.ID != "" {
			l.faults = append(l.faults, fmt.Errorf("%s: the test %s is given twice, first at %s; rename one", at, quoteIfOdd(t.ID), first))
		}
		l.tests[t.ID] = at
		if l.count++; l.count == maxTests+1 {
			l.faults = append(l.faults, fmt.Errorf("%s: the documents have more than %d tests; run them in parts", at, maxTests))
		}
	}
	l.set.Suites = append(l.set.Suites, s)
}

// document is what one file holds.
type document struct {
	version, specVersion string
	include              []*yaml.Node
	suites               []Suite
	suiteNodes           []*yaml.Node
}

// supportedMajors are the major versions of the format that are read. The draft calls itself 0.1, and its documents 1.0.
var supportedMajors = []string{"0", "1"}

// readDocument reads the root of a document.
func (r *reader) readDocument(root *yaml.Node) (doc document) {
	const what = "the document"
	has, ok := r.readKeys(root, what, "acts_version", "spec_version", "spec_ref", "metadata", "variables", "include", "suites")
	if !ok {
		return doc
	}
	r.requireKeys(root, what, has, "acts_version", "spec_version")
	if m, ok := has["acts_version"]; ok {
		doc.version = r.checkVersion(m.value)
	}
	doc.specVersion = r.readOptionalText(has, "spec_version", what)
	r.readOptionalText(has, "spec_ref", what)
	if m, ok := has["metadata"]; ok {
		r.readMetadata(m.value)
	}
	if m, ok := has["variables"]; ok {
		r.readVariables(m.value)
	}
	if m, ok := has["include"]; ok {
		for i, item := range r.readItems(m.value, "include") {
			if text := r.readText(item, fmt.Sprintf("include[%d]", i)); text != "" {
				doc.include = append(doc.include, followAlias(item))
			}
		}
	}
	if m, ok := has["suites"]; ok {
		for i, item := range r.readItems(m.value, "suites") {
			s := r.readSuite(item, fmt.Sprintf("suites[%d]", i), doc.specVersion)
			doc.suites, doc.suiteNodes = append(doc.suites, s), append(doc.suiteNodes, item)
		}
	} else if _, includes := has["include"]; !includes {
		r.addFault(root, "%s has neither suites nor include; add suites with tests", what)
	}
	return doc
}

// checkVersion returns the version of the format, which has to be one that is read.
func (r *reader) checkVersion(n *yaml.Node) string {
	version := r.readText(n, "acts_version")
	if major, _, _ := strings.Cut(version, "."); version != "" && !slices.Contains(supportedMajors, major) {
		r.addFault(n, "acts_version is %s, of which this program knows nothing; it reads version 1.0", quoteShort(version))
	}
	return version
}

func (r *reader) readMetadata(n *yaml.Node) {
	const what = "metadata"
	has, _ := r.readKeys(n, what, "title", "description", "authors", "license")
	for _, key := range []string{"title", "description", "license"} {
		r.readOptionalText(has, key, what)
	}
	if m, ok := has["authors"]; ok {
		r.readTexts(m.value, what+".authors")
	}
}

// readVariables reads the variables of a document. Those that are used in another one have to be defined, too.
func (r *reader) readVariables(n *yaml.Node) {
	members, _ := r.readMembers(n, "variables")
	for _, m := range members {
		name := m.key.Value
		if !isVariableName(name) {
			r.addFault(m.key, "variables has the name %s; a name has letters, digits, _ and -, and no dot", quoteShort(name))
			continue
		}
		v := followAlias(m.value)
		if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" && v.Value == "" {
			r.variables[name] = ""
			continue
		}
		r.variables[name] = r.readText(m.value, "variables."+name)
	}
	for _, m := range members { // They may use each other.
		r.checkTemplate(m.value, r.variables[m.key.Value], "variables."+m.key.Value, false)
	}
}

// readSuite reads a suite with its tests.
func (r *reader) readSuite(n *yaml.Node, what, specVersion string) (s Suite) {
	has, ok := r.readKeys(n, what, "id", "name", "description", "tags", "tests")
	if !ok {
		return s
	}
	r.requireKeys(n, what, has, "id", "name", "tests")
	s.ID, s.Name = r.readOptionalText(has, "id", what), r.readOptionalText(has, "name", what)
	r.readOptionalText(has, "description", what)
	var tags []string
	if m, ok := has["tags"]; ok {
		tags = r.readTexts(m.value, what+".tags")
	}
	if m, ok := has["tests"]; ok {
		for i, item := range r.readItems(m.value, what+".tests") {
			t := r.readTest(item, fmt.Sprintf("%s.tests[%d]", what, i))
			t.Tags, t.SpecVersion = slices.Concat(tags, t.Tags), specVersion
			s.Tests = append(s.Tests, t)
		}
	}
	return s
}

package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Strict decodes YAML into v and refuses what v does not know. Every fault is
// one line of the error, in the form FILE:LINE: what is wrong and what would be
// right.
func Strict(file string, text []byte, v any) error {
	_, err := decodeStrict(file, text, v, MaxYAML)
	return err
}

// StrictList is Strict for lists of agents, which may be larger. It returns what the
// document holds.
func StrictList(file string, text []byte, v any) (*yaml.Node, error) {
	return decodeStrict(file, text, v, MaxYAMLList)
}

// ReadYAML reads the one YAML document of a text without knowing what it is about, within the bounds of MaxYAML.
// Errors have the form of those of Strict. Aliases are left as they are; none contains itself.
func ReadYAML(file string, text []byte) (*yaml.Node, error) {
	doc, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	if err := checkDocument(file, doc, MaxYAML); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// decodeStrict is Strict, and returns what the document holds. It may have at most so many bytes after its
// aliases are expanded.
func decodeStrict(file string, text []byte, v any, most int64) (*yaml.Node, error) {
	doc, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	return decodeDocument(file, doc, v, most)
}

// decodeDocument decodes a document as decodeStrict does.
func decodeDocument(file string, doc *yaml.Node, v any, most int64) (*yaml.Node, error) {
	if err := typeErrors(file, doc, v); err != nil {
		return nil, err
	}
	if err := checkDocument(file, doc, most); err != nil {
		return nil, err
	}
	if err := doc.Decode(v); err != nil {
		return nil, formatYAMLError(file, err)
	}
	return doc.Content[0], nil
}

// checkDocument refuses what no document may have, whatever it is about, and more than so many bytes.
func checkDocument(file string, doc *yaml.Node, most int64) error {
	if err := checkNodes(file, doc); err != nil {
		return err
	}
	return checkYAMLSize(file, doc, most)
}

// parse reads the one document of a file.
func parse(file string, text []byte) (*yaml.Node, error) {
	if err := checkDirectives(file, text); err != nil {
		return nil, err
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err == io.EOF {
		return nil, fmt.Errorf("%s:1: the file is empty", file)
	} else if err != nil {
		return nil, explainSyntaxError(text, formatYAMLError(file, err))
	}
	var second yaml.Node
	switch err := dec.Decode(&second); err {
	case nil:
		return nil, fmt.Errorf("%s:%d: a second YAML document begins here; the file must contain only one", file, max(second.Line, 1))
	case io.EOF:
		return &doc, nil
	default:
		return nil, explainSyntaxError(text, formatYAMLError(file, err))
	}
}

var (
	syntaxError = regexp.MustCompile(`(?s)^(.*:)(\d+)(: this is not YAML: )(.*)$`)
	badTab      = regexp.MustCompile(`^found character that cannot start any token$|^found a tab character`)
)

// explainSyntaxError gives an error of syntax the line at which the text stops to be YAML, names the tab if one begins that
// line, since it cannot be seen, and adds what to look at if the indentation is wrong.
func explainSyntaxError(text []byte, err error) error {
	m := syntaxError.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	reported, _ := strconv.Atoi(m[2])
	number, problem := findSyntaxError(text, reported), m[4]
	line := lineNumbered(text, number)
	indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
	switch {
	case badTab.MatchString(problem) && bytes.ContainsRune(indent, '\t'):
		problem = "a tab begins this line; use spaces instead"
	case strings.HasPrefix(problem, "did not find expected '-' indicator"), strings.HasPrefix(problem, "did not find expected key"):
		problem += "; look at the indentation of this line"
	}
	return fmt.Errorf("%s%d%s%s", m[1], number, m[3], problem)
}

// lineNumbered returns a line of a text, counted from 1, or nothing if there are fewer.
func lineNumbered(text []byte, number int) []byte {
	for line := range bytes.Lines(text) {
		if number--; number == 0 {
			return line
		}
	}
	return nil
}

var (
	lineNo = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)
	twice  = regexp.MustCompile(`^mapping key (.+) already defined at line (\d+)$`)
)

// formatYAMLError puts an error of the YAML library into the form of Strict.
func formatYAMLError(file string, err error) error {
	texts := []string{err.Error()}
	var te *yaml.TypeError
	if errors.As(err, &te) {
		texts = te.Errors
	}
	var out []string
	for _, t := range texts {
		at := "1"
		if m := lineNo.FindStringSubmatch(t); m != nil {
			at, t = m[1], t[len(m[0]):]
		}

		t = strings.TrimPrefix(t, "yaml: ")
		if m := twice.FindStringSubmatch(t); m != nil {
			t = fmt.Sprintf("the key %s is given twice; the first is in line %s", m[1], m[2])
		} else if te == nil {
			t = "this is not YAML: " + t
		}
		out = append(out, fmt.Sprintf("%s:%s: %s", file, at, t))
	}
	return errors.New(strings.Join(slices.Compact(out), "\n"))
}

// What findSyntaxError costs at most: the bytes of a text that is searched, and the lines over which a value may extend that
// begins before the error.
const (
	maxSearched  = 64 << 10
	maxValueLine = 16
)

// findSyntaxError returns the line at which a text stops to be YAML, given the line that the library reports. The library names the line at which the value around the
// error begins, which may be far above it; it parses what comes before that line, and not what comes after it. A value over
// several lines is no YAML before it is complete, so a beginning of the text that fails counts only if the next ones do as well.
func findSyntaxError(text []byte, first int) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(text) > maxSearched || first < 1 || first > len(lines) {
		return first
	}
	parses := func(n int) bool {
		var doc yaml.Node
		return yaml.Unmarshal(bytes.Join(lines[:n], nil), &doc) == nil
	}
	good, bad := 0, len(lines) // counts of lines that parse, and that do not
	for bad-good > 1 {
		middle, again := (good+bad)/2, 0
		for n := middle; n < min(middle+maxValueLine, bad) && again == 0; n++ {
			if parses(n) {
				again = n
			}
		}
		if again > 0 {
			good = again
		} else {
			bad = middle
		}
	}
	return max(good+1, first)
}

// decodeOneOrList decodes a list, or one value for a list of one.
func decodeOneOrList[T any](n *yaml.Node, into *[]T) error {
	if n.Kind != yaml.ScalarNode {
		return n.Decode(into)
	}
	*into = make([]T, 1)
	return n.Decode(&(*into)[0])
}

// LineOf returns the line of a place in a YAML text: keys of maps, or the numbers of
// entries of lists. If the place is not there it is the line of the nearest
// place above it, from 1. A single key may stand anywhere.
func LineOf(text []byte, path ...any) int { return PlacesOf(text).Line(path...) }

// Places are the lines of a YAML text, which is read once.
type Places struct{ root *yaml.Node }

// PlacesOf reads a text.
func PlacesOf(text []byte) Places {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil || len(doc.Content) == 0 {
		return Places{}
	}
	return Places{doc.Content[0]}
}

// Line returns what LineOf reports a place.
func (p Places) Line(path ...any) int {
	if p.root == nil {
		return 1
	}
	n, line := p.root, 1
	if len(path) == 1 {
		if key := findKeyAnywhere(n, fmt.Sprint(path[0])); key != nil {
			return key.Line
		}
	}
	for _, step := range path {
		at, next := childOf(n, step)
		if at == nil {
			break
		}
		n, line = next, at.Line
	}
	return line
}

// Holds reports whether the text has a place, whatever is there.
func (p Places) Holds(path ...any) bool {
	n := p.root
	for _, step := range path {
		if n == nil {
			return false
		}
		var at *yaml.Node
		if at, n = childOf(n, step); at == nil {
			return false
		}
	}
	return true
}

// childOf returns a member of a map or an entry of a list: its line, and its value.
func childOf(n *yaml.Node, step any) (at, value *yaml.Node) {
	switch step := step.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && step < len(n.Content) {
			return n.Content[step], n.Content[step]
		}
	case string:
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i], n.Content[i+1]
			}
		}
	}
	return nil, nil
}

// findKeyAnywhere finds the first key of that name. It does not follow aliases, so it
// sees every node once.
func findKeyAnywhere(n *yaml.Node, key string) *yaml.Node {
	if at, _ := childOf(n, key); at != nil {
		return at
	}
	for _, c := range n.Content {
		if at := findKeyAnywhere(c, key); at != nil {
			return at
		}
	}
	return nil
}

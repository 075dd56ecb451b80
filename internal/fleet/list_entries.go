package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Bounds of a list of agents.
const (
	maxList    = 32 << 20 // bytes
	maxEntries = 200_000
	// A list beyond wholeList bytes is read entry by entry: the nodes of YAML take more than
	// ten times the memory of its text.
	wholeList = 1 << 20
)

// listNodes yields the entries of a list, each with the lines of the file. An error ends it.
func listNodes(file string, text []byte) iter.Seq2[*yaml.Node, error] {
	if len(text) > wholeList {
		if parts, ok := splitList(text); ok {
			return nodesOfParts(file, parts)
		}
	}
	return func(yield func(*yaml.Node, error) bool) {
		root, err := schema.StrictList(file, text, &struct {
			Agents []map[string]any `yaml:"agents"`
		}{})
		if err != nil {
			yield(nil, err)
			return
		}
		for i := 0; i+1 < len(root.Content); i += 2 {
			if list := root.Content[i+1]; len(list.Content) > maxEntries {
				yield(nil, errTooMany(file, list.Content[maxEntries].Line))
				return
			}
			if !yieldEach(root.Content[i+1], yield) {
				return
			}
		}
	}
}

// yieldEach yields the elements of a sequence, or of what an alias stands for. It reports
// whether more are wanted.
func yieldEach(list *yaml.Node, yield func(*yaml.Node, error) bool) bool {
	if list.Kind == yaml.AliasNode {
		list = list.Alias
	}
	for _, n := range list.Content {
		if !yield(n, nil) {
			return false
		}
	}
	return true
}

// listPart is the text of one entry, and the number of lines before it.
type listPart struct {
	text   []byte
	before int
}

// nodesOfParts yields the entry of each part. An anchor of one part is unknown in the others.
func nodesOfParts(file string, parts []listPart) iter.Seq2[*yaml.Node, error] {
	return func(yield func(*yaml.Node, error) bool) {
		for i, p := range parts {
			if i == maxEntries {
				yield(nil, errTooMany(file, p.before+1))
				return
			}
			root, err := schema.StrictList(file, p.text, &[]map[string]any{})
			if err != nil { // once more, as it stands in the file, for the lines of what is wrong
				_, err = schema.StrictList(file, slices.Concat(bytes.Repeat([]byte{'\n'}, p.before), p.text), &[]map[string]any{})
				yield(nil, errors.New(strings.Replace(err.Error(), ": [0]", fmt.Sprintf(": agents[%d]", i), 1)))
				return
			}
			moveNode(root, p.before)
			if !yieldEach(root, yield) {
				return
			}
		}
	}
}

// moveNode adds to the lines of a node and of all that it holds. Anchors are in the node itself.
func moveNode(n *yaml.Node, lines int) {
	n.Line += lines
	for _, c := range n.Content {
		moveNode(c, lines)
	}
}

// splitList splits a list of agents at its entries. It reports false if the text is written in
// another way than with one key, agents, and a line that begins with a dash for each entry.
func splitList(text []byte) (parts []listPart, ok bool) {
	var (
		key    bool // agents: was read
		indent = -1 // of the dashes
		at     int  // where the part begins
		number int  // of the lines before the present one
		before int  // of the lines before the part
		offset int
	)
	for line := range bytes.Lines(text) {
		begin := offset
		offset += len(line)
		number++
		content := bytes.TrimLeft(line, " ")
		width := len(line) - len(content)
		content = bytes.TrimRight(content, "\r\n\t ")
		isDash := bytes.HasPrefix(content, []byte("- ")) || string(content) == "-"
		switch {
		case len(content) == 0 || content[0] == '#':
		case !key && string(content) == "---":
		case !key:
			if width != 0 || !startsList(content) {
				return nil, false
			}
			key = true
		case indent < 0 && !isDash:
			return nil, false
		case indent < 0:
			indent, at, before = width, begin, number-1
		case width < indent || width == indent && !isDash:
			return nil, false
		case width == indent:
			parts = append(parts, listPart{text[at:begin], before})
			at, before = begin, number-1
		}
	}
	if indent < 0 {
		return nil, false
	}
	return append(parts, listPart{text[at:], before}), true
}

// startsList reports whether a line is the key agents with nothing but a comment after it.
func startsList(line []byte) bool {
	rest, is := bytes.CutPrefix(line, []byte("agents:"))
	rest = bytes.TrimLeft(rest, " \t")
	return is && (len(rest) == 0 || rest[0] == '#')
}

// errTooMany refuses a list with more entries than are read.
func errTooMany(file string, line int) error {
	return fmt.Errorf("%s:%d: the list has more than %d agents; split it into several files", file, line, maxEntries)
}

package agentlist

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Bounds of a list of agents.
const (
	MaxBytes   = 32 << 20 // bytes
	MaxEntries = 200_000
	// A list beyond maxWholeList bytes is read entry by entry, or not at all: the nodes of YAML
	// take up to a hundred times the memory of its text.
	maxWholeList = 1 << 20
	maxPartBytes = 1 << 20 // bytes that one entry may be written in
)

// listNodes yields the entries of a list, each with the lines of the file. An error ends it.
func listNodes(file string, text []byte) iter.Seq2[*yaml.Node, error] {
	if len(text) > maxWholeList {
		parts, ok := splitList(text)
		if !ok {
			parts, ok = splitJSON(text)
		}
		if ok {
			return nodesOfParts(file, parts)
		}
	}
	if len(text) > maxWholeList {
		return yieldError(fmt.Errorf("%s:1: the list is larger than %d MiB; write each agent on lines of its own, the first of which begins with a dash, or write the list as JSON", file, maxWholeList>>20))
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
			if list := root.Content[i+1]; len(list.Content) > MaxEntries {
				yield(nil, errTooMany(file, list.Content[MaxEntries].Line))
				return
			}
			if !yieldEach(root.Content[i+1], yield) {
				return
			}
		}
	}
}

// yieldEach yields the elements of a sequence, or of what an alias represents. It reports
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

// yieldError yields nothing but an error.
func yieldError(err error) iter.Seq2[*yaml.Node, error] {
	return func(yield func(*yaml.Node, error) bool) { yield(nil, err) }
}

// listPart is the text of one entry, and the number of lines before it.
type listPart struct {
	text   []byte
	before int
}

// nodesOfParts yields the entry of each part. An anchor of one part is unknown in the others.
func nodesOfParts(file string, parts []listPart) iter.Seq2[*yaml.Node, error] {
	if len(parts) > MaxEntries {
		return yieldError(errTooMany(file, parts[MaxEntries].before+1))
	}
	for i, p := range parts {
		if len(p.text) > maxPartBytes {
			return yieldError(fmt.Errorf("%s:%d: agents[%d] is written in more than %d MiB, which are too many for one agent", file, p.before+1, i, maxPartBytes>>20))
		}
	}
	return func(yield func(*yaml.Node, error) bool) {
		for i, p := range parts {
			root, err := schema.StrictList(file, p.text, &[]map[string]any{})
			if err != nil { // once more, as it is in the file, for the lines of what is wrong
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
		end    int // of the part, if nothing but comments follows
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
		case len(content) == 0:
		case content[0] == '#':
			if end == 0 && width <= indent {
				end = begin
			}
		case indent >= 0 && content[0] == '\t': // which no YAML has there; its parser reports it
			end = 0
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
			if parts = append(parts, listPart{text[at:cmp.Or(end, begin)], before}); len(parts) > MaxEntries {
				return parts, true // there is nothing more to know
			}
			at, before, end = begin, number-1, 0
		default:
			end = 0
		}
	}
	if indent < 0 {
		return nil, false
	}
	return append(parts, listPart{text[at:cmp.Or(end, len(text))], before}), true
}

// splitJSON splits a list of agents that is written as JSON, which is YAML as well. It reports
// false if the text is no object with one member, agents, that is a list.
func splitJSON(text []byte) (parts []listPart, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for _, want := range []json.Token{json.Delim('{'), "agents", json.Delim('[')} {
		if got, err := dec.Token(); err != nil || got != want {
			return nil, false
		}
	}
	lines, counted := 0, 0
	for dec.More() {
		var entry json.RawMessage
		if dec.Decode(&entry) != nil {
			return nil, false
		}
		begin := int(dec.InputOffset()) - len(entry)
		lines += bytes.Count(text[counted:begin], []byte("\n"))
		counted = begin
		// It is parsed as the list that it is the one entry of.
		if parts = append(parts, listPart{slices.Concat([]byte("["), entry, []byte("]")), lines}); len(parts) > MaxEntries {
			return parts, true
		}
	}
	for _, want := range []json.Token{json.Delim(']'), json.Delim('}')} {
		if got, err := dec.Token(); err != nil || got != want {
			return nil, false
		}
	}
	_, err := dec.Token()
	return parts, err == io.EOF
}

// lineCursor finds lines of a text, most of them one after the other.
type lineCursor struct {
	text     []byte
	line, at int // a line, counted from 1, and where it begins
}

// textFrom returns the text from a line on.
func (c *lineCursor) textFrom(line int) []byte {
	if line < c.line {
		c.line, c.at = 1, 0
	}
	for c.line < line {
		i := bytes.IndexByte(c.text[c.at:], '\n')
		if i < 0 {
			return nil
		}
		c.line, c.at = c.line+1, c.at+i+1
	}
	return c.text[c.at:]
}

// startsList reports whether a line is the key agents with nothing but a comment after it.
func startsList(line []byte) bool {
	rest, is := bytes.CutPrefix(line, []byte("agents:"))
	rest = bytes.TrimLeft(rest, " \t")
	return is && (len(rest) == 0 || rest[0] == '#')
}

// errTooMany refuses a list with more entries than are read.
func errTooMany(file string, line int) error {
	return fmt.Errorf("%s:%d: the list has more than %d agents; split it into several files", file, line, MaxEntries)
}

package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of what the YAML library compares with everything else of its kind, each with each:
// the keys of a map, and the directives before a document.
const (
	maxYAMLKeys       = 10_000
	maxYAMLDirectives = 100
	keysPerByte       = 64 // pairs of keys that are compared in the time that a byte takes
)

// checkDirectives refuses a text with many lines that begin with a percent sign.
func checkDirectives(file string, text []byte) error {
	count, line := 0, 0
	for l := range bytes.Lines(text) {
		line++
		if l[0] == '%' {
			if count++; count > maxYAMLDirectives {
				return fmt.Errorf("%s:%d: more than %d lines begin with %%, which are directives of YAML; remove them", file, line, maxYAMLDirectives)
			}
		}
	}
	return nil
}

// yamlTags are the tags that a value may have. Others either make something else of it
// (!!binary), or are made for other programs, and would be read as if they were not there.
var yamlTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!seq", "!!map"}

// checkNodes refuses maps with too many keys, keys that are given twice, and tags. The library
// names each pair of equal keys, of which there can be billions.
func checkNodes(file string, doc *yaml.Node) error {
	c := nodeChecker{file: file}
	c.checkNode(doc)
	return errors.Join(c.faults...)
}

// nodeChecker finds what is wrong with the nodes of a document.
type nodeChecker struct {
	file   string
	faults []error
}

// maxNodeFaults is how many of its faults are named.
const maxNodeFaults = 10

// keyOf is what makes two keys of a map the same.
type keyOf struct {
	kind  yaml.Kind
	value string
}

// checkNode looks at a node and all in it. What an alias represents is looked at in its own place.
func (c *nodeChecker) checkNode(n *yaml.Node) {
	if n.Style&yaml.TaggedStyle != 0 && !slices.Contains(yamlTags, n.ShortTag()) {
		c.faults = append(c.faults, fmt.Errorf("%s:%d: the tag %q cannot be used here; remove it", c.file, n.Line, shortenToFirstLine(n.ShortTag())))
		return
	}
	if n.Kind == yaml.MappingNode && !c.checkMap(n) {
		return
	}
	for _, child := range n.Content {
		if len(c.faults) >= maxNodeFaults {
			return
		}
		c.checkNode(child)
	}
}

// checkMap looks at the keys of a map, and reports whether to look at what is in it.
func (c *nodeChecker) checkMap(n *yaml.Node) bool {
	if keys := len(n.Content) / 2; keys > maxYAMLKeys {
		c.faults = append(c.faults, fmt.Errorf("%s:%d: the map that begins here has %d keys; at most %d are read", c.file, n.Line, keys, maxYAMLKeys))
		return false
	}
	first := make(map[keyOf]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode && key.Kind != yaml.AliasNode {
			continue // the library compares texts alone
		}
		of := keyOf{key.Kind, key.Value}
		if line := first[of]; line == 0 {
			first[of] = key.Line
		} else if c.faults = append(c.faults, fmt.Errorf("%s:%d: the key %q is given twice; the first is in line %d", c.file, key.Line, shortenToFirstLine(strings.ToValidUTF8(key.Value, "\ufffd")), line)); len(c.faults) >= maxNodeFaults {
			return false
		}
	}
	return true
}

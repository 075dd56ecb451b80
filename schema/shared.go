package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"
)

// sharedFile holds the probes that stand in more than one block.
const sharedFile = "probes.yaml"

// sharedProbes are those probes by name.
type sharedProbes map[string]sharedProbe

type sharedProbe struct {
	file string // its place: file and line
	node *yaml.Node
}

// readShared takes the file of shared probes apart; no text means that there are none.
func readShared(text []byte) (sharedProbes, error) {
	if text == nil {
		return nil, nil
	}
	file := path.Join("schema", sharedFile)
	var doc struct {
		Probes []Probe `yaml:"probes"`
	}
	root, err := decodeStrict(file, text, &doc, MaxYAML)
	if err != nil {
		return nil, err
	}
	out := sharedProbes{}
	var errs []error
	for i, p := range doc.Probes {
		at, node := findListEntry(file, root, "probes", i, "name")
		if first, twice := out[p.Name]; twice {
			errs = append(errs, fmt.Errorf("%s: the shared probe %s is used twice; first at %s", at, p.Name, first.file))
			continue
		}
		out[p.Name] = sharedProbe{at, node}
	}
	return out, errors.Join(errs...)
}

// insertSharedProbes puts shared probes into the blocks of a file that name them. It returns the line of
// the text of each, by the place that names it.
func (s sharedProbes) insertSharedProbes(file string, doc *yaml.Node) (map[string]string, error) {
	_, list := childOf(doc, "blocks")
	if list == nil {
		return nil, nil
	}
	from := map[string]string{}
	var errs []error
	for _, block := range listItems(list) {
		_, probes := childOf(block, "probes")
		if probes == nil {
			continue
		}
		for i, p := range listItems(probes) {
			word := p
			if p.Kind == yaml.MappingNode {
				_, word = childOf(p, "like")
			}
			if word == nil || word.Kind != yaml.ScalarNode {
				continue
			}
			of, known := s[word.Value]
			if !known {
				_, name := childOf(block, "name")
				names := slices.Sorted(maps.Keys(s))
				errs = append(errs, fmt.Errorf("%s:%d: %s: %s; one of its own has a map: {name: …, patch: …}", file, word.Line, cmp.Or(name, &yaml.Node{}).Value, Unknown("shared probe", word.Value, names)))
				continue
			}
			probes.Content[i] = of.mergeEntry(p)
			place, _ := findListEntry(file, block, "probes", i, "name")
			from[place] = of.file
		}
	}
	return from, errors.Join(errs...)
}

// mergeEntry returns the shared probe as an entry of a block has it: a name alone, or a map
// whose other members come first.
func (s sharedProbe) mergeEntry(e *yaml.Node) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: e.Line, Column: e.Column}
	own := map[string]bool{"like": true}
	if e.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(e.Content); i += 2 {
			if key := e.Content[i]; key.Value != "like" {
				own[key.Value] = true
				out.Content = append(out.Content, key, e.Content[i+1])
			}
		}
	}
	for i := 0; i+1 < len(s.node.Content); i += 2 {
		if key := *s.node.Content[i]; !own[key.Value] {
			key.Line = e.Line // the entry begins there
			out.Content = append(out.Content, &key, s.node.Content[i+1])
		}
	}
	return out
}

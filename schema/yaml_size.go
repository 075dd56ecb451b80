package schema

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Bounds of a YAML document after its aliases are expanded. A file of a few hundred bytes
// can stand for gigabytes, because an alias may repeat what contains other aliases.
const (
	MaxYAML     = 8 << 20  // bytes of a configuration, a profile, an entry of a list, …
	MaxYAMLList = 32 << 20 // bytes of a list of agents
	perYAMLNode = 16       // bytes that a node counts in addition to its text
)

// checkYAMLSize refuses a document that is larger than most bytes once its aliases are
// expanded, or that has none to speak of because an alias contains itself.
func checkYAMLSize(file string, doc *yaml.Node, most int64) error {
	s := yamlSizes{most: most, sizes: map[*yaml.Node]int64{}}
	if s.sizeOf(doc) <= most {
		return nil
	}
	if s.circular != nil {
		return fmt.Errorf("%s:%d: the alias *%s is used inside the value that it stands for", file, s.circular.Line, s.circular.Value)
	}
	return fmt.Errorf("%s:%d: with its aliases expanded the document has more than %d MiB; use fewer aliases, or shorten what they stand for", file, s.lineOfLargest(doc), most>>20)
}

// yamlSizes are the expanded sizes of the nodes of a document, each counted once.
type yamlSizes struct {
	most     int64
	sizes    map[*yaml.Node]int64
	circular *yaml.Node // the first alias that contains itself
}

const beingCounted = -1

// sizeOf returns the size of a node, or something above the bound as soon as it is beyond it.
func (s *yamlSizes) sizeOf(n *yaml.Node) int64 {
	if n.Kind == yaml.AliasNode {
		if s.sizes[n.Alias] == beingCounted {
			s.circular = n
			return s.most + 1
		}
		return s.sizeOf(n.Alias)
	}
	if size, known := s.sizes[n]; known {
		return size
	}
	s.sizes[n] = beingCounted
	size := int64(perYAMLNode + len(n.Value))
	if n.Kind == yaml.MappingNode { // the library compares each key with each other, wherever an alias repeats them
		keys := int64(len(n.Content) / 2)
		size += keys * keys / keysPerByte
	}
	for _, c := range n.Content {
		if size += s.sizeOf(c); size > s.most {
			size = s.most + 1
			break
		}
	}
	s.sizes[n] = size
	return size
}

// lineOfLargest returns the line of the innermost node that is beyond the bound.
func (s *yamlSizes) lineOfLargest(n *yaml.Node) int {
	for {
		next := n
		for _, c := range n.Content {
			if c.Kind != yaml.AliasNode && s.sizes[c] > s.most {
				next = c
				break
			}
		}
		if next == n {
			return max(n.Line, 1)
		}
		n = next
	}
}

package acts

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// newNode returns a value of a document as a value of an answer.
func newNode(value any) *record.Node {
	n, _ := buildNode(value, func(text string) (*record.Node, error) { return newText(text), nil })
	return n
}

// buildNode returns a value of a document as a value of an answer, with its texts as a resolver has them.
func buildNode(value any, resolve resolver) (*record.Node, error) {
	switch value := value.(type) {
	case nil:
		return &record.Node{Kind: record.Null}, nil
	case bool:
		return &record.Node{Kind: record.Bool, Bool: value}, nil
	case string:
		return resolve(value)
	case json.Number:
		return newNumber(value.String()), nil
	case []any:
		n := &record.Node{Kind: record.Array}
		for _, e := range value {
			one, err := buildNode(e, resolve)
			if err != nil {
				return nil, err
			}
			n.Elems = append(n.Elems, one)
		}
		return n, nil
	case map[string]any:
		n := &record.Node{Kind: record.Object}
		for name, e := range value {
			one, err := buildNode(e, resolve)
			if err != nil {
				return nil, err
			}
			n.Members = append(n.Members, record.Member{Name: name, Value: one})
		}
		return n, nil
	}
	return nil, nil
}

func newNumber(text string) *record.Node { return &record.Node{Kind: record.Number, Number: text} }

func newText(text string) *record.Node { return &record.Node{Kind: record.String, String: text} }

// nameType returns the type of a value in the words of the operator type; "nothing" if there is no value.
func nameType(n *record.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case record.Null:
		return "null"
	case record.Bool:
		return "boolean"
	case record.Number:
		return "number"
	case record.String:
		return "string"
	case record.Array:
		return "array"
	}
	return "object"
}

// maxShown bounds the text of a value in a failure.
const maxShown = 300

// shortenShown returns a text for a failure, with at most maxShown characters.
func shortenShown(text string) string { return shorten.Middle(text, maxShown-40, 40, "…") }

// describeNode returns a value as JSON, short enough for a report.
func describeNode(n *record.Node) string {
	if n == nil {
		return "nothing"
	}
	text, err := json.Marshal(n.Interface())
	if err != nil {
		return nameType(n)
	}
	return shortenShown(string(text))
}

// formatPlain returns a plain value as a text has it.
func formatPlain(n *record.Node) (text string, ok bool) {
	switch {
	case n == nil:
		return "", false
	case n.Kind == record.String:
		return n.String, true
	case n.Kind == record.Number:
		return n.Number, true
	case n.Kind == record.Bool:
		return strconv.FormatBool(n.Bool), true
	}
	return "", false
}

// followPath returns the values to which a path leads, with the path of each. Without wildcards there is at most one.
func followPath(n *record.Node, steps []PathStep) (found []*record.Node, paths []string) {
	found, paths = []*record.Node{n}, []string{""}
	for _, step := range steps {
		var nextFound []*record.Node
		var nextPaths []string
		add := func(n *record.Node, path string) {
			if n != nil {
				nextFound, nextPaths = append(nextFound, n), append(nextPaths, path)
			}
		}
		for i, n := range found {
			switch {
			case n == nil:
			case step.Every && n.Kind == record.Array:
				for j, e := range n.Elems {
					add(e, paths[i]+"["+strconv.Itoa(j)+"]")
				}
			case step.List && !step.Every && n.Kind == record.Array && step.Index < len(n.Elems):
				add(n.Elems[step.Index], paths[i]+"["+strconv.Itoa(step.Index)+"]")
			case !step.List && n.Kind == record.Object:
				add(n.Member(step.Member), joinPath(paths[i], step.Member))
			}
		}
		found, paths = nextFound, nextPaths
	}
	return found, paths
}

// followOne returns the value to which a path without wildcards leads, nil if there is none.
func followOne(n *record.Node, steps []PathStep) *record.Node {
	found, _ := followPath(n, steps)
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// joinPath adds a member to a path in dots.
func joinPath(path, member string) string { return strings.TrimPrefix(path+"."+member, ".") }

// formatSteps returns a path as it is written.
func formatSteps(steps []PathStep) string {
	text := ""
	for _, s := range steps {
		switch {
		case s.Every:
			text += "[*]"
		case s.List:
			text += "[" + strconv.Itoa(s.Index) + "]"
		default:
			text = joinPath(text, s.Member)
		}
	}
	return text
}

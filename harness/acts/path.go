package acts

import (
	"fmt"
	"strconv"
	"strings"
)

// PathStep is a member, an element, or every element of a list.
type PathStep struct {
	Member string
	Index  int
	Every  bool // [*]
	List   bool // it is an index, or [*]
}

// Path leads to a value within another one, such as task.artifacts[0].parts[*].
type Path struct {
	Text  string
	Steps []PathStep
}

// maxPathSteps bounds the steps of a path.
const maxPathSteps = 64

// parsePath reads a path in dots and brackets. An empty text leads to the whole.
func parsePath(text string, wildcards bool) (Path, error) {
	p := Path{Text: text}
	rest := strings.TrimSpace(text)
	for first := true; rest != ""; first = false {
		if len(p.Steps) == maxPathSteps {
			return p, fmt.Errorf("the path has more than %d parts; shorten it", maxPathSteps)
		}
		if rest[0] == '[' {
			inside, after, closed := strings.Cut(rest[1:], "]")
			if !closed {
				return p, fmt.Errorf("the path %q has a [ without ]; write NAME[0]", text)
			}
			rest = after
			if inside == "*" {
				if !wildcards {
					return p, fmt.Errorf("the path %q has [*], which only the path of any, all and none may have; write an index such as [0]", text)
				}
				p.Steps = append(p.Steps, PathStep{Every: true, List: true})
				continue
			}
			n, err := strconv.Atoi(inside)
			if err != nil || n < 0 || inside[0] == '+' {
				return p, fmt.Errorf("the path %q has [%s]; an index is a number from 0, such as [0]", text, inside)
			}
			p.Steps = append(p.Steps, PathStep{Index: n, List: true})
			continue
		}
		if rest[0] == '.' {
			if first {
				return p, fmt.Errorf("the path %q begins with a dot; leave it out", text)
			}
			rest = rest[1:]
		} else if !first {
			return p, fmt.Errorf("the path %q has no dot after ]; write NAME[0].NAME", text)
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		name := rest[:end]
		if name == "" {
			return p, fmt.Errorf("the path %q has a dot without a name after it; write NAME.NAME", text)
		}
		if strings.ContainsAny(name, " \t\r\n]{}=!") {
			return p, fmt.Errorf("the path %q has the part %q, which is no name of a member; write NAME.NAME[0]", text, name)
		}
		p.Steps = append(p.Steps, PathStep{Member: name})
		rest = rest[end:]
	}
	return p, nil
}

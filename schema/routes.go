package schema

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Route is one verb and path by which REST carries an operation. In the path, {name}
// represents the member of that name among the operation's parameters.
type Route struct {
	Verb string // GET, POST, PUT, PATCH or DELETE
	Path string // below the address of the interface, with a slash in front
	As   string // the definition by which the body is written; "" for that of the operation
}

// String returns the route as people call it.
func (r Route) String() string { return r.Verb + " " + r.Path }

// Body reports whether calls by this route have one. In those without, what is not in
// the path is in the query.
func (r Route) Body() bool { return r.Verb != http.MethodGet && r.Verb != http.MethodDelete }

// Names returns the members that the path holds, in its order.
func (r Route) Names() (names []string) {
	for rest := r.Path; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			return names
		}
		name, behind, _ := strings.Cut(after, "}")
		names, rest = append(names, name), behind
	}
}

// Routes are the ways in which REST carries one operation. If the source names
// several, a server needs only one of them; they are tried in this order.
type Routes []Route

// UnmarshalYAML takes one route for a list of one. What is no route is left for the
// search for mistakes.
func (r *Routes) UnmarshalYAML(n *yaml.Node) error {
	var lines []string
	if err := decodeOneOrList(n, &lines); err != nil {
		return err
	}
	*r = nil
	for _, line := range lines {
		verb, path, _ := strings.Cut(line, " ")
		path, as, _ := strings.Cut(path, " as ")
		*r = append(*r, Route{verb, path, as})
	}
	return nil
}

// verbs are those of routes.
var verbs = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// describeRouteMistake describes what is wrong with a route of an operation whose parameters are members of
// a definition; "" if nothing is.
func (r Route) describeRouteMistake(members []string) string {
	switch {
	case !slices.Contains(verbs, r.Verb):
		return Unknown("verb", r.Verb, verbs) + "; a route is a verb and a path, such as GET /tasks/{id}"
	case !strings.HasPrefix(r.Path, "/"):
		return fmt.Sprintf("the path %q of %s does not begin with a slash", r.Path, r)
	case strings.ContainsAny(r.Path, " ?#"):
		return fmt.Sprintf("the path of %s has a blank, a query or a fragment", r)
	}
	for segment := range strings.SplitSeq(r.Path[1:], "/") {
		before, after, opened := strings.Cut(segment, "{")
		name, rest, closed := strings.Cut(after, "}")
		switch {
		case segment == "":
			return fmt.Sprintf("the path of %s has an empty segment", r)
		case !opened && !strings.Contains(segment, "}"):
		case !opened || !closed || before != "" || name == "" || strings.ContainsAny(rest, "{}"):
			return fmt.Sprintf("the segment %s of %s is none: it may begin with one {name}, and go on with what stands behind it", segment, r)
		case len(members) > 0 && !slices.Contains(members, name):
			return fmt.Sprintf("%s: %s", r, Unknown("member", name, members))
		}
	}
	return ""
}

// Statuses are HTTP statuses that say an error. The first is the one that the source
// names; if an answer states nothing else, the others are taken for it too.
type Statuses []int

// UnmarshalYAML takes one status for a list of one.
func (s *Statuses) UnmarshalYAML(n *yaml.Node) error { return decodeOneOrList(n, (*[]int)(s)) }

// checkRoutes finds the mistakes in the routes of a binding.
func (s *catalogueCheck) checkRoutes(file, name string, b Binding) {
	for _, op := range slices.Sorted(maps.Keys(b.Routes)) {
		if !s.requireOperationOfDialect(file, "routes", name, op) {
			continue
		}
		for _, r := range b.Routes[op] {
			if wrong := r.describeRouteMistake(s.defined[s.Operations[op].Params]); wrong != "" {
				s.addError(file, "routes", r.String(), "bindings.%s: %s: %s", name, op, wrong)
			}
		}
	}
	seen := map[string]string{}
	for _, op := range slices.Sorted(maps.Keys(b.Routes)) {
		for i, r := range b.Routes[op] {
			if first, twice := seen[r.String()]; twice && first != op || slices.Contains(b.Routes[op][:i], r) {
				s.addError(file, "routes", r.String(), "bindings.%s: %s is the route of %s and of %s", name, r, first, op)
			}
			seen[r.String()] = op
		}
	}
	for _, op := range slices.Sorted(maps.Keys(s.Operations)) {
		if len(b.Routes[op]) == 0 {
			s.addError(file, "operations", op, "bindings.%s: there is no route for the operation %s", name, op)
		}
	}
	if len(b.Media) == 0 {
		s.addError(file, "bindings", name, "bindings.%s: media is missing: the media types of bodies, first that of ours", name)
	}
}

// Holds compares the route with the segments that a path ends with, as they are written
// in it. It returns what the path holds, unescaped, and how much of it the route states
// by itself; 0 if it is another.
func (r Route) Holds(path []string) (values map[string]string, weight int) {
	pattern := strings.Split(r.Path[1:], "/")
	if len(path) < len(pattern) {
		return nil, 0
	}
	values = map[string]string{}
	for i, given := range path[len(path)-len(pattern):] {
		_, after, named := strings.Cut(pattern[i], "{")
		if !named {
			if given != pattern[i] {
				return nil, 0
			}
			weight += 2
			continue
		}
		name, behind, _ := strings.Cut(after, "}")
		text, ends := strings.CutSuffix(given, behind)
		value, err := url.PathUnescape(text)
		if !ends || err != nil || value == "" {
			return nil, 0
		}
		if values[name] = value; behind != "" {
			weight++
		}
	}
	return values, weight
}

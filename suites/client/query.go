package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A queried is a parameter in the query of a call, with a value.
type queried struct {
	r           judge.Request
	name, value string
	field       string // the member of the request that it is, in whichever spelling; "" for none
}

// listQueries returns the parameters in the queries of calls, but for those that the address of the card has already, and
// for keys that the card asks for there.
func listQueries(t *judge.T, calls []judge.Request) (out []queried) {
	d := t.Case.Dialect
	for _, r := range calls {
		u, err := url.Parse(r.Exchange.URL)
		if err != nil || r.Op == "" || u.RawQuery == "" {
			continue
		}
		given := listGivenQuery(r)
		values := u.Query()
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if slices.Contains(given, name) {
				continue
			}
			field := ""
			for _, member := range d.Shapes().Members(d.Operation(r.Op).Params) {
				if foldName(member) == foldName(name) {
					field = member
				}
			}
			for _, value := range values[name] {
				out = append(out, queried{r, name, value, field})
			}
		}
	}
	return out
}

// listGivenQuery returns the names of parameters that a card has in the address of a call, or asks for as keys.
func listGivenQuery(r judge.Request) (names []string) {
	cards := r.Of().Cards()
	for _, i := range findEntries(r, cards) {
		if u, err := url.Parse(i.URL()); err == nil {
			names = append(names, slices.Sorted(maps.Keys(u.Query()))...)
		}
	}
	for _, c := range cards {
		for _, scheme := range c.DefinedSchemes() {
			if in, name := scheme.Place(); in == card.InQuery {
				names = append(names, name)
			}
		}
	}
	return names
}

// describe returns the parameter for people.
func (q queried) describe() string {
	return "`" + shorten.Visible(shorten.Clip(q.name, 40), 40) + "` in the query of " + q.r.By.Title(q.r.Op)
}

// queryNameParams say how parameters of a query are named.
type queryNameParams struct {
	Exact   bool     `json:"exact"`   // in the spelling of the members alone
	Unknown bool     `json:"unknown"` // a name that is like no member is a finding, and no fault
	Free    []string `json:"free"`    // further names
}

// checkQueryNames judges whether the parameters in queries are named after members of the requests.
func checkQueryNames(t *judge.T, p queryNameParams) {
	all := slices.DeleteFunc(listQueries(t, t.Calls()), func(q queried) bool {
		return q.r.Method() != http.MethodGet && q.r.Method() != http.MethodDelete || isNested(q.name) ||
			slices.ContainsFunc(p.Free, func(name string) bool { return foldName(name) == foldName(q.name) })
	})
	if len(all) == 0 {
		t.StopVacuous("no call of the client has parameters in its query")
	}
	judge.Each(t, all, func(q queried) {
		at := q.r.Head(report.StatusLine)
		switch {
		case q.field == "" && p.Unknown:
			t.Finding(at, "the client sent %s, which the request does not have", q.describe())
		case q.field == "":
			t.Fail(at, "sent "+q.describe()+", which the request does not have", "a member of the request")
		case p.Exact && q.name != q.field:
			t.Fail(at, "sent "+q.describe(), "`"+q.field+"`")
		}
		t.OK(at)
	})
}

// queryValueParams say how the values of parameters in a query are written.
type queryValueParams struct {
	Times []string `json:"times"` // members that are timestamps
	Also  []string `json:"also"`  // values of enumerations that the definitions do not list
}

// wholeNumber is how a query has a whole number.
var wholeNumber = regexp.MustCompile(`^-?\d+$`)

// checkQueryValues judges whether the parameters in queries have the form of values that is due in a text. One that is
// empty counts as left out.
func checkQueryValues(t *judge.T, p queryValueParams) {
	all := slices.DeleteFunc(listQueries(t, t.Calls()), func(q queried) bool { return q.field == "" || q.value == "" })
	if len(all) == 0 {
		t.StopVacuous("no call of the client has parameters of the request in its query")
	}
	judge.Each(t, all, func(q queried) {
		at := q.r.Head(report.StatusLine)
		if due := findQueryFault(t, p, q); due != "" {
			t.Fail(at, fmt.Sprintf("sent %s as %q", q.describe(), shorten.Visible(shorten.Clip(q.value, 60), 60)), due)
		}
		t.OK(at)
	})
}

// findQueryFault returns what is due in place of the value of a parameter; "" if it is right.
func findQueryFault(t *judge.T, p queryValueParams, q queried) (due string) {
	shapes, of := t.Case.Dialect.Shapes(), t.Case.Dialect.Operation(q.r.Op).Params
	kinds := shapes.Kinds(of, q.field)
	var value any = q.value
	switch {
	case slices.Contains(p.Times, q.field):
		if !timestamp.MatchString(q.value) {
			return formWords["timestamp"]
		}
		return ""
	case slices.Contains(p.Also, q.value), len(kinds) == 0, slices.Contains(kinds, "array"), slices.Contains(kinds, "object"):
		return "" // it is not described, or may be written in more than one way
	case slices.Contains(kinds, "boolean") && (q.value == "true" || q.value == "false"):
		value = q.value == "true"
	case slices.Contains(kinds, "integer") && wholeNumber.MatchString(q.value):
		value = json.Number(q.value)
	}
	broken, err := shapes.Validate(of, map[string]any{q.field: value})
	if err != nil {
		panic(err)
	}
	for _, v := range broken {
		if v.Instance == "/"+q.field {
			return "a value of the kind " + strings.Join(kinds, " or ") + " that the definition has"
		}
	}
	return ""
}

// checkNesting judges whether queries have no objects.
func checkNesting(t *judge.T, _ struct{}) {
	d := t.Case.Dialect
	members := map[string]bool{}
	for _, op := range d.Operations {
		for _, name := range d.Shapes().Members(op.Params) {
			members[foldName(name)] = true
		}
	}
	all := listQueries(t, t.Calls())
	if len(all) == 0 {
		t.StopVacuous("no call of the client has parameters in its query")
	}
	judge.Each(t, all, func(q queried) {
		at := q.r.Head(report.StatusLine)
		if end := strings.IndexAny(q.name, ".["); end > 0 && members[foldName(q.name[:end])] {
			t.Fail(at, "sent "+q.describe(), "no member of an object in a query")
		}
		t.OK(at)
	})
}

// isNested reports whether a name in a query is that of a member within an object.
func isNested(name string) bool { return strings.ContainsAny(name, ".[") }

// checkPathAndBody judges whether a body contradicts what the path of its call has.
func checkPathAndBody(t *judge.T, _ struct{}) {
	type pair struct {
		in   judge.Value
		path string
	}
	var all []pair
	for _, r := range t.Calls() {
		values := readPath(t, r)
		for _, name := range slices.Sorted(maps.Keys(values)) { // so that the same one fails each time
			for _, member := range slices.Sorted(maps.Keys(r.Body.Members())) {
				if v := r.Body.MemberAt("/" + member); foldName(member) == foldName(name) && v.IsString() {
					all = append(all, pair{v, values[name]})
				}
			}
		}
	}
	if len(all) == 0 {
		t.StopVacuous("no call of the client has a member of its path in its body as well")
	}
	judge.Each(t, all, func(p pair) {
		if p.in.Text() != p.path && p.in.Text() != "" {
			t.Fail(p.in, "sent "+describeValue(p.in)+" in the body", fmt.Sprintf("%q, which the path has, or none", shorten.Visible(shorten.Clip(p.path, 60), 60)))
		}
		t.OK(p.in)
	})
}

// readPath returns the members of a call that its path has, by their names.
func readPath(t *judge.T, r judge.Request) map[string]string {
	u, err := url.Parse(r.Exchange.URL)
	if err != nil {
		return nil
	}
	best, values := 0, map[string]string(nil)
	for _, route := range t.Case.Dialect.Bindings[r.By.Name()].Routes[r.Op] {
		if is, weight := route.Holds(strings.Split(u.EscapedPath(), "/")); route.Verb == r.Method() && weight > best {
			best, values = weight, is
		}
	}
	return values
}

// outsideParams name header fields that belong in the head.
type outsideParams struct {
	Names []string `json:"names"`
	Query []string `json:"query"` // those that may be in the query
}

// checkOutsideHead judges whether calls have what belongs into a header field elsewhere.
func checkOutsideHead(t *judge.T, p outsideParams) {
	named := func(names []string, name string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	judge.Each(t, t.Calls(), func(r judge.Request) {
		u, err := url.Parse(r.Exchange.URL)
		if err != nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(u.Query())) {
			if named(p.Names, name) && !named(p.Query, name) {
				t.Fail(r.Head(report.StatusLine), "sent `"+shorten.Visible(name, 40)+"` in the query", "a header field of that name")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(r.Body.Members())) {
			if named(p.Names, name) {
				t.Fail(r.Body.MemberAt("/"+name), "sent `"+shorten.Visible(name, 40)+"` in the body", "a header field of that name")
			}
		}
		t.OK(r.Head(report.StatusLine))
	})
}

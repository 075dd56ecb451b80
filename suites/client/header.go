package client

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// headerParams name a header field, and what it has to be.
type headerParams struct {
	Ops      []string `json:"ops"`
	Name     string   `json:"name"`
	Optional bool     `json:"optional"` // it is judged only if it is there
	Query    bool     `json:"query"`    // a parameter of that name in the address will do
	Matches  string   `json:"matches"`  // an expression for the value
	As       string   `json:"as"`       // what the expression asks for, in words
	Media    []string `json:"media"`    // the media types of which the value is one; only of requests with a body
	Once     bool     `json:"once"`     // there is no more than one field of the name
	URIs     bool     `json:"uris"`     // the value is a list of absolute URIs
	Offer    string   `json:"offer"`    // what a card claims that offers it; a client that does not take it is not judged
}

// checkHeader judges a header field of each call.
func checkHeader(t *judge.T, p headerParams) {
	form := regexp.MustCompile(p.Matches)
	var all []judge.Request
	for _, r := range t.Calls(p.Ops...) {
		if (!p.Optional || len(valuesOf(r, p)) > 0) && (len(p.Media) == 0 || len(r.Exchange.Request.Body) > 0) {
			all = append(all, r)
		}
	}
	switch {
	case len(all) == 0 && p.Offer != "":
		stopAsUnused(t, p.Offer, "no request of the client has "+p.Name)
	case len(all) == 0:
		t.StopVacuous("no request of the client has %s", p.Name)
	}
	judge.Each(t, all, func(r judge.Request) {
		values := valuesOf(r, p)
		at := r.Head(p.Name)
		fail := func(wants string) {
			t.Fail(at, fmt.Sprintf("sent %s: %s", p.Name, shorten.Visible(shorten.Clip(strings.Join(values, ", "), 80), 80)), wants)
		}
		switch {
		case len(values) == 0:
			t.Fail(at, "sent no "+p.Name, p.describe())
		case p.Once && len(values) > 1:
			t.Fail(at, fmt.Sprintf("sent %d fields %s", len(values), p.Name), "one field")
		case len(p.Media) > 0 && !slices.Contains(p.Media, record.ParseMediaType(values[0])):
			fail(p.describe())
		case p.Matches != "" && slices.ContainsFunc(values, func(v string) bool { return !form.MatchString(strings.TrimSpace(v)) }):
			fail(p.describe())
		case p.URIs && !areURIs(values):
			fail("a list of absolute URIs")
		}
		t.OK(at)
	})
}

// describe returns in words what the field has to be.
func (p *headerParams) describe() string {
	switch {
	case len(p.Media) > 0:
		return strings.Join(p.Media, " or ")
	case p.As != "":
		return p.As
	}
	return "the header field " + p.Name
}

// valuesOf returns the values of a header field, or of a parameter of the address.
func valuesOf(r judge.Request, p headerParams) []string {
	values := r.Header()[http.CanonicalHeaderKey(p.Name)]
	if u, err := url.Parse(r.Exchange.URL); len(values) == 0 && p.Query && err == nil {
		values = u.Query()[p.Name]
	}
	return values
}

// areURIs reports whether the elements of lists are absolute URIs.
func areURIs(values []string) bool {
	for _, v := range values {
		for element := range strings.SplitSeq(v, ",") {
			u, err := url.Parse(strings.TrimSpace(element))
			if err != nil || !u.IsAbs() {
				return false
			}
		}
	}
	return true
}

// checkFields judges header fields that need not be there.
func checkFields(t *judge.T, p struct {
	Fields map[string]string `json:"fields"` // an expression for the value of each
}) {
	type sent struct {
		r    judge.Request
		name string
	}
	var all []sent
	for _, r := range t.Calls() {
		for _, name := range slices.Sorted(maps.Keys(p.Fields)) {
			if len(r.Header()[http.CanonicalHeaderKey(name)]) > 0 {
				all = append(all, sent{r, name})
			}
		}
	}
	if len(all) == 0 {
		t.StopVacuous("no request of the client has one of these fields")
	}
	judge.Each(t, all, func(f sent) {
		value, due := strings.TrimSpace(f.r.Header().Get(f.name)), regexp.MustCompile(p.Fields[f.name])
		if !due.MatchString(value) {
			t.Fail(f.r.Head(f.name), fmt.Sprintf("sent %s: %s", f.name, shorten.Visible(shorten.Clip(value, 60), 60)), "a value of the form "+due.String())
		}
		t.OK(f.r.Head(f.name))
	})
}

// routeParams say what of a call names its operation.
type routeParams struct {
	Methods []string `json:"methods"` // HTTP methods of which each call has one; none to judge the operation
	NoBody  []string `json:"noBody"`  // HTTP methods whose requests have no body
	Header  string   `json:"header"`  // only calls with this header field are judged
	Matches string   `json:"matches"` // and with a value that this expression describes
}

// checkRoute judges whether each call is one of an operation of the dialect.
func checkRoute(t *judge.T, p routeParams) {
	calls := t.Calls
	if p.Header != "" { // by which a call of any version names one
		calls = t.CallsOfAnyVersion
	}
	all := calls()
	if len(p.NoBody) > 0 {
		all = slices.DeleteFunc(all, func(r judge.Request) bool { return !slices.Contains(p.NoBody, r.Method()) })
		if len(all) == 0 {
			t.StopVacuous("the client sent no request by %s", strings.Join(p.NoBody, " or "))
		}
	}
	if p.Header != "" {
		named := regexp.MustCompile(p.Matches)
		all = slices.DeleteFunc(all, func(r judge.Request) bool { return !named.MatchString(r.Header().Get(p.Header)) })
		if len(all) == 0 {
			t.StopVacuous("the client sent no such %s", p.Header)
		}
	}
	all = slices.DeleteFunc(all, func(r judge.Request) bool { return otherBinding(t, r) != "" }) // which the sentences on addresses judge
	if len(all) == 0 {
		t.StopVacuous("the client sent no call in the binding of the address")
	}
	judge.Each(t, all, func(r judge.Request) {
		line, _, _ := strings.Cut(string(r.Exchange.Request.Head), "\n")
		line = shorten.Visible(shorten.Clip(strings.TrimSpace(line), 100), 100)
		at := r.Head(report.StatusLine)
		switch {
		case len(p.NoBody) > 0:
			if n := len(r.Exchange.Request.Body); n > 0 {
				t.Fail(r.Call, fmt.Sprintf("sent a body of %d bytes with %s", n, r.Method()), "no body")
			}
		case len(p.Methods) > 0:
			if !slices.Contains(p.Methods, r.Method()) {
				t.Fail(at, "sent "+line, strings.Join(p.Methods, " or "))
			}
		case r.Sent.Framed && r.Sent.Method != nil && r.Op == "" && !isLikeMethod(t.Case.Dialect, r.Sent.Named):
			t.Tolerate(r.Call.At("/method"), "the client called %q, which is no method of any version, and may be one of an extension", shorten.Visible(shorten.Clip(r.Sent.Named, 60), 60))
		case r.Sent.Framed && r.Sent.Method != nil && r.Op == "":
			t.Fail(r.Call.At("/method"), fmt.Sprintf("called %q", shorten.Visible(shorten.Clip(r.Sent.Named, 60), 60)), "a method of the protocol")
		case r.Sent.Framed && r.Sent.Method == nil:
			t.StopVacuous("a call names no method")
		case r.Op == "" || !isAtRoute(t, r):
			if p.Header != "" && r.By.Kind() == schema.KindREST && hasTenant(r) {
				t.StopVacuous("the path of a call has a tenant, and may be a path of no version") // the sentence on paths judges it
			}
			t.Fail(at, "sent "+line, "the method and path of an operation")
		}
		t.OK(at)
	})
}

// methodsOfAll returns the methods of JSON-RPC of all dialects, without case and separators.
var methodsOfAll = sync.OnceValue(func() (all []string) {
	for _, name := range schema.Names() {
		if d, err := schema.Load(name); err == nil {
			all = append(all, listFoldedMethods(d)...)
		}
	}
	return all
})

// listFoldedMethods returns the methods of a dialect without case and separators.
func listFoldedMethods(d *schema.Dialect) (all []string) {
	for _, method := range d.Methods() {
		all = append(all, foldMethod(method))
	}
	return all
}

// foldMethod writes a method without case and separators.
func foldMethod(name string) string { return strings.ReplaceAll(foldName(name), "/", "") }

// isLikeMethod reports whether a name is a method of some version, or may be meant for one.
func isLikeMethod(d *schema.Dialect, name string) bool {
	return schema.Nearest(foldMethod(name), slices.Concat(listFoldedMethods(d), methodsOfAll())) != ""
}

// hasTenant reports whether the card has a tenant for the address of a call.
func hasTenant(r judge.Request) bool {
	return slices.ContainsFunc(findEntries(r, r.Of().Cards()), func(i card.Interface) bool { return i.Tenant() != "" })
}

// isAtRoute reports whether the path of a call in HTTP+JSON is that of its operation, below an address of the card and
// perhaps a tenant. Without such an address nothing is known of the beginning of paths.
func isAtRoute(t *judge.T, r judge.Request) bool {
	is := t.Case.Dialect.Bindings[r.By.Name()]
	to, err := url.Parse(r.Exchange.URL)
	if err != nil || is.Kind != schema.KindREST {
		return true
	}
	entries := findEntries(r, r.Of().Cards())
	for _, i := range entries {
		at, err := url.Parse(i.URL())
		if err != nil {
			return true
		}
		base := strings.TrimRight(at.EscapedPath(), "/")
		given := strings.Split(strings.Trim(strings.TrimPrefix(to.EscapedPath(), base), "/"), "/")
		for _, route := range is.Routes[r.Op] {
			if is.Below != "" && strings.HasSuffix(base, is.Below) {
				route.Path = strings.TrimPrefix(route.Path, is.Below)
			}
			before := len(given) - strings.Count(route.Path, "/")
			if before < 0 || route.Verb != r.Method() {
				continue
			}
			_, weight := route.Holds(given)
			tenant, err := url.PathUnescape(strings.Join(given[:before], "/"))
			if weight > 0 && err == nil && (tenant == "" || tenant == i.Tenant()) {
				return true
			}
		}
	}
	return len(entries) == 0
}

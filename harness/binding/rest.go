package binding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// restBinding carries operations as JSON over HTTP: the verb and the path say what is asked,
// and the status describes how it went.
type restBinding struct {
	name    string
	dialect *schema.Dialect
	is      schema.Binding
	reads   jsonForm // of answers, and of our calls
}

func newREST(name string, is schema.Binding, d *schema.Dialect) Binding {
	b := &restBinding{name: name, dialect: d, is: is}
	if len(is.Forms) > 0 {
		b.reads = jsonForm(d.Form(is.Forms[0]))
	}
	return b
}

func init() { Register(schema.KindREST, newREST) }

func (b *restBinding) Name() string { return b.name }
func (b *restBinding) Kind() string { return schema.KindREST }

// Ways returns how many routes an operation has.
func (b *restBinding) Ways(op string) int { return len(b.is.Routes[op]) }

// A style is the form of the bodies, and whether the paths omit their first segment if the
// address of the interface ends with it.
type style struct {
	form jsonForm
	cut  bool
}

// candidateCallStyles returns those in which calls to an interface may be written, in the order in which
// they are tried.
func (b *restBinding) candidateCallStyles(base string) (out []style) {
	var forms []jsonForm
	for _, name := range b.is.Forms {
		forms = append(forms, jsonForm(b.dialect.Form(name)))
	}
	if len(forms) == 0 {
		forms = []jsonForm{nil}
	}
	cuts := []bool{false}
	if at, _, _ := strings.Cut(base, "?"); b.is.Below != "" && strings.HasSuffix(strings.TrimRight(at, "/"), b.is.Below) {
		cuts = append(cuts, true)
	}
	for _, cut := range cuts {
		for _, f := range forms {
			out = append(out, style{f, cut})
		}
	}
	return out
}

// Styles returns how many forms bodies may have, for each place at which the paths may begin.
func (b *restBinding) Styles(base string) int { return len(b.candidateCallStyles(base)) }

// errOnlyPlainValues is why a call whose parameters have no place in a path or a query cannot
// be written.
const errOnlyPlainValues = inexpressible("this binding has no way to say that: a path and a query hold plain values only")

// errTextOnly is why a value of another type cannot take the place of a text: it reads
// as the text of its digits or letters, so that the call is a valid one.
const errTextOnly = inexpressible("this binding has no way to say that: in a path or a query a number in place of a text is a text")

// Encode asks for a path of an operation's name if it has no route for it.
func (b *restBinding) Encode(base string, r Request) (client.Call, error) {
	if r.Bend != nil {
		return client.Call{}, ErrNoEnvelope
	}
	route := schema.Route{Verb: http.MethodGet, Path: "/" + url.PathEscape(r.Op)}
	if known := b.is.Routes[r.Op]; len(known) > 0 {
		route = known[min(r.Way, len(known)-1)]
	}
	styles := b.candidateCallStyles(base)
	in := styles[min(r.Style, len(styles)-1)]
	if in.cut {
		route.Path = strings.TrimPrefix(route.Path, b.is.Below)
	}
	members, whole, err := membersOf(r.Params)
	if err != nil {
		return client.Call{}, err
	}
	if route.Body() && whole == nil {
		if members, err = b.convertBodyToForm(in.form, r, route, members); err != nil {
			return client.Call{}, err
		}
	}
	path, err := b.buildPathConsumingMembers(route, members)
	if err != nil {
		return client.Call{}, err
	}
	call := client.Call{Method: route.Verb, Header: http.Header{"Accept": {strings.Join(b.is.Media, ", ")}}}
	query := ""
	switch {
	case !route.Body():
		if whole != nil {
			return client.Call{}, errOnlyPlainValues
		}
		for name, value := range members {
			if b.readsAsText(r.Op, name, value) {
				return client.Call{}, errTextOnly
			}
		}
		query, err = inQuery(members)
	case whole != nil:
		call.Body = whole
	default:
		call.Body, err = json.Marshal(members)
	}
	if err != nil {
		return client.Call{}, err
	}
	if route.Body() {
		call.Header.Set("Content-Type", b.is.Media[0])
	}
	if b.dialect.Operation(r.Op).Streams {
		call.Header.Set("Accept", "text/event-stream, "+call.Header.Get("Accept"))
	}
	SetHeaders(call.Header, b.dialect.Headers)
	at, before, asks := strings.Cut(base, "?")
	call.URL = strings.TrimRight(at, "/") + path
	if both := strings.Trim(before+"&"+query, "&"); both != "" || asks {
		call.URL += "?" + both
	}
	return call, nil
}

// convertBodyToForm returns the parameters as a body in that form has them, and those that belong into the
// path besides.
func (b *restBinding) convertBodyToForm(f jsonForm, r Request, route schema.Route, members map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	if len(f) == 0 {
		return members, nil
	}
	params, err := f.encodeParamsInForm(b.bodyDefinition(r.Op, route), r.Params)
	if err != nil {
		return nil, err
	}
	out, _, err := membersOf(params)
	if err != nil {
		return nil, err
	}
	for _, name := range append(route.Names(), b.is.Tenant) {
		if value, has := members[name]; has {
			out[name] = value
		}
	}
	return out, nil
}

// bodyDefinition returns the definition by which the body of a call by a route is written.
func (b *restBinding) bodyDefinition(op string, route schema.Route) string {
	return cmp.Or(route.As, b.is.Written(op, b.dialect.Operation(op).Params))
}

// membersOf returns the parameters by name. What is no object is whole.
func membersOf(params any) (members map[string]json.RawMessage, whole []byte, err error) {
	members = map[string]json.RawMessage{}
	if params == nil {
		return members, nil, nil
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case string(text) == "null":
		return members, nil, nil
	case text[0] != '{':
		return members, text, nil
	}
	return members, nil, json.Unmarshal(text, &members)
}

// buildPathConsumingMembers returns the path of a route, and takes out of the members what it holds.
func (b *restBinding) buildPathConsumingMembers(route schema.Route, members map[string]json.RawMessage) (string, error) {
	take := func(name string) (string, error) {
		text, err := plainText(members[name])
		switch {
		case err != nil || text == "":
			return "", errOnlyPlainValues
		case !isText(members[name]):
			return "", errTextOnly
		}
		delete(members, name)
		return url.PathEscape(text), nil
	}
	path := route.Path
	for _, name := range route.Names() {
		text, err := take(name)
		if err != nil {
			return "", err
		}
		path = strings.Replace(path, "{"+name+"}", text, 1)
	}
	if _, has := members[b.is.Tenant]; has && b.is.Tenant != "" {
		text, err := take(b.is.Tenant)
		if err != nil {
			return "", err
		}
		path = "/" + text + path
	}
	return path, nil
}

// readsAsText reports whether a member is a number or a boolean in the place of what can
// only be a text.
func (b *restBinding) readsAsText(op, member string, value json.RawMessage) bool {
	kinds := b.dialect.Shapes().Kinds(b.dialect.Operation(op).Params, member)
	_, err := plainText(value)
	return err == nil && !isText(value) && slices.Equal(kinds, []string{"string"})
}

// isText reports whether a JSON value is a string.
func isText(value json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(value), []byte(`"`))
}

// plainText returns a text, a number or a boolean as a path or a query has it.
func plainText(value json.RawMessage) (string, error) {
	switch value = bytes.TrimSpace(value); {
	case len(value) == 0, value[0] == 'n', value[0] == '{', value[0] == '[':
		return "", errOnlyPlainValues
	case value[0] == '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	}
	return string(value), nil
}

// inQuery writes members as a query. The elements of a list are one value each.
func inQuery(members map[string]json.RawMessage) (string, error) {
	values := url.Values{}
	for name, value := range members {
		all := []json.RawMessage{value}
		if value = bytes.TrimSpace(value); len(value) > 0 && value[0] == '[' {
			if err := json.Unmarshal(value, &all); err != nil {
				return "", err
			}
		}
		for _, one := range all {
			text, err := plainText(one)
			if err != nil {
				return "", err
			}
			values.Add(name, text)
		}
	}
	return strings.ReplaceAll(values.Encode(), "+", "%20"), nil // RFC 3986 knows no + for a blank
}

// Sent reads what was asked from the verb and the end of the path: if the paths
// begin is not on record. A tenant before them is not known.
func (b *restBinding) Sent(x *record.Exchange) Sent {
	root := x.Call().Root
	s := Sent{Call: root, Params: root}
	verb, _, _ := strings.Cut(string(x.Request.Head[:min(len(x.Request.Head), 16)]), " ")
	u, err := url.Parse(x.URL)
	if err != nil {
		return s
	}
	var values map[string]string
	if s.Op, values = b.matchRoute(verb, u.EscapedPath()); s.Op == "" {
		return s
	}
	s.Named, s.Sound = b.Title(s.Op), true
	if root != nil && root.Kind != record.Object {
		return s
	}
	root = b.normalizeBody(s.Op, root)
	params := &record.Node{Kind: record.Object}
	add := func(name, text string) {
		params.Members = append(params.Members, record.Member{Name: name, Value: b.parseParameter(s.Op, name, text)})
	}
	if root != nil {
		params.Members = append(params.Members, root.Members...)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		add(name, values[name])
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(query[name]) == 1 {
			add(name, query[name][0])
			continue
		}
		list := &record.Node{Kind: record.Array}
		for _, text := range query[name] {
			list.Elems = append(list.Elems, b.parseParameter(s.Op, name, text))
		}
		params.Members = append(params.Members, record.Member{Name: name, Value: list})
	}
	s.Params = params
	return s
}

// normalizeBody returns the body of a call of ours as the text has it, in whichever form it was written.
func (b *restBinding) normalizeBody(op string, root *record.Node) *record.Node {
	if root == nil || len(b.reads) == 0 {
		return root
	}
	as := b.is.Written(op, b.dialect.Operation(op).Params)
	for _, route := range b.is.Routes[op] {
		if under := b.reads[b.bodyDefinition(op, route)].Under; under != "" && root.Member(under) != nil {
			as = b.bodyDefinition(op, route)
		}
	}
	return b.reads.readValue(as, root, span{})
}

// matchRoute finds the operation with a route that a path ends with, and what the path
// holds. Of several it is the one that states most of the path by itself, and leaves least of it open.
func (b *restBinding) matchRoute(verb, path string) (op string, values map[string]string) {
	best := 0
	given := strings.Split(path, "/")
	for _, name := range slices.Sorted(maps.Keys(b.is.Routes)) {
		for _, r := range b.is.Routes[name] {
			if r.Verb != verb {
				continue
			}
			held, weight := r.Holds(given)
			if weight > best || weight == best && len(held) < len(values) {
				op, values, best = name, held, weight
			}
		}
	}
	return op, values
}

// parseParameter returns a text of a path or a query as the value that the parameter has in JSON.
func (b *restBinding) parseParameter(op, name, text string) *record.Node {
	kinds := b.dialect.Shapes().Kinds(b.dialect.Operation(op).Params, name)
	switch number := json.Number(text); {
	case slices.Contains(kinds, "boolean") && (text == "true" || text == "false"):
		return &record.Node{Kind: record.Bool, Bool: text == "true"}
	case (slices.Contains(kinds, "integer") || slices.Contains(kinds, "number")) && json.Valid([]byte(text)):
		if _, err := number.Float64(); err == nil {
			return &record.Node{Kind: record.Number, Number: text}
		}
	}
	return &record.Node{Kind: record.String, String: text}
}

// Decode takes an answer with a status of success for the result, unless it is an error
// all the same. A success without a body has the result null.
func (b *restBinding) Decode(op string, x *record.Exchange) Answer {
	root := x.Reply().Root
	success := x.Status()/100 == 2
	a := b.readFailure(root, x.Status())
	switch {
	case a.Failure.Exists() && (!success || a.isError(root)):
		return a
	case success && root != nil:
		return b.readResult(b.dialect.Operation(op).Result, root)
	case success && len(x.Response.Body) == 0 && !x.IsStream():
		return b.readResult("", &record.Node{Kind: record.Null})
	}
	a.setFailure(nil)
	return a
}

// isError reports whether a text that has an error is one, and no result with a member
// of that name.
func (a Answer) isError(root *record.Node) bool { return a.Marked || len(root.Members) == 1 }

// Event reads an event, which is a result or an error.
func (b *restBinding) Event(_ string, data *record.Node) Answer {
	a := b.readFailure(data, 0)
	if data == nil || a.Failure.Exists() && a.isError(data) {
		return a
	}
	return b.readResult(b.dialect.Types.Event, data)
}

// readResult reads a result of a definition.
func (b *restBinding) readResult(of string, root *record.Node) Answer {
	a := newAnswerWithNothingFound()
	a.Result.Node = b.reads.readValue(of, root, span{})
	a.Read = len(b.reads) > 0
	return a
}

// newAnswerWithNothingFound returns an answer in which nothing was found.
func newAnswerWithNothingFound() Answer {
	return Answer{Failure: View{At: "/error"}, Code: View{At: "/error/code"}, Message: View{At: "/error/message"}, Details: View{At: "/error/details"}}
}

// setFailure stores the error of an answer and the parts of it.
func (a *Answer) setFailure(e *record.Node) {
	a.Failure.Node, a.Code.Node, a.Message.Node, a.Details.Node = e, e.Member("code"), e.Member("message"), e.Member("details")
}

// readFailure reads an object error as google.rpc.Status is written in JSON. A status of 0
// is that which the error names.
func (b *restBinding) readFailure(root *record.Node, status int) Answer {
	if len(b.is.ErrorsAt) > 0 {
		return b.anyFailure(root, status)
	}
	a := newAnswerWithNothingFound()
	if e := root.Member("error"); e != nil && e.Kind == record.Object {
		a.setFailure(e)
	}
	a.Names = namesByReason(b.dialect, a.Details.Node)
	a.Marked = len(a.Names) > 0 || a.Code.Exists() && a.Message.Exists() || len(reasonsTold(a.Details.Node)) > 0
	if n := a.Code.Node; status == 0 && n != nil {
		status, _ = strconv.Atoi(n.Number)
	}
	if len(a.Names) == 0 && status/100 != 2 {
		a.Names = b.byStatus(status, a.Failure.Exists())
	}
	return a
}

// noSuchPath are the statuses by which servers of HTTP say that they have no such path, or
// no such verb for it.
var noSuchPath = []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}

// byStatus returns the names of what an answer may be that gives no reason: one of the errors
// that have none. If the status states that something is not there, an error reports
// the one thing of the protocol's own of which it can, and anything else of the path.
func (b *restBinding) byStatus(status int, told bool) (plain []string) {
	var own []string
	for _, name := range slices.Sorted(maps.Keys(b.dialect.Errors)) {
		switch e := b.dialect.Errors[name]; {
		case !slices.Contains(e.HTTP, status):
		case e.Reason != "":
			own = append(own, name)
		case told || slices.Contains(noSuchPath, status):
			plain = append(plain, name)
		}
	}
	if told && len(own) == 1 && slices.Contains(noSuchPath, status) {
		return own
	}
	return plain
}

func (b *restBinding) Title(op string) string {
	if known := b.is.Routes[op]; len(known) > 0 {
		return known[0].String()
	}
	return ""
}

func (b *restBinding) Sign(name string) string {
	e, ok := b.dialect.Errors[name]
	switch {
	case !ok || len(e.HTTP) == 0:
		return ""
	case e.Reason != "":
		return "HTTP " + strconv.Itoa(e.HTTP[0]) + " with the reason " + e.Reason
	}
	return "HTTP " + strconv.Itoa(e.HTTP[0]) + " (" + name + ")"
}

package client

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// shapeParams choose among the departures of requests from their definitions.
type shapeParams struct {
	Ops    []string `json:"ops"`
	Rules  []string `json:"rules"`  // keywords of JSON Schema that are judged; none for all
	Except []string `json:"except"` // ends of pointers that other requirements judge
}

// checkShape validates the parameters of each request against the definition that the dialect has for them.
func checkShape(t *judge.T, p shapeParams) {
	d := t.Case.Dialect
	var all []judge.Request
	for _, r := range t.Calls(p.Ops...) {
		if r.Op != "" && r.Params.Exists() && d.Shapes().Has(d.Operation(r.Op).Params) {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		t.StopVacuous("the client sent no request that a definition describes")
	}
	judge.Each(t, all, func(r judge.Request) {
		broken, err := d.Shapes().Validate(d.Operation(r.Op).Params, r.Params.Node().Interface())
		if err != nil {
			panic(err)
		}
		for _, v := range broken {
			other := slices.ContainsFunc(p.Except, func(end string) bool { return strings.HasSuffix(v.Instance, end) })
			at := r.Params.At(v.Instance)
			if other || len(p.Rules) > 0 && !slices.Contains(p.Rules, v.Keyword) || d.ProtoJSON != "" && at.IsNull() {
				continue
			}
			t.Fail(at, "sent a request whose "+place(v.Instance)+" "+v.Message, "what the definition "+v.Definition+" asks for")
		}
		t.OK(r.Params)
	})
}

// place names a place in a request.
func place(pointer string) string {
	if pointer == "" {
		return "whole"
	}
	return "`" + strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".") + "`"
}

// checkText judges the bytes of each body.
func checkText(t *judge.T, _ struct{}) {
	all := slices.DeleteFunc(t.Calls(), func(r judge.Request) bool {
		return len(r.Exchange.Request.Body) == 0 || r.Exchange.HTTP2 != nil && record.IsGRPC(r.Exchange.Request.MediaType())
	})
	if len(all) == 0 {
		t.StopVacuous("no request of the client has a body")
	}
	judge.Each(t, all, func(r judge.Request) {
		body := r.Exchange.Request.Body
		switch {
		case strings.HasPrefix(string(body), "\uFEFF"):
			t.Fail(r.Call, "sent a body with a byte order mark", "JSON in UTF-8 without one")
		case !utf8.Valid(body):
			t.Fail(r.Call, "sent a body that is not in UTF-8", "JSON in UTF-8")
		case r.Call.Document().Root == nil:
			t.Fail(r.Call, "sent a body that is no JSON", "one JSON text")
		case !json.Valid(body):
			t.Fail(r.Call, "sent a body with more than one JSON text", "one JSON text")
		}
		t.OK(r.Call)
	})
}

// spellingParams list names of members, in the one spelling that is right.
type spellingParams struct {
	Members []string `json:"members"`
	Free    []string `json:"free"` // members whose content is the user's
}

// checkSpelling judges whether members that the dialect has are written in its spelling.
func checkSpelling(t *judge.T, p spellingParams) {
	right := map[string]string{}
	for _, name := range p.Members {
		right[foldName(name)] = name
	}
	all := slices.DeleteFunc(t.Calls(), func(r judge.Request) bool { return !r.Params.IsObject() })
	if len(all) == 0 {
		t.StopVacuous("no request of the client has members")
	}
	judge.Each(t, all, func(r judge.Request) {
		judgeSpelling(t, p, right, r.Params)
		t.OK(r.Params)
	})
}

// judgeSpelling judges the members at and below a value.
func judgeSpelling(t *judge.T, p spellingParams, right map[string]string, v judge.Value) {
	for _, e := range v.Elems() {
		judgeSpelling(t, p, right, e)
	}
	members := v.Members()
	for _, name := range slices.Sorted(maps.Keys(members)) { // so that the same one fails each time
		member := members[name]
		if due := right[foldName(name)]; due != "" && due != name {
			t.Fail(member, "sent a member `"+shorten.Visible(shorten.Clip(name, 60), 60)+"`", "`"+due+"`")
		}
		if !slices.Contains(p.Free, name) {
			judgeSpelling(t, p, right, member)
		}
	}
}

// foldName returns a name without what spellings differ in.
func foldName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

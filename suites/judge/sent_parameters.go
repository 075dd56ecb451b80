package judge

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// parameter is a parameter of a call of ours with its value, as JSON.
type parameter struct{ at, value string }

// mostSettings bounds how many parameters a text lists.
const mostSettings = 3

// spellParameterForBinding returns the name of a parameter as the binding writes it: params.historyLength in
// JSON-RPC, historyLength in a query or a body of HTTP+JSON, history_length in a message
// of gRPC.
func (r *callDescriber) spellParameterForBinding(at string) string {
	by := r.by
	kind := by.Kind()
	if kind == schema.KindJSONRPC {
		return "params" + strings.ReplaceAll(at, "/", ".")
	}
	ours := by.Sent(r.doc.Exchange)
	if ours.Params != nil && ours.Call != nil && ours.Params != ours.Call { // the names may be others in the bytes
		at = (&Document{Root: ours.Params, Written: ours.Call}).Place(at)
	}
	if at == "" {
		return map[string]string{schema.KindGRPC: "the message", schema.KindREST: "the body"}[kind]
	}
	name := strings.ReplaceAll(strings.TrimPrefix(at, "/"), "/", ".")
	if kind == schema.KindGRPC {
		return snakeCase(name)
	}
	return name
}

// snakeCase writes a name of JSON as proto files have it.
func snakeCase(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte('_')
			c = unicode.ToLower(c)
		}
		b.WriteRune(c)
	}
	return b.String()
}

// listParameters describes the parameters of a call as its binding writes them.
func (r *callDescriber) listParameters(all []parameter) string {
	if len(all) == 0 {
		return ""
	}
	inMessage := r.by.Kind() == schema.KindGRPC
	parts := describeFirstParameters(all, func(s parameter) string {
		at := r.spellParameterForBinding(s.at)
		switch {
		case inMessage:
			return at + ": " + s.value
		case s.value == "{}":
			return "empty " + at
		}
		return at + " = " + s.value
	})
	if inMessage {
		return " {" + strings.Join(parts, ", ") + "}"
	}
	return " with " + strings.Join(parts, " and ")
}

// describeFirstParameters describes the first of many parameters, and counts the others.
func describeFirstParameters(all []parameter, describe func(parameter) string) []string {
	parts := Map(all[:min(len(all), mostSettings)], describe)
	if more := len(all) - mostSettings; more > 0 {
		parts = append(parts, strconv.Itoa(more)+" more")
	}
	return parts
}

// listParametersByShortName is listParameters for parameters that are as they should be: their names are enough.
func (r *callDescriber) listParametersByShortName(all []parameter) string {
	if r.by.Kind() == schema.KindGRPC || len(all) == 0 {
		return r.listParameters(all)
	}
	return " with " + strings.Join(describeFirstParameters(all, func(s parameter) string {
		name := r.spellParameterForBinding(s.at)
		return name[strings.LastIndexByte(name, '.')+1:] + " " + s.value
	}), " and ")
}

// ownID are the ids that every call of ours has and that say nothing about it.
var ownID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// describeParameters returns what a call asks for besides its task and its message. What its query has
// is not repeated.
func (r *callDescriber) describeParameters(omitTaskIDs bool) string {
	by, s := r.by, r.doc.Step
	params := by.Sent(r.doc.Exchange).Params
	if params == nil || params.Kind != record.Object || by.Kind() == schema.KindREST && r.doc.Exchange.Call().Root == nil {
		return ""
	}
	webhook, hooks := r.c.Dialect.Pointer("request", "webhook."+s.Op)
	hooked := hooks && s.Op != "push-set" && params.At(webhook) != nil
	var out []parameter
	add := func(at string, n *record.Node) {
		text := formatNode(n)
		own := ownID.MatchString(text)
		switch {
		case hooks && (at == webhook || strings.HasPrefix(webhook, at+"/") && n.Kind != record.Object):
		case omitTaskIDs && own, r.c.Dialect.Operation(s.Op).Agent && (own || text == "false"):
		default:
			out = append(out, parameter{at, text})
		}
	}
	for _, m := range params.Members {
		at := record.Pointer(m.Name)
		switch {
		case m.Name == "message", m.Name == "metadata", hooks && s.Op == "push-set":
		case omitTaskIDs && (m.Name == "id" || m.Name == "taskId"):
		case m.Value.Kind == record.Object && !(hooks && at == webhook):
			for _, inner := range m.Value.Members {
				add(at+record.Pointer(inner.Name), inner.Value)
			}
		default:
			add(at, m.Value)
		}
	}
	words := r.listParametersByShortName(out)
	if hooked && words == "" {
		return " with a webhook"
	}
	if hooked {
		return words + " and a webhook"
	}
	return words
}

// fillPathAndQuery puts those parameters into their places that belong to the path or to the query of
// a call without a body, and returns the others.
func (r *callDescriber) fillPathAndQuery(method string, all []parameter) (target string, others []parameter) {
	for _, s := range all {
		name := "{" + strings.TrimPrefix(s.at, "/") + "}"
		if strings.Contains(method, name) {
			text, err := strconv.Unquote(s.value)
			if err != nil {
				text = s.value
			}
			method = strings.Replace(method, name, text, 1)
			continue
		}
		others = append(others, s)
	}
	asked := r.addQuery(method)
	if asked != method {
		others = nil
	}
	return asked, others
}

// addQuery returns the verb and the path of a call by HTTP+JSON with its query.
func (r *callDescriber) addQuery(method string) string {
	if r.by.Kind() != schema.KindREST || strings.Contains(method, "?") {
		return method
	}
	u, err := url.Parse(r.doc.Exchange.URL)
	if err != nil || u.RawQuery == "" {
		return method
	}
	return method + "?" + shorten.Visible(shorten.Clip(u.RawQuery, 70), 70)
}

func formatNode(n *record.Node) string {
	text, err := json.Marshal(n.Interface())
	if err != nil {
		return "?"
	}
	return shorten.Visible(shorten.Clip(string(text), 50), 50)
}

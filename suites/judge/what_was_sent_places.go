package judge

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// setting is a parameter of a call of ours with its value, as JSON.
type setting struct{ at, value string }

// mostSettings bounds how many parameters a text lists.
const mostSettings = 3

// spelled is the name of a parameter as the binding writes it: params.historyLength in
// JSON-RPC, historyLength in a query or a body of HTTP+JSON, history_length in a message
// of gRPC.
func (c *Case) spelled(said *Said, at string) string {
	by := c.by(said.Play, said.Step)
	kind := by.Kind()
	if kind == schema.KindJSONRPC {
		return "params" + strings.ReplaceAll(at, "/", ".")
	}
	ours := by.Sent(said.Exchange)
	if ours.Params != nil && ours.Call != nil && ours.Params != ours.Call { // the names may be others in the bytes
		at = (&Said{Root: ours.Params, Written: ours.Call}).Place(at)
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

// spell says which parameters a call has, in the way of its binding.
func (c *Case) spell(said *Said, all []setting) string {
	if len(all) == 0 {
		return ""
	}
	inMessage := c.by(said.Play, said.Step).Kind() == schema.KindGRPC
	var parts []string
	for i, s := range all {
		at := c.spelled(said, s.at)
		switch {
		case i == mostSettings:
			parts = append(parts, strconv.Itoa(len(all)-i)+" more")
		case i > mostSettings:
		case inMessage:
			parts = append(parts, at+": "+s.value)
		case s.value == "{}":
			parts = append(parts, "empty "+at)
		default:
			parts = append(parts, at+" = "+s.value)
		}
	}
	if inMessage {
		return " {" + strings.Join(parts, ", ") + "}"
	}
	return " with " + strings.Join(parts, " and ")
}

// spellShort is spell for parameters that are as they should be: their names are enough.
func (c *Case) spellShort(said *Said, all []setting) string {
	if c.by(said.Play, said.Step).Kind() == schema.KindGRPC {
		return c.spell(said, all)
	}
	var parts []string
	for i, s := range all {
		switch {
		case i == mostSettings:
			parts = append(parts, strconv.Itoa(len(all)-i)+" more")
		case i < mostSettings:
			name := c.spelled(said, s.at)
			parts = append(parts, name[strings.LastIndexByte(name, '.')+1:]+" "+s.value)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, " and ")
}

// ownID are the ids that every call of ours has and that say nothing about it.
var ownID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// settings says what a call asks for beside its task and its message. What its query says
// is not said again.
func (c *Case) settings(said *Said, aboutTask bool) string {
	by, s := c.by(said.Play, said.Step), said.Step
	params := by.Sent(said.Exchange).Params
	if params == nil || params.Kind != record.Object || by.Kind() == schema.KindREST && said.Exchange.Call().Root == nil {
		return ""
	}
	webhook, hooks := c.Dialect.Pointer("request", "webhook."+s.Op)
	hooked := hooks && s.Op != "push-set" && params.At(webhook) != nil
	var out []setting
	add := func(at string, n *record.Node) {
		text := written(n)
		own := ownID.MatchString(text)
		switch {
		case hooks && (at == webhook || strings.HasPrefix(webhook, at+"/") && n.Kind != record.Object):
		case aboutTask && own, c.Dialect.Operation(s.Op).Agent && (own || text == "false"):
		default:
			out = append(out, setting{at, text})
		}
	}
	for _, m := range params.Members {
		at := record.Pointer(m.Name)
		switch {
		case m.Name == "message", m.Name == "metadata", hooks && s.Op == "push-set":
		case aboutTask && (m.Name == "id" || m.Name == "taskId"):
		case m.Value.Kind == record.Object && !(hooks && at == webhook):
			for _, inner := range m.Value.Members {
				add(at+record.Pointer(inner.Name), inner.Value)
			}
		default:
			add(at, m.Value)
		}
	}
	words := c.spellShort(said, out)
	if hooked && words == "" {
		return " with a webhook"
	}
	if hooked {
		return words + " and a webhook"
	}
	return words
}

// inTarget puts those parameters where they are that stand in the path or in the query of
// a call without a body, and returns the others.
func (c *Case) inTarget(said *Said, method string, all []setting) (target string, others []setting) {
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
	asked := c.withQuery(said, method)
	if asked != method {
		others = nil
	}
	return asked, others
}

// withQuery is the verb and the path of a call by HTTP+JSON with its query.
func (c *Case) withQuery(said *Said, method string) string {
	if c.by(said.Play, said.Step).Kind() != schema.KindREST || strings.Contains(method, "?") {
		return method
	}
	u, err := url.Parse(said.Exchange.URL)
	if err != nil || u.RawQuery == "" {
		return method
	}
	return method + "?" + shorten.Visible(shorten.Clip(u.RawQuery, 70), 70)
}

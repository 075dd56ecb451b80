package scenario

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// scheme is a way to show who calls, as a card defines it.
type scheme struct {
	kind   string // basic, bearer, apikey, oauth2, …
	header string // that carries an API key
}

// demanded are the alternatives that a card lists, each with the schemes that it
// wants together.
func demanded(d *schema.Dialect, card *wire.Node) (out [][]scheme) {
	if d.Card.Schemes == "" || card == nil {
		return nil
	}
	list := card.At(d.Card.Schemes)
	if list == nil {
		return nil
	}
	for _, e := range list.Elems {
		if e.Kind == wire.String {
			out = append(out, []scheme{{kind: strings.ToLower(e.String)}})
			continue
		}
		var together []scheme
		for _, m := range e.Members {
			together = append(together, defined(card.At(d.Card.Definitions), m.Name))
		}
		out = append(out, together)
	}
	return out
}

// defined reads the definition of a scheme in the manner of OpenAPI.
func defined(definitions *wire.Node, name string) scheme {
	says := func(member string) string {
		if definitions == nil || definitions.Member(name) == nil {
			return ""
		}
		if n := definitions.Member(name).Member(member); n != nil && n.Kind == wire.String {
			return n.String
		}
		return ""
	}
	switch kind := strings.ToLower(says("type")); {
	case kind == "http":
		return scheme{kind: strings.ToLower(says("scheme"))}
	case kind == "apikey" && strings.EqualFold(says("in"), "header"):
		return scheme{kind: kind, header: says("name")}
	default:
		return scheme{kind: kind}
	}
}

// Schemes are the kinds of authentication that a card asks for, in lower case.
func Schemes(d *schema.Dialect, card *wire.Node) (out []string) {
	for _, together := range demanded(d, card) {
		for _, s := range together {
			if !slices.Contains(out, s.kind) {
				out = append(out, s.kind)
			}
		}
	}
	return out
}

// WantsCredentials reports whether a card asks every caller for some.
func WantsCredentials(d *schema.Dialect, card *wire.Node) bool {
	if d.Card.Required != "" && card != nil {
		n := card.At(d.Card.Required)
		return n != nil && n.Kind == wire.Bool && n.Bool
	}
	all := demanded(d, card)
	return len(all) > 0 && !slices.ContainsFunc(all, func(together []scheme) bool { return len(together) == 0 })
}

// shows picks the header by which the configured credentials fit a scheme; ""
// if none does.
func (s scheme) shows(h http.Header) string {
	word, _, _ := strings.Cut(h.Get("Authorization"), " ")
	switch s.kind {
	case "apikey":
		if s.header != "" && h.Get(s.header) != "" {
			return s.header
		}
	case "oauth2", "openidconnect":
		if strings.EqualFold(word, "bearer") {
			return "Authorization"
		}
	default:
		if word != "" && strings.EqualFold(word, s.kind) {
			return "Authorization"
		}
	}
	return ""
}

// alternatives makes one call with a token and nothing else, and one with an
// API key and nothing else, where the card takes either by itself.
func (g *guarded) alternatives(task string) {
	if g.Dialect.Card.Definitions == "" { // cards do not say what an alternative is
		return
	}
	offered, alone := map[bool]bool{}, map[bool]string{} // an API key? → on the card; the header that shows it
	for _, together := range demanded(g.Dialect, g.Card) {
		if len(together) != 1 {
			continue
		}
		key := together[0].kind == "apikey"
		offered[key] = offered[key] || !key || together[0].header != ""
		if name := together[0].shows(g.Header); name != "" && alone[key] == "" {
			alone[key] = name
		}
	}
	try := func(name string, key bool, remedy, none string) {
		s := Step{Name: name, Role: wire.Probe, Op: "get", Task: task, Line: g.line}
		switch {
		case !offered[false] || !offered[true]:
			g.NotSent(s, "", "%s", none)
		case alone[key] == "":
			g.unarmed(s, remedy, "the card takes it by itself, and none is configured that fits")
		default:
			s.As, s.Header = wire.Nobody, http.Header{http.CanonicalHeaderKey(alone[key]): {g.Header.Get(alone[key])}}
			g.Call(s, dialect.Outgoing{Task: task})
		}
	}
	try("with-token", false, "--bearer-env NAME or --basic-env NAME", "the card names no token as an alternative to an API key")
	try("with-key", true, "--api-key-env NAME, with --api-key-header where the card names another header than X-API-Key", "the card names no API key in a header as an alternative to a token")
}

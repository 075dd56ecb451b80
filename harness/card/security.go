package card

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Alternative is an entry of the list by which a card describes who may call: what it
// names is wanted together, and enough by itself.
type Alternative struct {
	at          place // of the entry
	names       place // of the object whose members are named after the schemes
	definitions place
	defined     map[string]*record.Node // by the name that represents it
	kinds       map[string]string       // members that hold a definition, by which its kind is reported
	keyHeader   string                  // the usual header of an API key
}

// Alternatives returns the entries of that list.
func (c Card) Alternatives() (out []Alternative) {
	definitions, defined := c.placeAt(c.dialectOrEmpty().Card.Definitions), map[string]*record.Node{}
	if definitions.node != nil {
		for _, m := range definitions.node.Members {
			defined[m.Name] = m.Value
		}
	}
	at := c.dialectOrEmpty().Card
	for _, e := range c.placeAt(at.Schemes).listElements() {
		names := e
		if at.SchemeNames != "" {
			names = e.placeBelow(at.SchemeNames)
		}
		out = append(out, Alternative{e, names, definitions, defined, at.Kinds, at.KeyHeader})
	}
	if len(out) == 0 {
		for _, e := range c.placeAt(at.OldSchemes).listElements() {
			out = append(out, Alternative{e, e, definitions, defined, at.Kinds, at.KeyHeader})
		}
	}
	return out
}

// isAnonymous states that callers without credentials are welcome.
func (a Alternative) isAnonymous() bool {
	return a.at.hasKind(record.Object) && (len(a.at.node.Members) == 0 || a.names.hasKind(record.Object) && len(a.names.node.Members) == 0)
}

// Schemes returns those that the alternative wants together. An entry that is neither
// a name nor an object names none.
func (a Alternative) Schemes() (out []Scheme) {
	if a.at.hasKind(record.String) {
		return []Scheme{{name: a.at, keyHeader: a.keyHeader}}
	}
	for _, name := range a.names.memberNames() {
		out = append(out, Scheme{definition: a.definitions.descendTo(record.Pointer(name), a.defined[name]), kinds: a.kinds})
	}
	return out
}

// Demands reports whether callers have to show credentials. If a protocol has a
// boolean for it, that decides, else the alternatives: one that wants nothing lets
// everybody in, and without any nothing is demanded. An entry that is neither a
// name nor an object is no alternative of any protocol. It may stand for a scheme or
// for the lack of one, so that nothing follows from it: the card does not say.
func (c Card) Demands() Answer {
	if required := c.dialectOrEmpty().Card.Required; required != "" {
		return c.readBoolClaim(required)
	}
	all := c.Alternatives()
	unreadable := func(a Alternative) bool { return !a.at.hasKind(record.String) && !a.names.hasKind(record.Object) }
	switch {
	case len(all) == 0 || slices.ContainsFunc(all, Alternative.isAnonymous):
		return No
	case slices.ContainsFunc(all, unreadable):
		return Unclear
	}
	return Yes
}

// DeclaresSecurity reports whether a card declares that clients show credentials: by what it
// demands or, if a protocol has no word for that alone, by a scheme that it defines.
func (c Card) DeclaresSecurity() Answer {
	if demands := c.Demands(); demands != No || c.dialectOrEmpty().Card.Required != "" {
		return demands
	}
	return known(len(c.Defined()) > 0 || len(c.Schemes()) > 0)
}

// Schemes returns the words for all schemes that the alternatives name, each once.
func (c Card) Schemes() (out []string) {
	for _, a := range c.Alternatives() {
		for _, s := range a.Schemes() {
			out = append(out, s.Word())
		}
	}
	return uniqueTexts(out)
}

// Kinds returns the kinds of those schemes, each once.
func (c Card) Kinds() (out []string) {
	for _, word := range c.Schemes() {
		out = append(out, strings.ToLower(word))
	}
	return uniqueTexts(out)
}

func hasSchemeKind(kind string) func(Card) Answer {
	return func(c Card) Answer { return known(slices.Contains(c.Kinds(), kind)) }
}

// Defined returns the names under which a card defines schemes, in alphabetical order.
func (c Card) Defined() []string { return c.placeAt(c.dialectOrEmpty().Card.Definitions).memberNames() }

// DefinedSchemes returns the schemes that a card defines, in alphabetical order of their names. If the dialect has no
// definitions, they are those that the alternatives name.
func (c Card) DefinedSchemes() (out []Scheme) {
	if c.dialectOrEmpty().Card.Definitions == "" {
		for _, a := range c.Alternatives() {
			out = append(out, a.Schemes()...)
		}
		return out
	}
	definitions := c.placeAt(c.dialectOrEmpty().Card.Definitions)
	for _, name := range definitions.memberNames() {
		out = append(out, Scheme{definition: definitions.placeBelow(record.Pointer(name)), kinds: c.dialectOrEmpty().Card.Kinds})
	}
	return out
}

// Scheme is a way to show who calls: one whose own name is on the card, or one
// that is defined there in the manner of OpenAPI.
type Scheme struct {
	name, definition place
	keyHeader        string            // of a key that is not defined
	kinds            map[string]string // members, one of which holds the definition
}

// findDefinition returns what defines the scheme, and the word for its kind, if a member is named
// after the kind.
func (s Scheme) findDefinition() (definition place, kind string) {
	for _, member := range slices.Sorted(maps.Keys(s.kinds)) {
		if held := s.definition.placeBelow(record.Pointer(member)); held.hasNode() {
			return held, s.kinds[member]
		}
	}
	return s.definition, s.definition.placeBelow("/type").readText()
}

// Word returns the scheme's own name, as the card writes it; "" if it has none.
func (s Scheme) Word() string {
	if s.name.node != nil {
		return s.name.readText()
	}
	definition, kind := s.findDefinition()
	if !strings.EqualFold(kind, "http") {
		return kind
	}
	return definition.placeBelow("/scheme").readText()
}

// Kind is that word in lower case: basic, bearer, apikey, oauth2, …
func (s Scheme) Kind() string { return strings.ToLower(s.Word()) }

// The places in which a request has a credential.
const (
	InHeader = "header"
	InQuery  = "query"
	InCookie = "cookie"
)

// Place returns the place of the credential of a scheme in a request, which is a header, the query or a
// cookie, and its name there. Both are "" if it is not in the request, or the card does not name the place.
func (s Scheme) Place() (in, name string) {
	if s.name.node != nil {
		switch kind := s.Kind(); {
		case kind == "bearer" || kind == "basic":
			return InHeader, "Authorization"
		case kind == "apikey" && s.keyHeader != "":
			return InHeader, s.keyHeader
		}
		return "", ""
	}
	definition, kind := s.findDefinition()
	switch strings.ToLower(kind) {
	case "http", "oauth2", "openidconnect":
		return InHeader, "Authorization"
	case "apikey":
		at := "/in"
		if len(s.kinds) > 0 && definition.pointer != s.definition.pointer {
			at = "/location"
		}
		in, name = strings.ToLower(definition.placeBelow(at).readText()), definition.placeBelow("/name").readText()
		if name != "" && (in == InHeader || in == InQuery || in == InCookie) {
			return in, name
		}
	}
	return "", ""
}

// Header returns the header that carries an API key; "" if it travels otherwise, or
// the card does not say how.
func (s Scheme) Header() string {
	if in, name := s.Place(); in == InHeader && s.Kind() == "apikey" && s.name.node == nil {
		return name
	}
	return ""
}

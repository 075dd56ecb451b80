package card

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Answer is what can be reported of a claim.
type Answer int

// The answers. Unclear is what a card states that lacks what should hold the claim,
// or has something else there: neither yes nor no.
const (
	No Answer = iota
	Yes
	Unclear
)

func known(is bool) Answer {
	if is {
		return Yes
	}
	return No
}

// claim is one of the closed words that may be asked of a card.
type claim struct {
	on   func(Card) Answer
	what string // what the card would claim
}

var claims = map[string]claim{
	"streaming":     {boolClaim("streaming"), "streaming"},
	"push":          {boolClaim("push"), "push notifications"},
	"history":       {boolClaim("history"), "a state transition history"},
	"accumulation":  {boolClaim("accumulation"), "that context accumulates"},
	"extended-card": {boolClaim("extended-card"), "an extended card"},

	"auth":    {Card.Demands, "that credentials are demanded"},
	"bearer":  {hasSchemeKind("bearer"), "the scheme bearer"},
	"apikey":  {hasSchemeKind("apikey"), "the scheme apikey"},
	"basic":   {hasSchemeKind("basic"), "the scheme basic"},
	"schemes": {func(c Card) Answer { return known(len(c.Defined()) > 0) }, "a security scheme"},

	"https":      {func(c Card) Answer { return known(strings.HasPrefix(c.Preferred().URL(), "https:")) }, "an https endpoint"},
	"interfaces": {func(c Card) Answer { return known(c.answersElsewhere()) }, "a second endpoint of the transport"},
	"rate-limit": {func(c Card) Answer { _, ok := c.Rate(); return known(ok) }, "a rate limit"},

	"input-modes":    {func(c Card) Answer { return known(c.placeAt(c.dialectOrEmpty().Card.Modes).hasNode()) }, "input modes"},
	"json-input":     {func(c Card) Answer { return known(c.Takes("application/json")) }, "application/json among its input modes"},
	"file-input":     {func(c Card) Answer { return known(c.FileMode() != "") }, "a concrete MIME type of files among its input modes"},
	"data-input":     {anyInputMode(func(m string) bool { return m == "data" }), "data among its input modes"},
	"text-input":     {anyInputMode(isTextMode), "text among its input modes"},
	"several-inputs": {func(c Card) Answer { return known(c.Takes("application/json") || c.FileMode() != "") }, "a type of input beside text"},
	"wildcard-input": {anyInputMode(isWildcard), "a wildcard among its input modes"},

	"skills":             {func(c Card) Answer { return known(len(c.listSkills()) > 0) }, "a skill"},
	"extensions":         {func(c Card) Answer { return known(len(c.Extensions()) > 0) }, "an extension"},
	"required-extension": {func(c Card) Answer { return known(slices.ContainsFunc(c.Extensions(), Extension.Required)) }, "an extension that every client must ask for"},
	"versioned-extension": {func(c Card) Answer {
		return known(slices.ContainsFunc(c.Extensions(), func(e Extension) bool { return e.Required() && e.Versioned() }))
	}, "a required extension with a version in its URI"},
	"payment": {func(c Card) Answer { return known(c.demandsPayment()) }, "a required extension for payments"},

	"tenant":         {func(c Card) Answer { return known(c.Tenant(c.rpc) != "") }, "a tenant of the endpoint that calls go to"},
	"tenants":        {func(c Card) Answer { return known(len(c.Tenants()) > 1) }, "endpoints for several tenants"},
	"older-version":  {func(c Card) Answer { return known(len(c.Older()) > 0) }, "an endpoint where an older version is spoken"},
	"older-endpoint": {func(c Card) Answer { return known(c.OlderVersionOnlyURL() != "") }, "an endpoint where an older version is spoken alone"},
}

// Words lists the closed words.
func Words() []string { return slices.Sorted(maps.Keys(claims)) }

// DescribeClaim describes what a card claims by a word; ok is false if it is none of the closed
// words.
func DescribeClaim(word string) (what string, ok bool) {
	c, ok := claims[word]
	return c.what, ok
}

// NotDeclared states that a card lacks one of some declarations, or has one that it must not
// have.
func NotDeclared(words ...string) string {
	if len(words) == 1 && strings.HasPrefix(words[0], "no-") {
		return "the card declares " + Named(words...)
	}
	return "the card does not declare " + Named(words...)
}

// Named are declarations in words.
func Named(words ...string) string {
	var out []string
	for _, w := range words {
		what, ok := DescribeClaim(strings.TrimPrefix(w, "no-"))
		if !ok {
			what = w
		}
		out = append(out, what)
	}
	return strings.Join(out, " and ")
}

// Claims reports whether a card claims what one of the closed words represents. A
// card that could not be read claims nothing.
func (c Card) Claims(word string) Answer {
	of, ok := claims[word]
	if !ok || !c.Exists() {
		return No
	}
	return of.on(c)
}

func boolClaim(word string) func(Card) Answer {
	return func(c Card) Answer { return c.readBoolClaim(c.dialectOrEmpty().Card.Claims[word]) }
}

// readBoolClaim reads a claim that is a boolean. One that is left out is not made, as
// long as there is what should hold it, or may be left out too.
func (c Card) readBoolClaim(pointer string) Answer {
	if !c.Exists() || pointer == "" {
		return No
	}
	v := c.placeAt(pointer)
	holder := c.placeAt(pointer[:strings.LastIndexByte(pointer, '/')])
	switch {
	case v.isTrue():
		return Yes
	case v.node != nil && v.node.Kind != record.Bool && v.node.Kind != record.Null:
		return Unclear
	case holder.pointer == "" || holder.hasKind(record.Object):
		return No
	case holder.hasNode(), c.d.CardHas(holder.pointer):
		return Unclear
	}
	return No
}

package card

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Answer is what can be told of a claim.
type Answer int

// The answers. Unclear is what a card says that lacks what should hold the claim,
// or has something else there: neither yes nor no.
const (
	No Answer = iota
	Yes
	Unclear
)

func sure(is bool) Answer {
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
	"streaming":     {flag("streaming"), "streaming"},
	"push":          {flag("push"), "push notifications"},
	"history":       {flag("history"), "a state transition history"},
	"accumulation":  {flag("accumulation"), "that context accumulates"},
	"extended-card": {flag("extended-card"), "an extended card"},

	"auth":    {Card.Demands, "that credentials are demanded"},
	"bearer":  {offers("bearer"), "the scheme bearer"},
	"apikey":  {offers("apikey"), "the scheme apikey"},
	"basic":   {offers("basic"), "the scheme basic"},
	"schemes": {func(c Card) Answer { return sure(len(c.Defined()) > 0) }, "a security scheme"},

	"https":      {func(c Card) Answer { return sure(strings.HasPrefix(c.Preferred().URL(), "https:")) }, "an https endpoint"},
	"interfaces": {func(c Card) Answer { return sure(c.answersElsewhere()) }, "a second endpoint of the transport"},
	"rate-limit": {func(c Card) Answer { _, ok := c.Rate(); return sure(ok) }, "a rate limit"},

	"input-modes":    {func(c Card) Answer { return sure(c.at(c.dialect().Card.Modes).exists()) }, "input modes"},
	"json-input":     {func(c Card) Answer { return sure(c.Takes("application/json")) }, "application/json among its input modes"},
	"file-input":     {func(c Card) Answer { return sure(c.FileMode() != "") }, "a concrete MIME type of files among its input modes"},
	"data-input":     {mode(func(m string) bool { return m == "data" }), "data among its input modes"},
	"text-input":     {mode(ofText), "text among its input modes"},
	"several-inputs": {func(c Card) Answer { return sure(c.Takes("application/json") || c.FileMode() != "") }, "a type of input beside text"},
	"wildcard-input": {mode(wild), "a wildcard among its input modes"},

	"skills":             {func(c Card) Answer { return sure(len(c.skills()) > 0) }, "a skill"},
	"extensions":         {func(c Card) Answer { return sure(len(c.Extensions()) > 0) }, "an extension"},
	"required-extension": {func(c Card) Answer { return sure(slices.ContainsFunc(c.Extensions(), Extension.Required)) }, "an extension that every client must ask for"},
	"versioned-extension": {func(c Card) Answer {
		return sure(slices.ContainsFunc(c.Extensions(), func(e Extension) bool { return e.Required() && e.Versioned() }))
	}, "a required extension with a version in its URI"},
	"payment": {func(c Card) Answer { return sure(c.demandsPayment()) }, "a required extension for payments"},

	"tenant":         {func(c Card) Answer { return sure(c.Tenant(c.rpc) != "") }, "a tenant of the endpoint that calls go to"},
	"tenants":        {func(c Card) Answer { return sure(len(c.Tenants()) > 1) }, "endpoints for several tenants"},
	"older-version":  {func(c Card) Answer { return sure(len(c.Older()) > 0) }, "an endpoint where an older version is spoken"},
	"older-endpoint": {func(c Card) Answer { return sure(c.OlderAlone() != "") }, "an endpoint where an older version is spoken alone"},
}

// Words lists the closed words.
func Words() []string { return slices.Sorted(maps.Keys(claims)) }

// What says what a card claims by a word; ok is false if it is none of the closed
// words.
func What(word string) (what string, ok bool) {
	c, ok := claims[word]
	return c.what, ok
}

// NotDeclared says that a card lacks one of some declarations, or has one that it must not
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
		what, ok := What(strings.TrimPrefix(w, "no-"))
		if !ok {
			what = w
		}
		out = append(out, what)
	}
	return strings.Join(out, " and ")
}

// Claims tells whether a card claims what one of the closed words stands for. A
// card that could not be read claims nothing.
func (c Card) Claims(word string) Answer {
	of, ok := claims[word]
	if !ok || !c.Exists() {
		return No
	}
	return of.on(c)
}

func flag(word string) func(Card) Answer {
	return func(c Card) Answer { return c.stated(c.dialect().Card.Claims[word]) }
}

// stated reads a claim that is a boolean. One that is left out is not made, as
// long as there is what should hold it, or may be left out too.
func (c Card) stated(pointer string) Answer {
	if !c.Exists() || pointer == "" {
		return No
	}
	v := c.at(pointer)
	holder := c.at(pointer[:strings.LastIndexByte(pointer, '/')])
	switch {
	case v.yes():
		return Yes
	case v.node != nil && v.node.Kind != record.Bool && v.node.Kind != record.Null:
		return Unclear
	case holder.pointer == "" || holder.is(record.Object):
		return No
	case holder.exists(), c.d.CardHas(holder.pointer):
		return Unclear
	}
	return No
}

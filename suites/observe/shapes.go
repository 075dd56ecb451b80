package observe

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// OwnRules are shape rules that a check judges in its own way, so that a
// breach of them is no news to the synthetic requirement.
type OwnRules struct {
	Owns []ShapeRule `json:"owns"`
}

// WithKeyword returns those of the rules that have a keyword.
func (p OwnRules) WithKeyword(keyword string) OwnRules {
	return OwnRules{slices.DeleteFunc(slices.Clone(p.Owns), func(r ShapeRule) bool { return !slices.Contains(r.Rules, keyword) })}
}

func describeState(state judge.Value) string {
	if !state.IsString() {
		return ""
	}
	return " (state " + state.Shown() + ")"
}

// FindSourceRequiringRefusal returns the sentence that asks for the refusal of a malformed call: of its
// envelope JSON-RPC's own, of its params the source's, if it has one.
func FindSourceRequiringRefusal(t *judge.T, s judge.Step) string {
	ours := s.Sent()
	id, params := ours.ID, ours.Params
	sound := !ours.Framed || ours.Sound && (id == nil || id.Kind == record.String || id.Kind == record.Number || id.Kind == record.Null)
	if !sound || params != nil && params.Kind != record.Object {
		return "JSON-RPC 2.0, section 4"
	}
	if ours.Op == "" {
		return "JSON-RPC 2.0, section 5.1"
	}
	return t.Case.Dialect.Validation
}

// The rules are closed words; what has another JSON type is for the shape.
var formRules = map[string]match.Matcher{
	"base64":       match.Should("base64 text", func(v judge.Value) bool { return isBase64(v.Text()) }, nil),
	"uri":          match.Should("a URI", func(v judge.Value) bool { return isURI(v.Text()) }, nil),
	"absolute-uri": match.Should("an absolute URL", func(v judge.Value) bool { u, err := url.Parse(v.Text()); return err == nil && u.Scheme != "" }, nil),
	"mime-type":    match.Should("a MIME type of the form type/subtype", func(v judge.Value) bool { return MimeSyntax.MatchString(v.Text()) }, nil),
	"non-empty":    match.Should("a non-empty string", func(v judge.Value) bool { return v.Text() != "" }, nil),
	"https": match.Should("a URL that begins with https", func(v judge.Value) bool {
		u, err := url.Parse(v.Text())
		return err == nil && strings.EqualFold(u.Scheme, "https") && u.Host != ""
	}, nil),
	"base64url": match.Should("text in base64url", func(v judge.Value) bool {
		_, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(v.Text(), "="))
		return err == nil && v.Text() != ""
	}, nil),
	"base64url-object": match.Should("a JSON object in base64url, with a member alg", func(v judge.Value) bool {
		return DecodeBase64URLObject(v.Text()).Member("alg") != nil
	}, nil),
}

// DecodeBase64URLObject returns the JSON object that a text in base64url encodes; nil if it encodes none.
func DecodeBase64URLObject(text string) *record.Node {
	plain, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	root, faults := record.ObserveJSON(plain)
	if err != nil || len(faults) > 0 || root == nil || root.Kind != record.Object {
		return nil
	}
	return root
}

// MimeSyntax is the form of a media type.
var MimeSyntax = regexp.MustCompile(`^[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+\s*(;.*)?$`)

// FormRule returns the matcher of a rule of form by its name.
func FormRule(name string) match.Matcher {
	rule, ok := formRules[name]
	if !ok {
		panic("there is no rule of form " + name)
	}
	return rule
}

func isBase64(s string) bool {
	s = strings.TrimRight(strings.Map(func(r rune) rune {
		if r == '\r' || r == '\n' {
			return -1
		}
		return r
	}, s), "=")
	_, err := base64.RawStdEncoding.DecodeString(s)
	return err == nil
}

// IsOtherBase64 reports whether a text that should be base64 is so with the other two letters
// of base64url, and the dialect's JSON has readers take that too.
func IsOtherBase64(t *judge.T, form string, v judge.Value) bool {
	return form == "base64" && t.Case.Dialect.ProtoJSON != "" && v.IsString() && !isBase64(v.Text()) &&
		isBase64(strings.NewReplacer("-", "+", "_", "/").Replace(v.Text()))
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.String() != "" && !strings.ContainsAny(s, " \\<>\"{}|^`")
}

// ShapeRule names rules of the dialect's JSON Schema: of a type, at a pointer
// inside it with "*" for array positions, the keywords.
type ShapeRule struct {
	Type  string   `json:"type"`
	At    string   `json:"at"`
	Rules []string `json:"rules"`
}

// Claims reports whether a violation is of this rule.
func (r ShapeRule) Claims(v shape.Violation) bool {
	return v.Definition == r.Type && v.At == r.At && slices.Contains(r.Rules, v.Keyword)
}

// ShapeParams are the rules that a requirement claims: one, or several.
type ShapeParams struct {
	ShapeRule
	OnPlays             // those without which what the rules are about may never be said
	Also    []ShapeRule `json:"also"`
	Form    string      `json:"form"` // a rule of form that strings at the place obey besides
}

// All lists every rule.
func (p ShapeParams) All() []ShapeRule {
	if p.Type == "" {
		return p.Also
	}
	return append([]ShapeRule{p.ShapeRule}, p.Also...)
}

// MarkUnbrokenConforming books the exchanges in which none of the rules is broken.
func (p ShapeParams) MarkUnbrokenConforming(t *judge.T, broken []judge.Violation) {
	in := map[*record.Exchange]bool{}
	for _, v := range broken {
		in[v.Document.Exchange] = true
	}
	for _, r := range p.All() {
		for _, v := range t.Instances(r.Type) {
			if !in[v.Exchange()] {
				t.MarkExchangeConforming(v)
			}
		}
	}
}

// FailOnViolation fails the requirement on a violation.
func FailOnViolation(t *judge.T, v judge.Violation) {
	value := v.Value(t)
	if v.Keyword == "required" {
		got := value.Lacking()
		if there := v.SiblingNames(); len(there) > 0 {
			got += "; it has " + shorten.Clip(strings.Join(there, ", "), 60)
		}
		t.Fail(value, got, "`"+value.Member()+"`, which is required")
	}
	is, wants := splitViolationMessage(v.Keyword, v.Message)
	t.Fail(value, value.Spot()+" "+is, wants)
}

// splitViolationMessage takes apart what the schema says of a breach: how it is, and how it
// should be.
func splitViolationMessage(keyword, message string) (is, wants string) {
	if is, form, ok := strings.Cut(message, ", which is not of the form "); ok {
		if strings.Contains(form, "]+/[") {
			return is, "a media type of the form type/subtype"
		}
		return is, "the form " + shorten.Clip(form, 80)
	}
	if is, kind, ok := strings.Cut(message, ", which is not a "); ok {
		return is, "the format " + kind
	}
	if is, values, ok := strings.Cut(message, ", not one of "); ok {
		return is, "one of " + values
	}
	is, due, ok := strings.Cut(message, "; ")
	if !ok {
		return message, "it to be as the definition has it"
	}
	unit := ""
	switch {
	case strings.HasSuffix(keyword, "Length"):
		unit = " characters"
	case strings.HasSuffix(keyword, "Items"):
		unit = " items"
	case strings.HasSuffix(keyword, "Properties"):
		unit = " members"
	}
	due = strings.TrimPrefix(due, "expected ")
	if due == "at least 1" && unit != "" {
		return strings.Replace(is, "is 0 characters long", "is empty", 1), "it not to be empty"
	}
	if strings.HasPrefix(due, "at ") {
		due += unit
	}
	return is, due
}

// DefinitionParams name a definition of a schema that the operator gives.
type DefinitionParams struct {
	Definition string `json:"definition"`
}

// FailIfBroken fails the requirement on every breach of the rules that its check
// owns, wherever the server committed it, and reports whether there is one.
func (p OwnRules) FailIfBroken(t *judge.T) bool {
	return FailOnViolations(t, judge.Filter(t.Violations(), func(v judge.Violation) bool { return Claim(p.Owns, v) }))
}

// FailOnViolations fails the requirement on each of the violations, and reports whether there is
// one. That there is none is no sign of anything yet.
func FailOnViolations(t *judge.T, of []judge.Violation) bool {
	if len(of) > 0 {
		judge.Each(t, of, func(v judge.Violation) { FailOnViolation(t, v) })
	}
	return len(of) > 0
}

// Claim reports whether a violation is of one of the rules.
func Claim(rules []ShapeRule, v judge.Violation) bool {
	return slices.ContainsFunc(rules, func(r ShapeRule) bool { return r.Claims(v.Violation) })
}

// ExpectValidBelow fails the requirement on each of the values in which a rule of the shapes is
// broken, other than those that are excepted.
func ExpectValidBelow(t *judge.T, values []judge.Value, except []ShapeRule) {
	faults := map[*judge.Document][]judge.Violation{}
	for _, v := range t.Violations() {
		if !Claim(except, v) {
			faults[v.Document] = append(faults[v.Document], v)
		}
	}
	judge.Each(t, values, func(value judge.Value) {
		value.Node() // whatever is below it was looked at
		for _, f := range faults[value.Document()] {
			if strings.HasPrefix(f.At, value.Pointer()+"/") {
				FailOnViolation(t, f)
			}
		}
		t.OK(value)
	})
}

// RulesOf lists the shape rules that a requirement claims: those it judges as
// shape, and those that a check of its own judges better.
func RulesOf(r *schema.Requirement) []ShapeRule {
	if r.Check == "shape" {
		if p, err := judge.Params[ShapeParams](r.With); err == nil {
			return p.All()
		}
	}
	if p, err := judge.Params[OwnRules](map[string]any{"owns": r.With["owns"]}); err == nil {
		return p.Owns
	}
	return nil
}

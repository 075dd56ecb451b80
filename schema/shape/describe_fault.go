package shape

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

const (
	maxShownRunes  = 40 // of a string from the instance
	maxShownValues = 12 // of an enumeration
)

// readLeaf reads a report without causes.
func (r *reportReader) readLeaf(node *jsonschema.ValidationError) []Violation {
	here := r.shapes.locateKeyword(r.definition, r.root, node.KeywordLocation)
	tokens := pointerTokens(node.InstanceLocation)
	value := valueAt(r.instance, tokens)
	s := here.schema

	switch here.keyword {
	case "required":
		// All missing members share one report and are named in its text only.
		return r.listMissingMembers(here, tokens, value, s.Required, "is missing")
	case "dependentRequired", "dependencies":
		path := pointerTokens(node.KeywordLocation)
		if i := slices.Index(path, here.keyword); i >= 0 && i+1 < len(path) {
			names := s.DependentRequired[path[i+1]]
			if list, ok := s.Dependencies[path[i+1]].([]string); ok {
				names = list
			}
			return r.listMissingMembers(here, tokens, value, names, "is missing beside "+path[i+1])
		}
	case "minContains":
		// The library's name for a contains that nothing fits.
		return []Violation{r.newViolation(here.places, "contains", "", tokens, "has no item of the form that is expected")}
	case "false":
		return []Violation{r.newViolation(here.places, here.keyword, "", tokens, "is not allowed")}
	}
	return []Violation{r.newViolation(here.places, here.keyword, "", tokens, describeFault(here.keyword, s, value))}
}

func (r *reportReader) listMissingMembers(here keywordSite, tokens []string, value any, names []string, message string) []Violation {
	var out []Violation
	object, _ := value.(map[string]any)
	for _, name := range names {
		if _, ok := object[name]; !ok {
			out = append(out, r.newViolation(here.places, here.keyword, name, tokens, message))
		}
	}
	return out
}

// newViolation attributes a fault at a place, or at a member of it.
func (r *reportReader) newViolation(places []place, keyword, member string, tokens []string, message string) Violation {
	places = slices.Clone(places)
	if member != "" {
		places[len(places)-1].at += "/" + escapeToken(member)
		tokens = append(slices.Clone(tokens), member)
	}
	p := r.shapes.attributedPlace(places, keyword)
	return Violation{Definition: p.definition, At: p.at, Keyword: keyword, Instance: joinTokens(tokens), Message: message}
}

// describeFault describes what is wrong with a value, to be read after the name of its place.
func describeFault(keyword string, s *jsonschema.Schema, value any) string {
	switch keyword {
	case "type":
		return isOfType(value, s.Types)
	case "enum":
		return isNoneOf(value, s.Enum)
	case "const":
		return isNoneOf(value, s.Constant)
	case "minLength", "maxLength":
		return fmt.Sprintf("is %s long; expected %s %d", formatCount(sizeOf(value), "character"), expectedWords[keyword], lengthLimits(s)[keyword])
	case "minItems", "maxItems":
		return fmt.Sprintf("has %s; expected %s %d", formatCount(sizeOf(value), "item"), expectedWords[keyword], lengthLimits(s)[keyword])
	case "minProperties", "maxProperties":
		return fmt.Sprintf("has %s; expected %s %d", formatCount(sizeOf(value), "member"), expectedWords[keyword], lengthLimits(s)[keyword])
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return fmt.Sprintf("is %s; expected %s %s", showScalarOrNameKind(value), expectedWords[keyword], ratText(numberLimits(s)[keyword]))
	case "pattern":
		return fmt.Sprintf("is %s, which is not of the form %s", showScalarOrNameKind(value), s.Pattern)
	case "format":
		return fmt.Sprintf("is %s, which is not a %s", showScalarOrNameKind(value), s.Format)
	case "uniqueItems":
		return "has the same item twice"
	case "additionalProperties":
		return "has a member that is not allowed"
	case "additionalItems":
		return "has an item that is not allowed"
	case "unevaluatedProperties", "unevaluatedItems":
		return "is not allowed"
	case "propertyNames":
		return "has a member whose name is not allowed"
	case "not":
		if s.Not != nil && s.Not.Description != "" {
			return s.Not.Description
		}
		return "is what the schema forbids"
	case "oneOf":
		return "fits several forms; expected exactly one"
	}
	return "breaks the rule " + keyword
}

// expectedWords come before the bound that a keyword sets.
var expectedWords = map[string]string{
	"minLength": "at least", "minItems": "at least", "minProperties": "at least", "minimum": "at least", "exclusiveMinimum": "more than",
	"maxLength": "at most", "maxItems": "at most", "maxProperties": "at most", "maximum": "at most", "exclusiveMaximum": "less than",
	"multipleOf": "a multiple of",
}

func isOfType(value any, kinds []string) string {
	wanted := make([]string, len(kinds))
	for i, kind := range kinds {
		wanted[i] = withArticle(kind)
	}
	return fmt.Sprintf("is %s; expected %s", withArticle(kindOf(value)), strings.Join(wanted, " or "))
}

func isNoneOf(value any, values []any) string {
	text := showScalarOrNameKind(value)
	if len(values) == 1 {
		return fmt.Sprintf("is %s; expected %s", text, showScalarOrNameKind(values[0]))
	}
	shown := make([]string, 0, maxShownValues)
	common := commonStart(values)
	for i, v := range values[:min(len(values), maxShownValues)] {
		if s, is := v.(string); is && i > 0 && len(common) >= minCommonStart {
			v = "…" + strings.TrimPrefix(s, common)
		}
		shown = append(shown, showScalarOrNameKind(v))
	}
	if len(values) > maxShownValues {
		shown = append(shown, fmt.Sprintf("… (%d in all)", len(values)))
	}
	return fmt.Sprintf("is %s, not one of %s", text, strings.Join(shown, ", "))
}

// minCommonStart is from how many bytes on the start that many words have in common
// is shown on the first of them only.
const minCommonStart = 8

// commonStart returns what more than three values, all of them strings, begin with.
func commonStart(values []any) string {
	if len(values) < 4 {
		return ""
	}
	start, is := values[0].(string)
	for _, v := range values {
		s, also := v.(string)
		is = is && also
		for !strings.HasPrefix(s, start) {
			start = start[:len(start)-1]
		}
	}
	if !is {
		return ""
	}
	return start
}

// showScalarOrNameKind renders a value in a bounded number of characters.
func showScalarOrNameKind(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return strconv.Quote(shorten.End(v, maxShownRunes))
	case json.Number:
		return shorten.End(string(v), maxShownRunes)
	case []any, map[string]any:
		return withArticle(kindOf(v))
	}
	return shorten.End(fmt.Sprint(v), maxShownRunes)
}

func withArticle(kind string) string {
	switch kind {
	case "null":
		return kind
	case "integer", "object", "array":
		return "an " + kind
	}
	return "a " + kind
}

func formatCount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func sizeOf(value any) int {
	switch v := value.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

func ratText(r *big.Rat) string {
	if r == nil {
		return "?"
	}
	return strings.TrimRight(strings.TrimRight(r.FloatString(6), "0"), ".")
}

// kindOf names the JSON type of a value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

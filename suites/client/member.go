package client

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// memberParams name a member of requests, and what it has to be.
type memberParams struct {
	Ops      []string `json:"ops"`      // the operations; none for all calls
	In       string   `json:"in"`       // call: the member is one of the envelope; body: of the whole body; else of the parameters
	At       string   `json:"at"`       // its pointer, with * for each element of a list
	Also     []string `json:"also"`     // further pointers of which the same is due
	Optional bool     `json:"optional"` // it may be left out
	Null     bool     `json:"null"`     // null counts as left out
	None     bool     `json:"none"`     // none of oneOf will do as well
	Absent   bool     `json:"absent"`   // it has to be left out, or be empty
	Same     string   `json:"same"`     // the pointer of a text in the parameters, which is a finding if it is there as well
	Filled   bool     `json:"filled"`   // it is not empty
	Is       []string `json:"is"`       // the texts of which it is one
	Kinds    []string `json:"kinds"`    // the kinds of JSON of which it is one: text, number, object, list, null
	Of       string   `json:"of"`       // the kind of each element, if it is a list
	Empty    bool     `json:"empty"`    // an empty list is a finding
	OneOf    []string `json:"oneOf"`    // it is an object with exactly one of these members
	NamedBy  string   `json:"namedBy"`  // the member that names which of them it is; one form of HTTP+JSON lacks it
	Form     string   `json:"form"`     // the form of a text: base64, url, http-url, media-type, timestamp, date-time
	// Forms are the forms of texts in members of it, if they are there.
	Forms     map[string]string `json:"forms"`
	Tolerates []string          `json:"tolerates"` // texts that are a finding
	// Lacking are operations whose calls may lack it, which is a finding: of the envelope, or of parameters that are empty.
	Lacking []string `json:"lacking"`
	// Named are members of it that have one of Words; another word is a finding.
	Named []string `json:"named"`
	Words []string `json:"words"`
	Whole bool     `json:"whole"` // if it is a number, it is an integer
	Min   *int     `json:"min"`
	Max   *int     `json:"max"`
}

// checkMember judges one member of each request that has a place for it.
func checkMember(t *judge.T, p memberParams) {
	type place struct {
		judge.Value
		due     memberParams
		same    string // a text that is a finding
		lacking bool   // that it is missing is a finding
	}
	var all []place
	for _, r := range t.Calls(p.Ops...) {
		root := r.Params
		switch p.In {
		case "call":
			root = r.Call
		case "body":
			root = r.Body
		}
		lacking := slices.Contains(p.Lacking, r.Op) && (p.In == "call" || !root.Exists() || root.IsObject() && len(root.Members()) == 0)
		same := ""
		if p.Same != "" {
			same = r.Params.At(p.Same).Text()
		}
		for _, at := range append([]string{p.At}, p.Also...) {
			one := p
			if one.At = at; r.By.Kind() != schema.KindJSONRPC {
				one.NamedBy = ""
			}
			for _, v := range findPlaces(root, one) {
				all = append(all, place{v, one, same, lacking})
			}
		}
	}
	if len(all) == 0 {
		t.StopVacuous("no request of the client has `%s`", strings.TrimPrefix(p.At, "/"))
	}
	judge.Each(t, all, func(at place) {
		v := at.Value
		switch got, wants := at.due.findFault(v); {
		case got != "" && at.lacking && !v.Exists():
			t.Tolerate(v, "the client %s; expected %s", got, wants)
		case got != "" && v.IsString() && slices.Contains(p.Tolerates, v.Text()):
			t.Finding(v, "%s; expected %s", got, wants)
		case got != "" && v.IsString() && at.same != "" && v.Text() == at.same:
			t.Finding(v, "%s, the task of the message; expected %s", got, wants)
		case got != "":
			t.Fail(v, got, wants)
		case p.Empty && v.IsArray() && len(v.Elems()) == 0:
			t.Finding(v, "sent %s", describeValue(v))
		}
		for _, name := range p.Named {
			if word := v.MemberAt("/" + name); word.Exists() && !slices.Contains(p.Words, word.Text()) {
				t.Finding(word, "sent %s; expected one of %s", describeValue(word), strings.Join(p.Words, ", "))
			}
		}
		t.OK(v)
	})
}

// findPlaces returns the places of a member below a value: those in which it is, and unless it is
// optional those in which it is missing.
func findPlaces(root judge.Value, p memberParams) (out []judge.Value) {
	cut := strings.LastIndexByte(p.At, '/')
	if cut < 0 {
		return []judge.Value{root}
	}
	holders := root.Expand(p.At[:cut])
	if cut == 0 {
		holders = []judge.Value{root}
	}
	for _, h := range holders {
		if p.At[cut:] == "/*" {
			out = append(out, h.Elems()...)
			continue
		}
		if v := h.MemberAt(p.At[cut:]); (v.Exists() || !p.Optional) && !(p.Null && p.Optional && v.IsNull()) {
			out = append(out, v)
		}
	}
	return out
}

// findFault returns what is wrong with a value, and what is due; "" if nothing is.
func (p *memberParams) findFault(v judge.Value) (got, wants string) {
	wants = p.describe()
	sent := "sent " + describeValue(v)
	switch {
	case p.Absent:
		if v.Exists() && !(v.IsString() && v.Text() == "") {
			return sent, "no `" + v.Member() + "`"
		}
		return "", ""
	case !v.Exists():
		return v.Lacking(), wants
	case p.Filled && (v.IsString() && v.Text() == "" || v.IsArray() && len(v.Elems()) == 0 || !v.IsString() && !v.IsArray()):
		return sent, wants
	case len(p.Is) > 0 && !slices.Contains(p.Is, v.Text()):
		return sent, wants
	case len(p.Kinds) > 0 && !slices.ContainsFunc(p.Kinds, func(kind string) bool { return isOfKind(v, kind) }):
		return sent, wants
	case p.Of != "" && v.IsArray() && slices.ContainsFunc(v.Elems(), func(e judge.Value) bool { return !isOfKind(e, p.Of) }):
		return "sent `" + v.Member() + "` with an element of another kind", wants
	case p.Form != "" && !(v.IsString() && hasForm(v.Text(), p.Form)):
		return sent, wants
	case len(p.OneOf) > 0:
		has := 0
		for _, name := range p.OneOf {
			if m := v.MemberAt("/" + name); m.Exists() && !(p.Null && m.IsNull()) {
				has++
			}
		}
		if has > 1 || has == 0 && !p.None {
			return fmt.Sprintf("sent `%s` with %d of them", v.Member(), has), wants
		}
		if name := v.MemberAt("/" + p.NamedBy).Text(); p.NamedBy != "" && (!slices.Contains(p.OneOf, name) || !v.MemberAt("/"+name).Exists()) {
			return fmt.Sprintf("sent `%s` whose `%s` does not name it", v.Member(), p.NamedBy), wants
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Forms)) {
		form := p.Forms[name]
		if m := v.MemberAt("/" + name); m.Exists() && !(p.Null && m.IsNull()) && !(m.IsString() && hasForm(m.Text(), form)) {
			return "sent " + describeValue(m), wants + ", with " + formWords[form] + " in `" + name + "`"
		}
	}
	if v.IsNumber() && (p.Whole || p.Min != nil || p.Max != nil) {
		n, err := strconv.ParseFloat(v.Number(), 64)
		if err != nil || p.Whole && n != math.Trunc(n) || p.Min != nil && n < float64(*p.Min) || p.Max != nil && n > float64(*p.Max) {
			return sent, wants
		}
	}
	return "", ""
}

// describe returns in words what a member has to be.
func (p *memberParams) describe() string {
	var out []string
	add := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(p.Filled, "a value that is not empty")
	add(len(p.Is) > 0, "%s", strings.Join(p.Is, " or "))
	add(len(p.Kinds) > 0, "one of these kinds: %s", strings.Join(p.Kinds, ", "))
	add(p.Of != "", "each element a %s", p.Of)
	add(len(p.OneOf) > 0 && !p.None, "exactly one of %s", strings.Join(p.OneOf, ", "))
	add(len(p.OneOf) > 0 && p.None, "at most one of %s", strings.Join(p.OneOf, ", "))
	add(p.NamedBy != "", "and named by `%s`", p.NamedBy)
	add(p.Form != "", "%s", formWords[p.Form])
	add(p.Whole, "a whole number")
	add(p.Min != nil, "at least %d", deref(p.Min))
	add(p.Max != nil, "at most %d", deref(p.Max))
	if len(out) == 0 {
		return "the member"
	}
	return strings.Join(out, ", ")
}

func deref(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// describeValue returns a value for people: as it is written, and bounded.
func describeValue(v judge.Value) string {
	switch {
	case v.IsString() && v.Member() == "": // of an address
		return fmt.Sprintf("the text %q", shorten.Visible(shorten.Clip(v.Text(), 60), 60))
	case v.IsString():
		return fmt.Sprintf("`%s` with the text %q", v.Member(), shorten.Visible(shorten.Clip(v.Text(), 60), 60))
	case v.IsNumber():
		return fmt.Sprintf("`%s` with the number %s", v.Member(), shorten.Visible(v.Number(), 40))
	}
	for _, kind := range []string{"object", "list", "null", "boolean"} {
		if isOfKind(v, kind) {
			if (kind == "list") && len(v.Elems()) == 0 {
				return "an empty `" + v.Member() + "`"
			}
			return fmt.Sprintf("`%s` of the kind %s", v.Member(), kind)
		}
	}
	return "nothing"
}

// isOfKind reports whether a value is of a kind of JSON.
func isOfKind(v judge.Value, kind string) bool {
	switch kind {
	case "text":
		return v.IsString()
	case "number":
		return v.IsNumber()
	case "object":
		return v.IsObject()
	case "list":
		return v.IsArray()
	case "null":
		return v.IsNull()
	}
	return kind == "boolean" && v.Exists() && !v.IsString() && !v.IsNumber() && !v.IsObject() && !v.IsArray() && !v.IsNull()
}

var formWords = map[string]string{"base64": "base64", "url": "an absolute URL", "http-url": "an absolute http or https URL", "date-time": "a date and time of ISO 8601, such as 2026-01-31T12:00:00Z", "media-type": "a media type of the form type/subtype", "timestamp": "a timestamp in UTC, such as 2026-01-31T12:00:00Z"}

var (
	mediaType = regexp.MustCompile(`^[A-Za-z0-9!#$&^_.+*-]+/[A-Za-z0-9!#$&^_.+*-]+( *;.*)?$`)
	timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)
)

// hasForm reports whether a text has a form.
func hasForm(text, form string) bool {
	switch form {
	case "base64":
		plain := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(text), "=")
		_, err := base64.RawStdEncoding.DecodeString(plain)
		return err == nil
	case "url":
		u, err := url.Parse(text)
		return err == nil && u.IsAbs()
	case "http-url":
		u, err := url.Parse(text)
		return err == nil && (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")) && u.Host != ""
	case "date-time":
		_, is := observe.ParseTimestamp(text)
		return is
	case "media-type":
		return mediaType.MatchString(text)
	case "timestamp":
		return timestamp.MatchString(text)
	}
	panic(fmt.Errorf("there is no form %q", form))
}

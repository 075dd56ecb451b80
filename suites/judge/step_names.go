package judge

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// stepNames reads the steps that parameters name off the tags of their fields.
//
// The tag defines how the name of a step is made: "{}" is for the field's own
// value, "{scenario}" for that of the member scenario of the same struct, and words apart
// are several steps, as in `step:"{}/set {}/after"`. A name that ends in a slash
// means all steps of that play. What is tagged has to be given, but for
// `step:"{},optional"`; a list may be empty. A blank field names what a check
// looks at whatever its parameters are.
//
// A tag that makes no sense is a mistake of ours, found when the check is defined.
func stepNames(params reflect.Type) (func(reflect.Value) []string, error) {
	switch params.Kind() {
	case reflect.Slice:
		of, err := stepNames(params.Elem())
		if of == nil || err != nil {
			return nil, err
		}
		return func(list reflect.Value) (names []string) {
			for i := range list.Len() {
				names = append(names, of(list.Index(i))...)
			}
			return names
		}, nil
	case reflect.Struct:
		return fieldNames(params)
	}
	return nil, nil
}

// fieldNames returns the steps that the fields of a struct name.
func fieldNames(params reflect.Type) (func(reflect.Value) []string, error) {
	var all []func(reflect.Value) []string
	for i := range params.NumField() {
		field := params.Field(i)
		if tag, tagged := field.Tag.Lookup("step"); tagged {
			named, err := taggedNames(params, field, tag)
			if err != nil {
				return nil, err
			}
			all = append(all, named)
			continue
		}
		inside, err := stepNames(field.Type)
		if err != nil {
			return nil, err
		}
		if inside != nil {
			all = append(all, func(v reflect.Value) []string { return inside(v.Field(i)) })
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return func(v reflect.Value) (names []string) {
		for _, named := range all {
			names = append(names, named(v)...)
		}
		return names
	}, nil
}

// A hole is the place of a tag that the value of a member takes.
var hole = regexp.MustCompile(`\{(\w*)\}`)

// taggedNames returns the steps that one field names.
func taggedNames(params reflect.Type, field reflect.StructField, tag string) (func(reflect.Value) []string, error) {
	wrong := func(what string) error {
		return fmt.Errorf("the tag step:%q of %s.%s %s", tag, params, field.Name, what)
	}
	text, optional := strings.CutSuffix(tag, ",optional")
	kind := field.Type.Kind()
	if kind == reflect.Slice {
		kind = field.Type.Elem().Kind()
	}
	beside := map[string]int{}
	for i := range params.NumField() {
		member, _, _ := strings.Cut(params.Field(i).Tag.Get("json"), ",")
		if params.Field(i).Type.Kind() == reflect.String {
			beside[member] = i
		}
	}
	own := field.Name != "_"
	switch holes := hole.FindAllStringSubmatch(text, -1); {
	case strings.TrimSpace(text) == "":
		return nil, wrong("names no step")
	case own && kind != reflect.String:
		return nil, wrong("is on a field that holds no text")
	case own != slices.ContainsFunc(holes, func(p []string) bool { return p[1] == "" }):
		return nil, wrong("has to speak of the field's own value, which a blank one does not have")
	default:
		for _, p := range holes {
			if _, known := beside[p[1]]; !known && p[1] != "" {
				return nil, wrong("speaks of " + p[1] + ", which is no text beside it")
			}
		}
	}
	return func(v reflect.Value) (names []string) {
		for _, value := range readStringOrSlice(v.FieldByIndex(field.Index)) {
			if value == "" && optional {
				continue
			}
			for _, template := range strings.Fields(text) {
				names = append(names, hole.ReplaceAllStringFunc(template, func(p string) string {
					if member := strings.Trim(p, "{}"); member != "" {
						return v.Field(beside[member]).String()
					}
					return value
				}))
			}
		}
		return names
	}, nil
}

// readStringOrSlice returns the texts in a list, or the one text; a blank field has none to show
// and counts once.
func readStringOrSlice(v reflect.Value) (out []string) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, v.Index(i).String())
		}
		return out
	case reflect.String:
		return []string{v.String()}
	}
	return []string{""}
}

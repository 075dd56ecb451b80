package judge

import (
	"encoding/json"
	"reflect"
	"strings"
)

// ErrorNames are the names of errors among the parameters of a requirement: what
// stands in a field with the tag `names:"error"`, be it a word, a list of them or the
// keys of a map.
func (c Check) ErrorNames(with map[string]any) ([]string, error) {
	text, err := json.Marshal(with)
	if err != nil {
		return nil, err
	}
	p := reflect.New(c.params)
	if err := json.Unmarshal(text, p.Interface()); err != nil {
		return nil, err
	}
	return errorNames(p.Elem(), false), nil
}

// errorNames collects the words in a value; named says that they are names of errors.
func errorNames(v reflect.Value, named bool) (out []string) {
	switch v.Kind() {
	case reflect.String:
		if word := v.String(); named && word != "" {
			out = append(out, word)
		}
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, errorNames(v.Index(i), named)...)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			out = append(out, errorNames(key, named)...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, errorNames(v.Field(i), v.Type().Field(i).Tag.Get("names") == "error")...)
		}
	}
	return out
}

// Members are the names of the parameters that the check knows.
func (c Check) Members() []string { return members(c.params) }

func members(params reflect.Type) (out []string) {
	if params.Kind() != reflect.Struct {
		return nil
	}
	for i := range params.NumField() {
		f := params.Field(i)
		if f.Anonymous {
			out = append(out, members(f.Type)...)
		} else if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			out = append(out, name)
		}
	}
	return out
}

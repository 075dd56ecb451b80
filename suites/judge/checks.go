package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// SeeingRefused returns a check that also looks at the calls which the server refused for want
// of credentials, since they are what it is about.
func (c Check) SeeingRefused() Check {
	c.seesRefused = true
	return c
}

// OfOpenServers returns such a check whose requirement is the one that fails if the card asks
// for no credentials and the server does.
func (c Check) OfOpenServers() Check {
	c.seesRefused, c.ofOpen = true, true
	return c
}

// Define makes a check out of a function and its parameter struct, whose tags say
// which steps the parameters name.
func Define[P any](name, doc string, judge func(*T, P)) Check {
	named, err := stepNames(reflect.TypeFor[P]())
	if err != nil {
		panic("the check " + name + ": " + err.Error())
	}
	return Check{
		Name: name, Doc: doc, params: reflect.TypeFor[P](),
		Needs: func(with map[string]any) ([]string, error) {
			p, err := Params[P](with)
			if err != nil || named == nil {
				return nil, err
			}
			return named(reflect.ValueOf(p)), nil
		},
		run: func(t *T, req *schema.Requirement) error {
			read := t.Case.Dialect.Once(paramsOf[P]{req}, func() any {
				p, err := Params[P](req.With)
				return params[P]{p, err}
			}).(params[P])
			if read.err != nil {
				return fmt.Errorf("its parameters: %w", read.err)
			}
			judge(t, read.params)
			return nil
		},
	}
}

// paramsOf is the key of a requirement's parameters, which are decoded once.
type paramsOf[P any] struct{ of *schema.Requirement }

type params[P any] struct {
	params P
	err    error
}

// Params decodes the parameters of a requirement strictly.
func Params[P any](with map[string]any) (P, error) {
	var p P
	text, err := json.Marshal(with)
	if err != nil {
		return p, err
	}
	if with == nil {
		return p, nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(&p)
	if mistake := (*json.UnmarshalTypeError)(nil); errors.As(err, &mistake) && mistake.Type.Kind() == reflect.String && mistake.Value == "number" {
		return p, fmt.Errorf("%s is a name, not a number: errors are named as in dialect.yaml, InvalidParams for -32602", mistake.Field)
	}
	return p, err
}

// Sabotaged returns a check of the same name that always passes. It
// exists to prove that the proof would notice.
func (c Check) Sabotaged() Check {
	c.run = func(t *T, _ *schema.Requirement) error {
		t.expected++
		t.result.Evidence = append(t.result.Evidence, report.Evidence{})
		return nil
	}
	return c
}

// Register collects checks; two of one name are a mistake of ours.
func Register(lists ...[]Check) Checks {
	out := Checks{}
	for _, list := range lists {
		for _, c := range list {
			if _, twice := out[c.Name]; twice {
				panic("two checks are called " + c.Name)
			}
			out[c.Name] = c
		}
	}
	return out
}

// Names lists the checks.
func (c Checks) Names() []string { return slices.Sorted(maps.Keys(c)) }

// With returns the checks with one of them exchanged.
func (c Checks) With(check Check) Checks {
	out := maps.Clone(c)
	out[check.Name] = check
	return out
}

// ErrorNames returns the names of errors among the parameters of a requirement: what
// is in a field with the tag `names:"error"`, be it a word, a list of them or the
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

// errorNames collects the words in a value; named reports that they are names of errors.
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

// Members returns the names of the parameters that the check knows.
func (c Check) Members() []string { return parameterNames(c.params) }

func parameterNames(params reflect.Type) (out []string) {
	if params.Kind() != reflect.Struct {
		return nil
	}
	for i := range params.NumField() {
		f := params.Field(i)
		if f.Anonymous {
			out = append(out, parameterNames(f.Type)...)
		} else if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			out = append(out, name)
		}
	}
	return out
}

package reference

import (
	"encoding/json"
	"strconv"
	"strings"
)

// The functions of this file read and edit decoded JSON. A path names members and
// array indexes, separated by slashes; a path that leads nowhere yields nil
// and is not edited.

// at returns the value at path.
func at(v any, path string) any {
	if path == "" {
		return v
	}
	name, rest, _ := strings.Cut(path, "/")
	switch v := v.(type) {
	case map[string]any:
		return at(v[name], rest)
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return at(v[i], rest)
		}
	}
	return nil
}

// text returns the string at path, or "".
func text(v any, path string) string {
	s, _ := at(v, path).(string)
	return s
}

// object returns the object at path, or nil.
func object(v any, path string) map[string]any {
	m, _ := at(v, path).(map[string]any)
	return m
}

// num returns an integer in the form decoded JSON has it.
func num(n int) json.Number {
	return json.Number(strconv.Itoa(n))
}

// put sets the member at path, if its parent is an object.
func put(v any, path string, x any) {
	parent, name := split(path)
	if m := object(v, parent); m != nil {
		m[name] = x
	}
}

// drop removes the member at path.
func drop(v any, path string) {
	parent, name := split(path)
	delete(object(v, parent), name)
}

// swap replaces the string at path if it is old.
func swap(v any, path, old, new string) {
	if text(v, path) == old {
		put(v, path, new)
	}
}

func split(path string) (parent, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// walk calls f for every object in v, outer ones first.
func walk(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, member := range v {
			walk(member, f)
		}
	case []any:
		for _, element := range v {
			walk(element, f)
		}
	}
}

package front

import (
	"encoding/json"
	"strconv"
	"strings"
)

// The functions of this file read and edit decoded JSON. A path names members and
// array indexes, separated by slashes; a path that leads nowhere yields nil
// and is not edited.

// at returns the value at path.
func At(v any, path string) any {
	if path == "" {
		return v
	}
	name, rest, _ := strings.Cut(path, "/")
	switch v := v.(type) {
	case map[string]any:
		return At(v[name], rest)
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return At(v[i], rest)
		}
	}
	return nil
}

// Text returns the string at path, or "".
func Text(v any, path string) string {
	s, _ := At(v, path).(string)
	return s
}

// Object returns the object at path, or nil.
func Object(v any, path string) map[string]any {
	m, _ := At(v, path).(map[string]any)
	return m
}

// Num returns an integer in the form decoded JSON has it.
func Num(n int) json.Number {
	return json.Number(strconv.Itoa(n))
}

// Put sets the member at path, if its parent is an object.
func Put(v any, path string, x any) {
	parent, name := split(path)
	if m := Object(v, parent); m != nil {
		m[name] = x
	}
}

// Drop removes the member at path.
func Drop(v any, path string) {
	parent, name := split(path)
	delete(Object(v, parent), name)
}

// Swap replaces the string at path if it is old.
func Swap(v any, path, old, new string) {
	if Text(v, path) == old {
		Put(v, path, new)
	}
}

func split(path string) (parent, name string) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:]
	}
	return "", path
}

// Walk calls f for every object in v, outer ones first.
func Walk(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, member := range v {
			Walk(member, f)
		}
	case []any:
		for _, element := range v {
			Walk(element, f)
		}
	}
}

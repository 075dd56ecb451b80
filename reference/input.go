package reference

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// A reader takes decoded JSON apart by the field tables of a protocol. It
// remembers the first fault and reads on, so that a request is judged by one
// straight sequence of calls. An optional member that is null counts as
// absent.
type reader struct {
	err *rpcError
}

// fault records that the params are wrong.
func (r *reader) fault(format string, args ...any) {
	r.refuse(codeInvalidParams, format, args...)
}

func (r *reader) refuse(code int, format string, args ...any) {
	if r.err == nil {
		r.err = &rpcError{Code: code, Message: fmt.Sprintf(format, args...)}
	}
}

// params reads the params of a call, which must be an object.
func (r *reader) params(c *call) members {
	m, ok := c.params.(map[string]any)
	if !ok {
		r.fault("params must be an object.")
	}
	return members{r, "params", m}
}

// members are the members of a JSON object with the place it was found at.
type members struct {
	r  *reader
	at string
	m  map[string]any
}

func (m members) path(name string) string { return m.at + "." + name }

// has reports whether a member is there and not null.
func (m members) has(name string) bool { return m.m[name] != nil }

// required reads a string that must be there.
func (m members) required(name string) string {
	s, ok := m.m[name].(string)
	if !ok {
		m.r.fault("%s must be a string.", m.path(name))
	}
	return s
}

// optional reads a string that may be absent.
func (m members) optional(name string) *string {
	if !m.has(name) {
		return nil
	}
	s := m.required(name)
	return &s
}

// object reads an object; ok is false if it is absent, which is a fault if it
// is required.
func (m members) object(name string, required bool) (o members, ok bool) {
	if !m.has(name) && !required {
		return members{}, false
	}
	v, ok := m.m[name].(map[string]any)
	if !ok {
		m.r.fault("%s must be an object.", m.path(name))
	}
	return members{m.r, m.path(name), v}, ok
}

// metadata reads an optional object of free content.
func (m members) metadata() map[string]any {
	o, _ := m.object("metadata", false)
	return o.m
}

// array reads an array that must be there.
func (m members) array(name string) []any {
	a, ok := m.m[name].([]any)
	if !ok {
		m.r.fault("%s must be an array.", m.path(name))
	}
	return a
}

// strings reads an array of strings that must be there.
func (m members) strings(name string) []string {
	list := []string{}
	for i, v := range m.array(name) {
		s, ok := v.(string)
		if !ok {
			m.r.fault("%s[%d] must be a string.", m.path(name), i)
		}
		list = append(list, s)
	}
	return list
}

// texts reads an optional array of strings.
func (m members) texts(name string) []string {
	if !m.has(name) {
		return nil
	}
	return m.strings(name)
}

// flag reads an optional boolean.
func (m members) flag(name string) *bool {
	if !m.has(name) {
		return nil
	}
	b, ok := m.m[name].(bool)
	if !ok {
		m.r.fault("%s must be true or false.", m.path(name))
	}
	return &b
}

// number reads an optional number.
func (m members) number(name string) (f float64, ok bool) {
	if !m.has(name) {
		return 0, false
	}
	n, isNumber := m.m[name].(json.Number)
	f, err := n.Float64()
	if !isNumber || err != nil {
		m.r.fault("%s must be a number.", m.path(name))
		return 0, false
	}
	return f, true
}

// count reads an optional integer that is not negative.
func (m members) count(name string) int {
	f, _ := m.number(name)
	if f != math.Trunc(f) || f < 0 || f > math.MaxInt32 {
		m.r.fault("%s must be an integer from 0.", m.path(name))
		return 0
	}
	return int(f)
}

// isBase64 reports whether s is base64 in the standard alphabet, with or
// without padding.
func isBase64(s string) bool {
	_, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil
}

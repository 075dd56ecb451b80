package front

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// A reader takes decoded JSON apart by the field tables of a protocol. It
// remembers the first fault and reads on, so that a request is judged by one
// straight sequence of calls. An optional member that is null counts as
// absent.
type Reader struct {
	Err *RPCError
}

// Fault records that the params are wrong.
func (r *Reader) Fault(format string, args ...any) {
	r.Refuse(CodeInvalidParams, format, args...)
}

func (r *Reader) Refuse(code int, format string, args ...any) {
	if r.Err == nil {
		r.Err = &RPCError{Code: code, Message: fmt.Sprintf(format, args...)}
		if len(args) > 0 {
			r.Err.Field, _ = args[0].(string)
		}
	}
}

// Params reads the params of a call, which must be an object.
func (r *Reader) Params(c *Call) Members {
	m, ok := c.Params.(map[string]any)
	if !ok {
		r.Fault("params must be an object.")
	}
	return Members{r, "params", m}
}

// Members are the members of a JSON object with the place it was found at.
type Members struct {
	R  *Reader
	At string
	M  map[string]any
}

func (m Members) Path(name string) string { return m.At + "." + name }

// Has reports whether a member is there and not null.
func (m Members) Has(name string) bool { return m.M[name] != nil }

// Required reads a string that must be there.
func (m Members) Required(name string) string {
	s, ok := m.M[name].(string)
	if !ok {
		m.R.Fault("%s must be a string.", m.Path(name))
	}
	return s
}

// Optional reads a string that may be absent.
func (m Members) Optional(name string) *string {
	if !m.Has(name) {
		return nil
	}
	s := m.Required(name)
	return &s
}

// Object reads an object; ok is false if it is absent, which is a fault if it
// is required.
func (m Members) Object(name string, required bool) (o Members, ok bool) {
	if !m.Has(name) && !required {
		return Members{}, false
	}
	v, ok := m.M[name].(map[string]any)
	if !ok {
		m.R.Fault("%s must be an object.", m.Path(name))
	}
	return Members{m.R, m.Path(name), v}, ok
}

// Metadata reads an optional object of free content.
func (m Members) Metadata() map[string]any {
	o, _ := m.Object("metadata", false)
	return o.M
}

// Array reads an array that must be there.
func (m Members) Array(name string) []any {
	a, ok := m.M[name].([]any)
	if !ok {
		m.R.Fault("%s must be an array.", m.Path(name))
	}
	return a
}

// Strings reads an array of strings that must be there.
func (m Members) Strings(name string) []string {
	list := []string{}
	for i, v := range m.Array(name) {
		s, ok := v.(string)
		if !ok {
			m.R.Fault("%s[%d] must be a string.", m.Path(name), i)
		}
		list = append(list, s)
	}
	return list
}

// Objects reads an array of objects that must be there and have an element, one object
// after the other.
func (m Members) Objects(name string) iter.Seq[Members] {
	if len(m.Array(name)) == 0 {
		m.R.Fault("%s must have at least one element.", m.Path(name))
	}
	return m.ObjectsOfRequiredArray(name)
}

// ObjectsOfRequiredArray reads an array of objects that must be there, one object after the other.
func (m Members) ObjectsOfRequiredArray(name string) iter.Seq[Members] {
	return func(yield func(Members) bool) {
		for i, v := range m.Array(name) {
			at := m.Path(name + "[" + strconv.Itoa(i) + "]")
			o, ok := v.(map[string]any)
			if !ok {
				m.R.Fault("%s must be an object.", at)
			}
			if !yield(Members{R: m.R, At: at, M: o}) {
				return
			}
		}
	}
}

// Texts reads an optional array of strings.
func (m Members) Texts(name string) []string {
	if !m.Has(name) {
		return nil
	}
	return m.Strings(name)
}

// Flag reads an optional boolean.
func (m Members) Flag(name string) *bool {
	if !m.Has(name) {
		return nil
	}
	b, ok := m.M[name].(bool)
	if !ok {
		m.R.Fault("%s must be true or false.", m.Path(name))
	}
	return &b
}

// Number reads an optional number.
func (m Members) Number(name string) (f float64, ok bool) {
	if !m.Has(name) {
		return 0, false
	}
	n, isNumber := m.M[name].(json.Number)
	f, err := n.Float64()
	if !isNumber || err != nil {
		m.R.Fault("%s must be a number.", m.Path(name))
		return 0, false
	}
	return f, true
}

// Count reads an optional integer that is not negative.
func (m Members) Count(name string) int {
	f, _ := m.Number(name)
	if f != math.Trunc(f) || f < 0 || f > math.MaxInt32 {
		m.R.Fault("%s must be an integer from 0.", m.Path(name))
		return 0
	}
	return int(f)
}

// Limit reads an optional integer that is not negative; nil if there is none.
func (m Members) Limit(name string) *int {
	if !m.Has(name) {
		return nil
	}
	n := m.Count(name)
	return &n
}

// IsBase64 reports whether s is base64 in the standard alphabet, with or
// without padding.
func IsBase64(s string) bool {
	_, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	return err == nil
}

// File reads the members that describe a file. Which of them must be there is for the
// wire format to say.
func (m Members) File() engine.File {
	var f engine.File
	for name, to := range map[string]*string{"name": &f.Name, "mimeType": &f.MIME, "bytes": &f.Bytes, "uri": &f.URI} {
		if s := m.Optional(name); s != nil {
			*to = *s
		}
	}
	if !IsBase64(f.Bytes) {
		m.R.Fault("%s must be base64.", m.Path("bytes"))
	}
	if _, err := url.Parse(f.URI); err != nil || m.Has("uri") && f.URI == "" {
		m.R.Fault("%s must be a URI.", m.Path("uri"))
	}
	return f
}

// Takes reports whether content of a type is among those that the card lists.
func (s *Server) Takes(mimeType string) bool {
	media, _, err := mime.ParseMediaType(mimeType)
	return err == nil && slices.Contains(s.Variant.InputModes, media)
}

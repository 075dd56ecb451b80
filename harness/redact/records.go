package redact

import (
	"bytes"
	"reflect"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Whatever holds text is redacted because it holds text: records are walked by
// reflection, so that a member that is added to one of them is covered before
// anybody thinks of it. Left alone are types whose values are ours, such as Role,
// and the members listed here.
var unredactedMembers = map[reflect.Type][]string{
	reflect.TypeFor[record.Facts]():      {"Tool", "Kind", "Dialect", "Catalogue", "Never", "Operator", "Allow", "Secrets", "Ways", "Waited"},
	reflect.TypeFor[record.Play]():       {"Scenario"},
	reflect.TypeFor[record.Step]():       {"Op"},
	reflect.TypeFor[record.Said]():       {"Saw", "Cannot"},
	reflect.TypeFor[record.Framing]():    {"Kind", "Cut"},
	reflect.TypeFor[operator.Rerun]():    {"Dialect", "IDs"},
	reflect.TypeFor[operator.Baseline](): {"Dialect", "Verdicts", "CatalogueVersion"},
	reflect.TypeFor[record.Recipe]():     {"Generator", "SHA256"},
}

// Exchange redacts one exchange in place, before anything else sees it.
func (r *Redactor) Exchange(x *record.Exchange) {
	for _, m := range []*record.Message{&x.Request, &x.Response} {
		m.Head = r.redactHead(m.Head)
		if m.Trailer != nil {
			m.Trailer = r.redactHead(append([]byte("\r\n"), m.Trailer...))[2:]
		}
		if m.Prefixes != nil {
			r.redactGRPCPayloads(m)
			continue
		}
		m.Body, m.Chunks = r.Bytes(m.Body, m.Chunks)
	}
	r.redactAllButHeadsAndBodies(x)
}

// redactHead redacts the lines of a head.
func (r *Redactor) redactHead(head []byte) []byte {
	out, _ := r.Bytes(r.redactBinaryHeaders(head), nil)
	return r.hideCredentialHeaders(out)
}

// redactAllButHeadsAndBodies redacts the texts of an exchange other than its heads and bodies.
func (r *Redactor) redactAllButHeadsAndBodies(x *record.Exchange) {
	r.redactMembers(reflect.ValueOf(x).Elem(), nil, "Request", "Response")
	for _, m := range []*record.Message{&x.Request, &x.Response} {
		r.redactMembers(reflect.ValueOf(m).Elem(), nil, "Head", "Body", "Chunks", "Trailer")
	}
}

// Transcript redacts all texts of a transcript except the heads and bodies of its
// exchanges, which were redacted as they were recorded: the texts of the operator,
// and what was picked up from a stream while it was read. What it shares with
// other runs is copied if it changes.
func (r *Redactor) Transcript(t *record.Transcript) {
	r.redactMembers(reflect.ValueOf(t).Elem(), map[*record.Exchange]bool{})
}

// redactMembers redacts the exported members of a struct in place, but some.
func (r *Redactor) redactMembers(v reflect.Value, seen map[*record.Exchange]bool, but ...string) {
	if r.longest == 0 {
		return
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && !slices.Contains(but, f.Name) {
			if in, changed := r.redactValue(v.Field(i), seen); changed {
				v.Field(i).Set(in)
			}
		}
	}
}

// redactValue is a value without the known secrets, and whether it is another one.
// Exchanges are redacted in place, once each: they belong to one run, and steps
// point at them.
func (r *Redactor) redactValue(v reflect.Value, seen map[*record.Exchange]bool) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			s := r.String(v.String())
			return reflect.ValueOf(s), s != v.String()
		}
	case reflect.Pointer:
		if x, ok := v.Interface().(*record.Exchange); ok {
			if x != nil && !seen[x] {
				seen[x] = true
				r.redactAllButHeadsAndBodies(x)
			}
			return v, false
		}
		if v.IsNil() {
			return v, false
		}
		if in, changed := r.redactValue(v.Elem(), seen); changed {
			p := reflect.New(v.Type().Elem())
			p.Elem().Set(in)
			return p, true
		}
	case reflect.Interface:
		if !v.IsNil() {
			return r.redactValue(v.Elem(), seen)
		}
	case reflect.Slice:
		return r.redactSlice(v, seen)
	case reflect.Map:
		return r.redactMap(v, seen)
	case reflect.Struct:
		return r.redactStruct(v, seen)
	}
	return v, false
}

func (r *Redactor) redactSlice(v reflect.Value, seen map[*record.Exchange]bool) (out reflect.Value, changed bool) {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		b, _ := r.Bytes(v.Bytes(), nil)
		return reflect.ValueOf(b).Convert(v.Type()), !bytes.Equal(b, v.Bytes())
	}
	out = v
	for i := range v.Len() {
		in, is := r.redactValue(v.Index(i), seen)
		if !is {
			continue
		}
		if !changed {
			changed, out = true, reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(out, v)
		}
		out.Index(i).Set(in)
	}
	return out, changed
}

func (r *Redactor) redactMap(v reflect.Value, seen map[*record.Exchange]bool) (out reflect.Value, changed bool) {
	if v.Len() == 0 {
		return v, false
	}
	out = reflect.MakeMapWithSize(v.Type(), v.Len())
	for _, k := range v.MapKeys() {
		key, is := r.redactValue(k, seen)
		in, too := r.redactValue(v.MapIndex(k), seen)
		out.SetMapIndex(key, in)
		changed = changed || is || too
	}
	return out, changed
}

func (r *Redactor) redactStruct(v reflect.Value, seen map[*record.Exchange]bool) (out reflect.Value, changed bool) {
	out = v
	if v.Type() == reflect.TypeFor[time.Time]() {
		return v, false
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || slices.Contains(unredactedMembers[v.Type()], f.Name) {
			continue
		}
		in, is := r.redactValue(v.Field(i), seen)
		if !is {
			continue
		}
		if !changed {
			changed, out = true, reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		out.Field(i).Set(in)
	}
	return out, changed
}

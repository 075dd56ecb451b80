package front

import (
	"encoding/json"
	"net/http"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// tree is a message as decoded JSON.
func tree(m proto.Message) (any, error) {
	text, err := protojson.Marshal(m)
	if err != nil {
		return nil, err
	}
	return Decode(text)
}

// AsRead is a result as the client that makes a request can read it. A message does not
// tell empty members from absent ones.
func AsRead(r *http.Request, result any) any {
	c := rpcOf(r)
	if c == nil {
		return Generic(result)
	}
	m := message(Generic(result), c.method.Output())
	v, err := tree(m)
	if m == nil || err != nil {
		return Generic(result)
	}
	return v
}

// message is decoded JSON as a message. What its type has no room for, which only a
// mutant or a lavish server sends, is left out; nil if nothing of it can be said.
func message(v any, d protoreflect.MessageDescriptor) *dynamicpb.Message {
	m := dynamicpb.NewMessage(d)
	if protojson.Unmarshal(Encode(fitting(v, d)), m) != nil {
		return nil
	}
	return m
}

// ReadAs is decoded JSON that is read as ProtoJSON of a message, and written in its plain
// form: with the names of the definition, and without the members that it does not have.
func ReadAs(v any, d protoreflect.MessageDescriptor) (any, error) {
	m := dynamicpb.NewMessage(d)
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(Encode(v), m); err != nil {
		return nil, err
	}
	return tree(m)
}

// WrittenAs is decoded JSON as ProtoJSON of a message: what its type has no room for is
// left out, and so are the values that a message does not tell from none.
func WrittenAs(v any, d protoreflect.MessageDescriptor) any {
	return untold(fitting(v, d), d)
}

// untold leaves out the values of a fitting object that a message does not tell from none.
func untold(m map[string]any, d protoreflect.MessageDescriptor) map[string]any {
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		name := f.JSONName()
		value, there := m[name]
		if !there {
			continue
		}
		inner := f.Message()
		if f.IsMap() {
			inner = f.MapValue().Message()
		}
		own := inner != nil && inner.ParentFile().Package() != "google.protobuf"
		switch v := value.(type) {
		case map[string]any:
			switch {
			case f.IsMap() && len(v) == 0:
				delete(m, name)
			case f.IsMap() && own:
				for _, entry := range v {
					untold(entry.(map[string]any), inner)
				}
			case own:
				untold(v, inner)
			}
		case []any:
			if len(v) == 0 && f.IsList() {
				delete(m, name)
			}
			for _, element := range v {
				if own {
					untold(element.(map[string]any), inner)
				}
			}
		default:
			if !f.HasPresence() && (v == "" || v == false || v == json.Number("0")) {
				delete(m, name)
			}
		}
	}
	return m
}

// strange is the number that stands for a name which an enum does not have.
const strange = 99

// fitting is what of an object its type has room for. Of the members of one oneof it is
// the first.
func fitting(v any, d protoreflect.MessageDescriptor) map[string]any {
	from, _ := v.(map[string]any)
	out := map[string]any{}
	taken := map[protoreflect.Name]bool{}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		name := f.JSONName()
		value, there := from[name]
		one := f.ContainingOneof()
		if !there || one != nil && taken[one.Name()] {
			continue
		}
		if value, ok := fittingValue(f, value); ok {
			out[name] = value
			if one != nil {
				taken[one.Name()] = true
			}
		}
	}
	return out
}

// fittingValue is what of the value of a field its type has room for.
func fittingValue(f protoreflect.FieldDescriptor, v any) (any, bool) {
	switch {
	case f.IsMap():
		entries, ok := v.(map[string]any)
		out := map[string]any{}
		for key, entry := range entries {
			if entry, ok := fittingOne(f, f.MapValue(), entry, func(e any) any { return map[string]any{key: e} }); ok {
				out[key] = entry
			}
		}
		return out, ok
	case f.IsList():
		elements, ok := v.([]any)
		out := []any{}
		for _, element := range elements {
			if element, ok := fittingOne(f, f, element, func(e any) any { return []any{e} }); ok {
				out = append(out, element)
			}
		}
		return out, ok
	}
	return fittingOne(f, f, v, func(e any) any { return e })
}

// fittingOne is what of one value, which stands in a field as in wraps it, its type has
// room for.
func fittingOne(f, of protoreflect.FieldDescriptor, v any, in func(any) any) (any, bool) {
	if d := of.Message(); d != nil && d.ParentFile().Package() != "google.protobuf" {
		_, ok := v.(map[string]any)
		return fitting(v, d), ok
	}
	if name, is := v.(string); is && of.Enum() != nil && of.Enum().Values().ByName(protoreflect.Name(name)) == nil {
		return strange, true
	}
	if _, is := v.(string); is && of.Kind() == protoreflect.StringKind && !f.IsMap() {
		return v, true // most are, and to try takes long
	}
	whole := Encode(map[string]any{f.JSONName(): in(v)})
	return v, protojson.Unmarshal(whole, dynamicpb.NewMessage(f.ContainingMessage())) == nil
}

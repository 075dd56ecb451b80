package binding

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// ErrNotInProtobuf is the error of a call that cannot be encoded in protobuf, such as one with a
// text in place of a number.
const ErrNotInProtobuf = inexpressible("protobuf cannot say that")

// Write writes a JSON value as a message. What comes of it states the same, and nothing
// less: a value of another type, a member that there is no field for, a second one of
// which one may be there and null are errors by ErrNotInProtobuf, though readers of JSON
// may take some of them. nil is an empty message.
func (p *Protocol) Write(of protoreflect.MessageDescriptor, value *record.Node) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	return p.appendMessage(nil, of, value, nil, 0)
}

func newNotExpressibleError(at *fieldPath, why string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrNotInProtobuf, cmp.Or(at.String(), "the whole"), fmt.Sprintf(why, args...))
}

// appendMessage appends a message without its length.
func (p *Protocol) appendMessage(b []byte, of protoreflect.MessageDescriptor, n *record.Node, at *fieldPath, depth int) ([]byte, error) {
	if depth > maxMessageDepth {
		return nil, newNotExpressibleError(at, "more than %d messages in each other", maxMessageDepth)
	}
	switch of.FullName() {
	case timestampName:
		return p.appendTimestamp(b, of, n, at)
	case structName:
		return p.appendField(b, of.Fields().ByName("fields"), n, at, depth)
	case listName:
		return p.appendField(b, of.Fields().ByName("values"), n, at, depth)
	case valueName:
		return p.appendProtobufValue(b, of, n, at, depth)
	case anyName:
		return p.appendAny(b, of, n, at, depth)
	}
	if n.Kind != record.Object {
		return nil, newNotExpressibleError(at, "%s is no %s", n.Kind, of.Name())
	}
	return p.appendMembers(b, of, n.Members, at, depth)
}

// appendMembers appends the fields of a message in the order of the proto file.
func (p *Protocol) appendMembers(b []byte, of protoreflect.MessageDescriptor, members []record.Member, at *fieldPath, depth int) ([]byte, error) {
	held := map[protoreflect.FieldNumber]*record.Node{}
	for _, m := range members {
		f := of.Fields().ByJSONName(m.Name)
		switch {
		case f == nil:
			return nil, newNotExpressibleError(at.memberPath(m.Name), "%s has no such member", of.Name())
		case held[f.Number()] != nil:
			return nil, newNotExpressibleError(at.memberPath(m.Name), "it is there twice")
		}
		if one := f.ContainingOneof(); one != nil {
			for i := range one.Fields().Len() {
				if other := one.Fields().Get(i); held[other.Number()] != nil {
					return nil, newNotExpressibleError(at.memberPath(m.Name), "%s is there already, and one of them may be", other.JSONName())
				}
			}
		}
		held[f.Number()] = m.Value
	}
	var err error
	for i := range of.Fields().Len() {
		f := of.Fields().Get(i)
		if n := held[f.Number()]; n != nil {
			if b, err = p.appendField(b, f, n, at.memberPath(f.JSONName()), depth); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// appendField appends a field with its number, unless it holds the default that is not written.
func (p *Protocol) appendField(b []byte, f protoreflect.FieldDescriptor, n *record.Node, at *fieldPath, depth int) ([]byte, error) {
	switch {
	case f.IsMap():
		return p.appendMap(b, f, n, at, depth)
	case !f.IsList():
		start := len(b)
		b, zero, err := p.appendValue(protowire.AppendTag(b, f.Number(), wireType(f.Kind())), f, n, at, depth)
		if zero && !f.HasPresence() {
			b = b[:start]
		}
		return b, err
	case n.Kind != record.Array:
		return nil, newNotExpressibleError(at, "%s is no list", n.Kind)
	}
	var packed []byte
	for i, e := range n.Elems {
		var err error
		to := protowire.AppendTag(b, f.Number(), wireType(f.Kind()))
		if f.IsPacked() {
			to = packed
		}
		if to, _, err = p.appendValue(to, f, e, &fieldPath{at, "", i}, depth); err != nil {
			return nil, err
		}
		if f.IsPacked() {
			packed = to
		} else {
			b = to
		}
	}
	if len(packed) > 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, f.Number(), protowire.BytesType), packed)
	}
	return b, nil
}

func (p *Protocol) appendMap(b []byte, f protoreflect.FieldDescriptor, n *record.Node, at *fieldPath, depth int) ([]byte, error) {
	if n.Kind != record.Object {
		return nil, newNotExpressibleError(at, "%s is no map", n.Kind)
	}
	members := slices.Clone(n.Members)
	slices.SortStableFunc(members, func(a, b record.Member) int { return strings.Compare(a.Name, b.Name) })
	for i, m := range members {
		if i > 0 && members[i-1].Name == m.Name {
			return nil, newNotExpressibleError(at.memberPath(m.Name), "it is there twice")
		}
		key := &record.Node{Kind: record.String, String: m.Name}
		entry, _, err := p.appendValue(protowire.AppendTag(nil, 1, wireType(f.MapKey().Kind())), f.MapKey(), key, at, depth)
		if err == nil {
			entry, _, err = p.appendValue(protowire.AppendTag(entry, 2, wireType(f.MapValue().Kind())), f.MapValue(), m.Value, at.memberPath(m.Name), depth+1)
		}
		if err != nil {
			return nil, err
		}
		b = protowire.AppendBytes(protowire.AppendTag(b, f.Number(), protowire.BytesType), entry)
	}
	return b, nil
}

// appendValue appends one value, and reports whether it is the default of its type.
func (p *Protocol) appendValue(b []byte, f protoreflect.FieldDescriptor, n *record.Node, at *fieldPath, depth int) (_ []byte, zero bool, err error) {
	wrong := func() ([]byte, bool, error) {
		return nil, false, newNotExpressibleError(at, "%s is no %s", describeNode(n), f.Kind())
	}
	switch k := f.Kind(); k {
	case protoreflect.MessageKind:
		inner, err := p.appendMessage(nil, f.Message(), n, at, depth+1)
		return protowire.AppendBytes(b, inner), false, err
	case protoreflect.StringKind:
		if n.Kind != record.String {
			return wrong()
		}
		return protowire.AppendString(b, n.String), n.String == "", nil
	case protoreflect.BytesKind:
		content, err := base64.StdEncoding.Strict().DecodeString(n.String)
		if n.Kind != record.String || err != nil || base64.StdEncoding.EncodeToString(content) != n.String {
			return nil, false, newNotExpressibleError(at, "%s is no base64 with its padding", describeNode(n))
		}
		return protowire.AppendBytes(b, content), len(content) == 0, nil
	case protoreflect.BoolKind:
		if n.Kind != record.Bool {
			return wrong()
		}
		return protowire.AppendVarint(b, protowire.EncodeBool(n.Bool)), !n.Bool, nil
	case protoreflect.EnumKind:
		number, err := enumNumber(f.Enum(), n, at)
		return protowire.AppendVarint(b, uint64(int64(number))), number == 0, err
	case protoreflect.DoubleKind, protoreflect.FloatKind:
		bits := map[protoreflect.Kind]int{protoreflect.DoubleKind: 64, protoreflect.FloatKind: 32}[k]
		x, err := strconv.ParseFloat(n.Number, bits)
		if n.Kind != record.Number || err != nil {
			return wrong()
		}
		if held := (&record.Node{Kind: record.Number, Number: jsontext.Float(x).String()}); !held.Equal(n) {
			return nil, false, newNotExpressibleError(at, "%s becomes %s", describeNode(n), held.Number)
		}
		if bits == 32 {
			return protowire.AppendFixed32(b, math.Float32bits(float32(x))), x == 0, nil
		}
		return protowire.AppendFixed64(b, math.Float64bits(x)), math.Float64bits(x) == 0, nil
	default:
		number, ok := parseWireInteger(k, n)
		if !ok {
			return wrong()
		}
		switch wireType(k) {
		case protowire.Fixed32Type:
			b = protowire.AppendFixed32(b, uint32(number))
		case protowire.Fixed64Type:
			b = protowire.AppendFixed64(b, number)
		default:
			b = protowire.AppendVarint(b, number)
		}
		return b, number == 0, nil
	}
}

// parseWireInteger returns a whole number as it continues the wire. Those of 64 bits are texts in JSON.
func parseWireInteger(k protoreflect.Kind, n *record.Node) (number uint64, ok bool) {
	text, kind, bits := n.Number, record.Number, 32
	switch k {
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		text, kind, bits = n.String, record.String, 64
	}
	if n.Kind != kind {
		return 0, false
	}
	switch k {
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return wholeNumber(text, bits, false)
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		number, ok = wholeNumber(text, bits, true)
		return protowire.EncodeZigZag(int64(number)), ok
	}
	return wholeNumber(text, bits, true)
}

// enumNumber takes a name of an enum, or a number for which it has none: the number of one
// that has a name states something else in JSON than on the wire.
func enumNumber(e protoreflect.EnumDescriptor, n *record.Node, at *fieldPath) (protoreflect.EnumNumber, error) {
	switch n.Kind {
	case record.String:
		if v := e.Values().ByName(protoreflect.Name(n.String)); v != nil {
			return v.Number(), nil
		}
	case record.Number:
		number, ok := wholeNumber(n.Number, 32, true)
		if v := protoreflect.EnumNumber(int32(number)); ok && e.Values().ByNumber(v) == nil {
			return v, nil
		}
	}
	return 0, newNotExpressibleError(at, "%s is no %s", describeNode(n), e.Name())
}

func (p *Protocol) appendTimestamp(b []byte, of protoreflect.MessageDescriptor, n *record.Node, at *fieldPath) ([]byte, error) {
	seconds, nanos, ok := parseTime(n.String)
	if n.Kind != record.String || !ok {
		return nil, newNotExpressibleError(at, "%s is no time", describeNode(n))
	}
	if seconds != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, of.Fields().ByName("seconds").Number(), protowire.VarintType), uint64(seconds))
	}
	if nanos != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, of.Fields().ByName("nanos").Number(), protowire.VarintType), uint64(nanos))
	}
	return b, nil
}

// appendProtobufValue appends a google.protobuf.Value, which holds whatever JSON has. Its numbers are
// those of 64 bits.
func (p *Protocol) appendProtobufValue(b []byte, of protoreflect.MessageDescriptor, n *record.Node, at *fieldPath, depth int) ([]byte, error) {
	names := [...]protoreflect.Name{record.Null: "null_value", record.Bool: "bool_value", record.Number: "number_value",
		record.String: "string_value", record.Array: "list_value", record.Object: "struct_value"}
	f := of.Fields().ByName(names[n.Kind])
	if n.Kind == record.Null {
		return protowire.AppendVarint(protowire.AppendTag(b, f.Number(), protowire.VarintType), 0), nil
	}
	return p.appendField(b, f, n, at, depth)
}

// appendAny appends a message that names its own type.
func (p *Protocol) appendAny(b []byte, of protoreflect.MessageDescriptor, n *record.Node, at *fieldPath, depth int) ([]byte, error) {
	kind := n.Member("@type")
	if kind == nil || kind.Kind != record.String {
		return nil, newNotExpressibleError(at, "there is no @type")
	}
	inner := p.findMessage(typeOf(kind.String))
	var content []byte
	var err error
	switch value := n.Member("value"); {
	case inner != nil && wellKnown[inner.FullName()] != nil && value != nil && len(n.Members) == 2:
		content, err = p.appendMessage(nil, inner, value, at.memberPath("value"), depth+1)
	case inner != nil && wellKnown[inner.FullName()] == nil:
		others := slices.DeleteFunc(slices.Clone(n.Members), func(m record.Member) bool { return m.Name == "@type" })
		content, err = p.appendMembers(nil, inner, others, at, depth+1)
	case value == nil || len(n.Members) != 2 || value.Kind != record.String:
		err = newNotExpressibleError(at, "%s is not known", kind.String)
	default:
		content, err = base64.StdEncoding.Strict().DecodeString(value.String)
		if err != nil {
			err = newNotExpressibleError(at.memberPath("value"), "no base64")
		}
	}
	if err != nil {
		return nil, err
	}
	b = protowire.AppendString(protowire.AppendTag(b, of.Fields().ByName("type_url").Number(), protowire.BytesType), kind.String)
	return protowire.AppendBytes(protowire.AppendTag(b, of.Fields().ByName("value").Number(), protowire.BytesType), content), nil
}

// describeNode returns a value for an error.
func describeNode(n *record.Node) string {
	switch n.Kind {
	case record.Number:
		return "the number " + n.Number[:min(len(n.Number), 40)]
	case record.String:
		return strconv.Quote(n.String[:min(len(n.String), 40)])
	}
	return n.Kind.String()
}

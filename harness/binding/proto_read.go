package binding

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Bounds of what is read of one message. A value costs about 100 bytes.
const (
	maxMessageDepth  = 300
	maxMessageValues = 1 << 17
)

// Read writes a message as JSON: its members in the order of the proto file, and only
// those that were on the wire with something in them, or that the dialect requires and
// protobuf does not write if they hold their default. It departs from protojson if a judge has to see what
// came: a number that an enum has no name for is a number, a string that is no UTF-8
// keeps its bytes, and what JSON cannot show is a fault. No text comes of what is no
// message or beyond our limits.
func (p *Protocol) Read(of protoreflect.MessageDescriptor, message []byte) (text []byte, faults []MessageFault) {
	r := &messageReader{protocol: p, counts: map[MessageFaultKind]int{}}
	if err := r.writeMessage(of, message, nil, 0); err != nil {
		return nil, r.faults
	}
	return r.out, r.faults
}

type messageReader struct {
	protocol *Protocol
	out      []byte
	values   int
	faults   []MessageFault
	counts   map[MessageFaultKind]int
}

// errNoMessage ends the reading; the fault is reported already.
var errNoMessage = errors.New("no message")

func (r *messageReader) addFault(kind MessageFaultKind, at *fieldPath, detail string, args ...any) {
	if r.counts[kind]++; r.counts[kind] <= maxFaults {
		r.faults = append(r.faults, MessageFault{kind, at.String(), fmt.Sprintf(detail, args...)})
	}
}

func (r *messageReader) addFaultAndStop(kind MessageFaultKind, at *fieldPath, detail string, args ...any) error {
	r.addFault(kind, at, detail, args...)
	return errNoMessage
}

// scalar is one value as it was on the wire: a number, or bytes.
type scalar struct {
	number uint64
	bytes  []byte
}

// fieldValues are the values of the fields of a message, by their place in the proto file.
type fieldValues [][]scalar

// firstOf returns the first value of a field, or the default if there is none.
func (v fieldValues) firstOf(f protoreflect.FieldDescriptor) scalar { return firstValue(v[f.Index()]) }

func firstValue(values []scalar) scalar {
	if len(values) == 0 {
		return scalar{}
	}
	return values[0]
}

// writeMessage writes one message in the form that its type has in JSON.
func (r *messageReader) writeMessage(of protoreflect.MessageDescriptor, b []byte, at *fieldPath, depth int) error {
	if depth > maxMessageDepth {
		return r.addFaultAndStop(MessageTooDeep, at, "more than %d messages in each other", maxMessageDepth)
	}
	values, err := r.splitFields(of, b, at)
	if err != nil {
		return err
	}
	if write, is := wellKnown[of.FullName()]; is {
		return write(r, of, values, at, depth)
	}
	r.out = append(r.out, '{')
	if err := r.writeMembers(of, values, at, depth, true); err != nil {
		return err
	}
	r.out = append(r.out, '}')
	return nil
}

// writeMembers writes the members of an object. first states that no member is before them.
func (r *messageReader) writeMembers(of protoreflect.MessageDescriptor, values fieldValues, at *fieldPath, depth int, first bool) error {
	required := r.protocol.required[of.Name()]
	for i := range of.Fields().Len() {
		f := of.Fields().Get(i)
		if isAbsentOrDefault(f, values[i]) && (f.HasPresence() || !required[f.JSONName()]) {
			continue
		}
		if !first {
			r.out = append(r.out, ',')
		}
		first = false
		r.writeString(f.JSONName())
		r.out = append(r.out, ':')
		if err := r.writeFieldValue(f, values[i], at.memberPath(f.JSONName()), depth); err != nil {
			return err
		}
	}
	return nil
}

// isAbsentOrDefault reports whether a field is not there, or holds the default that states the same.
func isAbsentOrDefault(f protoreflect.FieldDescriptor, values []scalar) bool {
	switch {
	case len(values) == 0:
		return true
	case f.HasPresence() || f.Cardinality() == protoreflect.Repeated:
		return false
	}
	return values[0].number == 0 && len(values[0].bytes) == 0
}

// splitFields finds the values of a message's fields. Of a field that holds one value it
// leaves the one that counts.
func (r *messageReader) splitFields(of protoreflect.MessageDescriptor, b []byte, at *fieldPath) (fieldValues, error) {
	values := make(fieldValues, of.Fields().Len())
	chosen := map[protoreflect.OneofDescriptor]protoreflect.FieldDescriptor{}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, r.addFaultAndStop(MessageMalformed, at, "no field begins where one should, in %s: %s", of.Name(), describeParseError(n))
		}
		if number > protowire.MaxValidNumber {
			return nil, r.addFaultAndStop(MessageMalformed, at, "%s has no field %d, as no message has", of.Name(), number)
		}
		b = b[n:]
		n = protowire.ConsumeFieldValue(number, kind, b)
		if n < 0 {
			return nil, r.addFaultAndStop(MessageMalformed, at, "field %d of %s is broken: %s", number, of.Name(), describeParseError(n))
		}
		raw := b[:n]
		b = b[n:]
		if r.values++; r.values > maxMessageValues {
			return nil, r.addFaultAndStop(MessageTooLarge, at, "more than %d values", maxMessageValues)
		}
		f := of.Fields().ByNumber(number)
		if f == nil {
			r.addFault(UnknownField, at, "%s has no field %d (%s of %d bytes)", of.Name(), number, wireTypeName(kind), n)
			continue
		}
		packed := kind == protowire.BytesType && f.IsList() && wireType(f.Kind()) != protowire.BytesType
		if kind != wireType(f.Kind()) && !packed {
			r.addFault(WrongWireType, at.memberPath(f.JSONName()), "field %d of %s came as %s, and is %s", number, of.Name(), wireTypeName(kind), wireTypeName(wireType(f.Kind())))
			continue
		}
		if one := f.ContainingOneof(); one != nil && !one.IsSynthetic() {
			if other := chosen[one]; other != nil && other != f {
				r.addFault(SeveralOfOne, at, "%s came after %s, and one of them may be there; the last counts", f.JSONName(), other.JSONName())
				values[other.Index()] = nil
			}
			chosen[one] = f
		}
		list := &values[f.Index()]
		switch {
		case packed:
			raw, _ = protowire.ConsumeBytes(raw)
			for len(raw) > 0 {
				v, n := consumeValue(wireType(f.Kind()), raw)
				if n < 0 {
					return nil, r.addFaultAndStop(MessageMalformed, at.memberPath(f.JSONName()), "the packed values are broken: %s", describeParseError(n))
				}
				if r.values++; r.values > maxMessageValues {
					return nil, r.addFaultAndStop(MessageTooLarge, at, "more than %d values", maxMessageValues)
				}
				*list, raw = append(*list, v), raw[n:]
			}
		case f.Cardinality() == protoreflect.Repeated || len(*list) == 0:
			v, _ := consumeValue(kind, raw)
			*list = append(*list, v)
		default:
			v, _ := consumeValue(kind, raw)
			r.addFault(Repeated, at.memberPath(f.JSONName()), "field %d of %s came again", number, of.Name())
			if f.Message() != nil { // two messages in a row are both together
				v.bytes = append((*list)[0].bytes, v.bytes...)
			}
			(*list)[0] = v
		}
	}
	return values, nil
}

// describeParseError describes what the library states about bytes, without its name.
func describeParseError(code int) string {
	return strings.TrimLeft(strings.TrimPrefix(protowire.ParseError(code).Error(), "proto:"), " \u00a0")
}

// consumeValue reads a value that is known to be whole, or the next of packed ones.
func consumeValue(kind protowire.Type, b []byte) (v scalar, n int) {
	switch kind {
	case protowire.VarintType:
		v.number, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var x uint32
		x, n = protowire.ConsumeFixed32(b)
		v.number = uint64(x)
	case protowire.Fixed64Type:
		v.number, n = protowire.ConsumeFixed64(b)
	default:
		v.bytes, n = protowire.ConsumeBytes(b)
		v.bytes = slices.Clip(v.bytes) // so that what is added to it goes elsewhere
	}
	return v, n
}

// wireType returns the form in which a value of a kind is on the wire.
func wireType(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

func wireTypeName(t protowire.Type) string {
	names := [...]string{"a varint", "64 bits", "a length and bytes", "a group", "the end of a group", "32 bits"}
	if int(t) < len(names) {
		return names[t]
	}
	return "wire type " + strconv.Itoa(int(t))
}

// writeFieldValue writes the value of a member. No values are its default.
func (r *messageReader) writeFieldValue(f protoreflect.FieldDescriptor, values []scalar, at *fieldPath, depth int) error {
	switch {
	case f.IsMap():
		return r.writeMap(f, values, at, depth)
	case f.IsList():
		r.out = append(r.out, '[')
		for i, v := range values {
			if i > 0 {
				r.out = append(r.out, ',')
			}
			if err := r.writeWireValueAsJSON(f, v, &fieldPath{at, "", i}, depth); err != nil {
				return err
			}
		}
		r.out = append(r.out, ']')
		return nil
	}
	return r.writeWireValueAsJSON(f, firstValue(values), at, depth)
}

// writeMap writes a map as an object, its keys in order. Of entries with one key the last
// counts, as everywhere in protobuf.
func (r *messageReader) writeMap(f protoreflect.FieldDescriptor, values []scalar, at *fieldPath, depth int) error {
	if depth >= maxMessageDepth {
		return r.addFaultAndStop(MessageTooDeep, at, "more than %d messages in each other", maxMessageDepth)
	}
	held := map[string]scalar{}
	for _, v := range values {
		entry, err := r.splitFields(f.Message(), v.bytes, at)
		if err != nil {
			return err
		}
		key := entry.firstOf(f.MapKey())
		name := string(key.bytes)
		if f.MapKey().Kind() != protoreflect.StringKind {
			name = plainNumber(f.MapKey().Kind(), key.number)
		}
		if _, again := held[name]; again {
			r.addFault(Repeated, at, "an entry of %s came again", f.Name())
		}
		held[name] = entry.firstOf(f.MapValue())
	}
	r.out = append(r.out, '{')
	for i, key := range slices.Sorted(maps.Keys(held)) {
		if i > 0 {
			r.out = append(r.out, ',')
		}
		r.writeStringCheckingUTF8(key, at)
		r.out = append(r.out, ':')
		if err := r.writeWireValueAsJSON(f.MapValue(), held[key], at.memberPath(key), depth+1); err != nil {
			return err
		}
	}
	r.out = append(r.out, '}')
	return nil
}

// writeWireValueAsJSON writes one value.
func (r *messageReader) writeWireValueAsJSON(f protoreflect.FieldDescriptor, v scalar, at *fieldPath, depth int) error {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return r.writeMessage(f.Message(), v.bytes, at, depth+1)
	case protoreflect.GroupKind: // nothing that A2A has
		return r.addFaultAndStop(MessageMalformed, at, "a group")
	case protoreflect.StringKind:
		r.writeStringCheckingUTF8(string(v.bytes), at)
	case protoreflect.BytesKind:
		r.out = append(r.out, '"')
		r.out = base64.StdEncoding.AppendEncode(r.out, v.bytes)
		r.out = append(r.out, '"')
	case protoreflect.EnumKind:
		number := protoreflect.EnumNumber(int32(v.number))
		if named := f.Enum().Values().ByNumber(number); named != nil {
			r.writeString(string(named.Name()))
			return nil
		}
		r.addFault(UnknownEnum, at, "%s has no value %d", f.Enum().Name(), number)
		r.out = strconv.AppendInt(r.out, int64(number), 10)
	case protoreflect.DoubleKind:
		r.writeFloatCheckingFinite(math.Float64frombits(v.number), at)
	case protoreflect.FloatKind:
		r.writeFloatCheckingFinite(float64(math.Float32frombits(uint32(v.number))), at)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		r.writeString(plainNumber(f.Kind(), v.number)) // a text in JSON, whose readers have no 64 bits
	default:
		r.out = append(r.out, plainNumber(f.Kind(), v.number)...)
	}
	return nil
}

// plainNumber returns an integer or a boolean in words.
func plainNumber(k protoreflect.Kind, n uint64) string {
	switch k {
	case protoreflect.BoolKind:
		return strconv.FormatBool(n != 0)
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind:
		return strconv.FormatInt(int64(int32(n)), 10)
	case protoreflect.Sint32Kind:
		return strconv.FormatInt(int64(int32(protowire.DecodeZigZag(n&math.MaxUint32))), 10)
	case protoreflect.Int64Kind, protoreflect.Sfixed64Kind:
		return strconv.FormatInt(int64(n), 10)
	case protoreflect.Sint64Kind:
		return strconv.FormatInt(protowire.DecodeZigZag(n), 10)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return strconv.FormatUint(uint64(uint32(n)), 10)
	}
	return strconv.FormatUint(n, 10)
}

// writeFloatCheckingFinite writes a number. What JSON has no number for is a text, as in protojson.
func (r *messageReader) writeFloatCheckingFinite(x float64, at *fieldPath) {
	switch {
	case math.IsNaN(x):
		r.addFault(BadValue, at, "no number")
		r.writeString("NaN")
	case math.IsInf(x, 0):
		r.addFault(BadValue, at, "an infinite number")
		r.writeString(map[bool]string{true: "Infinity", false: "-Infinity"}[x > 0])
	default:
		r.out = append(r.out, jsontext.Float(x).String()...)
	}
}

// writeStringCheckingUTF8 writes a text that came from the wire.
func (r *messageReader) writeStringCheckingUTF8(s string, at *fieldPath) {
	if !utf8.ValidString(s) {
		r.addFault(BadText, at, "the text is no UTF-8")
	}
	r.writeString(s)
}

// writeString writes a string. Bytes that are no UTF-8 stay as they are.
func (r *messageReader) writeString(s string) {
	const hex = "0123456789abcdef"
	r.out = append(r.out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			r.out = append(r.out, '\\', c)
		case c == '\n':
			r.out = append(r.out, '\\', 'n')
		case c < ' ':
			r.out = append(r.out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			r.out = append(r.out, c)
		}
	}
	r.out = append(r.out, '"')
}

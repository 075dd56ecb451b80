package client

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A protoField is a field of a message of protobuf.
type protoField struct {
	number int
	name   string // in JSON
	kind   string // text, bytes, flag, number, time, struct or value; the name of an enumeration, or of a message
	many   bool
}

// A protoFile has the messages that the client writes and reads, and the names of enumerations by their numbers.
type protoFile struct {
	messages map[string][]protoField
	enums    map[string][]string
}

// readProtoFile reads a table of messages: a line has the name of a message, a colon, and its fields with number, name and kind, of
// which a list ends in a star. The line of an enumeration has its names after an equals sign.
func readProtoFile(table string) *protoFile {
	p := &protoFile{map[string][]protoField{}, map[string][]string{}}
	for line := range strings.Lines(table) {
		if name, names, is := strings.Cut(line, "="); is {
			p.enums[strings.TrimSpace(name)] = strings.Fields(names)
			continue
		}
		name, fields, _ := strings.Cut(line, ":")
		for one := range strings.SplitSeq(fields, ",") {
			words := strings.Fields(one)
			if len(words) != 3 {
				continue // a message without fields
			}
			number, _ := strconv.Atoi(words[0])
			kind, many := strings.CutSuffix(words[2], "*")
			p.messages[strings.TrimSpace(name)] = append(p.messages[strings.TrimSpace(name)], protoField{number, words[1], kind, many})
		}
	}
	return p
}

// The forms in which values travel.
const (
	varint    = 0
	eightByte = 1
	delimited = 2
	fourByte  = 5
)

// appendTag begins a field.
func appendTag(b []byte, number, form int) []byte {
	return binary.AppendUvarint(b, uint64(number)<<3|uint64(form))
}

// appendDelimited appends a field that states its length.
func appendDelimited(b []byte, number int, content []byte) []byte {
	b = binary.AppendUvarint(appendTag(b, number, delimited), uint64(len(content)))
	return append(b, content...)
}

// encodeMessage writes a message of a name.
func (p *protoFile) encodeMessage(name string, o object) (out []byte, err error) {
	for _, f := range p.messages[name] {
		v := o[f.name]
		if v == nil {
			continue
		}
		values := []any{v}
		if f.many {
			if values, err = readAnyList(v); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
		for _, one := range values {
			if out, err = p.appendField(out, f, one); err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
		}
	}
	return out, nil
}

// readAnyList returns the elements of a list.
func readAnyList(v any) (out []any, err error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case []string:
		for _, s := range v {
			out = append(out, s)
		}
		return out, nil
	}
	return nil, errors.New("it is no list")
}

var errKind = errors.New("it is of another kind")

// appendField appends a field with a value.
func (p *protoFile) appendField(b []byte, f protoField, v any) ([]byte, error) {
	switch f.kind {
	case "text":
		if s, is := v.(string); is {
			return appendDelimited(b, f.number, []byte(s)), nil
		}
	case "bytes":
		if raw, is := v.([]byte); is {
			return appendDelimited(b, f.number, raw), nil
		}
	case "flag":
		if is, ok := v.(bool); ok {
			n := uint64(0)
			if is {
				n = 1
			}
			return binary.AppendUvarint(appendTag(b, f.number, varint), n), nil
		}
	case "number":
		if n, is := v.(int); is {
			return binary.AppendUvarint(appendTag(b, f.number, varint), uint64(n)), nil
		}
	case "time":
		s, _ := v.(string)
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil {
			stamp := binary.AppendUvarint(appendTag(nil, 1, varint), uint64(at.Unix()))
			return appendDelimited(b, f.number, binary.AppendUvarint(appendTag(stamp, 2, varint), uint64(at.Nanosecond()))), nil
		}
	case "struct":
		if o, is := v.(object); is {
			return appendDelimited(b, f.number, encodeStruct(o)), nil
		}
	case "value":
		return appendDelimited(b, f.number, encodeValue(v)), nil
	default:
		if names := p.enums[f.kind]; names != nil {
			name, _ := v.(string)
			if n := slices.Index(names, name); n >= 0 {
				return binary.AppendUvarint(appendTag(b, f.number, varint), uint64(n)), nil
			}
		} else if o, is := v.(object); is {
			content, err := p.encodeMessage(f.kind, o)
			return appendDelimited(b, f.number, content), err
		}
	}
	return nil, errKind
}

// encodeStruct writes a google.protobuf.Struct.
func encodeStruct(o object) (out []byte) {
	for name, v := range o {
		entry := appendDelimited(appendDelimited(nil, 1, []byte(name)), 2, encodeValue(v))
		out = appendDelimited(out, 1, entry)
	}
	return out
}

// encodeValue writes a google.protobuf.Value.
func encodeValue(v any) []byte {
	switch v := v.(type) {
	case string:
		return appendDelimited(nil, 3, []byte(v))
	case bool:
		n := uint64(0)
		if v {
			n = 1
		}
		return binary.AppendUvarint(appendTag(nil, 4, varint), n)
	case int:
		return binary.LittleEndian.AppendUint64(appendTag(nil, 2, eightByte), math.Float64bits(float64(v)))
	case object:
		return appendDelimited(nil, 5, encodeStruct(v))
	case []any:
		var list []byte
		for _, one := range v {
			list = appendDelimited(list, 1, encodeValue(one))
		}
		return appendDelimited(nil, 6, list)
	}
	return binary.AppendUvarint(appendTag(nil, 1, varint), 0)
}

// maxMessageDepth bounds the messages in each other.
const maxMessageDepth = 100

// A wireValue is the value of a field as it travelled.
type wireValue struct {
	number  int
	form    int
	integer uint64
	content []byte
}

var errProtobuf = errors.New("the message is no protobuf")

// splitMessage takes a message apart.
func splitMessage(b []byte) (out []wireValue, err error) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 > math.MaxInt32 {
			return nil, errProtobuf
		}
		b = b[n:]
		v := wireValue{number: int(tag >> 3), form: int(tag & 7)}
		switch v.form {
		case varint:
			if v.integer, n = binary.Uvarint(b); n <= 0 {
				return nil, errProtobuf
			}
			b = b[n:]
		case eightByte, fourByte:
			size := 8
			if v.form == fourByte {
				size = 4
			}
			if len(b) < size {
				return nil, errProtobuf
			}
			v.content, b = b[:size], b[size:]
		case delimited:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return nil, errProtobuf
			}
			v.content, b = b[n:n+int(size)], b[n+int(size):]
		default:
			return nil, errProtobuf
		}
		out = append(out, v)
	}
	return out, nil
}

// decodeMessage reads a message of a name. Fields that it does not know are passed over.
func (p *protoFile) decodeMessage(name string, b []byte, depth int) (object, error) {
	if depth > maxMessageDepth {
		return nil, errProtobuf
	}
	values, err := splitMessage(b)
	if err != nil {
		return nil, err
	}
	out := object{}
	for _, v := range values {
		i := slices.IndexFunc(p.messages[name], func(f protoField) bool { return f.number == v.number })
		if i < 0 {
			continue
		}
		f := p.messages[name][i]
		read, err := p.readValue(f, v, depth)
		if err != nil {
			return nil, err
		}
		if f.many {
			list, _ := out[f.name].([]any)
			read = append(list, read)
		}
		out[f.name] = read
	}
	return out, nil
}

// readValue reads the value of a field.
func (p *protoFile) readValue(f protoField, v wireValue, depth int) (any, error) {
	names := p.enums[f.kind]
	if scalar := names != nil || f.kind == "flag" || f.kind == "number"; scalar != (v.form == varint) || !scalar && v.form != delimited {
		return nil, errProtobuf
	}
	switch f.kind {
	case "text":
		return string(v.content), nil
	case "bytes":
		return base64.StdEncoding.EncodeToString(v.content), nil
	case "flag":
		return v.integer != 0, nil
	case "number":
		return int(int32(v.integer)), nil
	case "time":
		at, err := splitMessage(v.content)
		if err != nil {
			return nil, err
		}
		var seconds, nanos int64
		for _, one := range at {
			switch one.number {
			case 1:
				seconds = int64(one.integer)
			case 2:
				nanos = int64(one.integer)
			}
		}
		return time.Unix(seconds, nanos).UTC().Format(time.RFC3339Nano), nil
	case "struct":
		return decodeStruct(v.content, depth+1)
	case "value":
		return decodeValue(v.content, depth+1)
	}
	if names == nil {
		return p.decodeMessage(f.kind, v.content, depth+1)
	}
	if v.integer < uint64(len(names)) {
		return names[v.integer], nil
	}
	return json.Number(strconv.FormatUint(v.integer, 10)), nil
}

// decodeStruct reads a google.protobuf.Struct.
func decodeStruct(b []byte, depth int) (any, error) {
	entries, err := splitMessage(b)
	out := object{}
	for _, entry := range entries {
		pair, err := splitMessage(entry.content)
		if err != nil {
			return nil, err
		}
		name, value := "", any(nil)
		for _, one := range pair {
			switch one.number {
			case 1:
				name = string(one.content)
			case 2:
				if value, err = decodeValue(one.content, depth+1); err != nil {
					return nil, err
				}
			}
		}
		out[name] = value
	}
	return out, err
}

// decodeValue reads a google.protobuf.Value.
func decodeValue(b []byte, depth int) (value any, err error) {
	all, err := splitMessage(b)
	if err != nil || depth > maxMessageDepth {
		return nil, errProtobuf
	}
	for _, v := range all {
		switch {
		case v.number == 2 && len(v.content) == 8:
			value = math.Float64frombits(binary.LittleEndian.Uint64(v.content))
		case v.number == 3:
			value = string(v.content)
		case v.number == 4:
			value = v.integer != 0
		case v.number == 5:
			if value, err = decodeStruct(v.content, depth+1); err != nil {
				return nil, err
			}
		case v.number == 6:
			elements, err := splitMessage(v.content)
			if err != nil {
				return nil, err
			}
			list := []any{}
			for _, one := range elements {
				element, err := decodeValue(one.content, depth+1)
				if err != nil {
					return nil, err
				}
				list = append(list, element)
			}
			value = list
		}
	}
	return value, nil
}

// An rpc is how gRPC asks for an operation: a method, with the messages of the call and of the answer.
type rpc struct {
	method, call, answer string
	streams              bool
}

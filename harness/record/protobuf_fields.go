package record

import (
	"encoding/base64"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// DecodeBinaryField decodes a field whose name ends with -bin: base64, padded or not.
func DecodeBinaryField(v string) ([]byte, bool) {
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	return b, err == nil
}

// ProtobufField is a field of a protobuf message: a number or, of the type for bytes, what
// it holds and its end.
type ProtobufField struct {
	Num     protowire.Number
	IsBytes bool
	Number  uint64
	Content []byte
	End     int
}

// EachProtobufField goes over the fields of a protobuf message; it reports false if the bytes
// are none.
func EachProtobufField(b []byte, each func(f ProtobufField)) bool {
	for all := len(b); len(b) > 0; {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		f := ProtobufField{Num: num, IsBytes: typ == protowire.BytesType}
		switch typ {
		case protowire.VarintType:
			f.Number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.Content, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return false
		}
		b = b[n:]
		f.End = all - len(b)
		each(f)
	}
	return true
}

// countFields is about how many values a protobuf message has: fields at any depth,
// if all bytes count as a message but printable ones alone, which are a text.
func countFields(b []byte) int { return fieldsWithin(b, 0) }

func fieldsWithin(b []byte, depth int) (n int) {
	const deepest = 10_000 // which decoders go by
	EachProtobufField(b, func(f ProtobufField) {
		n++
		if depth < deepest && slices.ContainsFunc(f.Content, func(c byte) bool { return c < ' ' || c > '~' }) {
			n += fieldsWithin(f.Content, depth+1)
		}
	})
	return n
}

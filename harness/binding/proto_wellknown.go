package binding

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// wellKnown are the types of google.protobuf that have a form of their own in JSON, by how
// they are written in it.
var wellKnown map[protoreflect.FullName]func(r *messageReader, of protoreflect.MessageDescriptor, values fieldValues, at *fieldPath, depth int) error

func init() {
	wellKnown = map[protoreflect.FullName]func(*messageReader, protoreflect.MessageDescriptor, fieldValues, *fieldPath, int) error{
		timestampName: (*messageReader).writeTimestamp,
		structName:    (*messageReader).writeStruct,
		valueName:     (*messageReader).writeProtobufValue,
		listName:      (*messageReader).writeList,
		anyName:       (*messageReader).writeAnyKeepingUnknownBytes,
	}
}

const (
	timestampName = "google.protobuf.Timestamp"
	structName    = "google.protobuf.Struct"
	valueName     = "google.protobuf.Value"
	listName      = "google.protobuf.ListValue"
	anyName       = "google.protobuf.Any"
)

// The bounds of a Timestamp: the years 1 to 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

func (r *messageReader) writeTimestamp(of protoreflect.MessageDescriptor, values fieldValues, at *fieldPath, depth int) error {
	seconds := int64(values.firstOf(of.Fields().ByName("seconds")).number)
	nanos := int32(values.firstOf(of.Fields().ByName("nanos")).number)
	if seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999999999 {
		r.addFault(BadValue, at, "%d seconds and %d nanoseconds are no time from year 1 to 9999", seconds, nanos)
		r.out = append(r.out, '{')
		err := r.writeMembers(of, values, at, depth, true)
		r.out = append(r.out, '}')
		return err
	}
	format := "2006-01-02T15:04:05"
	switch { // no digits of the fraction, or three, six or nine, as protojson has it
	case nanos == 0:
	case nanos%1e6 == 0:
		format += ".000"
	case nanos%1e3 == 0:
		format += ".000000"
	default:
		format += ".000000000"
	}
	r.writeString(time.Unix(seconds, int64(nanos)).UTC().Format(format + "Z"))
	return nil
}

func (r *messageReader) writeStruct(of protoreflect.MessageDescriptor, values fieldValues, at *fieldPath, depth int) error {
	return r.writeMap(of.Fields().ByName("fields"), values[0], at, depth)
}

func (r *messageReader) writeList(of protoreflect.MessageDescriptor, values fieldValues, at *fieldPath, depth int) error {
	return r.writeFieldValue(of.Fields().ByName("values"), values[0], at, depth)
}

func (r *messageReader) writeProtobufValue(of protoreflect.MessageDescriptor, values fieldValues, at *fieldPath, depth int) error {
	for i := range of.Fields().Len() {
		switch f := of.Fields().Get(i); {
		case len(values[i]) == 0:
		case f.Name() == "null_value":
			r.out = append(r.out, "null"...)
			return nil
		default:
			return r.writeWireValueAsJSON(f, values[i][0], at, depth)
		}
	}
	r.addFault(BadValue, at, "a google.protobuf.Value that holds nothing, not even null")
	r.out = append(r.out, "null"...)
	return nil
}

// writeAnyKeepingUnknownBytes writes a message that names its own type. One that is not known keeps its bytes.
func (r *messageReader) writeAnyKeepingUnknownBytes(of protoreflect.MessageDescriptor, values fieldValues, at *fieldPath, depth int) error {
	url := values.firstOf(of.Fields().ByName("type_url")).bytes
	content := values.firstOf(of.Fields().ByName("value")).bytes
	r.out = append(r.out, `{"@type":`...)
	r.writeStringCheckingUTF8(string(url), at.memberPath("@type"))
	inner := r.protocol.findMessage(typeOf(string(url)))
	switch {
	case inner == nil:
		r.out = append(r.out, `,"value":"`...)
		r.out = base64.StdEncoding.AppendEncode(r.out, content)
		r.out = append(r.out, '"')
	case wellKnown[inner.FullName()] != nil: // which may be no object in JSON
		r.out = append(r.out, `,"value":`...)
		if err := r.writeMessage(inner, content, at.memberPath("value"), depth+1); err != nil {
			return err
		}
	default:
		values, err := r.splitFields(inner, content, at)
		if err == nil {
			err = r.writeMembers(inner, values, at, depth+1, false)
		}
		if err != nil {
			return err
		}
	}
	r.out = append(r.out, '}')
	return nil
}

// typeOf returns the name of the message at the end of a type's address.
func typeOf(url string) protoreflect.FullName {
	return protoreflect.FullName(url[strings.LastIndexByte(url, '/')+1:])
}

// parseTime reads a text as a Timestamp is written in JSON.
func parseTime(s string) (seconds int64, nanos int32, ok bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Unix() < firstSecond || t.Unix() > lastSecond {
		return 0, 0, false
	}
	return t.Unix(), int32(t.Nanosecond()), true
}

// wholeNumber reads a number that is an integer of so many bits.
func wholeNumber(text string, bits int, signed bool) (uint64, bool) {
	if signed {
		n, err := strconv.ParseInt(text, 10, bits)
		return uint64(n), err == nil
	}
	n, err := strconv.ParseUint(text, 10, bits)
	return n, err == nil
}

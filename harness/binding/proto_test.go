package binding

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// protocol10 is the protobuf of A2A 1.0.
func protocol10(t testing.TB) *Protocol {
	t.Helper()
	text, err := os.ReadFile("../../schema/a2a-1.0/a2a.proto")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile("a2a.proto", text, "lf.a2a.v1.A2AService")
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	p.setRequired(d)
	return p
}

func named(t testing.TB, p *Protocol, name string) protoreflect.MessageDescriptor {
	t.Helper()
	if !strings.Contains(name, ".") {
		name = "lf.a2a.v1." + name
	}
	m := p.findMessage(protoreflect.FullName(name))
	if m == nil {
		t.Fatalf("there is no message %s", name)
	}
	return m
}

func node(t testing.TB, text string) *record.Node {
	t.Helper()
	root, faults := record.ObserveJSON([]byte(text))
	if root == nil {
		t.Fatalf("%s: %v", text, faults)
	}
	return root
}

// What can be said in protobuf is read back as it was said, and the library of protobuf
// reads and writes the same.
func TestMessagesAndBack(t *testing.T) {
	p := protocol10(t)
	for _, c := range []struct{ message, text string }{
		{"SendMessageRequest", `{"tenant":"t","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"héllo\n\"\u0001"},{"raw":"AP8=","filename":"f"},{"url":"u:x","mediaType":"a/b"},{"data":{"a":[1,-2.5,1e+21,true,null,"x",{}],"b":{}}}],"metadata":{"k":1},"extensions":["e"],"referenceTaskIds":["r"]},"configuration":{"acceptedOutputModes":["text/plain"],"taskPushNotificationConfig":{"url":"https://h","authentication":{"scheme":"Bearer"}},"historyLength":0,"returnImmediately":true},"metadata":{"b":[],"a":null}}`},
		{"SendMessageRequest", `{"message":{"messageId":"","role":"ROLE_UNSPECIFIED","parts":[{"text":""},{"data":null},{"data":[]},{"data":0},{"data":false},{"data":""},{}]}}`},
		{"GetTaskRequest", `{"id":"t","historyLength":-7}`},
		{"ListTasksRequest", `{"status":"TASK_STATE_WORKING","pageSize":2147483647,"statusTimestampAfter":"2024-02-29T23:59:59.120Z","includeArtifacts":false}`},
		{"ListTasksRequest", `{"status":99,"statusTimestampAfter":"1970-01-01T00:00:00Z"}`},
		{"ListTasksRequest", `{"status":-1,"statusTimestampAfter":"0001-01-01T00:00:00.000000001Z"}`},
		{"Task", `{"id":"t","status":{"state":"TASK_STATE_COMPLETED","timestamp":"9999-12-31T23:59:59.999999Z"},"artifacts":[{"artifactId":"a","parts":[]}]}`},
		{"ListTasksResponse", `{"tasks":[],"nextPageToken":"","pageSize":0,"totalSize":0}`},
		{"StreamResponse", `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`},
		{"AgentCard", `{"name":"n","description":"","supportedInterfaces":[{"url":"u","protocolBinding":"GRPC","protocolVersion":"1.0"}],"version":"1","documentationUrl":"","capabilities":{"streaming":false},"securitySchemes":{"a":{"oauth2SecurityScheme":{"flows":{"deviceCode":{"deviceAuthorizationUrl":"d","tokenUrl":"t","scopes":{"x":"y","z":""}}}}}},"securityRequirements":[{"schemes":{"a":{"list":["x"]},"b":{}}}],"defaultInputModes":["i"],"defaultOutputModes":[],"skills":[]}`},
		{"google.rpc.Status", `{"code":5,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"id":"t"}},{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"f"}]}]}`},
		{"google.rpc.Status", `{"details":[{"@type":"x/google.protobuf.Struct","value":{"a":[1]}},{"@type":"x/google.protobuf.Timestamp","value":"2024-01-01T00:00:00Z"},{"@type":"x/google.protobuf.Value","value":null}]}`},
		{"google.rpc.Status", `{"details":[{"@type":"x/unheard.of","value":"AAE="}]}`},
	} {
		of := named(t, p, c.message)
		message, err := p.Write(of, node(t, c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		text, faults := p.Read(of, message)
		faults = slices.DeleteFunc(faults, func(f MessageFault) bool { return f.Kind == UnknownEnum })
		if string(text) != canonical(t, c.text) || len(faults) > 0 {
			t.Errorf("%s is read back as\n%s %v, want\n%s", c.message, text, faults, canonical(t, c.text))
		}
		if strings.Contains(c.text, "unheard.of") {
			continue // which the library cannot show
		}
		theirs := dynamicpb.NewMessage(of)
		if err := proto.Unmarshal(message, theirs); err != nil {
			t.Errorf("%s: the library cannot read it: %v", c.text, err)
			continue
		}
		// Nothing is missing: the library's own idea of the text is the same message.
		same := dynamicpb.NewMessage(of)
		if err := (protojson.UnmarshalOptions{Resolver: types{p}}).Unmarshal([]byte(c.text), same); err != nil {
			t.Errorf("%s: the library cannot read the text: %v", c.text, err)
			continue
		}
		if !proto.Equal(theirs, same) {
			t.Errorf("%s: the library reads\n%v\nof the bytes, and of the text\n%v", c.text, theirs, same)
		}
		bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(same)
		if again, _ := p.Read(of, bytes); err != nil || string(again) != string(text) {
			t.Errorf("what the library writes is read as\n%s, want\n%s", again, text)
		}
	}
}

// types finds messages for the library where a text names them.
type types struct{ *Protocol }

func (t types) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	return dynamicpb.NewMessageType(t.findMessage(name)), nil
}

func (t types) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	return t.FindMessageByName(typeOf(url))
}

func (types) FindExtensionByName(protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return nil, errors.New("there are none")
}

func (types) FindExtensionByNumber(protoreflect.FullName, protowire.Number) (protoreflect.ExtensionType, error) {
	return nil, errors.New("there are none")
}

// canonical is a text as it is read: entries of maps in order.
func canonical(t testing.TB, text string) string {
	return strings.Replace(text, `"metadata":{"b":[],"a":null}`, `"metadata":{"a":null,"b":[]}`, 1)
}

// What protobuf has no bytes for is told, so that nothing else is sent in its place.
func TestWhatProtobufCannotSay(t *testing.T) {
	p := protocol10(t)
	for _, c := range []struct{ message, text, why string }{
		{"GetTaskRequest", `{"id":7}`, "/id: the number 7 is no string"},
		{"GetTaskRequest", `{"id":null}`, "/id: null is no string"},
		{"GetTaskRequest", `{"id":"t","historyLength":"5"}`, `/historyLength: "5" is no int32`},
		{"GetTaskRequest", `{"id":"t","historyLength":1.5}`, "/historyLength: the number 1.5 is no int32"},
		{"GetTaskRequest", `{"id":"t","historyLength":2147483648}`, "/historyLength: the number 2147483648 is no int32"},
		{"GetTaskRequest", `{"id":"t","unheard":1}`, "/unheard: GetTaskRequest has no such member"},
		{"GetTaskRequest", `{"id":"t","history_length":1}`, "/history_length: GetTaskRequest has no such member"},
		{"GetTaskRequest", `{"id":"t","id":"t"}`, "/id: it is there twice"},
		{"GetTaskRequest", `[]`, "the whole: array is no GetTaskRequest"},
		{"GetTaskRequest", `null`, "the whole: null is no GetTaskRequest"},
		{"SendMessageRequest", `{"message":"hello"}`, "/message: string is no Message"},
		{"SendMessageRequest", `{"message":{"role":"user"}}`, `/message/role: "user" is no Role`},
		{"SendMessageRequest", `{"message":{"role":1}}`, "/message/role: the number 1 is no Role"},
		{"SendMessageRequest", `{"message":{"parts":{}}}`, "/message/parts: object is no list"},
		{"SendMessageRequest", `{"message":{"parts":[null]}}`, "/message/parts/0: null is no Part"},
		{"SendMessageRequest", `{"message":{"parts":[{"text":"a","url":"b"}]}}`, "/message/parts/0/url: text is there already, and one of them may be"},
		{"SendMessageRequest", `{"message":{"parts":[{"raw":"AA"}]}}`, `/message/parts/0/raw: "AA" is no base64 with its padding`},
		{"SendMessageRequest", `{"message":{"metadata":[]}}`, "/message/metadata: array is no map"},
		{"SendMessageRequest", `{"metadata":{"a":{"b":12345678901234567890}}}`, "/metadata/a/b: the number 12345678901234567890 becomes 12345678901234567000"},
		{"SendMessageRequest", `{"metadata":{"a":1,"a":2}}`, "/metadata/a: it is there twice"},
		{"ListTasksRequest", `{"statusTimestampAfter":"yesterday"}`, `/statusTimestampAfter: "yesterday" is no time`},
		{"ListTasksRequest", `{"includeArtifacts":"yes"}`, `/includeArtifacts: "yes" is no bool`},
		{"google.rpc.Status", `{"details":[{"@type":"x/unheard.of","a":1}]}`, "/details/0: x/unheard.of is not known"},
	} {
		_, err := p.Write(named(t, p, c.message), node(t, c.text))
		if want := "protobuf cannot say that: " + c.why; err == nil || err.Error() != want || !errors.Is(err, ErrNotInProtobuf) {
			t.Errorf("%s: %v, want %s", c.text, err, want)
		}
	}
	deep := strings.Repeat(`[`, 500) + strings.Repeat(`]`, 500)
	if _, err := p.Write(named(t, p, "SendMessageRequest"), node(t, `{"metadata":{"a":`+deep+`}}`)); !errors.Is(err, ErrNotInProtobuf) {
		t.Errorf("500 lists in each other: %v", err)
	}
}

// field is one field of a message as it is on the wire.
func field(number protowire.Number, value any) []byte {
	switch value := value.(type) {
	case int:
		return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), uint64(value))
	case string:
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value)
	case []byte:
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	panic(fmt.Sprintf("%T", value))
}

func joined(parts ...[]byte) []byte { return slices.Concat(parts...) }

// What the JSON of a message does not show is told beside it.
func TestFaultsOfMessages(t *testing.T) {
	p := protocol10(t)
	for _, c := range []struct {
		name, message string
		bytes         []byte
		text          string // "" for none
		faults        string
	}{
		{"nothing", "Empty", nil, `{}`, ""},
		{"an unknown field", "GetTaskRequest", joined(field(2, "t"), field(99, 1), field(2000, "ab")), `{"id":"t"}`, "unknown at : GetTaskRequest has no field 99 (a varint of 1 bytes)|unknown at : GetTaskRequest has no field 2000 (a length and bytes of 3 bytes)"},
		{"one further in", "SendMessageRequest", field(2, joined(field(1, "m"), field(77, "x"))), `{"message":{"messageId":"m","role":"ROLE_UNSPECIFIED","parts":[]}}`, "unknown at /message: Message has no field 77 (a length and bytes of 2 bytes)"},
		{"another wire type", "GetTaskRequest", joined(field(2, 7), field(3, "x")), `{"id":""}`, "wire-type at /id: field 2 of GetTaskRequest came as a varint, and is a length and bytes|wire-type at /historyLength: field 3 of GetTaskRequest came as a length and bytes, and is a varint"},
		{"an unknown state", "TaskStatus", field(1, 42), `{"state":42}`, "enum at /state: TaskState has no value 42"},
		{"the state that says nothing", "TaskStatus", field(1, 0), `{"state":"TASK_STATE_UNSPECIFIED"}`, ""},
		{"no state", "TaskStatus", nil, `{"state":"TASK_STATE_UNSPECIFIED"}`, ""},
		{"what says nothing", "Message", joined(field(2, ""), field(8, "")), `{"messageId":"","role":"ROLE_UNSPECIFIED","parts":[],"referenceTaskIds":[""]}`, ""},
		{"zero where it says something", "GetTaskRequest", field(3, 0), `{"id":"","historyLength":0}`, ""},
		{"nothing of several", "StreamResponse", nil, `{}`, ""},
		{"two of several", "StreamResponse", joined(field(2, field(1, "m")), field(1, field(1, "t"))), `{"task":{"id":"t"}}`, "oneof at : task came after message, and one of them may be there; the last counts"},
		{"a number twice", "GetTaskRequest", joined(field(3, 1), field(3, 2)), `{"id":"","historyLength":2}`, "repetition at /historyLength: field 3 of GetTaskRequest came again"},
		{"a message twice", "Task", joined(field(3, field(1, 1)), field(3, field(3, field(1, 60)))), `{"id":"","status":{"state":"TASK_STATE_SUBMITTED","timestamp":"1970-01-01T00:01:00Z"}}`, "repetition at /status: field 3 of Task came again"},
		{"no UTF-8", "GetTaskRequest", field(2, "a\xff\"b"), "{\"id\":\"a\xff\\\"b\"}", "bad-text at /id: the text is no UTF-8"},
		{"no UTF-8 in a name", "Struct", field(1, joined(field(1, "\xfe"), field(2, field(4, 1)))), "{\"\xfe\":true}", "bad-text at : the text is no UTF-8"},
		{"a time that is none", "TaskStatus", joined(field(1, 1), field(3, joined(field(1, 1), field(2, -1)))), `{"state":"TASK_STATE_SUBMITTED","timestamp":{"seconds":"1","nanos":-1}}`, "bad-value at /timestamp: 1 seconds and -1 nanoseconds are no time from year 1 to 9999"},
		{"a value that is none", "Part", field(4, ""), `{"data":null}`, "bad-value at /data: a google.protobuf.Value that holds nothing, not even null"},
		{"a number that is none", "Part", field(4, []byte("\x11\x00\x00\x00\x00\x00\x00\xf8\x7f")), `{"data":"NaN"}`, "bad-value at /data: no number"},
		{"an infinite number", "Part", field(4, []byte("\x11\x00\x00\x00\x00\x00\x00\xf0\xff")), `{"data":"-Infinity"}`, "bad-value at /data: an infinite number"},
		{"an entry without anything", "SecurityRequirement", field(1, ""), `{"schemes":{"":{}}}`, ""},
		{"entries with one key", "SecurityRequirement", joined(field(1, joined(field(1, "b"))), field(1, field(1, "a")), field(1, joined(field(1, "b"), field(2, field(1, "x"))))), `{"schemes":{"a":{},"b":{"list":["x"]}}}`, "repetition at /schemes: an entry of schemes came again"},
		{"half a tag", "GetTaskRequest", []byte{0x80}, "", "malformed at : no field begins where one should, in GetTaskRequest: unexpected EOF"},
		{"the field 0", "GetTaskRequest", []byte{0x00, 0x01}, "", "malformed at : no field begins where one should, in GetTaskRequest: invalid field number"},
		{"too short", "GetTaskRequest", []byte{0x12, 0x05, 'a'}, "", "malformed at : field 2 of GetTaskRequest is broken: unexpected EOF"},
		{"broken further in", "SendMessageRequest", field(2, []byte{0x0a, 0x05}), "", "malformed at /message: field 1 of Message is broken: unexpected EOF"},
		{"the end of a group", "GetTaskRequest", []byte{0x14}, "", "malformed at : field 2 of GetTaskRequest is broken: mismatching end group marker"},
		{"an error info that is broken", "google.rpc.Status", field(3, joined(field(1, "t/google.rpc.ErrorInfo"), field(2, []byte{0x0a}))), "", "malformed at /details/0: field 1 of ErrorInfo is broken: unexpected EOF"},
	} {
		name := c.message
		if name == "Empty" || name == "Struct" {
			name = "google.protobuf." + name
		}
		of := protoreflect.MessageDescriptor(nil)
		switch c.message {
		case "Empty":
			of = p.Service.Methods().ByName("DeleteTaskPushNotificationConfig").Output()
		case "Struct":
			of = named(t, p, "Task").Fields().ByName("metadata").Message()
		default:
			of = named(t, p, name)
		}
		text, faults := p.Read(of, c.bytes)
		var told []string
		for _, f := range faults {
			told = append(told, fmt.Sprintf("%s at %s: %s", f.Kind, f.Pointer, f.Detail))
		}
		if got := strings.Join(told, "|"); string(text) != c.text || got != c.faults {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, text, got, c.text, c.faults)
		}
	}
}

// Messages that are made to cost much cost no more than our limits.
func TestLargeMessages(t *testing.T) {
	p := protocol10(t)
	of := named(t, p, "Part")
	deep := field(1, 0)
	for range 2000 {
		deep = field(6, field(1, deep)) // a list in a list
	}
	for _, c := range []struct {
		name  string
		bytes []byte
		kind  MessageFaultKind
	}{
		{"deep", field(4, deep), MessageTooDeep},
		{"wide", bytes.Repeat(field(99, 1), maxMessageValues+1), MessageTooLarge},
		{"a message again and again", bytes.Repeat(field(5, ""), maxMessageValues+1), MessageTooLarge},
		{"a wide list", field(4, field(6, bytes.Repeat(field(1, ""), maxMessageValues))), MessageTooLarge},
	} {
		text, faults := p.Read(of, c.bytes)
		if text != nil || len(faults) == 0 || faults[len(faults)-1].Kind != c.kind || len(faults) > maxFaults+1 {
			t.Errorf("%s: %d bytes of text, %d faults, %v", c.name, len(text), len(faults), faults[len(faults)-1:])
		}
	}
}

// The methods of the dialect are in the file, with the messages that the dialect
// describes.
func TestServiceOfTheFile(t *testing.T) {
	p := protocol10(t)
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for op, method := range d.Methods() {
		m := p.Service.Methods().ByName(protoreflect.Name(method))
		if m == nil {
			t.Errorf("there is no method %s", method)
			continue
		}
		is := d.Operation(op)
		if string(m.Input().Name()) != is.Params || m.IsStreamingServer() != is.Streams || m.IsStreamingClient() {
			t.Errorf("%s takes %s, want %s; it streams: %v", method, m.Input().Name(), is.Params, m.IsStreamingServer())
		}
		if is.Result != "" && strings.TrimPrefix(is.Result, "Extended") != string(m.Output().Name()) {
			t.Errorf("%s gives %s, want %s", method, m.Output().Name(), is.Result)
		}
	}
	if n := p.Service.Methods().Len(); n != len(d.Methods()) {
		t.Errorf("the file has %d methods, and the dialect %d operations", n, len(d.Methods()))
	}
	// What the dialect describes by a definition of the same name has the same members.
	for i := range p.files[0].Messages().Len() {
		m := p.files[0].Messages().Get(i)
		for member := range p.required[m.Name()] {
			if m.Fields().ByJSONName(member) == nil && m.Name() != "StreamResponse" { // that is the envelope of an event there
				t.Errorf("%s has no member %s, which the dialect requires", m.Name(), member)
			}
		}
	}
}

func FuzzMessages(f *testing.F) {
	p := protocol10(f)
	names := []string{"StreamResponse", "ListTasksResponse", "AgentCard", "SendMessageRequest", "TaskPushNotificationConfig", "google.rpc.Status"}
	for i, text := range []string{
		`{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING","timestamp":"2024-01-01T00:00:00Z"},"metadata":{"a":[1,{}]}}}`,
		`{"tasks":[{"id":"t"}],"totalSize":3}`,
		`{"name":"n","securitySchemes":{"a":{"mtlsSecurityScheme":{}}},"capabilities":{"streaming":true}}`,
		`{"message":{"parts":[{"raw":"AAE="},{"data":[1,null,"x"]}]}}`,
		`{"id":"i"}`,
		`{"code":5,"details":[{"@type":"a/google.rpc.ErrorInfo","reason":"R"}]}`,
	} {
		b, err := p.Write(named(f, p, names[i]), node(f, text))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), b)
	}
	f.Add(uint8(0), joined(field(1, field(1, "t")), field(1, field(1, "u")), field(2, field(1, "m"))))
	f.Add(uint8(4), joined(field(5, ""), field(1, "")))
	f.Add(uint8(5), []byte("\x88\x88\x88\x8800")) // a number beyond all fields
	f.Add(uint8(2), []byte("B\a\n\x010\b000"))    // a map's key as text, and again as a number
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		of := named(t, p, names[int(which)%len(names)])
		text, faults := p.Read(of, b)
		has := func(kinds ...MessageFaultKind) bool {
			return slices.ContainsFunc(faults, func(f MessageFault) bool { return slices.Contains(kinds, f.Kind) })
		}
		if text == nil {
			if !has(MessageMalformed, MessageTooDeep, MessageTooLarge) {
				t.Fatalf("no text, and no reason: %v", faults)
			}
			return
		}
		if !has(WrongWireType) { // the library panics at a map's key of another wire type
			theirs := dynamicpb.NewMessage(of)
			if err := proto.Unmarshal(b, theirs); err != nil && !has(BadText, Repeated, SeveralOfOne) { // what does not count was not looked at
				t.Fatalf("the library refuses it (%v), and it is read as %s", err, text)
			}
		}
		root, said := record.ObserveJSON(text)
		if root == nil {
			t.Fatalf("%q is no JSON: %v", text, said)
		}
		if has(BadText, BadValue, UnknownField, WrongWireType) {
			return
		}
		if len(said) > 0 && said[0].Kind != record.FaultHugeNumber {
			t.Fatalf("%s: %v", text, said)
		}
		again, err := p.Write(of, root)
		if err != nil {
			t.Fatalf("%s cannot be written: %v", text, err)
		}
		if back, _ := p.Read(of, again); !bytes.Equal(back, text) {
			t.Fatalf("%s was read, and when written again %s", text, back)
		}
	})
}

// What gRPC costs where it is spoken; elsewhere nothing of it is done.
func BenchmarkCompile(b *testing.B) {
	text, err := os.ReadFile("../../schema/a2a-1.0/a2a.proto")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Compile("a2a.proto", text, "lf.a2a.v1.A2AService"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadMessage(b *testing.B) {
	p := protocol10(b)
	of := named(b, p, "SendMessageResponse")
	message, err := p.Write(of, node(b, `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2024-01-01T00:00:00Z"},"artifacts":[{"artifactId":"a","parts":[{"text":"hello"}]}]}}`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p.Read(of, message)
	}
}

// What we write is what the library makes of the same text.
func FuzzWhatIsWritten(f *testing.F) {
	p := protocol10(f)
	of := named(f, p, "SendMessageRequest")
	f.Add(`{"tenant":"t","message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{"raw":"AP8="},{"data":{"a":[1,-2.5e-7,null]}}],"extensions":["e"]},"configuration":{"historyLength":-1,"returnImmediately":true}}`)
	f.Add(`{"message":{"role":9,"metadata":{"":{"k":[[]]}}},"metadata":{}}`)
	f.Add(`{"message":null,"metadata":{"a":1,"a":2}}`)
	f.Fuzz(func(t *testing.T, text string) {
		root, faults := record.ObserveJSON([]byte(text))
		if root == nil || len(faults) > 0 {
			return
		}
		message, err := p.Write(of, root)
		if err != nil {
			if !errors.Is(err, ErrNotInProtobuf) {
				t.Fatal(err)
			}
			return
		}
		ours, theirs := dynamicpb.NewMessage(of), dynamicpb.NewMessage(of)
		if err := proto.Unmarshal(message, ours); err != nil {
			t.Fatalf("%s is written as %x: %v", text, message, err)
		}
		if err := protojson.Unmarshal([]byte(text), theirs); err != nil {
			t.Fatalf("the library refuses %s, which is written as %x: %v", text, message, err)
		}
		if !proto.Equal(ours, theirs) {
			t.Fatalf("%s is written as\n%v, want\n%v", text, ours, theirs)
		}
	})
}

package record

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// A Translator shows the messages of a gRPC service as JSON. It is asked for the same
// message again and again, and gives the same text each time.
type Translator interface {
	// JSON is a message that was sent to a method of the service, or came from it.
	JSON(method string, sent bool, payload []byte) ([]byte, error)
	// Detail is a detail of a status: an object whose @type is the URL.
	Detail(d GRPCDetail) ([]byte, error)
	// Streams reports whether the method answers by a stream.
	Streams(method string) bool
}

// translators are the translators of services, by the full name of the service.
var translators sync.Map

// Translate registers who shows the messages of a service. Without one the messages are
// bytes: exchanges with it have no readable reply.
func Translate(service string, by Translator) { translators.Store(service, by) }

// translatorOf is who knows the service of a path such as /service/Method.
func translatorOf(path string) (by Translator, method string) {
	service, method, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if by, known := translators.Load(service); ok && known {
		return by.(Translator), method
	}
	return nil, method
}

// methodStreams reports whether the method at a path answers by a stream, as far as that
// is known.
func methodStreams(path string) (streams, known bool) {
	by, method := translatorOf(path)
	if by == nil {
		return false, false
	}
	return by.Streams(method), true
}

// maxGRPCFields bounds what is translated: a field takes one or two bytes in protobuf
// and hundreds in memory.
const maxGRPCFields = 1 << 16

// maxGRPCText bounds the JSON of one message: the number of an enum takes one byte in
// protobuf, and its name many.
const maxGRPCText = 2 * MaxBody

// maxStatusText bounds how many bytes of a status message a document has, which holds several
// copies of it. The trailers, which are the evidence, have the whole.
const maxStatusText = 64 << 10

// observeMessage is a message to a method, or from it, read as JSON, and its text.
func observeMessage(path string, sent bool, m GRPCMessage) (text []byte, d Document) {
	text, fault := translateMessageToJSON(path, sent, m)
	if fault != nil {
		return nil, Document{Faults: []JSONFault{*fault}}
	}
	d.Root, d.Faults = ObserveJSON(text)
	return text, d
}

// translateMessageToJSON is the text of such a message, or why it has none.
func translateMessageToJSON(path string, sent bool, m GRPCMessage) ([]byte, *JSONFault) {
	by, method := translatorOf(path)
	switch {
	case by == nil:
		return nil, &JSONFault{Kind: FaultEmpty, Detail: "a message of a service that is not known"}
	case !m.Sound():
		return nil, &JSONFault{Kind: FaultNotJSON, Detail: m.Fault}
	case countFields(m.Payload) > maxGRPCFields:
		return nil, &JSONFault{Kind: FaultTooLarge, Detail: fmt.Sprintf("more than %d fields", maxGRPCFields)}
	}
	text, err := by.JSON(method, sent, m.Payload)
	switch {
	case err != nil:
		return nil, &JSONFault{Kind: FaultNotJSON, Detail: err.Error()}
	case len(text) > maxGRPCText:
		return nil, &JSONFault{Kind: FaultTooLarge, Detail: fmt.Sprintf("more than %d MiB of text", maxGRPCText>>20)}
	}
	return unpadSecretMarks(text), nil
}

// errorDocument is a status that is one of an error, in the shape that google.rpc.Status
// has in the JSON of Google's interfaces.
func (x *Exchange) errorDocument(g *GRPC) (text []byte, d Document) {
	type status struct {
		Code    int               `json:"code"`
		Status  string            `json:"status,omitempty"`
		Message string            `json:"message"`
		Details []json.RawMessage `json:"details,omitempty"`
	}
	s := status{Code: g.Code, Status: g.Status(), Message: g.Message}
	if len(s.Message) > maxStatusText {
		s.Message = strings.ToValidUTF8(s.Message[:maxStatusText], "") + CutMark
	}
	by, _ := translatorOf(g.Method)
	for _, one := range g.Details {
		var text []byte
		err := error(nil)
		if by != nil && countFields(one.Value) <= maxGRPCFields {
			text, err = by.Detail(one)
		}
		if by == nil || err != nil || !json.Valid(text) {
			text, _ = json.Marshal(map[string]any{"@type": one.TypeURL, "value": one.Value})
		}
		s.Details = append(s.Details, text)
	}
	text, err := json.Marshal(map[string]status{"error": s})
	if err == nil {
		d.Root, d.Faults = ObserveJSON(text)
	}
	return text, d
}

// rpcReply is a response of gRPC as one document: the error if the call failed,
// else the first message.
func (x *Exchange) rpcReply(g *GRPC) (text []byte, d Document) {
	switch {
	case g.Failed():
		return x.errorDocument(g)
	case len(g.Messages) > 0:
		return observeMessage(g.Method, false, g.Messages[0])
	case g.Rest != nil:
		return observeMessage(g.Method, false, *g.Rest)
	}
	return nil, Document{Faults: []JSONFault{{Kind: FaultEmpty, Detail: "there is no message"}}}
}

// rpcEvents are the messages of a stream as events, and the error by which it ended.
func (x *Exchange) rpcEvents(g *GRPC) (events []Event, rest *Frame) {
	at := 0
	for _, m := range g.Messages {
		e := rpcEvent(g.Method, m, at)
		at = e.End
		events = append(events, e)
	}
	if g.Failed() {
		text, d := x.errorDocument(g)
		events = append(events, Event{Frame{Data: string(text), HasData: true, Retry: -1, Start: at, End: at, DataStart: at, DataEnd: at, At: x.End}, d})
	}
	if g.Rest != nil {
		rest = &Frame{Retry: -1, Start: at, End: at + g.Rest.Size, At: g.Rest.At, Faults: []SSEFault{{SSEIncompleteLast, g.Rest.Fault, at}}}
	}
	return events, rest
}

// rpcEvent is a message of a stream as an event; at is its offset.
func rpcEvent(path string, m GRPCMessage, at int) Event {
	text, d := observeMessage(path, false, m)
	return Event{Frame{Data: string(text), HasData: true, Retry: -1, Start: at, End: at + m.Size, DataStart: at, DataEnd: at + m.Size, At: m.At}, d}
}

// rpcCall is the request of a call of gRPC as one document.
func (x *Exchange) rpcCall() (text []byte, d Document) {
	if all := x.Request.GRPCMessages(); len(all) > 0 {
		return observeMessage(x.calledPath(), true, all[0])
	}
	return nil, Document{Faults: []JSONFault{{Kind: FaultEmpty, Detail: "there is no message"}}}
}

// formatMessages is one half of an exchange of gRPC for a viewer's eyes: a line for each
// message.
func (x *Exchange) formatMessages(sent bool) string {
	var lines []string
	g, messages := x.GRPC(), x.Request.GRPCMessages()
	if !sent && g == nil {
		return ""
	}
	if !sent {
		messages = g.Messages
	}
	for _, m := range messages {
		text, _ := translateMessageToJSON(x.calledPath(), sent, m)
		lines = append(lines, string(text))
	}
	if !sent && g.Failed() {
		text, _ := x.errorDocument(g)
		lines = append(lines, string(text))
	}
	return strings.Join(lines, "\n")
}

// Reframe returns a copy of the exchange in which one message of the response has
// another payload. Times stay.
func (x *Exchange) Reframe(i int, payload []byte) *Exchange {
	y := x.copyWithoutObservations()
	messages := x.Response.GRPCMessages()
	if i >= 0 && i < len(messages) {
		size := int64(len(payload))
		y.Response.Framing.Received += size - messages[i].Received
		messages[i] = GRPCMessage{GRPCPrefix{At: messages[i].At, Declared: size, Received: size, Size: len(payload)}, payload}
	}
	y.Response.setMessages(messages)
	return y
}

package binding

import (
	"encoding/json"
	"fmt"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// The keys of what is made once of a dialect, by the name of the binding.
type (
	protocolOf   string
	translatorOf string
)

// loadProtocol returns what the proto file states. It is read when the first message is written or
// read: most runs have none.
func (b *grpcBinding) loadProtocol() (*Protocol, error) {
	return b.dialect.Once(protocolOf(b.name), func() any {
		return sync.OnceValues(func() (*Protocol, error) {
			p, err := Compile(b.is.Proto, b.dialect.ProtoFile(b.is), b.is.Service)
			if err != nil {
				return nil, err
			}
			p.setRequired(b.dialect)
			for op, method := range b.is.Methods {
				if p.findMethod(method) == nil {
					return nil, fmt.Errorf("%s has no method %s for the operation %s", b.is.Service, method, op)
				}
			}
			return p, nil
		})
	}).(func() (*Protocol, error))()
}

// encodeParams writes the parameters of a call of a method.
func (b *grpcBinding) encodeParams(method string, params any) ([]byte, error) {
	p, err := b.loadProtocol()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	root, faults := record.ObserveJSON(text)
	m := p.findMethod(method)
	switch {
	case params == nil || m == nil && string(text) == "{}":
		return nil, nil
	case m == nil:
		return nil, fmt.Errorf("%w: parameters of %s, which is not described", ErrNotInProtobuf, method)
	case len(faults) > 0: // a number that is too large to judge, or half a character
		return nil, fmt.Errorf("%w: %s: %s", ErrNotInProtobuf, faults[0].Pointer, faults[0].Detail)
	}
	return p.Write(m.Input(), root)
}

// methodOf returns the method that an exchange called, and the protocol that describes it. If there
// is none, the error is ErrNotInProtobuf.
func methodOf(b Binding, x *record.Exchange) (*Protocol, protoreflect.MethodDescriptor, error) {
	of, is := b.(*grpcBinding)
	if !is || x.GRPC() == nil {
		return nil, nil, ErrNotInProtobuf
	}
	p, err := of.loadProtocol()
	if err != nil {
		return nil, nil, err
	}
	m := p.findMethod(of.Sent(x).Named)
	if m == nil {
		return nil, nil, ErrNotInProtobuf
	}
	return p, m, nil
}

// MessageFaults returns the faults of the messages of an answer that its JSON hides, if the
// binding has such messages: by the place of the message in the answer, from 0.
func MessageFaults(b Binding, x *record.Exchange) map[int][]MessageFault {
	p, m, err := methodOf(b, x)
	if err != nil {
		return nil
	}
	out := map[int][]MessageFault{}
	for i, one := range x.GRPC().Messages {
		if _, faults := p.Read(m.Output(), one.Payload); one.Sound() && len(faults) > 0 {
			out[i] = faults
		}
	}
	return out
}

// Rewritten returns an answer of gRPC in which one message, that of an event or the reply, states
// what a text of JSON states. If protobuf cannot say that, the error is ErrNotSayable.
func Rewritten(b Binding, x *record.Exchange, event int, text []byte) (*record.Exchange, error) {
	p, m, err := methodOf(b, x)
	if err != nil {
		return nil, err
	}
	g, i := x.GRPC(), max(0, event-1)
	if i >= len(g.Messages) || event == 0 && g.Failed() {
		return nil, ErrNotInProtobuf
	}
	root, _ := record.ObserveJSON(text)
	payload, err := p.Write(m.Output(), root)
	if err != nil {
		return nil, err
	}
	if shown, err := p.decodeMessageToJSON(m.Output(), payload); err != nil || !isSameJSON(shown, root) {
		return nil, ErrNotInProtobuf
	}
	return x.Reframe(i, payload), nil
}

// isSameJSON reports whether a text describes what a value of JSON does.
func isSameJSON(text []byte, root *record.Node) bool {
	again, _ := record.ObserveJSON(text)
	return again != nil && root != nil && again.Equal(root)
}

// translator shows messages to who reads the record.
type translator struct{ of func() (*Protocol, error) }

func (t *translator) JSON(method string, sent bool, payload []byte) ([]byte, error) {
	p, err := t.of()
	if err != nil {
		return nil, err
	}
	m := p.findMethod(method)
	if m == nil {
		return nil, fmt.Errorf("a message of the method %s, which is not described", method)
	}
	of := m.Output()
	if sent {
		of = m.Input()
	}
	return p.decodeMessageToJSON(of, payload)
}

func (t *translator) Detail(d record.GRPCDetail) ([]byte, error) {
	p, err := t.of()
	if err != nil {
		return nil, err
	}
	of := p.Status.Fields().ByName("details").Message()
	packed := protowire.AppendString(protowire.AppendTag(nil, of.Fields().ByName("type_url").Number(), protowire.BytesType), d.TypeURL)
	packed = protowire.AppendBytes(protowire.AppendTag(packed, of.Fields().ByName("value").Number(), protowire.BytesType), d.Value)
	return p.decodeMessageToJSON(of, packed)
}

func (t *translator) Streams(method string) bool {
	p, err := t.of()
	if err != nil {
		return false
	}
	m := p.findMethod(method)
	return m != nil && m.IsStreamingServer()
}

// ErrNotGRPC is why a binding writes no messages of gRPC.
const ErrNotGRPC = inexpressible("this binding has no messages of gRPC")

// EncodeReply writes what a text of JSON states as a message by which a call of an operation is answered. The text has the JSON
// of the message.
func EncodeReply(b Binding, op string, text []byte) ([]byte, error) {
	of, is := b.(*grpcBinding)
	if !is {
		return nil, ErrNotGRPC
	}
	p, err := of.loadProtocol()
	if err != nil {
		return nil, err
	}
	m := p.findMethod(of.is.Methods[op])
	if m == nil {
		return nil, fmt.Errorf("%w: an answer to %s, which is not described", ErrNotInProtobuf, op)
	}
	root, _ := record.ObserveJSON(text)
	return p.Write(m.Output(), root)
}

// EncodeStatus writes what a text of JSON states as a google.rpc.Status, by which calls are refused.
func EncodeStatus(b Binding, text []byte) ([]byte, error) {
	of, is := b.(*grpcBinding)
	if !is {
		return nil, ErrNotGRPC
	}
	p, err := of.loadProtocol()
	if err != nil {
		return nil, err
	}
	root, _ := record.ObserveJSON(text)
	return p.Write(p.Status, root)
}

// SentMessageFaults returns the faults of the message of a call that its JSON hides, if the binding has such messages and
// describes the method.
func SentMessageFaults(b Binding, x *record.Exchange) (faults []MessageFault) {
	of, is := b.(*grpcBinding)
	if !is {
		return nil
	}
	p, err := of.loadProtocol()
	if err != nil {
		return nil
	}
	m := p.findMethod(of.Sent(x).Named)
	if m == nil {
		return nil
	}
	for _, one := range x.Request.GRPCMessages() {
		if one.Sound() {
			_, found := p.Read(m.Input(), one.Payload)
			faults = append(faults, found...)
		}
	}
	return faults
}

// IsCalledPath reports whether the address of an exchange ends with a method of the service of a binding, whether or not the
// operations have it.
func IsCalledPath(b Binding, x *record.Exchange) bool {
	of, is := b.(*grpcBinding)
	if !is {
		return false
	}
	p, err := of.loadProtocol()
	return err == nil && p.findMethod(of.Sent(x).Named) != nil
}

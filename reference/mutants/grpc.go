package mutants

import (
	"net/http"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Recalled makes a server that takes the full name of a method for another.
func Recalled(edit func(name string) string) func(*http.Request) {
	return func(r *http.Request) { r.URL.Path = edit(r.URL.Path) }
}

// Uncalled makes a mutant that does not have one method of the service.
func Uncalled(service, name, variant, method string) front.Mutant {
	full := "/" + service + "/" + method
	return front.Mutant{Name: name, Area: "grpc", Variant: variant, Summary: method + " is not served over gRPC.",
		Procedure: Recalled(func(name string) string {
			if name == full {
				return Nowhere
			}
			return name
		})}
}

// Within calls f for every message of a type inside a message of gRPC; an empty type
// stands for any.
func Within(m protoreflect.Message, name protoreflect.Name, f func(protoreflect.Message)) {
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			for i := range v.List().Len() {
				Within(v.List().Get(i).Message(), name, f)
			}
		default:
			Within(v.Message(), name, f)
		}
		return true
	})
	if name == "" || m.Descriptor().Name() == name {
		f(m)
	}
}

// Sending edits the messages of a type in what gRPC sends.
func Sending(name protoreflect.Name, edit func(protoreflect.Message)) func(*front.Parcel) {
	return func(p *front.Parcel) {
		if p.Message != nil {
			Within(p.Message, name, edit)
		}
	}
}

// Field is a field of a message by its name; nil if it has none of that name.
func Field(m protoreflect.Message, field protoreflect.Name) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(field)
}

// Clearing makes a server that leaves out one field of the messages of a type.
func Clearing(name, field protoreflect.Name) func(*front.Parcel) {
	return Sending(name, func(m protoreflect.Message) { m.Clear(Field(m, field)) })
}

// GrpcMutants are about gRPC, whatever the version of the protocol is.
var GrpcMutants = map[string]front.Mutant{
	"grpc-fields-retyped": {Grpc: Sending("Task", func(task protoreflect.Message) {
		field := Field(task, "context_id")
		number := protowire.AppendTag(task.GetUnknown(), field.Number(), protowire.VarintType)
		task.Clear(field)
		task.SetUnknown(protowire.AppendVarint(number, 7))
	})},
	"grpc-state-unspecified": {Grpc: Sending("TaskStatus", func(status protoreflect.Message) {
		if state := Field(status, "state"); status.Get(state).Enum() == 3 {
			status.Clear(state)
		}
	})},
	"grpc-event-empty": {Event: func(f *front.Frame) {
		if f.Count == 1 && f.Reply.Binding() == front.GRPC {
			f.After = append(f.After, f.Further(map[string]any{}))
		}
	}},
	"grpc-guard-open": {Guard: func(c *front.Caller) {
		if front.OverGRPC(c.Http) && c.Client == "" && c.Credential == "" {
			c.Client, c.Owner = "first", ""
		}
	}},
}

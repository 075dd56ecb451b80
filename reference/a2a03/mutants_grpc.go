package a2a03

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// clearAllFields leaves nothing in a message.
func clearAllFields(m protoreflect.Message) {
	for i := range m.Descriptor().Fields().Len() {
		m.Clear(m.Descriptor().Fields().Get(i))
	}
}

// clearFieldOfMessageAnswers edits the messages that are answers of their own.
func clearFieldOfMessageAnswers(field protoreflect.Name) func(*front.GRPCMessage) {
	return func(p *front.GRPCMessage) {
		if p.Message == nil {
			return
		}
		if msg := mutants.Field(p.Message, "msg"); msg != nil && p.Message.Has(msg) {
			m := p.Message.Get(msg).Message()
			m.Clear(mutants.Field(m, field))
		}
	}
}

// inRPC edits the events of the streams of one method over gRPC; an empty method stands
// for any.
func inRPC(method string, edit func(*front.StreamEvent)) func(*front.StreamEvent) {
	return func(f *front.StreamEvent) {
		if f.Reply.Binding() == front.GRPC && (method == "" || f.Method() == method) {
			edit(f)
		}
	}
}

// grpcMutants are about gRPC.
var grpcMutants = map[string]front.Mutant{
	"grpc-package-other": {Procedure: mutants.Recalled(func(name string) string {
		if method, ok := strings.CutPrefix(name, "/a2a.A2AService/"); ok {
			return "/" + rpcs.Service + "/" + method
		}
		return mutants.Nowhere
	})},
	"grpc-push-table-names": {Procedure: mutants.Recalled(func(name string) string {
		switch {
		case strings.HasSuffix(name, "TaskPushNotification"):
			return name + "Config"
		case strings.HasSuffix(name, "TaskPushNotificationConfig"):
			return mutants.Nowhere
		}
		return name
	})},
	"grpc-reply-empty":             {GRPC: mutants.Sending("SendMessageResponse", clearAllFields)},
	"grpc-message-without-context": {GRPC: clearFieldOfMessageAnswers("context_id")},
	"grpc-message-without-id":      {GRPC: clearFieldOfMessageAnswers("message_id")},
	"grpc-own-tasks":               ownTasks(front.GRPC),
	"grpc-subscription-of-finished-hangs": {Event: inRPC(resubscribeMethod, func(f *front.StreamEvent) {
		f.Stay = f.Whole() && slices.Contains([]string{"completed", "canceled", "failed", "rejected"}, f.State())
	})},
	"grpc-unknown-task-unknown": {GRPC: func(p *front.GRPCMessage) {
		if p.Failure != nil && p.Reply.Method() == getMethod && p.Failure.Code == codes.NotFound {
			p.Failure.Code = codes.Unknown
		}
	}},
	"grpc-cancel-finished-ok": {Reply: onErrorOver(front.GRPC, cancelMethod, taskNotCancelable, func(x *front.Reply) { x.Succeed(front.Generic(Server{x.Server}.Task(x.Task(), nil))) })},
	"grpc-push-list-paged": {GRPC: mutants.Sending("ListTaskPushNotificationConfigResponse", func(m protoreflect.Message) {
		if list := m.Mutable(mutants.Field(m, "configs")).List(); list.Len() > 1 {
			list.Truncate(1)
			m.Set(mutants.Field(m, "next_page_token"), protoreflect.ValueOfString("2"))
		}
	})},
	"grpc-card-empty": {GRPC: mutants.Sending("AgentCard", clearAllFields)},
}

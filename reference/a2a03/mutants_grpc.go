package a2a03

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// grpcServiceMutants are about the service and its methods (sections 3.2.2 and 3.5.6).
var grpcServiceMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-package-other", Summary: "The service is that of the package a2a.",
		Procedure: mutants.Recalled(func(name string) string {
			if method, ok := strings.CutPrefix(name, "/a2a.A2AService/"); ok {
				return "/" + rpcs.Service + "/" + method
			}
			return mutants.Nowhere
		})},
	front.Mutant{Name: "grpc-push-table-names", Summary: "The methods for push configurations have no Config in their names.",
		Procedure: mutants.Recalled(func(name string) string {
			switch {
			case strings.HasSuffix(name, "TaskPushNotification"):
				return name + "Config"
			case strings.HasSuffix(name, "TaskPushNotificationConfig"):
				return mutants.Nowhere
			}
			return name
		})},
	mutants.Uncalled(rpcs.Service, "grpc-send-missing", "", "SendMessage"),
	mutants.Uncalled(rpcs.Service, "grpc-stream-missing", "", "SendStreamingMessage"),
	mutants.Uncalled(rpcs.Service, "grpc-cancel-missing", "", "CancelTask"),
	mutants.Uncalled(rpcs.Service, "grpc-subscribe-missing", "", "TaskSubscription"),
	mutants.Uncalled(rpcs.Service, "grpc-push-create-missing", "", "CreateTaskPushNotificationConfig"),
	front.Mutant{Name: "grpc-entry-closed", Summary: "The entry of gRPC on the card leads to a port where nobody listens.",
		Reply: mutants.OnCard(func(x *front.Reply) {
			list, _ := front.At(x.Body, "additionalInterfaces").([]any)
			for _, entry := range list {
				if front.Text(entry, "transport") == front.GRPC {
					front.Put(entry, "url", "127.0.0.1:9")
				}
			}
		})},
)

// onRPC edits the replies over gRPC to one method, in the form of JSON-RPC.
func onRPC(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if x.Binding() == front.GRPC {
			edit(x)
		}
	})
}

// called misreads the calls over gRPC of one method.
func called(method string, edit func(body any)) func(*front.Call) {
	return func(c *front.Call) {
		if c.Binding == front.GRPC && c.Method == method {
			edit(c.Body)
		}
	}
}

// emptied leaves nothing in a message.
func emptied(m protoreflect.Message) {
	for i := range m.Descriptor().Fields().Len() {
		m.Clear(m.Descriptor().Fields().Get(i))
	}
}

// chatting edits the messages that are answers of their own.
func chatting(field protoreflect.Name) func(*front.Parcel) {
	return func(p *front.Parcel) {
		if p.Message == nil {
			return
		}
		if msg := mutants.Field(p.Message, "msg"); msg != nil && p.Message.Has(msg) {
			m := p.Message.Get(msg).Message()
			m.Clear(mutants.Field(m, field))
		}
	}
}

// grpcMessageMutants are about what comes of a message (sections 7.1 and 7.2).
var grpcMessageMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-reply-empty", Summary: "SendMessage is answered with neither a task nor a message.",
		Grpc: mutants.Sending("SendMessageResponse", emptied)},
	front.Mutant{Name: "grpc-empty-request-accepted", Summary: "SendMessage without a message is answered with an empty task.",
		Reply: onRPC(sendMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params/message") {
				x.Succeed(map[string]any{"kind": "task"})
			}
		})},
	front.Mutant{Name: "grpc-blocking-always", Summary: "SendMessage waits for the end of the task, whatever the client wants.",
		Call: called(sendMethod, func(body any) {
			if front.Object(body, "params/configuration") == nil {
				front.Put(body, "params/configuration", map[string]any{})
			}
			front.Put(body, "params/configuration/blocking", true)
		})},
	front.Mutant{Name: "grpc-message-without-context", Summary: "A message that is the answer names no context.", Grpc: chatting("context_id")},
	front.Mutant{Name: "grpc-message-without-id", Summary: "A message that is the answer has no id.", Grpc: chatting("message_id")},
	artifactsDropped("grpc-artifacts-dropped", front.GRPC, "gRPC"),
	ownTasks("grpc-own-tasks", front.GRPC, "gRPC"),
)

// inRPC edits the events of the streams of one method over gRPC; an empty method stands
// for any.
func inRPC(method string, edit func(*front.Frame)) func(*front.Frame) {
	return func(f *front.Frame) {
		if f.Reply.Binding() == front.GRPC && (method == "" || f.Method() == method) {
			edit(f)
		}
	}
}

// grpcStreamMutants are about streams (sections 7.2 and 7.9).
var grpcStreamMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-stream-without-task", Summary: "A stream begins with an update of the state.",
		Event: inRPC("", func(f *front.Frame) {
			if f.Count == 1 && f.Whole() {
				front.Put(f.Body, "result", map[string]any{"kind": "status-update", "taskId": front.At(f.Body, "result/id"),
					"contextId": front.At(f.Body, "result/contextId"), "status": front.At(f.Body, "result/status"), "final": false})
			}
		})},
	front.Mutant{Name: "grpc-stream-never-ends", Waits: true, Summary: "SendStreamingMessage goes on when the task has ended or waits.",
		Event: inRPC(streamMethod, func(f *front.Frame) { f.Stay = front.At(f.Body, "result/final") == true })},
	front.Mutant{Name: "grpc-subscription-of-finished-hangs", Waits: true, Summary: "TaskSubscription of a task that has ended goes on after the task.",
		Event: inRPC(resubscribeMethod, func(f *front.Frame) {
			f.Stay = f.Whole() && slices.Contains([]string{"completed", "canceled", "failed", "rejected"}, f.State())
		})},
)

// grpcTaskMutants are about tasks (sections 7.3 and 7.4).
var grpcTaskMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-bare-ids-only", Summary: "GetTask finds a task by its bare id only.",
		Call: called(getMethod, func(body any) {
			if name := front.Text(body, "params/name"); name != "" {
				front.Put(body, "params/id", name)
			}
		})},
	front.Mutant{Name: "grpc-unknown-task-unknown", Summary: "GetTask of an unknown task gives the gRPC status Unknown.",
		Grpc: func(p *front.Parcel) {
			if p.Failure != nil && p.Reply.Method() == getMethod && p.Failure.Code == codes.NotFound {
				p.Failure.Code = codes.Unknown
			}
		}},
	front.Mutant{Name: "grpc-cancel-finished-ok", Summary: "A task that has ended can be canceled: OK and the task come back.",
		Reply: over(front.GRPC, cancelMethod, taskNotCancelable, func(x *front.Reply) { x.Succeed(front.Generic(Server{x.Server}.Task(x.Task(), nil))) })},
)

// grpcPushMutants are about push configurations (sections 7.5 to 7.8).
var grpcPushMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-push-get-missing", Summary: "A push configuration that is there is not found.",
		Reply: onRPC(GetPushConfigMethod, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "grpc-push-list-paged", Summary: "Push configurations are listed one by one, though no size of a page is asked for.",
		Grpc: mutants.Sending("ListTaskPushNotificationConfigResponse", func(m protoreflect.Message) {
			if list := m.Mutable(mutants.Field(m, "configs")).List(); list.Len() > 1 {
				list.Truncate(1)
				m.Set(mutants.Field(m, "next_page_token"), protoreflect.ValueOfString("2"))
			}
		})},
	front.Mutant{Name: "grpc-push-delete-keeps", Summary: "A push configuration that is deleted stays.",
		Call: called(DeletePushConfigMethod, func(body any) { front.Put(body, "params/pushNotificationConfigId", "another") })},
)

// grpcCardMutants are about the extended card (section 7.10).
var grpcCardMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-card-empty", Variant: "guarded", Summary: "GetAgentCard is answered with an empty card.",
		Grpc: mutants.Sending("AgentCard", emptied)},
)

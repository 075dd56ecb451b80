package a2a10

import (
	"net/http"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// asName gives the id in a field the form of a name of a resource.
func asName(m protoreflect.Message, field protoreflect.Name) {
	if f := mutants.Field(m, field); f != nil && m.Get(f).String() != "" {
		m.Set(f, protoreflect.ValueOfString("tasks/"+m.Get(f).String()))
	}
}

// onEntry edits the entry of gRPC on the card.
func onEntry(edit func(x *front.Reply, list []any, i int)) func(*front.Reply) {
	return front.OnDocument("card", func(x *front.Reply) {
		list, _ := front.At(x.Body, "supportedInterfaces").([]any)
		for i, entry := range list {
			if front.Text(entry, "protocolBinding") == front.GRPC {
				edit(x, list, i)
				return
			}
		}
	})
}

// onFailure edits the statuses that end calls of gRPC.
func onFailure(edit func(*front.Failure)) func(*front.GRPCMessage) {
	return func(p *front.GRPCMessage) {
		if p.Failure != nil {
			edit(p.Failure)
		}
	}
}

// infoOf is what an error of the protocol says about itself; nil if it is none.
func infoOf(f *front.Failure) *errdetails.ErrorInfo {
	for _, detail := range f.Details {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info
		}
	}
	return nil
}

// onInfo edits what errors of the protocol say about themselves over gRPC.
func onInfo(edit func(f *front.Failure, info *errdetails.ErrorInfo)) func(*front.GRPCMessage) {
	return onFailure(func(f *front.Failure) {
		if info := infoOf(f); info != nil {
			edit(f, info)
		}
	})
}

// grpcStatus makes a mutant that sends an error of the protocol with another status.
func grpcStatus(code int, status codes.Code) front.Mutant {
	return front.Mutant{GRPC: onInfo(func(f *front.Failure, info *errdetails.ErrorInfo) {
		if info.Reason == faults[code].Reason {
			f.Code = status
		}
	})}
}

// recordIDsOfJSONRPC keeps the ids that JSON-RPC gave away in the results of one method, at a path.
func recordIDsOfJSONRPC(method, path string) func(*front.Reply) {
	return front.OnResult(method, func(x *front.Reply) {
		if id := front.Text(x.Body, "result/"+path); id != "" && x.Binding() == front.JSONRPC {
			x.Server.Notes.Write("over JSON-RPC "+id, true)
		}
	})
}

// wasIDIssuedOverJSONRPC reports whether an id was given away by JSON-RPC.
func wasIDIssuedOverJSONRPC(x *front.Reply, id string) bool {
	return x.Server.Notes.Read("over JSON-RPC "+id) != nil
}

// What two bindings must have in common (section 5.1) and those of a name do not: JSON-RPC
// and the one that is given.

func tasksApart(binding string) front.Mutant {
	return front.Mutant{Reply: func(x *front.Reply) {
		recordIDsOfJSONRPC(sendMethod, "task/id")(x)
		if x.Binding() == binding && x.Looks() && wasIDIssuedOverJSONRPC(x, x.TaskID()) {
			x.Decline(TaskNotFound)
		}
	}}
}

func streamsOtherwise(binding string) front.Mutant {
	return front.Mutant{Event: onSubscriptionEvent(func(f *front.StreamEvent) { f.Skip = f.Reply.Binding() == binding && !f.Whole() && !ended(f) })}
}

func configurationsApart(binding string) front.Mutant {
	return front.Mutant{Reply: func(x *front.Reply) {
		recordIDsOfJSONRPC(createPushMethod, "id")(x)
		if list, ok := front.At(x.Body, "result/configs").([]any); ok && x.Binding() == binding {
			front.Put(x.Body, "result/configs", slices.DeleteFunc(list, func(v any) bool { return wasIDIssuedOverJSONRPC(x, front.Text(v, "id")) }))
		}
	}}
}

// grpcMutants are about gRPC, and about bindings that differ.
var grpcMutants = map[string]front.Mutant{
	"grpc-package-older": {Procedure: mutants.Recalled(func(name string) string {
		if method, ok := strings.CutPrefix(name, "/a2a.v1.A2AService/"); ok {
			return "/" + rpcs.Service + "/" + method
		}
		return mutants.Nowhere
	})},
	"grpc-fields-renumbered": {GRPC: mutants.Sending("Task", func(task protoreflect.Message) {
		field := mutants.Field(task, "context_id")
		unknown := protowire.AppendTag(task.GetUnknown(), 15, protowire.BytesType)
		task.SetUnknown(protowire.AppendString(unknown, task.Get(field).String()))
		task.Clear(field)
	})},
	"grpc-push-delete-as-error": {GRPC: func(p *front.GRPCMessage) {
		if p.Reply.Method() == deletePushMethod && p.Message != nil {
			p.Message, p.Failure = nil, &front.Failure{Code: codes.Unknown, Message: "The configuration is deleted"}
		}
	}},
	"grpc-entry-closed": {Reply: onEntry(func(x *front.Reply, list []any, i int) { front.Put(list[i], "url", "127.0.0.1:9") })},
	"grpc-ids-as-names": {Call: func(c *front.Call) {
		for _, path := range []string{"id", "taskId", "message/taskId"} {
			if id, ok := strings.CutPrefix(front.Text(c.Body, "params/"+path), "tasks/"); ok && c.Binding == front.GRPC {
				front.Put(c.Body, "params/"+path, id)
			}
		}
	},
		GRPC: mutants.Sending("", func(m protoreflect.Message) {
			if asName(m, "task_id"); m.Descriptor().Name() == "Task" {
				asName(m, "id")
			}
		})},
	"grpc-list-uncounted": {GRPC: func(p *front.GRPCMessage) {
		mutants.Clearing("ListTasksResponse", "page_size")(p)
		mutants.Clearing("ListTasksResponse", "total_size")(p)
	}},
	"grpc-role-unspecified": {GRPC: mutants.Clearing("Message", "role")},
	"grpc-metadata-ignored": {Procedure: func(r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/"+listMethod) {
			r.Header.Set(versionHeader, "1.0")
			r.Header.Del(extensionsHeader)
		}
	}},
	"grpc-version-unchecked": {Procedure: func(r *http.Request) {
		if r.Header.Get(versionHeader) != "" {
			r.Header.Set(versionHeader, "1.0")
		}
	}},
	"grpc-guard-forbids-nothing": {Guard: func(c *front.Caller) {
		if front.OverGRPC(c.HTTP) && c.Client == "low" {
			c.Client = "first"
		}
	}},
	"grpc-guard-other-key": {Guard: func(c *front.Caller) {
		if front.OverGRPC(c.HTTP) && c.HTTP.Header.Get("Authorization") != "" {
			c.Client = ""
		}
	}},
	"grpc-unauthenticated-internal": {GRPC: onFailure(func(f *front.Failure) {
		if f.Code == codes.Unauthenticated {
			f.Code = codes.Internal
		}
	})},
	"grpc-error-details-missing":               {GRPC: onInfo(func(f *front.Failure, _ *errdetails.ErrorInfo) { f.Details = nil })},
	"grpc-error-domain-foreign":                {GRPC: onInfo(func(_ *front.Failure, info *errdetails.ErrorInfo) { info.Domain = "googleapis.com" })},
	"grpc-error-reason-in-full":                {GRPC: onInfo(func(_ *front.Failure, info *errdetails.ErrorInfo) { info.Reason = inFull(info.Reason) })},
	"grpc-unknown-task-internal":               grpcStatus(TaskNotFound, codes.Internal),
	"grpc-not-cancelable-internal":             grpcStatus(taskNotCancelable, codes.Internal),
	"grpc-no-push-internal":                    grpcStatus(pushNotSupported, codes.Internal),
	"grpc-no-push-unimplemented":               grpcStatus(pushNotSupported, codes.Unimplemented),
	"grpc-unsupported-internal":                grpcStatus(Unsupported, codes.Internal),
	"grpc-unsupported-unimplemented":           grpcStatus(Unsupported, codes.Unimplemented),
	"grpc-content-type-internal":               grpcStatus(contentType, codes.Internal),
	"grpc-extended-card-unconfigured-internal": grpcStatus(noExtendedCard, codes.Internal),
	"grpc-extension-required-internal":         grpcStatus(extensionRequired, codes.Internal),
	"grpc-version-internal":                    grpcStatus(versionUnknown, codes.Internal),
	"grpc-version-unimplemented":               grpcStatus(versionUnknown, codes.Unimplemented),
	"grpc-invalid-input-internal": {GRPC: onFailure(func(f *front.Failure) {
		if f.Code == codes.InvalidArgument && infoOf(f) == nil {
			f.Code = codes.Internal
		}
	})},
	"bindings-want-other-keys": {Guard: func(c *front.Caller) {
		if strings.HasPrefix(c.HTTP.URL.Path, restBase) {
			c.Client = ""
		}
	}},
	"bindings-keep-tasks-apart":          tasksApart(front.HTTPJSON),
	"bindings-stream-otherwise":          streamsOtherwise(front.HTTPJSON),
	"bindings-keep-configurations-apart": configurationsApart(front.HTTPJSON),
	"grpc-keeps-tasks-apart":             tasksApart(front.GRPC),
	"grpc-streams-otherwise":             streamsOtherwise(front.GRPC),
	"grpc-keeps-configurations-apart":    configurationsApart(front.GRPC),
}

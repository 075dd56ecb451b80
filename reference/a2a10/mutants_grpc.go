package a2a10

import (
	"net/http"
	"strings"

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

// grpcServiceMutants are about the service and its methods (sections 10.1, 10.3 and 10.4).
var grpcServiceMutants = map[string]front.Mutant{
	"grpc-package-older": {Procedure: mutants.Recalled(func(name string) string {
		if method, ok := strings.CutPrefix(name, "/a2a.v1.A2AService/"); ok {
			return "/" + rpcs.Service + "/" + method
		}
		return mutants.Nowhere
	})},
	"grpc-fields-renumbered": {Grpc: mutants.Sending("Task", func(task protoreflect.Message) {
		field := mutants.Field(task, "context_id")
		unknown := protowire.AppendTag(task.GetUnknown(), 15, protowire.BytesType)
		task.SetUnknown(protowire.AppendString(unknown, task.Get(field).String()))
		task.Clear(field)
	})},
	"grpc-send-missing":          mutants.Uncalled(rpcs.Service, "grpc-send-missing", "", sendMethod),
	"grpc-get-missing":           mutants.Uncalled(rpcs.Service, "grpc-get-missing", "", getMethod),
	"grpc-list-missing":          mutants.Uncalled(rpcs.Service, "grpc-list-missing", "", listMethod),
	"grpc-cancel-missing":        mutants.Uncalled(rpcs.Service, "grpc-cancel-missing", "", cancelMethod),
	"grpc-stream-missing":        mutants.Uncalled(rpcs.Service, "grpc-stream-missing", "", streamMethod),
	"grpc-subscribe-missing":     mutants.Uncalled(rpcs.Service, "grpc-subscribe-missing", "", subscribeMethod),
	"grpc-push-create-missing":   mutants.Uncalled(rpcs.Service, "grpc-push-create-missing", "", createPushMethod),
	"grpc-push-get-missing":      mutants.Uncalled(rpcs.Service, "grpc-push-get-missing", "", getPushMethod),
	"grpc-push-list-missing":     mutants.Uncalled(rpcs.Service, "grpc-push-list-missing", "", listPushMethod),
	"grpc-push-delete-missing":   mutants.Uncalled(rpcs.Service, "grpc-push-delete-missing", "", deletePushMethod),
	"grpc-extended-card-missing": mutants.Uncalled(rpcs.Service, "grpc-extended-card-missing", "guarded", extendedCardMethod),
	"grpc-push-delete-as-error": {Grpc: func(p *front.Parcel) {
		if p.Reply.Method() == deletePushMethod && p.Message != nil {
			p.Message, p.Failure = nil, &front.Failure{Code: codes.Unknown, Message: "The configuration is deleted"}
		}
	}},
	"grpc-entry-closed": {Reply: onEntry(func(x *front.Reply, list []any, i int) { front.Put(list[i], "url", "127.0.0.1:9") })},
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

// grpcDataMutants are about what is in the messages (sections 3.1.4, 4.1.3, 4.1.5 and 5.7).
var grpcDataMutants = map[string]front.Mutant{
	"grpc-ids-as-names": {Call: func(c *front.Call) {
		for _, path := range []string{"id", "taskId", "message/taskId"} {
			if id, ok := strings.CutPrefix(front.Text(c.Body, "params/"+path), "tasks/"); ok && c.Binding == front.GRPC {
				front.Put(c.Body, "params/"+path, id)
			}
		}
	},
		Grpc: mutants.Sending("", func(m protoreflect.Message) {
			if asName(m, "task_id"); m.Descriptor().Name() == "Task" {
				asName(m, "id")
			}
		})},
	"grpc-list-uncounted": {Grpc: func(p *front.Parcel) {
		mutants.Clearing("ListTasksResponse", "page_size")(p)
		mutants.Clearing("ListTasksResponse", "total_size")(p)
	}},
	"grpc-role-unspecified": {Grpc: mutants.Clearing("Message", "role")},
}

// grpcMetadataMutants are about the parameters of the service (section 10.2).
var grpcMetadataMutants = map[string]front.Mutant{
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
}

// grpcGuardMutants are about who may do what over gRPC.
var grpcGuardMutants = map[string]front.Mutant{
	"grpc-guard-forbids-nothing": {Guard: func(c *front.Caller) {
		if front.OverGRPC(c.Http) && c.Client == "low" {
			c.Client = "first"
		}
	}},
	"grpc-guard-other-key": {Guard: func(c *front.Caller) {
		if front.OverGRPC(c.Http) && c.Http.Header.Get("Authorization") != "" {
			c.Client = ""
		}
	}},
	"grpc-unauthenticated-internal": {Grpc: onFailure(func(f *front.Failure) {
		if f.Code == codes.Unauthenticated {
			f.Code = codes.Internal
		}
	})},
}

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
var grpcServiceMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-package-older", Summary: "The service is that of the package a2a.v1.",
		Procedure: mutants.Recalled(func(name string) string {
			if method, ok := strings.CutPrefix(name, "/a2a.v1.A2AService/"); ok {
				return "/" + rpcs.Service + "/" + method
			}
			return mutants.Nowhere
		})},
	front.Mutant{Name: "grpc-fields-renumbered", Summary: "The context of a task is sent under the number 15.",
		Grpc: mutants.Sending("Task", func(task protoreflect.Message) {
			field := mutants.Field(task, "context_id")
			unknown := protowire.AppendTag(task.GetUnknown(), 15, protowire.BytesType)
			task.SetUnknown(protowire.AppendString(unknown, task.Get(field).String()))
			task.Clear(field)
		})},
	mutants.Uncalled(rpcs.Service, "grpc-send-missing", "", sendMethod),
	mutants.Uncalled(rpcs.Service, "grpc-get-missing", "", getMethod),
	mutants.Uncalled(rpcs.Service, "grpc-list-missing", "", listMethod),
	mutants.Uncalled(rpcs.Service, "grpc-cancel-missing", "", cancelMethod),
	mutants.Uncalled(rpcs.Service, "grpc-stream-missing", "", streamMethod),
	mutants.Uncalled(rpcs.Service, "grpc-subscribe-missing", "", subscribeMethod),
	mutants.Uncalled(rpcs.Service, "grpc-push-create-missing", "", createPushMethod),
	mutants.Uncalled(rpcs.Service, "grpc-push-get-missing", "", getPushMethod),
	mutants.Uncalled(rpcs.Service, "grpc-push-list-missing", "", listPushMethod),
	mutants.Uncalled(rpcs.Service, "grpc-push-delete-missing", "", deletePushMethod),
	mutants.Uncalled(rpcs.Service, "grpc-extended-card-missing", "guarded", extendedCardMethod),
	front.Mutant{Name: "grpc-push-delete-as-error", Summary: "A push configuration is deleted, and an error says so.",
		Grpc: func(p *front.Parcel) {
			if p.Reply.Method() == deletePushMethod && p.Message != nil {
				p.Message, p.Failure = nil, &front.Failure{Code: codes.Unknown, Message: "The configuration is deleted"}
			}
		}},
	front.Mutant{Name: "grpc-entry-closed", Summary: "The entry of gRPC on the card leads to a port where nobody listens.",
		Reply: onEntry(func(x *front.Reply, list []any, i int) { front.Put(list[i], "url", "127.0.0.1:9") })},
)

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
var grpcDataMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-ids-as-names", Summary: "The id of a task is the name of a resource, such as tasks/7.",
		Call: func(c *front.Call) {
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
	front.Mutant{Name: "grpc-list-uncounted", Summary: "ListTasks says nothing about the size of its pages and of the whole.",
		Grpc: func(p *front.Parcel) {
			mutants.Clearing("ListTasksResponse", "page_size")(p)
			mutants.Clearing("ListTasksResponse", "total_size")(p)
		}},
	front.Mutant{Name: "grpc-role-unspecified", Summary: "The role of a message is left unspecified.", Grpc: mutants.Clearing("Message", "role")},
)

// grpcMetadataMutants are about the parameters of the service (section 10.2).
var grpcMetadataMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-metadata-ignored", Summary: "ListTasks takes each call for one of 1.0 without extensions, whatever its metadata say.",
		Procedure: func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/"+listMethod) {
				r.Header.Set(versionHeader, "1.0")
				r.Header.Del(extensionsHeader)
			}
		}},
	front.Mutant{Name: "grpc-version-unchecked", Summary: "Any version in the metadata is taken for 1.0.",
		Procedure: func(r *http.Request) {
			if r.Header.Get(versionHeader) != "" {
				r.Header.Set(versionHeader, "1.0")
			}
		}},
)

// grpcStreamMutants are about streams over gRPC (section 10.7).
var grpcStreamMutants = front.InArea("grpc",
	front.Mutant{Name: "grpc-drop-breaks-connection", Summary: "A client that gives up a stream loses its connection.", Snaps: true},
)

// grpcGuardMutants are about who may do what over gRPC.
var grpcGuardMutants = front.In("guarded", front.InArea("grpc",
	front.Mutant{Name: "grpc-guard-forbids-nothing", Summary: "Over gRPC a client with few rights may do everything.",
		Guard: func(c *front.Caller) {
			if front.OverGRPC(c.Http) && c.Client == "low" {
				c.Client = "first"
			}
		}},
	front.Mutant{Name: "grpc-guard-other-key", Summary: "Over gRPC the token that JSON-RPC takes is not known.",
		Guard: func(c *front.Caller) {
			if front.OverGRPC(c.Http) && c.Http.Header.Get("Authorization") != "" {
				c.Client = ""
			}
		}},
	front.Mutant{Name: "grpc-unauthenticated-internal", Summary: "A call without credentials is refused with INTERNAL.",
		Grpc: onFailure(func(f *front.Failure) {
			if f.Code == codes.Unauthenticated {
				f.Code = codes.Internal
			}
		})},
)...)

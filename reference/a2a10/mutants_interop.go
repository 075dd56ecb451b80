package a2a10

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// remembers keeps the ids that JSON-RPC gave away in the results of one method, at a path.
func remembers(method, path string) func(*front.Reply) {
	return onResult(method, func(x *front.Reply) {
		if id := front.Text(x.Body, "result/"+path); id != "" && x.Binding() == front.JSONRPC {
			x.Server.Notes.Write("over JSON-RPC "+id, true)
		}
	})
}

// apart reports whether an id was given away by JSON-RPC.
func apart(x *front.Reply, id string) bool {
	return x.Server.Notes.Read("over JSON-RPC "+id) != nil
}

// What two bindings must have in common (section 5.1) and those of a name do not: JSON-RPC
// and the one that is given.

func tasksApart(name, binding, called string) front.Mutant {
	return front.Mutant{Name: name, Summary: "A task that was begun over JSON-RPC is unknown over " + called + ".",
		Reply: func(x *front.Reply) {
			remembers(sendMethod, "task/id")(x)
			if x.Binding() == binding && x.Looks() && apart(x, x.TaskID()) {
				x.Decline(TaskNotFound)
			}
		}}
}

func streamsOtherwise(name, binding, called string) front.Mutant {
	return front.Mutant{Name: name, Summary: "A subscription over " + called + " brings no updates but that of the end.",
		Event: again(func(f *front.Frame) { f.Skip = f.Reply.Binding() == binding && !f.Whole() && !ended(f) })}
}

func configurationsApart(name, binding, called string) front.Mutant {
	return front.Mutant{Name: name, Summary: "A push configuration that was made over JSON-RPC is not listed over " + called + ".",
		Reply: func(x *front.Reply) {
			remembers(createPushMethod, "id")(x)
			if list, ok := front.At(x.Body, "result/configs").([]any); ok && x.Binding() == binding {
				front.Put(x.Body, "result/configs", slices.DeleteFunc(list, func(v any) bool { return apart(x, front.Text(v, "id")) }))
			}
		}}
}

var interopMutants = map[string]front.Mutant{
	"bindings-want-other-keys": {Guard: func(c *front.Caller) {
		if strings.HasPrefix(c.Http.URL.Path, restBase) {
			c.Client = ""
		}
	}},
	"bindings-keep-tasks-apart":          tasksApart("bindings-keep-tasks-apart", front.HTTPJSON, "HTTP+JSON"),
	"bindings-stream-otherwise":          streamsOtherwise("bindings-stream-otherwise", front.HTTPJSON, "HTTP+JSON"),
	"bindings-keep-configurations-apart": configurationsApart("bindings-keep-configurations-apart", front.HTTPJSON, "HTTP+JSON"),
}

var grpcInteropMutants = map[string]front.Mutant{
	"grpc-keeps-tasks-apart":          tasksApart("grpc-keeps-tasks-apart", front.GRPC, "gRPC"),
	"grpc-streams-otherwise":          streamsOtherwise("grpc-streams-otherwise", front.GRPC, "gRPC"),
	"grpc-keeps-configurations-apart": configurationsApart("grpc-keeps-configurations-apart", front.GRPC, "gRPC"),
}

package client

import (
	"encoding/binary"
	"strings"
)

// grpcMutants spoil calls in gRPC.
var grpcMutants = []mutant{
	{name: "grpc-https-becomes-http", variant: "grpc", summary: "calls an https address of gRPC without TLS",
		request: func(c *call) {
			if rest, is := strings.CutPrefix(c.url, "https:"); is && c.inGRPC() {
				c.url = "http:" + rest
			}
		}},
	{name: "grpc-package-of-other-version", variant: "grpc", summary: "calls the service by the package of the other version",
		request: editGRPC(func(c *call, r *grpcRequest) {
			if r.service = a2a10.service; c.session.dialect.name == a2a10.name {
				r.service = a2a03.service
			}
		})},
	{name: "grpc-service-of-own-name", variant: "grpc", summary: "calls a service of its own name",
		request: editGRPC(func(_ *call, r *grpcRequest) { r.service = "A2A" })},
	{name: "grpc-fields-of-draft", variant: "grpc", summary: "writes a flag where the proto file has the configuration of a message",
		request: editGRPC(func(c *call, r *grpcRequest) {
			for _, f := range c.session.dialect.proto.messages["SendMessageRequest"] {
				if f.name == "configuration" {
					r.edit = func(payload []byte) []byte { return binary.AppendUvarint(appendTag(payload, f.number, varint), 1) }
				}
			}
		}, send, stream)},
	{name: "grpc-text-in-latin-1", variant: "grpc", summary: "writes ids that are not in UTF-8",
		request: editGRPC(func(_ *call, r *grpcRequest) {
			r.edit = func(payload []byte) []byte { // the field of a tenant, or of a name
				return appendDelimited(payload, 1, []byte("tasks/\xfc"))
			}
		}, get)},
	{name: "grpc-get-without-id", variant: "grpc", summary: "looks at tasks without naming one",
		request: editGRPC(func(_ *call, r *grpcRequest) {
			for _, name := range []string{"id", "name"} {
				if r.message[name] != nil {
					r.message[name] = ""
				}
			}
		}, get)},
	{name: "grpc-version-in-message", dialect: "a2a-1.0", variant: "grpc", summary: "names the version in the metadata of messages, and nowhere else",
		request: editGRPC(func(_ *call, r *grpcRequest) {
			r.header.Del("A2A-Version")
			if m := getObject(r.message, "message"); m != nil {
				m["metadata"] = object{"a2a-version": "1.0"}
			}
		})},
	{name: "grpc-without-trailers", variant: "grpc", summary: "does not state that it takes trailers",
		request: editGRPC(func(_ *call, r *grpcRequest) { r.header.Del("Te") })},
}

// grpcErrorMutants misread errors of gRPC.
var grpcErrorMutants = []mutant{
	{name: "grpc-reason-ignored", dialect: "a2a-1.0", variant: "reporting", summary: "calls each FAILED_PRECONDITION not cancelable",
		habit: rewriteErrors(func(c *call, e *rpcError, _ any) error {
			if c.inGRPC() && e.code == 9 {
				return &rpcError{code: e.code, name: "TaskNotCancelable", message: "The task cannot be canceled."}
			}
			return e
		})},
	{name: "grpc-status-ignored", dialect: "a2a-0.3", variant: "reporting", summary: "calls each error of gRPC a failed call",
		habit: rewriteErrors(func(c *call, e *rpcError, _ any) error {
			if c.inGRPC() {
				return &rpcError{message: "The call failed."}
			}
			return e
		})},
}

// editGRPC edits calls of some operations in gRPC; all without one.
func editGRPC(edit func(c *call, r *grpcRequest), ops ...operation) func(*call) {
	set := func(c *call) { c.editGRPC = func(r *grpcRequest) { edit(c, r) } }
	if len(ops) == 0 {
		return set
	}
	return editCalls(set, ops...)
}

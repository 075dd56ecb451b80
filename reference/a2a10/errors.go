package a2a10

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The error codes of section 5.4 that this server has a use for.
const (
	TaskNotFound      = -32001
	taskNotCancelable = -32002
	pushNotSupported  = -32003
	Unsupported       = -32004
	contentType       = -32005
	noExtendedCard    = -32007
	extensionRequired = -32008
	versionUnknown    = -32009
)

// Codes are codes of the server's own: the protocol leaves it to HTTP to say who
// may do what (section 7.4).
var Codes = front.Codes{UnknownCaller: -32050, Forbidden: -32051, UnknownTask: TaskNotFound, Limited: -32052}

// faults are the errors outside of JSON-RPC, whose names tell them apart in an ErrorInfo
// (sections 5.4, 10.6 and 11.6). Below those of the protocol stand those of JSON-RPC.
var faults = map[int]front.Fault{
	TaskNotFound:      {Reason: "TASK_NOT_FOUND", HTTP: http.StatusNotFound, RPC: "NOT_FOUND"},
	taskNotCancelable: {Reason: "TASK_NOT_CANCELABLE", HTTP: http.StatusBadRequest, RPC: "FAILED_PRECONDITION"},
	pushNotSupported:  {Reason: "PUSH_NOTIFICATION_NOT_SUPPORTED", HTTP: http.StatusBadRequest, RPC: "FAILED_PRECONDITION"},
	Unsupported:       {Reason: "UNSUPPORTED_OPERATION", HTTP: http.StatusBadRequest, RPC: "FAILED_PRECONDITION"},
	contentType:       {Reason: "CONTENT_TYPE_NOT_SUPPORTED", HTTP: http.StatusBadRequest, RPC: "INVALID_ARGUMENT"},
	noExtendedCard:    {Reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED", HTTP: http.StatusBadRequest, RPC: "FAILED_PRECONDITION"},
	extensionRequired: {Reason: "EXTENSION_SUPPORT_REQUIRED", HTTP: http.StatusBadRequest, RPC: "FAILED_PRECONDITION"},
	versionUnknown:    {Reason: "VERSION_NOT_SUPPORTED", HTTP: http.StatusBadRequest, RPC: "FAILED_PRECONDITION"},

	front.CodeParse:          {HTTP: http.StatusBadRequest, RPC: "INVALID_ARGUMENT"},
	front.CodeInvalidRequest: {HTTP: http.StatusBadRequest, RPC: "INVALID_ARGUMENT"},
	front.CodeInvalidParams:  {HTTP: http.StatusBadRequest, RPC: "INVALID_ARGUMENT"},
	front.CodeMethodNotFound: {HTTP: http.StatusNotFound, RPC: "NOT_FOUND"},
	front.CodeInternal:       {HTTP: http.StatusInternalServerError, RPC: "INTERNAL"},
}

// The types of the objects in the data of an error (section 9.5).
const (
	errorInfo  = "type.googleapis.com/google.rpc.ErrorInfo"
	badRequest = "type.googleapis.com/google.rpc.BadRequest"
)

// info describes an error of the protocol.
type info struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// violations name the members of a request that are wrong.
type violations struct {
	Type   string      `json:"@type"`
	Fields []violation `json:"fieldViolations"`
}

type violation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

// explain fills the data of an error. A server with few words leaves out the metadata. A
// lavish one adds an object of a type of its own.
func explain(s *front.Server, c *front.Call, e *front.RPCError) {
	if e.Data != nil {
		return
	}
	var data []any
	if reason := faults[e.Code].Reason; reason != "" {
		more := map[string]string{"method": c.Method}
		if e.Code == versionUnknown {
			more = map[string]string{"supportedVersions": strings.Join(served(s.Variant, c.Binding), ", ")}
		}
		if !s.Variant.Rich {
			more = nil
		}
		data = append(data, info{errorInfo, reason, "a2a-protocol.org", more})
	}
	if e.Code == front.CodeInvalidParams {
		field := strings.TrimPrefix(strings.TrimPrefix(e.Field, "params"), ".")
		data = append(data, violations{badRequest, []violation{{field, e.Message}}})
	}
	if s.Variant.Lavish {
		data = append(data, map[string]any{"@type": "type.googleapis.com/google.rpc.DebugInfo", "detail": e.Message, "stackEntries": []any{}})
	}
	if data != nil {
		e.Data = data
	}
}

// Refusal names an error of the engine in the words of section 3.3.2. A message
// to a task that has ended, or is at work, is an operation that is not supported.
func Refusal(err error) *front.RPCError {
	if err == engine.ErrUnknown {
		return &front.RPCError{Code: TaskNotFound, Message: "Task not found"}
	}
	return &front.RPCError{Code: Unsupported, Message: "The task takes no message in its state"}
}

package a2a03

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// restBase is the path below which HTTP+JSON is served (section 3.2.3).
const restBase = "/rest"

// rest is the binding HTTP+JSON in the form of the definition of the service: what is sent
// is ProtoJSON. If the definition and the table of section 3.5.6 differ, both are taken:
// a subscription is a GET or a POST, and a push configuration is the body or is in it.
var rest = newBinding(func(method string, params any) (any, *front.RPCError) {
	if method == SetPushConfigMethod && front.Has(params, "config") {
		return readConfigured(params)
	}
	return readProto(method, params)
}, writeProto, http.MethodGet, http.MethodPost)

// definedRest is the same for clients that go by the definition alone.
var definedRest = newBinding(readProto, writeProto, http.MethodGet)

// schemaRest is the same in the form of the schema: what is sent are the objects of
// JSON-RPC, and a subscription is a POST, as the table of section 3.5.6 has it.
var schemaRest = newBinding(readSchema, func(x *front.Reply, result any) any { return payload(x.Method(), result) }, http.MethodPost)

// newBinding returns the binding HTTP+JSON in the form in which read and write have it, with
// the verbs by which a client subscribes.
func newBinding(
	read func(method string, params any) (any, *front.RPCError), write func(x *front.Reply, result any) any, subscribe ...string,
) *front.RESTBinding {
	return &front.RESTBinding{
		Base:     restBase,
		Media:    "application/json",
		Labelled: true,
		Numbers:  []string{"historyLength"},
		Routes:   routes(subscribe...),
		Faults:   faults,
		Read:     read,
		Write:    write,
		Judge:    judge,
		Failed:   failed,
	}
}

func routes(subscribe ...string) []front.Route {
	const configs = "/v1/tasks/{taskId}/pushNotificationConfigs"
	const ofTask = "/v1/tasks/{id}/pushNotificationConfigs"
	var all []front.Route
	for _, verb := range subscribe {
		all = append(all, front.Route{Verb: verb, Path: "/v1/tasks/{id}:subscribe", Method: resubscribeMethod})
	}
	return append(all, []front.Route{
		{Verb: http.MethodPost, Path: "/v1/message:send", Method: sendMethod},
		{Verb: http.MethodPost, Path: "/v1/message:stream", Method: streamMethod},
		{Verb: http.MethodPost, Path: "/v1/tasks/{id}:cancel", Method: cancelMethod},
		{Verb: http.MethodGet, Path: "/v1/tasks/{id}", Method: getMethod},
		{Verb: http.MethodPost, Path: configs, Method: SetPushConfigMethod},
		{Verb: http.MethodGet, Path: ofTask, Method: ListPushConfigMethod},
		{Verb: http.MethodGet, Path: ofTask + "/{pushNotificationConfigId}", Method: GetPushConfigMethod},
		{Verb: http.MethodDelete, Path: ofTask + "/{pushNotificationConfigId}", Method: DeletePushConfigMethod},
		{Verb: http.MethodGet, Path: "/v1/card", Method: ExtendedCardMethod},
	}...)
}

// restURL is the url of HTTP+JSON on the card. In the form of the schema it has the
// version already, and the paths go on behind it.
func (a Server) restURL() string {
	if a.Variant.REST == schemaRest {
		return a.Url + restBase + "/v1"
	}
	return a.Url + restBase
}

// faults are the errors outside of JSON-RPC. The protocol names but a few of the statuses
// (sections 3.2.3 and 8.2).
var faults = map[int]front.Fault{
	TaskNotFound:      {HTTP: http.StatusNotFound, RPC: "NOT_FOUND"},
	taskNotCancelable: {HTTP: http.StatusConflict, RPC: "FAILED_PRECONDITION"},
	pushNotSupported:  {HTTP: http.StatusNotImplemented, RPC: "UNIMPLEMENTED"},
	Unsupported:       {HTTP: http.StatusNotImplemented, RPC: "UNIMPLEMENTED"},
	contentType:       {HTTP: http.StatusUnsupportedMediaType, RPC: "INVALID_ARGUMENT"},
	noExtendedCard:    {HTTP: http.StatusNotFound, RPC: "FAILED_PRECONDITION"},

	front.CodeParse:          {HTTP: http.StatusBadRequest, RPC: "INVALID_ARGUMENT"},
	front.CodeInvalidRequest: {HTTP: http.StatusBadRequest, RPC: "INVALID_ARGUMENT"},
	front.CodeInvalidParams:  {HTTP: http.StatusBadRequest, RPC: "INVALID_ARGUMENT"},
	front.CodeMethodNotFound: {HTTP: http.StatusNotFound, RPC: "UNIMPLEMENTED"},
	front.CodeInternal:       {HTTP: http.StatusInternalServerError, RPC: "INTERNAL"},
}

// judge distinguishes errors for which JSON-RPC has one code.
func judge(x *front.Reply, code int, f front.Fault) front.Fault {
	streams := slices.Contains([]string{streamMethod, resubscribeMethod}, x.Method())
	switch {
	case code == Unsupported && (x.Server.Variant.Streaming || !streams): // it is about the state of the task
		return front.Fault{HTTP: http.StatusBadRequest, RPC: "FAILED_PRECONDITION"}
	case code == front.CodeInvalidParams && x.Method() == GetPushConfigMethod && front.Has(x.Request, "params/pushNotificationConfigId"):
		return front.Fault{HTTP: http.StatusNotFound, RPC: "NOT_FOUND"}
	}
	return f
}

// failed returns the body of an error: the one of JSON-RPC, with the same members in
// every error of a server.
func failed(x *front.Reply, e map[string]any) any {
	out := map[string]any{"code": e["code"], "message": e["message"]}
	if !x.Server.Variant.Rich {
		return out
	}
	if out["data"] = e["data"]; e["data"] == nil {
		told := &front.RPCError{Message: front.Text(e, "message")}
		Server{x.Server}.explain(&front.Call{Method: x.Method()}, told)
		out["data"] = told.Data
	}
	return out
}

// readSchema takes the body of a push configuration out of its wrapping.
func readSchema(method string, params any) (any, *front.RPCError) {
	if method != SetPushConfigMethod {
		return params, nil
	}
	config := front.Object(params, "config")
	if config == nil {
		return nil, &front.RPCError{Code: front.CodeInvalidParams, Message: "config must be an object."}
	}
	if inner := front.Object(config, "pushNotificationConfig"); inner != nil { // a whole TaskPushNotificationConfig
		config = inner
	}
	return map[string]any{"pushNotificationConfig": config}, nil
}

// payload puts what comes of a message under the name of its kind.
func payload(method string, result any) any {
	m, ok := result.(map[string]any)
	if !ok || len(m) == 0 || !slices.Contains([]string{sendMethod, streamMethod, resubscribeMethod}, method) {
		return result
	}
	return map[string]any{kindOf(m): m}
}

// kindOf is the name of the payload that an object is: its kind, or what its members say.
func kindOf(m map[string]any) string {
	switch kind := front.Text(m, "kind"); {
	case kind == "task" || kind == "message":
		return kind
	case kind == "artifact-update" || m["artifact"] != nil:
		return "artifactUpdate"
	case kind == "status-update" || m["taskId"] != nil && m["status"] != nil:
		return "statusUpdate"
	case m["messageId"] != nil || m["role"] != nil || m["parts"] != nil:
		return "message"
	}
	return "task"
}

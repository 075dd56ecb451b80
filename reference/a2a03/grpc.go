package a2a03

import (
	_ "embed"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// rpcs is the binding GRPC (section 3.2.2).
var rpcs = &front.GRPCBinding{
	Service: "a2a.v1.A2AService",
	Define:  Service,
	Faults:  faults,
	Read: func(procedure string, params any) (string, any) {
		method := methods[procedure]
		return method, fromProto(method, params)
	},
	Write: func(x *front.Reply, result any) any { return toProto(x.Method(), result) },
	Judge: judge,
}

// methods are the methods of JSON-RPC by those of the service.
var methods = map[string]string{
	"SendMessage":                      sendMethod,
	"SendStreamingMessage":             streamMethod,
	"GetTask":                          getMethod,
	"CancelTask":                       cancelMethod,
	"TaskSubscription":                 resubscribeMethod,
	"CreateTaskPushNotificationConfig": SetPushConfigMethod,
	"GetTaskPushNotificationConfig":    GetPushConfigMethod,
	"ListTaskPushNotificationConfig":   ListPushConfigMethod,
	"DeleteTaskPushNotificationConfig": DeletePushConfigMethod,
	"GetAgentCard":                     ExtendedCardMethod,
}

//go:embed a2a.proto
var definition string

// Service is the definition of the service and its messages. It is read once, when
// somebody asks for it.
var Service = front.Defined(definition)

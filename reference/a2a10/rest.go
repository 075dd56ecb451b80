package a2a10

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// restBase is the path of the interface of HTTP+JSON.
const restBase = "/rest"

// rest is the binding HTTP+JSON, section 11. The text subscribes by POST, the definition
// of the service by GET: both are served.
var rest = &front.RESTBinding{
	Base:    restBase,
	Media:   "application/a2a+json",
	Numbers: []string{"historyLength", "pageSize"},
	Flags:   []string{"includeArtifacts"},
	Routes: []front.Route{
		{Verb: http.MethodPost, Path: "/message:send", Method: sendMethod},
		{Verb: http.MethodPost, Path: "/message:stream", Method: streamMethod},
		{Verb: http.MethodPost, Path: "/tasks/{id}:cancel", Method: cancelMethod},
		{Verb: http.MethodPost, Path: "/tasks/{id}:subscribe", Method: subscribeMethod},
		{Verb: http.MethodGet, Path: "/tasks/{id}:subscribe", Method: subscribeMethod},
		{Verb: http.MethodGet, Path: "/tasks", Method: listMethod},
		{Verb: http.MethodGet, Path: "/tasks/{id}", Method: getMethod},
		{Verb: http.MethodPost, Path: "/tasks/{taskId}/pushNotificationConfigs", Method: createPushMethod},
		{Verb: http.MethodGet, Path: "/tasks/{taskId}/pushNotificationConfigs", Method: listPushMethod},
		{Verb: http.MethodGet, Path: "/tasks/{taskId}/pushNotificationConfigs/{id}", Method: getPushMethod},
		{Verb: http.MethodDelete, Path: "/tasks/{taskId}/pushNotificationConfigs/{id}", Method: deletePushMethod},
		{Verb: http.MethodGet, Path: "/extendedAgentCard", Method: extendedCardMethod},
	},
	Faults:  faults,
	Tenants: true,
}

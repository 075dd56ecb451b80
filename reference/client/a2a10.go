package client

import (
	"maps"
	"slices"
	"strings"

	service "github.com/a2a-conform/a2a-conform/reference/a2a10"
)

// a2a10 is A2A 1.0 over JSON-RPC (section 9) and HTTP+JSON (section 11).
var a2a10 = dialect{
	name:    "a2a-1.0",
	version: "1.0",
	methods: map[operation]string{
		send: "SendMessage", stream: "SendStreamingMessage", get: "GetTask", list: "ListTasks", cancel: "CancelTask",
		subscribe: "SubscribeToTask", extendedCard: "GetExtendedAgentCard",
		setWebhook: "CreateTaskPushNotificationConfig",
	},
	routes: map[operation]route{
		send: {"POST", "/message:send"}, stream: {"POST", "/message:stream"}, get: {"GET", "/tasks/{id}"}, list: {"GET", "/tasks"}, cancel: {"POST", "/tasks/{id}:cancel"},
		subscribe: {"POST", "/tasks/{id}:subscribe"}, extendedCard: {"GET", "/extendedAgentCard"},
	},
	restMedia: "application/a2a+json",
	rpcs: map[operation]string{
		send: "SendMessage", stream: "SendStreamingMessage", get: "GetTask", list: "ListTasks", cancel: "CancelTask", subscribe: "SubscribeToTask",
		extendedCard: "GetExtendedAgentCard",
	},
	service:         service.Service,
	extensionHeader: "A2A-Extensions",
	errors: func() map[int]string {
		all := maps.Clone(rpcErrors)
		all[-32008], all[-32009] = "ExtensionSupportRequired", "VersionNotSupported"
		return all
	}(),

	listEndpoints: listEndpoints10,
	extendedPath:  []string{"capabilities", "extendedAgentCard"},
	security:      "securityRequirements",
	schemesPath:   []string{"schemes"},
	readScheme:    readScheme10,

	role:          "ROLE_USER",
	writeParts:    writeParts10,
	immediately:   object{"returnImmediately": true},
	webhookMember: "taskPushNotificationConfig",
	bearer:        object{"scheme": "Bearer"},
	writeRegistration: func(task string, webhook object) object {
		webhook["taskId"] = task
		return webhook
	},

	readUpdate:  readUpdate10,
	partMembers: []string{"text", "raw", "url", "data"},
	members: makeSet("task message statusUpdate artifactUpdate id contextId taskId status artifacts history metadata state timestamp",
		"messageId role parts extensions referenceTaskIds text raw url data filename mediaType",
		"artifactId name description artifact append lastChunk"),
}

// listEndpoints10 reads the interfaces of a card (section 4.4.6), in their order.
func listEndpoints10(card object) (all []endpoint) {
	for _, v := range getList(card, "supportedInterfaces") {
		all = append(all, endpoint{
			url: getText(v, "url"), binding: getText(v, "protocolBinding"),
			version: getText(v, "protocolVersion"), tenant: getText(v, "tenant"),
		})
	}
	return all
}

// readScheme10 reads a security scheme (section 4.5).
func readScheme10(v any) scheme {
	switch {
	case getMember(v, "httpAuthSecurityScheme") != nil:
		return scheme{kind: httpScheme, name: getText(v, "httpAuthSecurityScheme", "scheme")}
	case getMember(v, "apiKeySecurityScheme") != nil:
		return scheme{kind: keyScheme, name: getText(v, "apiKeySecurityScheme", "name"), in: getText(v, "apiKeySecurityScheme", "location")}
	case getMember(v, "oauth2SecurityScheme") != nil:
		return scheme{kind: tokenScheme, name: "Bearer", in: getText(v, "oauth2SecurityScheme", "flows", "clientCredentials", "tokenUrl")}
	case getMember(v, "openIdConnectSecurityScheme") != nil:
		return scheme{kind: httpScheme, name: "Bearer"}
	}
	return scheme{}
}

// writeParts10 writes parts, which are known by their members (section 4.1.6).
func writeParts10(text string, files bool) []any {
	parts := []any{object{"text": text}}
	if files {
		parts = append(parts,
			object{"raw": fileBytes, "filename": fileName, "mediaType": fileType},
			object{"url": fileURL, "mediaType": fileType})
	}
	return parts
}

// updateMembers10 are the members of a SendMessageResponse or a StreamResponse.
var updateMembers10 = []struct {
	member string
	kind   updateKind
}{{"task", taskUpdate}, {"message", messageUpdate}, {"statusUpdate", statusUpdate}, {"artifactUpdate", artifactUpdate}}

// readUpdate10 reads a SendMessageResponse, a StreamResponse or a Task.
func readUpdate10(result object) update {
	kind, content := unknownUpdate, result
	if getText(result, "id") != "" && getObject(result, "status") != nil { // of GetTask
		kind = taskUpdate
	}
	for _, m := range slices.Backward(updateMembers10) {
		if o := getObject(result, m.member); o != nil { // if there are several, the first counts
			kind, content = m.kind, o
		}
	}
	u := readContent(kind, content)
	u.state = state(strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(string(u.state), "TASK_STATE_"), "_", "-")))
	return u
}

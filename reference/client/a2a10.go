package client

import (
	"maps"
	"slices"
	"strings"
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
		setWebhook: {"POST", "/tasks/{taskId}/pushNotificationConfigs"},
	},
	restMedia: "application/a2a+json",
	rpcs: map[operation]rpc{
		send: {"SendMessage", "SendMessageRequest", "SendMessageResponse", false}, stream: {"SendStreamingMessage", "SendMessageRequest", "StreamResponse", true},
		get: {"GetTask", "GetTaskRequest", "Task", false}, list: {"ListTasks", "ListTasksRequest", "ListTasksResponse", false},
		cancel: {"CancelTask", "CancelTaskRequest", "Task", false}, subscribe: {"SubscribeToTask", "SubscribeToTaskRequest", "StreamResponse", true},
	},
	service: "lf.a2a.v1.A2AService",
	proto: readProtoFile(`
		SendMessageRequest: 1 tenant text, 2 message Message, 3 configuration SendMessageConfiguration, 4 metadata struct
		SendMessageConfiguration: 1 acceptedOutputModes text*, 2 taskPushNotificationConfig TaskPushNotificationConfig, 3 historyLength number, 4 returnImmediately flag
		TaskPushNotificationConfig: 1 tenant text, 2 id text, 3 taskId text, 4 url text, 5 token text, 6 authentication AuthenticationInfo
		AuthenticationInfo: 1 scheme text, 2 credentials text
		Message: 1 messageId text, 2 contextId text, 3 taskId text, 4 role Role, 5 parts Part*, 6 metadata struct, 7 extensions text*, 8 referenceTaskIds text*
		Part: 1 text text, 2 raw bytes, 3 url text, 4 data value, 5 metadata struct, 6 filename text, 7 mediaType text
		GetTaskRequest: 1 tenant text, 2 id text, 3 historyLength number
		ListTasksRequest: 1 tenant text, 2 contextId text, 3 status TaskState, 4 pageSize number, 5 pageToken text, 6 historyLength number, 7 statusTimestampAfter time, 8 includeArtifacts flag
		CancelTaskRequest: 1 tenant text, 2 id text, 3 metadata struct
		SubscribeToTaskRequest: 1 tenant text, 2 id text
		SendMessageResponse: 1 task Task, 2 message Message
		StreamResponse: 1 task Task, 2 message Message, 3 statusUpdate TaskStatusUpdateEvent, 4 artifactUpdate TaskArtifactUpdateEvent
		Task: 1 id text, 2 contextId text, 3 status TaskStatus, 4 artifacts Artifact*, 5 history Message*, 6 metadata struct
		TaskStatus: 1 state TaskState, 2 message Message, 3 timestamp time
		Artifact: 1 artifactId text, 2 name text, 3 description text, 4 parts Part*, 5 metadata struct, 6 extensions text*
		TaskStatusUpdateEvent: 1 taskId text, 2 contextId text, 3 status TaskStatus, 4 metadata struct
		TaskArtifactUpdateEvent: 1 taskId text, 2 contextId text, 3 artifact Artifact, 4 append flag, 5 lastChunk flag, 6 metadata struct
		ListTasksResponse: 1 tasks Task*, 2 nextPageToken text, 3 pageSize number, 4 totalSize number
		Role = ROLE_UNSPECIFIED ROLE_USER ROLE_AGENT
		TaskState = TASK_STATE_UNSPECIFIED TASK_STATE_SUBMITTED TASK_STATE_WORKING TASK_STATE_COMPLETED TASK_STATE_FAILED TASK_STATE_CANCELED TASK_STATE_INPUT_REQUIRED TASK_STATE_REJECTED TASK_STATE_AUTH_REQUIRED`),
	extensionHeader: "A2A-Extensions",
	errors: func() map[int]string {
		all := maps.Clone(rpcErrors)
		all[-32008], all[-32009] = "ExtensionSupportRequired", "VersionNotSupported"
		return all
	}(),

	omits: makeSet("waits-for-close notices-lost tls-1.1-at-most lookup-unsupported parts-object part-without-kind extension-in-params"), // no requirement is about them

	cardPath:      newCardPath,
	listEndpoints: listEndpoints10,
	extendedPath:  []string{"capabilities", "extendedAgentCard"},
	security:      "securityRequirements",
	schemesPath:   []string{"schemes"},
	readScheme:    readScheme10,

	role:            "ROLE_USER",
	writeParts:      writeParts10,
	immediately:     object{"returnImmediately": true},
	taskMember:      []string{"message", "taskId"},
	contextMember:   []string{"message", "contextId"},
	webhookMember:   "taskPushNotificationConfig",
	credentialState: authRequired,
	bearer:          object{"scheme": "Bearer"},
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
		return readFlows(getObject(v, "oauth2SecurityScheme", "flows"))
	case getMember(v, "openIdConnectSecurityScheme") != nil:
		return scheme{kind: discoveredScheme, name: "Bearer", in: getText(v, "openIdConnectSecurityScheme", "openIdConnectUrl")}
	case getMember(v, "mtlsSecurityScheme") != nil:
		return scheme{kind: certificateScheme}
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

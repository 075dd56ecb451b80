package client

import "cmp"

// a2a03 is A2A 0.3 over JSON-RPC and HTTP+JSON (sections 3.2 and 7).
var a2a03 = dialect{
	name: "a2a-0.3",
	methods: map[operation]string{
		send: "message/send", stream: "message/stream", get: "tasks/get", cancel: "tasks/cancel", subscribe: "tasks/resubscribe",
		extendedCard: "agent/getAuthenticatedExtendedCard", setWebhook: "tasks/pushNotificationConfig/set",
	},
	routes: map[operation]route{
		send: {"POST", "/v1/message:send"}, stream: {"POST", "/v1/message:stream"}, get: {"GET", "/v1/tasks/{id}"}, cancel: {"POST", "/v1/tasks/{id}:cancel"},
		list: {"GET", "/v1/tasks"}, subscribe: {"POST", "/v1/tasks/{id}:subscribe"}, extendedCard: {"GET", "/v1/card"},
		setWebhook: {"POST", "/v1/tasks/{taskId}/pushNotificationConfigs"},
	},
	restMembers: map[operation]string{setWebhook: "config"}, // section 7.5
	restMedia:   "application/json",
	rpcs: map[operation]rpc{
		send: {"SendMessage", "SendMessageRequest", "SendMessageResponse", false}, stream: {"SendStreamingMessage", "SendMessageRequest", "StreamResponse", true},
		get: {"GetTask", "GetTaskRequest", "Task", false}, cancel: {"CancelTask", "CancelTaskRequest", "Task", false}, subscribe: {"TaskSubscription", "TaskSubscriptionRequest", "StreamResponse", true},
	},
	service: "a2a.v1.A2AService",
	proto: readProtoFile(`
		SendMessageRequest: 1 request Message, 2 configuration SendMessageConfiguration, 3 metadata struct
		SendMessageConfiguration: 1 acceptedOutputModes text*, 2 pushNotification PushNotificationConfig, 3 historyLength number, 4 blocking flag
		PushNotificationConfig: 1 id text, 2 url text, 3 token text, 4 authentication AuthenticationInfo
		AuthenticationInfo: 1 schemes text*, 2 credentials text
		Message: 1 messageId text, 2 contextId text, 3 taskId text, 4 role Role, 5 content Part*, 6 metadata struct, 7 extensions text*, 8 referenceTaskIds text*
		Part: 1 text text, 2 file FilePart, 3 data DataPart, 4 metadata struct
		FilePart: 1 fileWithUri text, 2 fileWithBytes bytes, 3 mimeType text, 4 name text
		DataPart: 1 data struct
		GetTaskRequest: 1 name text, 2 historyLength number
		CancelTaskRequest: 1 name text
		TaskSubscriptionRequest: 1 name text
		SendMessageResponse: 1 task Task, 2 message Message
		StreamResponse: 1 task Task, 2 message Message, 3 statusUpdate TaskStatusUpdateEvent, 4 artifactUpdate TaskArtifactUpdateEvent
		Task: 1 id text, 2 contextId text, 3 status TaskStatus, 4 artifacts Artifact*, 5 history Message*, 6 metadata struct
		TaskStatus: 1 state TaskState, 2 update Message, 3 timestamp time
		Artifact: 1 artifactId text, 3 name text, 4 description text, 5 parts Part*, 6 metadata struct, 7 extensions text*
		TaskStatusUpdateEvent: 1 taskId text, 2 contextId text, 3 status TaskStatus, 4 final flag, 5 metadata struct
		TaskArtifactUpdateEvent: 1 taskId text, 2 contextId text, 3 artifact Artifact, 4 append flag, 5 lastChunk flag, 6 metadata struct
		Role = ROLE_UNSPECIFIED ROLE_USER ROLE_AGENT
		TaskState = TASK_STATE_UNSPECIFIED TASK_STATE_SUBMITTED TASK_STATE_WORKING TASK_STATE_COMPLETED TASK_STATE_FAILED TASK_STATE_CANCELLED TASK_STATE_INPUT_REQUIRED TASK_STATE_REJECTED TASK_STATE_AUTH_REQUIRED`),
	toProto:         toProto03,
	fromProto:       fromProto03,
	extensionHeader: "X-A2A-Extensions",
	errors:          rpcErrors,

	omits: makeSet("waits-for-final"), // no requirement is about it

	cardPath:      newCardPath,
	listEndpoints: listEndpoints03,
	extendedPath:  []string{"supportsAuthenticatedExtendedCard"},
	security:      "security",
	readScheme:    readScheme03,

	role:            "user",
	messageKind:     "message",
	writeParts:      writeParts03,
	immediately:     object{"blocking": false},
	taskMember:      []string{"message", "taskId"},
	contextMember:   []string{"message", "contextId"},
	webhookMember:   "pushNotificationConfig",
	credentialState: authRequired,
	bearer:          object{"schemes": []string{"Bearer"}},
	writeRegistration: func(task string, webhook object) object {
		return object{"taskId": task, "pushNotificationConfig": webhook}
	},

	readUpdate:  readUpdate03,
	partMembers: []string{"text", "file", "data"},
	members: makeSet("kind id contextId taskId status artifacts history metadata state message timestamp final",
		"messageId role parts extensions referenceTaskIds text file data name mimeType bytes uri",
		"artifactId description artifact append lastChunk"),
}

// listEndpoints03 reads the addresses of a card (section 5.6): the main one, whose
// transport is preferred, and then the additional ones.
func listEndpoints03(card object) (all []endpoint) {
	if url := getText(card, "url"); url != "" {
		all = append(all, endpoint{url: url, binding: cmp.Or(getText(card, "preferredTransport"), jsonrpcBinding)})
	}
	for _, v := range getList(card, "additionalInterfaces") {
		all = append(all, endpoint{url: getText(v, "url"), binding: getText(v, "transport")})
	}
	return all
}

// readScheme03 reads a security scheme (section 5.5.3 and OpenAPI 3).
func readScheme03(v any) scheme {
	switch getText(v, "type") {
	case "http":
		return scheme{kind: httpScheme, name: getText(v, "scheme")}
	case "apiKey":
		return scheme{kind: keyScheme, name: getText(v, "name"), in: getText(v, "in")}
	case "oauth2":
		return readFlows(getObject(v, "flows"))
	case "openIdConnect":
		return scheme{kind: discoveredScheme, name: "Bearer", in: getText(v, "openIdConnectUrl")}
	case "mutualTLS":
		return scheme{kind: certificateScheme}
	}
	return scheme{}
}

// writeParts03 writes parts, which have a kind (section 6.5).
func writeParts03(text string, files bool) []any {
	parts := []any{object{"kind": "text", "text": text}}
	if files {
		parts = append(parts,
			object{"kind": "file", "file": object{"bytes": fileBytes, "name": fileName, "mimeType": fileType}},
			object{"kind": "file", "file": object{"uri": fileURL, "mimeType": fileType}})
	}
	return parts
}

// readUpdate03 reads a result or an event by its kind. If the kind is missing, it is known by
// its members.
func readUpdate03(result object) update {
	kind := updateKind(getText(result, "kind"))
	if kind == "" {
		switch {
		case getMember(result, "artifact") != nil:
			kind = artifactUpdate
		case getMember(result, "status") != nil && getText(result, "id") != "":
			kind = taskUpdate
		case getMember(result, "status") != nil:
			kind = statusUpdate
		case getList(result, "parts") != nil:
			kind = messageUpdate
		}
	}
	return readContent(kind, result)
}

package client

import (
	"encoding/base64"
	"maps"
	"strings"
)

const userRole10 = "ROLE_USER"

// a2a10 is A2A 1.0 over JSON-RPC (section 9).
var a2a10 = dialect{
	name:    "a2a-1.0",
	version: "1.0",
	methods: map[operation]string{
		send: "SendMessage", stream: "SendStreamingMessage", get: "GetTask", list: "ListTasks", cancel: "CancelTask",
		subscribe: "SubscribeToTask", setWebhook: "CreateTaskPushNotificationConfig", extendedCard: "GetExtendedAgentCard",
	},
	role:            userRole10,
	extensionHeader: "A2A-Extensions",
	errors: func() map[int]string {
		all := maps.Clone(rpcErrors)
		all[-32008], all[-32009] = "ExtensionSupportRequired", "VersionNotSupported"
		return all
	}(),
	cardPath:       "/.well-known/agent-card.json",
	listEndpoints:  listEndpoints10,
	securityOf:     readSecurity10,
	claimsExtended: func(card object) bool { return flagAt(card, "capabilities", "extendedAgentCard") },
	writeMessage:   writeMessage10,
	writeWebhook: func(w webhook) object {
		return object{"url": w.url, "token": w.token, "authentication": object{"scheme": "Bearer", "credentials": w.credential}}
	},
	webhookMember: "taskPushNotificationConfig",
	immediately:   func(configuration object) { configuration["returnImmediately"] = true },
	readUpdate:    readUpdate10,
	partMembers:   []string{"text", "raw", "url", "data"},
	members: setOf("task message statusUpdate artifactUpdate id contextId taskId status artifacts history metadata state timestamp",
		"messageId role parts extensions referenceTaskIds text raw url data filename mediaType",
		"artifactId name description artifact append lastChunk"),
}

// listEndpoints10 reads the interfaces of a card (section 4.4.6), in their order.
func listEndpoints10(card object) (all []endpoint) {
	for _, v := range listAt(card, "supportedInterfaces") {
		all = append(all, endpoint{
			url: textAt(v, "url"), binding: textAt(v, "protocolBinding"),
			version: textAt(v, "protocolVersion"), tenant: textAt(v, "tenant"),
		})
	}
	return all
}

// readSecurity10 reads what the card demands (section 4.5).
func readSecurity10(card object) (alternatives []map[string][]string, schemes map[string]scheme) {
	for _, v := range listAt(card, "securityRequirements") {
		demanded := map[string][]string{}
		for name := range objectAt(v, "schemes") {
			demanded[name] = nil
		}
		alternatives = append(alternatives, demanded)
	}
	schemes = map[string]scheme{}
	for name, v := range objectAt(card, "securitySchemes") {
		switch {
		case at(v, "httpAuthSecurityScheme") != nil:
			schemes[name] = scheme{kind: httpScheme, name: textAt(v, "httpAuthSecurityScheme", "scheme")}
		case at(v, "apiKeySecurityScheme") != nil:
			schemes[name] = scheme{kind: keyScheme, name: textAt(v, "apiKeySecurityScheme", "name"), in: textAt(v, "apiKeySecurityScheme", "location")}
		case at(v, "oauth2SecurityScheme") != nil, at(v, "openIdConnectSecurityScheme") != nil:
			schemes[name] = scheme{kind: httpScheme, name: "Bearer"}
		}
	}
	return alternatives, schemes
}

func writeMessage10(m outgoing) object {
	parts := []any{object{"text": m.text}}
	if m.rich {
		parts = append(parts,
			object{"raw": base64.StdEncoding.EncodeToString([]byte("attached")), "filename": "note.txt", "mediaType": "text/plain"},
			object{"url": "https://files.example.com/note.txt", "mediaType": "text/plain"})
	}
	return finishMessage(m, object{"role": userRole10, "parts": parts})
}

// finishMessage adds to a message what both versions write alike.
func finishMessage(m outgoing, message object) object {
	message["messageId"] = m.id
	if m.task != "" {
		message["taskId"] = m.task
	}
	if m.context != "" {
		message["contextId"] = m.context
	}
	if len(m.extensions) > 0 {
		message["extensions"] = m.extensions
	}
	if m.rich {
		message["metadata"] = object{"client": "bundled"}
		if len(m.references) > 0 {
			message["referenceTaskIds"] = m.references
		}
	}
	return message
}

// readUpdate10 reads a SendMessageResponse, a StreamResponse or a Task.
func readUpdate10(result object) update {
	switch {
	case objectAt(result, "task") != nil:
		return readTask(objectAt(result, "task"), stateOf10)
	case objectAt(result, "message") != nil:
		return readMessage(objectAt(result, "message"))
	case objectAt(result, "statusUpdate") != nil:
		return readStatus(objectAt(result, "statusUpdate"), stateOf10)
	case objectAt(result, "artifactUpdate") != nil:
		return readArtifactUpdate(objectAt(result, "artifactUpdate"))
	case textAt(result, "id") != "" && objectAt(result, "status") != nil: // of GetTask
		return readTask(result, stateOf10)
	}
	return update{}
}

func stateOf10(name string) state {
	return state(strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "TASK_STATE_"), "_", "-")))
}

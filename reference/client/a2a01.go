package client

import (
	"encoding/json"
	"maps"
	"strings"
)

// a2a01 is A2A 0.1 over JSON-RPC (section 7): the client makes the ids of tasks.
var a2a01 = dialect{
	name: "a2a-0.1",
	methods: map[operation]string{
		send: "tasks/send", stream: "tasks/sendSubscribe", get: "tasks/get", cancel: "tasks/cancel", subscribe: "tasks/resubscribe",
		setWebhook: "tasks/pushNotification/set",
	},
	errors: func() map[int]string {
		all := maps.Clone(rpcErrors)
		all[-32006], all[-32007], all[-32008], all[-32009] = "StreamingNotSupported", "AuthenticationRequired", "AuthorizationFailed", "InvalidTaskState"
		all[-32010], all[-32011] = "RateLimitExceeded", "ResourceUnavailable"
		return all
	}(),
	omits: makeSet("rest thorough-rest both-bindings grpc extended both-paths",
		"message-id-missing message-id-empty message-id-reused references-to-messages output-mode-word retries-with-new-id message-fatal",
		"task-invented context-invented ids-in-small-letters ids-cut",
		"last-interface foreign-interface-fatal rpc-to-other-binding scheme-of-unknown-kind-fatal extended-card-ignored",
		"extensions-all-activated extension-awaited extension-header-each extension-names extension-in-message-only extension-once",
		"lookup-unsupported parts-object part-without-kind extension-in-params waits-for-final",
		"credentials-first-alternative credentials-first-scheme keys-in-header token-from-elsewhere"),

	cardPath:      oldCardPath,
	listEndpoints: listEndpoints01,
	listDemands:   listDemands01,

	role:            "user",
	bareMessage:     true,
	makesContexts:   true,
	writeParts:      writeParts01,
	writeParams:     writeParams01,
	taskMember:      []string{"id"},
	contextMember:   []string{"sessionId"},
	webhookMember:   "pushNotification",
	credentialState: inputRequired,
	bearer:          object{"schemes": []string{"Bearer"}},
	writeRegistration: func(task string, webhook object) object {
		return object{"id": task, "pushNotificationConfig": webhook}
	},

	readUpdate:  readTask01,
	readEvent:   readEvent01,
	partMembers: []string{"text", "file", "data"},
	members: makeSet("id sessionId status artifacts history metadata state message timestamp final",
		"role parts type text file data name mimeType bytes uri description artifact index append lastChunk"),
}

// listEndpoints01 reads the only address of a card (section 5.5).
func listEndpoints01(card object) (all []endpoint) {
	if url := getText(card, "url"); url != "" {
		all = append(all, endpoint{url: url, binding: jsonrpcBinding})
	}
	return all
}

// listDemands01 reads the schemes of a card, any of which will do (section 5.5.3). The details of a key are a text with
// JSON, which names its header.
func listDemands01(card object) (all [][]scheme) {
	header := "X-API-Key"
	var details object
	if json.Unmarshal([]byte(getText(card, "authentication", "credentials")), &details) == nil && getText(details, "name") != "" {
		header = getText(details, "name")
	}
	for _, v := range getList(card, "authentication", "schemes") {
		name, _ := v.(string)
		one := scheme{kind: httpScheme, name: name}
		if strings.EqualFold(name, "apiKey") {
			one = scheme{kind: keyScheme, name: header, in: "header"}
		}
		all = append(all, []scheme{one})
	}
	return all
}

// writeParts01 writes parts, which have a type (section 6.5).
func writeParts01(text string, files bool) []any {
	parts := writeParts03(text, files)
	for _, p := range parts {
		part := p.(object)
		part["type"] = part["kind"]
		delete(part, "kind")
	}
	return parts
}

// writeParams01 writes TaskSendParams (section 7.1.1): a message without a task begins one, whose id the client makes.
func writeParams01(d *dialect, m outgoingMessage, configuration object) object {
	params := object{"message": d.writeMessage(m)}
	if m.context != "" {
		params["sessionId"] = m.context
	}
	if d.startTask(params); m.task != "" {
		params["id"] = m.task
	}
	for _, name := range []string{"historyLength", d.webhookMember} {
		if v := configuration[name]; v != nil {
			params[name] = v
		}
	}
	return params
}

// readTask01 reads a result, which is a task (section 6.1).
func readTask01(result object) update {
	if getObject(result, "status") == nil {
		return update{}
	}
	u := readStatus01(result)
	u.kind, u.context = taskUpdate, getText(result, "sessionId")
	for _, a := range getList(result, "artifacts") {
		u.artifacts = append(u.artifacts, readArtifact01(a))
		u.parts = append(u.parts, listPartKinds(getList(a, "parts"))...)
	}
	return u
}

// readEvent01 reads an event: a change of the status, or a piece of an artifact (sections 7.2.2 and 7.2.3).
func readEvent01(result object) update {
	switch {
	case getObject(result, "artifact") != nil:
		return update{
			kind: artifactUpdate, task: getText(result, "id"), artifacts: []artifact{readArtifact01(result["artifact"])},
			appended: getFlag(result, "artifact", "append"), parts: listPartKinds(getList(result, "artifact", "parts")),
		}
	case getObject(result, "status") != nil:
		u := readStatus01(result)
		u.final = getFlag(result, "final")
		return u
	}
	return update{}
}

// readStatus01 reads the status of a task.
func readStatus01(v object) update {
	return update{kind: statusUpdate, task: getText(v, "id"), state: state(getText(v, "status", "state")), text: readParts(getList(v, "status", "message", "parts"))}
}

// readArtifact01 reads an artifact, which is known by its index: 0 if it states none (section 6.7).
func readArtifact01(v any) artifact {
	id := "0"
	if n, is := getMember(v, "index").(json.Number); is {
		id = n.String()
	}
	return artifact{id: id, text: readParts(getList(v, "parts"))}
}

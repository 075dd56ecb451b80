package client

import "encoding/base64"

const userRole03 = "user"

// a2a03 is A2A 0.3 over JSON-RPC (sections 3.2.1 and 7).
var a2a03 = dialect{
	name: "a2a-0.3",
	methods: map[operation]string{
		send: "message/send", stream: "message/stream", get: "tasks/get", cancel: "tasks/cancel", subscribe: "tasks/resubscribe",
		setWebhook: "tasks/pushNotificationConfig/set", extendedCard: "agent/getAuthenticatedExtendedCard",
	},
	role:            userRole03,
	extensionHeader: "X-A2A-Extensions",
	errors:          rpcErrors,
	cardPath:        "/.well-known/agent-card.json",
	listEndpoints:   listEndpoints03,
	securityOf:      readSecurity03,
	claimsExtended:  func(card object) bool { return flagAt(card, "supportsAuthenticatedExtendedCard") },
	writeMessage:    writeMessage03,
	writeWebhook: func(w webhook) object {
		return object{"url": w.url, "token": w.token, "authentication": object{"schemes": []string{"Bearer"}, "credentials": w.credential}}
	},
	webhookMember: "pushNotificationConfig",
	immediately:   func(configuration object) { configuration["blocking"] = false },
	readUpdate:    readUpdate03,
	partMembers:   []string{"text", "file", "data"},
	members: setOf("kind id contextId taskId status artifacts history metadata state message timestamp final",
		"messageId role parts extensions referenceTaskIds text file data name mimeType bytes uri",
		"artifactId description artifact append lastChunk"),
}

// listEndpoints03 reads the addresses of a card (section 5.6): the main one, whose
// transport is preferred, and then the additional ones.
func listEndpoints03(card object) []endpoint {
	preferred := textAt(card, "preferredTransport")
	if preferred == "" {
		preferred = jsonrpcBinding
	}
	var all []endpoint
	if url := textAt(card, "url"); url != "" {
		all = append(all, endpoint{url: url, binding: preferred})
	}
	for _, v := range listAt(card, "additionalInterfaces") {
		all = append(all, endpoint{url: textAt(v, "url"), binding: textAt(v, "transport")})
	}
	return all
}

// readSecurity03 reads what the card demands (section 5.5.3 and OpenAPI 3).
func readSecurity03(card object) (alternatives []map[string][]string, schemes map[string]scheme) {
	for _, v := range listAt(card, "security") {
		demanded := map[string][]string{}
		o, _ := v.(object)
		for name := range o {
			demanded[name] = nil
		}
		alternatives = append(alternatives, demanded)
	}
	schemes = map[string]scheme{}
	for name, v := range objectAt(card, "securitySchemes") {
		switch textAt(v, "type") {
		case "http":
			schemes[name] = scheme{kind: httpScheme, name: textAt(v, "scheme")}
		case "apiKey":
			schemes[name] = scheme{kind: keyScheme, name: textAt(v, "name"), in: textAt(v, "in")}
		case "oauth2", "openIdConnect":
			schemes[name] = scheme{kind: httpScheme, name: "Bearer"}
		}
	}
	return alternatives, schemes
}

func writeMessage03(m outgoing) object {
	parts := []any{object{"kind": "text", "text": m.text}}
	if m.rich {
		parts = append(parts,
			object{"kind": "file", "file": object{"bytes": base64.StdEncoding.EncodeToString([]byte("attached")), "name": "note.txt", "mimeType": "text/plain"}},
			object{"kind": "file", "file": object{"uri": "https://files.example.com/note.txt", "mimeType": "text/plain"}})
	}
	return finishMessage(m, object{"kind": "message", "role": userRole03, "parts": parts})
}

// readUpdate03 reads a result or an event by its kind. If the kind is missing, the
// members tell.
func readUpdate03(result object) update {
	kind := textAt(result, "kind")
	if kind == "" {
		switch {
		case at(result, "artifact") != nil:
			kind = "artifact-update"
		case at(result, "status") != nil && textAt(result, "id") != "":
			kind = "task"
		case at(result, "status") != nil:
			kind = "status-update"
		case listAt(result, "parts") != nil:
			kind = "message"
		}
	}
	name := func(s string) state { return state(s) }
	switch kind {
	case "task":
		return readTask(result, name)
	case "message":
		return readMessage(result)
	case "status-update":
		return readStatus(result, name)
	case "artifact-update":
		return readArtifactUpdate(result)
	}
	return update{}
}

package client

import "maps"

// jaf03 is JAF A2A 0.3 over JSON-RPC: agents answer by completions, which are messages, and the client makes the ids of
// contexts.
var jaf03 = func() dialect {
	d := a2x03
	d.name = "jaf-0.3"
	d.errors = maps.Clone(rpcErrors)
	for code, name := range map[int]string{
		-32000: "AgentNotFound", -32001: "TaskNotFound", -32002: "AgentUnavailable", -32003: "RateLimited", -32004: "AuthenticationRequired",
		-32005: "PermissionDenied", -32006: "Timeout", -32007: "ResourceExhausted",
	} {
		d.errors[code] = name
	}
	d.omits = maps.Clone(a2x03.omits)
	delete(d.omits, "lookup-unsupported")
	maps.Copy(d.omits, makeSet("answer-starts-task task-that-ended task-invented ids-in-small-letters ids-cut context-of-application",
		"video file-as-numbers file-at-local-path message-fatal artifacts-needed status-message-alone artifact-events-dropped append-ignored question-as-end",
		"auth-as-failure waiting-as-cut extension-header-each extension-names extension-once extension-in-params extension-awaited extensions-all-activated",
		"file-with-bytes-fatal file-hangs files-fetched data-needs-object retries-refused-stream waits-for-final",
		"context-invented cancels-working-task working-as-result polls-without-pause polls-when-gone milliseconds-needed get-by-http-get credentials-with-send-only mark-hides-event unknown-member-fatal batch"))
	d.cardPath = "/.well-known/agent-card"
	d.listDemands = listDemands01
	d.extensionHeader = ""
	d.taskMember = []string{"message", "taskId"}
	d.makesContexts = true
	d.readUpdate = readUpdateJAF
	d.bareEvents = false
	d.datesMessages, d.namesHeaders, d.readsLimits = true, true, true
	d.members = maps.Clone(a2x03.members)
	maps.Copy(d.members, makeSet("cancelled reason message final"))
	return d
}()

// replyID is the name by which the only result of a task is known.
const replyID = "reply"

// readUpdateJAF reads a result or an event by its kind. What a task brought is in a message.
func readUpdateJAF(result object) update {
	u := update{task: getText(result, "taskId"), context: getText(result, "contextId"), final: getFlag(result, "final")}
	parts := getList(result, "message", "parts")
	switch getText(result, "kind") {
	case "completion":
		u.kind, u.state = taskUpdate, completed
	case "partial-completion":
		u.kind, u.appended = artifactUpdate, true
	case "task", "status-update":
		u.kind, u.state = statusUpdate, readStateJAF(getText(result, "status", "state"))
		parts = getList(result, "status", "message", "parts")
		if id := getText(result, "id"); id != "" {
			u.kind, u.task = taskUpdate, id
		}
		if u.state != completed {
			u.text = readParts(parts)
			return u
		}
	default:
		if _, is := result["cancelled"].(bool); is && getFlag(result, "cancelled") {
			return update{kind: taskUpdate, task: getText(result, "id"), state: canceled}
		}
		return update{}
	}
	u.parts = listPartKinds(parts)
	u.artifacts = []artifact{{id: replyID, text: readParts(parts)}}
	return u
}

// readStateJAF reads the name of a state, one of which has other letters.
func readStateJAF(name string) state {
	if name == "cancelled" {
		return canceled
	}
	return state(name)
}

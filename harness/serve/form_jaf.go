package serve

import "strings"

// formJAF writes JAF A2A 0.3.0, whose agents answer by completions: messages with what a task brought.
type formJAF struct{ form03 }

func (formJAF) dialectName() string { return jaf03 }

func (formJAF) listFeatures() []string { return []string{givesTaskIDs} }

// writeCard has the only interface, and its modes by their own names.
func (f formJAF) writeCard(c cardFacts) object {
	card := form01{}.writeCard(c)
	card["protocolVersion"] = f.protocolVersion()
	for from, to := range map[string]string{"defaultInputModes": "inputModes", "defaultOutputModes": "outputModes"} {
		delete(card, from)
		card[to] = []any{"text"}
	}
	return card
}

// stateName returns the name of a state, one of which has other letters.
func (formJAF) stateName(s state) string {
	if s == canceled {
		return "cancelled"
	}
	return string(s)
}

func (f formJAF) writeMessage(id, context, _, text string) object {
	return f.form03.writeMessage(id, context, "", text)
}

// writeTask has what a task brought in the message of its status.
func (f formJAF) writeTask(t *task) object {
	return object{"kind": "task", "id": t.id, "contextId": t.context, "status": f.writeStatus(t)}
}

// writeStatus writes the status of a task, with all texts that it brought.
func (f formJAF) writeStatus(t *task) object {
	shown := *t
	for _, a := range t.artifacts {
		shown.says = strings.TrimSpace(shown.says + " " + strings.Join(a.texts, ""))
	}
	return writeStatus(f, &shown)
}

// wrapNamed makes a completion of a task that is completed.
func (f formJAF) wrapNamed(kind string, o object) object {
	status, _ := o["status"].(object)
	if kind != "task" || status["state"] != string(completed) {
		return o
	}
	return object{"kind": "completion", "taskId": o["id"], "contextId": o["contextId"], "message": status["message"], "final": true}
}

func (f formJAF) writeStatusEvent(t *task, final bool) object {
	if t.state == completed {
		return f.wrapNamed("task", f.writeTask(t))
	}
	return object{"kind": "status-update", "taskId": t.id, "contextId": t.context, "status": f.writeStatus(t), "final": final}
}

// writeArtifactEvent writes a piece of the reply.
func (f formJAF) writeArtifactEvent(t *task, _, text string, _, _ bool) object {
	return object{"kind": "partial-completion", "taskId": t.id, "contextId": t.context, "message": f.writeMessage(t.saysID, t.context, "", text), "final": false}
}

func (f formJAF) writeStreamStart(t *task, _ bool) object { return f.writeStatusEvent(t, false) }

// writeCancellation writes the result of tasks/cancel, which is no task.
func (formJAF) writeCancellation(id string, done bool) object {
	return object{"id": id, "cancelled": done, "timestamp": formatNow()}
}

func (formJAF) findParts(task object) object { return task["message"].(object) }

// wantsToWait reports true: messages are answered by completions.
func (formJAF) wantsToWait(func(at string) bool) bool { return true }

// demandSchemes lists schemes by name, one of which is wanted.
func (formJAF) demandSchemes(card object, alternatives [][]securityScheme) {
	form01{}.demandSchemes(card, alternatives)
	authentication := card["authentication"].(object)
	var names []any
	for _, name := range authentication["schemes"].([]any) {
		names = append(names, strings.ToLower(name.(string)))
	}
	card["authentication"] = object{"required": true, "schemes": names}
}

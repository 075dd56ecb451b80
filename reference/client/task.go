package client

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// updateKind is what a result or an event is about, in the words of A2A 0.3.
type updateKind string

const (
	unknownUpdate  updateKind = ""
	taskUpdate     updateKind = "task"
	messageUpdate  updateKind = "message"
	statusUpdate   updateKind = "status-update"
	artifactUpdate updateKind = "artifact-update"
)

// An update is the content of a result or an event, whatever the version.
type update struct {
	kind          updateKind
	task, context string
	state         state
	id            string     // of a message
	text          string     // of the message, or of the one in the status
	parts         []string   // the kinds of all parts of a message and of artifacts
	artifacts     []artifact // all of a task, or one chunk
	appended      bool       // the chunk continues the artifact
	final         bool       // nothing follows in this stream
	payment       object     // that the task asks for; nil for none
}

// An artifact is a result as far as it is known.
type artifact struct {
	id, text string
}

// readContent reads the content of an update of a kind.
func readContent(kind updateKind, v object) update {
	u := update{kind: kind, task: getText(v, "taskId"), context: getText(v, "contextId")}
	switch kind {
	case taskUpdate:
		u.task = getText(v, "id")
		for _, a := range getList(v, "artifacts") {
			u.artifacts = append(u.artifacts, readArtifact(a))
			u.parts = append(u.parts, listPartKinds(getList(a, "parts"))...)
		}
	case messageUpdate:
		u.id, u.text, u.parts = getText(v, "messageId"), readParts(getList(v, "parts")), listPartKinds(getList(v, "parts"))
	case statusUpdate:
		u.final = getFlag(v, "final")
	case artifactUpdate:
		u.artifacts, u.appended = []artifact{readArtifact(getObject(v, "artifact"))}, getFlag(v, "append")
		u.parts = listPartKinds(getList(v, "artifact", "parts"))
	default:
		return update{}
	}
	if kind == taskUpdate || kind == statusUpdate {
		u.state, u.text = state(getText(v, "status", "state")), readParts(getList(v, "status", "message", "parts"))
		u.payment = getObject(v, "status", "message", "metadata", "x402.payment.required")
	}
	return u
}

func readArtifact(v any) artifact {
	return artifact{id: getText(v, "artifactId"), text: readParts(getList(v, "parts"))}
}

// readParts returns the parts of a message or an artifact as text: files by their names
// or addresses, data as JSON. Parts of an unknown kind are passed over.
func readParts(parts []any) string {
	var texts []string
	for _, p := range parts {
		file := getObject(p, "file")
		switch {
		case getMember(p, "text") != nil:
			texts = append(texts, getText(p, "text"))
		case file != nil:
			texts = append(texts, describeFile(getText(file, "name"), getText(file, "uri")))
		case getMember(p, "raw") != nil, getMember(p, "url") != nil:
			texts = append(texts, describeFile(getText(p, "filename"), getText(p, "url")))
		case getMember(p, "data") != nil:
			data, _ := json.Marshal(getMember(p, "data"))
			texts = append(texts, string(data))
		}
	}
	return strings.Join(texts, "\n")
}

func describeFile(name, address string) string {
	return strings.TrimSpace(fmt.Sprintf("file %s %s", name, address))
}

// A taskView is what the client knows of the task, put together from all updates.
type taskView struct {
	id, context string
	state       state
	messages    []string // that were not in a status
	status      string   // the text of the last status
	artifacts   []artifact
	answered    bool   // there was an update of a known kind
	payment     object // that the task asks for; nil for none
}

// applyUpdate takes in an update. Updates after the end change nothing.
func (t *taskView) applyUpdate(u update, ignoresAppend bool) {
	if u.kind == unknownUpdate {
		return
	}
	t.answered = true
	if u.context != "" {
		t.context = u.context
	}
	if u.kind == messageUpdate {
		t.messages = append(t.messages, u.text)
		return
	}
	if t.state.isTerminal() && t.id == u.task && u.kind != taskUpdate {
		return
	}
	if u.task != "" {
		t.id = u.task
	}
	switch u.kind {
	case taskUpdate:
		t.state, t.status, t.artifacts, t.payment = u.state, u.text, u.artifacts, u.payment
	case statusUpdate:
		t.state, t.status, t.payment = u.state, u.text, u.payment
	case artifactUpdate:
		chunk := u.artifacts[0]
		i := slices.IndexFunc(t.artifacts, func(a artifact) bool { return a.id == chunk.id })
		switch {
		case i < 0:
			t.artifacts = append(t.artifacts, chunk)
		case u.appended && !ignoresAppend:
			t.artifacts[i].text += chunk.text
		default:
			t.artifacts[i] = chunk
		}
	}
}

// joinArtifacts puts the texts of artifacts after those that are known of them.
func joinArtifacts(known, more []artifact) (out []artifact) {
	for _, a := range more {
		for _, k := range known {
			if k.id == a.id {
				a.text = k.text + a.text
			}
		}
		out = append(out, a)
	}
	return out
}

// beginTurn forgets what a new message may change. The ids remain.
func (t *taskView) beginTurn() {
	*t = taskView{id: t.id, context: t.context}
}

package serve

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/schema"
)

// form01 writes A2A 0.1.0 (sections 5, 6 and 7). It is like the version after it in what is not here.
type form01 struct{ form03 }

func (form01) dialectName() string { return a2a01 }

// protocolVersion is none: cards have no such member.
func (form01) protocolVersion() string { return "" }

func (form01) listFeatures() []string { return []string{hasNotices, hasArtifacts} }

// writeCard has the only interface.
func (form01) writeCard(c cardFacts) object {
	card := writeAgent(c.streaming)
	if len(c.faces) > 0 {
		card["url"] = c.faces[0].url
	}
	return card
}

func (form01) writeTextPart(text string) object { return object{"type": "text", "text": text} }

func (f form01) writeMessage(_, _, _, text string) object {
	return object{"role": "agent", "parts": []any{f.writeTextPart(text)}}
}

// stateName returns the name of a state. A task that waits for a credential waits for input.
func (form01) stateName(s state) string {
	if s == authRequired {
		return string(inputRequired)
	}
	return string(s)
}

func (f form01) writeTask(t *task) object {
	o := object{"id": t.id, "sessionId": t.context, "status": writeStatus(f, t)}
	var artifacts []any
	for _, a := range t.artifacts {
		artifacts = append(artifacts, f.writeArtifact(t, a.id, a.texts...))
	}
	if len(artifacts) > 0 {
		o["artifacts"] = artifacts
	}
	return o
}

// writeArtifact writes an artifact, whose index is its place among those of the task.
func (f form01) writeArtifact(t *task, id string, texts ...string) object {
	var parts []any
	for _, text := range texts {
		parts = append(parts, f.writeTextPart(text))
	}
	return object{"index": t.places.findPlace(id), "parts": parts}
}

// places are the ids of artifacts, in the order in which they are numbered.
type places struct {
	mu  sync.Mutex
	ids []string
}

// findPlace returns the number of an artifact, which gets the next one if it has none.
func (p *places) findPlace(id string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.ids, id)
	if i < 0 {
		i = len(p.ids)
		p.ids = append(p.ids, id)
	}
	return i
}

func (f form01) writeStatusEvent(t *task, final bool) object {
	return object{"id": t.id, "status": writeStatus(f, t), "final": final}
}

func (f form01) writeArtifactEvent(t *task, id, text string, appends, last bool) object {
	artifact := f.writeArtifact(t, id, text)
	artifact["append"], artifact["lastChunk"] = appends, last
	return object{"id": t.id, "artifact": artifact}
}

// writeStreamStart writes the status, since no event is a task. The text that begins a stream, which tasks have as their
// first artifact, is that of the status.
func (f form01) writeStreamStart(t *task, resumed bool) object {
	if resumed {
		return f.writeStatusEvent(t, false)
	}
	return f.writeStatusEvent(t.saySoFar(), false)
}

// saySoFar returns a task whose status has the text of its first artifact, if there is one.
func (t *task) saySoFar() *task {
	begin := *t
	if len(t.artifacts) > 0 {
		begin.says = t.artifacts[0].texts[0]
	}
	return &begin
}

func (form01) errorDetails(schema.ErrorSign) any { return nil }

func (form01) writeUnknownPart() object {
	return object{"type": "hologram", "hologram": object{"voxels": 8}}
}

func (form01) writeUnknownEvent() object { return object{"pondering": object{"depth": 3}} }

func (form01) listOddParts() []any {
	return append(listTypedParts("type"), object{"type": "data", "data": []any{1, "two", nil}})
}

func (form01) dropOptionalMembers(task object) { delete(task, "sessionId") }

func (form01) taskAt() string    { return "/id" }
func (form01) contextAt() string { return "/sessionId" }
func (form01) namesTasks() bool  { return true }

// wantsToWait reports false: no member asks for it.
func (form01) wantsToWait(func(at string) bool) bool { return false }

// demandSchemes lists schemes by name. The header of a key is in the details, a text with JSON.
func (form01) demandSchemes(card object, alternatives [][]securityScheme) {
	names, details := []any{}, object{}
	for _, all := range alternatives {
		for _, one := range all {
			switch one.kind {
			case "key":
				names = append(names, "ApiKey")
				details = object{"in": one.in, "name": one.at}
			case "basic":
				names = append(names, "Basic")
			default:
				names = append(names, "Bearer")
			}
		}
	}
	authentication := object{"schemes": names}
	if len(details) > 0 {
		text, _ := json.Marshal(details) // of texts
		authentication["credentials"] = string(text)
	}
	card["authentication"] = authentication
}

// The members of the form that are about notifications.

// writeStateNotice has the member that the text wants in a notification, besides those of a task.
func (f form01) writeStateNotice(t *task) object {
	notice := f.writeTask(t)
	notice["taskId"] = t.id
	return notice
}

// listOtherNotices returns bodies that the text allows besides whole tasks.
func (f form01) listOtherNotices(_ *stage, t *task) []namedNotice {
	return []namedNotice{{"notify-short", object{"id": t.id, "taskId": t.id, "status": object{"state": f.stateName(t.state)}}}}
}

func (f form01) writeHook(h *hook, id string) object {
	o := f.form03.writeHook(h, id)
	config := o["pushNotificationConfig"].(object)
	delete(config, "id")
	return object{"id": h.task.id, "pushNotificationConfig": config}
}

func (form01) hookTaskAt() string { return "/id" }

// forgedState is one that no agent states: there is no state of waiting for a credential.
func (form01) forgedState() state { return "unknown" }

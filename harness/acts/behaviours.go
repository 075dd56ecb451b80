package acts

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Behaviour is what an agent is to do if the first text of a message begins with a prefix.
type Behaviour struct {
	Prefix        string
	Description   string
	ResponseType  string // task or message; "" if it is left open
	TerminalState string
	Artifacts     int // how many are described
	DelayMS       int
	Streaming     bool
}

// readBehaviours reads a document that describes behaviours in place of tests.
func (r *reader) readBehaviours(root *yaml.Node) (all []Behaviour) {
	const what = "the document"
	has, ok := r.readKeys(root, what, "acts_version", "behaviors")
	if !ok || !r.requireKeys(root, what, has, "acts_version", "behaviors") {
		return nil
	}
	r.checkVersion(has["acts_version"].value)
	for i, item := range r.readItems(has["behaviors"].value, "behaviors") {
		all = append(all, r.readBehaviour(item, fmt.Sprintf("behaviors[%d]", i)))
	}
	return all
}

// readBehaviour reads one behaviour.
func (r *reader) readBehaviour(n *yaml.Node, what string) (b Behaviour) {
	has, ok := r.readKeys(n, what, "prefix", "description", "response_type", "terminal_state", "artifacts", "delay_ms", "streaming")
	if !ok {
		return b
	}
	r.requireKeys(n, what, has, "prefix", "description")
	b.Prefix, b.Description, b.TerminalState = r.readOptionalText(has, "prefix", what), r.readOptionalText(has, "description", what), r.readOptionalText(has, "terminal_state", what)
	if m, ok := has["response_type"]; ok {
		b.ResponseType = r.readWord(m.value, what+".response_type", "task", "message")
	}
	if m, ok := has["delay_ms"]; ok {
		b.DelayMS = r.readCount(m.value, what+".delay_ms", maxDelayMS)
	}
	if m, ok := has["streaming"]; ok {
		b.Streaming = r.readBool(m.value, what+".streaming")
	}
	if m, ok := has["artifacts"]; ok {
		for i, item := range r.readItems(m.value, what+".artifacts") {
			r.checkArtifactSpec(item, fmt.Sprintf("%s.artifacts[%d]", what, i))
			b.Artifacts++
		}
	}
	return b
}

// checkArtifactSpec reports a description of an artifact that is not as the grammar has it.
func (r *reader) checkArtifactSpec(n *yaml.Node, what string) {
	has, ok := r.readKeys(n, what, "text", "data", "file", "fileUrl")
	if !ok {
		return
	}
	r.readOptionalText(has, "text", what)
	if m, ok := has["data"]; ok {
		r.readValue(m.value, what+".data", 0)
	}
	for key, keys := range map[string][]string{"file": {"name", "mediaType"}, "fileUrl": {"url", "name", "mediaType"}} {
		m, given := has[key]
		if !given {
			continue
		}
		at := what + "." + key
		if file, ok := r.readKeys(m.value, at, keys...); ok && r.requireKeys(m.value, at, file, keys...) {
			for _, name := range keys {
				r.readOptionalText(file, name, at)
			}
		}
	}
}

package acts

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// checkBehaviours reports what is wrong with a document that describes behaviours in place of tests: what an agent is to do
// if the first text of a message begins with a prefix. It returns how many it describes; they are not kept.
func (r *reader) checkBehaviours(root *yaml.Node) (count int) {
	const what = "the document"
	has, ok := r.readKeys(root, what, "acts_version", "behaviors")
	if !ok || !r.requireKeys(root, what, has, "acts_version", "behaviors") {
		return 0
	}
	r.checkVersion(has["acts_version"].value)
	items := r.readItems(has["behaviors"].value, "behaviors")
	for i, item := range items {
		r.checkBehaviour(item, fmt.Sprintf("behaviors[%d]", i))
	}
	return len(items)
}

// checkBehaviour reports what is wrong with one behaviour.
func (r *reader) checkBehaviour(n *yaml.Node, what string) {
	has, ok := r.readKeys(n, what, "prefix", "description", "response_type", "terminal_state", "artifacts", "delay_ms", "streaming")
	if !ok {
		return
	}
	r.requireKeys(n, what, has, "prefix", "description")
	for _, key := range []string{"prefix", "description", "terminal_state"} {
		r.readOptionalText(has, key, what)
	}
	if m, ok := has["response_type"]; ok {
		r.readWord(m.value, what+".response_type", "task", "message")
	}
	if m, ok := has["delay_ms"]; ok {
		r.readCount(m.value, what+".delay_ms", maxDelayMS)
	}
	if m, ok := has["streaming"]; ok {
		r.readBool(m.value, what+".streaming")
	}
	if m, ok := has["artifacts"]; ok {
		for i, item := range r.readItems(m.value, what+".artifacts") {
			r.checkArtifactSpec(item, fmt.Sprintf("%s.artifacts[%d]", what, i))
		}
	}
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

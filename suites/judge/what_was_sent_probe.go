package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// probe is the entry of the catalogue that a step sent, if it is one: what it bends
// stands there.
func (c *Case) probe(said *Said) (*schema.Block, *schema.Probe) {
	i := slices.IndexFunc(c.Dialect.Blocks, func(b schema.Block) bool { return b.Name == said.Play.Scenario })
	if i < 0 || said.Step.Role != wire.Probe {
		return nil, nil
	}
	b := &c.Dialect.Blocks[i]
	j := slices.IndexFunc(b.Probes, func(p schema.Probe) bool { return p.Name == said.Step.Name })
	if j < 0 {
		return nil, nil
	}
	return b, &b.Probes[j]
}

// bent says in what a probe differs from the valid call, in its own words if it
// has any.
func (c *Case) bent(by binding.Binding, b *schema.Block, p *schema.Probe) string {
	op := b.Op
	if p.Op != "" {
		op = p.Op
	}
	method := by.Title(op)
	if p.Title != "" {
		return method + " " + p.Title
	}
	var changes []string
	switch {
	case p.Raw != nil:
		method = rawWords(p)
	case (p.Task == "fresh" || p.Task == "" && b.Task == "fresh") && !slices.ContainsFunc(p.Patch, func(o schema.PatchOp) bool { return namesTask(p, o) }):
		changes = append(changes, "of an unknown task")
	}
	for _, o := range p.Patch {
		if p.On == schema.OnEnvelope && o.Path == "/method" && o.Op == "replace" {
			if name, is := o.Value.(string); is {
				method = c.named(by, name)
				continue
			}
		}
		changes = append(changes, patchWords(p, o))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		changes = append(changes, fmt.Sprintf("with %s: %s", name, strings.ReplaceAll(p.Headers[name], schema.NewID, "a new id")))
	}
	if p.Method != "" {
		method = p.Method + " of " + method
	}
	words := method
	for i, change := range changes {
		if i > 0 && strings.HasPrefix(changes[i-1], "with") {
			words += " and"
			if first, rest, _ := strings.Cut(change, " "); first == "with" && strings.HasPrefix(changes[i-1], "with ") {
				change = rest
			}
		}
		words += " " + change
	}
	return words
}

// namesTask reports whether a patch takes away or replaces what names the task.
func namesTask(p *schema.Probe, o schema.PatchOp) bool {
	return slices.Contains([]string{"params", "params/id", "params/taskId"}, bentPlace(p, o))
}

// bentPlace is what a patch changes, from the envelope on.
func bentPlace(p *schema.Probe, o schema.PatchOp) string {
	if p.Bends() == schema.OnParams {
		return "params" + o.Path
	}
	return strings.TrimPrefix(o.Path, "/")
}

// rawWords says what a body is that is sent as it is.
func rawWords(p *schema.Probe) string {
	raw := *p.Raw
	root, faults := wire.ObserveJSON([]byte(raw))
	shown := Shorten(Clip(raw, 60), 60)
	switch {
	case strings.TrimSpace(raw) == "":
		return "an empty body"
	case root == nil || len(faults) > 0:
		return "the body " + shown + ", which is no JSON"
	case root.Kind == wire.Array && len(root.Elems) == 0:
		return "an empty batch, []"
	case root.Kind == wire.Array && p.On == schema.OnEnvelope:
		return fmt.Sprintf("a batch of %d calls", len(root.Elems))
	}
	return "the body " + shown
}

// patchWords says what one operation of a patch does to the valid call.
func patchWords(p *schema.Probe, o schema.PatchOp) string {
	at := strings.ReplaceAll(bentPlace(p, o), "/", ".")
	if at == "id" && p.On == schema.OnEnvelope { // not to be taken for the task's
		at = "JSON-RPC id"
	}
	text, err := json.Marshal(o.Value)
	if err != nil {
		text = []byte("…")
	}
	value := Clip(string(text), 50)
	switch {
	case o.Op == "remove":
		return "without " + at
	case strings.HasSuffix(o.Path, "/-"):
		return "with " + value + " among " + strings.TrimSuffix(at, ".-")
	case value == "{}" && strings.HasPrefix(at, "params"):
		return "with empty " + at
	}
	return "with " + at + " = " + value
}

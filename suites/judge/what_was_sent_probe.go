package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// probe is the entry of the catalogue that a step sent, if it is one: what it bends
// stands there.
func (c *Case) probe(said *Said) (*schema.Block, *schema.Probe) {
	i := slices.IndexFunc(c.Dialect.Blocks, func(b schema.Block) bool { return b.Name == said.Play.Scenario })
	if i < 0 || said.Step.Role != record.Probe {
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
func (c *Case) bent(said *Said, b *schema.Block, p *schema.Probe) string {
	by := c.by(said.Play, said.Step)
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
		preposition := "of"
		if c.Dialect.Operation(op).Agent {
			preposition = "to"
		}
		changes = append(changes, preposition+" an unknown task")
	}
	var set []setting
	for _, o := range p.Patch {
		switch name, is := o.Value.(string); {
		case p.On == schema.OnEnvelope && o.Path == "/method" && o.Op == "replace" && is:
			method = c.named(by, name)
		case p.Bends() == schema.OnParams && sets(o):
			set = append(set, setting{o.Path, valueWords(o.Value)})
		default:
			changes = append(changes, c.patchWords(said, p, o))
		}
	}
	method, set = c.inTarget(said, method, set)
	for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
		changes = append(changes, fmt.Sprintf("with %s: %s", name, strings.ReplaceAll(p.Headers[name], schema.NewID, "a new id")))
	}
	if p.Method != "" {
		method = p.Method + " of " + method
	}
	words := method + c.spell(said, set)
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

// sets reports whether a patch gives a parameter a value of its own.
func sets(o schema.PatchOp) bool {
	return o.Op != "remove" && o.Path != "" && !strings.HasSuffix(o.Path, "/-")
}

// namesTask reports whether a patch takes away or replaces what names the task.
func namesTask(p *schema.Probe, o schema.PatchOp) bool {
	at, inParams := o.Path, true
	if p.Bends() != schema.OnParams {
		at, inParams = binding.InParams(o.Path)
	}
	return inParams && slices.Contains([]string{"", "/id", "/taskId"}, at)
}

// rawWords says what a body is that is sent as it is.
func rawWords(p *schema.Probe) string {
	raw := *p.Raw
	root, faults := record.ObserveJSON([]byte(raw))
	shown := shorten.Visible(shorten.Clip(raw, 60), 60)
	switch {
	case strings.TrimSpace(raw) == "":
		return "an empty body"
	case root == nil || len(faults) > 0:
		return "the body " + shown + ", which is no JSON"
	case root.Kind == record.Array && len(root.Elems) == 0:
		return "an empty batch, []"
	case root.Kind == record.Array && p.On == schema.OnEnvelope:
		return fmt.Sprintf("a batch of %d calls", len(root.Elems))
	}
	return "the body " + shown
}

// patchWords says what one operation of a patch does to the valid call.
func (c *Case) patchWords(said *Said, p *schema.Probe, o schema.PatchOp) string {
	var at string
	switch path := strings.TrimSuffix(o.Path, "/-"); {
	case p.Bends() == schema.OnParams:
		at = c.spelled(said, path)
	case path == "/id": // not to be taken for the task's
		at = "JSON-RPC id"
	default:
		at = strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ".")
	}
	value := valueWords(o.Value)
	switch {
	case o.Op == "remove":
		return "without " + at
	case strings.HasSuffix(o.Path, "/-"):
		return "with " + value + " among " + at
	case value == "{}" && at == "the message":
		return "{}"
	case value == "{}" && (p.Bends() == schema.OnParams || at == "params"):
		return "with " + strings.Replace("empty "+at, "empty the ", "an empty ", 1)
	}
	return "with " + at + " = " + value
}

// valueWords is a value of ours in JSON, or the beginning of it.
func valueWords(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "…"
	}
	return shorten.Clip(string(text), 50)
}

// bentPlace is what a patch changes, from the envelope on.
func bentPlace(p *schema.Probe, o schema.PatchOp) string {
	if p.Bends() == schema.OnParams {
		return "params" + o.Path
	}
	return strings.TrimPrefix(o.Path, "/")
}

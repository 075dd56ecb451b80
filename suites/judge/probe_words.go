package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// setsNamedParameter reports whether a patch gives a parameter a value of its own.
func setsNamedParameter(o schema.PatchOp) bool {
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

// describeRawBody returns what a body is that is sent as it is.
func describeRawBody(p *schema.Probe) string {
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

// formatValue returns a value of ours in JSON, or the beginning of it.
func formatValue(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "…"
	}
	return shorten.Clip(string(text), 50)
}

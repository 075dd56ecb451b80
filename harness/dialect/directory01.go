package dialect

import (
	"encoding/json"
	"strings"
)

// Entry is what an agent registers with a directory.
type Entry struct {
	ID           string
	Name         string
	Capabilities []string
	Endpoint     string
}

// directory01 writes the A2A MVP 0.1.0 (section "Methods"). A message names an
// action of the agent by its first word; what follows is the input, as JSON or
// as a text.
var directory01 = &Writer{
	Hands:       clientStyles03,
	ClientTasks: true,
	Params: map[string]func(Outgoing) map[string]any{
		"register": func(o Outgoing) map[string]any {
			return map[string]any{"agentId": o.Entry.ID, "name": o.Entry.Name, "capabilities": o.Entry.Capabilities, "endpoint": o.Entry.Endpoint}
		},
		"discover": func(o Outgoing) map[string]any { return map[string]any{"capabilities": o.Wanted} },
		"task": func(o Outgoing) map[string]any {
			action, rest, _ := strings.Cut(strings.TrimSpace(o.Text), " ")
			input := map[string]any{}
			if json.Unmarshal([]byte(rest), &input) != nil && rest != "" {
				input = map[string]any{"text": rest}
			}
			return map[string]any{"taskId": o.Task, "action": action, "sender": o.Sender, "input": input}
		},
	},
}

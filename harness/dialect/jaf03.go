package dialect

// jaf03 writes JAF A2A 0.3.0: the server makes the task's id, the client names
// message and context, parts are told apart by "kind".
var jaf03 = &Writer{
	Params: map[string]func(Outgoing) map[string]any{
		"send":   jaf03Send,
		"stream": jaf03Send,
		"get":    jaf03Query,
		"cancel": jaf03Query,
	},
	DataPart: func(v any) map[string]any { return map[string]any{"kind": "data", "data": v} },
	Kitchen: func(o Outgoing) []Optional {
		message := func(p map[string]any) map[string]any { return p["message"].(map[string]any) }
		return []Optional{
			{"configuration", func(p map[string]any) {
				p["configuration"] = map[string]any{"maxTurns": 10, "timeout": 30000, "priority": "normal"}
			}},
			{"message-metadata", func(p map[string]any) {
				message(p)["metadata"] = map[string]any{"priority": "high", "tags": []any{"a"}, "x-unknown": map[string]any{"deep": []any{1, nil, true}}}
			}},
			{"timestamp", func(p map[string]any) { message(p)["timestamp"] = "2024-03-15T14:30:00Z" }},
		}
	},
}

func jaf03Send(o Outgoing) map[string]any {
	var parts []any
	if o.Text != "" {
		parts = append(parts, map[string]any{"kind": "text", "text": o.Text})
	}
	for _, p := range o.Parts {
		parts = append(parts, p)
	}
	params := map[string]any{"message": map[string]any{
		"role": "user", "parts": parts, "messageId": o.Message, "contextId": o.Context, "kind": "message",
	}}
	set(params, "metadata", o.Metadata)
	return params
}

func jaf03Query(o Outgoing) map[string]any { return map[string]any{"id": o.Task} }

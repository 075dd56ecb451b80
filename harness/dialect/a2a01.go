package dialect

// a2a01 writes A2A 0.1.0 (sections 6 and 7): the client chooses the task's id,
// a session groups tasks, parts are told apart by "type".
var a2a01 = &Writer{
	ClientTasks: true,
	Params: map[string]func(Outgoing) map[string]any{
		"send":        a2a01Send,
		"stream":      a2a01Send,
		"get":         a2a01Query,
		"resubscribe": a2a01Query,
		"cancel":      a2a01Query,
		"push-get":    a2a01Query,
		"push-set": func(o Outgoing) map[string]any {
			return map[string]any{"id": o.Task, "pushNotificationConfig": o.Push}
		},
	},
	Kitchen: func(o Outgoing) []Optional {
		message := func(p map[string]any) map[string]any { return p["message"].(map[string]any) }
		first := func(p map[string]any) map[string]any {
			return message(p)["parts"].([]any)[0].(map[string]any)
		}
		return []Optional{
			{"sessionId", func(p map[string]any) { p["sessionId"] = o.Context }},
			{"historyLength", func(p map[string]any) { p["historyLength"] = 5 }},
			{"params-metadata", func(p map[string]any) { p["metadata"] = map[string]any{"trace": 1} }},
			{"message-metadata", func(p map[string]any) {
				message(p)["metadata"] = map[string]any{"x": map[string]any{"y": []any{1, nil}}}
			}},
			{"part-metadata", func(p map[string]any) { first(p)["metadata"] = map[string]any{"lang": "en"} }},
			{"several-parts", func(p map[string]any) {
				m := message(p)
				m["parts"] = append(m["parts"].([]any), a2a01Text("and"), a2a01Text("more"))
			}},
		}
	},
}

func a2a01Text(s string) map[string]any { return map[string]any{"type": "text", "text": s} }

func a2a01Send(o Outgoing) map[string]any {
	var parts []any
	if o.Text != "" {
		parts = append(parts, a2a01Text(o.Text))
	}
	for _, p := range o.Parts {
		parts = append(parts, p)
	}
	params := map[string]any{"id": o.Task, "message": map[string]any{"role": "user", "parts": parts}}
	set(params, "sessionId", o.Context)
	set(params, "historyLength", o.HistoryLength)
	set(params, "metadata", o.Metadata)
	set(params, "pushNotification", o.Push)
	return params
}

func a2a01Query(o Outgoing) map[string]any {
	params := map[string]any{"id": o.Task}
	set(params, "historyLength", o.HistoryLength)
	set(params, "metadata", o.Metadata)
	return params
}

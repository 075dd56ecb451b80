package dialect

// a2a01 writes A2A 0.1.0 (sections 6 and 7): the client chooses the task's id,
// a session groups tasks, parts are distinguished by "type".
var a2a01 = &Writer{
	Hands:       clientStyles03,
	ClientTasks: true,
	Continues:   true,
	DataMode:    "application/json",
	Params: map[string]func(Outgoing) map[string]any{
		"send":        a2a01Send,
		"stream":      a2a01Send,
		"get":         a2a01Query,
		"resubscribe": a2a01Query,
		"cancel":      a2a01Query,
		"push-get":    a2a01Query,
		"push-set": func(o Outgoing) map[string]any {
			params := map[string]any{"id": o.Task, "pushNotificationConfig": nil}
			setMemberUnlessZero(params, "pushNotificationConfig", o.Push)
			return params
		},
	},
	Kitchen: func(o Outgoing) []Optional {
		return []Optional{
			{"sessionId", func(p map[string]any) { p["sessionId"] = o.Context }},
			{"historyLength", func(p map[string]any) { p["historyLength"] = 5 }},
			{"params-metadata", func(p map[string]any) { p["metadata"] = map[string]any{"trace": 1} }},
			{"message-metadata", func(p map[string]any) {
				messageOf(p)["metadata"] = map[string]any{"x": map[string]any{"y": []any{1, nil}}}
			}},
			{"part-metadata", func(p map[string]any) { firstPart(p)["metadata"] = map[string]any{"lang": "en"} }},
			{"several-parts", func(p map[string]any) { addParts(p, a2a01TextPart("and"), a2a01TextPart("more")) }},
		}
	},
	Nulls: func(Outgoing) []Optional {
		var out []Optional
		for _, name := range []string{"sessionId", "pushNotification", "historyLength", "metadata"} {
			out = append(out, Optional{name, func(p map[string]any) { p[name] = nil }})
		}
		return append(out,
			Optional{"message-metadata", func(p map[string]any) { messageOf(p)["metadata"] = nil }},
			Optional{"part-metadata", func(p map[string]any) { firstPart(p)["metadata"] = nil }})
	},
	DataPart: a2a01DataPart,
	Data: func(Outgoing) []Optional {
		data := func(v any) func(map[string]any) {
			return func(p map[string]any) { addParts(p, a2a01DataPart(v)) }
		}
		return []Optional{{"data-object", data(map[string]any{"n": 1})}, {"data-array", data([]any{1, 2})}}
	},
	Files: func(mime string) []Optional {
		file := func(member, value string) func(map[string]any) {
			return func(p map[string]any) {
				f := map[string]any{"name": "sample", "mimeType": mime}
				setMemberUnlessZero(f, member, value)
				addParts(p, map[string]any{"type": "file", "file": f})
			}
		}
		return []Optional{{"file-bytes", file("bytes", pixel)}, {"file-uri", file("uri", "https://nowhere.invalid/a")}, {"file-reference", file("bytes", "")}}
	},
	Hints: func(Outgoing) []Optional {
		return []Optional{{"output-type", func(p map[string]any) {
			firstPart(p)["metadata"] = map[string]any{"desiredOutputMimeType": "application/json"}
		}}}
	},
	Push: func(p Push) map[string]any {
		p.ID = "" // a task has one configuration, without a name
		return pushConfig(p, map[string]any{"schemes": []any{p.Scheme}})
	},
}

func a2a01TextPart(s string) map[string]any { return map[string]any{"type": "text", "text": s} }

func a2a01DataPart(v any) map[string]any { return map[string]any{"type": "data", "data": v} }

func a2a01Send(o Outgoing) map[string]any {
	params := map[string]any{"id": o.Task, "message": map[string]any{"role": "user", "parts": partsOf(o, a2a01TextPart)}}
	setMemberUnlessZero(params, "sessionId", o.Context)
	setMemberUnlessZero(params, "historyLength", o.HistoryLength)
	setMemberUnlessZero(params, "metadata", o.Metadata)
	setMemberUnlessZero(params, "pushNotification", o.Push)
	return params
}

func a2a01Query(o Outgoing) map[string]any {
	params := map[string]any{"id": o.Task}
	setMemberUnlessZero(params, "historyLength", o.HistoryLength)
	setMemberUnlessZero(params, "metadata", o.Metadata)
	return params
}

package dialect

// a2a03 writes A2A 0.3.0 over JSON-RPC (sections 6 and 7): the server makes the
// task's id, messages name themselves and their context, parts are distinguished
// by "kind", and how a message is to be handled is in a configuration.
var a2a03 = &Writer{
	Hands:          clientStyles03,
	ServerContexts: true,
	Continues:      true,
	DataMode:       "application/json",
	Params: map[string]func(Outgoing) map[string]any{
		"send":   func(o Outgoing) map[string]any { return a2a03Send(o, o.Blocking) },
		"stream": func(o Outgoing) map[string]any { return a2a03Send(o, nil) },
		"get": func(o Outgoing) map[string]any {
			params := a2a03Task(o)
			setMemberUnlessZero(params, "historyLength", o.HistoryLength)
			return params
		},
		"cancel":      a2a03Task,
		"resubscribe": a2a03Task,
		"push-list":   a2a03Task,
		"push-get":    a2a03Config,
		"push-delete": a2a03Config,
		"push-set": func(o Outgoing) map[string]any {
			return map[string]any{"taskId": o.Task, "pushNotificationConfig": o.Push}
		},
		"extended-card": func(Outgoing) map[string]any { return nil },
	},
	Kitchen: configuredKitchen(a2a03TextPart),
	Data:    a2a03SampleDataPart,
	Files: func(mime string) []Optional {
		file := func(member, value string) func(map[string]any) {
			return func(p map[string]any) {
				addParts(p, map[string]any{"kind": "file", "file": map[string]any{"name": "sample", "mimeType": mime, member: value}})
			}
		}
		return []Optional{{"file-bytes", file("bytes", pixel)}, {"file-uri", file("uri", "https://nowhere.invalid/a")}}
	},
	Push: func(p Push) map[string]any { return pushConfig(p, map[string]any{"schemes": []any{p.Scheme}}) },
}

func a2a03TextPart(s string) map[string]any { return map[string]any{"kind": "text", "text": s} }

func a2a03DataPart(v any) map[string]any { return map[string]any{"kind": "data", "data": v} }

// a2a03SampleDataPart lists the one part of data that a message may have: an object.
func a2a03SampleDataPart(Outgoing) []Optional {
	return []Optional{{"data-object", func(p map[string]any) { addParts(p, a2a03DataPart(map[string]any{"n": 1})) }}}
}

// a2a03Plain returns a message with what every message of ours states.
func a2a03Plain(o Outgoing) map[string]any {
	message := map[string]any{"kind": "message", "role": "user", "messageId": o.Message, "parts": partsOf(o, a2a03TextPart)}
	setMemberUnlessZero(message, "contextId", o.Context)
	setMemberUnlessZero(message, "taskId", o.Task)
	return message
}

func a2a03Send(o Outgoing, blocking *bool) map[string]any {
	message := a2a03Plain(o)
	configuration := map[string]any{}
	setMemberUnlessZero(configuration, "blocking", blocking)
	setMemberUnlessZero(configuration, "pushNotificationConfig", o.Push)
	return configuredSend(o, message, configuration)
}

func a2a03Task(o Outgoing) map[string]any {
	params := map[string]any{"id": o.Task}
	setMemberUnlessZero(params, "metadata", o.Metadata)
	return params
}

func a2a03Config(o Outgoing) map[string]any {
	params := a2a03Task(o)
	setMemberUnlessZero(params, "pushNotificationConfigId", o.Config)
	return params
}

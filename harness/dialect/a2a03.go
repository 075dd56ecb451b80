package dialect

// a2a03 writes A2A 0.3.0 over JSON-RPC (sections 6 and 7): the server makes the
// task's id, messages name themselves and their context, parts are told apart
// by "kind", and how a message is to be handled stands in a configuration.
var a2a03 = &Writer{
	ServerContexts: true,
	Continues:      true,
	DataMode:       "application/json",
	Params: map[string]func(Outgoing) map[string]any{
		"send":   func(o Outgoing) map[string]any { return a2a03Send(o, o.Blocking) },
		"stream": func(o Outgoing) map[string]any { return a2a03Send(o, nil) },
		"get": func(o Outgoing) map[string]any {
			params := a2a03Task(o)
			set(params, "historyLength", o.HistoryLength)
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
	Kitchen: func(o Outgoing) []Optional {
		var modes []Optional
		if len(o.Modes) > 0 {
			modes = append(modes, Optional{"acceptedOutputModes", func(p map[string]any) { a2a03Configuration(p)["acceptedOutputModes"] = o.Modes }})
		}
		return append(modes, []Optional{
			{"historyLength", func(p map[string]any) { a2a03Configuration(p)["historyLength"] = 5 }},
			{"metadata", func(p map[string]any) {
				p["metadata"] = map[string]any{"trace": map[string]any{"deep": []any{1, nil, true}}}
				a2a03Message(p)["metadata"] = map[string]any{"x": map[string]any{"y": []any{1, nil}}}
			}},
			{"part-metadata", func(p map[string]any) {
				a2a03Message(p)["parts"].([]any)[0].(map[string]any)["metadata"] = map[string]any{"lang": "en"}
			}},
			{"several-parts", func(p map[string]any) { a2a03Add(p, a2a03Text("and")); a2a03Add(p, a2a03Text("more")) }},
		}...)
	},
	Data: func(Outgoing) []Optional {
		return []Optional{{"data-object", func(p map[string]any) {
			a2a03Add(p, map[string]any{"kind": "data", "data": map[string]any{"n": 1}})
		}}}
	},
	Files: func(mime string) []Optional {
		file := func(member, value string) func(map[string]any) {
			return func(p map[string]any) {
				a2a03Add(p, map[string]any{"kind": "file", "file": map[string]any{"name": "sample", "mimeType": mime, member: value}})
			}
		}
		return []Optional{{"file-bytes", file("bytes", pixel)}, {"file-uri", file("uri", "https://nowhere.invalid/a")}}
	},
	Push: func(p Push) map[string]any {
		config := map[string]any{"url": p.URL}
		set(config, "id", p.ID)
		set(config, "token", p.Token)
		if p.Scheme != "" {
			authentication := map[string]any{"schemes": []any{p.Scheme}}
			set(authentication, "credentials", p.Credentials)
			config["authentication"] = authentication
		}
		return config
	},
}

func a2a03Message(params map[string]any) map[string]any { return params["message"].(map[string]any) }

func a2a03Add(params map[string]any, part any) {
	m := a2a03Message(params)
	m["parts"] = append(m["parts"].([]any), part)
}

// a2a03Configuration is the configuration of a send, which is made if there is
// none.
func a2a03Configuration(params map[string]any) map[string]any {
	c, ok := params["configuration"].(map[string]any)
	if !ok {
		c = map[string]any{}
		params["configuration"] = c
	}
	return c
}

func a2a03Text(s string) map[string]any { return map[string]any{"kind": "text", "text": s} }

// a2a03Plain is a message with what every message of ours says.
func a2a03Plain(o Outgoing) map[string]any {
	parts := []any{}
	if o.Text != "" {
		parts = append(parts, a2a03Text(o.Text))
	}
	for _, p := range o.Parts {
		parts = append(parts, p)
	}
	message := map[string]any{"kind": "message", "role": "user", "messageId": o.Message, "parts": parts}
	set(message, "contextId", o.Context)
	set(message, "taskId", o.Task)
	return message
}

func a2a03Send(o Outgoing, blocking *bool) map[string]any {
	message := a2a03Plain(o)
	set(message, "referenceTaskIds", o.References)
	set(message, "extensions", o.Extensions)
	configuration := map[string]any{}
	set(configuration, "blocking", blocking)
	set(configuration, "historyLength", o.HistoryLength)
	set(configuration, "acceptedOutputModes", o.Modes)
	set(configuration, "pushNotificationConfig", o.Push)
	params := map[string]any{"message": message}
	if len(configuration) > 0 {
		params["configuration"] = configuration
	}
	set(params, "metadata", o.Metadata)
	return params
}

func a2a03Task(o Outgoing) map[string]any {
	params := map[string]any{"id": o.Task}
	set(params, "metadata", o.Metadata)
	return params
}

func a2a03Config(o Outgoing) map[string]any {
	params := a2a03Task(o)
	set(params, "pushNotificationConfigId", o.Config)
	return params
}

package dialect

import "maps"

// a2a10 writes A2A 1.0 (sections 3 and 4): the server makes the task's id, a context
// may be named by either side, a part has one of text, raw, url and data, and how a
// message is to be handled is in a configuration.
var a2a10 = &Writer{
	Hands:           clientStyles10,
	ServerContexts:  true,
	RepliedContexts: true,
	Continues:       true,
	FollowsWaiting:  true,
	NamedWebhooks:   true,
	Unlocks:         true,
	DataMode:        "application/json",
	Params: map[string]func(Outgoing) map[string]any{
		"send":   func(o Outgoing) map[string]any { return a2a10Send(o, o.Blocking) },
		"stream": func(o Outgoing) map[string]any { return a2a10Send(o, nil) },
		"get": func(o Outgoing) map[string]any {
			params := map[string]any{"id": o.Task}
			setMemberUnlessZero(params, "historyLength", o.HistoryLength)
			return params
		},
		"list": func(o Outgoing) map[string]any {
			params := map[string]any{}
			setMemberUnlessZero(params, "contextId", o.Context)
			setMemberUnlessZero(params, "historyLength", o.HistoryLength)
			if l := o.Listing; l != nil {
				if l.Size > 0 {
					params["pageSize"] = l.Size
				}
				setMemberUnlessZero(params, "pageToken", l.Token)
				setMemberUnlessZero(params, "status", l.State)
				setMemberUnlessZero(params, "statusTimestampAfter", l.Since)
				setMemberUnlessZero(params, "includeArtifacts", l.Artifacts)
			}
			return params
		},
		"cancel": func(o Outgoing) map[string]any {
			params := map[string]any{"id": o.Task}
			setMemberUnlessZero(params, "metadata", o.Metadata)
			return params
		},
		"resubscribe": func(o Outgoing) map[string]any { return map[string]any{"id": o.Task} },
		"push-list": func(o Outgoing) map[string]any {
			params := map[string]any{"taskId": o.Task}
			if l := o.Listing; l != nil {
				params["pageSize"] = l.Size
				setMemberUnlessZero(params, "pageToken", l.Token)
			}
			return params
		},
		"push-get":    a2a10Config,
		"push-delete": a2a10Config,
		"push-set": func(o Outgoing) map[string]any {
			params := map[string]any{"taskId": o.Task}
			maps.Copy(params, o.Push)
			return params
		},
		"extended-card": func(Outgoing) map[string]any { return nil },
	},
	Kitchen: configuredKitchen(a2a10TextPart),
	Data: func(Outgoing) []Optional {
		data := func(name string, value any) Optional {
			return Optional{"data-" + name, func(p map[string]any) { addParts(p, map[string]any{"data": value}) }}
		}
		return []Optional{data("object", map[string]any{"n": 1}), data("array", []any{1, "two", nil}), data("string", "text"),
			data("number", 4.5), data("boolean", false)}
	},
	Files: func(mime string) []Optional {
		file := func(member, value string) func(map[string]any) {
			return func(p map[string]any) {
				addParts(p, map[string]any{"filename": "sample", "mediaType": mime, member: value})
			}
		}
		return []Optional{{"file-bytes", file("raw", pixel)}, {"file-uri", file("url", "https://nowhere.invalid/a")}}
	},
	Push: func(p Push) map[string]any { return pushConfig(p, map[string]any{"scheme": p.Scheme}) },
}

func a2a10TextPart(s string) map[string]any { return map[string]any{"text": s} }

func a2a10Send(o Outgoing, blocking *bool) map[string]any {
	message := map[string]any{"role": "ROLE_USER", "messageId": o.Message, "parts": partsOf(o, a2a10TextPart)}
	setMemberUnlessZero(message, "contextId", o.Context)
	setMemberUnlessZero(message, "taskId", o.Task)
	configuration := map[string]any{}
	if o.Hurried {
		blocking = new(bool)
	}
	if blocking != nil {
		configuration["returnImmediately"] = !*blocking
	}
	setMemberUnlessZero(configuration, "taskPushNotificationConfig", o.Push)
	return configuredSend(o, message, configuration)
}

func a2a10Config(o Outgoing) map[string]any {
	params := map[string]any{"taskId": o.Task}
	setMemberUnlessZero(params, "id", o.Config)
	return params
}

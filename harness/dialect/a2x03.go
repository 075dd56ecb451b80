package dialect

// a2x03 writes A2X 0.3.0: the messages of A2A 0.3.0 without anything that is
// next to them. Its own sample has a message of role and parts only; ours name
// themselves and their context too, which it shows elsewhere.
var a2x03 = &Writer{
	Hands:          clientStyles03,
	ServerContexts: true,
	Continues:      true,
	DataMode:       "application/json",
	Params: map[string]func(Outgoing) map[string]any{
		"send":   a2x03Send,
		"stream": a2x03Send,
		"get":    func(o Outgoing) map[string]any { return map[string]any{"id": o.Task} },
		"cancel": func(o Outgoing) map[string]any { return map[string]any{"id": o.Task} },
	},
	Kitchen: func(Outgoing) []Optional {
		return []Optional{
			{"metadata", func(p map[string]any) { messageOf(p)["metadata"] = map[string]any{} }},
			{"several-parts", func(p map[string]any) { addParts(p, a2a03TextPart("and"), a2a03TextPart("more")) }},
		}
	},
}

func a2x03Send(o Outgoing) map[string]any {
	message := a2a03Plain(o)
	setMemberUnlessZero(message, "metadata", o.MessageMetadata)
	return map[string]any{"message": message}
}

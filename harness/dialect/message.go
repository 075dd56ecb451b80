package dialect

// messageOf returns the message in the params of a send.
func messageOf(params map[string]any) map[string]any { return params["message"].(map[string]any) }

// firstPart returns the first part of the message in the params of a send.
func firstPart(params map[string]any) map[string]any {
	return messageOf(params)["parts"].([]any)[0].(map[string]any)
}

// addParts adds parts to the message in the params of a send.
func addParts(params map[string]any, parts ...any) {
	m := messageOf(params)
	m["parts"] = append(m["parts"].([]any), parts...)
}

// configurationOf returns the configuration of a send, which is made if there is none.
func configurationOf(params map[string]any) map[string]any {
	c, ok := params["configuration"].(map[string]any)
	if !ok {
		c = map[string]any{}
		params["configuration"] = c
	}
	return c
}

// partsOf returns the parts that a message is to have, of which text writes one of text. They
// are never nil.
func partsOf(o Outgoing, text func(string) map[string]any) []any {
	parts := []any{}
	if o.Text != "" {
		parts = append(parts, text(o.Text))
	}
	for _, p := range o.Parts {
		parts = append(parts, p)
	}
	return parts
}

// configuredSend returns the params of a send whose message and configuration hold what the
// protocol states in its own way; what several say alike is added.
func configuredSend(o Outgoing, message, configuration map[string]any) map[string]any {
	setMemberUnlessZero(message, "referenceTaskIds", o.References)
	setMemberUnlessZero(message, "extensions", o.Extensions)
	setMemberUnlessZero(configuration, "historyLength", o.HistoryLength)
	setMemberUnlessZero(configuration, "acceptedOutputModes", o.Modes)
	params := map[string]any{"message": message}
	if len(configuration) > 0 {
		params["configuration"] = configuration
	}
	setMemberUnlessZero(params, "metadata", o.Metadata)
	return params
}

// configuredKitchen lists the optional members of a send with a configuration, of whose
// parts text writes one of text.
func configuredKitchen(text func(string) map[string]any) func(Outgoing) []Optional {
	return func(o Outgoing) []Optional {
		var modes []Optional
		if len(o.Modes) > 0 {
			modes = append(modes, Optional{"acceptedOutputModes", func(p map[string]any) { configurationOf(p)["acceptedOutputModes"] = o.Modes }})
		}
		return append(modes, []Optional{
			{"historyLength", func(p map[string]any) { configurationOf(p)["historyLength"] = 5 }},
			{"metadata", func(p map[string]any) {
				p["metadata"] = map[string]any{"trace": map[string]any{"deep": []any{1, nil, true}}}
				messageOf(p)["metadata"] = map[string]any{"x": map[string]any{"y": []any{1, nil}}}
			}},
			{"part-metadata", func(p map[string]any) { firstPart(p)["metadata"] = map[string]any{"lang": "en"} }},
			{"several-parts", func(p map[string]any) { addParts(p, text("and"), text("more")) }},
		}...)
	}
}

// pushConfig returns a push configuration; authentication states the scheme in the protocol's
// own form, if there is one.
func pushConfig(p Push, authentication map[string]any) map[string]any {
	config := map[string]any{"url": p.URL}
	setMemberUnlessZero(config, "id", p.ID)
	setMemberUnlessZero(config, "token", p.Token)
	if p.Scheme != "" {
		setMemberUnlessZero(authentication, "credentials", p.Credentials)
		config["authentication"] = authentication
	}
	return config
}

// pixel is the smallest useful file: a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

package client

// a2x03 is A2X 0.3 over JSON-RPC. It is A2A 0.3 with less: messages have no configuration, streams cannot be resumed, and
// a card defines schemes without a demand for some of them.
var a2x03 = func() dialect {
	d := a2a03
	d.name = "a2x-0.3"
	d.methods = map[operation]string{send: "message/send", stream: "message/stream", get: "tasks/get", cancel: "tasks/cancel"}
	d.routes, d.extendedPath, d.immediately, d.webhookMember, d.writeRegistration = nil, nil, nil, "", nil
	d.omits = makeSet("rest thorough-rest both-bindings grpc extended webhook both-paths",
		"last-interface foreign-interface-fatal rpc-to-other-binding extended-card-ignored scheme-of-unknown-kind-fatal",
		"output-mode-word history-length-word references-to-messages extension-in-message-only waits-for-close",
		"webhook-bare notices-lost notices-believed notice-token-unread notice-of-any-task notices-repeat notice-with-kind-alone notice-answered-late notice-jwt-decoded-alone notice-jwt-of-any-age",
		"credentials-first-alternative credentials-first-scheme keys-in-header token-from-elsewhere",
		"resumes-other-task reconnects-at-once subscribes-after-end lookup-unsupported")
	d.cardPath = oldCardPath
	d.listEndpoints = listEndpoints01
	d.listDemands = listDefinedSchemes
	d.writeParams = func(d *dialect, m outgoingMessage, _ object) object { return object{"message": d.writeMessage(m)} }
	d.bareEvents = true
	return d
}()

// listDefinedSchemes returns each scheme that a card defines, as an alternative to the others.
func listDefinedSchemes(card object) (all [][]scheme) {
	defined := getObject(card, "securitySchemes")
	for _, name := range sortNames(defined) {
		all = append(all, []scheme{readScheme03(defined[name])})
	}
	return all
}

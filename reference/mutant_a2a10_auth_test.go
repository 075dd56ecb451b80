package reference

import "strings"

// v10Guard makes calls with, without and with other credentials.
func (p *player) v10Guard() {
	if !p.server.Variant.Guarded {
		return
	}
	id := p.v10Say("with a token", "ask")
	p.v10("malformed with a token", "SendMessage", `{"message":{"role":"ROLE_USER","parts":[{"text":"x"}]}}`)
	task := `{"id":"` + id + `","taskId":"` + id + `","url":"https://hook.invalid/"}`
	methods := []string{"GetTask", "ListTasks", "SubscribeToTask", "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig",
		"ListTaskPushNotificationConfigs", "GetExtendedAgentCard", "CancelTask"}
	as := func(credential string, calls func()) {
		p.with(map[string]string{"Authorization": credential}, calls)
	}
	as("Bearer wrong", func() { p.v10Say("wrong", "echo x") })
	p.client.CloseIdleConnections()
	as("", func() {
		p.v10Say("nobody", "echo x")
		p.v10("token in metadata", "SendMessage", v10Text("echo x", "", `,"metadata":{"token":"`+Token+`"}`))
		for _, method := range methods {
			p.v10("nobody "+method, method, task)
		}
		p.v10("nobody deletes", "DeleteTaskPushNotificationConfig", task)
		p.v10("nobody streams", "SendStreamingMessage", v10Text("hello", "", ""))
		p.with(map[string]string{"X-API-Key": Token}, func() { p.v10("with a key", "GetTask", `{"id":"none"}`) })
	})
	id = p.v10Say("again", "ask")
	task = `{"id":"` + id + `","taskId":"` + id + `","url":"https://hook.invalid/"}`
	as("Bearer "+SecondToken, func() {
		p.v10("another's message", "SendMessage", v10Text("blue", `,"taskId":"none"`, ""))
		for _, method := range methods {
			p.v10("another "+method, method, task)
		}
	})
	slow := text(p.v10Post("SendMessage", v10Text("slow 0.3", "", v10Now)), "result/task/id")
	as("Bearer "+SecondToken, func() { p.v10("another follows what runs", "SubscribeToTask", `{"id":"`+slow+`"}`) })
	p.v10Post("CancelTask", `{"id":"`+slow+`"}`) // since lists show tasks in the order in which they ended
	id = p.v10Say("and again", "ask")
	as("Bearer "+SecondToken, func() { p.v10("another's answer", "SendMessage", v10Text("blue", `,"taskId":"`+id+`"`, "")) })
	as("Bearer "+LowToken, func() { p.v10Say("few rights", "forbidden") })
}

func (p *player) v10Extensions() {
	for _, asked := range []string{"", v10Trace, "https://conformance.example/ext/none", strings.TrimSuffix(v10Trace, "1") + "2",
		"https://conformance.example/ext/none, " + v10Trace} {
		p.with(map[string]string{"A2A-Extensions": asked}, func() {
			p.v10Say("asking for "+asked, "echo x")
			p.v10("streaming with "+asked, "SendStreamingMessage", v10Text("hello", "", ""))
		})
	}
	p.with(map[string]string{"A2A-Extensions": "-", "a2a-extensions": v10Trace}, func() { p.v10Say("asking in lower case", "echo x") })
}

func (p *player) v10Tenants() {
	id := text(p.v10("of acme", "SendMessage", v10Text("ask", "", p.tenantOf())), "result/task/id")
	for _, tenant := range []string{`"acme"`, `"globex"`, `null`} {
		p.v10("get by "+tenant, "GetTask", `{"id":"`+id+`","tenant":`+tenant+`}`)
		p.v10("list by "+tenant, "ListTasks", `{"tenant":`+tenant+`}`)
		p.v10("push by "+tenant, "CreateTaskPushNotificationConfig", `{"taskId":"`+id+`","url":"https://hook.invalid/","tenant":`+tenant+`}`)
	}
	p.v10("without tenant", "SendMessage", v10Text("echo x", "", ""))
}

// v10WebhookOfTenant looks up the push configuration of a tenant.
func (p *player) v10WebhookOfTenant() {
	if !p.server.Variant.Tenanted {
		return
	}
	id := text(p.v10("of acme", "SendMessage", v10Text("ask", "", p.tenantOf())), "result/task/id")
	p.v10("push of acme", "CreateTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"c","url":"https://hook.invalid/","tenant":"acme"}`)
	p.v10("get push of acme", "GetTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"c","tenant":"acme"}`)
}

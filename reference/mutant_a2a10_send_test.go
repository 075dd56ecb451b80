package reference

import (
	"fmt"
	"strconv"
)

// v10Params sends what must be refused, and what must not.
func (p *player) v10Params() {
	p.v10("empty params", "SendMessage", `{}`)
	p.v10("without messageId", "SendMessage", `{"message":{"role":"ROLE_USER","parts":[{"text":"echo x"}]}}`)
	p.v10("without role", "SendMessage", `{"message":{"messageId":"m","parts":[{"text":"echo x"}]}}`)
	p.v10("without parts", "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER"}}`)
	p.v10("message as text", "SendMessage", `{"message":"hello"}`)
	for _, params := range []string{`,"metadata":{"trace":{"deep":[1]}}`, `,"metadata":[]`, `,"configuration":{"acceptedOutputModes":["text/plain"]}`,
		`,"configuration":{"acceptedOutputModes":["application/x-odd"]}`, `,"configuration":{"historyLength":-1}`, `,"configuration":{"historyLength":1}`,
		`,"configuration":{"historyLength":0}`, `,"configuration":{"returnImmediately":false}`, `,"more":1`,
		`,"configuration":{"taskPushNotificationConfig":{"url":"https://hook.invalid/"}}`, `,"configuration":{"taskPushNotificationConfig":{"token":"x"}}`} {
		p.v10("params"+params, "SendMessage", v10Text("echo x", "", params))
	}
	for _, more := range []string{`,"metadata":{"x":{"y":1}}`, `,"metadata":[]`, `,"role":null`, `,"role":"ROLE_SYSTEM"`, `,"role":"user"`, `,"messageId":null`, `,"parts":null`,
		`,"parts":[]`, `,"parts":{"text":"x"}`, `,"parts":"x"`, `,"taskId":"unknown"`, `,"contextId":"my-own"`, `,"referenceTaskIds":["x"]`, `,"more":{"a":1}`} {
		p.v10("message"+more, "SendMessage", v10Text("echo x", more, ""))
	}
	for _, parts := range []string{
		`{}`, `{"kind":"text"}`, `{"text":5}`, `{"text":"x","data":{}}`, `{"raw":"aGk=","url":"https://example.com/a"}`, `{"raw":"***"}`, `{"raw":"aGk=","mediaType":"image/png"}`,
		`{"url":"https://example.com/a","mediaType":"image/png"}`, `{"data":5}`, `{"data":[1,2]}`, `{"data":{"n":1}}`, `{"data":null}`, `{"raw":"aGk=","mediaType":"application/x-odd"}`,
		`{"text":"a"},{"data":{"n":1}}`, `{"text":"a"},{"text":"b"},{"text":"c"}`, `{"text":"x","metadata":{"lang":"en"}}`, `{"text":"x","mediaType":"video/x-odd"}`,
	} {
		p.v10("parts "+parts, "SendMessage", v10Text("", `,"parts":[`+parts+`]`, ""))
	}
}

func (p *player) v10Execution() {
	for i, params := range []string{"", `,"configuration":{"returnImmediately":false}`, v10Now} {
		p.v10(fmt.Sprint("chat ", i), "SendMessage", v10Text("hello", "", params))
		r := p.v10(fmt.Sprint("ask ", i), "SendMessage", v10Text("ask", "", params))
		p.note(fmt.Sprint("state ", i), text(r, "result/task/status/state"))
		p.v10(fmt.Sprint("echo ", i), "SendMessage", v10Text("echo x", "", params))
	}
}

// v10Turns plays the tasks that need more than one exchange.
func (p *player) v10Turns() {
	in := func(step, context, what string) any {
		return p.v10(step, "SendMessage", v10Text(what, `,"contextId":`+strconv.Quote(context), ""))
	}
	asked := p.v10("ask", "SendMessage", v10Text("ask", "", ""))
	id, context := text(asked, "result/task/id"), text(asked, "result/task/contextId")
	task := `{"id":"` + id + `"}`
	p.v10("asking", "GetTask", task)
	p.v10("asking again", "GetTask", task)
	p.v10("answer", "SendMessage", v10Text("blue", `,"taskId":"`+id+`","contextId":"`+context+`"`, `,"configuration":{"historyLength":1}`))
	p.v10("asked", "GetTask", task)
	p.v10("asked once", "GetTask", `{"id":"`+id+`","historyLength":1}`)
	first, second := in("second of context", context, "echo x"), in("third of context", context, "echo x")
	p.note("contexts", fmt.Sprint("kept: ", text(first, "result/task/contextId") == context))
	p.note("tasks of a context", fmt.Sprint("differ: ", text(first, "result/task/id") != text(second, "result/task/id")))
	p.v10("first of context", "GetTask", task)
	in("remember", "one", "remember blue")
	in("recall", "one", "recall")
	in("recall elsewhere", "two", "recall")

	lone := text(p.v10("ask lonely", "SendMessage", v10Text("ask", "", "")), "result/task/id")
	answered := p.v10("answer without context", "SendMessage", v10Text("blue", `,"taskId":"`+lone+`"`, ""))
	p.note("answered", fmt.Sprint("the same: ", text(answered, "result/task/id") == lone))
	moving := text(p.v10("ask again", "SendMessage", v10Text("ask", "", "")), "result/task/id")
	p.v10("answer from elsewhere", "SendMessage", v10Text("blue", `,"taskId":"`+moving+`","contextId":"elsewhere"`, ""))
	p.v10("not moved", "GetTask", `{"id":"`+moving+`"}`)
	moving = text(p.v10("ask to cancel", "SendMessage", v10Text("ask", "", "")), "result/task/id")
	p.v10("cancel waiting", "CancelTask", `{"id":"`+moving+`","metadata":{"a":1}}`)
	p.v10("cancel again", "CancelTask", `{"id":"`+moving+`"}`)
	p.v10("send to canceled", "SendMessage", v10Text("x", `,"taskId":"`+moving+`"`, ""))
	p.v10("canceled", "GetTask", `{"id":"`+moving+`"}`)
	for _, script := range []string{"fail", "reject", "needauth", "artifact"} {
		done := `{"id":"` + p.v10Say(script, script) + `"}`
		p.v10("after "+script, "GetTask", done)
		p.v10("long after "+script, "GetTask", done)
	}
}

package reference

import (
	"fmt"
	"strings"
	"time"
)

// as makes calls with an Authorization header of its own; the empty one is no
// credential.
func (p *player) as(authorization string, calls func()) {
	p.headers = map[string]string{"Authorization": authorization}
	calls()
	p.headers = nil
}

// a2aGuard makes calls with, without and with other credentials.
func (p *player) a2aGuard() {
	hook := `"pushNotificationConfig":{"url":"https://hook.invalid/"}`
	p.rpc("with", "tasks/send", a2aBare("guarded", "ask", ""))
	p.send("malformed with", "POST", "/", "application/json", `{"jsonrpc":"2.0","id":"r","method":5}`)
	p.as("Bearer wrong", func() { p.rpc("wrong", "tasks/send", a2aBare("wrong", "echo x", "")) })
	p.client.CloseIdleConnections() // what comes now travels on a connection that was never authenticated
	p.as("", func() {
		p.rpc("none send", "tasks/send", a2aBare("none", "echo x", ""))
		p.rpc("in metadata", "tasks/send", a2aBare("meta", "echo x", `"metadata":{"token":"`+Token+`"},`))
		for _, method := range []string{"tasks/resubscribe", "tasks/cancel", "tasks/get", getPushMethod} {
			p.rpc("none "+method, method, `{"id":"guarded"}`)
		}
		p.rpc("none "+setPushMethod, setPushMethod, `{"id":"guarded",`+hook+`}`)
		p.rpc("none stream", "tasks/sendSubscribe", a2aBare("none-streamed", "echo x", ""))
	})
	p.rpc("afterwards", "tasks/get", `{"id":"none"}`)
	p.as("", func() { p.rpc("kept open", "tasks/get", `{"id":"none"}`) })
	p.as("Bearer "+SecondToken, func() {
		p.rpc("second", "tasks/get", `{"id":"guarded"}`)
		p.rpc("second follows", "tasks/resubscribe", `{"id":"guarded"}`)
	})
	fetchBy(p.client, p.t, "POST", p.server.URL(), "application/json", a2aCall(`"r"`, "tasks/send", a2aBare("running", "slow 0.3", "")), p.headers)
	p.as("Bearer "+SecondToken, func() { p.rpc("second follows what runs", "tasks/resubscribe", `{"id":"running"}`) })
	p.as("Bearer "+LowToken, func() { p.rpc("low", "tasks/send", a2aBare("low", "forbidden", "")) })
	p.rpc("need", "tasks/send", a2aText("need", "needauth"))
}

// a2aFlood makes calls beyond the rate, and one when the window is over.
func (p *player) a2aFlood() {
	for i := range 8 {
		p.rpc(fmt.Sprint("flood ", i), "tasks/get", `{"id":"none"}`)
	}
	time.Sleep(p.server.Rate.Window + 100*time.Millisecond)
	p.rpc("after the flood", "tasks/get", `{"id":"none"}`)
}

// a2aHeavy sends a very large and a very deep message.
func (p *player) a2aHeavy() {
	p.rpc("large", "tasks/send", a2aBare("large", strings.Repeat("x", maxBody), ""))
	p.rpc("after large", "tasks/get", `{"id":"none"}`)
	p.rpc("deep", "tasks/send", `{"id":"deep","message":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`}`)
	p.rpc("after deep", "tasks/get", `{"id":"none"}`)
}

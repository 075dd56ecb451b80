package hostile

import (
	"fmt"
	"net"
	"regexp"
	"strings"
)

// costly are servers whose answers have many of something that belongs to the protocol: whoever
// compares each with each of the others, or validates one inside the other, has no end of it.
var costly = []Server{
	{Name: "extensions-by-the-5000", Area: "extension", Doc: "the card has 5,000 extensions", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", replacePattern(extensionURI, `"extensions":[`+repeatNumbered(5_000, `{"uri":"https://conform.example.com/x/%d"},`)+`{"uri":"urn:last"}]`))},
	{Name: "extensions-all-required", Area: "extension", Doc: "the card requires 10,000 extensions", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", replacePattern(extensionURI, `"extensions":[`+repeatNumbered(10_000, `{"uri":"https://conform.example.com/x/%d","required":true},`)+`{"uri":"urn:last"}]`))},
	{Name: "interfaces-by-the-15000", Area: "discovery", Doc: "the card has 15,000 interfaces", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", manyInterfaces(15_000))},
	{Name: "hosts-by-the-5000", Area: "card", Doc: "the card has interfaces on 5,000 unknown hosts", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", replacePattern(interfaces, `"supportedInterfaces":[`+repeatNumbered(5_000, `{"url":"https://h%d.conform.invalid/","protocolBinding":"JSONRPC","protocolVersion":"1.0"},`)))},
	{Name: "skills-alike-by-the-5000", Area: "card", Doc: "the card has 5,000 skills of one id", dialect: "a2a-1.0", Verdict: Nonconformant,
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"skills":[`, `"skills":[`+strings.Repeat(`{"id":"s","name":"s","description":"d","tags":["t"]},`, 5_000), 1)
		})},
	{Name: "schemes-by-the-4000", Area: "auth,card", Doc: "the card has 4,000 security schemes, and as many alternatives", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"skills":[`, `"securitySchemes":{`+repeatNumbered(4_000, `"s%d":{"httpAuthSecurityScheme":{"scheme":"Bearer"}},`)+`"z":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},"securityRequirements":[`+
				repeatNumbered(4_000, `{"schemes":{"s%d":{"list":[]}}},`)+`{"schemes":{}}],"skills":[`, 1)
		})},
	{Name: "signatures-by-the-5000", Area: "card", Doc: "the card has 5,000 signatures", dialect: "a2a-1.0", Verdict: Nonconformant, Names: "A2A10-SIGN-003",
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"skills":[`, `"signatures":[`+repeatNumbered(5_000, `{"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ","signature":"c2ln%d"},`)+`{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"c2ln"}],"skills":[`, 1)
		})},
	{Name: "modes-by-the-50000", Area: "card,message", Doc: "the card has 50,000 output modes", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", replacePattern(outputModes, `"defaultOutputModes":[`+repeatNumbered(50_000, `"text/x-%d",`)+`"text/plain"]`))},
	{Name: "members-alike-by-the-60000", Area: "message,task", Doc: "every answer has an object that repeats one member 60,000 times", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("send get cancel", withLong(func() string { return `"x":{` + strings.Repeat(`"same":1,`, 60_000) + `"z":0}` }))},
	{Name: "names-of-30-KB-deep", Area: "message,task", Doc: "every answer has faults at places whose names together have 600 KB", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("send get", withLong(func() string {
			name := strings.Repeat("n", 30_000)
			return `"x":` + strings.Repeat(`{"`+name+`":`, 20) + `[` + strings.Repeat(`{"a":1,"a":1e999},`, 800) + `0]` + strings.Repeat("}", 20)
		}))},
	{Name: "parts-of-no-kind", Area: "task", Doc: "tasks have 500 parts that are of no kind or of several", dialect: "a2a-0.3", Verdict: Partial,
		corrupt: editBodies("send get", func(text string) string {
			return strings.Replace(text, `"parts":[`, `"parts":[`+strings.Repeat(`{"kind":"image","text":"t","data":{},"file":{"uri":"u","bytes":"b"}},`, 500), 1)
		})},
	{Name: "history-by-the-1000", Area: "task", Doc: "tasks have a history of 1,000 messages of one id", dialect: "a2a-1.0", Verdict: Nonconformant,
		corrupt: editBodies("get", func(text string) string {
			return strings.Replace(text, `"history":[`, `"history":[`+strings.Repeat(`{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"t"}]},`, 1_000), 1)
		})},
	{Name: "artifacts-alike-by-the-1000", Area: "task", Doc: "tasks have 1,000 artifacts of one id", dialect: "a2a-1.0", Verdict: Nonconformant, Names: "A2A10-DATA-023",
		corrupt: editBodies("send get", func(text string) string {
			return strings.Replace(text, `"artifacts":[`, `"artifacts":[`+strings.Repeat(`{"artifactId":"a","parts":[{"text":"t"}]},`, 1_000), 1)
		})},
	{Name: "chunks-by-the-10000", Area: "stream", Doc: "streams append 10,000 times to one artifact", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: writeByHand("first-stream", repeatUpdates(10_000, func(frame string) string {
			return strings.Replace(frame, `"artifactId":`, `"append":true,"artifactId":`, 1)
		}))},
	{Name: "event-ids-alike", Area: "stream", Doc: "streams have 20,000 events of one id", Verdict: Partial,
		corrupt: writeByHand("first-stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			writeRepeatedly(c, "id: 1\nevent: e\nretry: 1\n: c\n\n", 20_000*30)
			writeText(c, "%s", a.text)
		})},
	{Name: "tasks-by-the-1500", Area: "task", Doc: "lists of tasks have 1,500 tasks of one id", dialect: "a2a-1.0", Verdict: Nonconformant,
		corrupt: editBodies("list", func(text string) string {
			return strings.Replace(text, `"tasks":[`, `"tasks":[`+strings.Repeat(`{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}},`, 1_500), 1)
		})},
	{Name: "webhooks-by-the-20000", Area: "push", Doc: "lists of webhooks have 20,000 of one id", dialect: "a2a-1.0", Verdict: Nonconformant, Flags: webhookFlags,
		corrupt: editBodies("push-list", func(text string) string {
			return strings.Replace(text, `"configs":[`, `"configs":[`+strings.Repeat(`{"id":"w","taskId":"t","url":"https://w.invalid"},`, 20_000), 1)
		})},
	{Name: "agents-by-the-20000", Says: "at most 20", Doc: "the list of agents has 20,000 agents of one name", dialect: "jaf-0.3", Verdict: UsageError, Flags: []string{"--agent", "all"},
		corrupt: func(v *request) {
			if strings.HasSuffix(v.r.URL.Path, "/agents") {
				v.forwardWithEditedBody(func(text string) string {
					return strings.Replace(text, `"agents":[`, `"agents":[`+strings.Repeat(`{"name":"Same","description":"d","card":"/c"},`, 20_000), 1)
				})
				return
			}
			v.passThrough()
		}},
	{Name: "entries-by-the-15000", Doc: "the directory has 15,000 agents of one id", dialect: "directory-0.1", Verdict: Partial, Flags: directoryAlone,
		corrupt: appendAgentEntry(strings.Repeat(`{"agentId":"same","name":"Same","capabilities":["strange"],"endpoint":"http://127.0.0.1:9/","registeredAt":"2026-02-17T18:00:00Z"},`, 15_000) +
			`{"agentId":"same","name":"Same","capabilities":["strange"],"endpoint":"http://127.0.0.1:9/","registeredAt":"2026-02-17T18:00:00Z"}`)},
	{Name: "elements-by-the-10000", Area: "envelope", Doc: "batches are answered by 10,000 elements of one id", Verdict: Partial,
		corrupt: editBatches(func(text string) string {
			return strings.Replace(text, `[`, `[`+strings.Repeat(`{"jsonrpc":"2.0","id":"same","result":{}},`, 10_000), 1)
		})},
}

var (
	interfaces  = regexp.MustCompile(`"supportedInterfaces":\[`)
	outputModes = regexp.MustCompile(`"defaultOutputModes":\[[^\]]*\]`)
)

// manyInterfaces puts so many interfaces before those that the card has.
func manyInterfaces(n int) func(string) string {
	return func(text string) string {
		return strings.Replace(text, `"supportedInterfaces":[`, `"supportedInterfaces":[`+repeatNumbered(n, `{"url":"http://127.0.0.1:9/i/%d","protocolBinding":"JSONRPC","protocolVersion":"1.0"},`), 1)
	}
}

// repeatUpdates sends the update of an artifact so many times, changed each time.
func repeatUpdates(times int, change func(frame string) string) func(*request, net.Conn, healthyAnswer) {
	return func(v *request, c net.Conn, a healthyAnswer) {
		var b strings.Builder
		for frame := range strings.SplitAfterSeq(a.text, "\n\n") {
			b.WriteString(frame)
			if strings.Contains(frame, `"artifactUpdate":`) && times > 0 {
				for range times {
					b.WriteString(change(frame))
				}
				times = 0
			}
		}
		fmt.Fprintf(c, "%s\r\n%s", a.formatHead(), b.String())
	}
}

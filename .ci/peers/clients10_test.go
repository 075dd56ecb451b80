package peers

import (
	"path/filepath"
	"strings"
	"testing"
)

// What a client of protocol 1.0 prints that has done everything, line by line.
const (
	saidToAll10 = `send: TASK_STATE_COMPLETED, "good day"
get: TASK_STATE_COMPLETED, 2 messages
send: TASK_STATE_FAILED, "The agent was asked to fail."
send: TASK_STATE_REJECTED, "The agent does not do such things."
send: TASK_STATE_AUTH_REQUIRED, "I need your login for the calendar."
message: "Hello to you."
questions: 3, then TASK_STATE_COMPLETED, "You answered: blue"
cancel: TASK_STATE_CANCELED
list: pages of [2 1], 1 failed
`
	streamed10 = `stream: TASK_STATE_COMPLETED, "good night"
stream of a message: "Hello to you."
stream of pieces: "The first piece, the second piece, and the last."
stream of a crash: TASK_STATE_FAILED
subscribe: TASK_STATE_CANCELED
`
	delivered10 = `push: TASK_STATE_COMPLETED, "Done after 200ms."
webhooks: 2 before, 1 after one is deleted
push to a webhook made later: TASK_STATE_CANCELED
`
	refused10 = `refused: getting an unknown task: -32001
refused: canceling an unknown task: -32001
refused: canceling a task that has ended: -32002
refused: a message to a task that has ended: -32004
refused: a message without parts: -32602
refused: a file of an unknown type: -32005
refused: a page that was never offered: -32602
refused: the extended card: -32004
refused: a version that is not there: -32009
`
	methodRefused10       = "refused: a method that is not there: -32601\n"
	subscriptionRefused10 = "refused: subscribing to an agent without streams: -32004\n"
	streamRefused10       = `refused: a stream of a message to an unknown task: -32001
refused: a stream of a message without parts: -32602
refused: subscribing to an unknown task: -32001
refused: subscribing to a task that has ended: -32004
`
)

// TestClients10 lets programs on public SDKs use the bundled server of protocol 1.0 by
// each binding, and each variant so far as its card claims to go.
func TestClients10(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go10", "./client", filepath.Join(bin, "client10"))
	full := "card: Reference Agent of protocol 1.0, streaming true, push notifications true\n" +
		saidToAll10 + streamed10 + delivered10 + refused10 + methodRefused10 + streamRefused10
	all := map[string]string{
		"full":   full,
		"lavish": strings.Replace(full, "the extended card: -32004", "the extended card: -32007", 1), // claimed, and not there
		"minimal": "card: Reference Agent of protocol 1.0, streaming false, push notifications false\n" +
			saidToAll10 + "no stream: TASK_STATE_COMPLETED, \"good night\"\n" + refused10 + methodRefused10 +
			"refused: a webhook: -32003\n" + subscriptionRefused10,
	}
	for _, client := range []struct {
		name  string
		start []string
		told  func(line, variant, binding string) string // what the SDK makes of a refusal, if anything
	}{
		// The SDK calls no methods of others. Of a reply that is no stream in place of one it
		// reads nothing by JSON-RPC; the lavish server sends a stream with an error. By HTTP+JSON
		// it reads no error that is labelled application/a2a+json, as the protocol wants it.
		{"go", []string{filepath.Join(bin, "client10")}, func(line, variant, binding string) string {
			switch {
			case line == methodRefused10:
				return ""
			case strings.HasPrefix(line, "refused: ") && binding == "HTTP+JSON":
				return line[:strings.LastIndex(line, ":")] + ": not read\n"
			case variant != "lavish" && binding == "JSONRPC" && (strings.Contains(streamRefused10, line) || line == subscriptionRefused10):
				return line[:strings.LastIndex(line, ":")] + ": an empty stream\n"
			}
			return line
		}},
		{"js", []string{"node", "js10/client.js"}, func(line, _, binding string) string {
			if line == methodRefused10 && binding != "JSONRPC" {
				return "" // an error of JSON-RPC
			}
			return line
		}},
	} {
		for _, binding := range []string{"JSONRPC", "HTTP+JSON", "GRPC"} {
			for variant, want := range all {
				// By HTTP+JSON the lavish server answers 204 to the deletion of a webhook, which the
				// Go SDK takes for an error, and refuses streams by an event, of which the JavaScript
				// SDK makes one without content.
				if binding == "HTTP+JSON" && variant == "lavish" {
					continue
				}
				t.Run(client.name+"/"+binding+"/"+variant, func(t *testing.T) {
					told := ""
					for line := range strings.Lines(want) {
						told += client.told(line, variant, binding)
					}
					used(t, bin, "a2a-1.0", variant, client.start, told, binding)
				})
			}
		}
	}
}

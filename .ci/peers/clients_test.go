package peers

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What a client prints that has done everything, line by line. Of a refusal it
// prints the code, so far as the SDK lets it see one.
const (
	saidToAll = `send: completed, "good day"
get: completed, 2 messages
send: failed, "The agent was asked to fail."
send: rejected, "The agent does not do such things."
send: auth-required, "I need your login for the calendar."
message: "Hello to you."
questions: 3, then completed, "You answered: blue"
cancel: canceled
`
	streamed = `stream: completed, "good night"
stream of a message: "Hello to you."
stream of pieces: "The first piece, the second piece, and the last."
stream of a crash: -32603, then failed
resubscribe: canceled
`
	delivered = `push: completed, "Done after 200ms."
webhooks: 2 before, 1 after one is deleted
push to a webhook set later: canceled
`
	refused = `refused: getting an unknown task: -32001
refused: canceling an unknown task: -32001
refused: canceling a task that has ended: -32002
refused: a message to a task that has ended: -32004
refused: a message without parts: -32602
refused: a file of an unknown type: -32005
refused: a method that is not there: -32601
`
	noExtendedCard = "refused: the extended card: -32007\n"
	streamRefused  = `refused: a stream of a message to an unknown task: -32001
refused: a stream of a message without parts: -32602
refused: resubscribing to an unknown task: -32001
`
)

// TestClients lets programs on public SDKs use the bundled server, each variant so
// far as its card claims to go.
func TestClients(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go", "./client", filepath.Join(bin, "client"))
	all := map[string]string{
		"full": "card: Reference Agent of protocol 0.3.0, streaming true, push notifications true\n" +
			saidToAll + streamed + delivered + refused + noExtendedCard + streamRefused + "refused: resubscribing to a task that has ended: -32004\n",
		"lavish": "card: Reference Agent of protocol 0.3.0, streaming true, push notifications true\n" +
			saidToAll + streamed + "resubscribe afterwards: canceled\n" + delivered + refused + noExtendedCard + streamRefused,
		"minimal": "card: Reference Agent of protocol 0.3.0, streaming false, push notifications false\n" +
			saidToAll + "no stream: completed, \"good night\"\n" + refused + "refused: a webhook: -32003\n",
	}
	for _, client := range []struct {
		name   string
		start  []string
		lavish func(line string) string // what the SDK makes of a refusal by the lavish server
	}{
		// The SDK reads no error whose data are an array, and nothing below an HTTP error.
		{"go", []string{filepath.Join(bin, "client")}, func(line string) string { return line[:strings.LastIndex(line, ":")] + ": not read" }},
		// The SDK has what comes with an HTTP error in place of a stream in its message.
		{"js", []string{"node", "js/client.js"}, func(line string) string {
			if strings.Contains(streamRefused, line+"\n") {
				line += ", told in words"
			}
			return line
		}},
	} {
		for variant, want := range all {
			t.Run(client.name+"/"+variant, func(t *testing.T) {
				url := started(t, []string{filepath.Join(bin, "a2a-conform"), "reference", "--dialect", "a2a-0.3", "--variant", variant, "--addr", "127.0.0.1:0"})
				cmd := exec.Command(client.start[0], append(client.start[1:], url, variant)...)
				var complaint strings.Builder
				cmd.Stderr = &complaint
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %s\nafter\n%s", err, complaint.String(), out)
				}
				lines := strings.Split(want, "\n")
				for i, line := range lines {
					if variant == "lavish" && strings.HasPrefix(line, "refused: ") {
						lines[i] = client.lavish(line)
					}
				}
				if want := strings.Join(lines, "\n"); string(out) != want {
					t.Errorf("the client printed\n%s\nnot\n%s", out, want)
				}
			})
		}
	}
}

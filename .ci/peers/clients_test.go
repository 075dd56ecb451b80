package peers

import (
	"os/exec"
	"path/filepath"
	"slices"
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

// TestClients lets programs on public SDKs use the bundled server by each binding that
// they have, and each variant so far as its card claims to go.
func TestClients(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go", "./client", filepath.Join(bin, "client"))
	const (
		again     = "resubscribe afterwards: canceled\n"
		refusedAt = "refused: resubscribing to a task that has ended: -32004\n"
	)
	all := map[string]string{
		"full": "card: Reference Agent of protocol 0.3.0, streaming true, push notifications true\n" +
			saidToAll + streamed + delivered + refused + noExtendedCard + streamRefused + refusedAt,
		"lavish": "card: Reference Agent of protocol 0.3.0, streaming true, push notifications true\n" +
			saidToAll + streamed + again + delivered + refused + noExtendedCard + streamRefused,
		"minimal": "card: Reference Agent of protocol 0.3.0, streaming false, push notifications false\n" +
			saidToAll + "no stream: completed, \"good night\"\n" + refused + "refused: a webhook: -32003\n",
	}
	// By gRPC a task that has ended is shown to whoever resubscribes.
	overGRPC := strings.NewReplacer("resubscribe: canceled\n", "resubscribe: canceled\n"+again, refusedAt, "")
	for _, client := range []struct {
		name     string
		start    []string
		bindings []string
		told     func(line, variant, binding string) string // what the SDK makes of a refusal
	}{
		// By JSON-RPC the SDK reads no error whose data are an array, and nothing below an HTTP
		// error, as the lavish server sends them. By gRPC it knows one error for a status.
		{"go", []string{filepath.Join(bin, "client")}, []string{"JSONRPC", "GRPC"}, func(line, variant, binding string) string {
			switch {
			case binding == "GRPC":
				return strings.NewReplacer("-32004", "-32002", "-32007", "-32002", "-32005", "-32602", "-32601", "-32004", "-32003", "-32004").Replace(line)
			case variant == "lavish" && strings.HasPrefix(line, "refused: "):
				return line[:strings.LastIndex(line, ":")] + ": not read\n"
			}
			return line
		}},
		// By JSON-RPC the SDK has what comes with an HTTP error in place of a stream in its
		// message. By HTTP+JSON it reads no error within a stream, of which nothing says how it
		// comes there. By gRPC it
		// has no error for some statuses, and calls no methods of others.
		{"js", []string{"node", "js/client.js"}, []string{"JSONRPC", "HTTP+JSON", "GRPC"}, func(line, variant, binding string) string {
			switch {
			case binding == "JSONRPC" && variant == "lavish" && strings.Contains(streamRefused, line):
				return strings.TrimSuffix(line, "\n") + ", told in words\n"
			case binding != "JSONRPC" && strings.Contains(line, "a method that is not there"):
				return ""
			case binding == "HTTP+JSON" && strings.HasPrefix(line, "stream of a crash: "):
				return strings.Replace(line, "-32603", "not read", 1)
			case binding == "GRPC":
				return strings.NewReplacer("-32602", "status 3", "-32005", "status 3", "-32004", "status 9", "-32003", "status 12", "-32603", "status 13").Replace(line)
			}
			return line
		}},
	} {
		for _, binding := range client.bindings {
			for variant, want := range all {
				t.Run(client.name+"/"+binding+"/"+variant, func(t *testing.T) {
					if binding == "GRPC" && variant == "full" {
						want = overGRPC.Replace(want)
					}
					told := ""
					for line := range strings.Lines(want) {
						told += client.told(line, variant, binding)
					}
					used(t, bin, "a2a-0.3", variant, client.start, told, binding)
				})
			}
		}
	}
}

// used demands that a client prints what is wanted when it uses the bundled server by a
// binding.
func used(t *testing.T, bin, dialect, variant string, start []string, want, binding string) {
	t.Helper()
	url := started(t, []string{filepath.Join(bin, "a2a-conform"), "reference", "--dialect", dialect, "--variant", variant,
		"--addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0"})
	cmd := exec.Command(start[0], slices.Concat(start[1:], []string{url, variant, binding})...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\nafter\n%s", err, complaint.String(), out)
	}
	if string(out) != want {
		t.Errorf("the client printed\n%s\nnot\n%s", out, want)
	}
}

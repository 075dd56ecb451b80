package peers

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestGRPCurl lets grpcurl, which knows of the protocol what our proto file says, use the
// bundled server.
func TestGRPCurl(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "grpcurl", "github.com/fullstorydev/grpcurl/cmd/grpcurl", filepath.Join(bin, "grpcurl"))
	home := started(t, []string{filepath.Join(bin, "a2a-conform"), "reference", "--dialect", "a2a-1.0", "--addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0"})
	address := grpcAddress(t, home)
	call := func(method, params string) (replies []map[string]any, refusal string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "grpcurl"), "-plaintext", "-import-path", "../../schema/a2a-1.0", "-proto", "a2a.proto",
			"-H", "A2A-Version: 1.0", "-d", params, address, "lf.a2a.v1.A2AService/"+method)
		var complaint strings.Builder
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil && complaint.Len() == 0 {
			t.Fatalf("%s: %v", method, err)
		}
		d := json.NewDecoder(strings.NewReader(string(out)))
		for {
			var reply map[string]any
			if err := d.Decode(&reply); err == io.EOF {
				return replies, complaint.String()
			} else if err != nil {
				t.Fatalf("%s: %v in\n%s", method, err, out)
			}
			replies = append(replies, reply)
		}
	}
	says := func(words string) string {
		return fmt.Sprintf(`{"message":{"messageId":%q,"role":"ROLE_USER","parts":[{"text":%q}]}}`, words, words)
	}

	replies, refusal := call("SendMessage", says("echo good day"))
	if refusal != "" || len(replies) != 1 || at(replies[0], "task", "status", "state") != "TASK_STATE_COMPLETED" {
		t.Fatalf("a message is answered with %v %s", replies, refusal)
	}
	id, _ := at(replies[0], "task", "id").(string)
	replies, refusal = call("GetTask", fmt.Sprintf(`{"id":%q,"historyLength":1}`, id))
	if refusal != "" || len(replies) != 1 || at(replies[0], "id") != id || at(replies[0], "status", "message", "role") != "ROLE_AGENT" {
		t.Errorf("the task %s is %v %s", id, replies, refusal)
	}
	var sorts []string
	replies, refusal = call("SendStreamingMessage", says("echo good night"))
	for _, reply := range replies {
		for sort := range reply {
			sorts = append(sorts, sort)
		}
	}
	if n := len(sorts); refusal != "" || n < 3 || sorts[0] != "task" || !slices.Contains(sorts, "artifactUpdate") ||
		at(replies[n-1], "statusUpdate", "status", "state") != "TASK_STATE_COMPLETED" {
		t.Errorf("the stream has %s, %s", sorts, refusal)
	}
	if replies, refusal = call("GetTask", `{"id":"none"}`); len(replies) != 0 || !strings.Contains(refusal, "Code: NotFound") || !strings.Contains(refusal, "type.googleapis.com/google.rpc.ErrorInfo") {
		t.Errorf("a task that never was is answered with %v %s", replies, refusal)
	}
	if replies, refusal = call("CancelTask", fmt.Sprintf(`{"id":%q}`, id)); len(replies) != 0 || !strings.Contains(refusal, "Code: FailedPrecondition") {
		t.Errorf("the cancellation of a task that has ended is answered with %v %s", replies, refusal)
	}
}

// at is what lies at the end of a path of names; nil where there is nothing.
func at(value any, path ...string) any {
	for _, name := range path {
		of, _ := value.(map[string]any)
		value = of[name]
	}
	return value
}

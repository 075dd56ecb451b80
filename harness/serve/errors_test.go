package serve

import (
	"context"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/client"
)

// The errors of A2A 0.3 come over HTTP+JSON in two forms, of which the text asks for none.
func TestSendErrorsInTwoForms(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"error-codes-task-not-found":      `{"code":-32001,"message":"The agent refuses: `,
		"error-codes-task-not-cancelable": `"reason":"TASK_NOT_CANCELABLE"`,
	}
	tr := runClient(t, Config{Dialect: loadDialect(t, a2a03), Func: func(ctx context.Context, task *Task) error {
		_, err := do(ctx, client.Call{Method: "POST", URL: task.URL + restPath + "/v1/message:send", Body: []byte(`{"message":{}}`)})
		return err
	}, Scenarios: []string{"error-codes-task-not-found", "error-codes-task-not-cancelable"}})
	for name, text := range want {
		x := tr.Play(name).Step("send").Exchange
		if got := string(x.Response.Body); !strings.Contains(got, text) || !strings.Contains(got, "The agent refuses: ") || x.Status()/100 != 4 {
			t.Errorf("%s: HTTP %d, %s", name, x.Status(), got)
		}
	}
}

package conform_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// versionedClient is a client that calls the first interface of JSON-RPC on the card in the words of its version, as SDKs with a
// layer for older versions do. spell returns the method and the version header of a call at an interface of version 0.3.
func versionedClient(spell func() (method, header string)) func(ctx context.Context, c *conform.ClientRun) error {
	return func(ctx context.Context, c *conform.ClientRun) error {
		text, err := callForText(ctx, http.MethodGet, c.CardURL, "", "")
		if err != nil {
			return err
		}
		var card struct {
			SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
		}
		if err := json.Unmarshal(text, &card); err != nil {
			return err
		}
		for _, i := range card.SupportedInterfaces {
			if i.ProtocolBinding != "JSONRPC" || i.ProtocolVersion == "99.0" {
				continue
			}
			method, header, message := "SendMessage", "1.0", `{"messageId":"m","role":"ROLE_USER","parts":[{"text":%q}]}`
			if i.ProtocolVersion == "0.3" {
				method, header = spell()
				message = `{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":%q}]}`
			}
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"message":`+message+`}}`, method, c.Text)
			if text, err = callForText(ctx, http.MethodPost, i.URL, header, body); err == nil && strings.Contains(string(text), `"error"`) {
				err = errors.New("the agent refused")
			}
			c.Out.Write(text)
			return err
		}
		return errors.New("no interface")
	}
}

// callForText makes a call and returns the body of its answer.
func callForText(ctx context.Context, method, url, version, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if version != "" {
		req.Header.Set("A2A-Version", version)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// A call at an interface that the card declares for 0.3 is right in the words of 0.3, unless it names 1.0 in its header. What
// no version has is wrong there as well.
func TestClientOfSeveralVersions(t *testing.T) {
	t.Parallel()
	const method, header, named = "A2A10-CL-RPC-008", "A2A10-CL-VER-001", "A2A10-CL-VER-005"
	for name, c := range map[string]struct {
		method, header string
		fails          []string
	}{
		"as 0.3 has it":              {"message/send", "", nil},
		"with the version":           {"message/send", "0.3", nil},
		"with a version of 1.0":      {"message/send", "1.0", []string{named}},
		"a method of no version":     {"message/sned", "0.3", []string{method}},
		"a method of 1.0, as before": {"SendMessage", "1.0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := conform.RunClient(t.Context(), conform.ClientTarget{Name: "of two versions", Scenarios: []string{"interfaces-mixed", "interfaces-older"},
				Func: versionedClient(func() (string, string) { return c.method, c.header })})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{}
			for _, id := range c.fails {
				want[id] = true
			}
			for _, r := range o.Report.Results {
				judged := r.ID == method || r.ID == header || r.ID == named
				if judged && (r.Verdict == report.Fail) != want[r.ID] || r.Verdict == report.SuiteError {
					t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
				}
				if len(c.fails) == 0 && c.method == "message/send" && r.Verdict == report.Fail {
					t.Errorf("%s fails: %s", r.ID, r.Reason)
				}
			}
		})
	}
}

// Package scenariotest plays scenarios against servers of a test.
package scenariotest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// PlayWithAnswers plays a scenario against a server that answers with what answer
// returns for the params of a call.
func PlayWithAnswers(t *testing.T, s conversation.Scenario, shown string, answer func(method string, params map[string]any) string) *record.Play {
	t.Helper()
	return PlayAgainstJSONRPC(t, s, shown, 0.1, func(w http.ResponseWriter, method string, id json.RawMessage, params map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, id, answer(method, params))
	})
}

// PlayAgainstJSONRPC plays a scenario against a server whose slow work lasts the given
// seconds.
func PlayAgainstJSONRPC(t *testing.T, s conversation.Scenario, shown string, slow float64, serve func(w http.ResponseWriter, method string, id json.RawMessage, params map[string]any)) *record.Play {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params map[string]any
		}
		body, _ := io.ReadAll(r.Body)
		json.Unmarshal(body, &call)
		serve(w, call.Method, call.ID, call.Params)
	}))
	t.Cleanup(server.Close)
	setting := newSetting(t, server.URL)
	root, _ := record.ObserveJSON([]byte(shown))
	setting.Card = card.Of(setting.Dialect, root)
	for name, s := range map[string]operator.Stimulus{"data": {Text: "echo data"}, "slow": {Text: "slow", Seconds: slow}, "ask": {Text: "ask", Answer: "blue"}, "fail": {Text: "fail"}} {
		setting.Stimuli[name] = s
	}
	setting.Claimed = func(...string) bool { return false }
	return play(t, s, setting)
}

// PlayAgainstHandler plays a scenario against a server that the test implements by a handler.
func PlayAgainstHandler(t *testing.T, s conversation.Scenario, handler http.HandlerFunc, change func(*conversation.Setting)) *record.Play {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	setting := newSetting(t, server.URL)
	setting.CardURL, setting.Header = server.URL, http.Header{}
	setting.Stimuli["forbidden"] = operator.Stimulus{Text: "forbidden"}
	if change != nil {
		change(setting)
	}
	return play(t, s, setting)
}

// newSetting returns the setting of a conversation with a server of a2a-0.1 at a URL.
func newSetting(t *testing.T, url string) *conversation.Setting {
	d, err := schema.Load("a2a-0.1")
	if err != nil {
		t.Fatal(err)
	}
	w, err := dialect.For(d.Name)
	if err != nil {
		t.Fatal(err)
	}
	httpClient := client.NewClient(client.Config{Started: time.Now(), Timeout: 10 * time.Second})
	t.Cleanup(httpClient.Close)
	return &conversation.Setting{Client: httpClient, Dialect: d, Writer: w, RPC: url, Stimuli: map[string]operator.Stimulus{"quick": {Text: "echo hello"}},
		Claimed: func(...string) bool { return true }, Wait: func(string, time.Duration) {}}
}

// play plays a scenario in a setting and returns what was recorded.
func play(t *testing.T, s conversation.Scenario, setting *conversation.Setting) *record.Play {
	p := &record.Play{Scenario: s.Name}
	s.Play(&conversation.Conversation{Setting: setting, Context: t.Context(), Play: p})
	return p
}

// Steps returns the names of the steps of a play, in parentheses if they were not sent.
func Steps(p *record.Play) string {
	var out []string
	for _, s := range p.Steps {
		name := s.Name
		if s.Exchange == nil {
			name = "(" + name + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func Task(id any, state string) string {
	return fmt.Sprintf(`"result":{"id":%q,"status":{"state":%q}}`, id, state)
}

// Answer writes a JSON-RPC reply with the id of the call.
func Answer(w http.ResponseWriter, r *http.Request, status int, member string) (method string) {
	var call struct {
		ID     json.RawMessage
		Method string
	}
	body, _ := io.ReadAll(r.Body)
	json.Unmarshal(body, &call)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, call.ID, member)
	return call.Method
}

const Limited = `"error":{"code":-32010,"message":"Rate limit exceeded"}`

const (
	Refusal       = `"error":{"code":-32602,"message":"no"}`
	CardTakingAll = `{"defaultInputModes":["application/json"],"skills":[{"inputModes":["Image/PNG; q=1"]}]}`
)

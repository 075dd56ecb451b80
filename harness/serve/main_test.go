package serve

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testprocess"
)

// TestMain runs the tests, or the client that they start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "client" {
		if err := runTestClient(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "adapter" {
		runTestAdapter()
		return
	}
	testprocess.Generous()
	os.Exit(m.Run())
}

// testClient is a small client of both dialects: it takes the first interface of JSON-RPC, streams if the
// agent does, and prints the texts that it gets.
type testClient struct {
	http    http.Client
	old     bool
	rpc     string
	streams bool
	out     io.Writer
	calls   int
	task    string // that waits for input
	context string
}

func runTestClient(args []string, in io.Reader, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("usage: client URL TEXT")
	}
	c := &testClient{out: out}
	if ca := os.Getenv("A2A_CONFORM_CA"); ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return err
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(text)
		c.http.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	}
	if err := c.readCard(args[0] + "/.well-known/agent-card.json"); err != nil {
		return err
	}
	if err := c.say(args[1]); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := c.say(lines.Text()); err != nil {
			return err
		}
	}
	return nil
}

func (c *testClient) readCard(url string) error {
	resp, err := c.http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	var card struct {
		URL                  string
		PreferredTransport   string
		AdditionalInterfaces []struct{ URL, Transport string }
		SupportedInterfaces  []struct{ URL, ProtocolBinding, ProtocolVersion string }
		Capabilities         struct{ Streaming bool }
	}
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil {
		return err
	}
	c.streams = card.Capabilities.Streaming
	c.old = card.URL != ""
	if c.old && (card.PreferredTransport == "" || card.PreferredTransport == "JSONRPC") {
		c.rpc = card.URL
	}
	for _, i := range card.AdditionalInterfaces {
		if i.Transport == "JSONRPC" && c.rpc == "" {
			c.rpc = i.URL
		}
	}
	for _, i := range card.SupportedInterfaces {
		if i.ProtocolBinding == "JSONRPC" && (i.ProtocolVersion + ".")[:4] == "1.0." && c.rpc == "" {
			c.rpc = i.URL
		}
	}
	if c.rpc == "" {
		return errors.New("the card has no interface")
	}
	return nil
}

func (c *testClient) say(text string) error {
	c.calls++
	id := fmt.Sprint(c.calls)
	method, params := "SendMessage", map[string]any{"message": map[string]any{"messageId": "m" + id, "role": "ROLE_USER", "parts": []any{map[string]any{"text": text}}}}
	if c.streams {
		method = "SendStreamingMessage"
	}
	if c.old {
		method = "message/send"
		if c.streams {
			method = "message/stream"
		}
		params = map[string]any{"message": map[string]any{"kind": "message", "messageId": "m" + id, "role": "user", "parts": []any{map[string]any{"kind": "text", "text": text}}}}
	}
	if message := params["message"].(map[string]any); c.task != "" {
		message["taskId"], message["contextId"] = c.task, c.context
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	req, err := http.NewRequest("POST", c.rpc, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer a-secret-of-the-client")
	if !c.old {
		req.Header.Set("A2A-Version", "1.0")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if !strings.HasPrefix(strings.ToLower(resp.Header.Get("Content-Type")), "text/event-stream") {
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return err
		}
		return c.show(text)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	var data []string
	for lines.Scan() {
		if d, ok := strings.CutPrefix(lines.Text(), "data:"); ok {
			data = append(data, strings.TrimPrefix(d, " "))
		}
		if lines.Text() == "" && data != nil {
			if err := c.show([]byte(strings.Join(data, "\n"))); err != nil {
				return err
			}
			data = nil
		}
	}
	return lines.Err()
}

// show prints the texts of an answer.
func (c *testClient) show(text []byte) error {
	var answer struct {
		ID     any
		Result any
		Error  *struct {
			Code    int
			Message string
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if answer.Error != nil {
		return fmt.Errorf("error %d: %s", answer.Error.Code, answer.Error.Message)
	}
	if answer.Result == nil || len(answer.Result.(map[string]any)) == 0 {
		return errors.New("no result")
	}
	c.showTexts(answer.Result)
	return nil
}

func (c *testClient) showTexts(v any) {
	switch v := v.(type) {
	case map[string]any:
		if status, ok := v["status"].(map[string]any); ok {
			if s := fmt.Sprint(status["state"]); s == "input-required" || s == "TASK_STATE_INPUT_REQUIRED" {
				c.task, _ = v["id"].(string)
				c.context, _ = v["contextId"].(string)
			}
		}
		if text, ok := v["text"].(string); ok {
			fmt.Fprintln(c.out, text)
		}
		for _, in := range v {
			c.showTexts(in)
		}
	case []any:
		for _, in := range v {
			c.showTexts(in)
		}
	}
}

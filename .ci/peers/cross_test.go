package peers

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/crosspage"
)

// brokenBy is why a pair on public SDKs has a fault: the requirement that is broken first, and the bytes that show it. All faults are
// of servers.
type brokenBy struct {
	id         string // of the first fault
	has, lacks string // of the answer in which it is, in small letters
	why        string // the sentence of the text that the bytes break
}

// The faults of servers on public SDKs that come first in a pair. Each is in the card, the first exchange.
var (
	schemeOfSDK = brokenBy{id: "A2A10-CARD-043", has: `"securityschemes":{"token":{"scheme":{"$case":"httpauthsecurityscheme"`,
		why: "A2A 1.0 §4.5.1 has five members for a security scheme, of which httpAuthSecurityScheme would be the one; scheme is none of them"}
	scopesAsList = brokenBy{id: "A2A10-CARD-055", has: `"securityrequirements":[{"schemes":{"token":[]}}]`,
		why: "A2A 1.0 §4.5 has a StringList for each scheme, an object with the member list; the card has an array"}
	uncached = brokenBy{id: "A2A10-DISC-005", has: " 200 ok", lacks: "cache-control",
		why: "A2A 1.0 §8.6.1: the endpoint of a card SHOULD include Cache-Control"}
	jsonRPCLeftOut = brokenBy{id: "A2A03-CARD-028", has: `"preferredtransport":"jsonrpc"`, lacks: `"transport":"jsonrpc"`,
		why: "A2A 0.3 §5.6.4: additionalInterfaces SHOULD include an entry for the main url and preferredTransport"}
	restLeftOut = brokenBy{id: "A2A03-CARD-028", has: `"preferredtransport": "http+json"`, lacks: `"transport": "http+json"`, why: jsonRPCLeftOut.why}
)

// crossed are the pairs of clients and servers on public SDKs that do not work, or work although a requirement is broken, each with
// the side at fault. All others work without a fault, or have no protocol in common.
var crossed = map[string]struct {
	outcome crosspage.Outcome
	side    crosspage.Side
	first   brokenBy
	says    string // of the client, which shows whether the fault is why the pair fails
}{
	// The client reads no security scheme in the card, and makes no call. Nothing that it sent breaks a requirement, and an
	// entry without a scheme may be refused (A2A10-CL-OWN-001). What it would do with the rest of the card is not seen here:
	// it wants securityRequirements as scopesAsList has them (A2A10-CL-OWN-002).
	"go10 × js10":       {crosspage.Fails, crosspage.ServerSide, schemeOfSDK, "unknown security scheme type for token: [scheme]"},
	"go10-token × js10": {crosspage.Fails, crosspage.ServerSide, schemeOfSDK, "unknown security scheme type for token: [scheme]"},

	// A server that refuses a call without a token keeps A2A 1.0 §3.3.2, and §7.3 has the client's operator obtain it.
	"js10 × js10": {crosspage.Refused, "", schemeOfSDK, "sent no credentials, and the server refused its calls by HTTP 401"},
	"js10 × go10": {crosspage.Refused, "", scopesAsList, "sent no credentials, and the server refused its calls by HTTP 401"},
	"go10 × go10": {crosspage.Refused, "", scopesAsList, "sent no credentials, and the server refused its calls by HTTP 401"},

	// With the token they work, the first and the third because both sides have the form of one SDK.
	"js10-token × js10": {crosspage.Works, "", schemeOfSDK, ""},
	"js10-token × go10": {crosspage.Works, "", scopesAsList, ""},
	"go10-token × go10": {crosspage.Works, "", scopesAsList, ""},

	"js10 × greeter10":       {crosspage.Works, "", uncached, ""},
	"js10-token × greeter10": {crosspage.Works, "", uncached, ""},
	"go10 × greeter10":       {crosspage.Works, "", uncached, ""},
	"go10-token × greeter10": {crosspage.Works, "", uncached, ""},
	"js × js10-both":         {crosspage.Works, "", jsonRPCLeftOut, ""},
	"js × go10-older":        {crosspage.Works, "", restLeftOut, ""},
	"go × js10-both":         {crosspage.Works, "", jsonRPCLeftOut, ""},
	"go × go10-older":        {crosspage.Works, "", restLeftOut, ""},
}

// crossPublicSDKs runs clients on public SDKs against servers on public SDKs, and returns the folder and the table.
func crossPublicSDKs(t *testing.T) (out string, table *crosspage.Table) {
	t.Helper()
	bin := peerPrograms(t)
	for _, name := range []string{"go", "go10"} {
		build(t, name, "./chat", filepath.Join(bin, "chat-"+name))
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, format string, args ...any) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, fmt.Appendf(nil, format, args...), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	clients := write("clients.yaml", `clients:
  - {name: js, command: [node, %[1]s/js/chat.js, "{url}", "{text}"], dialects: [a2a-0.3], sdk: js@0.3.14}
  - {name: js10, command: [node, %[1]s/js10/chat.js, "{url}", "{text}"], dialects: [a2a-1.0], sdk: js@1.3.0}
  - {name: go, command: [%[2]s/chat-go, "{url}", "{text}"], dialects: [a2a-0.3], sdk: go@v0.3.15}
  - {name: go10, command: [%[2]s/chat-go10, "{url}", "{text}"], dialects: [a2a-1.0], sdk: go@v2.4.0}
  - {name: js10-token, command: [env, CHAT_TOKEN=%[3]s, node, %[1]s/js10/chat.js, "{url}", "{text}"], dialects: [a2a-1.0], sdk: js@1.3.0, secrets: ["${A2A_TOKEN}"]}
  - {name: go10-token, command: [env, CHAT_TOKEN=%[3]s, %[2]s/chat-go10, "{url}", "{text}"], dialects: [a2a-1.0], sdk: go@v2.4.0, secrets: ["${A2A_TOKEN}"]}
`, here, bin, token)
	servers := write("servers.yaml", `servers:
  - {name: js, command: [node, %[1]s/js/agent.js], sdk: js@0.3.14}
  - {name: js10, command: [node, %[1]s/js10/agent.js], sdk: js@1.3.0}
  - {name: js10-both, command: [node, %[1]s/js10/agent.js, --both], sdk: js@1.3.0}
  - {name: go, command: [%[2]s/clerk], sdk: go@v0.3.15}
  - {name: greeter, command: [%[2]s/greeter], sdk: go@v0.3.15}
  - {name: go10, command: [%[2]s/clerk10], sdk: go@v2.4.0}
  - {name: go10-older, command: [%[2]s/clerk10, --older], sdk: go@v2.4.0}
  - {name: greeter10, command: [%[2]s/greeter10], sdk: go@v2.4.0}
`, here, bin)
	out = filepath.Join(dir, "out")
	cmd := exec.Command(filepath.Join(bin, "a2a-conform"), "cross", clients, servers, "--out", out)
	said, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, %v\n%s", code, err, said)
	}
	text, err := os.ReadFile(filepath.Join(out, crosspage.JSONFile))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return out, table
}

// TestCross demands that each pair works, or is known not to, with the side of the fault and the bytes that show it.
func TestCross(t *testing.T) {
	out, table := crossPublicSDKs(t)
	if len(table.Cells) != 48 || table.Missing > 0 {
		t.Errorf("%d pairs are finished, and %d are not", len(table.Cells), table.Missing)
	}
	seen := map[string]bool{}
	for i := range table.Cells {
		c := &table.Cells[i]
		name := c.Client + " × " + c.Server
		known, is := crossed[name]
		seen[name] = true
		switch {
		case is:
			if c.Outcome != known.outcome || c.Side != known.side {
				t.Errorf("%s: %s %s; want %s %s", c.Line(), c.Outcome, c.Side, known.outcome, known.side)
			}
			demandFirstFault(t, out, c, known.first)
			if !strings.Contains(c.Why, known.says) {
				t.Errorf("%s: the client %s, without %q", name, c.Why, known.says)
			}
		case c.Outcome != crosspage.Works && c.Outcome != crosspage.Apart || len(c.Faults) > 0:
			t.Errorf("%s is not known: %+v", c.Line(), c.Faults)
		case c.Outcome == crosspage.Apart && sharesDialect(table, c):
			t.Errorf("%s, but they share a protocol", c.Line())
		}
		if same := isOnOneSDK(table, c); c.SameSDK != same || c.Outcome == crosspage.Works && strings.Contains(c.Word(), "on one SDK") != same {
			t.Errorf("%s is marked as on one SDK: %v", name, c.SameSDK)
		}
		if f := c.First(crosspage.ClientSide); f != nil {
			t.Errorf("%s, with a fault of the client: %+v", c.Line(), f)
		}
		for _, f := range c.Faults { // those of servers are known faults of their SDKs
			if f.Side == crosspage.ServerSide && f.Known == "" {
				t.Errorf("%s: %s is not known: %s", name, f.ID, f.Reason)
			}
		}
	}
	for name := range crossed {
		if !seen[name] {
			t.Errorf("there is no pair %s", name)
		}
	}
	if n := table.Count(crosspage.Works); n != 21 {
		t.Errorf("%d pairs work, want 21", n)
	}
}

// demandFirstFault demands that the first fault of a pair is the known one, and that the recorded bytes of the answer show it.
func demandFirstFault(t *testing.T, out string, c *crosspage.Cell, known brokenBy) {
	t.Helper()
	if len(c.Faults) == 0 || c.Faults[0].ID != known.id || c.Faults[0].Side != crosspage.ServerSide {
		t.Errorf("%s: the faults are %+v; want %s of the server first, since %s", c.Line(), c.Faults, known.id, known.why)
		return
	}
	talk := recorded(t, filepath.Join(out, c.ServerRecord))
	if n := c.Faults[0].Exchange; n < 1 || n > len(talk.Exchanges) {
		t.Errorf("%s: there is no exchange %d", c.Line(), n)
		return
	}
	answer := &talk.Exchanges[c.Faults[0].Exchange-1].Response
	text := strings.ToLower(string(answer.Head) + string(answer.Body))
	if !strings.Contains(text, known.has) || known.lacks != "" && strings.Contains(text, known.lacks) {
		t.Errorf("%s: the bytes do not show that %s: %s", c.Line(), known.why, text)
	}
}

// isOnOneSDK reports whether the list has the same SDK for both sides of a pair, of whatever version.
func isOnOneSDK(t *crosspage.Table, c *crosspage.Cell) bool {
	var client, server string
	for _, is := range t.Clients {
		if is.Name == c.Client {
			client, _, _ = strings.Cut(is.SDK, "@")
		}
	}
	for _, is := range t.Servers {
		if is.Name == c.Server {
			server, _, _ = strings.Cut(is.SDK, "@")
		}
	}
	return client == server
}

// sharesDialect reports whether the server of a pair has a protocol of the client.
func sharesDialect(t *crosspage.Table, c *crosspage.Cell) bool {
	var has string
	for _, client := range t.Clients {
		if client.Name == c.Client {
			has = strings.Join(client.Dialects, " ")
		}
	}
	for _, s := range t.Servers {
		for _, d := range s.Dialects {
			if s.Name == c.Server && strings.Contains(has, d) {
				return true
			}
		}
	}
	return false
}

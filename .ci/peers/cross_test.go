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

// crossed are the pairs of clients and servers on public SDKs that do not work, each with the side and the requirement that
// is broken first, and why that is so. All others work, or have no protocol in common.
var crossed = map[string]struct {
	outcome crosspage.Outcome
	side    crosspage.Side
	id      string // of the first fault; "" for none
	why     string
}{
	// The agent of js10 without --both is called with a token alone, and none of these clients has one.
	"js10 × js10": {crosspage.Refused, "", "A2A10-CARD-043", "the server asks for a token"},
	"js10 × go10": {crosspage.Refused, "", "A2A10-CARD-055", "the server asks for a token"},
	"go10 × go10": {crosspage.Refused, "", "A2A10-CARD-055", "the server asks for a token"},
	"go10 × js10": {crosspage.Fails, crosspage.ServerSide, "A2A10-CARD-043", `the card has {"scheme":{"$case":…}} in place of a security scheme, which the client cannot read`},
}

// TestCross runs clients on public SDKs against servers on public SDKs: each pair works, or is known not to, with the side
// of the fault.
func TestCross(t *testing.T) {
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
`, here, bin)
	servers := write("servers.yaml", `servers:
  - {name: js, command: [node, %[1]s/js/agent.js], sdk: js@0.3.14}
  - {name: js10, command: [node, %[1]s/js10/agent.js], sdk: js@1.3.0}
  - {name: js10-both, command: [node, %[1]s/js10/agent.js, --both], sdk: js@1.3.0}
  - {name: go, command: [%[2]s/clerk], sdk: go@v0.3.15}
  - {name: go10, command: [%[2]s/clerk10], sdk: go@v2.4.0}
  - {name: go10-older, command: [%[2]s/clerk10, --older], sdk: go@v2.4.0}
  - {name: greeter10, command: [%[2]s/greeter10], sdk: go@v2.4.0}
`, here, bin)
	out := filepath.Join(dir, "out")
	cmd := exec.Command(filepath.Join(bin, "a2a-conform"), "cross", clients, servers, "--out", out)
	said, err := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, %v\n%s", code, err, said)
	}
	text, err := os.ReadFile(filepath.Join(out, crosspage.JSONFile))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var table crosspage.Table
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Cells) != 28 || table.Missing > 0 {
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
			first := ""
			if len(c.Faults) > 0 {
				first = c.Faults[0].ID
			}
			if c.Outcome != known.outcome || c.Side != known.side || first != known.id {
				t.Errorf("%s: %s %s %s; want %s %s %s, since %s", c.Line(), c.Outcome, c.Side, first, known.outcome, known.side, known.id, known.why)
			}
		case c.Outcome != crosspage.Works && c.Outcome != crosspage.Apart:
			t.Errorf("%s is not known", c.Line())
		case c.Outcome == crosspage.Apart && sharesDialect(&table, c):
			t.Errorf("%s, but they share a protocol", c.Line())
		case c.First(crosspage.ClientSide) != nil:
			t.Errorf("%s, with a fault of the client: %+v", c.Line(), c.First(crosspage.ClientSide))
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
	if n := table.Count(crosspage.Works); n < 12 {
		t.Errorf("only %d pairs work", n)
	}
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

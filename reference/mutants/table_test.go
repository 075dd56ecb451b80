package mutants

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// TestSlipsInTables shows that a table with something unknown is refused, with the file
// and the line of it.
func TestSlipsInTables(t *testing.T) {
	const head = "mutants:\n  - name: x\n    summary: It is broken.\n    area: task\n"
	vocabulary := Vocabulary{Words: Wording{Get: "tasks/get", NotFound: -32001}}
	for _, test := range []struct{ name, row, want string }{
		{"key", "    reply: {operatoin: get}", `t.yaml:5: unknown key "operatoin"`},
		{"key twice", "    reply: {status: 500, status: 501}", `t.yaml:5: the key "status" is there twice`},
		{"operation", "    reply: {operation: list}", `t.yaml:5: "list": the protocol has no such operation`},
		{"operation of another protocol", "    reply: {operation: cancel}", `t.yaml:5: "cancel": the protocol has no such operation`},
		{"error", "    reply: {error: TaskLost}", `t.yaml:5: "TaskLost": the protocol has no such error`},
		{"pointer", "    reply:\n      patch: {op: remove, path: result}", `t.yaml:6: "result": a pointer begins with a slash`},
		{"operation of RFC 6902", "    reply:\n      patch: {op: delete, path: /result}", `t.yaml:6: "delete": this is no operation of RFC 6902`},
		{"engine flag", "    engine: CancelTwice", `t.yaml:5: "CancelTwice": engine.Defects has no flag of this name`},
		{"server flag", "    server: Reply", `t.yaml:5: "Reply": front.Mutant has no flag of this name`},
		{"registry flag", "    registry: Blind", `t.yaml:5: "Blind": front.RegistryFaults has no flag of this name`},
		{"source", "    reply: {patch: {op: copy, of: event, from: /a, path: /b}}", `t.yaml:5: "event": this must be call or before`},
		{"number", "    reply: {status: bad}", `t.yaml:5: "bad" must be a whole number`},
		{"no defect", "", `t.yaml:2: "x" edits nothing`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := NewTable("t.yaml", []byte(head+test.row)).buildMutants(vocabulary); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, not %s", err, test.want)
			}
		})
	}
	vocabulary.Code = []map[string]front.Mutant{{"y": {Reply: func(*front.Reply) {}}}}
	if _, err := NewTable("t.yaml", []byte(head+"    reply: {error: TaskNotFound}")).buildMutants(vocabulary); err == nil || !strings.Contains(err.Error(), `no row for the defect "y"`) {
		t.Errorf("error %v does not name a defect without a row", err)
	}
}

package directory01

import (
	_ "embed"
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/a2a01"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

const (
	registerAgent = "a2a/register"
	discoverAgent = "a2a/discover"
	performTask   = "a2a/task"
)

// eachFound edits every entry that a2a/discover finds.
func eachFound(edit func(e map[string]any)) func(*front.Reply) {
	return front.Answering(discoverAgent, func(x *front.Reply) {
		found, _ := front.At(x.Body, "result/agents").([]any)
		for _, e := range found {
			if m, ok := e.(map[string]any); ok {
				edit(m)
			}
		}
	})
}

// foundAgain replaces what a2a/discover finds.
func foundAgain(choose func(x *front.Reply, found []any) []any) func(*front.Reply) {
	return front.Answering(discoverAgent, func(x *front.Reply) {
		if found, ok := front.At(x.Body, "result/agents").([]any); ok {
			front.Put(x.Body, "result/agents", choose(x, found))
		}
	})
}

// capabilitiesOf are the capabilities of an entry, or of params.
func capabilitiesOf(e any) (words []string) {
	list, _ := front.At(e, "capabilities").([]any)
	for _, c := range list {
		if s, ok := c.(string); ok {
			words = append(words, s)
		}
	}
	return words
}

// wantedBy are the capabilities that a call asks for.
func wantedBy(x *front.Reply) []string { return capabilitiesOf(front.At(x.Request, "params")) }

//go:embed mutants.yaml
var tableText []byte

var table = mutants.NewTable("reference/directory01/mutants.yaml", tableText)

func allMutants() []front.Mutant {
	return table.Build(mutants.Vocabulary{
		Operations: map[string]string{"register": registerAgent, "discover": discoverAgent, "perform": performTask},
		Errors:     map[string]int{"TaskFailed": taskFailed},
		Shared: map[string]mutants.Source{
			"mutants": mutants.SharedSource(mutants.Wording{}, ""),
			"a2a01":   {Table: a2a01.Table, Code: a2a01.Code()},
		},
		Code: []map[string]front.Mutant{codeMutants},
	})
}

// mutantMisreadingRegistrationMember makes a mutant that takes anything for a member of a registration.
func mutantMisreadingRegistrationMember(member string, is func(any) bool, value any) front.Mutant {
	return front.Mutant{Call: front.Misread(registerAgent, func(body any) {
		if v := front.At(body, "params/"+member); v != nil && is(v) {
			front.Put(body, "params/"+member, value)
		}
	})}
}

func notText(v any) bool { return !front.IsText(v) }

// returnCompletedTask answers a call with a task that succeeded.
func returnCompletedTask(x *front.Reply) {
	x.Succeed(map[string]any{"taskId": front.At(x.Request, "params/taskId"), "status": "completed", "output": map[string]any{"text": "done"}})
}

// codeMutants are the mutants of the table that are written in Go.
var codeMutants = map[string]front.Mutant{
	"dies-of-bad-json": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeParse) {
			x.Server.Notes.Count("died")
		}
		if x.Server.Notes.Add("died", 0) > 0 && x.Method() == discoverAgent {
			x.Blank(http.StatusBadGateway, "text/plain")
		}
	}},
	"capability-numbers-kept": mutantMisreadingRegistrationMember("capabilities", func(v any) bool { list, ok := v.([]any); return ok && slices.ContainsFunc(list, notText) }, []any{}),
	"first-capability-only": {Reply: foundAgain(func(x *front.Reply, found []any) []any {
		return slices.DeleteFunc(found, func(e any) bool {
			words := capabilitiesOf(e)
			return len(wantedBy(x)) == 1 && len(words) > 2 && words[0] != wantedBy(x)[0]
		})
	})},
	"found-id-changed": {Reply: eachFound(func(e map[string]any) { e["agentId"] = "17-" + front.Text(e, "agentId") })},
	"found-capabilities-matching": {Reply: front.Answering(discoverAgent, func(x *front.Reply) {
		found, _ := front.At(x.Body, "result/agents").([]any)
		for _, e := range found {
			matching := []any{}
			for _, w := range capabilitiesOf(e) {
				if slices.Contains(wantedBy(x), w) {
					matching = append(matching, w)
				}
			}
			front.Put(e, "capabilities", matching)
		}
	})},
	"found-all-needed": {Reply: foundAgain(func(x *front.Reply, found []any) []any {
		return slices.DeleteFunc(found, func(e any) bool {
			return slices.ContainsFunc(wantedBy(x), func(w string) bool { return !slices.Contains(capabilitiesOf(e), w) })
		})
	})},
	"found-unasked": {Call: func(c *front.Call) {
		if c.Method == registerAgent {
			c.Notes.Write("last", front.At(c.Body, "params"))
		}
	},
		Reply: foundAgain(func(x *front.Reply, found []any) []any {
			last, _ := x.Server.Notes.Read("last").(map[string]any)
			if last == nil || len(wantedBy(x)) != 1 || len(found) == 0 {
				return found
			}
			if slices.ContainsFunc(found, func(e any) bool { return front.Text(e, "agentId") == front.Text(last, "agentId") }) {
				return found
			}
			return append(found, map[string]any{"agentId": last["agentId"], "name": last["name"], "capabilities": last["capabilities"], "endpoint": last["endpoint"],
				"registeredAt": front.Text(found[0], "registeredAt")})
		})},
	"found-per-match": {Reply: foundAgain(func(x *front.Reply, found []any) []any {
		var out []any
		for _, e := range found {
			for _, w := range wantedBy(x) {
				if slices.Contains(capabilitiesOf(e), w) {
					out = append(out, e)
				}
			}
		}
		return out
	})},
	"found-by-beginning": {Call: func(c *front.Call) {
		if c.Method == registerAgent {
			list, _ := front.At(c.Body, "params/capabilities").([]any)
			for _, w := range list {
				if s, ok := w.(string); ok && s != "" {
					c.Notes.Write("whole "+s[:len(s)-1], s)
				}
			}
		}
		if list, ok := front.At(c.Body, "params/capabilities").([]any); ok && c.Method == discoverAgent && len(list) == 1 {
			if s, ok := list[0].(string); ok {
				if whole := c.Notes.Read("whole " + s); whole != nil {
					list[0] = whole
				}
			}
		}
	}},
	"task-refused-as-invalid": {Reply: front.OnResult(performTask, func(x *front.Reply) {
		if x.Server.Notes.Count("tasked") <= 3 {
			x.Decline(front.CodeInvalidParams)
		}
	})},
	"any-action-completes": {Reply: front.Answering(performTask, func(x *front.Reply) {
		if a := front.Text(x.Request, "params/action"); len(a) > len("no-such-") && a[:8] == "no-such-" {
			returnCompletedTask(x)
		}
	})},
	"task-ids-shared": {Reply: front.OnResult(performTask, func(x *front.Reply) {
		sender := front.Text(x.Request, "params/sender")
		if x.Server.Notes.Count("tasks of "+sender) > 2 {
			front.Put(x.Body, "result/taskId", x.Server.Notes.First("third of "+sender, front.At(x.Body, "result/taskId")))
		}
	})},
}

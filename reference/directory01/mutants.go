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

// offered are the capabilities of an entry, or of params.
func offered(e any) (words []string) {
	list, _ := front.At(e, "capabilities").([]any)
	for _, c := range list {
		if s, ok := c.(string); ok {
			words = append(words, s)
		}
	}
	return words
}

// wantedBy are the capabilities that a call asks for.
func wantedBy(x *front.Reply) []string { return offered(front.At(x.Request, "params")) }

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
		Code: []map[string]front.Mutant{
			directoryCallMutants, directoryRegisterMutants, directoryFindMutants, directoryListMutants, directoryTaskMutants,
		},
	})
}

var directoryCallMutants = map[string]front.Mutant{
	"unknown-method-page": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeMethodNotFound) && x.Method() == "a2a/doesNotExist" {
			x.Blank(http.StatusNotFound, "text/plain")
		}
	}},
	"cancel-always-succeeds": {Reply: func(x *front.Reply) {
		if x.Method() == "a2a/cancel" {
			x.Succeed(map[string]any{"status": "cancelled"})
		}
	}},
	"dies-of-bad-json": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeParse) {
			x.Server.Notes.Count("died")
		}
		if x.Server.Notes.Add("died", 0) > 0 && x.Method() == discoverAgent {
			x.Blank(http.StatusBadGateway, "text/plain")
		}
	}},
}

// unchecked makes a mutant that takes anything for a member of a registration.
func unchecked(name, member string, is func(any) bool, value any) front.Mutant {
	return front.Mutant{Name: name, Summary: "A registration is accepted whatever its " + member + " is.",
		Call: front.Misread(registerAgent, func(body any) {
			if v := front.At(body, "params/"+member); v != nil && is(v) {
				front.Put(body, "params/"+member, value)
			}
		})}
}

func notText(v any) bool { return !front.IsText(v) }

var directoryRegisterMutants = map[string]front.Mutant{
	"capability-numbers-kept": unchecked("capability-numbers-kept", "capabilities", func(v any) bool { list, ok := v.([]any); return ok && slices.ContainsFunc(list, notText) }, []any{}),
}

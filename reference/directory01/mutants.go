package directory01

import (
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

func allMutants() []front.Mutant {
	return slices.Concat(
		front.Picked(mutants.RpcMutants, "http-method-ignored", "version-not-required", "missing-method-unknown", "method-number-unknown",
			"null-body-crashes", "notification-answered", "batch-first-only", "unknown-method-in-own-words"),
		front.Picked(a2a01.EnvelopeMutants, "id-text-to-number"),
		directoryCallMutants, directoryRegisterMutants, directoryFindMutants, directoryListMutants, directoryTaskMutants, directoryAccessMutants,
	)
}

var directoryCallMutants = front.InArea("envelope",
	front.Mutant{Name: "calls-by-get-only", Area: "transport", Summary: "Calls by POST are refused with HTTP 405.",
		Reply: func(x *front.Reply) {
			if x.Http.Method == http.MethodPost && x.Document == "" {
				x.Blank(http.StatusMethodNotAllowed, "text/plain")
			}
		}},
	front.Mutant{Name: "answers-as-html", Area: "transport", Summary: "Found agents are sent as text/html.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) { x.Header.Set("Content-Type", "text/html") })},
	front.Mutant{Name: "number-id-to-text", Summary: "The id 1 comes back as a string.", Reply: mutants.IdOf(front.Num(1), "1")},
	front.Mutant{Name: "null-id-made-up", Summary: "A call with id null gets an id of the server's.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) {
			if front.Has(x.Request, "id") && front.At(x.Request, "id") == nil {
				front.Put(x.Body, "id", "made-up")
			}
		})},
	front.Mutant{Name: "error-null-beside-agents", Summary: "What was found comes with an error of null.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				front.Put(x.Body, "error", nil)
			}
		})},
	front.Mutant{Name: "parse-error-without-id", Summary: "The error about unparsable JSON has no id.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) {
				front.Drop(x.Body, "id")
			}
		}},
	front.Mutant{Name: "parse-error-as-page", Area: "errors", Summary: "Unparsable JSON gets HTTP 400 with a plain text.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) {
				x.Blank(http.StatusBadRequest, "text/plain")
				x.Raw = []byte("bad request")
			}
		}},
	front.Mutant{Name: "unknown-method-page", Area: "errors", Summary: "An unknown method gives a bare HTTP 404.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeMethodNotFound) && x.Method() == "a2a/doesNotExist" {
				x.Blank(http.StatusNotFound, "text/plain")
			}
		}},
	front.Mutant{Name: "method-prefix-ignored", Area: "errors", Summary: "Of a method only the last word is looked at.",
		Call: front.Misread("", func(body any) { front.Swap(body, "method", "discover", discoverAgent) })},
	front.Mutant{Name: "cancel-always-succeeds", Area: "errors", Summary: "a2a/cancel, which is for later, reports success whatever it is about.",
		Reply: func(x *front.Reply) {
			if x.Method() == "a2a/cancel" {
				x.Succeed(map[string]any{"status": "cancelled"})
			}
		}},
	front.Mutant{Name: "caller-blamed-on-task", Area: "errors", Summary: "a2a/discover reports bad params as a failed task.",
		Reply: front.Recode(discoverAgent, front.CodeInvalidParams, taskFailed)},
	front.Mutant{Name: "dies-of-bad-json", Area: "errors", Summary: "After a text that is no JSON nothing is found any more.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) {
				x.Server.Notes.Count("died")
			}
			if x.Server.Notes.Add("died", 0) > 0 && x.Method() == discoverAgent {
				x.Blank(http.StatusBadGateway, "text/plain")
			}
		}},
)

// fillsIn makes a mutant that fills in a member of a registration.
func fillsIn(member string, value any) front.Mutant {
	return front.Mutant{Name: member + "-optional", Summary: "A registration without " + member + " is accepted.",
		Call: front.Supply(registerAgent, "params/"+member, value)}
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

var directoryRegisterMutants = front.InArea("directory",
	front.Mutant{Name: "registered-201", Area: "transport", Summary: "A registration is answered with HTTP 201.",
		Reply: front.Answering(registerAgent, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				x.Status = http.StatusCreated
			}
		})},
	front.Mutant{Name: "register-missing", Summary: "a2a/register is not implemented.",
		Reply: front.Answering(registerAgent, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	front.Mutant{Name: "register-says-ok", Summary: "A registration is confirmed by another word.",
		Reply: front.Answering(registerAgent, func(x *front.Reply) { front.Swap(x.Body, "result/status", "registered", "ok") })},
	front.Mutant{Name: "register-renames", Summary: "A registration is confirmed under an id of the directory's.",
		Reply: front.Answering(registerAgent, func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				front.Put(x.Body, "result/agentId", "agent-17")
			}
		})},
	fillsIn("agentId", "nobody"), fillsIn("name", "nobody"), fillsIn("endpoint", "http://a2a-conform.invalid/"), fillsIn("capabilities", []any{}),
	front.Mutant{Name: "register-without-params", Summary: "A registration without params gives HTTP 500.",
		Reply: front.Answering(registerAgent, func(x *front.Reply) {
			if !front.Has(x.Request, "params") {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	unchecked("capability-text-iterated", "capabilities", front.IsText, []any{"s"}),
	unchecked("capability-numbers-kept", "capabilities", func(v any) bool { list, ok := v.([]any); return ok && slices.ContainsFunc(list, notText) }, []any{}),
	unchecked("agent-id-unchecked", "agentId", notText, "5"),
	unchecked("name-unchecked", "name", notText, "5"),
	unchecked("endpoint-unchecked", "endpoint", func(v any) bool { return v == "not a url" || notText(v) }, "http://a2a-conform.invalid/"),
	front.Mutant{Name: "registered-twice", Summary: "An id that is registered again is there twice.", Registry: front.RegistryFaults{Doubles: true}},
	front.Mutant{Name: "registered-in-vain", Summary: "A second registration is confirmed and changes nothing.", Registry: front.RegistryFaults{Deaf: true}},
	front.Mutant{Name: "given-up-kept", Summary: "Capabilities that were given up go on matching.", Registry: front.RegistryFaults{Clings: true}},
	front.Mutant{Name: "dated-by-start", Summary: "registeredAt is the start of the directory.", Registry: front.RegistryFaults{Started: true}},
)

package reference

import (
	"net/http"
	"slices"
)

const (
	registerAgent = "a2a/register"
	discoverAgent = "a2a/discover"
	performTask   = "a2a/task"
)

// eachFound edits every entry that a2a/discover finds.
func eachFound(edit func(e map[string]any)) func(*reply) {
	return answering(discoverAgent, func(x *reply) {
		found, _ := at(x.body, "result/agents").([]any)
		for _, e := range found {
			if m, ok := e.(map[string]any); ok {
				edit(m)
			}
		}
	})
}

// foundAgain replaces what a2a/discover finds.
func foundAgain(choose func(x *reply, found []any) []any) func(*reply) {
	return answering(discoverAgent, func(x *reply) {
		if found, ok := at(x.body, "result/agents").([]any); ok {
			put(x.body, "result/agents", choose(x, found))
		}
	})
}

// offered are the capabilities of an entry, or of params.
func offered(e any) (words []string) {
	list, _ := at(e, "capabilities").([]any)
	for _, c := range list {
		if s, ok := c.(string); ok {
			words = append(words, s)
		}
	}
	return words
}

// wantedBy are the capabilities that a call asks for.
func wantedBy(x *reply) []string { return offered(at(x.request, "params")) }

func directory01Mutants() []mutant {
	return slices.Concat(
		picked(rpcMutants, "http-method-ignored", "version-not-required", "missing-method-unknown", "method-number-unknown",
			"null-body-crashes", "notification-answered", "batch-first-only", "unknown-method-in-own-words"),
		picked(a2a01EnvelopeMutants, "id-text-to-number"),
		directoryCallMutants, directoryRegisterMutants, directoryFindMutants, directoryListMutants, directoryTaskMutants, directoryAccessMutants,
	)
}

var directoryCallMutants = inArea("envelope",
	mutant{name: "calls-by-get-only", area: "transport", summary: "Calls by POST are refused with HTTP 405.",
		reply: func(x *reply) {
			if x.http.Method == http.MethodPost && x.document == "" {
				x.blank(http.StatusMethodNotAllowed, "text/plain")
			}
		}},
	mutant{name: "answers-as-html", area: "transport", summary: "Found agents are sent as text/html.",
		reply: answering(discoverAgent, func(x *reply) { x.header.Set("Content-Type", "text/html") })},
	mutant{name: "number-id-to-text", summary: "The id 1 comes back as a string.", reply: idOf(num(1), "1")},
	mutant{name: "null-id-made-up", summary: "A call with id null gets an id of the server's.",
		reply: answering(discoverAgent, func(x *reply) {
			if has(x.request, "id") && at(x.request, "id") == nil {
				put(x.body, "id", "made-up")
			}
		})},
	mutant{name: "error-null-beside-agents", summary: "What was found comes with an error of null.",
		reply: answering(discoverAgent, func(x *reply) {
			if has(x.body, "result") {
				put(x.body, "error", nil)
			}
		})},
	mutant{name: "parse-error-without-id", summary: "The error about unparsable JSON has no id.",
		reply: func(x *reply) {
			if x.answers("", codeParse) {
				drop(x.body, "id")
			}
		}},
	mutant{name: "parse-error-as-page", area: "errors", summary: "Unparsable JSON gets HTTP 400 with a plain text.",
		reply: func(x *reply) {
			if x.answers("", codeParse) {
				x.blank(http.StatusBadRequest, "text/plain")
				x.raw = []byte("bad request")
			}
		}},
	mutant{name: "unknown-method-page", area: "errors", summary: "An unknown method gives a bare HTTP 404.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) && x.method() == "a2a/doesNotExist" {
				x.blank(http.StatusNotFound, "text/plain")
			}
		}},
	mutant{name: "method-prefix-ignored", area: "errors", summary: "Of a method only the last word is looked at.",
		call: misread("", func(body any) { swap(body, "method", "discover", discoverAgent) })},
	mutant{name: "cancel-always-succeeds", area: "errors", summary: "a2a/cancel, which is for later, reports success whatever it is about.",
		reply: func(x *reply) {
			if x.method() == "a2a/cancel" {
				x.succeed(map[string]any{"status": "cancelled"})
			}
		}},
	mutant{name: "caller-blamed-on-task", area: "errors", summary: "a2a/discover reports bad params as a failed task.",
		reply: recode(discoverAgent, codeInvalidParams, directory01TaskFailed)},
	mutant{name: "dies-of-bad-json", area: "errors", summary: "After a text that is no JSON nothing is found any more.",
		reply: func(x *reply) {
			if x.answers("", codeParse) {
				x.server.notes.count("died")
			}
			if x.server.notes.add("died", 0) > 0 && x.method() == discoverAgent {
				x.blank(http.StatusBadGateway, "text/plain")
			}
		}},
)

// fillsIn makes a mutant that fills in a member of a registration.
func fillsIn(member string, value any) mutant {
	return mutant{name: member + "-optional", summary: "A registration without " + member + " is accepted.",
		call: supply(registerAgent, "params/"+member, value)}
}

// unchecked makes a mutant that takes anything for a member of a registration.
func unchecked(name, member string, is func(any) bool, value any) mutant {
	return mutant{name: name, summary: "A registration is accepted whatever its " + member + " is.",
		call: misread(registerAgent, func(body any) {
			if v := at(body, "params/"+member); v != nil && is(v) {
				put(body, "params/"+member, value)
			}
		})}
}

func notText(v any) bool { return !isText(v) }

var directoryRegisterMutants = inArea("directory",
	mutant{name: "registered-201", area: "transport", summary: "A registration is answered with HTTP 201.",
		reply: answering(registerAgent, func(x *reply) {
			if has(x.body, "result") {
				x.status = http.StatusCreated
			}
		})},
	mutant{name: "register-missing", summary: "a2a/register is not implemented.",
		reply: answering(registerAgent, func(x *reply) { x.decline(codeMethodNotFound) })},
	mutant{name: "register-says-ok", summary: "A registration is confirmed by another word.",
		reply: answering(registerAgent, func(x *reply) { swap(x.body, "result/status", "registered", "ok") })},
	mutant{name: "register-renames", summary: "A registration is confirmed under an id of the directory's.",
		reply: answering(registerAgent, func(x *reply) {
			if has(x.body, "result") {
				put(x.body, "result/agentId", "agent-17")
			}
		})},
	fillsIn("agentId", "nobody"), fillsIn("name", "nobody"), fillsIn("endpoint", "http://a2a-conform.invalid/"), fillsIn("capabilities", []any{}),
	mutant{name: "register-without-params", summary: "A registration without params gives HTTP 500.",
		reply: answering(registerAgent, func(x *reply) {
			if !has(x.request, "params") {
				x.blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	unchecked("capability-text-iterated", "capabilities", isText, []any{"s"}),
	unchecked("capability-numbers-kept", "capabilities", func(v any) bool { list, ok := v.([]any); return ok && slices.ContainsFunc(list, notText) }, []any{}),
	unchecked("agent-id-unchecked", "agentId", notText, "5"),
	unchecked("name-unchecked", "name", notText, "5"),
	unchecked("endpoint-unchecked", "endpoint", func(v any) bool { return v == "not a url" || notText(v) }, "http://a2a-conform.invalid/"),
	mutant{name: "registered-twice", summary: "An id that is registered again is there twice.", registry: registryFaults{doubles: true}},
	mutant{name: "registered-in-vain", summary: "A second registration is confirmed and changes nothing.", registry: registryFaults{deaf: true}},
	mutant{name: "given-up-kept", summary: "Capabilities that were given up go on matching.", registry: registryFaults{clings: true}},
	mutant{name: "dated-by-start", summary: "registeredAt is the start of the directory.", registry: registryFaults{started: true}},
)

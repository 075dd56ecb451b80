package acts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readText reads one document that includes nothing.
func readText(text string, options Options) (*Set, error) {
	return Files(func(string) ([]byte, error) { return []byte(text), nil }, []string{"f.yaml"}, options)
}

// The beginning of a document up to a test, and of a test up to its first step, which begins in line 11.
const (
	headOfTests = "acts_version: \"1.0\"\nspec_version: \"1.0\"\nsuites:\n  - id: s\n    name: S\n    tests:\n"
	headOfTest  = "      - id: T-1\n        name: T\n        level: must\n"
	headOfSteps = headOfTests + headOfTest + "        steps:\n"
)

// documentOfStep returns a document with the steps of a test, whose lines are indented here.
func documentOfStep(step string) string {
	return headOfSteps + indentLines(step, 10)
}

// documentOfTest returns a document with a test that has further keys, the first of them in line 10.
func documentOfTest(keys string) string {
	return headOfTests + headOfTest + indentLines(keys, 8) + "        steps: [{id: a, operation: list_tasks, params: {}}]\n"
}

func indentLines(text string, by int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", by) + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// stepOf returns a step that calls an operation and has one more key.
func stepOf(key string) string { return "- id: a\n  operation: get_task\n  params: {id: x}\n" + key }

// productions are the rules of the grammar (appendix A of the draft) about documents, each with documents that
// follow it and documents that break it. What breaks a rule is in the strict mode refused at the given line.
var productions = []struct {
	rule    string
	follows []string
	breaks  map[string]int // line by document
}{
	{"acts-document", []string{documentOfTest("description: x"), "acts_version: \"1.0\"\nspec_version: \"1.0\"\nspec_ref: x\nmetadata: {}\nvariables: {a: b}\nsuites: [{id: s, name: S, tests: [{id: T, name: T, level: may, steps: [{id: a, operation: list_tasks, params: {}}]}]}]"},
		map[string]int{"spec_version: \"1.0\"\nsuites: []": 1, "acts_version: \"2.0\"\nspec_version: \"1.0\"\ninclude: [a]": 1, "acts_version: \"1.0\"\nspec_version: \"1.0\"\n": 1, "acts_version: 1.0\nspec_version: \"1.0\"\nsuites: []": 1}},
	{"metadata", []string{strings.Replace(documentOfTest("description: x"), "suites:", "metadata: {title: t, description: d, authors: [a], license: l}\nsuites:", 1)},
		map[string]int{strings.Replace(documentOfTest("description: x"), "suites:", "metadata: {titel: t}\nsuites:", 1): 3}},
	{"suite", []string{documentOfTest("tags: [a]"), strings.Replace(documentOfTest("description: x"), "    name: S\n", "    name: S\n    description: d\n    tags: [a]\n", 1)},
		map[string]int{strings.Replace(documentOfTest("description: x"), "    name: S\n", "", 1): 4}},
	{"test", []string{documentOfTest("description: d\nspec_ref: r\ntags: [a]\ntransport: [rest]\npreconditions: {}\nrequires_behaviors: [tck-x]\norigin: u\nrunner_requirements: [webhook_endpoint]\nassertions: [{source: baseUrl}]")},
		map[string]int{headOfTests + "      - id: T-1\n        level: must\n        steps: [{id: a, operation: list_tasks, params: {}}]\n": 7, documentOfTest("requires_behaviors: []"): 10, documentOfTest("desciption: x"): 10}},
	{"conformance-level", []string{strings.Replace(documentOfTest("description: x"), "level: must", "level: should", 1)}, map[string]int{strings.Replace(documentOfTest("description: x"), "level: must", "level: MUST", 1): 9}},
	{"transport-binding", []string{documentOfTest("transport: [jsonrpc, grpc, rest]")}, map[string]int{documentOfTest("transport: [http]"): 10, documentOfTest("transport: rest"): 10}},
	{"runner-requirement", []string{documentOfTest("runner_requirements: [concurrent_streams, stream_disconnect, auth_credentials, header_inspection]")}, map[string]int{documentOfTest("runner_requirements: [webhook]"): 10}},
	{"preconditions", []string{documentOfTest("preconditions: {capabilities: {streaming: true}, skills: [{id: x}], transport: [grpc], extensions: [u], description: d}")}, map[string]int{documentOfTest("preconditions: {capability: {}}"): 10, documentOfTest("preconditions: {skills: [x]}"): 10}},
	{"step", []string{documentOfStep(stepOf("  delay_ms: 1"))}, map[string]int{documentOfStep("- id: a"): 11, documentOfStep("- id: a\n  operation: get_task\n  params: {}\n  raw: {method: GET, path: /}"): 11}},
	{"server-step", []string{documentOfStep("- id: a\n  description: d\n  operation: get_task\n  params: {id: x}\n  expect: {status: 200}\n  capture: {a: id}\n  assertions: [{source: a.a}]\n  repeat: {until: a == b}\n  delay_ms: 5")},
		map[string]int{documentOfStep("- id: a\n  operation: get_task"): 11, documentOfStep(stepOf("  expect: {}\n  expect_error: {error_type: InternalError}")): 15, documentOfStep(stepOf("  capture: {}")): 14}},
	{"client-step", []string{documentOfStep("- id: a\n  description: d\n  client_response: {operation: get_task, wire_payload: {}}\n  expect_parsed: {id: x}\n  assertions: [{source: a}]")}, map[string]int{documentOfStep("- id: a\n  client_response: {operation: get_task, wire_payload: {}}"): 11}},
	{"client-response", []string{documentOfStep("- id: a\n  client_response: {operation: get_agent_card, wire_payload: [1]}\n  expect_parsed: {}")}, map[string]int{documentOfStep("- id: a\n  client_response: {operation: get_task}\n  expect_parsed: {}"): 12}},
	{"assertion-step", []string{documentOfStep(stepOf("") + "- id: b\n  description: d\n  assertion: {source: a.response}")}, map[string]int{documentOfStep("- id: b\n  assertion: x"): 12}},
	{"raw-step", []string{documentOfTransport("- id: a\n  raw: {method: PUT, path: /x, headers: {A: b}, body: {}}\n  expect: {status: 200}\n  capture: {a: b}\n- id: b\n  raw: {method: DELETE, path: /x, body_raw: x}\n  expect_error: {error_type: JSONParseError}")},
		map[string]int{documentOfTransport("- id: a\n  raw: {method: PATCH, path: /x}"): 13, documentOfTransport("- id: a\n  raw: {method: GET, path: x}"): 13, documentOfTransport("- id: a\n  raw: {method: GET, path: /x}\n  expect_stream: {min_count: 1}"): 14}},
	{"abstract-operation", []string{documentOfStep(listOperations())}, map[string]int{documentOfStep("- id: a\n  operation: set_push_notification_config\n  params: {}"): 12, documentOfStep("- id: a\n  operation: tasks/get\n  params: {}"): 12}},
	{"request-params", []string{documentOfStep("- id: a\n  operation: send_message\n  params: {message: {role: R, parts: [{text: x}], messageId: m, taskId: t, contextId: c, more: 1}, configuration: {returnImmediately: true, historyLength: 1, more: 1}, id: i, historyLength: 1, contextId: c, cursor: c, pageSize: 1, taskId: t, pushNotificationConfig: 1, more: []}")},
		map[string]int{documentOfStep("- id: a\n  operation: send_message\n  params: {message: {parts: [{text: x}]}}"): 13, documentOfStep("- id: a\n  operation: get_task\n  params: {id: 5}"): 13, documentOfStep("- id: a\n  operation: get_task\n  params: {historyLength: many}"): 13, documentOfStep("- id: a\n  operation: get_task\n  params: []"): 13}},
	{"part", []string{documentOfStep("- id: a\n  operation: send_message\n  params: {message: {role: R, parts: [{text: x}, {data: [1]}, {file: {url: u, raw: r, mediaType: m, name: n}}, {other: 1}]}}")},
		map[string]int{documentOfStep("- id: a\n  operation: send_message\n  params: {message: {role: R, parts: [{text: 5}]}}"): 13, documentOfStep("- id: a\n  operation: send_message\n  params: {message: {role: R, parts: [{file: {uri: u}}]}}"): 13, documentOfStep("- id: a\n  operation: send_message\n  params: {message: {role: R, parts: []}}"): 13}},
	{"expect-block", []string{documentOfStep(stepOf("  expect: {status: {one_of: [200, 201]}, body: {id: x, status: {state: y}, list: [1, {a: b}]}}"))}, map[string]int{documentOfStep(stepOf("  expect: {task: {id: x}}")): 14, documentOfStep(stepOf("  expect: {status: error}")): 14, documentOfStep(stepOf("  expect: {body: x}")): 14}},
	{"expect-error", []string{documentOfStep(stepOf("  expect_error: {error_type: TaskNotFoundError, message: {type: string}, details: {a: 1}}"))}, map[string]int{documentOfStep(stepOf("  expect_error: {code: TaskNotFoundError}")): 14, documentOfStep(stepOf("  expect_error: {message: x}")): 14, documentOfStep(stepOf("  expect_error: {error_type: InternalError, data: x}")): 14}},
	{"a2a-error-type", []string{documentOfStep(stepOf("  expect_error: {error_type: ExtendedCardNotSupportedError}"))}, map[string]int{documentOfStep(stepOf("  expect_error: {error_type: TaskNotFound}")): 14}},
	{"expect-stream", []string{documentOfStream("{min_count: 1, max_count: 2, timeout_ms: 5, ordering: monotonic_state, events: [{task: {id: x}}], final_event: {task: {}}, each_event: {task: {}}}")}, map[string]int{documentOfStream("{minimum: 1}"): 14, documentOfStream("{min_count: 3, max_count: 2}"): 14, documentOfStream("{min_count: -1}"): 14}},
	{"ordering-rule", []string{documentOfStream("{ordering: monotonic_state}")}, map[string]int{documentOfStream("{ordering: monotonic}"): 14}},
	{"event-assertion", []string{documentOfStream("{events: [{description: d, match: any_position, status_update: {a: 1}}, {index: 3, match: exact_position, artifact_update: {}}, {message: {}}, {other: {exists: true}}]}")}, map[string]int{documentOfStream("{events: [{match: anywhere, task: {}}]}"): 14, documentOfStream("{events: [{task: {}, message: {}}]}"): 14, documentOfStream("{events: [{one_of: [{task: {}}]}]}"): 14}},
	{"assertion", []string{documentOfBody("{a: x, b: {type: string}}")}, map[string]int{documentOfBody("{a: {type: string, other: x}}"): 14}},
	{"exact-match", []string{documentOfBody("{a: x, b: 1, c: 1.5, d: true, e: null}")}, map[string]int{documentOfBody("{a: .nan}"): 14}},
	{"assertion-object", []string{documentOfBody("{a: {type: array, exists: true, count: 1, count_gte: 1, count_lte: 2}, b: {absent: true}, c: {contains: a, matches: 'x+', starts_with: a, ends_with: b}, d: {gte: 1, lte: 2, gt: 0.5, lt: 3, one_of: [1, 2]}, e: {all_of: [x, {type: string}], any_of: [y], not: z}, f: {not: {type: 'null'}}}")},
		map[string]int{documentOfBody("{a: {type: text}}"): 14, documentOfBody("{a: {exists: false}}"): 14, documentOfBody("{a: {matches: '('}}"): 14, documentOfBody("{a: {contians: x}}"): 14, documentOfBody("{a: {count: many}}"): 14, documentOfBody("{a: {one_of: x}}"): 14, documentOfBody("{a: {any_of: []}}"): 14, documentOfBody("{a: {contains: 5}}"): 14, documentOfBody("{a: {type: array, items: {type: string}}}"): 14}},
	{"number", []string{documentOfBody("{a: {gt: -1, lt: 1.5e3}}")}, map[string]int{documentOfBody("{a: {gt: one}}"): 14, documentOfBody("{a: {gt: '1'}}"): 14}},
	{"inline-assertion", []string{documentOfStep(stepOf("") + "- id: b\n  assertion: {source: \"{{a.response}}\", any: {path: 'x[*]', match: {a: 1}}, all: {path: x, match: {}}, none: {path: x, match: {b: 1}}}")}, map[string]int{documentOfStep(stepOf("") + "- id: b\n  assertion: {source: \"{{a.response}}\", match: x}"): 15}},
	{"named-assertion", []string{documentOfStep(stepOf("  assertions: [{id: i, description: d, source: a.response, path: 'x[0].y', match: {type: string}, any: {path: x, match: {}}, all: {path: x, match: {}}, none: {path: x, match: {}}}]"))}, map[string]int{documentOfStep(stepOf("  assertions: [{path: x}]")): 14, documentOfStep(stepOf("  assertions: [{source: b.response}]")): 14, documentOfStep(stepOf("  assertions: [{source: a.response, path: 'x[*]'}]")): 14}},
	{"collection-match", []string{documentOfStep(stepOf("  assertions: [{source: a, any: {path: 'x[*].y[0]', match: {z: {type: string}}}}]"))}, map[string]int{documentOfStep(stepOf("  assertions: [{source: a, any: {path: 'x[*'}}]")): 14, documentOfStep(stepOf("  assertions: [{source: a, any: {match: {}}}]")): 14}},
	{"repeat-config", []string{documentOfStep(stepOf("  repeat: {until: 'a.b == c', max_attempts: 3, delay_ms: 10, backoff: linear}")), documentOfStep(stepOf("  repeat: {until: 'a in [b, \"c\", 3]', backoff: exponential}")), documentOfStep(stepOf("  repeat: {until: 'a != null', backoff: none}"))},
		map[string]int{documentOfStep(stepOf("  repeat: {max_attempts: 3}")): 14, documentOfStep(stepOf("  repeat: {until: done}")): 14, documentOfStep(stepOf("  repeat: {until: a == b, backoff: random}")): 14, documentOfStep(stepOf("  repeat: {until: a == b, max_attempts: 0}")): 14, documentOfStep(stepOf("  repeat: {until: 'a in b'}")): 14}},
	{"sut-behaviors", []string{"acts_version: \"1.0\"\nbehaviors: [{prefix: p, description: d}]"}, map[string]int{"behaviors: [{prefix: p, description: d}]": 1, "acts_version: \"1.0\"\nbehaviors: []": 2}},
	{"behavior", []string{"acts_version: \"1.0\"\nbehaviors: [{prefix: p, description: d, response_type: task, terminal_state: s, artifacts: [{text: x}], delay_ms: 1, streaming: true}]"}, map[string]int{"acts_version: \"1.0\"\nbehaviors: [{prefix: p}]": 2, "acts_version: \"1.0\"\nbehaviors: [{prefix: p, description: d, response_type: t}]": 2}},
	{"artifact-spec", []string{"acts_version: \"1.0\"\nbehaviors: [{prefix: p, description: d, artifacts: [{text: x, data: {}, file: {name: n, mediaType: m}, fileUrl: {url: u, name: n, mediaType: m}}]}]"}, map[string]int{"acts_version: \"1.0\"\nbehaviors: [{prefix: p, description: d, artifacts: [{file: {name: n}}]}]": 2, "acts_version: \"1.0\"\nbehaviors: [{prefix: p, description: d, artifacts: [{image: x}]}]": 2}},
}

// documentOfStream returns a document with a step that opens a stream and has the expectation in line 14.
func documentOfStream(expectation string) string {
	return documentOfStep("- id: a\n  operation: subscribe_to_task\n  params: {id: x}\n  expect_stream: " + expectation)
}

// documentOfBody returns a document with a step that has the body in line 14.
func documentOfBody(body string) string {
	return documentOfStep(stepOf("  expect: {body: " + body + "}"))
}

// documentOfTransport returns a document with a test of one transport.
func documentOfTransport(steps string) string {
	return headOfTests + headOfTest + "        transport: [jsonrpc]\n        steps:\n" + indentLines(steps, 10)
}

// listOperations returns a step for each operation of the grammar.
func listOperations() string {
	var b strings.Builder
	for i, name := range operationNames {
		fmt.Fprintf(&b, "- id: a%d\n  operation: %s\n  params: {}\n", i, name)
	}
	return b.String()
}

// appendixRules are the rules of appendix A of the draft, but for those about reports.
const appendixRules = `a2a-error-type abstract-operation acts-document artifact-spec assertion assertion-object assertion-step behavior client-response client-step collection-match conformance-level event-assertion exact-match expect-block expect-error expect-stream inline-assertion metadata named-assertion number ordering-rule part preconditions raw-step repeat-config request-params runner-requirement server-step step suite sut-behaviors test transport-binding`

func TestGrammar(t *testing.T) {
	var rules []string
	for _, p := range productions {
		rules = append(rules, p.rule)
	}
	slices.Sort(rules)
	if want := strings.Fields(appendixRules); !slices.Equal(rules, want) {
		t.Errorf("got the rules %v, want %v", rules, want)
	}
	for _, p := range productions {
		if len(p.follows) == 0 || len(p.breaks) == 0 {
			t.Errorf("%s lacks a test", p.rule)
		}
		for _, text := range p.follows {
			set, err := readText(text, Options{Strict: true})
			if err != nil {
				t.Errorf("%s: %v\n%s", p.rule, err, text)
				continue
			}
			for _, n := range set.Notices {
				if !findForm(n.Form).Grammatical {
					t.Errorf("%s: got a notice about %s", p.rule, n.Form)
				}
			}
		}
		for text, line := range p.breaks {
			_, err := readText(text, Options{Strict: true})
			if err == nil {
				t.Errorf("%s: this was accepted:\n%s", p.rule, text)
			} else if place := fmt.Sprintf("f.yaml:%d: ", line); !strings.HasPrefix(err.Error(), place) {
				t.Errorf("%s: got %v, want it at %s\n%s", p.rule, err, place, text)
			}
		}
	}
}

// TestFormsBeyondTheGrammar: each form is accepted with a notice, and refused in the strict mode unless the grammar
// has it.
func TestFormsBeyondTheGrammar(t *testing.T) {
	documents := map[string]string{
		formErrorCode: documentOfStep(stepOf("  expect_error: {code: TaskNotFoundError}")), formErrorUntyped: documentOfStep(stepOf("  expect_error: {message: x}")),
		formErrorData: documentOfStep(stepOf("  expect_error: {error_type: InternalError, data: {type: object}}")), formOperationName: documentOfStep("- id: a\n  operation: delete_push_notification_config\n  params: {}"),
		formItems: documentOfBody("{a: {type: array, items: {id: {exists: true}}}}"), formEmptyList: documentOfTest("requires_behaviors: []"), formBareExpect: documentOfStep(stepOf("  expect: {task: {id: x}}")),
		formStatusError: documentOfStep(stepOf("  expect: {status: error}")), formBodyOperators: documentOfBody("{any_of: [{a: 1}]}"), formOneOfAssertions: documentOfBody("{a: {one_of: [{b: 1}, {c: 1}]}}"),
		formRawStream: documentOfTransport("- id: a\n  raw: {method: GET, path: /x}\n  expect_stream: {min_count: 1}"), formUndefinedVariable: documentOfBody("{a: \"{{nothing}}\"}"),
		formExtendedCard: documentOfStep("- id: a\n  operation: get_agent_card\n  params: {extended: true}"), formMessageIDs: documentOfStep("- id: a\n  operation: send_message\n  params: {taskId: t, message: {role: R, parts: [{text: x}]}}"),
		formEmptyValue:  documentOfBody("{a: }"),
		formBareEvent:   documentOfStream("{final_event: {status: {state: x}}}"),
		formUnknownName: documentOfStep("- id: a\n  operation: get_task\n  params: {id: x, verbose: true}"),
		formWebhook:     documentOfStep("- id: a\n  operation: create_push_config\n  params: {taskId: t, pushNotificationConfig: {url: 'https://example.com/'}}"),
	}
	for _, f := range Forms {
		text, ok := documents[f.Name]
		if !ok {
			t.Errorf("%s lacks a test", f.Name)
			continue
		}
		set, err := readText(text, Options{})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if !slices.ContainsFunc(set.Notices, func(n Notice) bool { return n.Form == f.Name && n.Line > 0 && n.File == "f.yaml" }) {
			t.Errorf("%s: got the notices %v", f.Name, set.Notices)
		}
		if _, err := readText(text, Options{Strict: true}); (err == nil) != f.Grammatical {
			t.Errorf("%s in the strict mode: got %v", f.Name, err)
		}
	}
}

// TestLiteralKeys: --literal makes a member of what is an operator, or like one.
func TestLiteralKeys(t *testing.T) {
	for text, key := range map[string]string{"{a: {contians: x}}": "contians", "{a: {type: string, other: x}}": "type", "{count: 3, other: x}": "count", "{a: {time: x}}": "time"} {
		if _, err := readText(documentOfBody(text), Options{}); err == nil || !strings.Contains(err.Error(), "--literal") {
			t.Errorf("%s: got %v", text, err)
		}
		set, err := readText(documentOfBody(text), Options{Literal: []string{key}})
		if err != nil {
			t.Errorf("%s with --literal %s: %v", text, key, err)
			continue
		}
		if body := set.Tests()[0].Steps[0].Expect.Body; body.Kind != Members {
			t.Errorf("%s: got %v", text, body)
		}
	}
}

// TestMembersOfA2AAreNoMisspelling: no member that A2A has is taken for a misspelt operator.
func TestMembersOfA2AAreNoMisspelling(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "schema", "a2a-1.0", "a2a.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	count := 0
	var look func(any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			names, _ := v["properties"].(map[string]any)
			for name := range names {
				count++
				if op := likeOperator(name); op != "" && operators[name] != typeOperand {
					t.Errorf("%s is like %s", name, op)
				}
			}
			for _, e := range v {
				look(e)
			}
		}
	}
	look(root)
	if count < 100 {
		t.Errorf("got %d members", count)
	}
}

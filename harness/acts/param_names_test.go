package acts

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNamesOfParams: the names of parameters are those of the schema of A2A, and what the grammar has in their place.
func TestNamesOfParams(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "schema", "a2a-1.0", "a2a.json"))
	if err != nil {
		t.Fatal(err)
	}
	var shapes struct {
		Definitions map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &shapes); err != nil {
		t.Fatal(err)
	}
	grammar := strings.Fields("taskId contextId cursor pushNotificationConfig extended file")
	for definition, known := range map[string][]string{
		"Message": messageNames, "Part": partNames, "SendMessageConfiguration": configurationNames, "TaskPushNotificationConfig": webhookNames,
		"SendMessageRequest": paramNames["send_message"], "GetTaskRequest": paramNames["get_task"], "ListTasksRequest": paramNames["list_tasks"], "CancelTaskRequest": paramNames["cancel_task"],
		"SubscribeToTaskRequest": paramNames["subscribe_to_task"], "GetExtendedAgentCardRequest": paramNames["get_extended_agent_card"], "GetTaskPushNotificationConfigRequest": paramNames["get_push_config"],
		"ListTaskPushNotificationConfigsRequest": paramNames["list_push_configs"], "DeleteTaskPushNotificationConfigRequest": paramNames["delete_push_config"],
	} {
		has := shapes.Definitions[definition].Properties
		if len(has) == 0 {
			t.Errorf("the schema has no %s", definition)
		}
		for name := range has {
			if !slices.Contains(known, name) {
				t.Errorf("%s has %s, which is not known", definition, name)
			}
		}
		for _, name := range known {
			if has[name] == nil && !slices.Contains(grammar, name) {
				t.Errorf("%s has no %s", definition, name)
			}
		}
	}
	for _, op := range operationNames {
		if len(paramNames[op]) == 0 {
			t.Errorf("%s has no parameters", op)
		}
	}
}

// TestMisspeltNames: a name of parameters that A2A does not have is noted in its line, with the name that it is like; in the
// strict mode a misspelt one is refused, unless it is literal.
func TestMisspeltNames(t *testing.T) {
	step := func(operation, params string) string {
		return documentOfStep("- id: a\n  operation: " + operation + "\n  params: " + params)
	}
	for text, hint := range map[string]string{
		step("get_task", "{taskId: x}"):                                                                   "A2A has id, historyLength",
		step("get_task", "{id: x, historyLenght: 1}"):                                                     "did you mean historyLength?",
		step("send_message", "{message: {role: ROLE_USER, parts: [{text: x}], mesageId: y}}"):             "did you mean messageId?",
		step("send_message", "{message: {role: ROLE_USER, parts: [{Text: x}]}}"):                          "did you mean text?",
		step("send_message", "{mesage: {role: ROLE_USER}}"):                                               "did you mean message?",
		step("send_message", "{message: {role: R, parts: [{text: x}]}, configuration: {history: 3}}"):     "A2A has returnImmediately",
		step("create_push_config", "{taskId: t, pushNotificationConfig: {urll: \"{{webhookUrl}}\"}}"):     "did you mean url?",
		step("list_tasks", "{contextID: x}"):                                                              "did you mean contextId?",
		step("send_message", "{message: {role: R, parts: [{text: x}]}, configuration: {blockin: false}}"): "A2A has returnImmediately",
	} {
		set, err := readText(text, Options{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if len(set.Notices) != 1 || set.Notices[0].Line != 13 || set.Notices[0].Form != formUnknownName || !strings.Contains(set.Notices[0].Text, hint) {
			t.Errorf("%s: got %+v, want %s", text, set.Notices, hint)
		}
		_, err = readText(text, Options{Strict: true})
		if misspelt := strings.HasPrefix(hint, "did you mean"); (err != nil) != misspelt || misspelt && !strings.Contains(err.Error(), "f.yaml:13: ") {
			t.Errorf("%s in the strict mode: got %v", text, err)
		}
	}
	text := step("list_tasks", "{contextID: x}")
	if set, err := readText(text, Options{Strict: true, Literal: []string{"contextID"}}); err != nil || len(set.Notices) > 0 {
		t.Errorf("a literal name: got %v", err)
	}
}

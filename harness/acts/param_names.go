package acts

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

// The names that A2A 1.0 has for members of messages, their parts and what goes with them, and those of the grammar.
var (
	messageNames       = []string{"role", "parts", "messageId", "taskId", "contextId", "metadata", "extensions", "referenceTaskIds"}
	partNames          = []string{"text", "data", "raw", "url", "filename", "mediaType", "metadata", "file"}
	configurationNames = []string{"returnImmediately", "historyLength", "acceptedOutputModes", "taskPushNotificationConfig"}
	webhookNames       = []string{"url", "id", "token", "authentication", "taskId", "tenant"}
)

// paramNames are the names of the parameters of each operation: those of A2A 1.0, and those of the grammar that stand for
// them.
var paramNames = map[string][]string{
	"send_message":            {"message", "configuration", "metadata", "tenant", "taskId", "contextId"},
	"send_streaming_message":  {"message", "configuration", "metadata", "tenant", "taskId", "contextId"},
	"get_task":                {"id", "historyLength", "tenant"},
	"list_tasks":              {"contextId", "status", "pageSize", "pageToken", "cursor", "historyLength", "statusTimestampAfter", "includeArtifacts", "tenant"},
	"cancel_task":             {"id", "metadata", "tenant"},
	"subscribe_to_task":       {"id", "tenant"},
	"get_agent_card":          {"extended"},
	"get_extended_agent_card": {"tenant"},
	"create_push_config":      append([]string{"pushNotificationConfig"}, webhookNames...),
	"get_push_config":         {"taskId", "id", "tenant"},
	"list_push_configs":       {"taskId", "pageSize", "pageToken", "tenant"},
	"delete_push_config":      {"taskId", "id", "tenant"},
}

// checkNames reports members of parameters whose names A2A does not have: the grammar permits any, so that a misspelt one would
// pass. In the strict mode what is like a known name is refused.
func (r *reader) checkNames(members []member, what string, known []string) {
	if len(known) == 0 {
		return // the operation is unknown, which is reported
	}
	for _, m := range members {
		name := m.key.Value
		if slices.Contains(known, name) || slices.Contains(r.options.Literal, name) {
			continue
		}
		near := findMisspelt(name, known)
		if near != "" && r.options.Strict {
			r.addFault(m.key, "%s has the member %s; did you mean %s? If the call is to have a member of that name, give --literal %s", what, quoteShort(name), near, quoteIfOdd(name))
			continue
		}
		hint := ""
		switch {
		case near != "":
			hint = "; did you mean " + near + "?"
		case len(known) <= 10:
			hint = "; A2A has " + strings.Join(known, ", ")
		}
		r.noteFormAs(m.key, formUnknownName, fmt.Sprintf("%s has the member %s, of which A2A knows nothing; it is sent as it is written%s", what, quoteShort(name), hint))
	}
}

// checkWebhookNames reports names that a push configuration does not have.
func (r *reader) checkWebhookNames(n *yaml.Node, what string) {
	if followAlias(n).Kind != yaml.MappingNode {
		return // any value may be sent
	}
	if members, ok := r.readMembers(n, what); ok {
		r.checkNames(members, what, webhookNames)
	}
}

// findMisspelt returns the known name of which another one may be a misspelling: in other cases of letters, or with at most
// two edits, fewer if it is short; "" if there is none.
func findMisspelt(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if n := schema.EditDistance(strings.ToLower(name), strings.ToLower(k)); n < least && n <= min(len(k)/3, 2) {
			best, least = k, n
		}
	}
	return best
}

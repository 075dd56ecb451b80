package acts

import (
	"maps"
	"net/url"
)

// wireOperations are the operations of the grammar in the words of a dialect. The agent card is fetched otherwise.
var wireOperations = map[string]string{
	"send_message": "send", "send_streaming_message": "stream", "get_task": "get", "list_tasks": "list", "cancel_task": "cancel",
	"subscribe_to_task": "resubscribe", "get_extended_agent_card": "extended-card",
	"create_push_config": "push-set", "get_push_config": "push-get", "list_push_configs": "push-list", "delete_push_config": "push-delete",
}

// convertParams returns the parameters of an operation as A2A 1.0 has them. Those of a document are in the abstract
// model of the draft, which differs in a few places.
func convertParams(operation string, params map[string]any, newMessageID func() string) map[string]any {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]any{}
	}
	switch operation {
	case "send_message", "send_streaming_message":
		message, ok := out["message"].(map[string]any)
		if !ok {
			return out
		}
		message = maps.Clone(message)
		for _, key := range []string{"taskId", "contextId"} {
			if value, given := out[key]; given {
				delete(out, key)
				if _, has := message[key]; !has {
					message[key] = value
				}
			}
		}
		if _, has := message["messageId"]; !has {
			message["messageId"] = newMessageID()
		}
		if parts, ok := message["parts"].([]any); ok {
			message["parts"] = convertParts(parts)
		}
		out["message"] = message
	case "list_tasks":
		renameMember(out, "cursor", "pageToken")
	case "create_push_config":
		if config, ok := out["pushNotificationConfig"].(map[string]any); ok {
			delete(out, "pushNotificationConfig")
			for key, value := range config {
				if _, has := out[key]; !has {
					out[key] = value
				}
			}
		}
	}
	return out
}

// renameMember renames a member unless one of the new name is there.
func renameMember(object map[string]any, from, to string) {
	value, has := object[from]
	if _, taken := object[to]; has && !taken {
		delete(object, from)
		object[to] = value
	}
}

// convertParts returns the parts of a message with files as A2A 1.0 has them.
func convertParts(parts []any) []any {
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = p
		part, ok := p.(map[string]any)
		if !ok {
			continue
		}
		file, ok := part["file"].(map[string]any)
		if !ok {
			continue
		}
		part = maps.Clone(part)
		delete(part, "file")
		for key, value := range file {
			if key == "name" {
				key = "filename"
			}
			if _, has := part[key]; !has {
				part[key] = value
			}
		}
		out[i] = part
	}
	return out
}

// replaceForeignWebhooks puts our webhook in the place of those of other hosts, unless the operator has named that host
// as his own.
func replaceForeignWebhooks(value any, whole bool, ours, named string) {
	host := hostOf(named)
	findWebhooks(value, whole, func(config map[string]any) {
		text, ok := config["url"].(string)
		if ok && hostOf(text) != "" && text != ours && (host == "" || hostOf(text) != host) {
			config["url"] = ours
		}
	})
}

// hostOf returns the host of a URL, "" if it has none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

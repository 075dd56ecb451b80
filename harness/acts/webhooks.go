package acts

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// findWebhooks calls visit with each push configuration in a value: what is the value of a key such as
// pushNotificationConfig, the parameters of a raw call that sets one and, if whole is set, the value itself.
func findWebhooks(value any, whole bool, visit func(config map[string]any)) {
	switch value := value.(type) {
	case []any:
		for _, e := range value {
			findWebhooks(e, false, visit)
		}
	case map[string]any:
		if whole {
			visit(value)
		}
		method, _ := value["method"].(string)
		for key, v := range value {
			sets := strings.HasSuffix(strings.ToLower(key), "pushnotificationconfig") || key == "params" && strings.HasSuffix(method, "PushNotificationConfig")
			findWebhooks(v, sets, visit)
		}
	}
}

// configuresWebhook reports whether the body of a raw request is a push configuration, as HTTP+JSON has it.
func (raw *Raw) configuresWebhook() bool { return strings.Contains(raw.Path, "/pushNotification") }

// noteWebhooks records that a push configuration names another host than ours.
func (r *reader) noteWebhooks(n *yaml.Node, value any, whole bool) {
	found := false
	findWebhooks(value, whole, func(config map[string]any) {
		url, ok := config["url"].(string)
		found = found || ok && url != "" && url != "{{"+webhookVariable+"}}"
	})
	if found {
		r.noteForm(n, formWebhook, "")
	}
}

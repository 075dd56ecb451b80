package dialect

import (
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

// ClientStyle is how a client in use writes its calls, in what means the same to every server. A run
// takes one of them, so that a server does not know the suite by a form of its own.
type ClientStyle struct {
	// Order lists the members of an object by the name under which it is found, in the
	// order in which they are written; those that are not listed follow by their alphabet.
	Order map[string][]string
	// Query lists the names in the query of a URL; if it is empty, they stand by their alphabet.
	Query []string
	// Timed states that the ids of messages are UUIDs of version 7, which begin with the time.
	Timed bool
}

// DrawHand returns the number of the hand in which a run writes, negative for none.
func DrawHand(ids operator.Naming) int {
	if !ids.Varies() {
		return -1
	}
	return ids.Choose(1<<16, "hand")
}

// Hand returns the one that a number represents if calls travel in a binding of that kind. A
// negative number represents none: members by their alphabet, and random ids.
func (w *Writer) Hand(kind string, number int) ClientStyle {
	if w == nil || number < 0 || len(w.Hands[kind]) == 0 {
		return ClientStyle{}
	}
	return w.Hands[kind][number%len(w.Hands[kind])]
}

// clientStyles03 are those of the SDKs for Go and JavaScript that speak A2A 0.3. The one for Go has
// params in maps, which it writes by their alphabet.
var clientStyles03 = map[string][]ClientStyle{
	schema.KindJSONRPC: {
		{Timed: true, Order: map[string][]string{
			"message": {"kind", "messageId"}, "parts": {"kind"}, "file": {"mimeType", "name"},
		}},
		{Order: map[string][]string{
			"params":                 {"taskId", "id", "sessionId", "message", "configuration", "historyLength", "pushNotificationConfigId"},
			"message":                {"kind", "messageId", "role", "parts", "taskId", "contextId"},
			"parts":                  {"kind", "type"},
			"file":                   {"name", "mimeType"},
			"configuration":          {"acceptedOutputModes", "blocking"},
			"pushNotificationConfig": {"id", "url", "token"},
			"pushNotification":       {"id", "url", "token"},
			"authentication":         {"schemes"},
		}},
	},
	schema.KindREST: {{Order: map[string][]string{
		"params":                 {"name", "message", "configuration"},
		"message":                {"messageId", "contextId", "taskId", "role", "content"},
		"pushNotificationConfig": {"id", "url", "token"},
		"pushNotification":       {"id", "url", "token"},
		"authentication":         {"schemes"},
	}}},
	schema.KindGRPC: grpcStyles,
}

// grpcStyles are the hands of the same SDKs if protobuf decides the order of fields.
var grpcStyles = []ClientStyle{{Timed: true}, {}}

// clientStyles10 are those of the SDKs for Go and JavaScript that speak A2A 1.0, which write alike in
// both bindings.
var clientStyles10 = map[string][]ClientStyle{schema.KindJSONRPC: jsonStyles10, schema.KindREST: jsonStyles10, schema.KindGRPC: grpcStyles}

var jsonStyles10 = []ClientStyle{
	{Timed: true, Order: map[string][]string{
		"params":                     {"tenant", "taskId", "id", "contextId", "status", "pageSize", "pageToken", "historyLength", "statusTimestampAfter", "includeArtifacts", "authentication", "token", "url"},
		"message":                    {"messageId"},
		"parts":                      {"text", "raw", "url", "data", "filename", "mediaType", "metadata"},
		"configuration":              {"acceptedOutputModes", "returnImmediately", "historyLength", "taskPushNotificationConfig"},
		"taskPushNotificationConfig": {"tenant", "taskId", "id"},
	}},
	{Query: []string{"contextId", "status", "pageSize", "pageToken", "historyLength", "statusTimestampAfter", "includeArtifacts"}, Order: map[string][]string{
		"params":                     {"tenant", "taskId", "id", "message", "contextId", "status", "pageSize", "pageToken", "historyLength", "statusTimestampAfter", "includeArtifacts", "configuration", "url", "token"},
		"message":                    {"messageId", "contextId", "taskId", "role", "parts"},
		"parts":                      {"text", "raw", "url", "data", "metadata", "filename"},
		"configuration":              {"acceptedOutputModes", "taskPushNotificationConfig", "historyLength"},
		"taskPushNotificationConfig": {"tenant", "id", "taskId", "url", "token"},
		"authentication":             {"scheme"},
	}},
}

package dialect

import (
	"maps"
	"net/http"
	"strconv"
	"time"
)

// jaf03 writes JAF A2A 0.3.0: the server makes the task's id, the client names
// message and context, parts are distinguished by "kind".
var jaf03 = &Writer{
	Hands:    clientStyles03,
	DataMode: "data",
	Waits:    true,
	Allow: func(d time.Duration) http.Header {
		return http.Header{"X-A2a-Timeout": {strconv.FormatInt(d.Milliseconds(), 10)}}
	},
	Within: func(params map[string]any, d time.Duration) {
		params["configuration"] = map[string]any{"timeout": d.Milliseconds()}
	},
	Params: map[string]func(Outgoing) map[string]any{
		"send":   jaf03Send,
		"stream": jaf03Send,
		"get":    jaf03Query,
		"cancel": func(o Outgoing) map[string]any {
			params := jaf03Query(o)
			setMemberUnlessZero(params, "reason", o.Reason)
			return params
		},
	},
	TextPart: a2a03TextPart,
	DataPart: a2a03DataPart,
	Kitchen: func(o Outgoing) []Optional {
		metadata := func(members map[string]any) func(map[string]any) {
			return func(p map[string]any) {
				all, _ := messageOf(p)["metadata"].(map[string]any)
				if all == nil {
					all = map[string]any{}
				}
				maps.Copy(all, members)
				messageOf(p)["metadata"] = all
			}
		}
		return []Optional{
			{"configuration", func(p map[string]any) {
				p["configuration"] = map[string]any{"maxTurns": 10, "timeout": 30000, "priority": "normal"}
			}},
			{"metadata", metadata(map[string]any{"priority": "high", "tags": []any{"urgent", "customer-facing"}, "userId": "user-123",
				"sessionInfo": map[string]any{"userAgent": "client/1.0", "ipAddress": "192.0.2.1"}})},
			{"metadata-unknown", metadata(map[string]any{"x-unknown": map[string]any{"deep": []any{1, nil, true}}})},
			{"timestamp", func(p map[string]any) { messageOf(p)["timestamp"] = "2024-03-15T14:30:00Z" }},
			{"several-parts", func(p map[string]any) { addParts(p, a2a03TextPart("and"), a2a03TextPart("more")) }},
		}
	},
	Data: a2a03SampleDataPart,
}

func jaf03Send(o Outgoing) map[string]any {
	params := map[string]any{"message": map[string]any{
		"role": "user", "parts": partsOf(o, a2a03TextPart), "messageId": o.Message, "contextId": o.Context, "kind": "message",
	}}
	setMemberUnlessZero(params, "metadata", o.Metadata)
	return params
}

func jaf03Query(o Outgoing) map[string]any { return map[string]any{"id": o.Task} }

package reference

import (
	"net/http"
	"strings"
)

// onDocument edits one of the documents.
func onDocument(name string, edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.document == name {
			edit(x)
		}
	}
}

// onAgentCard sets one member of the server's card and of every agent's.
func onAgentCard(path string, value any) func(*reply) {
	return func(x *reply) {
		if x.document == "card" || x.document == "agent card" {
			replace(x.body, path, value)
		}
	}
}

var jaf03DiscoveryMutants = inArea("discovery",
	mutant{name: "default-endpoint-missing", area: "transport", summary: "Nothing listens at /a2a.",
		reply: func(x *reply) {
			if x.document == "" && x.http.URL.Path == "/a2a" {
				x.blank(http.StatusNotFound, "text/plain")
			}
		}},
	mutant{name: "agent-endpoint-missing", area: "transport", summary: "The second agent's endpoint takes no POST.",
		reply: func(x *reply) {
			if x.document == "" && x.http.PathValue("name") == jaf03Agents[1].name {
				x.blank(http.StatusMethodNotAllowed, "text/plain")
			}
		}},
	mutant{name: "result-as-text", area: "transport", summary: "The results of tasks/get are sent as text/plain.",
		reply: answering("tasks/get", func(x *reply) {
			if has(x.body, "result") {
				x.header.Set("Content-Type", "text/plain")
			}
		})},
	mutant{name: "reply-in-latin1", area: "transport", summary: "An echoed ü is sent as the single byte of ISO 8859-1.",
		reply: func(x *reply) {
			if raw := string(encode(x.body)); x.document == "" && strings.Contains(raw, "ü") {
				x.raw = []byte(strings.ReplaceAll(raw, "ü", "\xfc"))
			}
		}},
	mutant{name: "request-misdecoded", area: "transport", summary: "A contextId beyond ASCII comes back garbled.",
		call: misread("message/send", func(body any) {
			if s := text(body, "params/message/contextId"); strings.Contains(s, "é") {
				put(body, "params/message/contextId", strings.ReplaceAll(s, "é", "Ã©"))
			}
		})},
	mutant{name: "charset-latin1", area: "transport", summary: "The results of tasks/get are labelled as ISO 8859-1.",
		reply: answering("tasks/get", func(x *reply) { x.header.Set("Content-Type", "application/json; charset=iso-8859-1") })},

	mutant{name: "card-at-other-path", summary: "The card is served at /.well-known/agent.json only.",
		reply: func(x *reply) {
			switch x.document {
			case "card":
				x.blank(http.StatusNotFound, "text/plain")
			case "stray card":
				x.status, x.body = http.StatusOK, generic(jaf03Server{Server: x.server}.card(jaf03Agents[0], "/a2a"))
			}
		}},
	mutant{name: "card-as-octets", summary: "The card is served as application/octet-stream.",
		reply: onDocument("card", func(x *reply) { x.header.Set("Content-Type", "application/octet-stream") })},
	mutant{name: "agent-cards-missing", summary: "Only the server's card exists.",
		reply: onDocument("agent card", func(x *reply) { x.blank(http.StatusNotFound, "text/plain") })},
	mutant{name: "agent-card-name-fixed", summary: "Every agent's card carries the first agent's name.",
		reply: onDocument("agent card", func(x *reply) { swap(x.body, "name", jaf03Agents[1].name, jaf03Agents[0].name) })},
	mutant{name: "health-missing", summary: "There is no health check.",
		reply: onDocument("health", func(x *reply) { x.blank(http.StatusNotFound, "text/plain") })},
	mutant{name: "health-as-html", summary: "The health check answers with a page.",
		reply: onDocument("health", func(x *reply) {
			x.blank(http.StatusOK, "text/html")
			x.raw = []byte("<p>OK</p>")
		})},
	mutant{name: "agents-empty", summary: "The list of agents has no body.",
		reply: onDocument("agents", func(x *reply) { x.blank(http.StatusOK, "application/json") })},
	mutant{name: "agent-info-missing", summary: "Information about an agent is not served.",
		reply: onDocument("agent", func(x *reply) {
			if x.status == http.StatusOK {
				x.blank(http.StatusMethodNotAllowed, "text/plain")
			}
		})},
	mutant{name: "agent-info-generic", summary: "The information about an agent does not name it.",
		reply: onDocument("agent", func(x *reply) {
			if x.status == http.StatusOK {
				x.body = map[string]any{"description": "A server with agents."}
			}
		})},
	mutant{name: "unknown-agent-described", summary: "Any name gets a made-up description.",
		reply: onDocument("agent", func(x *reply) {
			if x.status == http.StatusNotFound {
				x.status, x.body = http.StatusOK, map[string]any{"name": x.http.PathValue("name"), "description": "An agent."}
			}
		})},
	mutant{name: "unknown-agent-card", summary: "An unknown name gets the first agent's card.",
		reply: onDocument("agent card", func(x *reply) {
			if x.status == http.StatusNotFound {
				x.status, x.body = http.StatusOK, generic(jaf03Server{Server: x.server}.card(jaf03Agents[0], "/a2a"))
			}
		})},
	mutant{name: "agent-card-url-elsewhere", summary: "The url of an agent's card answers with 404.",
		reply: onDocument("agent card", func(x *reply) { replace(x.body, "url", x.server.url+"/elsewhere") })},

	mutant{name: "card-url-relative", area: "card", summary: "The card's url is a path.",
		reply: onDocument("card", func(x *reply) { put(x.body, "url", "/a2a") })},
	mutant{name: "card-skill-ids-equal", area: "card", summary: "Two skills share one id.",
		reply: func(x *reply) {
			if skills, ok := at(x.body, "skills").([]any); ok {
				put(x.body, "skills", append(skills, skills[0]))
			}
		}},
	mutant{name: "card-scheme-homemade", area: "card", summary: "The card lists an authentication scheme nobody knows.",
		reply: onAgentCard("authentication/schemes", []any{"bearer", "magic-cookie"})},
)

package jaf03

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// onAgentCard sets one member of the server's card and of every agent's.
func onAgentCard(path string, value any) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Document == "card" || x.Document == "agent card" {
			front.Replace(x.Body, path, value)
		}
	}
}

var discoveryMutants = front.InArea("discovery",
	front.Mutant{Name: "default-endpoint-missing", Area: "transport", Summary: "Nothing listens at /a2a.",
		Reply: func(x *front.Reply) {
			if x.Document == "" && x.Http.URL.Path == "/a2a" {
				x.Blank(http.StatusNotFound, "text/plain")
			}
		}},
	front.Mutant{Name: "agent-endpoint-missing", Area: "transport", Summary: "The second agent's endpoint takes no POST.",
		Reply: func(x *front.Reply) {
			if x.Document == "" && x.Http.PathValue("name") == agents[1].name {
				x.Blank(http.StatusMethodNotAllowed, "text/plain")
			}
		}},
	front.Mutant{Name: "result-as-text", Area: "transport", Summary: "The results of tasks/get are sent as text/plain.",
		Reply: front.Answering("tasks/get", func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				x.Header.Set("Content-Type", "text/plain")
			}
		})},
	front.Mutant{Name: "reply-in-latin1", Area: "transport", Summary: "An echoed ü is sent as the single byte of ISO 8859-1.",
		Reply: func(x *front.Reply) {
			if raw := string(front.Encode(x.Body)); x.Document == "" && strings.Contains(raw, "ü") {
				x.Raw = []byte(strings.ReplaceAll(raw, "ü", "\xfc"))
			}
		}},
	front.Mutant{Name: "request-misdecoded", Area: "transport", Summary: "A contextId beyond ASCII comes back garbled.",
		Call: front.Misread("message/send", func(body any) {
			if s := front.Text(body, "params/message/contextId"); strings.Contains(s, "é") {
				front.Put(body, "params/message/contextId", strings.ReplaceAll(s, "é", "Ã©"))
			}
		})},
	front.Mutant{Name: "charset-latin1", Area: "transport", Summary: "The results of tasks/get are labelled as ISO 8859-1.",
		Reply: front.Answering("tasks/get", func(x *front.Reply) { x.Header.Set("Content-Type", "application/json; charset=iso-8859-1") })},

	front.Mutant{Name: "card-at-other-path", Summary: "The card is served at /.well-known/agent.json only.",
		Reply: func(x *front.Reply) {
			switch x.Document {
			case "card":
				x.Blank(http.StatusNotFound, "text/plain")
			case "stray card":
				x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card(agents[0], "/a2a"))
			}
		}},
	front.Mutant{Name: "card-as-octets", Summary: "The card is served as application/octet-stream.",
		Reply: front.OnDocument("card", func(x *front.Reply) { x.Header.Set("Content-Type", "application/octet-stream") })},
	front.Mutant{Name: "agent-cards-missing", Summary: "Only the server's card exists.",
		Reply: front.OnDocument("agent card", func(x *front.Reply) { x.Blank(http.StatusNotFound, "text/plain") })},
	front.Mutant{Name: "agent-card-name-fixed", Summary: "Every agent's card carries the first agent's name.",
		Reply: front.OnDocument("agent card", func(x *front.Reply) { front.Swap(x.Body, "name", agents[1].name, agents[0].name) })},
	front.Mutant{Name: "health-missing", Summary: "There is no health check.",
		Reply: front.OnDocument("health", func(x *front.Reply) { x.Blank(http.StatusNotFound, "text/plain") })},
	front.Mutant{Name: "health-as-html", Summary: "The health check answers with a page.",
		Reply: front.OnDocument("health", func(x *front.Reply) {
			x.Blank(http.StatusOK, "text/html")
			x.Raw = []byte("<p>OK</p>")
		})},
	front.Mutant{Name: "agents-empty", Summary: "The list of agents has no body.",
		Reply: front.OnDocument("agents", func(x *front.Reply) { x.Blank(http.StatusOK, "application/json") })},
	front.Mutant{Name: "agent-info-missing", Summary: "Information about an agent is not served.",
		Reply: front.OnDocument("agent", func(x *front.Reply) {
			if x.Status == http.StatusOK {
				x.Blank(http.StatusMethodNotAllowed, "text/plain")
			}
		})},
	front.Mutant{Name: "agent-info-generic", Summary: "The information about an agent does not name it.",
		Reply: front.OnDocument("agent", func(x *front.Reply) {
			if x.Status == http.StatusOK {
				x.Body = map[string]any{"description": "A server with agents."}
			}
		})},
	front.Mutant{Name: "unknown-agent-described", Summary: "Any name gets a made-up description.",
		Reply: front.OnDocument("agent", func(x *front.Reply) {
			if x.Status == http.StatusNotFound {
				x.Status, x.Body = http.StatusOK, map[string]any{"name": x.Http.PathValue("name"), "description": "An agent."}
			}
		})},
	front.Mutant{Name: "unknown-agent-card", Summary: "An unknown name gets the first agent's card.",
		Reply: front.OnDocument("agent card", func(x *front.Reply) {
			if x.Status == http.StatusNotFound {
				x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card(agents[0], "/a2a"))
			}
		})},
	front.Mutant{Name: "agent-card-url-elsewhere", Summary: "The url of an agent's card answers with 404.",
		Reply: front.OnDocument("agent card", func(x *front.Reply) { front.Replace(x.Body, "url", x.Server.Url+"/elsewhere") })},

	front.Mutant{Name: "card-url-relative", Area: "card", Summary: "The card's url is a path.",
		Reply: front.OnDocument("card", func(x *front.Reply) { front.Put(x.Body, "url", "/a2a") })},
	front.Mutant{Name: "card-skill-ids-equal", Area: "card", Summary: "Two skills share one id.",
		Reply: func(x *front.Reply) {
			if skills, ok := front.At(x.Body, "skills").([]any); ok {
				front.Put(x.Body, "skills", append(skills, skills[0]))
			}
		}},
	front.Mutant{Name: "card-scheme-homemade", Area: "card", Summary: "The card lists an authentication scheme nobody knows.",
		Reply: onAgentCard("authentication/schemes", []any{"bearer", "magic-cookie"})},
)

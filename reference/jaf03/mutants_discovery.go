package jaf03

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var discoveryMutants = map[string]front.Mutant{
	"agent-endpoint-missing": {Reply: func(x *front.Reply) {
		if x.Document == "" && x.Http.PathValue("name") == agents[1].name {
			x.Blank(http.StatusMethodNotAllowed, "text/plain")
		}
	}},
	"reply-in-latin1": {Reply: func(x *front.Reply) {
		if raw := string(front.Encode(x.Body)); x.Document == "" && strings.Contains(raw, "ü") {
			x.Raw = []byte(strings.ReplaceAll(raw, "ü", "\xfc"))
		}
	}},
	"request-misdecoded": {Call: front.Misread("message/send", func(body any) {
		if s := front.Text(body, "params/message/contextId"); strings.Contains(s, "é") {
			front.Put(body, "params/message/contextId", strings.ReplaceAll(s, "é", "Ã©"))
		}
	})},
	"card-at-other-path": {Reply: func(x *front.Reply) {
		switch x.Document {
		case "card":
			x.Blank(http.StatusNotFound, "text/plain")
		case "stray card":
			x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card(agents[0], "/a2a"))
		}
	}},
	"agent-card-name-fixed": {Reply: front.OnDocument("agent card", func(x *front.Reply) { front.Swap(x.Body, "name", agents[1].name, agents[0].name) })},
	"unknown-agent-described": {Reply: front.OnDocument("agent", func(x *front.Reply) {
		if x.Status == http.StatusNotFound {
			x.Status, x.Body = http.StatusOK, map[string]any{"name": x.Http.PathValue("name"), "description": "An agent."}
		}
	})},
	"unknown-agent-card": {Reply: front.OnDocument("agent card", func(x *front.Reply) {
		if x.Status == http.StatusNotFound {
			x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card(agents[0], "/a2a"))
		}
	})},
	"agent-card-url-elsewhere": {Reply: front.OnDocument("agent card", func(x *front.Reply) { front.Replace(x.Body, "url", x.Server.Url+"/elsewhere") })},
	"card-skill-ids-equal": {Reply: func(x *front.Reply) {
		if skills, ok := front.At(x.Body, "skills").([]any); ok {
			front.Put(x.Body, "skills", append(skills, skills[0]))
		}
	}},
}

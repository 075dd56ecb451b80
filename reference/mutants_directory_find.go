package reference

import (
	"net/http"
	"slices"
	"strconv"
)

var directoryFindMutants = inArea("directory",
	mutant{name: "first-capability-only", summary: "Agents are found by the first of their capabilities only.",
		reply: foundAgain(func(x *reply, found []any) []any {
			return slices.DeleteFunc(found, func(e any) bool {
				words := offered(e)
				return len(wantedBy(x)) == 1 && len(words) > 2 && words[0] != wantedBy(x)[0]
			})
		})},
	mutant{name: "found-bare", summary: "What was found is the result itself.",
		reply: answering(discoverAgent, func(x *reply) {
			if found, ok := at(x.body, "result/agents").([]any); ok {
				put(x.body, "result", found)
			}
		})},
	mutant{name: "found-id-changed", summary: "Agents are found under another id than they registered.",
		reply: eachFound(func(e map[string]any) { e["agentId"] = "17-" + text(e, "agentId") })},
	mutant{name: "found-name-changed", summary: "The names of agents are cut.",
		reply: eachFound(func(e map[string]any) { e["name"] = "agent" })},
	mutant{name: "found-capabilities-matching", summary: "Of the capabilities only those that matched are returned.",
		reply: answering(discoverAgent, func(x *reply) {
			found, _ := at(x.body, "result/agents").([]any)
			for _, e := range found {
				matching := []any{}
				for _, w := range offered(e) {
					if slices.Contains(wantedBy(x), w) {
						matching = append(matching, w)
					}
				}
				put(e, "capabilities", matching)
			}
		})},
	mutant{name: "found-endpoint-cut", summary: "Endpoints lose their path.",
		reply: eachFound(func(e map[string]any) { e["endpoint"] = "http://a2a-conform.invalid" })},
	mutant{name: "found-all-needed", summary: "Agents must have all wanted capabilities.",
		reply: foundAgain(func(x *reply, found []any) []any {
			return slices.DeleteFunc(found, func(e any) bool {
				return slices.ContainsFunc(wantedBy(x), func(w string) bool { return !slices.Contains(offered(e), w) })
			})
		})},
	mutant{name: "found-unasked", summary: "Agents that registered last are always found.",
		call: func(c *call) {
			if c.method == registerAgent {
				c.notes.write("last", at(c.body, "params"))
			}
		},
		reply: foundAgain(func(x *reply, found []any) []any {
			last, _ := x.server.notes.read("last").(map[string]any)
			if last == nil || len(wantedBy(x)) != 1 || len(found) == 0 {
				return found
			}
			if slices.ContainsFunc(found, func(e any) bool { return text(e, "agentId") == text(last, "agentId") }) {
				return found
			}
			return append(found, map[string]any{"agentId": last["agentId"], "name": last["name"], "capabilities": last["capabilities"], "endpoint": last["endpoint"],
				"registeredAt": text(found[0], "registeredAt")})
		})},
	mutant{name: "found-per-match", summary: "An agent is found once for each capability that matches.",
		reply: foundAgain(func(x *reply, found []any) []any {
			var out []any
			for _, e := range found {
				for _, w := range wantedBy(x) {
					if slices.Contains(offered(e), w) {
						out = append(out, e)
					}
				}
			}
			return out
		})},
	mutant{name: "nobody-found-fails", summary: "That nobody was found is an error.",
		reply: answering(discoverAgent, func(x *reply) {
			if found, ok := at(x.body, "result/agents").([]any); ok && len(found) == 0 {
				x.decline(codeInternal)
			}
		})},
	mutant{name: "found-by-beginning", summary: "A capability is found by its beginning.",
		call: func(c *call) {
			if c.method == registerAgent {
				list, _ := at(c.body, "params/capabilities").([]any)
				for _, w := range list {
					if s, ok := w.(string); ok && s != "" {
						c.notes.write("whole "+s[:len(s)-1], s)
					}
				}
			}
			if list, ok := at(c.body, "params/capabilities").([]any); ok && c.method == discoverAgent && len(list) == 1 {
				if s, ok := list[0].(string); ok {
					if whole := c.notes.read("whole " + s); whole != nil {
						list[0] = whole
					}
				}
			}
		}},
	mutant{name: "wanted-text-iterated", summary: "Wanted capabilities may be a text or a number.",
		call: misread(discoverAgent, func(body any) {
			if v := at(body, "params/capabilities"); isText(v) || isNumber(v) {
				put(body, "params/capabilities", []any{})
			}
		})},
	mutant{name: "wanted-nothing-crashes", summary: "A discovery without capabilities gives HTTP 500.",
		reply: answering(discoverAgent, func(x *reply) {
			if object(x.request, "") != nil && !has(x.request, "params/capabilities") {
				x.blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	mutant{name: "dated-by-number", summary: "registeredAt is a number in a text.",
		reply: eachFound(func(e map[string]any) { e["registeredAt"] = strconv.Itoa(1771351200) })},
)

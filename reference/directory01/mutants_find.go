package directory01

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var directoryFindMutants = front.InArea("directory",
	front.Mutant{Name: "first-capability-only", Summary: "Agents are found by the first of their capabilities only.",
		Reply: foundAgain(func(x *front.Reply, found []any) []any {
			return slices.DeleteFunc(found, func(e any) bool {
				words := offered(e)
				return len(wantedBy(x)) == 1 && len(words) > 2 && words[0] != wantedBy(x)[0]
			})
		})},
	front.Mutant{Name: "found-bare", Summary: "What was found is the result itself.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) {
			if found, ok := front.At(x.Body, "result/agents").([]any); ok {
				front.Put(x.Body, "result", found)
			}
		})},
	front.Mutant{Name: "found-id-changed", Summary: "Agents are found under another id than they registered.",
		Reply: eachFound(func(e map[string]any) { e["agentId"] = "17-" + front.Text(e, "agentId") })},
	front.Mutant{Name: "found-name-changed", Summary: "The names of agents are cut.",
		Reply: eachFound(func(e map[string]any) { e["name"] = "agent" })},
	front.Mutant{Name: "found-capabilities-matching", Summary: "Of the capabilities only those that matched are returned.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) {
			found, _ := front.At(x.Body, "result/agents").([]any)
			for _, e := range found {
				matching := []any{}
				for _, w := range offered(e) {
					if slices.Contains(wantedBy(x), w) {
						matching = append(matching, w)
					}
				}
				front.Put(e, "capabilities", matching)
			}
		})},
	front.Mutant{Name: "found-endpoint-cut", Summary: "Endpoints lose their path.",
		Reply: eachFound(func(e map[string]any) { e["endpoint"] = "http://a2a-conform.invalid" })},
	front.Mutant{Name: "found-all-needed", Summary: "Agents must have all wanted capabilities.",
		Reply: foundAgain(func(x *front.Reply, found []any) []any {
			return slices.DeleteFunc(found, func(e any) bool {
				return slices.ContainsFunc(wantedBy(x), func(w string) bool { return !slices.Contains(offered(e), w) })
			})
		})},
	front.Mutant{Name: "found-unasked", Summary: "Agents that registered last are always found.",
		Call: func(c *front.Call) {
			if c.Method == registerAgent {
				c.Notes.Write("last", front.At(c.Body, "params"))
			}
		},
		Reply: foundAgain(func(x *front.Reply, found []any) []any {
			last, _ := x.Server.Notes.Read("last").(map[string]any)
			if last == nil || len(wantedBy(x)) != 1 || len(found) == 0 {
				return found
			}
			if slices.ContainsFunc(found, func(e any) bool { return front.Text(e, "agentId") == front.Text(last, "agentId") }) {
				return found
			}
			return append(found, map[string]any{"agentId": last["agentId"], "name": last["name"], "capabilities": last["capabilities"], "endpoint": last["endpoint"],
				"registeredAt": front.Text(found[0], "registeredAt")})
		})},
	front.Mutant{Name: "found-per-match", Summary: "An agent is found once for each capability that matches.",
		Reply: foundAgain(func(x *front.Reply, found []any) []any {
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
	front.Mutant{Name: "nobody-found-fails", Summary: "That nobody was found is an error.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) {
			if found, ok := front.At(x.Body, "result/agents").([]any); ok && len(found) == 0 {
				x.Decline(front.CodeInternal)
			}
		})},
	front.Mutant{Name: "found-by-beginning", Summary: "A capability is found by its beginning.",
		Call: func(c *front.Call) {
			if c.Method == registerAgent {
				list, _ := front.At(c.Body, "params/capabilities").([]any)
				for _, w := range list {
					if s, ok := w.(string); ok && s != "" {
						c.Notes.Write("whole "+s[:len(s)-1], s)
					}
				}
			}
			if list, ok := front.At(c.Body, "params/capabilities").([]any); ok && c.Method == discoverAgent && len(list) == 1 {
				if s, ok := list[0].(string); ok {
					if whole := c.Notes.Read("whole " + s); whole != nil {
						list[0] = whole
					}
				}
			}
		}},
	front.Mutant{Name: "wanted-text-iterated", Summary: "Wanted capabilities may be a text or a number.",
		Call: front.Misread(discoverAgent, func(body any) {
			if v := front.At(body, "params/capabilities"); front.IsText(v) || front.IsNumber(v) {
				front.Put(body, "params/capabilities", []any{})
			}
		})},
	front.Mutant{Name: "wanted-nothing-crashes", Summary: "A discovery without capabilities gives HTTP 500.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) {
			if front.Object(x.Request, "") != nil && !front.Has(x.Request, "params/capabilities") {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	front.Mutant{Name: "dated-by-number", Summary: "registeredAt is a number in a text.",
		Reply: eachFound(func(e map[string]any) { e["registeredAt"] = strconv.Itoa(1771351200) })},
)

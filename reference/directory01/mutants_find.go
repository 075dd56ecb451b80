package directory01

import (
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var directoryFindMutants = map[string]front.Mutant{
	"first-capability-only": {Reply: foundAgain(func(x *front.Reply, found []any) []any {
		return slices.DeleteFunc(found, func(e any) bool {
			words := offered(e)
			return len(wantedBy(x)) == 1 && len(words) > 2 && words[0] != wantedBy(x)[0]
		})
	})},
	"found-id-changed": {Reply: eachFound(func(e map[string]any) { e["agentId"] = "17-" + front.Text(e, "agentId") })},
	"found-capabilities-matching": {Reply: front.Answering(discoverAgent, func(x *front.Reply) {
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
	"found-all-needed": {Reply: foundAgain(func(x *front.Reply, found []any) []any {
		return slices.DeleteFunc(found, func(e any) bool {
			return slices.ContainsFunc(wantedBy(x), func(w string) bool { return !slices.Contains(offered(e), w) })
		})
	})},
	"found-unasked": {Call: func(c *front.Call) {
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
	"found-per-match": {Reply: foundAgain(func(x *front.Reply, found []any) []any {
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
	"found-by-beginning": {Call: func(c *front.Call) {
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
	"dated-by-number": {Reply: eachFound(func(e map[string]any) { e["registeredAt"] = strconv.Itoa(1771351200) })},
}

package hostile

import (
	"encoding/json"
	"net"
	"slices"
	"strings"
)

// Markup is what a page, a terminal or a job summary must show and never obey.
const Markup = `</pre></code></style></title><script>window.pwned=1</script><img src=x onerror="window.pwned=1">` +
	`<a href="javascript:window.pwned=1" onclick="window.pwned=1">x</a><svg onload=window.pwned=1>'"]]>` + "`" + `![x](javascript:window.pwned=1)` +
	"\x1b[2J\x1b]0;pwned\x07\x1b[31m\u009b31m\u202e\r\nCONFORMANT\n"

// texts hold what should not be there: markup, escapes, secrets.
var texts = slices.Concat([]Server{
	{Name: "markup-in-texts", Doc: "markup and terminal escapes in every free text", Verdict: Conformant,
		corrupt: injectMarkup(isFreeText)},
	{Name: "markup-everywhere", Doc: "markup and terminal escapes in every string and member name", Verdict: Nonconformant, Names: "A2A01-TASK-004",
		corrupt: injectMarkup(func(string) bool { return true })},
	{Name: "markup-in-heads", Area: "transport", Doc: "markup in header fields, media types and reason phrases", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: forOperations("send get", func(v *request) {
			a := v.fetchHealthy()
			v.takeConnection(func(c net.Conn) {
				line := strings.NewReplacer("\r", "", "\n", "", "\x00", "").Replace(Markup)
				writeText(c, "HTTP/1.1 %d %s\r\nContent-Type: text/html; x=%s\r\nX-Evil: %s\r\nLocation: javascript:window.pwned=1\r\nContent-Length: %d\r\n\r\n%s",
					a.status, line, line, line, len(a.text), a.text)
			})
		})},
	{Name: "markup-in-errors", Doc: "markup and terminal escapes in every error, and a wrong code", Verdict: Nonconformant, Names: "A2A01-ERR-001",
		corrupt: func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				if !strings.Contains(text, `"error":{`) {
					return text
				}
				evil, _ := json.Marshal(Markup)
				return `{"jsonrpc":"2.0","id":` + string(evil) + `,"error":{"code":-32099,"message":` + string(evil) + `,"data":` + string(evil) + `}}`
			})
		}},
}, echoes)

// isFreeText reports which members hold text of the server's own choosing.
func isFreeText(member string) bool {
	return slices.Contains([]string{"name", "description", "text", "message", "organization", "note"}, member)
}

// injectMarkup adds markup to the strings of the members that are chosen, in cards,
// replies and events.
func injectMarkup(chosen func(member string) bool) func(*request) {
	return func(v *request) {
		v.forwardWithEditedBody(func(text string) string {
			if data, ok := strings.CutPrefix(text, "data: "); ok {
				return "data: " + addMarkup(data, chosen) + "\n\n"
			}
			return addMarkup(text, chosen)
		})
	}
}

func addMarkup(text string, chosen func(string) bool) string {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return text
	}
	all := chosen("")
	var walk func(v any, member string) any
	walk = func(v any, member string) any {
		switch v := v.(type) {
		case map[string]any:
			for name, m := range v {
				v[name] = walk(m, name)
			}
			if all {
				v[Markup] = Markup
			}
		case []any:
			for i, m := range v {
				v[i] = walk(m, member)
			}
		case string:
			if chosen(member) && member != "jsonrpc" && member != "id" && member != "url" {
				return v + Markup
			}
		}
		return v
	}
	out, err := json.Marshal(walk(v, ""))
	if err != nil {
		return text
	}
	return string(out)
}

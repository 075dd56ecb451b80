package hostile

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// documents are JSON that a careless reader dies of, or reads wrongly.
var documents = []Server{
	{Name: "deep-json", Area: "transport", Doc: "replies are nested 100,000 deep", Verdict: Partial,
		corrupt: editBodies("first-send", withLong(func() string {
			return `"metadata":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
		}))},
	{Name: "deep-unclosed", Area: "transport", Doc: "replies are 200,000 opening brackets", Verdict: Partial,
		corrupt: editBodies("first-send", func(string) string { return strings.Repeat("[", 200_000) })},
	{Name: "forest", Area: "transport", Doc: "a reply is 7 MB of tiny values", Verdict: Partial,
		corrupt: editBodies("first-send", withLong(func() string { return `"forest":[` + strings.Repeat("0,", 7<<19) + "0]" }))},
	{Name: "grove", Doc: "every reply has 5,000 values more than it needs", Verdict: Partial,
		corrupt: editBodies("send get", withLong(func() string { return `"grove":[` + strings.Repeat("{},", 5_000) + "0]" }))},
	{Name: "huge-number", Doc: "a member is the number 1e10000000", Verdict: Conformant,
		corrupt: editBodies("send get", func(text string) string { return strings.Replace(text, `"index":0`, `"index":1e10000000`, 1) })},
	{Name: "duplicate-members", Doc: "a task says its status twice, differently the first time", Verdict: Conformant,
		corrupt: editBodies("send get", func(text string) string {
			return strings.Replace(text, `"status":{`, `"status":{"state":"failed"},"status":{`, 1)
		})},
	{Name: "raw-nul", Area: "transport", Doc: "replies have NUL bytes within their texts", Verdict: Nonconformant, Names: "A2A01-HTTP-004",
		corrupt: editBodies("send get", func(text string) string { return strings.Replace(text, "Reference", "Refe\x00rence", 1) + "\x00" })},
	{Name: "escaped-nul", Doc: "texts hold escaped NUL characters, which JSON allows", Verdict: Conformant,
		corrupt: editBodies("send get card", withMember(`"x-nul":"a\u0000b\ud800c\uffff"`))},
	{Name: "invalid-utf8", Area: "transport", Doc: "texts hold bytes that are not UTF-8", Verdict: Nonconformant, Names: "A2A01-HTTP-004",
		corrupt: editBodies("send get", withMember("\"x-raw\":\"a\xff\xfe\xc0\xafb\""))},
	{Name: "reply-twice", Area: "transport", Doc: "a body holds the same reply twice", Verdict: Nonconformant, Names: "A2A01-HTTP-004",
		corrupt: editBodies("send", func(text string) string { return text + text })},
	{Name: "wrong-request", Area: "envelope", Doc: "replies bear the id of the request before", Verdict: Nonconformant, Names: "A2A01-ENV-003",
		corrupt: forOperations("send get cancel", func(v *request) {
			v.lock.Lock()
			was := v.last
			v.last = string(v.id)
			v.lock.Unlock()
			v.forwardWithEditedBody(func(text string) string {
				if was == "" || len(v.id) == 0 {
					return text
				}
				return strings.Replace(text, `"id":`+string(v.id), `"id":`+was, 1)
			})
		})},
	{Name: "huge-ids", Doc: "tasks get ids of 200 KB", Verdict: Nonconformant,
		corrupt: editBodies("send", func(text string) string {
			return taskID.ReplaceAllString(text, `"result":{"id":"`+strings.Repeat("i", 200<<10)+`"`)
		})},
	{Name: "many-artifacts", Area: "task", Doc: "a task has 500 artifacts without parts", Verdict: Nonconformant, Names: "A2A01-TASK-013",
		corrupt: editBodies("send", func(text string) string {
			var b strings.Builder
			for i := range 500 {
				fmt.Fprintf(&b, `{"name":"n%d","index":%d,"parts":[]},`, i, i+2)
			}
			return strings.Replace(text, `"artifacts":[`, `"artifacts":[`+b.String(), 1)
		})},
}

var taskID = regexp.MustCompile(`"result":\{"id":"[^"]*"`)

// withLong is withMember for one that is long. It is made when it is first served, which
// few of the many processes of the tests do.
func withLong(member func() string) func(string) string {
	made := sync.OnceValue(member)
	return func(text string) string { return withMember(made())(text) }
}

// withMember puts a member first into the result, or into the card.
func withMember(member string) func(string) string {
	return func(text string) string {
		if data, ok := strings.CutPrefix(text, "data: "); ok {
			return "data: " + withMember(member)(data)
		}
		if before, after := splitAfterResultBrace(text); after != "" {
			return before + member + "," + after
		}
		if strings.HasPrefix(text, `{"name"`) {
			return "{" + member + "," + text[1:]
		}
		return text
	}
}

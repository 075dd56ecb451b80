package hostile

import (
	"net"
	"net/http"
	"strings"
)

// cards are agent cards that lead astray.
var cards = []Server{
	{Name: "card-of-20-MB", Doc: "the card has 20 MB", Verdict: UsageError, Says: "beyond 8 MiB",
		corrupt: writeByHand("card", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n{\"padding\":\"", a.formatHead())
			writeRepeatedly(c, "c", 20<<20)
			writeText(c, `",%s`, a.text[1:])
		})},
	{Name: "card-endless", Area: "card", Doc: "the card is white space without end", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.1"},
		corrupt: writeByHand("card", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			writeRepeatedly(c, " ", endless)
		})},
	{Name: "card-deep", Area: "card", Doc: "the card is nested 100,000 deep", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.1"},
		corrupt: editBodies("card", withLong(func() string { return `"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) }))},
	{Name: "card-other-host", Doc: "the card sends calls to another host", Verdict: UsageError, Says: "--rpc",
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"url":"http://127.0.0.1`, `"url":"http://victim.invalid`, 1)
		})},
	{Name: "card-file-url", Area: "card", Doc: "the card sends calls to a file", Verdict: Nonconformant, Names: "A2A01-CARD-004",
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"url":"http://127.0.0.1`, `"url":"file:///etc/passwd?`, 1)
		})},
	{Name: "card-javascript-url", Area: "card", Doc: "the card's addresses are scripts", Verdict: Nonconformant, Names: "A2A01-CARD-004",
		corrupt: editBodies("card", func(text string) string {
			return strings.NewReplacer(`"url":"http`, `"url":"javascript:window.pwned=1//http`, `"documentationUrl":"https`, `"documentationUrl":"javascript:window.pwned=1//https`).Replace(text)
		})},
	{Name: "card-redirect-away", Area: "discovery", Doc: "the card is redirected to another origin", Verdict: Nonconformant, Names: "A2A01-DISC-001", Flags: []string{"--dialect", "a2a-0.1"},
		corrupt: forOperations("card", func(v *request) { http.Redirect(v.w, v.r, v.other.baseURL()+"/card", http.StatusFound) })},
	{Name: "redirect-loop", Area: "transport", Doc: "every call is redirected to itself", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: forOperations("send get cancel stream", func(v *request) { http.Redirect(v.w, v.r, v.URL+"/", http.StatusTemporaryRedirect) })},
	{Name: "redirect-away", Area: "transport", Doc: "every call is redirected to another origin", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		Flags:   []string{"--bearer-env", "A2A_HOSTILE_SECRET"},
		corrupt: forOperations("send get cancel stream", func(v *request) { http.Redirect(v.w, v.r, v.other.baseURL()+"/rpc", http.StatusTemporaryRedirect) })},
	{Name: "cookies", Doc: "every answer sets 100 cookies", Verdict: Conformant,
		corrupt: func(v *request) {
			for range 100 {
				v.w.Header().Add("Set-Cookie", "track=you; Path=/")
			}
			v.passThrough()
		}},
}

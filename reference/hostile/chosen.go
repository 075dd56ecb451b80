package hostile

import (
	"net"
	"regexp"
	"strings"
)

// chosen are servers that choose what our own later calls have to repeat (addresses, ids,
// tokens, header values) or how many header fields there are, beyond all measure.
var chosen = []Server{
	{Name: "tag-of-900-KB", Area: "discovery", Doc: "the card has an ETag of 900 KB", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: writeByHand("card", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sETag: \"%s\"\r\nContent-Length: %d\r\n\r\n%s", a.formatHead(), strings.Repeat("e", 900_000), len(a.text), a.text)
		})},
	{Name: "task-ids-of-3-MB", Doc: "tasks get ids of 3 MB, in replies and events", Verdict: Nonconformant, Names: "A2A01-TASK-052",
		corrupt: editBodies("send stream get", replacePattern(taskID, `"result":{"id":"`+strings.Repeat("i", 3<<20)+`"`))},
	{Name: "contexts-of-3-MB", Doc: "tasks get contexts of 3 MB", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("send stream get", replacePattern(contextID, `"contextId":"`+strings.Repeat("c", 3<<20)+`"`))},
	{Name: "page-tokens-of-2-MB", Area: "task", Doc: "lists name a next page by a token of 2 MB", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("list", replacePattern(pageToken, `"nextPageToken":"`+strings.Repeat("p", 2<<20)+`"`))},
	{Name: "config-ids-of-2-MB", Area: "push", Doc: "webhooks get ids of 2 MB, all the same", dialect: "a2a-1.0", Verdict: Nonconformant, Names: "A2A10-PUSH-015",
		Flags:   []string{"--webhook-listen", "127.0.0.1:0", "--stimuli", "plain"},
		corrupt: editBodies("push-set", replacePattern(configID, `"result":{"id":"`+strings.Repeat("w", 2<<20)+`"`))},
	{Name: "extension-of-300-KB", Area: "extension", Doc: "the card requires an extension whose URI has 300 KB", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", replacePattern(extensionURI, `"extensions":[{"uri":"https://conform.example.com/`+strings.Repeat("x", 300_000)+`","required":true}]`))},
	{Name: "address-of-300-KB", Doc: "the card sends calls to an address of 300 KB", Verdict: Partial,
		corrupt: editBodies("card", prolongAddresses(300_000))},
	{Name: "addresses-of-2-MB", Doc: "the card of A2A 1.0 sends calls to addresses of 2 MB each", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", prolongAddresses(2<<20))},
	{Name: "tenant-of-1-MB", Area: "message,task", Doc: "the card's interfaces name a tenant of 1 MB", dialect: "a2a-1.0", Verdict: Partial,
		corrupt: editBodies("card", func(text string) string {
			return cardURL.ReplaceAllString(text, `"tenant":"`+strings.Repeat("t", 1<<20)+`",${1}"`)
		})},
	{Name: "listed-name-of-2-MB", Doc: "the list of agents has one whose name has 2 MB", dialect: "jaf-0.3", Verdict: UsageError, Flags: []string{"--agent", "all"}, Says: "no agent's name",
		corrupt: func(v *request) {
			if strings.HasSuffix(v.r.URL.Path, "/agents") {
				v.forwardWithEditedBody(replacePattern(listedName, `"name":"`+strings.Repeat("n", 2<<20)+`"`))
				return
			}
			v.passThrough()
		}},
	{Name: "fields-by-the-260000", Area: "message,task", Doc: "every answer has 260,000 header lines", Verdict: Partial,
		corrupt: writeByHand("send get cancel", manyFields("a:\r\n", 260_000))},
	{Name: "named-fields-by-the-60000", Area: "message,task", Doc: "every answer has 60,000 header lines of different names", Verdict: Partial,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s%s\r\n%s", a.formatHead(), repeatNumbered(60_000, "X-%d: 1\r\n"), a.text)
		})},
	{Name: "fields-on-the-card", Area: "card", Doc: "the card comes with 200,000 header lines", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.1"},
		corrupt: writeByHand("card", manyFields("b: c\r\n", 150_000))},
	{Name: "folded-by-the-100000", Area: "message,task", Doc: "a header field continues over 100,000 lines", Verdict: Partial,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sX-Long: begins\r\n", a.formatHead())
			writeRepeatedly(c, "\tgoes on\r\n", 900_000)
			writeText(c, "\r\n%s", a.text)
		})},
	{Name: "interim-fields-by-the-100000", Area: "message,task", Doc: "an interim response has 100,000 header lines", Verdict: Partial,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 103 Early Hints\r\n")
			writeRepeatedly(c, "Link: l\r\n", 900_000)
			writeText(c, "\r\n%s", a.formatWhole())
		})},
	{Name: "trailer-fields-by-the-100000", Area: "message,task", Doc: "chunked answers end with 100,000 trailer lines", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n", a.formatHead(), len(a.text), a.text)
			writeRepeatedly(c, "T: t\r\n", 900_000)
			writeText(c, "\r\n")
		})},
}

var (
	contextID    = regexp.MustCompile(`"contextId":"[^"]*"`)
	pageToken    = regexp.MustCompile(`"nextPageToken":"[^"]+"`)
	configID     = regexp.MustCompile(`"result":\{"id":"[^"]*"`)
	listedName   = regexp.MustCompile(`"name":"[^"]*"`)
	cardURL      = regexp.MustCompile(`("url":"http://127[^"]*)"`)
	extensionURI = regexp.MustCompile(`"extensions":\[[^\]]*\]`)
)

// replacePattern puts a text in place of all that a pattern matches.
func replacePattern(pattern *regexp.Regexp, by string) func(string) string {
	return func(text string) string { return pattern.ReplaceAllLiteralString(text, by) }
}

// prolongAddresses makes the path of each of the card's own addresses so much longer.
func prolongAddresses(by int) func(string) string {
	return func(text string) string { return cardURL.ReplaceAllString(text, "${1}"+strings.Repeat("u", by)+`"`) }
}

// manyFields answers with a header line so many times.
func manyFields(line string, times int) func(*request, net.Conn, healthyAnswer) {
	return func(v *request, c net.Conn, a healthyAnswer) {
		writeText(c, "%s", a.formatHead())
		writeRepeatedly(c, line, times*len(line))
		writeText(c, "\r\n%s", a.text)
	}
}

package hostile

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
)

// repeated are more servers that choose what later calls have to repeat, or what is stated of them.
var repeated = []Server{
	{Name: "task-ids-of-4-KB", Area: "task,message", Doc: "tasks get ids of just under 4 KiB, which is allowed", Verdict: Partial, dialect: "a2a-0.3", Flags: []string{"--binding", "JSONRPC"}, corrupt: padIDs(strings.Repeat("p", 4_000))},
	{Name: "ids-of-characters-to-escape", Area: "task", Doc: "tasks get ids of 3 KB whose every character a path has to escape", Verdict: Partial, dialect: "a2a-1.0",
		Flags: []string{"--binding", "HTTP+JSON"}, corrupt: editText(replacePattern(restTaskID, `"task":{"id":"`+strings.Repeat(`/?#% `, 600)+`"`))},
	{Name: "version-of-300-KB", Area: "message", Doc: "the card's interfaces have a protocol version of 300 KB", Verdict: Partial, dialect: "a2a-1.0", Flags: []string{"--dialect", "a2a-1.0"},
		corrupt: editBodies("card", replacePattern(interfaceVersion, `"protocolVersion":"1.0`+strings.Repeat("0", 300_000)+`"`))},
	{Name: "mode-of-1-MB", Area: "message,card", Doc: "the card has one output mode of 1 MB", Verdict: Partial, dialect: "a2a-1.0",
		corrupt: editBodies("card", replacePattern(outputModes, `"defaultOutputModes":["text/`+strings.Repeat("m", 1<<20)+`"]`))},
	{Name: "agent-ids-of-2-MB", Doc: "whoever registers with the directory gets an id of 2 MB", Verdict: Nonconformant, dialect: "directory-0.1", Flags: []string{"--dialect", "directory-0.1", "--allow", "residue"},
		corrupt: func(v *request) {
			if strings.HasSuffix(v.r.URL.Path, "/register") {
				v.forwardWithEditedBody(replacePattern(registeredID, `"agentId":"`+strings.Repeat("a", 2<<20)+`"`))
				return
			}
			v.passThrough()
		}},
	{Name: "endpoints-of-1-MB", Doc: "the directory's agents have endpoints of 1 MB", Verdict: Nonconformant, dialect: "directory-0.1", Flags: directoryAlone,
		corrupt: func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				return agentEndpoint.ReplaceAllString(text, `"endpoint":"${1}/`+strings.Repeat("e", 1<<20)+`"`)
			})
		}},
	{Name: "names-that-climb", Area: "discovery", Doc: "the list of agents has names that leave its path", Verdict: Nonconformant, dialect: "jaf-0.3", Flags: []string{"--agent", "all"},
		corrupt: func(v *request) {
			if strings.HasSuffix(v.r.URL.Path, "/agents") {
				v.forwardWithEditedBody(replacePattern(listedName, `"name":"../../../x?y#z\u0000\r\nHost: victim.invalid"`))
				return
			}
			v.passThrough()
		}},
	{Name: "location-of-900-KB", Area: "discovery", Doc: "the card is redirected to an address of 900 KB", Verdict: Nonconformant, Flags: []string{"--dialect", "a2a-0.1"},
		corrupt: writeByHand("card", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 302 Found\r\nLocation: %s/%s\r\nContent-Length: 0\r\n\r\n", v.URL, strings.Repeat("l", 900_000))
		})},
	{Name: "challenge-of-900-KB", Area: "auth", Doc: "every call gets HTTP 401 with a realm and scopes of 900 KB", Verdict: Void,
		corrupt: writeByHand("send get cancel stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 401 X\r\nWWW-Authenticate: Bearer realm=\"%s\", scope=\"%s\"\r\nContent-Length: 0\r\n\r\n", strings.Repeat("r", 450_000), strings.Repeat("s ", 225_000))
		})},
	{Name: "key-header-of-300-KB", Area: "auth,message", Doc: "the card asks for an API key in a header whose name has 300 KB", Verdict: Nonconformant, dialect: "a2a-1.0", Flags: []string{"--api-key-env", SecretVariable},
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"skills":[`, `"securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"`+strings.Repeat("K", 300_000)+`"}}},"securityRequirements":[{"schemes":{"k":{"list":[]}}}],"skills":[`, 1)
		})},
}

// beyond are servers by which something does not stay in the record as a whole. What is not
// recorded is no one's fault.
var beyond = []Server{
	{Name: "record-full-early", Area: "message,task,stream", Doc: "each of the first 60 answers has 1 MB, so that our later requests are cut", Verdict: Partial, dialect: "a2a-1.0",
		corrupt: func(v *request) {
			if v.op == "card" {
				v.passThrough()
				return
			}
			pad := ""
			if v.countCall() <= 60 {
				pad = `"padding":"` + strings.Repeat("f", 1<<20) + `",`
			}
			v.forwardWithEditedBody(func(text string) string {
				return strings.Replace(text, `{"jsonrpc"`, `{`+pad+`"jsonrpc"`, 1)
			})
		}},
	{Name: "record-full-of-contexts", Area: "message,task", Doc: "contexts have 4 KB, and answers 700 KB, so that our requests which name a context are cut", Verdict: Partial, dialect: "a2a-0.3",
		corrupt: editBodies("send stream get cancel", func(text string) string {
			text = contextID.ReplaceAllLiteralString(text, `"contextId":"`+strings.Repeat("c", 4_000)+`"`)
			return withMember(`"metadata":{"padding":"` + strings.Repeat("f", 700_000) + `"}`)(text)
		})},
	{Name: "looks-of-9-MB", Area: "task", Doc: "every look-up is answered by 9 MB", Verdict: Partial,
		corrupt: editBodies("get", withLong(func() string { return `"metadata":{"padding":"` + strings.Repeat("l", 9<<20) + `"}` }))},
	{Name: "lists-of-9-MB", Area: "task", Doc: "every list of tasks has 9 MB", Verdict: Partial, dialect: "a2a-1.0",
		corrupt: editBodies("list", withLong(func() string { return `"padding":"` + strings.Repeat("l", 9<<20) + `"` }))},
	{Name: "errors-of-9-MB", Area: "errors", Doc: "every error has 9 MB", Verdict: Partial,
		corrupt: func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				return strings.Replace(text, `"error":{`, `"error":{"data":"`+strings.Repeat("e", 9<<20)+`",`, 1)
			})
		}},
	{Name: "cut-by-turns", Area: "message,task", Doc: "every second answer has 9 MB, so that pairs of calls lose one of them", Verdict: Partial, dialect: "a2a-1.0",
		corrupt: forOperations("send get cancel list", func(v *request) {
			pad := ""
			if v.countCall()%2 == 0 {
				pad = `"padding":"` + strings.Repeat("f", 9<<20) + `",`
			}
			v.forwardWithEditedBody(func(text string) string { return strings.Replace(text, `{"jsonrpc"`, `{`+pad+`"jsonrpc"`, 1) })
		})},
	{Name: "end-beyond-the-bound", Area: "stream", Doc: "streams have 9 MB before the event by which they end", Verdict: Partial, dialect: "a2a-1.0",
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s\r\n", a.formatHead())
			frames := strings.SplitAfter(a.text, "\n\n")
			for i, frame := range frames {
				writeText(c, "%s", frame)
				if i == 0 {
					writeRepeatedly(c, ": "+strings.Repeat("c", 1020)+"\n\n", 9<<20)
				}
			}
		})},
}

// fields are servers that have too many header fields in places that few clients bound.
var fields = []Server{
	{Name: "fields-on-the-401", Area: "auth", Doc: "every call gets HTTP 401 with 100,000 challenges", Verdict: Void,
		corrupt: writeByHand("send get cancel stream", fieldsAfter("HTTP/1.1 401 X", "WWW-Authenticate: Bearer\r\n"))},
	{Name: "fields-on-the-429", Doc: "every call gets HTTP 429 with 100,000 times to wait", Verdict: Partial,
		corrupt: forOperations("send get cancel stream", func(v *request) {
			v.takeConnection(func(c net.Conn) { fieldsAfter("HTTP/1.1 429 X", "Retry-After: 0\r\n")(v, c, healthyAnswer{}) })
		})},
	{Name: "fields-on-the-redirect", Area: "discovery", Doc: "the card is redirected to 100,000 places", Verdict: Partial, Flags: []string{"--dialect", "a2a-0.1"},
		corrupt: writeByHand("card", fieldsAfter("HTTP/1.1 302 X", "Location: /c\r\n"))},
	{Name: "fields-on-the-switch", Area: "transport", Doc: "HTTP 101 has 100,000 names of protocols", Verdict: Partial, Flags: shortTimeout,
		corrupt: writeByHand("send", fieldsAfter("HTTP/1.1 101 X", "Upgrade: u\r\n"))},
	{Name: "fields-on-the-stream", Area: "stream", Doc: "streams begin with 100,000 header lines", Verdict: Partial,
		corrupt: writeByHand("stream", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s", a.formatHead())
			writeRepeatedly(c, "s: t\r\n", 600_000)
			writeText(c, "\r\n%s", a.text)
		})},
	{Name: "cookies-by-the-20000", Area: "message", Doc: "every answer sets 20,000 cookies of different names", Verdict: Partial,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s%s\r\n%s", a.formatHead(), repeatNumbered(20_000, "Set-Cookie: c%d=1\r\n"), a.text)
		})},
	{Name: "lengths-by-the-20000", Area: "transport", Doc: "every answer has its Content-Length 20,000 times, always the same", Verdict: Partial,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%s%s\r\n%s", a.formatHead(), strings.Repeat(fmt.Sprintf("Content-Length: %d\r\n", len(a.text)), 20_000), a.text)
		})},
	{Name: "interim-heads-by-the-10000", Area: "message", Doc: "10,000 interim responses come before each answer", Verdict: Partial,
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeRepeatedly(c, "HTTP/1.1 102 Processing\r\n\r\n", 10_000*len("HTTP/1.1 102 Processing\r\n\r\n"))
			writeText(c, "%s", a.formatWhole())
		})},
	{Name: "fields-by-the-1500", Area: "message", Doc: "every answer has 1,500 header lines, which is within bounds", Verdict: Partial,
		corrupt: func(v *request) {
			for i := range 1_500 {
				v.w.Header().Set(fmt.Sprint("X-", i), "1")
			}
			v.passThrough()
		}},
}

var (
	restTaskID       = regexp.MustCompile(`"task":\{"id":"[^"]*"`)
	interfaceVersion = regexp.MustCompile(`"protocolVersion":"1.0"`)
	registeredID     = regexp.MustCompile(`"agentId":"[^"]*"`)
	agentEndpoint    = regexp.MustCompile(`"endpoint":"([^"]*)"`)
)

// fieldsAfter answers with a status line, and a header line 100,000 times or as often as fits
// into 900 KB.
func fieldsAfter(status, line string) func(*request, net.Conn, healthyAnswer) {
	return func(v *request, c net.Conn, a healthyAnswer) {
		writeText(c, "%s\r\n", status)
		writeRepeatedly(c, line, min(100_000*len(line), 900_000/len(line)*len(line)))
		writeText(c, "Content-Length: 0\r\n\r\n")
	}
}

// editText changes the body of every answer.
func editText(change func(text string) string) func(*request) {
	return func(v *request) { v.forwardWithEditedBody(change) }
}

// padIDs makes the ids of tasks longer, and takes what it added off again when they come back.
func padIDs(pad string) func(*request) {
	anywhere := regexp.MustCompile(`("(?:taskId|id)":")([A-Z2-7]{24,26})"`)
	return func(v *request) {
		if v.op == "card" || v.r.Method != http.MethodPost {
			v.passThrough()
			return
		}
		v.body = []byte(strings.ReplaceAll(string(v.body), pad, ""))
		v.forwardWithEditedBody(func(text string) string { return anywhere.ReplaceAllString(text, "${1}${2}"+pad+`"`) })
	}
}

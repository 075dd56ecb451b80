package hostile

import (
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"
)

// Commands are lines that a CI runner obeys wherever they stand in its log:
// those of GitHub in both of its forms, of Azure, of TeamCity.
const Commands = "##[error]pwned ##[add-mask]pwned ##vso[task.setvariable variable=pwned]1 ##teamcity[buildStatus status='SUCCESS']"

// Lines are commands that count at the beginning of a line, after blanks.
const Lines = "x\n::error::pwned\r\n  \t::add-mask::pwned\r::stop-commands::pwned\n\u3000::set-env name=PATH::pwned"

// Unseen are letters that show nothing.
const Unseen = "a\u3164b\u115fc\u1160d\uffa0e\u180ef\u200bg\u2060h\u034fi\u17b4j\u2800k\ufe0fl\U000e0041m\U000e0100n\u202eo\u2066p\u00adq\ufeffr"

// commands put what a CI runner obeys, and what no one sees, into texts that are printed.
var commands = []Server{
	{Name: "command-in-reason", Area: "transport", Doc: "reason phrases of refusals are workflow commands", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send get", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 500 %s\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno", Commands)
		})},
	{Name: "command-in-media-type", Area: "transport", Doc: "media types are workflow commands", Verdict: Nonconformant, Names: "A2A01-HTTP-003",
		corrupt: writeByHand("send get", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 200 OK\r\nContent-Type: ##[error]x/##vso[task.complete]y\r\nContent-Length: %d\r\n\r\n%s", len(a.text), a.text)
		})},
	{Name: "command-in-ids", Area: "envelope", Doc: "replies bear workflow commands as their ids", Verdict: Nonconformant, Names: "A2A01-ENV-003",
		corrupt: forOperations("send get cancel", func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				if len(v.id) == 0 {
					return text
				}
				return strings.Replace(text, `"id":`+string(v.id), `"id":"`+escapeJSON(Commands+Lines)+`"`, 1)
			})
		})},
	{Name: "command-in-errors", Doc: "errors are workflow commands on lines of their own", Verdict: Nonconformant, Names: "A2A01-ERR-001",
		corrupt: func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				if !strings.Contains(text, `"error":{`) {
					return text
				}
				evil, _ := json.Marshal(Lines + Commands)
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32099,"message":%s,"data":%[2]s}}`, v.idOr("null"), evil)
			})
		}},
	{Name: "command-in-members", Doc: "members of results, unknown and known, are workflow commands", Verdict: Nonconformant,
		corrupt: forOperations("send get", func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				return strings.NewReplacer(`"state":"`, `"`+escapeJSON(Lines)+`":1,"state":"`+escapeJSON(Commands), `"type":"text"`, `"type":"`+escapeJSON(Lines)+`"`).Replace(text)
			})
		})},
	{Name: "command-in-card", Doc: "the card sends calls to a host and a path that are workflow commands", Verdict: UsageError, Says: "--rpc",
		corrupt: editBodies("card", func(text string) string {
			return strings.Replace(text, `"url":"http://127.0.0.1`, `"url":"http://victim.invalid/##[error]pwned/##vso[task.complete]::error::pwned`, 1)
		})},
	{Name: "command-in-certificate", Area: "transport", Doc: "the certificate that nobody signed bears a workflow command", Verdict: Unreachable, Says: "certificate",
		https: true, corrupt: (*request).passThrough, wrap: newTLSWrapper(time.Hour, "127.0.0.1", pkix.Name{CommonName: Lines, Organization: []string{Commands}})},
	{Name: "command-in-framing", Area: "transport", Doc: "lengths are workflow commands", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sContent-Length: ##[error]pwned\r\nTransfer-Encoding: ::error::pwned\r\n\r\n%s", a.formatHead(), a.text)
		})},
	{Name: "command-in-redirect", Area: "transport", Doc: "calls are redirected to workflow commands", Verdict: Nonconformant, Names: "A2A01-HTTP-001",
		corrupt: writeByHand("send get cancel", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "HTTP/1.1 302 ::error::\r\nLocation: ##vso[task.logissue type=error]pwned\r\nContent-Length: 0\r\n\r\n")
		})},
	{Name: "command-in-events", Area: "stream", Doc: "events of streams are workflow commands", Verdict: Nonconformant, Names: "A2A01-STR-004",
		corrupt: forOperations("stream", func(v *request) {
			v.forwardWithEditedBody(func(frame string) string {
				return "event: ::error::pwned\ndata: ::warning::pwned\ndata: ##[error]pwned\ndata:   ##vso[task.complete]\n\n" + frame
			})
		})},
	{Name: "unseen-letters", Doc: "ids, names and errors are full of letters that show nothing", Verdict: Nonconformant,
		corrupt: func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				return strings.NewReplacer(`"message":"`, `"message":"`+Unseen, `"name":"`, `"name":"`+Unseen, `"state":"`, `"state":"`+Unseen).Replace(text)
			})
		}},
}

// idOr returns the id of the call, or something else if it has none.
func (v *request) idOr(other string) string {
	if len(v.id) == 0 {
		return other
	}
	return string(v.id)
}

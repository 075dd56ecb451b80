package hostile

import (
	"crypto/x509/pkix"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// secretLeaks send the credentials back in places that are easily forgotten: a text may be made
// of them before any code has looked for secrets in it.
var secretLeaks = []Server{
	newCredentialLeakServer("leak-length", "Content-Length", "A2A01-HTTP-001", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "%sContent-Length: %s\r\n\r\n%s", a.formatHead(), token, a.text)
	}),
	newCredentialLeakServer("leak-second-length", "a second Content-Length", "A2A01-HTTP-001", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "%sContent-Length: %d\r\nContent-Length: %s\r\n\r\n%s", a.formatHead(), len(a.text), token, a.text)
	}),
	newCredentialLeakServer("leak-transfer-encoding", "Transfer-Encoding", "A2A01-HTTP-001", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "%sTransfer-Encoding: %s\r\n\r\n%s", a.formatHead(), token, a.text)
	}),
	newCredentialLeakServer("leak-chunk-size", "the size of a chunk", "A2A01-HTTP-001", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "%sTransfer-Encoding: chunked\r\n\r\n%s\r\n%s\r\n0\r\n\r\n", a.formatHead(), token, a.text)
	}),
	newCredentialLeakServer("leak-chunk-extension", "the extension of a chunk whose size is none", "A2A01-HTTP-001", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "%sTransfer-Encoding: chunked\r\n\r\nx;a=%s\r\n%s\r\n0\r\n\r\n", a.formatHead(), token, a.text)
	}),
	newCredentialLeakServer("leak-coding", "the name of a content coding, in capitals", "", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "%sContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", a.formatHead(), strings.ToUpper(token), len(a.text), a.text)
	}),
	newCredentialLeakServer("leak-status-line", "the status line, in place of the code", "A2A01-HTTP-001", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", token, len(a.text), a.text)
	}),
	newCredentialLeakServer("leak-header-line", "a header line without a colon", "A2A01-HTTP-001", func(v *request, c net.Conn, a healthyAnswer, token string) {
		writeText(c, "%s%s\r\nContent-Length: %d\r\n\r\n%s", a.formatHead(), token, len(a.text), a.text)
	}),
	{Name: "leak-certificate", Doc: "the credential is in subject and issuer of its certificate", Verdict: Conformant,
		Flags: []string{"--bearer-env", SecretVariable, "--insecure"}, https: true, corrupt: (*request).passThrough,
		wrap: newTLSWrapper(time.Hour, "127.0.0.1", pkix.Name{CommonName: Secret, Organization: []string{strings.ToUpper(Secret)}})},
	{Name: "leak-ids", Area: "task", Doc: "the credential is the id of every task", Verdict: Nonconformant,
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("send", func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				for _, token := range v.sentCredentials() {
					text = taskID.ReplaceAllLiteralString(text, `"result":{"id":"`+escapeJSON(token)+`"`)
				}
				return text
			})
		})},
	{Name: "leak-event-ids", Doc: "the credential is the id and the name of every event", Verdict: Conformant,
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("stream", func(v *request) {
			v.forwardWithEditedBody(func(frame string) string {
				for _, token := range v.sentCredentials() {
					if strings.HasPrefix(frame, "data:") {
						frame = "id: " + token + "\nevent: " + token + "\nretry: " + token + "\n" + token + ": x\n: " + token + "\n" + frame
					}
				}
				return frame
			})
		})},
	{Name: "leak-in-the-url", Doc: "the card sends calls to a URL with the credential in its query", Verdict: Nonconformant, Names: "A2A01-DISC-006",
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("card", func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				for _, token := range v.sentCredentials() {
					text = strings.Replace(text, v.URL+`/"`, v.URL+`/?t=`+url.QueryEscape(token)+`"`, 1)
				}
				return text
			})
		})},
	{Name: "leak-challenge", Doc: "a refusal's challenge, its limits and its redirect hold the credential", Verdict: Void, Says: "HTTP 401",
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("send stream get cancel", func(v *request) {
			for _, token := range v.sentCredentials() {
				for _, name := range []string{"Www-Authenticate", "Retry-After", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Location", "Allow", "Via"} {
					v.w.Header().Set(name, token)
				}
			}
			v.w.WriteHeader(http.StatusUnauthorized)
		})},
	{Name: "leak-member-names", Doc: "the credential is the name of members, folded and padded", Verdict: Nonconformant, Names: "A2A01-DISC-006",
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: forOperations("send get card stream", func(v *request) {
			members := map[string]string{}
			for _, token := range v.sentCredentials() {
				for name, of := range Disguises {
					members[of(token)] = name
				}
			}
			text, _ := json.Marshal(members)
			v.forwardWithEditedBody(withMember(`"x-names":` + string(text)))
		})},
	newCredentialEchoServer("leak-folded", "small", "capital"),
	newCredentialEchoServer("leak-entities", "entities", "entities-bare"),
	newCredentialEchoServer("leak-mixed-hex", "hex-mixed", "hex-spaced"),
	newCredentialEchoServer("leak-base64-lines", "base64-lines", "base64-indent"),
}

// newCredentialLeakServer sends the credential back in an answer written by hand.
func newCredentialLeakServer(name, where, fails string, speak func(v *request, c net.Conn, a healthyAnswer, token string)) Server {
	s := Server{Name: name, Area: "transport", Doc: "the credential is in " + where, Verdict: Nonconformant, Names: fails,
		Flags: []string{"--bearer-env", SecretVariable},
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			tokens := v.sentCredentials()
			if len(tokens) == 0 {
				writeText(c, "%s", a.formatWhole())
				return
			}
			speak(v, c, a, tokens[0])
		})}
	if fails == "" {
		s.Verdict = Partial
	}
	return s
}

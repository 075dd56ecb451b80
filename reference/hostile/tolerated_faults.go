package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// httpRequirement is the finding about answers whose HTTP describes what HTTP/1.1 does not have,
// or something else than their body.
const httpRequirement = "A2A-HTTP-000"

// toleratedFaults are servers whose answers any common client takes, and that are wrong all
// the same: in one of many, or if few look.
var toleratedFaults = []Server{
	{Name: "batch-error-mute", Doc: "one element of a batch's answer has an error without its message", Verdict: Nonconformant, Names: "A2A01-ENV-016",
		corrupt: editBatches(func(text string) string { return lastOf(text, `,"message":"`, `,"words":"`) })},
	{Name: "batch-element-unversioned", Doc: "one element of a batch's answer has no jsonrpc", Verdict: Nonconformant, Names: "A2X03-ENV-001",
		dialect: "a2x-0.3", Flags: []string{"--dialect", "a2x-0.3"},
		corrupt: editBatches(func(text string) string { return lastOf(text, `"jsonrpc":"2.0"`, `"version":"2.0"`) })},
	{Name: "batch-code-worded", Doc: "one element of a batch's answer has an error whose code is a word", Verdict: Nonconformant, Names: "JAF03-ENV-008",
		dialect: "jaf-0.3", Flags: []string{"--dialect", "jaf-0.3"},
		corrupt: editBatches(func(text string) string { return errorCode.ReplaceAllString(text, `"code":"NotFound"`) })},
	{Name: "entry-numbered", Doc: "one entry of many in a list of agents has the agentId -1", Verdict: Conformant, Finding: "DIR01-OWN-002",
		dialect: "directory-0.1", Flags: directoryAlone,
		corrupt: appendAgentEntry(`{"agentId":-1,"name":"Stranger","capabilities":["strange"],"endpoint":"http://127.0.0.1:9/","registeredAt":"2026-02-17T18:00:00Z"}`)},
	{Name: "entry-of-words", Doc: "one entry of many in a list of agents has its capabilities in one text", Verdict: Conformant, Finding: "DIR01-OWN-002",
		dialect: "directory-0.1", Flags: directoryAlone,
		corrupt: appendAgentEntry(`{"agentId":"stranger","name":"Stranger","capabilities":"strange, stranger","endpoint":"http://127.0.0.1:9/","registeredAt":"2026-02-17T18:00:00Z"}`)},
	{Name: "look-at-503", Doc: "look-ups are answered with HTTP 503 and a good body", Verdict: Conformant, Finding: httpRequirement,
		dialect: "a2x-0.3", Flags: []string{"--dialect", "a2x-0.3"}, corrupt: forOperations("get", answerWithStatus(http.StatusServiceUnavailable))},
	{Name: "cancel-at-302", Doc: "cancellations are answered with HTTP 302, to nowhere, and a good body", Verdict: Conformant, Finding: httpRequirement, corrupt: forOperations("cancel", answerWithStatus(http.StatusFound))},
	{Name: "replies-at-206", Doc: "messages are answered with HTTP 206, a part of something, and a whole body", Verdict: Conformant, Finding: httpRequirement, corrupt: forOperations("send", answerWithStatus(http.StatusPartialContent))},
	{Name: "http-2.0", Doc: "answers on a connection of HTTP/1.1 say that they are HTTP/2.0", Verdict: Conformant, Finding: httpRequirement, corrupt: writeByHand("send get", answerWithStatusLine("HTTP/2.0 200 OK"))},
	{Name: "http-0.9", Doc: "answers with a head say that they are HTTP/0.9, which has none", Verdict: Conformant, Finding: httpRequirement, corrupt: writeByHand("send get", answerWithStatusLine("HTTP/0.9 200 OK"))},
	{Name: "http-1.7", Doc: "answers say that they are HTTP/1.7, which there is not", Verdict: Conformant, Finding: httpRequirement, corrupt: writeByHand("send get", answerWithStatusLine("HTTP/1.7 200 OK"))},
	{Name: "status-099", Doc: "the status is 099", Verdict: Conformant, Finding: httpRequirement, corrupt: writeByHand("send", answerWithStatusLine("HTTP/1.1 099 Below"))},
	{Name: "status-600", Doc: "the status is 600", Verdict: Conformant, Finding: httpRequirement, corrupt: writeByHand("get", answerWithStatusLine("HTTP/1.1 600 Above"))},
	{Name: "gzip-cut", Doc: "answers have the coding gzip, without its trailer", Verdict: Conformant, Finding: httpRequirement,
		corrupt: writeByHand("send", answerGzippedThenSpoiled("gzip", func(z []byte) []byte { return z[:len(z)-8] }))},
	{Name: "gzip-sum-wrong", Doc: "answers have the coding gzip, with a wrong checksum", Verdict: Conformant, Finding: httpRequirement,
		corrupt: writeByHand("send", answerGzippedThenSpoiled("gzip", func(z []byte) []byte {
			binary.LittleEndian.PutUint32(z[len(z)-8:], 1)
			return z
		}))},
	{Name: "gzip-surplus", Doc: "answers have the coding gzip, and bytes after its end that are no gzip", Verdict: Conformant, Finding: httpRequirement,
		corrupt: writeByHand("send", answerGzippedThenSpoiled("gzip", func(z []byte) []byte { return append(z, "and more"...) }))},
	{Name: "gzip-in-name", Doc: "answers have the coding gzip by their header, and none in fact", Verdict: Partial, Area: "transport", Says: "which was not asked for", Finding: httpRequirement,
		corrupt: writeByHand("send", func(v *request, c net.Conn, a healthyAnswer) {
			writeText(c, "%sContent-Encoding: gzip\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", a.formatHead(), len(a.text), a.text)
		})},
}

// directoryAlone asks a directory without leaving anything there.
var directoryAlone = []string{"--dialect", "directory-0.1"}

// editBatches spoils the answers to batches.
func editBatches(change func(text string) string) func(*request) {
	return func(v *request) {
		if bytes.HasPrefix(bytes.TrimSpace(v.body), []byte(`[{`)) {
			v.forwardWithEditedBody(change)
			return
		}
		v.passThrough()
	}
}

// lastOf replaces the last occurrence of a text.
func lastOf(text, old, with string) string {
	if i := strings.LastIndex(text, old); i >= 0 {
		return text[:i] + with + text[i+len(old):]
	}
	return text
}

// appendAgentEntry puts an entry last into the list of agents.
func appendAgentEntry(entry string) func(*request) {
	return func(v *request) {
		if v.r.Method != http.MethodGet {
			v.passThrough()
			return
		}
		v.forwardWithEditedBody(func(text string) string { return strings.Replace(text, `}]`, `},`+entry+`]`, 1) })
	}
}

// answerWithStatus answers with another status.
func answerWithStatus(status int) func(*request) {
	return func(v *request) {
		a := v.fetchHealthy()
		v.w.Header().Set("Content-Type", a.kind)
		v.w.WriteHeader(status)
		fmt.Fprint(v.w, a.text)
	}
}

// answerWithStatusLine answers with another status line.
func answerWithStatusLine(status string) func(*request, net.Conn, healthyAnswer) {
	return func(v *request, c net.Conn, a healthyAnswer) {
		_, rest, _ := strings.Cut(a.formatWhole(), "\r\n")
		writeText(c, "%s\r\n%s", status, rest)
	}
}

// answerGzippedThenSpoiled answers with a content coding that is then spoiled.
func answerGzippedThenSpoiled(name string, spoil func([]byte) []byte) func(*request, net.Conn, healthyAnswer) {
	return func(v *request, c net.Conn, a healthyAnswer) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		fmt.Fprint(z, a.text)
		z.Close()
		body := spoil(packed.Bytes())
		writeText(c, "%sContent-Encoding: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", a.formatHead(), name, len(body), body)
	}
}

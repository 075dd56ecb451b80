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

// outward is the finding about answers whose HTTP says what HTTP/1.1 does not have,
// or something else than their body.
const outward = "A2A-HTTP-000"

// legal are servers whose answers any common client takes, and that are wrong all
// the same: in one of many, or where few look.
var legal = []Server{
	{Name: "batch-error-mute", Doc: "one element of a batch's answer has an error without its message", Verdict: Nonconformant, Names: "A2A01-ENV-016",
		spoil: batches(func(text string) string { return lastOf(text, `,"message":"`, `,"words":"`) })},
	{Name: "batch-element-unversioned", Doc: "one element of a batch's answer has no jsonrpc", Verdict: Nonconformant, Names: "A2X03-ENV-001",
		dialect: "a2x-0.3", Flags: []string{"--dialect", "a2x-0.3"},
		spoil: batches(func(text string) string { return lastOf(text, `"jsonrpc":"2.0"`, `"version":"2.0"`) })},
	{Name: "batch-code-worded", Doc: "one element of a batch's answer has an error whose code is a word", Verdict: Nonconformant, Names: "JAF03-ENV-008",
		dialect: "jaf-0.3", Flags: []string{"--dialect", "jaf-0.3"},
		spoil: batches(func(text string) string { return errorCode.ReplaceAllString(text, `"code":"NotFound"`) })},
	{Name: "entry-numbered", Doc: "one entry of many in a list of agents has the agentId -1", Verdict: Conformant, Finding: "DIR01-OWN-002",
		dialect: "directory-0.1", Flags: directoryAlone,
		spoil: entries(`{"agentId":-1,"name":"Stranger","capabilities":["strange"],"endpoint":"http://127.0.0.1:9/","registeredAt":"2026-02-17T18:00:00Z"}`)},
	{Name: "entry-of-words", Doc: "one entry of many in a list of agents has its capabilities in one text", Verdict: Conformant, Finding: "DIR01-OWN-002",
		dialect: "directory-0.1", Flags: directoryAlone,
		spoil: entries(`{"agentId":"stranger","name":"Stranger","capabilities":"strange, stranger","endpoint":"http://127.0.0.1:9/","registeredAt":"2026-02-17T18:00:00Z"}`)},
	{Name: "look-at-503", Doc: "look-ups are answered with HTTP 503 and a good body", Verdict: Conformant, Finding: outward,
		dialect: "a2x-0.3", Flags: []string{"--dialect", "a2x-0.3"}, spoil: on("get", at(http.StatusServiceUnavailable))},
	{Name: "cancel-at-302", Doc: "cancellations are answered with HTTP 302, to nowhere, and a good body", Verdict: Conformant, Finding: outward, spoil: on("cancel", at(http.StatusFound))},
	{Name: "replies-at-206", Doc: "messages are answered with HTTP 206, a part of something, and a whole body", Verdict: Conformant, Finding: outward, spoil: on("send", at(http.StatusPartialContent))},
	{Name: "http-2.0", Doc: "answers on a connection of HTTP/1.1 say that they are HTTP/2.0", Verdict: Conformant, Finding: outward, spoil: bare("send get", line("HTTP/2.0 200 OK"))},
	{Name: "http-0.9", Doc: "answers with a head say that they are HTTP/0.9, which has none", Verdict: Conformant, Finding: outward, spoil: bare("send get", line("HTTP/0.9 200 OK"))},
	{Name: "http-1.7", Doc: "answers say that they are HTTP/1.7, which there is not", Verdict: Conformant, Finding: outward, spoil: bare("send get", line("HTTP/1.7 200 OK"))},
	{Name: "status-099", Doc: "the status is 099", Verdict: Conformant, Finding: outward, spoil: bare("send", line("HTTP/1.1 099 Below"))},
	{Name: "status-600", Doc: "the status is 600", Verdict: Conformant, Finding: outward, spoil: bare("get", line("HTTP/1.1 600 Above"))},
	{Name: "gzip-cut", Doc: "answers have the coding gzip, without its trailer", Verdict: Conformant, Finding: outward,
		spoil: bare("send", coded("gzip", func(z []byte) []byte { return z[:len(z)-8] }))},
	{Name: "gzip-sum-wrong", Doc: "answers have the coding gzip, with a wrong checksum", Verdict: Conformant, Finding: outward,
		spoil: bare("send", coded("gzip", func(z []byte) []byte {
			binary.LittleEndian.PutUint32(z[len(z)-8:], 1)
			return z
		}))},
	{Name: "gzip-surplus", Doc: "answers have the coding gzip, and bytes after its end that are no gzip", Verdict: Conformant, Finding: outward,
		spoil: bare("send", coded("gzip", func(z []byte) []byte { return append(z, "and more"...) }))},
	{Name: "gzip-in-name", Doc: "answers have the coding gzip by their header, and none in fact", Verdict: Partial, Area: "transport", Says: "which was not asked for", Finding: outward,
		spoil: bare("send", func(v *visit, c net.Conn, a answer) {
			say(c, "%sContent-Encoding: gzip\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", a.head(), len(a.text), a.text)
		})},
}

// directoryAlone asks a directory without leaving anything there.
var directoryAlone = []string{"--dialect", "directory-0.1"}

// batches spoils the answers to batches.
func batches(change func(text string) string) func(*visit) {
	return func(v *visit) {
		if bytes.HasPrefix(bytes.TrimSpace(v.body), []byte(`[{`)) {
			v.edit(change)
			return
		}
		v.pass()
	}
}

// lastOf replaces the last occurrence of a text.
func lastOf(text, old, with string) string {
	if i := strings.LastIndex(text, old); i >= 0 {
		return text[:i] + with + text[i+len(old):]
	}
	return text
}

// entries puts an entry last into the list of agents.
func entries(entry string) func(*visit) {
	return func(v *visit) {
		if v.r.Method != http.MethodGet {
			v.pass()
			return
		}
		v.edit(func(text string) string { return strings.Replace(text, `}]`, `},`+entry+`]`, 1) })
	}
}

// at answers with another status.
func at(status int) func(*visit) {
	return func(v *visit) {
		a := v.healthy()
		v.w.Header().Set("Content-Type", a.kind)
		v.w.WriteHeader(status)
		fmt.Fprint(v.w, a.text)
	}
}

// line answers with another status line.
func line(status string) func(*visit, net.Conn, answer) {
	return func(v *visit, c net.Conn, a answer) {
		_, rest, _ := strings.Cut(a.whole(), "\r\n")
		say(c, "%s\r\n%s", status, rest)
	}
}

// coded answers with a content coding that is then spoiled.
func coded(name string, spoil func([]byte) []byte) func(*visit, net.Conn, answer) {
	return func(v *visit, c net.Conn, a answer) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		fmt.Fprint(z, a.text)
		z.Close()
		body := spoil(packed.Bytes())
		say(c, "%sContent-Encoding: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", a.head(), name, len(body), body)
	}
}

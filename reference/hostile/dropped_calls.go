package hostile

import (
	"net"
	"strings"
	"time"
)

// dropping is the finding about calls that are answered by nothing.
const dropping = "A2A-DROP-000"

// drops are servers that close kept connections without a word. What a client
// sends again there without telling is not seen by its operator.
var drops = []Server{
	{Name: "drops-some", Doc: "one call in eight on kept connections is read, and the connection closed", Verdict: Conformant, Finding: dropping,
		spoil: dropEvery(8, func(v *visit, c net.Conn) {})},
	{Name: "resets-some", Doc: "one call in eight on kept connections is read, and after a while the connection is reset", Verdict: Conformant, Finding: dropping,
		spoil: dropEvery(8, func(v *visit, c net.Conn) {
			lie(v, 50*time.Millisecond)
			reset(c)
		})},
	{Name: "drops-after-work", Doc: "one call in eight on kept connections is executed, and not answered", Verdict: Conformant, Finding: dropping,
		spoil: func(v *visit) {
			if v.every(8) {
				v.healthy()
				v.hangUp()
				return
			}
			v.pass()
		}},
	{Name: "drops-late", Doc: "one call in eight on kept connections is left lying for a while, and the connection closed", Verdict: Conformant, Finding: dropping,
		spoil: dropEvery(8, func(v *visit, c net.Conn) {
			lie(v, 300*time.Millisecond)
		})},
	{Name: "drops-by-tls", Doc: "one call in eight on kept connections by TLS is read, and the connection closed in order", Verdict: Conformant, Finding: dropping,
		Flags: []string{"--insecure"}, https: true, wrap: secured(time.Hour, "127.0.0.1"),
		spoil: dropEvery(8, func(v *visit, c net.Conn) {})},
	{Name: "drops-looks", Area: "task", Doc: "no look at a task is answered on a kept connection, and others are", Verdict: Partial, Finding: dropping,
		spoil: func(v *visit) {
			if v.op == "get" && v.nth > 1 {
				v.hangUp()
				return
			}
			v.pass()
		}},
	{Name: "drops-messages", Doc: "one message in two is answered by nothing, on whatever connection", Verdict: Nonconformant,
		spoil: func(v *visit) {
			if v.message && v.countCall()%2 == 0 {
				v.hangUp()
				return
			}
			v.pass()
		}},
	{Name: "idles-briefly", Doc: "connections that were idle for 150 ms are closed without a word, which is allowed", Verdict: Conformant, idle: 150 * time.Millisecond,
		spoil: (*visit).pass},
	{Name: "five-each", Doc: "connections are closed after five answers without a word, which is allowed", Verdict: Conformant,
		spoil: func(v *visit) {
			if v.op == "stream" && v.nth >= 5 {
				v.w.Header().Set("Connection", "close") // a stream is not held back to its end
			}
			if v.op == "stream" || v.nth < 5 {
				v.pass()
				return
			}
			a := v.healthy()
			v.raw(func(c net.Conn) { say(c, "%s", strings.Replace(a.whole(), "Connection: close\r\n", "", 1)) })
		}},
}

// lie leaves a request lying.
func lie(v *visit, d time.Duration) {
	lying := time.NewTimer(d)
	defer lying.Stop()
	select {
	case <-lying.C:
	case <-v.r.Context().Done():
	}
}

// dropEvery lets one call in so many on kept connections go unanswered.
func dropEvery(n int, end func(v *visit, c net.Conn)) func(*visit) {
	return func(v *visit) {
		if v.every(n) {
			v.raw(func(c net.Conn) { end(v, c) })
			return
		}
		v.pass()
	}
}

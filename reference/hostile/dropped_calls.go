package hostile

import (
	"net"
	"strings"
	"time"
)

// dropRequirement is the finding about calls that are answered by nothing.
const dropRequirement = "A2A-DROP-000"

// drops are servers that close kept connections without a word. What a client
// sends again there without telling is not seen by its operator.
var drops = []Server{
	{Name: "drops-some", Doc: "one call in eight on kept connections is read, and the connection closed", Verdict: Conformant, Finding: dropRequirement,
		corrupt: dropEvery(8, func(v *request, c net.Conn) {})},
	{Name: "resets-some", Doc: "one call in eight on kept connections is read, and after a while the connection is reset", Verdict: Conformant, Finding: dropRequirement,
		corrupt: dropEvery(8, func(v *request, c net.Conn) {
			delayUnlessCanceled(v, 50*time.Millisecond)
			resetConnection(c)
		})},
	{Name: "drops-after-work", Doc: "one call in eight on kept connections is executed, and not answered", Verdict: Conformant, Finding: dropRequirement,
		corrupt: func(v *request) {
			if v.isEveryNthOnReusedConn(8) {
				v.fetchHealthy()
				v.hangUp()
				return
			}
			v.passThrough()
		}},
	{Name: "drops-late", Doc: "one call in eight on kept connections is left lying for a while, and the connection closed", Verdict: Conformant, Finding: dropRequirement,
		corrupt: dropEvery(8, func(v *request, c net.Conn) {
			delayUnlessCanceled(v, 300*time.Millisecond)
		})},
	{Name: "drops-by-tls", Doc: "one call in eight on kept connections by TLS is read, and the connection closed in order", Verdict: Conformant, Finding: dropRequirement,
		Flags: []string{"--insecure"}, https: true, wrap: newTLSWrapperNamedMarkup(time.Hour, "127.0.0.1"),
		corrupt: dropEvery(8, func(v *request, c net.Conn) {})},
	{Name: "drops-looks", Area: "task", Doc: "no look at a task is answered on a kept connection, and others are", Verdict: Partial, Finding: dropRequirement,
		corrupt: func(v *request) {
			if v.op == "get" && v.nth > 1 {
				v.hangUp()
				return
			}
			v.passThrough()
		}},
	{Name: "drops-messages", Doc: "one message in two is answered by nothing, on whatever connection", Verdict: Nonconformant,
		corrupt: func(v *request) {
			if v.message && v.countCall()%2 == 0 {
				v.hangUp()
				return
			}
			v.passThrough()
		}},
	{Name: "idles-briefly", Doc: "connections that were idle for 150 ms are closed without a word, which is allowed", Verdict: Conformant, idle: 150 * time.Millisecond,
		corrupt: (*request).passThrough},
	{Name: "five-each", Doc: "connections are closed after five answers without a word, which is allowed", Verdict: Conformant,
		corrupt: func(v *request) {
			if v.op == "stream" && v.nth >= 5 {
				v.w.Header().Set("Connection", "close") // a stream is not held back to its end
			}
			if v.op == "stream" || v.nth < 5 {
				v.passThrough()
				return
			}
			a := v.fetchHealthy()
			v.takeConnection(func(c net.Conn) { writeText(c, "%s", strings.Replace(a.formatWhole(), "Connection: close\r\n", "", 1)) })
		}},
}

// delayUnlessCanceled leaves a request lying.
func delayUnlessCanceled(v *request, d time.Duration) {
	lying := time.NewTimer(d)
	defer lying.Stop()
	select {
	case <-lying.C:
	case <-v.r.Context().Done():
	}
}

// dropEvery lets one call in so many on kept connections go unanswered.
func dropEvery(n int, end func(v *request, c net.Conn)) func(*request) {
	return func(v *request) {
		if v.isEveryNthOnReusedConn(n) {
			v.takeConnection(func(c net.Conn) { end(v, c) })
			return
		}
		v.passThrough()
	}
}

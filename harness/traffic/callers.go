package traffic

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// fieldsOfNobody are header fields that say nothing about who makes a call. Any other may.
var fieldsOfNobody = []string{
	"Accept", "Accept-Encoding", "Accept-Language", "A2a-Extensions", "A2a-Version", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Dnt",
	"Grpc-Accept-Encoding", "Grpc-Encoding", "Grpc-Timeout", "Host", "If-Modified-Since", "If-None-Match", "Keep-Alive", "Last-Event-Id", "Origin", "Pragma", "Priority", "Referer", "Te", "Traceparent",
	"Tracestate", "Trailer", "Transfer-Encoding", "Upgrade-Insecure-Requests", "User-Agent", "X-A2a-Extensions", "X-Request-Id",
}

// readCaller reads who made a call: everything in its head that may tell one caller from another. known is false if that is
// not recorded, or hidden in a way in which two may look alike.
func readCaller(x *record.Exchange) (caller string, known bool) {
	if x.Gaps != nil && x.Gaps.Fields {
		return "", false
	}
	if !hasCredential(x) && x.Response.Header().Get("Set-Cookie") != "" {
		return "", false // the server begins to tell this caller from others
	}
	var said []string
	header := x.Request.Header()
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		if slices.Contains(fieldsOfNobody, name) || strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, ":") {
			continue
		}
		value := strings.Join(values, ", ")
		if strings.Contains(value, record.SecretMark+strings.ToLower(name)+"⟧") {
			return "", false
		}
		said = append(said, name+": "+value)
	}
	slices.Sort(said)
	return strings.Join(said, "\n"), true
}

// isOfOtherCaller reports whether two calls are known to be of different callers.
func (c *foundCall) isOfOtherCaller(o *foundCall) bool {
	return c.callerKnown && o.callerKnown && c.caller != o.caller
}

// isOfSameCaller reports whether two calls are known to be of one caller. Of calls without a credential that is so if they came
// on one connection, or if no certificate can tell them apart.
func (c *foundCall) isOfSameCaller(o *foundCall) bool {
	if !c.callerKnown || !o.callerKnown || c.caller != o.caller {
		return false
	}
	x, y := c.Exchange, o.Exchange
	return hasCredential(x) || x.Conn != 0 && x.Conn == y.Conn || !mayShowCertificate(x) && !mayShowCertificate(y)
}

// hasCredential reports whether a request has a field by which callers differ everywhere.
func hasCredential(x *record.Exchange) bool {
	h := x.Request.Header()
	return h.Get("Authorization") != "" || h.Get("Cookie") != "" || h.Get("X-Api-Key") != ""
}

// mayShowCertificate reports whether a client may have shown a certificate of its own when it made a call, which is in no
// recording. To a server that is called through our proxy, all clients are the proxy.
func mayShowCertificate(x *record.Exchange) bool {
	passedOn := x.TLS != nil && x.Gaps != nil
	return strings.HasPrefix(x.URL, "https:") && !passedOn
}

// settlesRefusal reports whether what came later shows that none of the reasons that a recording does not show was the
// reason of a refusal about a task: its caller, to whom the task was shown before, was shown afterwards that it had not ended,
// or that the task has the message which was refused.
func (v *conversations) settlesRefusal(c *foundCall) bool {
	task := c.aboutTask()
	before := classOf(v.d, c.Before)
	shownBefore := false
	for _, o := range v.ofTask[task] {
		if o == c || !o.isOfSameCaller(c) || o.Kind != taskKind {
			continue
		}
		shownBefore = shownBefore || o.firstNews() <= c.Exchange.Start
		if !shownBefore {
			continue
		}
		for _, s := range o.states {
			if s.at <= c.Exchange.End {
				continue
			}
			switch class := classOf(v.d, s.state); {
			case class == workingClass && before == workingClass && !v.d.Operation(c.Op).Agent,
				class == waitingClass && before == waitingClass && v.isStill(c, s):
				return true
			}
		}
		if o.Exchange.Start >= c.Exchange.End && v.d.Operation(c.Op).Agent && before == waitingClass && v.keepsMessage(o, c) {
			return true
		}
	}
	return false
}

// isStill reports whether a task that waits is shown to be as it was before a call: nothing of its status changed.
func (v *conversations) isStill(c *foundCall, now delivered) bool {
	var was *record.Node
	for _, s := range v.states[c.aboutTask()] {
		if s.at <= c.Exchange.Start && s.status != nil {
			was = s.status
		}
	}
	return was != nil && now.status != nil && was.Equal(now.status)
}

// keepsMessage reports whether the history in an answer has the message that a call sent: the one with its id or, in dialects
// without ids of messages, the same parts in the same role.
func (v *conversations) keepsMessage(o, c *foundCall) bool {
	sent := c.sent.Params.At("/message")
	if sent == nil || o.history == nil {
		return false
	}
	return slices.ContainsFunc(o.history.Elems, func(m *record.Node) bool {
		if c.Message != "" {
			id := m.Member("messageId")
			return id != nil && id.String == c.Message
		}
		parts, role := m.Member("parts"), m.Member("role")
		return parts != nil && role != nil && sent.Member("parts") != nil && sent.Member("role") != nil && parts.Equal(sent.Member("parts")) && role.Equal(sent.Member("role"))
	})
}

// isFreshAndOwn reports whether a look-up that did not find a task was made by the caller of the message that made it, soon
// after that was answered, so that the task can neither be another caller's nor be gone.
func (v *conversations) isFreshAndOwn(c *foundCall) bool {
	return slices.ContainsFunc(v.ofTask[c.Task], func(o *foundCall) bool {
		since := c.Exchange.Start - o.Exchange.End
		return o != c && o.Made == c.Task && v.d.Operation(o.Op).Agent && o.Task == "" && o.isOfSameCaller(c) && o.Binding == c.Binding && since >= 0 && since <= soonAfter
	})
}

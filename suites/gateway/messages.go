package gateway

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

func init() {
	checks["gateway/one-length-arrived"] = checkOneLengthArrived
	checks["gateway/one-length-returned"] = checkOneLengthReturned
	checks["gateway/whole"] = checkWhole
	checks["gateway/no-content"] = checkNoContent
	checks["gateway/same-body"] = checkSameBody
	checks["gateway/same-body-arrived"] = checkSameBodyArrived
	checks["gateway/trailer"] = checkTrailer
	checks["gateway/interim"] = checkInterim
	checks["gateway/target"] = checkTarget
	checks["gateway/coding"] = checkCoding
	checks["gateway/media-type"] = checkMediaType
	checks["gateway/message-id"] = checkMessageID
	checks["gateway/task-found"] = checkTaskFound
	checks["gateway/once"] = checkOnce
	checks["gateway/reached"] = checkReached
	checks["gateway/same-size"] = checkSameSize
}

// hasTwoLengths reports whether a head states the length of its content in two ways.
func hasTwoLengths(m *record.Message) bool {
	return len(valuesOf(m, "Content-Length")) > 0 && len(valuesOf(m, "Transfer-Encoding")) > 0
}

// checkOneLengthArrived judges whether the requests of the gateway state their length in one way.
func checkOneLengthArrived(j *judged, _ params) outcome {
	var seen *record.Exchange
	for _, q := range j.pairs {
		for _, x := range q.arrived {
			if x.HTTP2 != nil {
				continue
			}
			if seen = x; hasTwoLengths(&x.Request) {
				return j.failWith([]*record.Exchange{q.through, x}, "the request of the gateway has both `Content-Length` and `Transfer-Encoding`")
			}
		}
	}
	if seen == nil {
		return leaveUndecided("no request of the gateway arrived over HTTP/1.1")
	}
	return j.passWith("each request of the gateway states its length in one way", seen)
}

// checkOneLengthReturned judges whether the responses of the gateway state their length in one way.
func checkOneLengthReturned(j *judged, _ params) outcome {
	var seen *record.Exchange
	for _, q := range j.pairs {
		if q.through == nil || !q.through.Answered() || q.through.HTTP2 != nil || q.direct != nil && hasTwoLengths(&q.direct.Response) {
			continue
		}
		if seen = q.through; hasTwoLengths(&q.through.Response) {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the response of the gateway has both `Content-Length` and `Transfer-Encoding`")
		}
	}
	if seen == nil {
		return leaveUndecided("the gateway did not answer over HTTP/1.1")
	}
	return j.passWith("each response of the gateway states its length in one way", seen)
}

// torn are the conversations whose answers may end early for other reasons.
var torn = []string{"cut", "drop", "large-answer", "large-request", "quiet", "slow"}

// checkWhole judges whether responses have the length that they declare.
func checkWhole(j *judged, _ params) outcome {
	var seen *record.Exchange
	for _, q := range j.pairs {
		if q.direct == nil || q.through == nil || slices.Contains(torn, q.play) || q.direct.Ended != record.EOF || !q.through.Answered() {
			continue
		}
		f := q.through.Response.Framing
		if f.Declared < 0 || f.Kind == "none" && q.through.Ended == record.EOF {
			continue
		}
		if seen = q.through; f.Declared != f.Received && (q.through.Ended == record.Reset || q.through.Ended == record.EOF || q.through.Ended == record.Timeout) {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the response of the gateway declares %d bytes, and %d came", f.Declared, f.Received)
		}
	}
	if seen == nil {
		return leaveUndecided("no response of the gateway declares its length")
	}
	return j.passWith("each response of the gateway has the length that it declares", seen)
}

// checkNoContent judges the head of a response without content.
func checkNoContent(j *judged, p params) outcome {
	q, stop := j.requirePair(p)
	if stop != nil {
		return *stop
	}
	if q.through.Status() != http.StatusNoContent {
		return leaveUndecided("%s", refusedByGateway(q))
	}
	for _, name := range []string{"Content-Length", "Transfer-Encoding"} {
		if len(valuesOf(&q.through.Response, name)) > 0 && len(valuesOf(&q.direct.Response, name)) == 0 {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the response of the gateway with status 204 has `%s`", name)
		}
	}
	return j.passWith("the response with status 204 states no length", q.direct, q.through)
}

// serialMember is the member by which the answers of the upstream differ.
var serialMember = regexp.MustCompile(`"serial" ?: ?[0-9]+`)

// withoutSerial returns the content of an answer of the upstream without its number.
func withoutSerial(x *record.Exchange) []byte {
	return serialMember.ReplaceAll(x.Response.Body, []byte(`"serial":0`))
}

// serialOf returns the number of an answer of the upstream; "" if there is none.
func serialOf(x *record.Exchange) string { return string(serialMember.Find(x.Response.Body)) }

// checkSameBody judges whether the content of a response reached the caller as it was sent. A content coding is taken off: it
// leaves the content as it is.
func checkSameBody(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	if direct, through := withoutSerial(q.direct), withoutSerial(q.through); !bytes.Equal(direct, through) {
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway changed the content %q of the response to %q", showText(string(direct)), showText(string(through)))
	}
	return j.passWith("the content reached the caller as it was sent", q.direct, q.through)
}

// checkSameBodyArrived judges whether the content of a request reached the server as it was sent.
func checkSameBodyArrived(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	if arrived.Ended == record.Limit {
		return leaveUndecided("%s", arrived.Trouble)
	}
	if !bytes.Equal(q.through.Request.Body, arrived.Request.Body) {
		return j.failWith([]*record.Exchange{q.through, arrived}, "the gateway changed the content %q of the request to %q", showText(string(q.through.Request.Body)), showText(string(arrived.Request.Body)))
	}
	return j.passWith("the content reached the server as it was sent", q.through, arrived)
}

// checkTrailer judges whether a field after the content reached the caller.
func checkTrailer(j *judged, p params) outcome {
	if q := j.findPair(p.Play, p.Step); q != nil && q.direct.Response.Trailers().Get(p.Field) != "" && q.through.Ended == record.Timeout {
		return j.failWith([]*record.Exchange{q.direct, q.through}, "an answer with `%s` after its content did not come through the gateway within %.0f s", p.Field, (q.through.End - q.through.Start).Seconds())
	}
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	switch {
	case q.direct.Response.Trailers().Get(p.Field) == "":
		return leaveUndecided("the server sent no `%s` after the content", p.Field)
	case q.through.Response.Trailers().Get(p.Field) == "":
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway removed `%s` after the content of the response", p.Field)
	}
	return j.passWith("`"+p.Field+"` after the content reached the caller", q.direct, q.through)
}

// checkInterim judges whether an interim response reached the caller.
func checkInterim(j *judged, p params) outcome {
	q, stop := j.requirePair(params{Play: p.Play, Step: "call"})
	if stop != nil {
		return *stop
	}
	switch {
	case refusedByGateway(q) != "":
		return leaveUndecided("%s", refusedByGateway(q))
	case !slices.Contains(q.direct.Response.Framing.Interim, p.Status):
		return leaveUndecided("the server sent no interim response with status %d", p.Status)
	case !slices.Contains(q.through.Response.Framing.Interim, p.Status):
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway did not pass on the interim response with status %d", p.Status)
	}
	if next := j.findPair(p.Play, "next"); next != nil && next.direct.Ended == record.EOF && next.through.Ended == record.Timeout {
		return j.failWith([]*record.Exchange{q.through, next.through}, "after the interim response with status %d, the gateway answered no other call on that connection within %.0f s", p.Status, (next.through.End - next.through.Start).Seconds())
	}
	return j.passWith("the interim response reached the caller", q.direct, q.through)
}

// checkTarget judges whether the target of a request reached the server as it was written, whatever the path below which the
// gateway serves it.
func checkTarget(j *judged, p params) outcome {
	q, arrived, stop := j.requireArrived(p)
	if stop != nil {
		if j.findPair(p.Play, "") == nil {
			return notApplicable("the agent has no HTTP+JSON")
		}
		return *stop
	}
	sent, came := targetFrom(q.through.URL), targetFrom(arrived.URL)
	if sent != came {
		return j.failWith([]*record.Exchange{q.through, arrived}, "the gateway changed the target %s to %s", showText(sent), showText(came))
	}
	return j.passWith("the target reached the server as it was written", q.through, arrived)
}

// targetFrom returns what follows /tasks in a URL, as it was written.
func targetFrom(address string) string {
	if i := strings.Index(address, "/tasks/"); i >= 0 {
		return address[i:]
	}
	if u, err := url.Parse(address); err == nil {
		return u.RequestURI()
	}
	return address
}

// checkCoding judges whether the content coding that caller and server agreed on was kept.
func checkCoding(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	switch {
	case q.direct.Response.Framing.Coding == "":
		return leaveUndecided("the server did not compress its answer")
	case q.through.Response.Framing.Coding == "":
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the caller takes gzip, and the server sends it directly, but the response of the gateway is not compressed")
	}
	return j.passWith("the answer is compressed through the gateway too", q.direct, q.through)
}

// checkMediaType judges whether a response reached the caller with its media type.
func checkMediaType(j *judged, p params) outcome {
	q, stop := j.requireServed(p)
	if stop != nil {
		return *stop
	}
	switch {
	case q.direct.Response.MediaType() != p.Type:
		return leaveUndecided("the server did not answer with %s", p.Type)
	case q.through.Response.MediaType() != p.Type:
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway changed the `Content-Type` of the response from %s to %q", p.Type, showText(q.through.Response.MediaType()))
	}
	return j.passWith("the response has the media type "+p.Type, q.direct, q.through)
}

// messageIDOf returns the id of the message in a call.
func messageIDOf(b binding.Binding, x *record.Exchange) string {
	if n := b.Sent(x).Params.At("/message/messageId"); n != nil && n.Kind == record.String {
		return n.String
	}
	return ""
}

// checkMessageID judges whether the id of each message reached the server.
func checkMessageID(j *judged, _ params) outcome {
	var seen []*record.Exchange
	for _, q := range slices.Concat(j.listOfKind(schema.KindJSONRPC, "task", "send"), j.listOfKind(schema.KindREST, "task", "send")) {
		if len(q.arrived) == 0 {
			continue
		}
		b := binding.ByNameOrDefault(j.dialect, q.binding)
		sent, came := messageIDOf(b, q.through), messageIDOf(b, q.arrived[0])
		if sent == "" {
			continue
		}
		if seen = append(seen, q.through, q.arrived[0]); sent != came {
			return j.failWith(seen[len(seen)-2:], "the caller's message has the `messageId` %s, and %q arrived", showText(sent), showText(came))
		}
	}
	if len(seen) == 0 {
		return leaveUndecided("no message reached the server")
	}
	return j.passWith("each message reached the server with its `messageId`", seen...)
}

// checkTaskFound judges whether a task is found by the id that the caller was given.
func checkTaskFound(j *judged, _ params) outcome {
	var seen []*record.Exchange
	for _, q := range j.listOfKind("", "task", "get") {
		if whyUnusable(q) != "" {
			continue
		}
		direct, through := j.answersOf(q, "get")
		if !direct.Result.Present() {
			continue
		}
		seen = append(seen, q.through)
		if through.Refuses("TaskNotFound") {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the task whose `id` the caller was given through the gateway is not found there, though it is found directly")
		}
		if !through.Result.Present() {
			return leaveUndecided("the call for a task is not answered with a task through the gateway")
		}
	}
	if len(seen) == 0 {
		return leaveUndecided("no message was answered with a task, so that none could be looked up")
	}
	return j.passWith("each task is found by its `id`", seen...)
}

// checkOnce judges how often a request arrived.
func checkOnce(j *judged, p params) outcome {
	q, _, stop := j.requireArrived(p)
	if stop != nil {
		return *stop
	}
	if n := len(q.arrived); n > 1 {
		return j.failWith(append([]*record.Exchange{q.through}, q.arrived...), "the gateway sent one `POST` %d times, since the server closed the connection", n)
	}
	return j.passWith("the request arrived once", q.through, q.arrived[0])
}

// checkReached judges whether a large request reached the server.
func checkReached(j *judged, p params) outcome {
	q, stop := j.requirePair(p)
	if stop != nil {
		if q := j.findPair(p.Play, ""); q != nil && q.direct.Answered() && len(q.arrived) == 0 && !isUnseen(q) {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway broke off a request of %d bytes", len(q.through.Request.Body))
		}
		return *stop
	}
	if q.direct.Status() != http.StatusOK || q.direct.GRPC().Failed() {
		return leaveUndecided("the server itself refuses the request")
	}
	if len(q.arrived) == 0 || refusedByGateway(q) != "" {
		return j.failWith([]*record.Exchange{q.direct, q.through}, "the gateway answered a request of %d bytes with HTTP status %d, and did not pass it on", len(q.through.Request.Body), q.through.Status())
	}
	return j.passWith(fmt.Sprintf("a request of %d bytes reached the server", len(q.through.Request.Body)), q.through, q.arrived[0])
}

// checkSameSize judges whether a large response reached the caller.
func checkSameSize(j *judged, p params) outcome {
	q := j.findPair(p.Play, "")
	if q == nil {
		return leaveUndecided("%s (%s)", whyUnusable(q), p.Play)
	}
	if !q.direct.Answered() || q.direct.Ended != record.EOF {
		return leaveUndecided("the server itself does not answer this call")
	}
	if isUnseen(q) {
		return leaveUndecided("%s", whyUnusable(q))
	}
	was, is := q.direct.Response.Framing.Received, q.through.Response.Framing.Received
	if q.through.Ended == record.EOF && q.through.Response.Framing.Coding != "" && refusedByGateway(q) == "" {
		return j.passWith("the answer reached the caller compressed", q.direct, q.through)
	}
	if was != is || q.through.Ended != record.EOF || refusedByGateway(q) != "" {
		return j.failWith([]*record.Exchange{q.direct, q.through}, "an answer of %d bytes came through the gateway with HTTP status %d and %d bytes", was, q.through.Status(), is)
	}
	return j.passWith(fmt.Sprintf("an answer of %d bytes reached the caller", was), q.direct, q.through)
}

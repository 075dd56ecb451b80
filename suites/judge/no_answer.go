package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// describeMissingJSON returns what came in place of JSON; "" if JSON came.
func describeMissingJSON(x *record.Exchange, root *record.Node) string {
	switch {
	case root != nil:
		return ""
	case !x.Answered() && x.Ended == record.Timeout:
		return fmt.Sprintf("gave no answer within %.1f s", (x.End - x.Start).Seconds())
	case !x.Answered() && x.Ended == record.NoDial:
		return "could not be reached: " + shorten.Visible(x.Trouble, 160)
	case !x.Answered():
		return "closed the connection without an answer"
	case x.Ended == record.Reset:
		return fmt.Sprintf("broke off its answer (HTTP %d) after %d bytes", x.Status(), len(x.Response.Body))
	case x.Ended == record.Timeout:
		return fmt.Sprintf("had not ended its answer (HTTP %d, %d bytes so far) after %.1f s", x.Status(), len(x.Response.Body), (x.End - x.Start).Seconds())
	case x.GRPC() != nil && len(x.GRPC().Messages) == 0:
		return fmt.Sprintf("answered %s without a message", x.StatusText())
	case x.GRPC() != nil:
		return fmt.Sprintf("answered %s with a message that cannot be read", x.StatusText())
	case len(x.Response.Body) == 0:
		return AnsweredBy(x, "") + " without a body"
	}
	return AnsweredBy(x, BodyWords(x)) + notJSON(x)
}

// BodyWords returns a body that is no answer of the protocol: its type, and how it begins.
func BodyWords(x *record.Exchange) string {
	mt := cmp.Or(shorten.Visible(x.Response.MediaType(), 60), "a body without Content-Type")
	begins := strings.Join(strings.Fields(string(x.Response.Body[:min(len(x.Response.Body), 200)])), " ")
	return mt + " " + strconv.Quote(shorten.Clip(shorten.Visible(begins, 60), 40))
}

// notJSON returns what is wrong with a body that is no JSON, unless the status states that the
// call failed anyway.
func notJSON(x *record.Exchange) string {
	if x.Status() >= 400 {
		return ""
	}
	return ", which is not JSON"
}

// AnsweredBy describes how a call was answered over HTTP, and with what: a status of failure is a
// refusal, whatever the body.
func AnsweredBy(x *record.Exchange, what string) string {
	words, with := "answered", " with "
	verb, _, _ := strings.Cut(string(x.Request.Head[:min(len(x.Request.Head), 16)]), " ")
	switch status := x.Status(); {
	case verb != http.MethodPost && status == http.StatusNotFound: // it may be a document that is not there
	case status/100 == 4:
		words, with = "refused the call with", " and "
	case status/100 == 5:
		words, with = "failed with", " and "
	}
	words += fmt.Sprintf(" HTTP %d", x.Status())
	if what != "" {
		words += with + what
	}
	return words
}

// describeNonJSONDocument returns what the server sent in place of JSON; "" if it sent JSON.
func describeNonJSONDocument(s *Document) string {
	switch {
	case s.Event > 0 && s.Root == nil:
		return "sent an event whose data is not JSON"
	case s.Kind != Delivery:
		return describeMissingJSON(s.Exchange, s.Root)
	case s.Root != nil:
		return ""
	case len(s.Exchange.Request.Body) == 0:
		return "delivered no body"
	}
	return "delivered a body that is not JSON"
}

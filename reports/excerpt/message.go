package excerpt

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
)

// ReadMessage returns the text of one half of an exchange for people: of gRPC the message as JSON, of
// a stream the event that is meant, or all of it.
func ReadMessage(x *record.Exchange, response bool, event int) (text string, recorded []byte, note string) {
	if !response {
		if r := x.Request.Recipe; r != nil {
			return "", nil, fmt.Sprintf("%s made by %s, sha256 %s", safetext.CountWithNoun(r.Size, "byte"), safetext.Line(r.Generator, safetext.MaxName), safetext.Line(r.SHA256, safetext.MaxName))
		}
		if all := x.Request.GRPCMessages(); x.GRPC() != nil && len(all) > 0 {
			t := x.CallText()
			return indentText(t), t, "The message, read as JSON."
		}
		return indentText(x.Request.Body), x.Request.Body, ""
	}
	if events := x.Events(); event > 0 && event <= len(events) {
		e := events[event-1]
		note = fmt.Sprintf("Event %d of %d, %s.", event, len(events), view.FormatDelay(e.At-x.Start))
		if e.HasData {
			return indentText([]byte(e.Data)), []byte(e.Data), note
		}
		raw := x.Response.Body[min(e.Start, len(x.Response.Body)):min(e.End, len(x.Response.Body))]
		return indentText(raw), raw, note
	}
	if x.GRPC() != nil {
		t := x.ReplyText()
		return indentText(t), t, "The message, read as JSON."
	}
	return indentText(x.Response.Body), x.Response.Body, ""
}

// EndingWords explains how a message ended.
var EndingWords = map[record.Ended]string{
	record.EOF:      "the message was complete",
	record.Reset:    "the peer broke the connection before the message was complete",
	record.Timeout:  "our time limit was reached first",
	record.OurClose: "we closed the connection, having seen enough",
	record.Limit:    "the message was too large to keep in full",
	record.NoDial:   "no connection could be made",
}

package rpc

import (
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// wellFormed reads the bytes of every body that is labelled as JSON or as a
// stream of it, once for each.
func wellFormed(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	seen := map[*record.Exchange]bool{}
	for _, v := range t.All(judge.CardText, judge.ReplyText, judge.EventText, judge.OtherText) {
		x := v.Exchange()
		kind := x.Response.MediaType()
		if seen[x] || len(x.Response.Body) == 0 || x.Ended == record.Limit || kind != "application/json" && kind != "text/event-stream" {
			continue
		}
		seen[x] = true
		of = append(of, v)
	}
	judge.Each(t, of, func(v judge.Value) {
		if body := v.Exchange().Response.Body; !utf8.Valid(body) {
			at := 0
			for c, n := utf8.DecodeRune(body); c != utf8.RuneError || n > 1; c, n = utf8.DecodeRune(body[at:]) {
				at += n
			}
			t.Fail(v.At(""), fmt.Sprintf("sent the byte 0x%02x at %d, which is no UTF-8", body[at], at), "well-formed UTF-8")
		}
		t.OK(v)
	})
}

// lettersKept compares what the protocol echoes: the id of the call, and the
// context of the message.
func lettersKept(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		result := s.Result()
		t.Expect(s.Reply().ID()).To(observe.BeNode(s.Sent().ID))
		t.Expect(result.Read("task.context")).To(match.BeTheText("the id that the client sent with the message, ", s.Context))
	})
}

func charset(t *judge.T, _ struct{}) {
	var of []judge.Value
	named := map[*record.Exchange]string{}
	for _, v := range t.All(judge.CardText, judge.ReplyText, judge.OtherText) {
		kind, params, err := mime.ParseMediaType(v.Exchange().Response.Header().Get("Content-Type"))
		if name, ok := params["charset"]; err == nil && kind == "application/json" && ok {
			of = append(of, v)
			named[v.Exchange()] = name
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(match.Head("the charset utf-8, where one is named", func(judge.Value) bool { return strings.EqualFold(named[v.Exchange()], "utf-8") },
			func(judge.Value) string { return "named the charset " + shorten.Visible(named[v.Exchange()], 40) }).On("Content-Type"))
	})
}

package stream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkStreamOpensWithData leaves the media type of the stream to another requirement.
func checkStreamOpensWithData(t *judge.T, p oneOfStreamsParams) {
	judge.EachOf(t, p.allOrFirstOpenedStream(t), func(s judge.Step) {
		t.Expect(s.Head()).To(match.HaveStatus(200))
		expectNoStreamRefusal(t, s)
		events := s.Events() // a stream that is too large to keep may have none here
		t.Expect(s.Head()).To(match.Head("an event stream with at least one line of data", func(v judge.Value) bool {
			return s.Exchange.IsStream() && (len(events) > 0 || len(s.Exchange.Events()) > 0) || hasDataLines(s.Exchange.Response.Body)
		}, func(v judge.Value) string {
			return fmt.Sprintf("answered with %s that holds none", cmp.Or(s.Exchange.Response.MediaType(), "a body"))
		}).On("Content-Type"))
	})
}

func hasDataLines(body []byte) bool {
	return slices.ContainsFunc(strings.FieldsFunc(string(body), func(r rune) bool { return r == '\r' || r == '\n' }),
		func(line string) bool { return strings.HasPrefix(line, "data:") })
}

// checkCachingForbidden has a finding if a stricter directive takes the place of no-cache.
func checkCachingForbidden(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireStream(t, s)
		directives := headerElements(s, "Cache-Control")
		if !slices.Contains(directives, "no-cache") && slices.Contains(directives, "no-store") {
			t.Tolerate(s.Head(), "the server sends Cache-Control: no-store without no-cache")
			return
		}
		expectHeader(t, s, "Cache-Control", "Cache-Control with the directive no-cache", slices.Contains(directives, "no-cache"))
	})
}

// headerElements returns the comma-separated elements of a header, in lower case.
func headerElements(s judge.Step, name string) (out []string) {
	for _, v := range s.Exchange.Response.Header().Values(name) {
		for f := range strings.SplitSeq(v, ",") {
			out = append(out, strings.ToLower(strings.TrimSpace(f)))
		}
	}
	return out
}

// expectHeader fails the check unless a header field of the response is right.
func expectHeader(t *judge.T, s judge.Step, name, want string, right bool) {
	t.Expect(s.Head()).To(match.Head(want, func(judge.Value) bool { return right }, func(judge.Value) string {
		v := s.Exchange.Response.Header().Values(name)
		if len(v) == 0 {
			return "sent no " + name
		}
		return "sent " + name + ": " + shorten.Visible(strings.Join(v, ", "), 80)
	}).On(name))
}

// checkNoConnectionClose requires no header: in HTTP/1.1 a connection is kept open unless one side
// sends close.
func checkNoConnectionClose(t *judge.T, p observe.OnSteps) {
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireStream(t, s)
		expectHeader(t, s, "Connection", "no Connection: close with the stream", !slices.Contains(headerElements(s, "Connection"), "close"))
	})
}

// checkAnyOriginAllowed accepts a server that repeats the origin of the request, which allows
// any.
func checkAnyOriginAllowed(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.RequireStream(t, s)
	allowed := s.Exchange.Response.Header().Values("Access-Control-Allow-Origin")
	ours := s.Exchange.Request.Header().Get("Origin")
	if len(allowed) == 1 && ours != "" && allowed[0] == ours {
		t.Tolerate(s.Head(), "the server repeats the origin in Access-Control-Allow-Origin instead of sending *")
		return
	}
	expectHeader(t, s, "Access-Control-Allow-Origin", "Access-Control-Allow-Origin: *", len(allowed) == 1 && allowed[0] == "*")
}

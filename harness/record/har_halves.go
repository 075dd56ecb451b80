package record

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"
)

// An entry of a HAR file holds everything twice: in the members that viewers show, and in the
// recorded bytes, which are judged. Who reads the one must not be shown other than what was
// judged, so a file whose halves differ is refused.

// compareEntry reports the first member for viewers that differs from the recorded bytes.
// The messages of gRPC are shown as JSON, which takes who knows their service: textsDiffer
// compares them.
func compareEntry(e *harEntry, x *Exchange) error {
	bytes := toEntry(runStart(e), x)
	if x.HTTP2 != nil && len(postOrEmpty(e.Request.PostData).Text) <= maxShown && len(e.Response.Content.Text) <= maxShown {
		bytes.Request.PostData = e.Request.PostData
		bytes.Response.Content.Text = e.Response.Content.Text
	}
	for _, m := range []struct {
		at          string
		file, bytes any
	}{
		{"time", e.Time, bytes.Time},
		{"timings", e.Timings, bytes.Timings},
		{"connection", e.Conn, bytes.Conn},
		{"request.method", e.Request.Method, bytes.Request.Method},
		{"request.httpVersion", e.Request.HTTPVersion, bytes.Request.HTTPVersion},
		{"request.headers", e.Request.Headers, bytes.Request.Headers},
		{"request.cookies", e.Request.Cookies, bytes.Request.Cookies},
		{"request.queryString", e.Request.Query, bytes.Request.Query},
		{"request.postData", postOrEmpty(e.Request.PostData), postOrEmpty(bytes.Request.PostData)},
		{"request.headersSize", e.Request.HeadersSize, bytes.Request.HeadersSize},
		{"request.bodySize", e.Request.BodySize, bytes.Request.BodySize},
		{"response.status", e.Response.Status, bytes.Response.Status},
		{"response.statusText", e.Response.StatusText, bytes.Response.StatusText},
		{"response.httpVersion", e.Response.HTTPVersion, bytes.Response.HTTPVersion},
		{"response.headers", e.Response.Headers, bytes.Response.Headers},
		{"response.cookies", e.Response.Cookies, bytes.Response.Cookies},
		{"response.content.size", e.Response.Content.Size, bytes.Response.Content.Size},
		{"response.content.mimeType", e.Response.Content.MimeType, bytes.Response.Content.MimeType},
		{"response.content.text", e.Response.Content.Text, bytes.Response.Content.Text},
		{"response.redirectURL", e.Response.RedirectURL, bytes.Response.RedirectURL},
		{"response.headersSize", e.Response.HeadersSize, bytes.Response.HeadersSize},
		{"response.bodySize", e.Response.BodySize, bytes.Response.BodySize},
		{"response._trailers", e.Response.Trailers, bytes.Response.Trailers},
	} {
		if err := describeDifference(m.at, m.file, m.bytes); err != nil {
			return err
		}
	}
	return nil
}

// viewerBodies is what a viewer shows of the bodies of an exchange over HTTP/2.
type viewerBodies struct {
	x        *Exchange
	post     harPost
	received string
}

// compareBodies reports the first body over HTTP/2 that is shown other than it was recorded.
func compareBodies(all []viewerBodies) error {
	for _, s := range all {
		if by, _ := translatorOf(s.x.calledPath()); by == nil && IsGRPC(s.x.Request.MediaType()) {
			continue
		}
		bytes := toEntry(time.Time{}, s.x)
		at := fmt.Sprintf("log.entries[%d]", s.x.ID-1)
		if err := describeDifference(at+".request.postData", s.post, postOrEmpty(bytes.Request.PostData)); err != nil {
			return err
		}
		if err := describeDifference(at+".response.content.text", s.received, bytes.Response.Content.Text); err != nil {
			return err
		}
	}
	return nil
}

// describeDifference returns how a member for viewers differs from the recorded bytes, if it does.
func describeDifference(at string, file, bytes any) error {
	if reflect.DeepEqual(file, bytes) || reflect.DeepEqual(file, replaceInvalidUTF8(bytes)) {
		return nil
	}
	said, recorded := quoteDifference(fmt.Sprint(file), fmt.Sprint(bytes))
	return fmt.Errorf("%s is %s, but by the recorded bytes (_raw, _start, _end) it is %s", at, said, recorded)
}

// replaceInvalidUTF8 is a value as it comes back from JSON, which has U+FFFD for each byte that is not of
// UTF-8.
func replaceInvalidUTF8(v any) any {
	valid := func(s string) string { return string([]rune(s)) }
	switch v := v.(type) {
	case string:
		return valid(v)
	case []harPair:
		var out []harPair
		for _, p := range v {
			out = append(out, harPair{valid(p.Name), valid(p.Value)})
		}
		return out
	case harPost:
		return harPost{valid(v.MimeType), v.Params, valid(v.Text)}
	}
	return v
}

// postOrEmpty is what a viewer shows of a body that was sent.
func postOrEmpty(p *harPost) harPost { return *cmp.Or(p, &harPost{}) }

// runStart is when the run began by one of its entries.
func runStart(e *harEntry) time.Time { return e.Started.Add(-e.Start) }

// quoteDifference quotes two texts from the place at which they begin to differ.
func quoteDifference(a, b string) (string, string) {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return quoteFrom(a, at), quoteFrom(b, at)
}

// quoteFrom quotes the part of a text that is about a place in it.
func quoteFrom(s string, at int) string {
	const before, most = 16, 64
	from := max(0, at-before)
	to := min(len(s), from+most)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to--
	}
	shown := s[from:to]
	if from > 0 {
		shown = "…" + shown
	}
	if to < len(s) {
		shown += "…"
	}
	return strconv.QuoteToGraphic(shown)
}

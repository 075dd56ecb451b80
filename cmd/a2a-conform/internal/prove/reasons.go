package prove

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// maxReasonRunes is how many characters the text of a failure may have.
const maxReasonRunes = 300

// checkReasons demands of a failure that a maker can read it: each violation has all of
// its parts, the text is short and holds what is due, and what came back is a piece
// of the recorded bytes. It returns what is not so.
func checkReasons(t *record.Transcript, r *verdict.Result) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if r.Verdict != report.Fail {
		return nil
	}
	texts := append([]string{r.Reason}, r.Others...)
	if len(r.Why) != len(texts) {
		fault("has %d reasons in parts for %d in words", len(r.Why), len(texts))
		return faults
	}
	for i := range r.Why {
		w := &r.Why[i]
		for _, part := range []struct{ name, text string }{{"sent", w.Sent}, {"did", w.Did}, {"got", w.Got}, {"due", w.Due}, {"at", w.At.Step}} {
			if strings.TrimSpace(part.text) == "" {
				fault("does not say %s: %s", part.name, texts[i])
			}
		}
		if texts[i] != w.Text() {
			fault("has a text that is not made of its parts: %s", texts[i])
		}
		if n := utf8.RuneCountInString(texts[i]); n > maxReasonRunes || !strings.Contains(texts[i], w.Due) {
			fault("has a reason of %d characters that does not hold what is expected: %s", n, texts[i])
		}
		if !w.Words && !recordedIn(t, w.At, w.Got) {
			fault("quotes what was not recorded in exchange %d: %s", w.At.Exchange, w.Got)
		}
		if c := w.Against; c != nil && !c.Words && !recordedIn(t, c.At, c.Got) {
			fault("quotes what was not recorded in exchange %d: %s", c.At.Exchange, c.Got)
		}
	}
	return faults
}

// recordedIn reports whether a text is a piece of what an exchange holds of the
// server: a field of the head, the body, or the data of one event. What is not
// UTF-8 cannot be quoted as it is.
func recordedIn(t *record.Transcript, at report.At, text string) bool {
	if at.Exchange < 1 || at.Exchange > len(t.Exchanges) {
		return false
	}
	x := t.Exchanges[at.Exchange-1]
	m := &x.Response
	if x.Dir == record.In {
		m = &x.Request
	}
	places := [][]byte{m.Head, m.Trailer, m.Body}
	if x.GRPC() != nil {
		places = append(places, x.ReplyText())
	}
	if events := x.Events(); at.Event > 0 && at.Event <= len(events) {
		places = [][]byte{[]byte(events[at.Event-1].Data)}
	}
	for _, place := range places {
		if text != "" && bytes.Contains(bytes.ToValidUTF8(place, []byte("\uFFFD")), []byte(text)) {
			return true
		}
	}
	return false
}

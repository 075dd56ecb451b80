package observe

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// KeepStrings keeps the values that are strings: another type is for the shape.
func KeepStrings(vs []judge.Value) []judge.Value {
	return judge.Filter(vs, judge.Value.IsString)
}

// ParseTimestamp reads an ISO 8601 date-time, in its extended or basic form.
func ParseTimestamp(text string) (s Timestamp, ok bool) {
	m := isoForm.FindStringSubmatch(text)
	if m == nil {
		return s, false
	}
	s.Offset = strings.ToUpper(strings.ReplaceAll(m[6], ":", ""))
	zone := s.Offset
	switch {
	case zone == "" || zone == "Z":
		zone = "+0000"
	case len(zone) == 3:
		zone += "00"
	}
	digits := m[5][:min(len(m[5]), 9)]
	s.step = time.Second
	fraction := "." + digits
	for range digits {
		s.step /= 10
	}
	if digits == "" {
		fraction = ""
	}
	seconds := cmp.Or(m[4], "00")
	if seconds == "60" { // a leap second
		seconds = "59"
	}
	var err error
	s.Time, err = time.Parse("20060102 150405 -0700", fmt.Sprintf("%s %s%s%s%s %s",
		strings.ReplaceAll(m[1], "-", ""), m[2], cmp.Or(m[3], "00"), seconds, fraction, zone))
	return s, err == nil
}

// BeTimestamp is satisfied by an ISO 8601 date-time.
func BeTimestamp() match.Matcher {
	return match.Should("an ISO 8601 date-time string", func(v judge.Value) bool { _, ok := ParseTimestamp(v.Text()); return ok }, nil)
}

// ExpandDialectPlace returns the values at a named place of a value whose kind the dialect describes, such as
// the role of a message.
func ExpandDialectPlace(t *judge.T, v judge.Value, kind, what string) []judge.Value {
	at, ok := t.Case.Dialect.Pointer(kind, what)
	if !ok {
		return nil
	}
	return v.Expand(at)
}

// TextOf joins the texts of a message or artifact.
func TextOf(t *judge.T, v judge.Value, kind string) string {
	var b strings.Builder
	for _, s := range ExpandDialectPlace(t, v, kind, "texts") {
		b.WriteString(s.Text())
	}
	return b.String()
}

// SentMessageMember returns what the message that we sent in a step holds at a named place.
func SentMessageMember(t *judge.T, s judge.Step, what string) string {
	at, _ := t.Case.Dialect.Pointer("request", "message")
	inside, _ := t.Case.Dialect.Pointer("message", what)
	var b strings.Builder
	for _, n := range expandPath(Params(s).At(at), strings.Split(strings.TrimPrefix(inside, "/"), "/")) {
		b.WriteString(n.String)
	}
	return b.String()
}

// SentText returns the text of the message that a step sent.
func SentText(t *judge.T, s judge.Step) string { return SentMessageMember(t, s, "texts") }

// IsLoopbackURL reports whether a URL leads to the machine it is read on.
func IsLoopbackURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || err == nil && ip.IsLoopback()
}

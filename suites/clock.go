package suites

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var clockChecks = []judge.Check{
	judge.Define("time/iso-8601", "the values at a place of a type are ISO 8601 date-time strings", isoTimes),
	judge.Define("time/utc", "the date-times at a place of a type are given in UTC", utcTimes),
}

// stamp is a date-time as it was written.
type stamp struct {
	time.Time
	offset string        // as written; "" if there is none
	step   time.Duration // the least difference that its digits can express
}

var isoForm = regexp.MustCompile(`^(\d{4}-?\d\d-?\d\d)[Tt](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?([Zz]|[+-]\d\d(?::?\d\d)?)?$`)

// readStamp reads an ISO 8601 date-time, in its extended or basic form.
func readStamp(text string) (s stamp, ok bool) {
	m := isoForm.FindStringSubmatch(text)
	if m == nil {
		return s, false
	}
	pad := func(v string) string {
		if v == "" {
			return "00"
		}
		return v
	}
	s.offset = strings.ToUpper(strings.ReplaceAll(m[6], ":", ""))
	zone := s.offset
	switch {
	case zone == "" || zone == "Z":
		zone = "+0000"
	case len(zone) == 3:
		zone += "00"
	}
	digits := m[5]
	if len(digits) > 9 {
		digits = digits[:9]
	}
	s.step = time.Second
	fraction := "." + digits
	for range digits {
		s.step /= 10
	}
	if digits == "" {
		fraction = ""
	}
	seconds := pad(m[4])
	leap := seconds == "60"
	if leap {
		seconds = "59"
	}
	var err error
	s.Time, err = time.Parse("20060102 150405 -0700", fmt.Sprintf("%s %s%s%s%s %s",
		strings.ReplaceAll(m[1], "-", ""), m[2], pad(m[3]), seconds, fraction, zone))
	return s, err == nil
}

// earlier reports whether s is before o, as far as both can express it.
func (s stamp) earlier(o stamp) bool {
	step := max(s.step, o.step, 1)
	return s.Truncate(step).Before(o.Truncate(step))
}

type timePlace struct {
	ownRules
	onPlays
	Type string `json:"type"`
	At   string `json:"at"`
}

func (p timePlace) values(t *judge.T) []judge.Value {
	var out []judge.Value
	for _, v := range t.Instances(p.Type) {
		for _, w := range v.Expand(p.At) {
			if !w.IsNull() {
				out = append(out, w)
			}
		}
	}
	return out
}

func isoTimes(t *judge.T, p timePlace) {
	if p.broken(t) {
		return
	}
	judge.Each(t, p.values(t), func(v judge.Value) {
		s, ok := readStamp(v.Text())
		t.Expect(v).To(matcher{"an ISO 8601 date-time string", func(judge.Value) bool { return ok }, nil})
		if s.offset == "" {
			t.Finding(v, "a timestamp has no offset from UTC")
		}
	})
}

// utcTimes: a timestamp without offset is a finding of its form.
func utcTimes(t *judge.T, p timePlace) {
	var of []judge.Value
	for _, v := range p.values(t) {
		if s, ok := readStamp(v.Text()); ok && s.offset != "" {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(matcher{"a timestamp in UTC", func(v judge.Value) bool {
			s, _ := readStamp(v.Text())
			_, seconds := s.Zone()
			return seconds == 0
		}, nil})
	})
}

type clockParams struct {
	onPlays
	Slack float64 `json:"slack"` // seconds by which going back is a finding only: a server may run on several machines
}

// clock compares timestamps of one notation only: that a server changes its
// offset is another fault.
func clock(t *judge.T, p clockParams) {
	read := func(s sighting) (stamp, bool) { return readStamp(s.Read("task.timestamp").Text()) }
	seen := later(sightings(t, p.Plays), func(a, b sighting) bool {
		sa, oka := read(a)
		sb, okb := read(b)
		return oka && okb && sa.offset == sb.offset
	})
	judge.Each(t, seen, func(s pair) {
		was, _ := read(s.earlier)
		now, _ := read(s.later)
		if back := was.Sub(now.Time); now.earlier(was) && back <= time.Duration(p.Slack*float64(time.Second)) {
			v := s.later.Read("task.timestamp")
			t.Finding(v, "the time of a status goes back by %.3f s", back.Seconds())
			t.OK(v)
			return
		}
		t.Expect(s.later.Read("task.timestamp")).Against(s.earlier.Read("task.timestamp")).To(matcher{"none before " + s.earlier.Read("task.timestamp").Shown(),
			func(judge.Value) bool { return !now.earlier(was) }, nil})
	})
}

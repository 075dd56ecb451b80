package task

import (
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// timestampValues returns the values at the place, without null.
func timestampValues(t *judge.T, p observe.TypeRules) []judge.Value {
	var out []judge.Value
	for _, v := range t.Instances(p.Type) {
		out = append(out, judge.Filter(v.Expand(p.At), func(w judge.Value) bool { return !w.IsNull() })...)
	}
	return out
}

func checkTimestampFormat(t *judge.T, p observe.TypeRules) {
	if p.FailIfBroken(t) {
		return
	}
	judge.Each(t, timestampValues(t, p), func(v judge.Value) {
		t.Expect(v).To(observe.BeTimestamp())
		if s, _ := observe.ParseTimestamp(v.Text()); s.Offset == "" {
			t.Finding(v, "a timestamp has no offset from UTC")
		}
	})
}

type utcParams struct {
	observe.TypeRules
	Zulu bool `json:"zulu"` // and UTC is written as Z
}

// checkTimestampUTC leaves out a timestamp without an offset, which is a finding of its form.
func checkTimestampUTC(t *judge.T, p utcParams) {
	of := judge.Filter(timestampValues(t, p.TypeRules), func(v judge.Value) bool {
		s, ok := observe.ParseTimestamp(v.Text())
		return ok && (s.Offset != "" || p.Zulu)
	})
	wants := "a timestamp in UTC"
	if p.Zulu {
		wants = "a timestamp that ends in Z"
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).To(match.Should(wants, func(v judge.Value) bool {
			s, _ := observe.ParseTimestamp(v.Text())
			_, seconds := s.Zone()
			return seconds == 0 && (!p.Zulu || s.Offset == "Z")
		}, nil))
	})
}

// noteIfAllTimestampsCoarse has a finding at most, since the clock of a server may have no
// milliseconds.
func noteIfAllTimestampsCoarse(t *judge.T, p observe.TypeRules) {
	var of []judge.Value
	for _, v := range p.Instances(t, p.Type) {
		isTime := func(w judge.Value) bool { _, ok := observe.ParseTimestamp(w.Text()); return ok }
		of = append(of, judge.Filter(v.Expand(p.At), isTime)...)
	}
	fine := slices.ContainsFunc(of, func(v judge.Value) bool {
		s, _ := observe.ParseTimestamp(v.Text())
		return s.Precision() <= time.Millisecond
	})
	if !fine && len(of) > 0 {
		t.Finding(of[0], "no timestamp is more precise than %s", of[0].Shown())
	}
	judge.Each(t, of, func(v judge.Value) { t.OK(v) })
}

type clockParams struct {
	observe.OnPlays
	Slack float64 `json:"slack"` // seconds by which going back is a finding only: a server may run on several machines
}

// checkTimestampsNotDecreasing compares timestamps of one notation only: that a server changes its
// offset is another fault.
func checkTimestampsNotDecreasing(t *judge.T, p clockParams) {
	read := func(s observe.Sighting) (observe.Timestamp, bool) {
		return observe.ParseTimestamp(s.Read("task.timestamp").Text())
	}
	seen := observe.PairWithLatestEarlierSighting(observe.Sightings(t, p.Plays), func(a, b observe.Sighting) bool {
		sa, oka := read(a)
		sb, okb := read(b)
		return oka && okb && sa.Offset == sb.Offset
	})
	judge.Each(t, seen, func(s observe.SightingPair) {
		was, _ := read(s.Earlier)
		now, _ := read(s.Later)
		if back := was.Sub(now.Time); now.IsBefore(was) && back <= time.Duration(p.Slack*float64(time.Second)) {
			v := s.Later.Read("task.timestamp")
			t.Tolerate(v, "the time of a status goes back by %.3f s", back.Seconds())
			return
		}
		t.Expect(s.Later.Read("task.timestamp")).ComparedWith(s.Earlier.Read("task.timestamp")).To(match.Should("a time that is not before "+s.Earlier.Read("task.timestamp").Shown(),
			func(judge.Value) bool { return !now.IsBefore(was) }, nil))
	})
}

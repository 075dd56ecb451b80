package judge

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// findOutages finds them in a transcript, by the origins of the server.
func findOutages(t *record.Transcript) (out []Outage) {
	if !slices.ContainsFunc(t.Exchanges, (*record.Exchange).Refused) {
		return nil
	}
	calls := map[string][]*record.Exchange{}
	var order []string
	for _, x := range t.Exchanges {
		if x.Dir != record.Out || x.Ended == record.Aborted {
			continue
		}
		at := originOf(x)
		if len(calls[at]) == 0 {
			order = append(order, at)
		}
		calls[at] = append(calls[at], x)
	}
	for _, at := range order {
		if slices.ContainsFunc(calls[at], (*record.Exchange).Refused) && slices.ContainsFunc(calls[at], (*record.Exchange).Answered) {
			out = append(out, findOutagesAtOrigin(calls[at])...)
		}
	}
	return out
}

func originOf(x *record.Exchange) string {
	u, err := url.Parse(x.URL)
	if err != nil {
		return x.URL
	}
	return u.Scheme + "://" + u.Host
}

// findOutagesAtOrigin finds the outages in the calls to one origin. What was sent when the
// server was already gone and found no connection begins one, or belongs to it; a
// call that is begun and answered ends it.
func findOutagesAtOrigin(calls []*record.Exchange) (out []Outage) {
	slices.SortStableFunc(calls, func(a, b *record.Exchange) int { return cmp.Compare(a.Start, b.Start) })
	alive := func(after, before record.Instant) bool {
		return slices.ContainsFunc(calls, func(x *record.Exchange) bool { return x.Answered() && x.Start >= after && x.Start < before })
	}
	var now *Outage
	var last *record.Exchange
	for _, x := range calls {
		switch {
		case x.Refused() && now == nil:
			out = append(out, Outage{Last: last, lost: []*record.Exchange{x}})
			now = &out[len(out)-1]
		case x.Refused():
			now.lost = append(now.lost, x)
		case x.Answered() && now != nil && x.Start >= now.lost[0].End:
			now.Until, now = x, nil
		}
		if x.Answered() {
			last = x
		}
	}
	for i := range out {
		o := &out[i]
		first := o.lost[0]
		for _, x := range calls {
			over := o.Until != nil && x.Start >= o.Until.Start
			if x.Ended == record.Reset && !over && !alive(x.End, first.Start) {
				o.lost = append(o.lost, x)
			}
		}
		o.chooseBlamedCall()
	}
	return out
}

// chooseBlamedCall chooses the call that shows that the server went away: of those on which
// the connection closed without an answer the one that was begun last before that
// was noticed, else an answer that was broken off. All others may have been in its
// company only, or came too late.
func (o *Outage) chooseBlamedCall() {
	noticed := o.lost[0].End
	for _, x := range o.lost {
		noticed = min(noticed, x.End)
	}
	for _, x := range o.lost {
		// What was sent on a connection that was kept may have been repeated, when no one was there.
		if broke := x.Ended == record.Reset || x.Refused() && len(x.Attempts) > 0; !broke || !x.Posted() {
			continue
		}
		worse := o.Blamed == nil || !x.Answered() && o.Blamed.Answered()
		later := o.Blamed != nil && x.Answered() == o.Blamed.Answered() && x.Start > o.Blamed.Start && x.Start < noticed
		if worse || later {
			o.Blamed = x
		}
	}
}

// String describes when it was, by a number of the transcript.
func (o Outage) String() string {
	after := ""
	switch {
	case o.Blamed != nil:
		after = fmt.Sprintf(" after exchange %d", o.Blamed.ID)
	case o.Last != nil:
		after = fmt.Sprintf(" after exchange %d", o.Last.ID)
	}
	return "the server stopped accepting connections" + after
}

// outageReason returns why nothing can be learnt of an exchange that the server was not
// there for; "" if it was.
func (c *Case) outageReason(x *record.Exchange) string {
	for _, o := range c.Outages {
		if slices.Contains(o.lost, x) {
			return o.String()
		}
	}
	return ""
}

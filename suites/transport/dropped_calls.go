package transport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// connectionUse is a request on a connection.
type connectionUse struct {
	x          *record.Exchange
	conn       int
	start, end record.Instant
	dropped    bool           // it was sent, and nothing came back
	before     int            // requests that the connection had carried
	idle       record.Instant // for how long it had carried none
	after      string         // what kind of answer was the last on it
}

// CountRepeats counts the sendings that came to nothing and were repeated.
func CountRepeats(t *record.Transcript) int {
	n := 0
	for _, x := range t.Exchanges {
		n += len(x.Attempts)
	}
	return n
}

// maxCrossing is how long a request and the closing of its connection may be under way at the
// same time. The connection is broken then, and the server has not read the request. The signal
// takes as long as the network does in both directions, and a busy server takes a while between
// its last answer and the closing.
const maxCrossing = 40 * time.Millisecond

// minLostCalls is the number of lost calls from which on a server is reported to drop them: on a
// busy machine one or two calls may be sent while the connection is being closed.
const minLostCalls = 3

// readUses returns the requests on connections that had carried others.
func readUses(t *record.Transcript) []connectionUse {
	var all []connectionUse
	for _, x := range t.Exchanges {
		if x.Dir != record.Out || x.Conn == 0 {
			continue
		}
		for _, a := range x.Attempts {
			all = append(all, connectionUse{x: x, conn: a.Conn, start: a.Start, end: a.End, dropped: a.Sent > 0 && (!a.Reset || a.End-a.Start > maxCrossing)})
		}
		from := x.Start
		if n := len(x.Attempts); n > 0 {
			from = x.Attempts[n-1].End
		}
		all = append(all, connectionUse{x: x, conn: x.Conn, start: from, end: x.End})
	}
	slices.SortStableFunc(all, func(a, b connectionUse) int {
		return cmp.Or(cmp.Compare(a.conn, b.conn), cmp.Compare(a.start, b.start))
	})
	var again []connectionUse
	for i := range all {
		if i > 0 && all[i].conn == all[i-1].conn {
			last := all[i-1].x
			all[i].before, all[i].idle = all[i-1].before+1, all[i].start-all[i-1].end
			all[i].after = fmt.Sprintf("%d %s", last.Status(), last.Response.MediaType())
			again = append(again, all[i])
		}
	}
	return again
}

// checkDroppedCalls has a finding about calls that were sent on kept connections and answered
// by nothing, though the server had served others that were idle for as long, had
// carried as many and had just carried such an answer. Servers may close idle
// connections without a word, and some close each on which they answered in a
// certain way; a call may be on its way by then.
func checkDroppedCalls(t *judge.T, _ struct{}) {
	if CountRepeats(t.Recorded()) == 0 {
		t.StopNotApplicable("each call was answered")
	}
	type most struct {
		before int
		idle   record.Instant
	}
	served := map[string]most{} // by what went before
	again := readUses(t.Recorded())
	for _, u := range again {
		if !u.dropped && u.x.Answered() {
			s := served[u.after]
			served[u.after] = most{max(s.before, u.before), max(s.idle, u.idle)}
		}
	}
	var lost []*record.Exchange
	for _, u := range again {
		if s := served[u.after]; u.dropped && u.before <= s.before && u.idle <= s.idle {
			lost = append(lost, u.x)
		}
	}
	if len(lost) < minLostCalls {
		t.StopNotApplicable("too few calls were lost")
	}
	var numbers []string
	for _, x := range lost {
		t.Cite(x)
		if len(numbers) < 5 {
			numbers = append(numbers, fmt.Sprint(x.ID))
		}
	}
	t.Remark(lost[0], "the server closed the connection without answering on %d of %d calls on connections that it kept open, though it served others that had been idle for longer; the calls were made again (exchanges %s)",
		len(lost), len(again), strings.Join(numbers, ", "))
}

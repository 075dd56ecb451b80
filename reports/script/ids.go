package script

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// findReplyIDs finds the ids in our requests that the server had chosen in an earlier
// reply. Those of our own are made new by their last digits.
func (s *scripter) findReplyIDs(calls []*record.Exchange, t *record.Transcript) {
	s.replies = map[string]replyID{}
	ours := map[string]bool{}
	about, known := map[*record.Exchange][]string{}, map[string]bool{}
	for _, p := range t.Plays {
		for _, step := range p.Steps {
			about[step.Exchange] = append(about[step.Exchange], step.Task, step.Context)
			known[step.Task], known[step.Context] = true, true
		}
	}
	for i, x := range calls {
		if x.Dir != record.Out {
			continue
		}
		for _, id := range uuids.FindAllString(x.URL+" "+string(x.Request.Body), -1) {
			ours[id] = true
		}
		count := map[string]int{}
		for _, piece := range pieces.Split(string(x.Response.Body), -1) {
			m := member.FindStringSubmatch(piece)
			if m == nil {
				continue
			}
			count[m[1]]++
			_, carried := s.replies[m[2]]
			if !carried && !containsOwnID(ours, m[2]) && (known[m[2]] && len(m[2]) >= 4 || isReused(calls[i+1:], about, m[1], m[2])) {
				spelt := percentEncodeEveryByte(m[2])
				encoded := slices.ContainsFunc(calls[i+1:], func(x *record.Exchange) bool { return strings.Contains(x.URL, spelt) })
				s.replies[m[2]] = replyID{i, m[1], count[m[1]], len(s.replies) + 1, encoded}
			}
		}
	}
}

// listReplyIDValues are the ids that the server chose, in their order.
func (s *scripter) listReplyIDValues() []string {
	out := make([]string, len(s.replies))
	for value, r := range s.replies {
		out[r.number-1] = value
	}
	return out
}

// containsOwnID reports whether an id of ours is part of a text.
func containsOwnID(ours map[string]bool, text string) bool {
	return slices.ContainsFunc(uuids.FindAllString(text, -1), func(id string) bool { return ours[id] })
}

// opaqueMember are the names of members whose texts a server makes up, to have them sent back.
var opaqueMember = regexp.MustCompile(`(?i)(id|token|cursor|name|timestamp)$`)

// isReused reports whether a value that the server sent is the task or context of
// a later call, or what a server gives to have it sent back, and is in its request.
func isReused(later []*record.Exchange, about map[*record.Exchange][]string, name, value string) bool {
	if len(value) < 4 {
		return false
	}
	for _, x := range later {
		if !slices.Contains(about[x], value) && uuids.FindString(value) != value && !(opaqueMember.MatchString(name) && strings.ContainsAny(value, "0123456789")) {
			continue
		}
		if bytes.Contains(x.Request.Body, []byte(`"`+value+`"`)) || strings.Contains(x.URL, "/"+value) || strings.Contains(x.URL, "="+value) {
			return true
		}
	}
	return false
}

// writeReplyIDExtraction reads out of a reply the ids that the server chose. If the reply is still coming, the script looks
// for them until they are there or the call has ended.
func (s *scripter) writeReplyIDExtraction(i int, coming bool) {
	var found []replyID
	for _, r := range s.replies {
		if r.call == i {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b replyID) int { return a.number - b.number })
	for _, r := range found {
		read := fmt.Sprintf("%s=$(tr ',{[' '\n\n\n' < \"$dir/%d.answer\" | sed -n 's/^[[:space:]]*\"%s\"[[:space:]]*:[[:space:]]*\"\\([^\"]*\\)\".*/\\1/p' | sed -n %dp)",
			r.variableName(), i+1, r.member, r.nth)
		if coming {
			read = fmt.Sprintf("tries=0\nwhile ended=$(cat \"$dir/%d.end\" 2>/dev/null)\n%s\n[ -z \"$%s$ended\" ] && [ $tries -lt 50 ]; do\n  tries=$((tries + 1))\n  sleep 0.1 2>/dev/null || sleep 1\ndone",
				i+1, read, r.variableName())
		}
		s.body.WriteString(read + "\n")
		fmt.Fprintf(&s.body, "printf '%%s' \"$%s\" > \"$dir/carried-%d\"\n", r.variableName(), r.number)
		if r.encoded {
			fmt.Fprintf(&s.body, "%s%s=$(printf '%%s' \"$%s\" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F | sed 's/../%%&/g')\n", r.variableName(), encodedToo, r.variableName())
		}
	}
}

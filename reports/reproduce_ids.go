package reports

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// reply is an id that the server chose: the step whose reply held it, under
// what member, and the how manieth of that name it was.
type reply struct {
	step, member string
	nth          int
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	member = regexp.MustCompile(`^\s*"([A-Za-z_]{1,40})"\s*:\s*"([^"]*)"`)
	pieces = regexp.MustCompile(`[,{\[]`)
)

// learn finds the ids in our requests that the server had chosen in an earlier
// reply. Those of our own are made new by their last digits.
func (s *scripter) learn(steps []wire.Step) {
	s.replies = map[string]reply{}
	ours := map[string]bool{}
	for i := range steps {
		x := steps[i].Exchange
		if x == nil || x.Dir != wire.Out {
			continue
		}
		for _, id := range uuids.FindAllString(string(x.Request.Body), -1) {
			ours[id] = true
		}
		count := map[string]int{}
		for _, piece := range pieces.Split(string(x.Response.Body), -1) {
			m := member.FindStringSubmatch(piece)
			if m == nil {
				continue
			}
			count[m[1]]++
			_, known := s.replies[m[2]]
			if !known && !mine(ours, m[2]) && chosen(steps[i+1:], m[2]) {
				s.replies[m[2]] = reply{fmt.Sprint(i), m[1], count[m[1]]}
			}
		}
	}
}

// mine reports whether an id of ours is part of a text.
func mine(ours map[string]bool, text string) bool {
	return slices.ContainsFunc(uuids.FindAllString(text, -1), func(id string) bool { return ours[id] })
}

// chosen reports whether a value that the server sent is the task or context of
// a later step, or an id in its request.
func chosen(later []wire.Step, value string) bool {
	if len(value) < 4 {
		return false
	}
	for _, s := range later {
		if s.Exchange != nil && (value == s.Task || value == s.Context || uuids.FindString(value) == value) &&
			bytes.Contains(s.Exchange.Request.Body, []byte(`"`+value+`"`)) {
			return true
		}
	}
	return false
}

// keep reads out of a reply the ids that the server chose.
func (s *scripter) keep(i int, at string) {
	var found []reply
	for _, r := range s.replies {
		if r.step == fmt.Sprint(i) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b reply) int { return strings.Compare(a.variable(), b.variable()) })
	for _, r := range found {
		fmt.Fprintf(&s.body, "%s=$(tr ',{[' '\\n\\n\\n' < %s | sed -n 's/^[[:space:]]*\"%s\"[[:space:]]*:[[:space:]]*\"\\([^\"]*\\)\".*/\\1/p' | sed -n %dp)\n",
			r.variable(), at, r.member, r.nth)
	}
}

func (r reply) variable() string {
	return fmt.Sprintf("%s_%s_%d", strings.ToLower(r.member), r.step, r.nth)
}

package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// reply is the answer to one call: a whole body, or an element of the answer to a
// batch.
type reply struct {
	node   *record.Node
	at     string // pointer to it
	answer binding.Answer
}

// answersBatch reports whether a text answers a batch of calls one by one.
func (s *Document) answersBatch() bool {
	calls := s.Exchange.Call().Root
	return s.Kind == ReplyText && s.Answer.Listed && calls != nil && calls.Kind == record.Array
}

// splitReplies returns the answers in a body. Of a batch each element is one, and is judged
// as if it had come alone.
func (c *Case) splitReplies(s *Document) []reply {
	if !s.answersBatch() {
		return []reply{{s.Root, "", s.Answer}}
	}
	var out []reply
	for i, e := range s.Root.Elems[:min(len(s.Root.Elems), maxValidated)] {
		at := "/" + strconv.Itoa(i)
		out = append(out, reply{e, at, c.BindingOf(s.Play, s.Step).Event(s.Op, e).AsResponse().Under(at)})
	}
	return out
}

// replyAt returns the answer that a place is in, with the pointer from there.
func (c *Case) replyAt(s *Document, at string) (r reply, rest string) {
	if s.answersBatch() && at != "" {
		index, _, more := strings.Cut(at[1:], "/")
		if i, err := strconv.Atoi(index); err == nil && i >= 0 && i < len(s.Root.Elems) {
			r.node, r.at = s.Root.Elems[i], "/"+index
			r.answer = c.BindingOf(s.Play, s.Step).Event(s.Op, r.node).AsResponse()
			if more {
				rest = at[len(r.at):]
			}
			return r, rest
		}
	}
	return reply{s.Root, "", s.Answer}, at
}

// findOperation returns what is answered: the step's operation or, in a batch, the one that
// the call of the same id names.
func (c *Case) findOperation(s *Document, r reply) string {
	if r.at == "" {
		return s.Op
	}
	calls, id := c.BindingOf(s.Play, s.Step).Sent(s.Exchange).Calls, r.answer.ID.Node
	i := slices.IndexFunc(calls, func(call binding.Sent) bool { return id != nil && id.Equal(call.ID) })
	if i < 0 {
		return ""
	}
	return calls[i].Op
}

// IsInBatchElement reports whether a place is in an element of the answer to a batch which can be read as
// an answer.
func (c *Case) IsInBatchElement(s *Document, at string) bool {
	r, _ := c.replyAt(s, at)
	return r.at != "" && r.answer.IsResponse()
}

// maxValidated bounds how many events of one stream are validated; the others
// are read by the checks that count and order them.
const maxValidated = 500

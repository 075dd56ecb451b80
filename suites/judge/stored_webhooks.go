package judge

import (
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// If a server takes a malformed webhook of ours, it may give it back in any later answer about
// the task. What is wrong there is what we sent: that the call had to be refused is judged
// at that call, and its consequences name that.

// collectMalformedStoredWebhooks collects them.
func (c *Case) collectMalformedStoredWebhooks() (stored []storedWebhook) {
	for p, s := range c.Transcript.Steps() {
		at, has := c.Dialect.Pointer("request", "webhook."+s.Op)
		if !has || !s.Invalid || s.Exchange == nil || s.Exchange.Dir != record.Out || !s.Exchange.Answered() || s.Exchange.IsStream() {
			continue
		}
		answer := c.BindingOf(p, s).Decode(s.Op, s.Exchange)
		if !answer.Result.Exists() || answer.Failure.Present() {
			continue
		}
		task := s.Task
		if id, known := c.Dialect.Pointer(s.Op, "task.id"); known && c.Dialect.Operation(s.Op).Agent {
			if n := answer.Result.Node.At(id); n != nil && n.Kind == record.String {
				task = n.String
			}
		}
		stored = append(stored, storedWebhook{p.Scenario + "/" + s.Name, task, c.BindingOf(p, s).Sent(s.Exchange).Params.At(at), s.Exchange})
	}
	return stored
}

// storedBy finds the call of ours whose malformed webhook a place repeats, in an answer about
// the same task; nil if there is none.
func (c *Case) storedBy(s *Document, at string) *storedWebhook {
	if s.Kind != ReplyText || s.Step == nil || s.Step.Invalid || !strings.HasPrefix(s.Op, "push-") {
		return nil
	}
	stored := c.stored()
	if len(stored) == 0 {
		return nil
	}
	for _, base := range c.webhookPlaces(s) {
		rest, within := strings.CutPrefix(at, base)
		if !within || rest != "" && rest[0] != '/' {
			continue
		}
		got := s.Root.At(base)
		for i, w := range stored {
			if w.task == s.Step.Task && w.x.End <= s.Exchange.Start && repeatsWebhook(w.sent, got) && (rest == "" || sameOrLeftOut(memberOf(w.sent, rest), memberOf(got, rest))) {
				return &stored[i]
			}
		}
	}
	return nil
}

// webhookPlaces returns the places of the webhooks in an answer.
func (c *Case) webhookPlaces(s *Document) (out []string) {
	holder, ok := c.Dialect.Pointer(s.Op, "webhook")
	result := s.Answer.Result
	if !ok || result.Node == nil {
		return nil
	}
	if s.Op != "push-list" {
		return []string{result.At + holder}
	}
	list, _ := c.Dialect.Pointer(s.Op, "list")
	all := result.Node.At(list)
	if all == nil {
		return nil
	}
	for i := range all.Elems {
		out = append(out, result.At+list+"/"+strconv.Itoa(i)+holder)
	}
	return out
}

// memberOf returns what a value has at a pointer; nil of no value.
func memberOf(n *record.Node, at string) *record.Node {
	if n == nil {
		return nil
	}
	return n.At(at)
}

// isLeftOut reports whether a value states no more than one that is left out.
func isLeftOut(n *record.Node) bool {
	return n == nil || n.Kind == record.Null || n.Kind == record.String && n.String == "" || n.Kind == record.Object && len(n.Members) == 0
}

// sameOrLeftOut reports whether two values are equal, or both as good as left out.
func sameOrLeftOut(a, b *record.Node) bool {
	return isLeftOut(a) && isLeftOut(b) || a != nil && b != nil && a.Equal(b)
}

// repeatsWebhook reports whether a webhook that came back is the one that was sent: what both
// have is the same. A server may add members, such as an id, and leave secrets out.
func repeatsWebhook(sent, got *record.Node) bool {
	if isLeftOut(sent) || isLeftOut(got) || sent.Kind != record.Object || got.Kind != record.Object {
		return sameOrLeftOut(sent, got)
	}
	shared := false
	for _, m := range sent.Members {
		other := got.Member(m.Name)
		switch {
		case isLeftOut(other):
		case !m.Value.Equal(other):
			return false
		default:
			shared = true
		}
	}
	return shared
}

// Stored reports whether a webhook in an answer is one that a malformed call of ours gave and
// the server took.
func (t *T) Stored(v Value) bool {
	return v.doc != nil && t.Case.storedBy(v.doc, v.ptr) != nil
}

// StopAsStored ends the check undecided, since an answer shows what a malformed call of ours
// stored, and names the requirement that asks for the refusal of the call, if it fails.
func (t *T) StopAsStored(v Value) {
	if v.doc == nil {
		return
	}
	w := t.Case.storedBy(v.doc, v.ptr)
	if w == nil {
		return
	}
	panic(Stop{Reason: "the answer has what our malformed call " + w.name + " stored, which the server accepted", Recorded: true, StoredBy: w.name})
}

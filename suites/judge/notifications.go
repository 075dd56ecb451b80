package judge

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// deliveryPrefix begins the names of steps by which notifications were brought to webhooks of a client.
const deliveryPrefix = "notify-"

// Notification is one that we brought to a webhook of the client. A forged one is Invalid.
type Notification struct {
	*record.Step
	Answer Value // the head of what the webhook answered
}

// Notifications returns those of a start, in the order in which they were sent; then those that were not sent, which have
// no exchange.
func (s Start) Notifications() (out []Notification) {
	for i := range s.Play.Steps {
		step := &s.Play.Steps[i]
		if !strings.HasPrefix(step.Name, deliveryPrefix) || step.Exchange != nil && step.Exchange.Dir != record.Out {
			continue
		}
		n := Notification{Step: step}
		if step.Exchange != nil {
			n.Answer = Value{t: s.t, doc: &Document{Kind: ReplyText, Exchange: step.Exchange, Step: step, Play: s.Play}}.Header(report.StatusLine)
		}
		out = append(out, n)
	}
	return out
}

// splitName returns the kind of the notification, and whether an earlier one has it too: its name ends in a number then.
func (n Notification) splitName() (kind string, repeated bool) {
	kind = n.DescribeKind()
	if at := strings.LastIndexByte(kind, '-'); at >= 0 && strings.Trim(kind[at+1:], "0123456789") == "" {
		return kind[:at], true
	}
	return kind, false
}

// IsOf reports whether the notification is one of a kind.
func (n Notification) IsOf(kind string) bool {
	is, _ := n.splitName()
	return is == kind
}

// IsRepeated reports whether an earlier notification is of the same kind.
func (n Notification) IsRepeated() bool {
	_, repeated := n.splitName()
	return repeated
}

// IsAnswered reports whether the webhook answered.
func (n Notification) IsAnswered() bool { return n.Exchange != nil && n.Exchange.Status() != 0 }

// IsAccepted reports whether the webhook answered by a status of success.
func (n Notification) IsAccepted() bool { return n.IsAnswered() && n.Exchange.Status()/100 == 2 }

// DescribeKind returns what the notification is, by the name of its step.
func (n Notification) DescribeKind() string { return strings.TrimPrefix(n.Name, deliveryPrefix) }

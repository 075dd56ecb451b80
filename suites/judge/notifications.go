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

// IsOf reports whether the notification is one of a kind: the first of its name, or another one.
func (n Notification) IsOf(kind string) bool {
	return n.Name == deliveryPrefix+kind || strings.HasPrefix(n.Name, deliveryPrefix+kind+"-") && strings.Trim(n.Name[len(deliveryPrefix+kind)+1:], "0123456789") == ""
}

// IsRepeated reports whether an earlier notification has the same name.
func (n Notification) IsRepeated() bool {
	at := strings.LastIndexByte(n.Name, '-')
	return at >= len(deliveryPrefix) && strings.Trim(n.Name[at+1:], "0123456789") == ""
}

// IsAnswered reports whether the webhook answered.
func (n Notification) IsAnswered() bool { return n.Exchange != nil && n.Exchange.Status() != 0 }

// IsAccepted reports whether the webhook answered by a status of success.
func (n Notification) IsAccepted() bool { return n.IsAnswered() && n.Exchange.Status()/100 == 2 }

// DescribeKind returns what the notification is, by the name of its step.
func (n Notification) DescribeKind() string { return strings.TrimPrefix(n.Name, deliveryPrefix) }

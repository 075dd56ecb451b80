package summary

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// Notices returns what whoever reads a report has to know before taking its verdict
// for an answer. They follow from the transcript alone.
func Notices(t *record.Transcript) []string {
	var out []string
	if t.Facts.Lead != "" {
		out = append(out, t.Facts.Lead)
	}
	if p := t.Play("quick"); p != nil && p.Step("greeting") != nil && p.Step("send") != nil {
		out = append(out, fmt.Sprintf("the agent answers the harmless message with a message, not a task; this run makes tasks with another message instead: %q", shorten.Visible(saidIn(t, p.Step("send")), 80)))
	}
	if binding.AllNotFound(binding.ByNameOrDefault(nil, ""), t) {
		out = append(out, fmt.Sprintf("every request was answered with HTTP 404: nothing shows that %s is the right address; check its path", redact.StripSecrets(t.Facts.Target)))
	}
	if n := unusedPath(t); n != "" {
		out = append(out, n)
	}
	if t.Facts.Proxy != "" {
		out = append(out, fmt.Sprintf("calls went through the proxy %s, which may have answered or changed them", shorten.Visible(t.Facts.Proxy, 200)))
	}
	for _, w := range verdict.Uncalled(t.Facts) {
		out = append(out, fmt.Sprintf("the card lists %s at %s, which %s: it was not called and is not judged; give %s if it belongs to the server", shorten.Visible(w.Binding, 60), w.URL, w.Why, w.Remedy)+unreachableNote(w))
	}
	if x := givenCard(t); x != nil {
		out = append(out, fmt.Sprintf("the agent card was read from the file %s: it is judged as the agent's card, but the run does not know whether the server publishes it", x.URL))
	}
	return out
}

// unreachableNote returns what is to be added about an interface on a host that clients elsewhere do
// not know.
func unreachableNote(w record.Withheld) string {
	if w.Nobody == "" {
		return ""
	}
	return fmt.Sprintf("; %s: give %s if the target itself is meant", w.Nobody, w.Itself)
}

// saidIn returns the text of a stimulus that a step sent.
func saidIn(t *record.Transcript, s *record.Step) string {
	var ours string
	for _, stimulus := range t.Facts.Stimuli {
		if s.Exchange != nil && stimulus.Text != "" && strings.Contains(string(s.Exchange.Request.Body), stimulus.Text) && len(stimulus.Text) > len(ours) {
			ours = stimulus.Text
		}
	}
	return ours
}

// withoutTasks reports an agent that makes no tasks: what that leaves open.
func withoutTasks(results []report.Result) []string {
	n := 0
	for _, r := range results {
		if r.Verdict == report.NotApplicable && r.Reason == judge.NoTasks {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the agent answers the harmless message with a message, so %d requirements have no task to look at: if the agent makes tasks, set stimuli.quick.text to a message that makes one", n)}
}

// noteFailingAgent reports an agent that fails whatever it is asked.
func noteFailingAgent(c *verdict.Decider) []string {
	what, why, fails := c.FailsInside()
	if !fails {
		return nil
	}
	return []string{fmt.Sprintf("every %s fails inside the agent (%s): configure it and run again", what, why)}
}

// noteOutages reports a server that was not there for a part of the run.
func noteOutages(c *verdict.Decider) (out []string) {
	for _, o := range c.Outages {
		after := o.Blamed
		if after == nil {
			after = o.Last
		}
		text := o.String()
		if s, p := c.Transcript.StepOf(after); s != nil {
			text += fmt.Sprintf(" (%s/%s)", p.Scenario, s.Name)
		}
		if o.Until != nil {
			text += fmt.Sprintf(", and accepted them again from exchange %d on", o.Until.ID)
		}
		out = append(out, text+": calls in that time could not be judged; the server's own log may say why it stopped")
	}
	return out
}

// noteExpiredCredentials reports credentials that stopped to count in mid-run.
func noteExpiredCredentials(c *verdict.Decider) []string {
	if text := c.Expired(); text != "" {
		return []string{text}
	}
	return nil
}

// givenCard returns the card of the run if the operator gave it in a file.
func givenCard(t *record.Transcript) *record.Exchange {
	for _, x := range t.Exchanges {
		if x.Dir == record.Given {
			return x
		}
	}
	return nil
}

// unusedPath reports a path of the target that led to nothing: the card was
// found next to it, and states that calls go elsewhere. The operator may have meant
// another agent than the one that was judged.
func unusedPath(t *record.Transcript) string {
	target, err := url.Parse(t.Facts.Target)
	if err != nil {
		return ""
	}
	path := strings.TrimRight(target.EscapedPath(), "/")
	if path == "" || t.Facts.RPC == "" || isURLAtOrBelowPath(path, t.Facts.RPC) {
		return ""
	}
	card := ""
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			x := s.Exchange
			if x == nil || x.Dir != record.Out {
				continue
			}
			document := s.Op == "card" || s.Op == "document"
			if isURLAtOrBelowPath(path, x.URL) && (!document || x.Status() == http.StatusOK) {
				return ""
			}
			if p.Scenario == "card" && s.Op == "card" && card == "" && isCard(x) {
				card = x.URL
			}
		}
	}
	from, to := "no card was read", t.Facts.RPC
	if card != "" {
		from = "the card was read from " + card
	} else if x := givenCard(t); x != nil {
		from = "the card was read from the file " + x.URL
	}
	if len(t.Facts.Agents) > 1 {
		to = "the endpoints of " + strings.Join(t.Facts.Agents, ", ")
	}
	return fmt.Sprintf("the path %s was not used: %s and calls went to %s; if you mean another agent, give --card or --rpc", path, from, to)
}

func isCard(x *record.Exchange) bool {
	root := x.Reply().Root
	return x.Obtained() && root != nil && root.Kind == record.Object
}

// isURLAtOrBelowPath reports whether the path of an address is the given one or leads on
// from it.
func isURLAtOrBelowPath(path, rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && (u.EscapedPath() == path || strings.HasPrefix(u.EscapedPath(), path+"/"))
}

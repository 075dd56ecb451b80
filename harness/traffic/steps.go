package traffic

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// fitsAnswer reports whether the answer to a call, and what was known before, are those of a step.
func (m *matcher) fitsAnswer(s *stepRule, c *foundCall) bool {
	shows := func(word string) bool { return m.showsWord(c, word) }
	switch {
	case len(s.Before) > 0 && !slices.Contains(s.Before, classOf(m.d, c.Before)),
		len(s.Shows) > 0 && !slices.ContainsFunc(s.Shows, shows),
		slices.ContainsFunc(s.Not, shows),
		s.Left && !c.wasLeft(m.d),
		s.Pieces && c.pieces < 2,
		s.Artifact && !c.artifact,
		s.Guarded && !c.isGuarded():
		return false
	}
	return true
}

// showsWord reports whether an answer shows what a word means.
func (m *matcher) showsWord(c *foundCall, word string) bool {
	state := m.d.State(c.Last)
	switch word {
	case workingClass, waitingClass, endedClass:
		return classOf(m.d, c.Last) == word
	case "auth":
		return state != nil && state.Interrupted && strings.Contains(strings.ToLower(c.Last), "auth")
	case "left":
		return c.wasLeft(m.d)
	case "refused":
		return c.Kind == errorKind && !slices.Contains(c.errors, "MethodNotFound")
	case "excused":
		return c.Kind == errorKind && !slices.Contains(c.errors, "TaskNotFound")
	case taskKind, messageKind, resultKind, errorKind, oddKind, noneKind:
		return c.Kind == word
	}
	return state != nil && state.Outcome == word
}

// wasLeft reports whether the client left a stream before its task had ended.
func (c *foundCall) wasLeft(d *schema.Dialect) bool {
	return c.Exchange.IsStream() && (c.Exchange.Ended == record.OurClose || c.Exchange.Ended == record.Reset) && classOf(d, c.Last) == workingClass
}

// isGuarded reports whether a request names a webhook that asks for credentials.
func (c *foundCall) isGuarded() bool {
	return slices.ContainsFunc([]string{"/authentication", "/pushNotificationConfig/authentication"}, func(at string) bool { return c.sent.Params.At(at) != nil })
}

// fitsParams reports whether the parameters of a call are those of a step.
func (m *matcher) fitsParams(s *stepRule, c *foundCall) bool {
	for place, want := range s.Params {
		if n := c.sent.Params.At(place); n == nil || !equalParam(n, want) {
			return false
		}
	}
	missing := func(place string) bool { return c.sent.Params.At(place) == nil }
	if slices.ContainsFunc(s.Has, missing) || slices.ContainsFunc(s.Lacks, func(place string) bool { return !missing(place) }) {
		return false
	}
	switch s.Names {
	case "context":
		return c.Context != ""
	case "unknown-context":
		return c.Context != "" && !c.knownContext
	case "config":
		return c.Config != ""
	case "no-config":
		return c.Config == ""
	}
	if s.Path == "list" && ReadPath(c.Exchange.URL) != strings.TrimSuffix(m.d.Directory.List, "/") {
		return false
	}
	return s.Status == "" || m.fitsStatus(s.Status, c.sent.Params.At("/status"))
}

// fitsStatus reports whether a list is filtered by a state as a rule asks.
func (m *matcher) fitsStatus(want string, given *record.Node) bool {
	if given == nil || given.Kind != record.String {
		return false
	}
	state := m.d.State(given.String)
	switch {
	case state == nil:
		return false
	case want == "done":
		return state.Outcome == "done"
	case want == waitingClass:
		return state.Interrupted
	}
	return state.Outcome != "done"
}

// equalParam reports whether a value of the parameters is that of a rule.
func equalParam(n *record.Node, want any) bool {
	switch w := want.(type) {
	case bool:
		return n.Kind == record.Bool && n.Bool == w
	case int:
		return n.Kind == record.Number && n.Number == strconv.Itoa(w)
	case string:
		return n.Kind == record.String && n.String == w
	}
	return false
}

// fitsTime reports whether a call was made when a step has to be: after the answer to the step before, or during another.
func (m *matcher) fitsTime(p *candidate, s *stepRule, c *foundCall) bool {
	anchor := p.steps[0].call
	if s.During != "" {
		other := p.findStep(s.During)
		return other != nil && c.Exchange.Start >= other.Exchange.Start && c.Exchange.Start < other.Exchange.End
	}
	since := p.steps[len(p.steps)-1].call
	if s.Since != nil {
		if *s.Since == "" {
			return c.Exchange.Start >= anchor.Exchange.Start
		}
		if since = p.findStep(*s.Since); since == nil {
			return false
		}
	}
	return since.Exchange.Before(c.Exchange) && !(s.Soon && c.Exchange.Start-since.Exchange.End > soonAfter)
}

// soonAfter is how soon after news of a task it is looked up so that it should still be there.
const soonAfter = 10 * time.Second

// fitsIDs reports whether a call names the ids that a step has to be about.
func (m *matcher) fitsIDs(p *candidate, s *stepRule, c *foundCall) bool {
	return m.fitsTask(p, s, c) && fitsWebhook(p, s, c) && fitsEarlierRequests(p, s, c) && m.fitsDirectory(p, s, c)
}

// fitsTask reports whether a call is about the task, or made in the context, that a step has to be about.
func (m *matcher) fitsTask(p *candidate, s *stepRule, c *foundCall) bool {
	op := m.d.Operation(c.Op)
	switch {
	case s.Context != "":
		of := p.findNamed(s.Context)
		return of != nil && c.inContext() != "" && c.inContext() == of.inContext() && (c.Task == "" || c.Task != of.aboutTask())
	case s.Apart != "":
		of := p.findNamed(s.Apart)
		return of != nil && (c.aboutTask() == "" || c.aboutTask() != of.aboutTask()) && (c.inContext() == "" || c.inContext() != of.inContext())
	case s.Task == "any":
	case op.About == schema.AboutTask || op.Agent:
		of := p.findNamed(s.Task)
		return of != nil && of.aboutTask() != "" && c.Task == of.aboutTask()
	}
	return true
}

// fitsWebhook reports whether a call names the webhook that a step has to be about, or another one than it must not.
func fitsWebhook(p *candidate, s *stepRule, c *foundCall) bool {
	if s.Config != "" {
		if of := p.findStep(s.Config); of == nil || c.Config == "" || c.Config != of.aboutConfig() {
			return false
		}
	}
	if s.Otherwise != "" {
		if of := p.findStep(s.Otherwise); of == nil || c.Config == of.aboutConfig() {
			return false
		}
	}
	return true
}

// fitsEarlierRequests reports whether the parameters of a call are as those of earlier steps require it.
func fitsEarlierRequests(p *candidate, s *stepRule, c *foundCall) bool {
	if s.Like != "" {
		of := p.findStep(s.Like)
		if of == nil || of.sent.Params == nil || c.sent.Params == nil || !of.sent.Params.Equal(c.sent.Params) {
			return false
		}
	}
	anchor := p.steps[0].call
	if s.Another != "" && c.readParam(s.Another) == anchor.readParam(s.Another) || s.Same != "" && c.readParam(s.Same) != anchor.readParam(s.Same) {
		return false
	}
	if s.Pages {
		if last := p.findStep(s.Name); last != nil && (last.next == "" || c.readParam("/pageToken") != last.next) || last == nil && c.readParam("/pageToken") != "" {
			return false
		}
	}
	return true
}

// fitsDirectory reports whether a call to a directory is about the agents that the steps before registered, if it has to be.
func (m *matcher) fitsDirectory(p *candidate, s *stepRule, c *foundCall) bool {
	switch {
	case s.Wants == "shared":
		first, again := p.steps[0].call.listCapabilities(), p.findStep("again")
		return again != nil && wantsOnly(c, func(w string) bool { return slices.Contains(first, w) && slices.Contains(again.listCapabilities(), w) })
	case s.Wants != "" || s.Path == "entry":
		return m.fitsRegistered(p, s, c)
	}
	return true
}

// wantsOnly reports whether a call to a directory names capabilities, all of which are such.
func wantsOnly(c *foundCall, such func(capability string) bool) bool {
	wanted := c.listCapabilities()
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool { return !such(w) })
}

// fitsRegistered reports whether a call to a directory is about the agents that the steps a and b registered, and these
// were not registered anew before it.
func (m *matcher) fitsRegistered(p *candidate, s *stepRule, c *foundCall) bool {
	a, b := p.findStep("a"), p.findStep("b")
	if a == nil || b == nil {
		return false
	}
	for _, i := range m.index.byRole[a.Role] {
		o := m.index.calls[i]
		if o != a && o != b && o.Exchange.Start < c.Exchange.End && o.Exchange.End > a.Exchange.Start &&
			slices.Contains([]string{a.readParam("/agentId"), b.readParam("/agentId")}, o.readParam("/agentId")) {
			return false
		}
	}
	if s.Path == "entry" {
		return ReadPath(c.Exchange.URL) == strings.ReplaceAll(m.d.Directory.Entry, "{name}", url.PathEscape(a.readParam("/agentId")))
	}
	wanted, ofA, ofB := c.listCapabilities(), a.listCapabilities(), b.listCapabilities()
	among := func(all []string) func(string) bool { return func(w string) bool { return slices.Contains(all, w) } }
	switch s.Wants {
	case "both":
		return slices.ContainsFunc(wanted, among(ofA)) && slices.ContainsFunc(wanted, among(ofB))
	case "several":
		if len(wanted) < 2 {
			return false
		}
	}
	return wantsOnly(c, func(w string) bool { return slices.Contains(ofA, w) && !slices.Contains(ofB, w) })
}

// listCapabilities returns the capabilities that a call to a directory names.
func (c *foundCall) listCapabilities() (out []string) {
	if list := c.sent.Params.At("/capabilities"); list != nil {
		for _, e := range list.Elems {
			if e.Kind == record.String {
				out = append(out, e.String)
			}
		}
	}
	return out
}

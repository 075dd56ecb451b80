package traffic

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/a2a-conform/a2a-conform/harness/card"
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
		s.Example && !c.example,
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
	if s.ID != "" && !c.hasID(s.ID) {
		return false
	}
	if s.Foreign && !c.hasForeignLetters() || !m.fitsPath(s, c) {
		return false
	}
	return s.Status == "" || m.fitsStatus(s.Status, c.sent.Params.At("/status"))
}

// fitsPath reports whether a call went to the path of a step: that of a list, or of something of an agent.
func (m *matcher) fitsPath(s *stepRule, c *foundCall) bool {
	isAt := func(path string) bool { return path != "" && ReadPath(c.Exchange.URL) == strings.TrimSuffix(path, "/") }
	switch s.Path {
	case "list":
		return isAt(m.d.Directory.List)
	case "agents":
		return isAt(m.d.Agents.List)
	case "health":
		return isAt(m.d.Agents.Health)
	case "info", "card", "agent":
		return m.findAgent(s, c) != ""
	}
	return true
}

// findAgent returns the agent whose path a call went to, if the step is about one; "" for none.
func (m *matcher) findAgent(s *stepRule, c *foundCall) string {
	at := map[string]string{"info": m.d.Agents.Info, "card": m.d.Agents.Card, "agent": m.d.Agents.RPC}[s.Path]
	before, after, named := strings.Cut(at, "{name}")
	path, begins := strings.CutPrefix(ReadPath(c.Exchange.URL), before)
	name, ends := strings.CutSuffix(path, after)
	if name, err := url.PathUnescape(name); named && begins && ends && err == nil && !strings.Contains(name, "/") {
		return name
	}
	return ""
}

// haveSameStatus reports whether two answers show a task with the same status.
func haveSameStatus(a, b *foundCall) bool {
	if len(a.states) == 0 || len(b.states) == 0 {
		return false
	}
	was, is := a.states[len(a.states)-1].status, b.states[len(b.states)-1].status
	return was != nil && is != nil && was.Equal(is)
}

// isListedAgent reports whether the list that a play begins with has an agent.
func isListedAgent(p *candidate, name string) bool {
	listed := card.ListedAgents(p.steps[0].call.Exchange.Reply().Root)
	return slices.ContainsFunc(listed, func(names card.Names) bool { return slices.Contains(names, name) })
}

// hasID reports whether the JSON-RPC id of a call is a string, or a number.
func (c *foundCall) hasID(kind string) bool {
	return c.sent.ID != nil && (kind == "string" && c.sent.ID.Kind == record.String || kind == "number" && c.sent.ID.Kind == record.Number)
}

// hasForeignLetters reports whether the id of a call and its context have letters that are not ASCII.
func (c *foundCall) hasForeignLetters() bool {
	isForeign := func(s string) bool { return strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) }
	return c.sent.ID != nil && c.sent.ID.Kind == record.String && isForeign(c.sent.ID.String) && isForeign(c.Context)
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
	case s.Together:
		first, here := p.steps[0].call.listCapabilities(), c.listCapabilities()
		return m.hasAny(m.index.byRole["discover"], func(o *foundCall) bool {
			among := func(all []string) bool {
				return slices.ContainsFunc(o.listCapabilities(), func(w string) bool { return slices.Contains(all, w) })
			}
			return o.Exchange.Start >= c.Exchange.End && among(first) && among(here)
		})
	case s.Path == "info", s.Path == "card", s.Path == "agent":
		return isListedAgent(p, m.findAgent(s, c))
	case s.Wants == "shared":
		first, again := p.steps[0].call.listCapabilities(), p.findStep("again")
		return again != nil && wantsOnly(c, func(w string) bool { return slices.Contains(first, w) && slices.Contains(again.listCapabilities(), w) })
	case s.Wants != "" || s.Path == "entry" || s.Kept:
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
	if s.Kept && !(m.isKept(a, c) && (s.Wants != "both" && s.Path != "list" || m.isKept(b, c))) {
		return false
	}
	switch s.Path {
	case "list":
		return true
	case "entry":
		return ReadPath(c.Exchange.URL) == strings.ReplaceAll(m.d.Directory.Entry, "{name}", url.PathEscape(a.readParam("/agentId")))
	}
	wanted, ofA, ofB := c.listCapabilities(), a.listCapabilities(), b.listCapabilities()
	among := func(all []string) func(string) bool { return func(w string) bool { return slices.Contains(all, w) } }
	switch s.Wants {
	case "none":
		return wantsOnly(c, func(w string) bool { return !slices.Contains(ofA, w) && !slices.Contains(ofB, w) })
	case "both":
		return slices.ContainsFunc(wanted, among(ofA)) && slices.ContainsFunc(wanted, among(ofB))
	case "several":
		if len(wanted) < 2 {
			return false
		}
	}
	return wantsOnly(c, func(w string) bool { return slices.Contains(ofA, w) && !slices.Contains(ofB, w) })
}

// isKept reports whether an agent was still registered as before when a call was answered: an answer to that call, or to one
// after it, shows it with all its capabilities.
func (m *matcher) isKept(registered, at *foundCall) bool {
	id, wanted := registered.readParam("/agentId"), registered.listCapabilities()
	var shows func(n *record.Node, depth int) bool
	shows = func(n *record.Node, depth int) bool {
		if n == nil || depth == 0 {
			return false
		}
		if is := n.Member("agentId"); is != nil && is.String == id {
			has := listTexts(n.Member("capabilities"))
			return !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(has, w) })
		}
		for _, member := range n.Members {
			if shows(member.Value, depth-1) {
				return true
			}
		}
		return slices.ContainsFunc(n.Elems, func(e *record.Node) bool { return shows(e, depth-1) })
	}
	showsAfter := func(o *foundCall) bool {
		return o.Exchange.Start >= at.Exchange.Start && shows(o.Exchange.Reply().Root, maxEntryDepth)
	}
	return id != "" && (m.hasAny(m.index.byRole["discover"], showsAfter) || m.hasAny(m.index.byRole[documentOp], showsAfter))
}

// maxEntryDepth bounds how deep in an answer the entry of an agent is looked for.
const maxEntryDepth = 5

// listCapabilities returns the capabilities that a call to a directory names.
func (c *foundCall) listCapabilities() []string { return listTexts(c.sent.Params.At("/capabilities")) }

// listTexts returns the texts of a list; none if it is no list.
func listTexts(list *record.Node) (out []string) {
	if list == nil {
		return nil
	}
	for _, e := range list.Elems {
		if e.Kind == record.String {
			out = append(out, e.String)
		}
	}
	return out
}

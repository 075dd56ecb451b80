package traffic

import (
	_ "embed"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"go.yaml.in/yaml/v3"
)

//go:embed plays.yaml
var playsText []byte

// table is what plays.yaml holds.
type table struct {
	Plays    []playRule `yaml:"plays"`
	Bytes    []string   `yaml:"bytes"`    // checks that look at raw bytes, framing or connections
	Times    []string   `yaml:"times"`    // checks that look at when something came
	Before   []string   `yaml:"before"`   // checks that compare a call with what came before it
	Anywhere []string   `yaml:"anywhere"` // checks that hold if they hold in one conversation
	Intent   []string   `yaml:"intent"`   // checks that go by what a message was sent for, or by who made a call
}

// playRule describes a play by its steps, of which the first is the anchor.
type playRule struct {
	Play     string     `yaml:"play"`
	Dialects []string   `yaml:"dialects"` // none for all
	Steps    []stepRule `yaml:"steps"`
}

// stepRule describes by which calls a step is found. The comment of plays.yaml explains the members.
type stepRule struct {
	Name      string         `yaml:"name"`
	Role      words          `yaml:"role"`
	Task      string         `yaml:"task"`
	Context   string         `yaml:"context"`
	Apart     string         `yaml:"apart"`
	Config    string         `yaml:"config"`
	Otherwise string         `yaml:"otherwise"`
	Like      string         `yaml:"like"`
	Wants     string         `yaml:"wants"`
	Another   string         `yaml:"another"`
	Same      string         `yaml:"same"`
	Before    words          `yaml:"before"`
	Shows     words          `yaml:"shows"`
	Not       words          `yaml:"not"`
	Params    map[string]any `yaml:"params"`
	Has       []string       `yaml:"has"`
	Lacks     []string       `yaml:"lacks"`
	During    string         `yaml:"during"`
	Since     *string        `yaml:"since"`
	Needed    bool           `yaml:"needed"`
	Soon      bool           `yaml:"soon"`
	Calm      bool           `yaml:"calm"`
	Earliest  bool           `yaml:"earliest"`
	Left      bool           `yaml:"left"`
	Pieces    bool           `yaml:"pieces"`
	Artifact  bool           `yaml:"artifact"`
	Guarded   bool           `yaml:"guarded"`
	Pages     bool           `yaml:"pages"`
	Until     string         `yaml:"until"`
	Reaches   string         `yaml:"reaches"`
	Names     string         `yaml:"names"`
	Status    string         `yaml:"status"`
	Path      string         `yaml:"path"`
}

// words is a list of words, or one by itself.
type words []string

// UnmarshalYAML takes a word for a list of one.
func (w *words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = words{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// readTable reads plays.yaml, which is part of the program.
var readTable = sync.OnceValue(func() (t table) {
	if err := schema.Strict("plays.yaml", playsText, &t); err != nil {
		panic(err)
	}
	return t
})

// isNumbered reports whether a step is each call that fits.
func (s *stepRule) isNumbered() bool { return strings.HasSuffix(s.Name, "#") }

// candidate is a play that was found, with the calls of its steps.
type candidate struct {
	rule  *playRule
	steps []foundStep
}

type foundStep struct {
	name string
	call *Call
}

// findStep returns the call of a step; of a numbered one the last.
func (p *candidate) findStep(name string) *Call {
	for i := len(p.steps) - 1; i >= 0; i-- {
		if s := p.steps[i]; s.name == name || strings.HasSuffix(name, "#") && strings.HasPrefix(s.name, strings.TrimSuffix(name, "#")) {
			return s.call
		}
	}
	return nil
}

// splitName returns the play and the step that a name means: one with a slash is of another play than the rule's.
func (p *candidate) splitName(name string) (play, step string) {
	if play, step, other := strings.Cut(name, "/"); other {
		return play, step
	}
	return p.rule.Play, name
}

// isJoined reports whether a candidate has steps of several plays.
func (p *candidate) isJoined() bool {
	return slices.ContainsFunc(p.steps, func(s foundStep) bool { return strings.Contains(s.name, "/") })
}

// maxCandidates bounds how many calls are tried as the beginning of one play, spread evenly over a recording.
const maxCandidates = 200

// Counted is how many calls could begin a play, and how many of them were tried.
type Counted struct{ Tried, Of int }

// findCandidates returns the plays of a rule that are found in calls, and how many were tried.
func findCandidates(d *schema.Dialect, rule *playRule, calls []*Call) (out []*candidate, count Counted) {
	if len(rule.Dialects) > 0 && !slices.Contains(rule.Dialects, d.Name) {
		return nil, count
	}
	m := &matcher{d: d, rule: rule, calls: calls}
	var anchors []int
	for i, c := range calls {
		if m.fitsStep(&candidate{rule: rule}, &rule.Steps[0], c) {
			anchors = append(anchors, i)
		}
	}
	count.Of = len(anchors)
	for _, i := range spreadEvenly(anchors, maxCandidates) {
		count.Tried++
		if p := m.buildCandidate(i); p != nil {
			out = append(out, p)
		}
	}
	return out, count
}

// spreadEvenly returns at most so many of a list, evenly.
func spreadEvenly[V any](all []V, most int) []V {
	if len(all) <= most {
		return all
	}
	out := make([]V, most)
	for i := range out {
		out[i] = all[i*len(all)/most]
	}
	return out
}

// matcher looks for the steps of one play.
type matcher struct {
	d     *schema.Dialect
	rule  *playRule
	calls []*Call
}

// maxAhead bounds how many calls after an anchor are looked at for the other steps.
const maxAhead = 3000

// buildCandidate looks for the steps after an anchor; nil if one that is needed is not there.
func (m *matcher) buildCandidate(anchor int) *candidate {
	p := &candidate{rule: m.rule}
	used := map[*Call]bool{m.calls[anchor]: true}
	p.steps = append(p.steps, foundStep{m.rule.Steps[0].Name, m.calls[anchor]})
	ahead := m.calls[anchor+1 : min(len(m.calls), anchor+1+maxAhead)]
	for i := 1; i < len(m.rule.Steps); i++ {
		s := &m.rule.Steps[i]
		found := 0
		for _, c := range ahead {
			if used[c] || c.Binding != m.calls[anchor].Binding || c.findEndpoint(m.d) != m.calls[anchor].findEndpoint(m.d) || !m.fitsStep(p, s, c) {
				continue
			}
			found++
			used[c] = true
			name := s.Name
			if s.isNumbered() {
				name = strings.TrimSuffix(name, "#") + strconv.Itoa(found)
			}
			p.steps = append(p.steps, foundStep{name, c})
			if !s.isNumbered() || found == maxNumbered || s.Until != "" && m.showsWord(c, s.Until) {
				break
			}
		}
		if (found == 0 || s.Reaches != "" && !m.showsWord(p.steps[len(p.steps)-1].call, s.Reaches)) && s.Needed {
			return nil
		}
	}
	return p
}

// maxNumbered bounds how many calls one numbered step has.
const maxNumbered = 200

// fitsStep reports whether a call can be a step of a play of which the steps before were found.
func (m *matcher) fitsStep(p *candidate, s *stepRule, c *Call) bool {
	if c.Unusual != "" || !slices.Contains(s.Role, c.Role) || !m.fitsAnswer(s, c) || !m.fitsParams(s, c) {
		return false
	}
	if len(p.steps) > 0 && !(m.fitsTime(p, s, c) && m.fitsIDs(p, s, c)) {
		return false
	}
	earlier := func(o *Call) bool { return o.Op == c.Op && o.Task == c.Task && o.Exchange.Start < c.Exchange.Start }
	return !(s.Earliest && slices.ContainsFunc(m.calls, earlier)) && !(s.Calm && m.isDisturbed(p, c))
}

// isDisturbed reports whether somebody changed the task of a call, or spoke in its context, between the step before, or the
// beginning of the call if it is an anchor, and its end.
func (m *matcher) isDisturbed(p *candidate, c *Call) bool {
	from := c.Exchange.Start
	if len(p.steps) > 0 {
		from = p.steps[len(p.steps)-1].call.Exchange.Start
	}
	return slices.ContainsFunc(m.calls, func(o *Call) bool {
		op := m.d.Operation(o.Op)
		if o == c || len(p.steps) > 0 && o == p.steps[len(p.steps)-1].call || op.Reads || o.by == nil || o.Exchange.End < from || o.Exchange.Start > c.Exchange.End {
			return false
		}
		return o.aboutTask() != "" && o.aboutTask() == c.aboutTask() || op.Agent && o.inContext() != "" && o.inContext() == c.inContext()
	})
}

// fitsAnswer reports whether the answer to a call, and what was known before, are those of a step.
func (m *matcher) fitsAnswer(s *stepRule, c *Call) bool {
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
func (m *matcher) showsWord(c *Call, word string) bool {
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
func (c *Call) wasLeft(d *schema.Dialect) bool {
	return c.Exchange.IsStream() && (c.Exchange.Ended == record.OurClose || c.Exchange.Ended == record.Reset) && classOf(d, c.Last) == workingClass
}

// isGuarded reports whether a request names a webhook that asks for credentials.
func (c *Call) isGuarded() bool {
	return slices.ContainsFunc([]string{"/authentication", "/pushNotificationConfig/authentication"}, func(at string) bool { return c.sent.Params.At(at) != nil })
}

// fitsParams reports whether the parameters of a call are those of a step.
func (m *matcher) fitsParams(s *stepRule, c *Call) bool {
	at := func(place string) *record.Node {
		if c.sent.Params == nil {
			return nil
		}
		return c.sent.Params.At(place)
	}
	for place, want := range s.Params {
		if n := at(place); n == nil || !equalParam(n, want) {
			return false
		}
	}
	missing := func(place string) bool { return at(place) == nil }
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
	return s.Status == "" || m.fitsStatus(s.Status, at("/status"))
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
func (m *matcher) fitsTime(p *candidate, s *stepRule, c *Call) bool {
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

// fitsIDs reports whether a call names the task, the context and the webhook that a step has to be about.
func (m *matcher) fitsIDs(p *candidate, s *stepRule, c *Call) bool {
	named := func(name string) *Call {
		if name == "" {
			return p.steps[0].call
		}
		return p.findStep(name)
	}
	op := m.d.Operation(c.Op)
	switch {
	case s.Context != "":
		of := named(s.Context)
		if of == nil || c.inContext() == "" || c.inContext() != of.inContext() || c.Task != "" && c.Task == of.aboutTask() {
			return false
		}
	case s.Apart != "":
		of := named(s.Apart)
		if of == nil || c.aboutTask() != "" && c.aboutTask() == of.aboutTask() || c.inContext() != "" && c.inContext() == of.inContext() {
			return false
		}
	case s.Task == "any":
	case op.About == schema.AboutTask || op.Agent:
		of := named(s.Task)
		if of == nil || of.aboutTask() == "" || c.Task != of.aboutTask() {
			return false
		}
	}
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
	if s.Like != "" {
		of := p.findStep(s.Like)
		if of == nil || of.sent.Params == nil || c.sent.Params == nil || !of.sent.Params.Equal(c.sent.Params) {
			return false
		}
	}
	if s.Another != "" && c.readParam(s.Another) == p.steps[0].call.readParam(s.Another) {
		return false
	}
	if s.Same != "" && c.readParam(s.Same) != p.steps[0].call.readParam(s.Same) {
		return false
	}
	if s.Wants == "shared" {
		again := p.findStep("again")
		wanted := c.listCapabilities()
		return again != nil && len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool {
			return !slices.Contains(p.steps[0].call.listCapabilities(), w) || !slices.Contains(again.listCapabilities(), w)
		})
	}
	if (s.Wants != "" || s.Path == "entry") && !m.fitsDirectory(p, s, c) {
		return false
	}
	if s.Pages {
		if last := p.findStep(s.Name); last != nil && (last.next == "" || c.readParam("/pageToken") != last.next) || last == nil && c.readParam("/pageToken") != "" {
			return false
		}
	}
	return true
}

// listHasCheck reports whether a check is in a list, in which a name that ends in a slash means all of an area.
func listHasCheck(names []string, check string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return name == check || strings.HasSuffix(name, "/") && strings.HasPrefix(check, name)
	})
}

// GoesByIntent reports whether a check goes by what a message was sent for, which the calls of others do not show.
func GoesByIntent(check string) bool { return listHasCheck(readTable().Intent, check) }

// NeedsWhatIsMissing reports whether a check looks at something that exchanges with such gaps do not show.
func NeedsWhatIsMissing(check string, gaps record.Gaps) bool {
	return gaps.Bytes && listHasCheck(readTable().Bytes, check) || gaps.Times && listHasCheck(readTable().Times, check)
}

// NeedsBeginning reports whether a check compares a call with what came before it, so that it decides nothing about a
// recording that begins in the middle.
func NeedsBeginning(check string) bool { return listHasCheck(readTable().Before, check) }

// HoldsAnywhere reports whether a check holds if it holds in one conversation.
func HoldsAnywhere(check string) bool { return listHasCheck(readTable().Anywhere, check) }

// fitsDirectory reports whether a call to a directory is about the agents that the steps a and b registered, and these
// were not registered anew before it.
func (m *matcher) fitsDirectory(p *candidate, s *stepRule, c *Call) bool {
	a, b := p.findStep("a"), p.findStep("b")
	if a == nil || b == nil {
		return false
	}
	for _, o := range m.calls {
		if o != a && o != b && o.Op == a.Op && o.Exchange.Start < c.Exchange.End && o.Exchange.End > a.Exchange.Start &&
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
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(ofA, w) || slices.Contains(ofB, w) })
}

// listCapabilities returns the capabilities that a call to a directory names.
func (c *Call) listCapabilities() (out []string) {
	if c.sent.Params == nil {
		return nil
	}
	if list := c.sent.Params.At("/capabilities"); list != nil {
		for _, e := range list.Elems {
			if e.Kind == record.String {
				out = append(out, e.String)
			}
		}
	}
	return out
}

// ListRoles returns the roles that the call of a step has, by the rules of plays; none if no rule has the step.
func ListRoles(play, step string) (roles []string) {
	for _, p := range readTable().Plays {
		for i := range p.Steps {
			s := &p.Steps[i]
			of, name := p.Play, s.Name
			if other, rest, is := strings.Cut(name, "/"); is {
				of, name = other, rest
			}
			numbered := s.isNumbered() && strings.HasPrefix(step, strings.TrimSuffix(name, "#")) && strings.Trim(strings.TrimPrefix(step, strings.TrimSuffix(name, "#")), "0123456789") == ""
			if of != play || name != step && !numbered {
				continue
			}
			for _, role := range s.Role {
				if !slices.Contains(roles, role) {
					roles = append(roles, role)
				}
			}
		}
	}
	return roles
}

// RecogniseRoles returns the role of each exchange of a server's record, by what was sent and delivered alone.
func RecogniseRoles(d *schema.Dialect, all []*record.Exchange) map[*record.Exchange]string {
	out := map[*record.Exchange]string{}
	for _, c := range readCalls(d, all, nil, false) {
		out[c.Exchange] = c.Role
	}
	return out
}

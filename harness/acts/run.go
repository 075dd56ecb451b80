package acts

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Run is one run of the tests of a set, over one transport or several.
type Run struct {
	set   *Set
	env   Environment
	names map[*Test]string // of their plays
	// judged is called with the player of each test that was played, for tests of this package; nil if nothing is.
	judged func(*player)

	mu      sync.Mutex
	results map[string]map[*Test]*TestResult // by transport
}

// NewRun returns a run that has not begun.
func NewRun(set *Set, env Environment) *Run {
	r := &Run{set: set, env: env, names: map[*Test]string{}, results: map[string]map[*Test]*TestResult{}}
	for i, t := range set.Tests() {
		r.names[t] = t.ID
		if !playName.MatchString(t.ID) || t.ID == discoveryPlay {
			r.names[t] = "test-" + strconv.Itoa(i+1)
		}
	}
	return r
}

// discoveryPlay is the play in which the harness looks for the agent card.
const discoveryPlay = "card"

// playName is what the record calls the play of a test.
var playName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// Scenarios returns a scenario for each test, to be played with a server of a dialect.
func (r *Run) Scenarios(*schema.Dialect) (all []conversation.Scenario) {
	for _, t := range r.set.Tests() {
		all = append(all, conversation.Scenario{Name: r.names[t], Doc: t.Name, Sends: 1, Chain: len(t.Steps) - 1, Play: func(c *conversation.Conversation) {
			p := newPlayer(c, t, r.env)
			r.keepResult(p, p.playTest())
		}})
	}
	return all
}

// keepResult keeps what a test came to over the transport of its player.
func (r *Run) keepResult(p *player, result *TestResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.judged != nil {
		r.judged(p)
	}
	transport := transportOf(p.c.CallBinding())
	if r.results[transport] == nil {
		r.results[transport] = map[*Test]*TestResult{}
	}
	r.results[transport][p.test] = result
}

// Transports returns the transports over which a test was played: JSON-RPC, HTTP+JSON and gRPC in this order.
func (r *Run) Transports() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, transport := range []string{"jsonrpc", "rest", "grpc"} {
		if len(r.results[transport]) > 0 {
			all = append(all, transport)
		}
	}
	return all
}

// Results returns the results of all tests over a transport, in their order. A test that was not played has the reason.
func (r *Run) Results(transport, notPlayed string) (all []*TestResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.set.Tests() {
		all = append(all, r.findResult(transport, t, notPlayed))
	}
	return all
}

// Result returns what a test came to over a transport. If it was not played, it has the reason.
func (r *Run) Result(transport string, t *Test, notPlayed string) *TestResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.findResult(transport, t, notPlayed)
}

func (r *Run) findResult(transport string, t *Test, notPlayed string) *TestResult {
	result := r.results[transport][t]
	if result == nil {
		result = &TestResult{Test: t}
		result.setFailure(&Failure{Message: notPlayed, Line: t.Line, Broken: true})
	}
	return result
}

// FindStep returns the last exchange on a record that the failure of a test over a transport is about: that of the step that
// failed or, if it made no call, of the one before it; nil if there is none.
func (r *Run) FindStep(t *record.Transcript, transport string, result *TestResult) *record.Step {
	name := r.names[result.Test]
	for i := len(t.Plays) - 1; i >= 0; i-- {
		p := &t.Plays[i]
		if p.Scenario != name || len(r.Transports()) > 1 && p.Subject.Binding != BindingNames[transport] {
			continue
		}
		for j := len(p.Steps) - 1; j >= 0; j-- {
			if s := &p.Steps[j]; s.Exchange != nil && (s.Name == result.Failure.Step || isAttemptOf(s.Name, result.Failure.Step) || !madeCall(p, result.Failure.Step)) {
				return s
			}
		}
	}
	return nil
}

// BindingNames are the bindings of A2A 1.0 by the words of the grammar.
var BindingNames = map[string]string{schema.KindJSONRPC: "JSONRPC", schema.KindREST: "HTTP+JSON", schema.KindGRPC: "GRPC"}

// isAttemptOf reports whether a recorded step is a further attempt of a step.
func isAttemptOf(name, step string) bool {
	number, ok := strings.CutPrefix(name, step+"-")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n > 1
}

// madeCall reports whether a step of a play is on its record.
func madeCall(p *record.Play, step string) bool {
	return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return s.Exchange != nil && (s.Name == step || isAttemptOf(s.Name, step)) })
}

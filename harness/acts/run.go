package acts

import (
	"regexp"
	"strconv"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Run is one run of the tests of a set, over one transport or several.
type Run struct {
	set *Set
	env Environment
	// judged is called with the player of each test that was played, for tests of this package; nil if nothing is.
	judged func(*player)

	mu      sync.Mutex
	results map[string]map[*Test]*TestResult // by transport
}

// NewRun returns a run that has not begun.
func NewRun(set *Set, env Environment) *Run {
	return &Run{set: set, env: env, results: map[string]map[*Test]*TestResult{}}
}

// discoveryPlay is the play in which the harness looks for the agent card.
const discoveryPlay = "card"

// playName is what the record calls the play of a test.
var playName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// namedTest is a test with the name of its play.
type namedTest struct {
	name string
	test *Test
}

// namedTests returns the tests with the names of their plays.
func (r *Run) namedTests() (all []namedTest) {
	for i, t := range r.set.Tests() {
		name := t.ID
		if !playName.MatchString(name) || name == discoveryPlay {
			name = "test-" + strconv.Itoa(i+1)
		}
		all = append(all, namedTest{name, t})
	}
	return all
}

// Scenarios returns a scenario for each test, to be played with a server of a dialect.
func (r *Run) Scenarios(*schema.Dialect) (all []conversation.Scenario) {
	for _, t := range r.namedTests() {
		all = append(all, conversation.Scenario{Name: t.name, Doc: t.test.Name, Sends: 1, Chain: len(t.test.Steps) - 1, Play: func(c *conversation.Conversation) {
			p := newPlayer(c, t.test, r.env)
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
		result := r.results[transport][t]
		if result == nil {
			result = &TestResult{Test: t}
			result.setFailure(&Failure{Message: notPlayed, Line: t.Line, Broken: true})
		}
		all = append(all, result)
	}
	return all
}

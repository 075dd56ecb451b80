// Package acts reads and runs documents of ACTS, the A2A Conformance Test Specification (draft 0.1): tests of an
// agent that are written as data. The reader knows the grammar of the draft, and a closed table of forms that
// published documents use beyond it. What it refuses, it refuses with file, line and what would be right.
package acts

import "slices"

// Suite is a named group of tests, as a document has it.
type Suite struct {
	ID, Name string
	Tests    []*Test
}

// Set is what one or more documents hold, with everything that they include.
type Set struct {
	Version     string // acts_version of the first document
	SpecVersion string // version of A2A that the first document is about
	Suites      []Suite
	Behaviours  int      // how many the documents describe that have these in place of tests
	Notices     []Notice // what was read though the grammar has no such form, or leaves it open
}

// Tests returns the tests of all suites in their order.
func (s *Set) Tests() (all []*Test) {
	for _, suite := range s.Suites {
		all = append(all, suite.Tests...)
	}
	return all
}

// Test is one conformance scenario: steps in their order, and what is expected of them.
type Test struct {
	File               string
	Line               int
	ID, Name           string
	Description        string
	SpecRef            string
	Level              string // must, should or may
	Tags               []string
	Transports         []string // jsonrpc, grpc, rest; empty for all
	Preconditions      *Preconditions
	Behaviours         []string // prefixes that the agent has to understand
	RunnerRequirements []string
	Steps              []*Step
	Assertions         []*NamedAssertion // evaluated after all steps
	SpecVersion        string            // of A2A, which the document of the test states
	Published          bool              // it is one of the corpus that comes with this program, to which the mappings belong

	variables map[string]string // of its document, and of those that include it
	undefined []string          // variables that nothing defines, by name
	strict    bool              // a capture of nothing shows that the document is wrong
}

// IsClientTest reports whether a test is about a client: it has a payload that a client is to read.
func (t *Test) IsClientTest() bool {
	return slices.ContainsFunc(t.Steps, func(s *Step) bool { return s.Client != nil })
}

// AssertsNothing reports whether a test can fail by no answer: it only sends.
func (t *Test) AssertsNothing() bool {
	return !slices.ContainsFunc(t.Steps, (*Step).assertsSomething) && !slices.ContainsFunc(t.Assertions, (*NamedAssertion).assertsSomething)
}

// Preconditions are what the agent card has to declare for a test to apply.
type Preconditions struct {
	Capabilities []NamedValue
	Skills       []string
	Transports   []string
	Extensions   []string
	Description  string
}

// NamedValue is a member of an object, in the order of the document.
type NamedValue struct {
	Name  string
	Value any
}

// Step is one action of a test. Exactly one of Operation, Raw, Client and Inline is set.
type Step struct {
	Line        int
	ID          string
	Description string

	Operation string // in the words of the grammar
	Params    map[string]any
	Raw       *Raw
	Client    *ClientResponse
	Inline    *NamedAssertion // an assertion about an earlier step

	Expect     *Expect
	Error      *ExpectedError
	Stream     *ExpectedStream
	Captures   []Capture
	Assertions []*NamedAssertion
	Repeat     *Repeat
	DelayMS    int
}

// assertsSomething reports whether a step can fail by what the server answers.
func (s *Step) assertsSomething() bool {
	switch {
	case s.Error != nil, s.Client != nil, s.Repeat != nil:
		return true
	case s.Expect != nil && (s.Expect.Status != nil || s.Expect.Body != nil || s.Expect.Refused):
		return true
	case s.Stream != nil && s.Stream.assertsSomething():
		return true
	}
	return s.Inline != nil && s.Inline.assertsSomething() || slices.ContainsFunc(s.Assertions, (*NamedAssertion).assertsSomething)
}

// Raw is an HTTP request that is sent as it is written.
type Raw struct {
	Line    int
	Method  string
	Path    string
	Headers []NamedValue // texts
	HasBody bool
	Body    any
	BodyRaw *string
}

// ClientResponse is what a client is to read, and what it has to make of it.
type ClientResponse struct {
	Operation string
	Payload   any
	Parsed    *Assertion
}

// Expect is what a call is to be answered with.
type Expect struct {
	Line    int
	Status  *Assertion // of the HTTP status; nil for any success
	Body    *Assertion // nil for anything
	Refused bool       // the call is to be refused, by whatever error
}

// ExpectedError is the error by which a call is to be refused.
type ExpectedError struct {
	Line    int
	Type    *Assertion // about the name of the error; nil for any error
	Message *Assertion
	Details *Assertion // about the details of the error, in whatever form the binding has them
	Data    *Assertion // about the error's data as the binding has it
}

// ExpectedStream is what a stream is to consist of.
type ExpectedStream struct {
	Line      int
	MinCount  *int
	MaxCount  *int
	TimeoutMS int // 0 if there is none
	Monotonic bool
	Events    []*EventAssertion
	Final     *EventAssertion
	Each      *EventAssertion
}

// assertsSomething reports whether some stream can break the expectation.
func (s *ExpectedStream) assertsSomething() bool {
	return s.MinCount != nil || s.MaxCount != nil || s.Monotonic || len(s.Events) > 0 || s.Final != nil || s.Each != nil
}

// EventAssertion is what one event of a stream is to be.
type EventAssertion struct {
	Line        int
	Description string
	Anywhere    bool // any event may be the one
	Index       int  // of the event, from 0, unless Anywhere
	Is          *Assertion
}

// Capture keeps a value of an answer for later steps.
type Capture struct {
	Line int
	Name string
	Path Path
}

// Repeat makes a step again until a condition holds.
type Repeat struct {
	Line        int
	Until       Condition
	MaxAttempts int
	DelayMS     int
	Backoff     string // none, linear or exponential
}

// NamedAssertion is an assertion about the answer of an earlier step, or a part of it.
type NamedAssertion struct {
	Line           int
	ID             string
	Description    string
	Source         string // as it is written
	Step, Variable string // what Source names: the step, and response or one of its captures; Step is "" for a variable
	Path           Path   // below the source
	Match          *Assertion
	Any, All, None *CollectionMatch
}

func (a *NamedAssertion) assertsSomething() bool {
	return a.Match != nil || a.Any != nil || a.All != nil || a.None != nil
}

// CollectionMatch is what elements of lists are compared with.
type CollectionMatch struct {
	Line  int
	Path  Path
	Match *Assertion
}

// AssertionKind is the form of an assertion.
type AssertionKind int

// The forms of assertions.
const (
	Exact     AssertionKind = iota // a value that is to be equal
	Members                        // an object, of which some members are described
	Elements                       // a list, whose first elements are described
	Operators                      // operators, all of which are to hold
)

// Assertion is what a value is to be.
type Assertion struct {
	Line      int
	Kind      AssertionKind
	Value     any // of Exact: a text, a json.Number, a bool or nil
	Members   []MemberAssertion
	Elements  []*Assertion
	Operators []Operator
}

// MemberAssertion is what a member of an object is to be.
type MemberAssertion struct {
	Name string
	Is   *Assertion
}

// Operator is one condition on a value.
type Operator struct {
	Line     int
	Name     string
	Operand  any          // a text, a json.Number, or the list of one_of
	Of       []*Assertion // of all_of, any_of, not and items
	Each     bool         // of items: every element is to be like Of[0]
	compiled pattern      // of matches, if it has no variable
}

// Notice is something that was read though the grammar has no such form, or leaves open how it is to be read.
type Notice struct {
	File string
	Line int
	Test string // "" if it is in none
	Form string // name of the form in Forms
	Text string
}

// Package judge has what a check sees of a sealed transcript, and what it reports: steps, documents
// and values, shapes, expectations and evidence. Package verdict decides about the verdicts. Both
// are pure: they know no network and no clock, so that the same transcript always leads to the same
// verdicts, in a run, in a replay, and years later.
package judge

import (
	"reflect"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Case is a sealed transcript under judgement.
type Case struct {
	Dialect    *schema.Dialect
	Transcript *record.Transcript
	Checks     Checks
	// Track remembers what each check looks at, and leaves excerpts out of the
	// evidence: it is for the proof, which judges thousands of times.
	Track bool

	binding   binding.Binding    // by which it was spoken
	subject   string             // the agent whose part of the conversations is judged; "" for the only one
	secondary bool               // which is not the one that the agent prefers
	entire    *record.Transcript // of all subjects, of which the case may see a part
	// Outages are the times in which the server accepted no connection though it had answered before.
	Outages []Outage
	// Recorded has the calls too that are kept from the checks of a dialect.
	Recorded  *record.Transcript
	cache     *Cache
	mu        sync.Mutex
	documents []*Document // all texts of the server, in order
	read      map[reading][]*Document
	access    func() *access // what the transcript shows of the credentials of the run
	// What the checks of shape ask for again and again.
	instances map[string][]Value // by definition
	broken    func() []Violation
	echoes    func() *echoes
	hasEchoes map[*Document]bool     // whether a text repeats something of ours
	stored    func() []storedWebhook // of malformed calls of ours
	delivered sync.Map               // what the answers of a start brought to the client, by its play
	answered  sync.Map               // the same by the exchange, by its play
	targets   sync.Map               // the descriptions of targets of calls, by exchange
	sights    map[string]string      // of behaviours that were denied, by their names
	requests  func() []Request       // of a client that is judged
}

// T is what a check judges with: it hands out what the server sent, takes
// expectations, and keeps the evidence. A check runs in one goroutine.
type T struct {
	Case        *Case
	Requirement *schema.Requirement

	result          *CheckResult
	expected        int // expectations that were evaluated
	collecting      int // depth of Each
	vacuous         string
	failures        int
	itemEvidence    []*record.Exchange // those that the item of an Each rests on
	independent     bool               // a violation takes nothing from what rests on the requirement
	excludedBy      *report.Result     // a prerequisite that fails on something the check would have looked at
	noLivenessCheck string             // a sign of life that could not be asked for
	unused          string             // that the server makes no use of a permission somewhere
	used            bool               // the server makes use of it elsewhere

	refused     *Stop                 // why something that the check would have looked at is evidence of nothing
	open        func() *report.Result // the result of the requirement that open servers break
	seesRefused bool                  // the check is about calls that are refused for want of credentials
}

// The ways in which a check ends before its last line; they travel by panic
// and are caught by the caller of the check.
type (
	stopFailed        struct{}
	stopNotApplicable struct{ reason string }
)

// Stop is why a check ended undecided.
type Stop struct {
	Reason, Remedy, Because string
	Recorded                bool   // by a step that the transcript records as not made
	Unsayable               bool   // in the binding that was spoken
	Never                   bool   // since the operator states that the agent never does it
	StoredBy                string // the malformed call of ours whose webhook the server gave back
}

// Value is a piece of JSON the server sent, with the place it came from. A
// value that is not there is a Value too: it knows its place.
type Value struct {
	t    *T
	doc  *Document
	node *record.Node
	ptr  string
	why  string // why it is missing, if there is more to say than that
	// What is about the head of a response, and the field of it that matters.
	head         bool
	header       string
	comparedWith []Value // what it is compared with, so that its text shows the first difference
}

// Document is one JSON text of the server: a card, a reply, the data of a stream
// event, or the body of a delivery.
type Document struct {
	Kind     Kind
	Op       string // the operation it answers
	Exchange *record.Exchange
	Event    int            // number of the event in its stream, from 1; 0 for a body
	Root     *record.Node   // of what was read, by the names of the dialect's text
	Written  *record.Node   // the text itself, if its names are others; else nil
	Answer   binding.Answer // the text, read as the answer to a call
	Faults   []record.JSONFault
	Line     *record.Said // the line of a client's program; nil for what travelled
	Step     *record.Step
	Play     *record.Play

	excerpts sync.Map // of long values, by their pointers: many requirements cite the same
}

// Kind is what a JSON text of the server is.
type Kind string

// The kinds of text.
const (
	CardText Kind = "card"
	// CardElsewhere is the agent's card if the operator states that it lies in a
	// file or on another host: what it states is the agent's, how it came is not.
	CardElsewhere Kind = "card elsewhere"
	ReplyText     Kind = "reply"
	EventText     Kind = "event"
	OtherText     Kind = "other" // a document of the server that is neither
	Delivery      Kind = "delivery"
	RequestText   Kind = "request" // what a client that is judged sent to us
	ReportText    Kind = "report"  // what the program of a client reported of what that saw
)

// Read is a place a check looked at; Deep if it compared everything below.
type Read struct {
	Exchange, Event int
	Pointer         string
	Deep            bool
}

// Step is a move of a play, as a check sees it.
type Step struct {
	*record.Step
	Play *record.Play
	t    *T
}

// Reads lists what the check looked at, if the case tracks it.
func (r *CheckResult) Reads() []Read { return r.reads }

// CheckResult is what a check has found about one requirement. The verdict on it starts from that.
type CheckResult struct {
	report.Result
	reads []Read // what the check looked at

	// Exchanges that it fails and holds on, and those that are left out, since a
	// prerequisite fails on them.
	Failed, Held map[*record.Exchange]bool
	Excluded     map[*record.Exchange]*report.Result
	Broken       []Breach // all places at which it fails, as far as they are grouped by cause
	Rest         []Breach // further places, in which known faults are looked for
	Independent  bool     // what it fails on can be read all the same
}

func (r *CheckResult) markExchangesConforming(on []*record.Exchange) {
	if r.Held == nil {
		r.Held = map[*record.Exchange]bool{}
	}
	for _, x := range on {
		r.Held[x] = true
	}
}

// Breach is a place at which a requirement is broken.
type Breach struct {
	Document *Document
	Node     *record.Node // nil if what should be at the place is missing
	Pointer  string
	// What is about the head of a response, and the field of it that matters.
	OfHead  bool
	Header  string
	Against []Breach // what it contradicts, if a failure is about two places
	Due     []string // the errors that were due, if a failure is about a refusal; empty for any error
}

// Cache keeps what was read and validated of exchanges, so that judging a
// transcript that differs in one exchange costs little.
type Cache struct {
	mu     sync.Mutex
	texts  map[reading][]*Document // of whichever case read them first
	shapes map[textKey]shapeFindings
	ours   map[*record.Exchange]error
	parts  map[record.Subject]*Cache // of the cases into which one is divided
}

// reading is how an exchange was read: as a stream of events, or as one body.
type reading struct {
	exchange *record.Exchange
	stream   bool
	request  bool // what a client sent in it
}

// textKey names a body, or one event of a stream.
type textKey struct {
	in    *record.Exchange
	event int
}

// Violation is a departure of something the server sent from its definition.
type Violation struct {
	shape.Violation
	Document *Document
	At       string // pointer into the text
}

// Place is a place in a text that a definition judges.
type Place struct {
	Pointer string
	Node    *record.Node
}

// shapeFindings is the result of validating a text: its departures from the definitions, and which
// places each of them judges.
type shapeFindings struct {
	violations []Violation
	otherForms []Violation // that are none in the usual form of ProtoJSON
	places     map[string][]Place
}

// Check judges requirements: a pure function of what was sent. Its parameters
// are a Go struct of its own, decoded strictly from the requirement.
type Check struct {
	Name string
	Doc  string // one sentence: what it asks
	// Needs lists the steps that the check looks at with these parameters;
	// none means that it reads whatever was sent.
	Needs func(with map[string]any) ([]string, error)
	run   func(*T, *schema.Requirement) error

	params reflect.Type

	seesRefused bool
	ofOpen      bool
}

// Checks are the registered checks by name.
type Checks map[string]Check

// An Outage is a time in which a server that had answered accepted no
// connection. What was asked then is no evidence about any sentence: no one was
// there to break it. What the server broke is shown by one call, on which the
// connection closed without an answer.
type Outage struct {
	Blamed *record.Exchange // nil if nothing was under way when the server went away
	Last   *record.Exchange // the last that was answered before
	Until  *record.Exchange // the first that was answered again; nil if none was
	lost   []*record.Exchange
}

// excuse is why a call is evidence of nothing.
type excuse struct {
	reason, remedy string
	undeclared     bool // the card declares no security, so that one requirement fails on it
}

// attempt is a call as the rule sees it.
type attempt struct {
	step     *record.Step
	play     *record.Play
	first    Value // what answered it
	refused  refusalReason
	admitted bool
}

// access is what a transcript shows of the credentials of the run.
type access struct {
	c        *Case
	calls    []*attempt
	of       map[*record.Exchange]*attempt
	excused  map[*record.Exchange]excuse
	declared card.Answer                // whether the server asks for credentials, by its card
	read     bool                       // a card was read
	expired  map[record.Caller]*attempt // the first call that shows that credentials no longer count
}

// refusalReason is what a server lacks of whoever makes a call that it refuses.
type refusalReason int

// echoes are the ids of malformed messages of ours, and of the tasks that were made
// of them; and of all tasks that were made in the run, since what others sent, or an
// earlier run, may be malformed too.
type echoes struct {
	dialect *schema.Dialect

	messages, tasks, made map[string]bool
}

// storedWebhook is the webhook of a malformed call of ours that the server took.
type storedWebhook struct {
	name string // of the call
	task string
	sent *record.Node // nil if the call has none
	x    *record.Exchange
}

package traffic

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The steps that are no calls of an operation.
const (
	CardOp     = "card"       // the agent card was fetched
	documentOp = "document"   // another document that the dialect places at a path
	stray      = "stray"      // nothing that is known is there
	cardAgain  = "card-again" // a card that came before
)

// foundCall is what was found out about one exchange.
type foundCall struct {
	Exchange *record.Exchange
	Binding  string // by which it travelled; "" for a document
	endpoint string // below which it went, once calls are indexed
	base     string // the address of the interface that a card has for it; "" if no card was seen
	Op       string // the operation that it asks for; "" for none of the dialect
	Role     string // of the call in its conversation, as plays.yaml names them
	// Unusual states why a server is not judged by the answer to this call: the request is malformed, or contradicts
	// what went before, or something before the agent answered it. It is "" for an ordinary call.
	Unusual string
	excused bool // Unusual is a reason that the server may have had for a refusal; how it looks is evidence all the same
	Invalid bool // the request departs from its definition

	Task, Context, Message, Config string // the ids that the request names
	Made, MadeContext              string // the ids of the task and its context that the answer names
	Before                         string // the last state of the task that was delivered before the call; "" if none is known
	Last                           string // the last state that the answer shows
	Kind                           string // of the answer: one of the kinds of answers

	sent   binding.Sent
	by     binding.Binding
	states []delivered
	thread int
	// Of the answer: the webhook that it names, the token of the next page, how many events bring an artifact, and
	// whether it has one.
	madeConfig, next string
	pieces           int
	byArtifact       map[string]int
	artifact         bool
	errors           []string // the names of the error that it is
	taskContext      string   // the context of the task that it is about
	contradicts      bool     // it contradicts what went before
	example          bool     // the agent refused what its card gives as an example
	knownContext     bool     // somebody had named the context before
	caller           string   // by which callers differ
	callerKnown      bool
	history          *record.Node // of the task, in the last answer that has one
	ofOther          bool         // it names an operation of another dialect, and none of this one
}

// aboutTask returns the task that a call is about, or begins; "" if none is known.
func (c *foundCall) aboutTask() string { return cmp.Or(c.Task, c.Made) }

// inContext returns the context in which a call was made, or which its answer names.
func (c *foundCall) inContext() string { return cmp.Or(c.Context, c.MadeContext, c.taskContext) }

// aboutConfig returns the webhook that a call is about, or that its answer names.
func (c *foundCall) aboutConfig() string { return cmp.Or(c.Config, c.madeConfig) }

// The kinds of answers.
const (
	taskKind    = "task"    // a task, or news of one
	messageKind = "message" // a message in place of a task
	resultKind  = "result"  // another result
	errorKind   = "error"   // an error of the protocol
	oddKind     = "odd"     // nothing that can be read as an answer
	noneKind    = "none"    // nothing came
)

// delivered is a state of a task that an answer brought.
type delivered struct {
	at     record.Instant
	task   string
	state  string
	status *record.Node // with everything that belongs to it; nil if there is nothing but the state
}

// reader recognises the calls of one half of a recording.
type reader struct {
	d           *schema.Dialect
	cards       []card.Card
	restOrigins map[string]bool // the origins at which paths of REST were seen that no other protocol has
}

// newReader returns a reader that knows the cards which exchanges brought, or which were known before.
func newReader(d *schema.Dialect, all []*record.Exchange, known [][]byte) *reader {
	r := &reader{d: d, restOrigins: map[string]bool{}}
	r.readCards(all, known)
	return r
}

// readCards keeps the cards that exchanges brought, or that were known before.
func (r *reader) readCards(all []*record.Exchange, known [][]byte) {
	for _, x := range all {
		if r.isCardPath(x.URL) && x.Status() == http.StatusOK {
			known = append(slices.Clip(known), x.Response.Body)
		}
	}
	for _, text := range known {
		root, _ := record.ObserveJSON(text)
		if root != nil && root.Kind == record.Object && len(r.cards) < maxCards {
			r.cards = append(r.cards, card.Of(r.d, root))
		}
	}
}

// maxCards bounds how many cards of a recording are looked at for addresses.
const maxCards = 50

// isCardPath reports whether a card is served at the path of an address.
func (r *reader) isCardPath(address string) bool {
	at := ReadPath(address)
	return slices.ContainsFunc(slices.Concat(r.d.Card.Paths, olderCardPaths), func(p string) bool { return p != "" && strings.HasSuffix(at, p) })
}

// olderCardPaths are the paths of cards in any version of the protocol, so that a card at that of another is found.
var olderCardPaths = []string{"/.well-known/agent.json", "/.well-known/agent-card.json"}

// isDocumentPath reports whether the dialect has a document at the path of an address.
func (r *reader) isDocumentPath(address string) bool {
	at := ReadPath(address)
	for _, pattern := range []string{r.d.Directory.List, r.d.Directory.Entry, r.d.Agents.List, r.d.Agents.Info, r.d.Agents.Card, r.d.Agents.Health} {
		before, after, named := strings.Cut(pattern, "{name}")
		switch {
		case pattern == "":
		case !named && at == strings.TrimSuffix(pattern, "/"):
			return true
		case named && strings.HasPrefix(at, before) && strings.HasSuffix(at, after) && len(at) > len(before)+len(after):
			return true
		}
	}
	return false
}

// ReadPath returns the path of an address, as it was written, without a slash at its end.
func ReadPath(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(u.EscapedPath(), "/")
}

// readCall finds out what one exchange is: by the address to which it went, and else by its form.
func (r *reader) readCall(x *record.Exchange) *foundCall {
	c := &foundCall{Exchange: x, Role: stray}
	get := x.Request.Method() == http.MethodGet
	switch {
	case get && r.isCardPath(x.URL):
		if c.Op, c.Role = CardOp, CardOp; x.Status() != http.StatusOK {
			c.Unusual = "no card came from where the client looked for it"
		}
		return c
	case get && r.isDocumentPath(x.URL):
		c.Op, c.Role = documentOp, documentOp
		return c
	}
	if i := r.findNearestInterface(x.URL); i != nil {
		c.Binding, c.base, c.Role = i.Transport(), i.URL(), "call"
		c.readOperation(r.d)
		return c
	}
	for _, name := range binding.Names(r.d) {
		if r.hasForm(name, x) {
			c.Binding = name
			c.readOperation(r.d)
			return c
		}
	}
	return c
}

// readOperation reads the operation by the binding of the call.
func (c *foundCall) readOperation(d *schema.Dialect) {
	c.by = binding.ByNameOrDefault(d, c.Binding)
	c.sent = c.by.Sent(c.Exchange)
	if c.Op = c.sent.Op; c.Op == "" && len(c.sent.Calls) > 0 {
		c.Op = c.sent.Calls[0].Op
	}
}

// hasForm reports whether a request has the form of a call in a binding, and names one of its operations.
func (r *reader) hasForm(name string, x *record.Exchange) bool {
	sent := binding.ByNameOrDefault(r.d, name).Sent(x)
	switch r.d.Bindings[name].Kind {
	case schema.KindJSONRPC:
		named := sent.Op != "" || sent.Version != nil && sent.Method != nil
		return x.Posted() && (named || slices.ContainsFunc(sent.Calls, func(one binding.Sent) bool { return one.Op != "" }))
	case schema.KindGRPC:
		return sent.Op != "" && record.IsGRPC(x.Request.MediaType())
	case schema.KindREST:
		return sent.Op != "" && r.isBelowBase(x, sent.Op)
	}
	return false
}

// isBelowBase reports whether a path that looks like one of REST is one: it names an operation as no other protocol
// does, or such a path was seen at the same origin before. A GET of /tasks alone is also that of many a web page.
func (r *reader) isBelowBase(x *record.Exchange, op string) bool {
	u, err := url.Parse(x.URL)
	if err != nil {
		return false
	}
	origin := u.Scheme + "://" + u.Host
	if strings.Contains(u.Path, "/message:") || strings.Contains(u.Path, "/tasks/") && strings.Contains(u.Path, ":") {
		r.restOrigins[origin] = true
		return true
	}
	for field := range r.d.Headers {
		if x.Request.Header().Get(field) != "" {
			return true
		}
	}
	return r.restOrigins[origin] && r.d.Has(op)
}

// readParam returns the text at the first of some places in the parameters; "" if none has one.
func (c *foundCall) readParam(places ...string) string {
	for _, at := range places {
		if n := c.sent.Params.At(at); n != nil && n.Kind == record.String {
			return n.String
		}
	}
	return ""
}

// readIDs reads the ids that a request names.
func (c *foundCall) readIDs(d *schema.Dialect) {
	if c.sent.Params == nil {
		return
	}
	op := d.Operation(c.Op)
	switch {
	case op.Agent:
		c.Task, c.Context, c.Message = c.readParam("/message/taskId", "/id", "/taskId"), c.readParam("/message/contextId", "/sessionId", "/contextId"), c.readParam("/message/messageId")
	case op.About == schema.AboutTask:
		c.Task = c.readParam("/taskId", "/id")
		if c.Config = c.readParam("/pushNotificationConfigId", "/pushNotificationConfig/id"); c.Config == "" && c.sent.Params.At("/taskId") != nil {
			c.Config = c.readParam("/id")
		}
	default:
		c.Context = c.readParam("/contextId", "/sessionId")
	}
}

package client

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// An operation is what the client asks for, in the words of this package.
type operation string

const (
	send         operation = "send"
	stream       operation = "stream"
	get          operation = "get"
	list         operation = "list"
	cancel       operation = "cancel"
	subscribe    operation = "subscribe"
	extendedCard operation = "extended-card"
	setWebhook   operation = "set-webhook"
)

// A state of a task, in the words of this package. States that the protocol does not
// have keep their names.
type state string

const (
	submitted     state = "submitted"
	working       state = "working"
	inputRequired state = "input-required"
	authRequired  state = "auth-required"
	completed     state = "completed"
	canceled      state = "canceled"
	failed        state = "failed"
	rejected      state = "rejected"
)

// isTerminal reports whether a task in the state has ended.
func (s state) isTerminal() bool {
	return s == completed || s == canceled || s == failed || s == rejected || s == timedOut
}

// isKnown reports whether the protocol has the state.
func (s state) isKnown() bool {
	return s.isTerminal() || s == submitted || s == working || s == inputRequired || s == authRequired
}

// object is a decoded JSON object.
type object = map[string]any

// A dialect is how one version of the protocol writes what the client sends, and how what
// comes is read.
type dialect struct {
	name        string
	version     string // the value of A2A-Version; "" if requests name none
	methods     map[operation]string
	routes      map[operation]route  // of HTTP+JSON
	restMedia   string               // the media type of bodies in that
	restMembers map[operation]string // the member that holds the parameters in a body of that; "" for none
	rpcs        map[operation]rpc    // of gRPC
	service     string               // of gRPC
	proto       *protoFile           // its messages
	// toProto and fromProto convert the parameters of calls and the answers if the JSON of the service differs; nil if not.
	toProto         func(op operation, params object) object
	fromProto       func(answer object) object
	extensionHeader string // "" if there are none
	errors          map[int]string
	omits           map[string]bool // variants and mutants of what it does not have
	keeps           map[string]bool // the only variants and mutants that it has; nil for all but those that it omits

	// How a card is found and read.
	cardPath      string // below the base URL
	listEndpoints func(card object) []endpoint
	extendedPath  []string // the flag of a card that has an extended one
	security      string   // the member of a card with its alternative requirements
	schemesPath   []string // within an alternative: the object whose members are its schemes
	readScheme    func(v any) scheme
	// listDemands returns the alternatives of schemes of which one is demanded, if they are no security requirements.
	listDemands func(card object) [][]scheme

	// findAgent finds the agent of a protocol without cards, and completeCall adds to calls what they alone have; nil for nothing.
	findAgent    func(s *session) error
	completeCall func(c *call)

	// How messages are written.
	role        string // of the client
	messageKind string // "" if messages have none
	writeParts  func(text string, files bool) []any
	// writeParams returns the parameters of a call that sends a message, nil for members message and configuration.
	writeParams   func(d *dialect, m outgoingMessage, configuration object) object
	taskMember    []string // in the parameters of such a call: the task that the message continues
	contextMember []string // likewise its context
	bareMessage   bool     // it has neither an id nor the ids of task and context
	makesContexts bool     // the client makes the id of a context
	datesMessages bool     // a message may have its time
	namesHeaders  bool     // calls may have the header fields that the dialect has for versions, times and traces
	readsLimits   bool     // answers may state how many calls are left, and from when on there are more
	immediately   object   // what the configuration has if the agent is not to wait
	webhookMember string   // of the configuration
	// writeRegistration returns the parameters by which a webhook is registered for a task.
	writeRegistration func(task string, webhook object) object
	bearer            object // how a webhook names its scheme of authentication
	credentialState   state  // in which a task waits for a credential

	// How results are read.
	readUpdate  func(result object) update
	readEvent   func(result object) update // an event of a stream; nil if it is read as results are
	bareEvents  bool                       // an event of a stream may be without an envelope
	partMembers []string                   // a part that has none of these is of an unknown kind
	members     map[string]bool
}

// hasChoice reports whether the dialect has a variant or a mutant of a name.
func (d *dialect) hasChoice(name string) bool {
	return !d.omits[name] && (d.keeps == nil || d.keeps[name])
}

// readStreamed reads an event of a stream.
func (d *dialect) readStreamed(result object) update {
	if d.readEvent != nil {
		return d.readEvent(result)
	}
	return d.readUpdate(result)
}

// An outgoingMessage is what the client sends, before it is written.
type outgoingMessage struct {
	id, text      string
	task, context string
	rich          bool
	payment       object // nil for none
	references    []string
	extensions    []string
}

// writeMessage writes a message, of which the versions differ in the parts alone.
func (d *dialect) writeMessage(m outgoingMessage) object {
	message := object{"role": d.role, "parts": d.writeParts(m.text, m.rich)}
	if d.bareMessage {
		if m.rich {
			message["metadata"] = object{"client": "bundled"}
		}
		return message
	}
	message["messageId"] = m.id
	if d.messageKind != "" {
		message["kind"] = d.messageKind
	}
	if m.task != "" {
		message["taskId"] = m.task
	}
	if m.context != "" {
		message["contextId"] = m.context
	}
	if len(m.extensions) > 0 {
		message["extensions"] = m.extensions
	}
	if m.payment != nil {
		message["metadata"] = object{"x402.payment.status": "payment-submitted", "x402.payment.payload": m.payment}
		return message
	}
	if m.rich && d.datesMessages {
		message["timestamp"] = time.Now().UTC().Format(time.RFC3339)
	}
	if m.rich {
		message["metadata"] = object{"client": "bundled"}
		if len(m.references) > 0 {
			message["referenceTaskIds"] = m.references
		}
	}
	return message
}

// startTask has the parameters of a call that sends a message name no task that there is.
func (d *dialect) startTask(params object) {
	id := ""
	if d.bareMessage { // the client makes the id
		id = newID()
	}
	setMember(params, id, d.taskMember...)
}

// The files of rich messages.
const (
	fileURL  = "https://files.example.com/note.txt"
	fileName = "note.txt"
	fileType = "text/plain"
)

// fileBytes are the content of a file.
var fileBytes = []byte("attached")

var dialects = []*dialect{&a2a10, &a2a03, &a2a01, &a2x03, &jaf03, &directory01, &coreSchema}

// Dialects returns the names of the protocols that the client can use.
func Dialects() (names []string) {
	for _, d := range dialects {
		names = append(names, d.name)
	}
	slices.Sort(names)
	return names
}

func findDialect(name string) (*dialect, error) {
	for _, d := range dialects {
		if d.name == name {
			return d, nil
		}
	}
	return nil, fmt.Errorf("there is no client for the dialect %q; choose one of %s", name, strings.Join(Dialects(), ", "))
}

// rpcErrors are the errors that both versions have, by their codes.
var rpcErrors = map[int]string{
	-32700: "ParseError", -32600: "InvalidRequest", -32601: "MethodNotFound", -32602: "InvalidParams", -32603: "InternalError",
	-32001: "TaskNotFound", -32002: "TaskNotCancelable", -32003: "PushNotificationNotSupported", -32004: "UnsupportedOperation",
	-32005: "ContentTypeNotSupported", -32006: "InvalidAgentResponse", -32007: "ExtendedCardNotConfigured",
}

// makeSet returns the words of some texts as a set.
func makeSet(texts ...string) map[string]bool {
	set := map[string]bool{}
	for _, t := range texts {
		for _, word := range strings.Fields(t) {
			set[word] = true
		}
	}
	return set
}

// setMember sets what is at a path of member names, or takes it away if the text is empty.
func setMember(o object, text string, path ...string) {
	last := len(path) - 1
	for _, name := range path[:last] {
		o = getObject(o, name)
	}
	switch {
	case o == nil:
	case text == "":
		delete(o, path[last])
	default:
		o[path[last]] = text
	}
}

// sortNames returns the names of the members of an object in their order.
func sortNames(o object) []string { return slices.Sorted(maps.Keys(o)) }

// getMember returns what is at a path of member names, nil if there is nothing.
func getMember(v any, path ...string) any {
	for _, name := range path {
		o, _ := v.(object)
		v = o[name]
	}
	return v
}

func getText(v any, path ...string) string {
	s, _ := getMember(v, path...).(string)
	return s
}

func getObject(v any, path ...string) object {
	o, _ := getMember(v, path...).(object)
	return o
}

func getList(v any, path ...string) []any {
	l, _ := getMember(v, path...).([]any)
	return l
}

func getFlag(v any, path ...string) bool {
	b, _ := getMember(v, path...).(bool)
	return b
}

// Package dialect writes the valid requests of each protocol variant, one file per variant.
// Reading needs no code: the places of values in a reply are data.
package dialect

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Outgoing is what a scenario wants to say, in no variant's words. Empty
// members are left out of the request.
type Outgoing struct {
	Text          string
	Parts         []map[string]any // next to or instead of Text, already in the variant's form
	Task          string           // the task it is about
	Context       string           // the session or context it belongs to
	Message       string           // id of the message
	HistoryLength *int
	Metadata      map[string]any // of the request
	// MessageMetadata is that of the message.
	MessageMetadata map[string]any
	Push            map[string]any // push configuration
	Reason          string         // of a cancellation
	Bare            bool           // without a context, even if messages usually have one
	Blocking        *bool          // whether the reply waits for the end of the work
	Modes           []string       // media types that are accepted in the reply
	References      []string       // other tasks that the message describes
	Extensions      []string       // of the protocol, that the message makes use of
	Config          string         // id of one of a task's push configurations
	Entry           *Entry         // that an agent registers
	Wanted          []string       // capabilities to find agents by
	Sender          string         // who sends the task
	Listing         *Listing       // which tasks are listed, and how
	Hurried         bool           // the call states that it is not to wait, if that should change nothing
}

// Listing describes which tasks are listed, and how. Empty members are left out.
type Listing struct {
	Size      int    // of a page, in tasks
	Token     string // of the page, from the reply with the one before it
	State     string // of the tasks
	Since     string // the earliest time of their status, as a timestamp
	Artifacts *bool  // whether they come with their artifacts
}

// Writer writes the params of valid requests.
type Writer struct {
	// ClientTasks states that the client chooses the ids of tasks.
	ClientTasks bool
	// ServerContexts states that contexts are the server's to name.
	ServerContexts bool
	// RepliedContexts states that servers may refuse a context that the client made up, so
	// that messages name only those that replies named.
	RepliedContexts bool
	// Waits states that the reply to a message is the result of the work.
	Waits bool
	// Continues states that a message can be sent to a task.
	Continues bool
	// FollowsWaiting states that a task that waits for the client can be subscribed to.
	FollowsWaiting bool
	// NamedWebhooks states that a task's webhook is read by its id alone.
	NamedWebhooks bool
	// Unlocks states that a task that waits for credentials takes messages.
	Unlocks bool
	// Params writes the params of an operation.
	Params map[string]func(Outgoing) map[string]any
	// Kitchen lists every optional member of a send, and Nulls the same members
	// given as null.
	Kitchen func(Outgoing) []Optional
	Nulls   func(Outgoing) []Optional
	// Data and Files list the kinds of part next to text; files are of the given
	// MIME type.
	Data  func(Outgoing) []Optional
	Files func(mime string) []Optional
	// TextPart is a part with that text, if messages are measured.
	TextPart func(text string) map[string]any
	// DataPart is a part with that data.
	DataPart func(data any) map[string]any
	// DataMode is the input mode that a card lists if structured data is
	// taken.
	DataMode string
	// Allow writes the headers by which a call is allowed some time.
	Allow func(time.Duration) http.Header
	// Within writes into the params of a send how long the call may take.
	Within func(params map[string]any, d time.Duration)
	// Hints say which output is wished.
	Hints func(Outgoing) []Optional
	// Hands are how clients in use write calls, by the kind of binding.
	Hands map[string][]ClientStyle
	// Push writes a push configuration.
	Push func(Push) map[string]any
}

// Push is the receiver to which a server is to announce the changes of a task, and how it is to
// show who it is. Empty members are left out.
type Push struct {
	ID          string // of this configuration among those of the task
	URL         string
	Token       string // returned with each announcement
	Scheme      string // of authentication, such as Bearer
	Credentials string
}

// Optional is one optional member of a send, as a patch on its params.
type Optional struct {
	Name string
	Add  func(params map[string]any)
}

var writers = map[string]*Writer{
	"a2a-0.1":       a2a01,
	"a2a-0.3":       a2a03,
	"a2a-1.0":       a2a10,
	"a2x-0.3":       a2x03,
	"core-schema":   a2a01, // which it is judged on
	"directory-0.1": directory01,
	"jaf-0.3":       jaf03,
}

// For returns the writer of a dialect.
func For(name string) (*Writer, error) {
	if w := writers[name]; w != nil {
		return w, nil
	}
	known := strings.Join(slices.Sorted(maps.Keys(writers)), ", ")
	return nil, fmt.Errorf("no requests are written for the dialect %q; choose one of %s", name, known)
}

// setMemberUnlessZero puts a member if it has a value: the one that a pointer leads to, if it is one.
func setMemberUnlessZero(object map[string]any, name string, value any) {
	v := reflect.ValueOf(value)
	switch {
	case v.IsZero():
	case v.Kind() == reflect.Pointer:
		object[name] = v.Elem().Interface()
	default:
		object[name] = value
	}
}

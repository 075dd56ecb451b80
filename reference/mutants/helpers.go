package mutants

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// CarriesToken reports whether the metadata of a call holds the token.
func CarriesToken(c *front.Caller) bool {
	return strings.Contains(string(front.Encode(front.At(c.Body, "params/metadata"))), front.Token) ||
		strings.Contains(string(front.Encode(front.At(c.Body, "params/message/metadata"))), front.Token)
}

// OnCard edits the agent card.
func OnCard(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Document == "card" {
			edit(x)
		}
	}
}

// MoveCardTo serves the card as another document, and not in its place.
func MoveCardTo(document string, card func(*front.Server) any) func(*front.Reply) {
	return func(x *front.Reply) {
		switch x.Document {
		case "card":
			x.Blank(http.StatusNotFound, "text/plain")
		case document:
			x.Status, x.Body = http.StatusOK, front.Generic(card(x.Server))
		}
	}
}

// CardHas sets one member of the agent card.
func CardHas(path string, value any) func(*front.Reply) {
	return OnCard(func(x *front.Reply) { front.Put(x.Body, path, value) })
}

// eachAddress edits the addresses of an agent's endpoints on its card.
func eachAddress(card any, edit func(string) string) {
	entries := []any{card}
	for _, list := range []string{"additionalInterfaces", "supportedInterfaces"} {
		more, _ := front.At(card, list).([]any)
		entries = append(entries, more...)
	}
	for _, e := range entries {
		if at, ok := front.At(e, "url").(string); ok {
			front.Put(e, "url", edit(at))
		}
	}
}

// withUnspecifiedHost is an address with 0.0.0.0 in place of its host.
func withUnspecifiedHost(address string) string {
	scheme, rest, is := strings.Cut(address, "://")
	if !is { // of gRPC
		scheme, rest = "", address
	}
	hostPort, path, below := strings.Cut(rest, "/")
	if _, port, err := net.SplitHostPort(hostPort); err == nil {
		hostPort = net.JoinHostPort("0.0.0.0", port)
	}
	if below {
		hostPort += "/" + path
	}
	if scheme == "" {
		return hostPort
	}
	return scheme + "://" + hostPort
}

// Recalled makes a server that takes the full name of a method for another.
func Recalled(edit func(name string) string) func(*http.Request) {
	return func(r *http.Request) { r.URL.Path = edit(r.URL.Path) }
}

// Within calls f for every message of a type inside a message of gRPC; an empty type
// means any.
func Within(m protoreflect.Message, name protoreflect.Name, f func(protoreflect.Message)) {
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Message() == nil || field.IsMap():
		case field.IsList():
			for i := range v.List().Len() {
				Within(v.List().Get(i).Message(), name, f)
			}
		default:
			Within(v.Message(), name, f)
		}
		return true
	})
	if name == "" || m.Descriptor().Name() == name {
		f(m)
	}
}

// Sending edits the messages of a type in what gRPC sends.
func Sending(name protoreflect.Name, edit func(protoreflect.Message)) func(*front.GRPCMessage) {
	return func(p *front.GRPCMessage) {
		if p.Message != nil {
			Within(p.Message, name, edit)
		}
	}
}

// Field is a field of a message by its name; nil if it has none of that name.
func Field(m protoreflect.Message, field protoreflect.Name) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(field)
}

// Clearing makes a server that leaves out one field of the messages of a type.
func Clearing(name, field protoreflect.Name) func(*front.GRPCMessage) {
	return Sending(name, func(m protoreflect.Message) { m.Clear(Field(m, field)) })
}

// Deadly makes a server that takes no message any more after a certain request.
func (w Wording) Deadly(is func(*front.Reply) bool) func(*front.Reply) {
	return func(x *front.Reply) {
		switch {
		case x.Document == "" && is(x):
			x.Server.Notes.Write("dead", true)
		case x.Method() == w.Send && x.Server.Notes.Read("dead") != nil:
			x.Blank(http.StatusServiceUnavailable, "text/plain")
		}
	}
}

// measureDepth returns how deep the objects and arrays of a body are nested.
func measureDepth(body []byte) int {
	deepest, now := 0, 0
	for _, b := range body {
		switch b {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

const (
	SetPushMethod = "tasks/pushNotification/set"
	GetPushMethod = "tasks/pushNotification/get"
)

// SomeHook is what a lenient server puts in place of an unusable URL.
const SomeHook = "https://hook.invalid/"

// ConfigOf edits the configuration in the results of tasks/pushNotification/get.
func ConfigOf(edit func(x *front.Reply, config map[string]any)) func(*front.Reply) {
	return front.Answering(GetPushMethod, func(x *front.Reply) {
		if c := front.Object(x.Body, "result/pushNotificationConfig"); c != nil {
			edit(x, c)
		}
	})
}

// Nowhere is a path at which nothing is served.
const Nowhere = "/nowhere"

// Repath gives a request of HTTP+JSON another path below the base URL.
func Repath(r *http.Request, base, escaped string) {
	if path, err := url.PathUnescape(base + escaped); err == nil {
		r.URL.Path, r.URL.RawPath = path, base+escaped
	}
}

// Repathed makes a server that takes the path below the base URL of HTTP+JSON, as it was
// sent, for another.
func Repathed(base string, edit func(path string) string) func(*http.Request) {
	return func(r *http.Request) { Repath(r, base, edit(strings.TrimPrefix(r.URL.EscapedPath(), base))) }
}

// Typed makes a server that does not know a media type of requests.
func Typed(media string) func(*http.Request) {
	return func(r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), media) {
			r.Header.Set("Content-Type", "application/octet-stream")
		}
	}
}

// Hello is what a lenient server puts in place of a message it misses.
func Hello() map[string]any {
	return map[string]any{"role": "user", "parts": []any{front.Hi()}}
}

// Resuming edits the events of a stream that takes up a task again.
func (w Wording) Resuming(edit func(*front.StreamEvent)) func(*front.StreamEvent) {
	return func(f *front.StreamEvent) {
		if f.Method() == w.Resubscribe {
			edit(f)
		}
	}
}

// Failing edits the refusals of a method that would have opened a stream.
func Failing(method string, code int, edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers(method, code) {
			edit(x)
		}
	}
}

// LookingAgain edits the replies to tasks/get without historyLength for tasks
// of one script, from the given look on.
func LookingAgain(script string, from int, edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if front.Has(x.Body, "result") && x.LooksAgain(script) >= from {
			edit(x)
		}
	}
}

// HistoryOf edits the history in the replies to tasks/get. asked is the
// historyLength of the call.
func HistoryOf(edit func(x *front.Reply, asked string, history []any) []any) func(*front.Reply) {
	return func(x *front.Reply) {
		if !x.Looks() {
			return
		}
		n := front.At(x.Request, "params/historyLength")
		history, ok := front.At(x.Body, "result/history").([]any)
		if !front.IsNumber(n) || !ok {
			return
		}
		front.Put(x.Body, "result/history", edit(x, string(front.Encode(n)), history))
	}
}

// SortByRole puts the messages of one role before all others in the history of a task.
func SortByRole(body any, first string) {
	history, _ := front.At(body, "result/history").([]any)
	slices.SortStableFunc(history, func(a, b any) int {
		switch one, other := front.Text(a, "role") == first, front.Text(b, "role") == first; {
		case one && !other:
			return -1
		case other && !one:
			return 1
		}
		return 0
	})
}

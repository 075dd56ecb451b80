// Package binding knows how operations are transported: how a request is written, and which part
// of a response is the answer to it. It is pure, so that a replay reads what the run read.
package binding

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Binding is one way in which operations travel. The conversations write calls by it,
// and conversations and judge read answers by it.
type Binding interface {
	// Name is what cards call it.
	Name() string
	// Kind is the word that dialects have for bindings of this sort.
	Kind() string
	// Encode writes a call to a server whose endpoint is base.
	Encode(base string, r Request) (client.Call, error)
	// Sent reads a call of ours from the record.
	Sent(x *record.Exchange) Sent
	// Decode reads what answers a call of an operation in one text.
	Decode(op string, x *record.Exchange) Answer
	// Event reads the data of one event of a stream, or a part of an answer that is
	// one by itself.
	Event(op string, data *record.Node) Answer
	// Title is how people call an operation in this binding; "" for one that it does not
	// carry.
	Title(op string) string
	// Sign is how an error of that name is reported from others, for people.
	Sign(name string) string
}

// Request is a call that is to be made.
type Request struct {
	Op     string
	ID     any                          // of the call, if the binding has such ids; nil for none
	Params any                          // nil for none
	Way    int                          // which of the ways to make it, from 0, if there are several
	Style  int                          // which of the styles to write it in, from 0, if there are several
	Bend   func([]byte) ([]byte, error) // changes the envelope of a call that is meant to be wrong; nil to leave it
}

// RouteCount returns in how many ways a binding can make a call of an operation. A server needs to
// know only one of them.
func RouteCount(b Binding, op string) int {
	if of, has := b.(interface{ Ways(op string) int }); has {
		return max(1, of.Ways(op))
	}
	return 1
}

// Styles returns in how many styles a binding can write calls to a server whose endpoint is
// base. A server needs to know only one of them, and it is the same for all operations.
func Styles(b Binding, base string) int {
	if of, has := b.(interface{ Styles(base string) int }); has {
		return max(1, of.Styles(base))
	}
	return 1
}

// PossibleErrorNames returns the dialect's names for all errors that an answer may be. A binding that reports
// errors by more than what this one states gives those that go with the rest.
func PossibleErrorNames(b Binding, x *record.Exchange, a Answer) []string {
	if of, has := b.(interface {
		MayBe(*record.Exchange, Answer) []string
	}); has && a.Failure.Exists() {
		return of.MayBe(x, a)
	}
	return a.Names
}

// Words are how people call what comes back in a binding.
type Words struct {
	Response string // any answer to a call
	Reply    string // the same
	Object   string // such an answer, as what is asked for
	Error    string // one by which a call was refused
}

// Bare returns the word for an error without an article.
func (w Words) Bare() string {
	_, bare, _ := strings.Cut(w.Error, " ")
	return bare
}

// WordsOf returns the words for a binding.
func WordsOf(b Binding) Words {
	if b.Kind() == schema.KindJSONRPC {
		return Words{"JSON-RPC response", "JSON-RPC reply", "a JSON-RPC response object", "a JSON-RPC error"}
	}
	return Words{"reply of the protocol", "reply of the protocol", "a reply of the protocol", "an error of the protocol"}
}

// Number returns the number by which an error is reported in a binding; "" if it has none.
func Number(b Binding, e schema.ErrorSign) string {
	switch {
	case b.Kind() == schema.KindJSONRPC:
		return strconv.Itoa(e.Code)
	case b.Kind() == schema.KindREST && len(e.HTTP) > 0:
		return strconv.Itoa(e.HTTP[0])
	}
	return ""
}

// ErrNotSayable is what every reason is one of for which a binding cannot write a call.
var ErrNotSayable = errors.New("this binding has no way to say that")

// inexpressible is such a reason.
type inexpressible string

func (u inexpressible) Error() string { return string(u) }

// Is reports whether target is what all such reasons have in common.
func (inexpressible) Is(target error) bool { return target == ErrNotSayable }

// ErrNoEnvelope is why a call whose envelope is to be bent cannot be written.
const ErrNoEnvelope = inexpressible("this binding has no envelope that could be bent")

// SetHeaders sets header fields, such as those of every call of a dialect.
func SetHeaders(h http.Header, values map[string]string) {
	for name, value := range values {
		h.Set(name, value)
	}
}

// Members returns the parameters by name, if they are an object.
func (r Request) Members() (params map[string]any, ok bool) {
	params, ok = r.Params.(map[string]any)
	return params, ok
}

// Sent is a call as it was sent. Each part is nil if there is none.
type Sent struct {
	Op     string // the operation that the call itself names; "" for none that the dialect has
	Named  string // how the call names its operation, whether there is such a one or not
	Call   *record.Node
	ID     *record.Node
	Params *record.Node
	// ParamsAt is the pointer of the parameters within the call, if the binding has an envelope.
	ParamsAt string
	Calls    []Sent // of a batch, each by itself
	Framed   bool   // the binding has an envelope, which is Call
	Sound    bool   // the envelope is one, as far as version and method show
	Version  *record.Node
	Method   *record.Node
}

// Each returns the calls of a batch, or the one call.
func (s Sent) Each() []Sent {
	if len(s.Calls) > 0 {
		return s.Calls
	}
	return []Sent{s}
}

// View is a part of an answer and the place at which it was recorded, or looked for.
type View struct {
	Node *record.Node // nil if it is missing
	At   string       // pointer into the text
}

// Exists reports whether the part is there, null included.
func (v View) Exists() bool { return v.Node != nil }

// Present reports whether the part is there and not null.
func (v View) Present() bool { return v.Node != nil && v.Node.Kind != record.Null }

// Answer is a text of the server, read as the answer to a call.
type Answer struct {
	// Marked states that the text bears the sign of the binding, so that it is an
	// answer of a server of the protocol and not of something on the way.
	Marked bool
	// Bare states that a result came by itself, if others come in an envelope.
	Bare   bool
	Result View
	// Failure is the error by which an operation was refused, with the member that
	// describes which it is, what it describes for people, and what it reports besides.
	Failure, Code, Message, Details View
	// Names are the dialect's names for that error, in order.
	Names []string
	// Envelope is what holds all this, with the version that it states and the id of the
	// call that it names; of a binding without one there is nothing in them.
	Envelope, Version, ID View
	// Listed states that the text is a list, whose elements may be answers by themselves.
	Listed bool
	// Read states that the result was read from another form: its nodes have the names of the
	// dialect's text, and the places of the bytes that they were read from.
	Read bool
}

// IsResponse is the one test of whether JSON is an answer to a call: it bears the sign of
// the binding, has a result, or has an error. In an envelope, an error counts only if it
// describes which one it is: many a framework has a member of that name in JSON of its own, such
// as {"statusCode":400,"error":"Bad Request"}, and what has none of this has no error.
func (a Answer) IsResponse() bool {
	return a.Marked || a.Result.Exists() || a.Failure.Exists() && (a.Envelope.Node == nil || a.Code.Exists())
}

// AsResponse returns the answer without the error of what is no response. Without an envelope a
// status alone may say which error it is.
func (a Answer) AsResponse() Answer {
	if a.IsResponse() || a.Envelope.Node == nil {
		return a
	}
	a.Failure.Node, a.Code.Node, a.Message.Node, a.Details.Node, a.Names = nil, nil, nil, nil, nil
	return a
}

// Refuses reports whether an answer is one of the errors.
func (a Answer) Refuses(names ...string) bool {
	return slices.ContainsFunc(a.Names, func(n string) bool { return slices.Contains(names, n) })
}

// Under returns an answer that is in a text, at a place.
func (a Answer) Under(at string) Answer {
	for _, v := range []*View{&a.Result, &a.Failure, &a.Code, &a.Message, &a.Details, &a.Envelope, &a.Version, &a.ID} {
		v.At = at + v.At
	}
	return a
}

// Make makes the binding of that name from what a dialect states about it.
type Make func(name string, is schema.Binding, d *schema.Dialect) Binding

var kinds = map[string]Make{}

// Register adds a kind of bindings, by the word that dialects have for it.
func Register(kind string, of Make) {
	kinds[kind] = of
	schema.Carry(kind)
}

func init() { Register(schema.KindJSONRPC, newJSONRPC) }

// Names returns the bindings of a dialect, JSON-RPC first: that is what is spoken if
// no one states otherwise.
func Names(d *schema.Dialect) []string {
	if d == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(d.Bindings), func(a, b string) int {
		rank := func(name string) int {
			if d.Bindings[name].Kind == schema.KindJSONRPC {
				return 0
			}
			return 1
		}
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b))
	})
}

// RegisterRecordTranslators makes every binding of a dialect, so that records of each can be read whichever
// is asked for first.
func RegisterRecordTranslators(d *schema.Dialect) {
	for _, name := range Names(d) {
		ByNameOrDefault(d, name)
	}
}

// ReadTranscript reads a transcript in HAR, as record.ReadHAR does, with the messages of the dialect that it is of readable.
func ReadTranscript(har io.Reader) (*record.Transcript, error) {
	return record.ReadHARWith(har, func(f record.Facts) {
		if d, err := schema.Load(f.Dialect); err == nil {
			RegisterRecordTranslators(d)
		}
	})
}

// ByNameOrDefault returns the binding of that name, or the one that is spoken if no one states
// otherwise. If no dialect is known yet, or it carries nothing, that is JSON-RPC.
func ByNameOrDefault(d *schema.Dialect, name string) Binding {
	if d != nil {
		for _, known := range Names(d) {
			if is := d.Bindings[known]; (known == name || name == "") && kinds[is.Kind] != nil {
				return kinds[is.Kind](known, is, d)
			}
		}
	}
	return newJSONRPC(name, schema.Binding{}, d)
}

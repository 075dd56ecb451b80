package mutants

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Conditions are what has to hold before an edit is applied. All that are set must.
type conditions struct {
	Call  *facts `yaml:"call"`  // about the request
	Reply *facts `yaml:"reply"` // about the response
	Event *facts `yaml:"event"` // about the event
	Push  *facts `yaml:"push"`  // about the push notification
	Part  *facts `yaml:"part"`  // about at least one part of the message in the request
	Item  *facts `yaml:"item"`  // about the object that the patch is about, with each and within

	Error     errorCode          `yaml:"error"`    // the response is this error
	Opens     *bool              `yaml:"opens"`    // the response is the head of a stream
	Document  []string           `yaml:"document"` // the response is one of these documents; "": the answer to a call
	Status    int                `yaml:"status"`   // of the response
	Binding   string             `yaml:"binding"`
	Verb      string             `yaml:"verb"`   // the method of HTTP
	URLPath   string             `yaml:"path"`   // of the request
	Header    map[string]*string `yaml:"header"` // of the request; "": it has none; null: it has any
	Sent      map[string]*string `yaml:"sent"`   // headers of the response
	Script    []string           `yaml:"script"` // the first word of the message that began the task
	Look      *look              `yaml:"look"`   // the call looks a task up
	Task      []string           `yaml:"task"`   // the state of the task that the call is about, in the words of the engine; any: it exists
	State     []string           `yaml:"state"`  // in an event
	WholeTask *bool              `yaml:"wholeTask"`
	Nth       int                `yaml:"nth"` // of the events of a stream
}

// A look is a call of get, without historyLength, for a task with a script: the nth such
// call, or any from one on.
type look struct {
	Script string `yaml:"script"`
	From   int    `yaml:"from"`
	Nth    int    `yaml:"nth"`
}

// Facts are about JSON.
type facts struct {
	Has       []pointer               `yaml:"has"`
	Lacks     []pointer               `yaml:"lacks"`
	Set       []pointer               `yaml:"set"`   // neither absent nor null
	Unset     []pointer               `yaml:"unset"` // absent or null
	Text      []pointer               `yaml:"text"`  // a string that is not empty
	NoText    []pointer               `yaml:"noText"`
	String    []pointer               `yaml:"string"`
	NotString []pointer               `yaml:"notString"`
	Number    []pointer               `yaml:"number"`
	NotNumber []pointer               `yaml:"notNumber"`
	Negative  []pointer               `yaml:"negative"` // a number below zero
	Object    []pointer               `yaml:"object"`
	NotObject []pointer               `yaml:"notObject"`
	Array     []pointer               `yaml:"array"`
	NotArray  []pointer               `yaml:"notArray"`
	Length    map[pointer]int         `yaml:"length"` // of an array
	Longer    map[pointer]int         `yaml:"longer"` // an array of more elements
	Equals    map[pointer]jsonValue   `yaml:"equals"`
	Differs   map[pointer][]jsonValue `yaml:"differs"`
	Starts    map[pointer]string      `yaml:"starts"` // a string with this beginning
}

func (c *conditions) areMet(m *moment) bool {
	call := m.callBody()
	if !c.Call.hold(call) || !c.Push.hold(*m.body) || !c.Event.hold(*m.body) || !c.holdForAnyPart(call) {
		return false
	}
	if m.request != nil {
		r := m.request
		return (c.Binding == "" || r.Binding == c.Binding) && hasWantedHeaders(r.HTTP.Header, c.Header)
	}
	return m.push != nil || c.holdForReply(m.reply) && (m.event == nil || c.holdForEvent(m.event))
}

// holdForAnyPart reports whether the condition on parts holds for one of them.
func (c *conditions) holdForAnyPart(call any) bool {
	return c.Part == nil || slices.ContainsFunc(front.Parts(front.At(call, "params")), func(part any) bool {
		return front.Object(part, "") != nil && c.Part.hold(part)
	})
}

func (c *conditions) holdForReply(x *front.Reply) bool {
	switch {
	case !c.Reply.hold(x.Body),
		c.Error != 0 && !x.Answers("", int(c.Error)),
		c.Opens != nil && x.Opens != *c.Opens,
		len(c.Document) > 0 && !slices.Contains(c.Document, x.Document),
		c.Status != 0 && x.Status != c.Status,
		c.Binding != "" && x.Binding() != c.Binding,
		c.Verb != "" && x.HTTP.Method != c.Verb,
		c.URLPath != "" && x.HTTP.URL.Path != c.URLPath,
		!hasWantedHeaders(x.HTTP.Header, c.Header), !hasWantedHeaders(x.Header, c.Sent),
		len(c.Script) > 0 && !slices.Contains(c.Script, x.Script()),
		len(c.Task) > 0 && !isInState(x.Task(), c.Task):
		return false
	}
	if c.Look == nil {
		return true
	}
	times := x.LooksAgain(c.Look.Script)
	return times > 0 && times >= c.Look.From && (c.Look.Nth == 0 || times == c.Look.Nth)
}

// isInState reports whether a task exists and is in one of the states. The state any means
// all of them.
func isInState(t engine.Task, states []string) bool {
	return t.ID != "" && (states[0] == "any" || slices.Contains(states, string(t.Status.State)))
}

func (c *conditions) holdForEvent(f *front.StreamEvent) bool {
	return (len(c.State) == 0 || slices.Contains(c.State, f.State())) && (c.WholeTask == nil || f.Whole() == *c.WholeTask) && (c.Nth == 0 || f.Count == c.Nth)
}

// hasWantedHeaders reports whether headers have the values that are wanted: an empty one stands
// for no header, and nil for any value.
func hasWantedHeaders(h http.Header, wantNilForAny map[string]*string) bool {
	for name, value := range wantNilForAny {
		if got := h.Get(name); value == nil && got == "" || value != nil && got != *value {
			return false
		}
	}
	return true
}

// hold reports whether all facts hold for a value; nil facts do.
func (f *facts) hold(v any) bool {
	if f == nil {
		return true
	}
	for _, check := range []struct {
		pointers []pointer
		is       func(path string) bool
	}{
		{f.Has, func(path string) bool { return front.Has(v, path) }},
		{f.Lacks, func(path string) bool { return !front.Has(v, path) }},
		{f.Set, func(path string) bool { return front.At(v, path) != nil }},
		{f.Unset, func(path string) bool { return front.At(v, path) == nil }},
		{f.Text, func(path string) bool { return front.Text(v, path) != "" }},
		{f.NoText, func(path string) bool { return front.Text(v, path) == "" }},
		{f.String, func(path string) bool { return front.IsText(front.At(v, path)) }},
		{f.NotString, func(path string) bool { return !front.IsText(front.At(v, path)) }},
		{f.Number, func(path string) bool { return front.IsNumber(front.At(v, path)) }},
		{f.NotNumber, func(path string) bool { return !front.IsNumber(front.At(v, path)) }},
		{f.Negative, func(path string) bool { return front.IsNegative(front.At(v, path)) }},
		{f.Object, func(path string) bool { return front.Object(v, path) != nil }},
		{f.NotObject, func(path string) bool { return front.Object(v, path) == nil }},
		{f.Array, func(path string) bool { return isArray(front.At(v, path)) }},
		{f.NotArray, func(path string) bool { return !isArray(front.At(v, path)) }},
	} {
		for _, p := range check.pointers {
			if !check.is(string(p)) {
				return false
			}
		}
	}
	return f.valueFactsHold(v)
}

// valueFactsHold checks the facts that name a value.
func (f *facts) valueFactsHold(v any) bool {
	for p, want := range f.Equals {
		if front.At(v, string(p)) != want.V {
			return false
		}
	}
	for p, others := range f.Differs {
		if slices.ContainsFunc(others, func(other jsonValue) bool { return front.At(v, string(p)) == other.V }) {
			return false
		}
	}
	for p, beginning := range f.Starts {
		if !strings.HasPrefix(front.Text(v, string(p)), beginning) {
			return false
		}
	}
	for p, length := range f.Length {
		if list, ok := front.At(v, string(p)).([]any); !ok || len(list) != length {
			return false
		}
	}
	for p, length := range f.Longer {
		if list, _ := front.At(v, string(p)).([]any); len(list) <= length {
			return false
		}
	}
	return true
}

func isArray(v any) bool {
	_, ok := v.([]any)
	return ok
}

package judge

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// part is a piece of a text and the definition it is judged by.
type part struct {
	definition, pointer string
}

// listPartsToValidate returns the definitions that judge a text: its envelope, and what the
// envelope holds.
func (c *Case) listPartsToValidate(s *Document) []part {
	n := c.Dialect.Types
	has := c.Dialect.Shapes().Has // a given schema may lack some
	var out []part
	add := func(definition string, of binding.View) {
		if has(definition) && of.Exists() {
			out = append(out, part{definition, of.At})
		}
	}
	// An envelope reaches the error by reference. If the binding has none, what its
	// errors look like is its own.
	envelope := func(definition string, a binding.Answer) (judged bool) {
		switch {
		case !a.Envelope.Exists():
			return false
		case has(definition):
			add(definition, a.Envelope)
			return true
		}
		add(n.Error, a.Failure)
		return false
	}
	if s.Root == nil {
		return nil
	}
	switch s.Kind {
	case CardText, CardElsewhere:
		if s.Exchange.Obtained() {
			add(n.Card, binding.View{Node: s.Root})
		}
	case ReplyText:
		all := c.splitReplies(s)
		if !slices.ContainsFunc(all, func(r reply) bool { return r.answer.IsResponse() }) {
			return nil
		}
		for _, r := range all {
			envelope(n.Envelope, r.answer)
			due, says := c.Dialect.Operation(c.findOperation(s, r)).Result, c.saidType(r.answer.Result)
			if add(due, r.answer.Result); says != "" && says != due {
				add(says, r.answer.Result)
			}
		}
	case EventText:
		if s.Event > maxValidated {
			return nil
		}
		if !envelope(n.Frame, s.Answer) { // which reaches the event by reference
			add(n.Event, s.Answer.Result)
		}
	}
	return out
}

// saidType returns the definition that a result names by its sort; "" if it names none.
func (c *Case) saidType(result binding.View) string {
	if c.Dialect.Sorts.By == "" || result.Node == nil {
		return ""
	}
	if sort := result.Node.At(c.Dialect.Sorts.By); sort != nil && sort.Kind == record.String {
		return c.Dialect.Sorts.Types[sort.String]
	}
	return ""
}

// judgedByProbe reports whether the requirement of a probe decides alone what is
// wrong with a result: it should not be there, there is nothing of it, or the
// call contradicted what had been agreed on before.
func (c *Case) judgedByProbe(s *Document) bool {
	if s.Step.Role != record.Probe {
		return false
	}
	result := s.Answer.Result
	return s.Step.Invalid || s.Step.Contradicts || result.Exists() && !result.Present()
}

// leavesOut reports whether a place is in a result that is judged by no type: one
// that a probe decides on, in a reply or in a stream, and null next to an error,
// since the reply is the error.
func (c *Case) leavesOut(s *Document, at string) bool {
	if s.Kind != ReplyText && s.Kind != EventText {
		return false
	}
	r, at := c.replyAt(s, at)
	result, failure := r.answer.Result, r.answer.Failure
	if at != result.At && !strings.HasPrefix(at, result.At+"/") {
		return false
	}
	if c.judgedByProbe(s) {
		return true
	}
	return result.Exists() && !result.Present() && failure.Present()
}

// echoesOurInvalidID reports whether what is wrong at a place only repeats what we sent:
// the echo of an id that no call may have is for the requirements on ids, and null
// in place of an id that we left out for those on notifications.
func (c *Case) echoesOurInvalidID(s *Document, at string) bool {
	if !s.Answer.Envelope.Exists() || at != s.Answer.ID.At || s.Exchange.Dir != record.Out {
		return false
	}
	call := s.Exchange.Call().Root
	id, echo := c.BindingOf(s.Play, s.Step).Sent(s.Exchange).ID, s.Answer.ID.Node
	if id == nil && echo != nil && call != nil && call.Kind == record.Object {
		return echo.Kind == record.Null
	}
	if id == nil || echo == nil || !id.Equal(echo) {
		return false
	}
	return id.Kind != record.String && id.Kind != record.Number && id.Kind != record.Null
}

// Places lists the places in a text that a definition judges.
func (c *Case) Places(s *Document, definition string) []Place {
	found, err := c.validateDocumentOnce(s)
	if err != nil {
		panic(err)
	}
	return found.places[definition]
}

// validateDocumentOnce reads a text by the definitions, once.
func (c *Case) validateDocumentOnce(s *Document) (shapeFindings, error) {
	return remember(&c.cache.mu, c.cache.shapes, s.cacheKey(), func() (shapeFindings, error) { return c.validateDocument(s) })
}

func (c *Case) validateDocument(s *Document) (shapeFindings, error) {
	out := shapeFindings{places: map[string][]Place{}}
	for _, p := range c.listPartsToValidate(s) {
		at := s.Root.At(p.pointer)
		value := at.Interface()
		found, err := c.Dialect.Shapes().Validate(p.definition, value)
		if err != nil {
			return shapeFindings{}, fmt.Errorf("validating exchange %d as %s: %w", s.Exchange.ID, p.definition, err)
		}
		found, forms, err := c.readForms(p.definition, value, found)
		if err != nil {
			return shapeFindings{}, fmt.Errorf("validating exchange %d as %s in its usual form: %w", s.Exchange.ID, p.definition, err)
		}
		kept := func(all []shape.Violation) (out []Violation) {
			for _, v := range all {
				if at := p.pointer + v.Instance; !c.echoesOurInvalidID(s, at) && !c.leavesOut(s, at) {
					out = append(out, Violation{v, s, at})
				}
			}
			return out
		}
		out.violations, out.otherForms = append(out.violations, kept(found)...), append(out.otherForms, kept(forms)...)
		c.Dialect.Shapes().Walk(p.definition, value, func(definition, pointer string, _ any) {
			if whole := p.pointer + pointer; !c.leavesOut(s, whole) {
				out.places[definition] = append(out.places[definition], Place{whole, at.At(pointer)})
			}
		})
	}
	return out, nil
}

// Instances returns everything the server sent that a definition judges.
func (t *T) Instances(definition string) []Value {
	c := t.Case
	all, _ := remember(&c.mu, c.instances, definition, func() (all []Value, _ error) {
		for _, s := range c.documents {
			for _, p := range c.Places(s, definition) {
				if !c.isEchoOfMalformedMessage(s, p.Pointer) {
					all = append(all, Value{doc: s, node: p.Node, ptr: p.Pointer})
				}
			}
		}
		return all, nil
	})
	out := make([]Value, 0, len(all))
	for _, v := range all {
		if !t.recordWhyDocumentSkipped(v.doc) {
			v.t = t
			out = append(out, v)
		}
	}
	return out
}

// Violations returns every shape violation of the run. The caller leaves the
// list as it is.
func (t *T) Violations() []Violation {
	all := t.Case.broken()
	if len(t.result.Excluded) == 0 && len(t.Case.access().excused) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(v Violation) bool { return t.recordWhyDocumentSkipped(v.Document) })
}

func (c *Case) findViolations() (all []Violation) {
	c.validateDocumentsInParallel()
	for _, s := range c.documents {
		found, err := c.validateDocumentOnce(s)
		if err != nil {
			panic(err)
		}
		for _, v := range foundIn(s, found.violations) {
			if !c.isEchoOfMalformedMessage(s, v.At) {
				all = append(all, v)
			}
		}
	}
	return all
}

// validateDocumentsInParallel validates what was not validated yet, side by side: of a transcript that
// no one has judged, a third of the judging. What goes wrong is met again by the one
// who asks.
func (c *Case) validateDocumentsInParallel() {
	c.cache.mu.Lock()
	left := slices.DeleteFunc(slices.Clone(c.documents), func(s *Document) bool { _, known := c.cache.shapes[s.cacheKey()]; return known })
	c.cache.mu.Unlock()
	if len(left) < 2 {
		return
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(left)) {
		workers.Go(func() {
			defer func() { _ = recover() }()
			for i := next.Add(1); i <= int64(len(left)); i = next.Add(1) {
				_, _ = c.validateDocumentOnce(left[i-1])
			}
		})
	}
	workers.Wait()
}

// Value returns the place of the violation, for evidence.
func (v Violation) Value(t *T) Value {
	return Value{t: t, doc: v.Document, node: v.Document.Root.At(v.At), ptr: v.At}
}

// SiblingNames returns the names of the members of the object in which one is missing.
func (v Violation) SiblingNames() (names []string) {
	if i := strings.LastIndex(v.At, "/"); i >= 0 {
		if of := v.Document.Root.At(v.At[:i]); of != nil {
			for _, m := range of.Members {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// Expand lists the places below v that a pointer with "*" for array positions
// names.
func (v Value) Expand(pattern string) []Value {
	if pattern == "" {
		return []Value{v}
	}
	if !strings.Contains(pattern, "*") {
		if w := v.At(pattern); w.node != nil {
			return []Value{w}
		}
		return nil
	}
	places := []Value{v}
	for _, token := range strings.Split(strings.TrimPrefix(pattern, "/"), "/") {
		var next []Value
		for _, p := range places {
			if token == "*" {
				next = append(next, p.Elems()...)
			} else if w := p.At("/" + token); w.node != nil {
				next = append(next, w)
			}
		}
		places = next
	}
	return places
}

// OtherForms returns every place of the run that departs from the JSON Schema by its form
// alone, though every reader of ProtoJSON takes it. The caller leaves the list as it is.
func (t *T) OtherForms() []Violation {
	var out []Violation
	for _, s := range t.Case.documents {
		found, err := t.Case.validateDocumentOnce(s)
		if err != nil {
			panic(err)
		}
		for _, v := range foundIn(s, found.otherForms) {
			if !t.Case.isEchoOfMalformedMessage(s, v.At) && !t.recordWhyDocumentSkipped(s) {
				out = append(out, v)
			}
		}
	}
	return out
}

package acts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

const streamingNotSupported = "StreamingNotSupportedError"

// errorTypes are the errors of the grammar, with the names that this project has for those of A2A. The table of the
// draft contradicts A2A in places, and itself gives precedence to A2A.
var errorTypes = map[string]string{
	"TaskNotFoundError": "TaskNotFound", "TaskNotCancelableError": "TaskNotCancelable", "UnsupportedOperationError": "OperationNotSupported",
	"ContentTypeNotSupportedError": "ContentTypeNotSupported", "InvalidParamsError": "InvalidParams", "VersionNotSupportedError": "VersionNotSupported",
	"PushNotificationNotSupportedError": "PushNotificationNotSupported", "ExtensionSupportRequiredError": "ExtensionSupportRequired",
	"ExtendedCardNotSupportedError": "ExtendedCardNotConfigured", "JSONParseError": "ParseError", "MethodNotFoundError": "MethodNotFound", "InternalError": "InternalError",
	streamingNotSupported: "OperationNotSupported", // A2A has no error of that name, and demands this one (section 3.3.4)
}

// readExpectations reads what the answer of a step is to be, and what is kept of it.
func (r *reader) readExpectations(s *Step, has map[string]member, what string) {
	if m, ok := has["expect"]; ok {
		s.Expect = r.readExpect(m.value, what+".expect")
	}
	if m, ok := has["expect_error"]; ok {
		s.Error = r.readExpectedError(m.value, what+".expect_error")
		if s.Expect != nil {
			r.addFault(m.key, "%s has expect and expect_error, which exclude each other; leave one out", what)
		}
	}
	if m, ok := has["expect_stream"]; ok {
		if s.Raw != nil {
			r.noteForm(m.key, formRawStream, "call the operation with operation: send_streaming_message")
		}
		if s.Error != nil {
			r.addFault(m.key, "%s has expect_error and expect_stream, which exclude each other; leave one out", what)
		}
		s.Stream = r.readExpectedStream(m.value, what+".expect_stream")
	}
	if m, ok := has["capture"]; ok {
		s.Captures = r.readCaptures(m.value, what+".capture")
	}
}

// readExpect reads an expect block.
func (r *reader) readExpect(n *yaml.Node, what string) *Expect {
	e := &Expect{Line: max(n.Line, 1)}
	all, ok := r.readMembers(n, what)
	if !ok {
		return e
	}
	var others []member
	for _, m := range all {
		switch m.key.Value {
		case "status":
			if v := followAlias(m.value); v.Kind == yaml.ScalarNode && v.Value == "error" {
				r.noteForm(m.value, formStatusError, "write expect_error")
				e.Refused = true
				continue
			}
			e.Status = r.readAssertion(m.value, what+".status", 0)
		case "body":
			e.Body = r.readMemberMap(m.value, what+".body")
		default:
			if near := schema.Nearest(m.key.Value, []string{"status", "body"}); near != "" && schema.EditDistance(m.key.Value, near) <= 2 && m.key.Value != "task" {
				r.addFault(m.key, "%s has the key %s: did you mean %s?", what, quoteShort(m.key.Value), near)
				continue
			}
			others = append(others, m)
		}
	}
	if len(others) == 0 {
		return e
	}
	r.noteForm(others[0].key, formBareExpect, "put it below body")
	if isErrorExistence(others) {
		e.Refused = true
		return e
	}
	if e.Body != nil {
		r.addFault(others[0].key, "%s has body and the member %s next to it; put it below body", what, quoteIfOdd(others[0].key.Value))
		return e
	}
	e.Body = &Assertion{Line: others[0].key.Line, Kind: Members}
	r.readAssertionMap(e.Body, n, others, what, 0, true)
	return e
}

// isErrorExistence reports whether members are error: {exists: true} alone.
func isErrorExistence(all []member) bool {
	if len(all) != 1 || all[0].key.Value != "error" {
		return false
	}
	v := followAlias(all[0].value)
	return v.Kind == yaml.MappingNode && len(v.Content) == 2 && v.Content[0].Value == "exists" && v.Content[1].Value == "true"
}

// readExpectedError reads an expect_error block.
func (r *reader) readExpectedError(n *yaml.Node, what string) *ExpectedError {
	e := &ExpectedError{Line: max(n.Line, 1)}
	has, ok := r.readKeys(n, what, "error_type", "code", "message", "details", "data")
	if !ok {
		return e
	}
	typed, hasType := has["error_type"]
	code, hasCode := has["code"]
	switch {
	case hasType && hasCode:
		r.addFault(code.key, "%s has error_type and code; leave code out", what)
	case hasType:
		name := r.readText(typed.value, what+".error_type")
		r.checkErrorType(typed.value, name, what+".error_type")
		e.Type = &Assertion{Line: typed.value.Line, Value: name}
	case hasCode:
		r.noteForm(code.key, formErrorCode, "write error_type")
		e.Type = r.readAssertion(code.value, what+".code", 0)
		r.checkErrorTypes(code.value, e.Type, what+".code")
	default:
		r.noteForm(n, formErrorUntyped, "add error_type")
	}
	if m, ok := has["message"]; ok {
		e.Message = r.readAssertion(m.value, what+".message", 0)
	}
	if m, ok := has["details"]; ok {
		e.Details = r.readMemberMap(m.value, what+".details")
	}
	if m, ok := has["data"]; ok {
		r.noteForm(m.key, formErrorData, "write details")
		e.Data = r.readAssertion(m.value, what+".data", 0)
	}
	return e
}

// checkErrorType reports a text that names no error.
func (r *reader) checkErrorType(n *yaml.Node, name, what string) {
	if _, known := errorTypes[name]; !known && name != "" {
		r.addFault(n, "%s: %s", what, schema.Unknown("error", quoteIfOdd(name), slices.Sorted(maps.Keys(errorTypes))))
	}
}

// checkErrorTypes reports texts in an assertion about the name of an error that name none.
func (r *reader) checkErrorTypes(n *yaml.Node, a *Assertion, what string) {
	switch a.Kind {
	case Exact:
		if name, ok := a.Value.(string); ok {
			r.checkErrorType(n, name, what)
		} else {
			r.addFault(n, "%s is %s, but must be the name of an error, such as TaskNotFoundError", what, describeKind(n))
		}
	case Operators:
		for _, op := range a.Operators {
			values, _ := op.Operand.([]any)
			for _, v := range values {
				if name, ok := v.(string); ok {
					r.checkErrorType(n, name, what)
				}
			}
		}
	default:
		r.addFault(n, "%s is %s, but must be the name of an error, or operators", what, describeKind(n))
	}
}

// readExpectedStream reads an expect_stream block.
func (r *reader) readExpectedStream(n *yaml.Node, what string) *ExpectedStream {
	s := &ExpectedStream{Line: max(n.Line, 1)}
	has, ok := r.readKeys(n, what, "min_count", "max_count", "timeout_ms", "ordering", "events", "final_event", "each_event")
	if !ok {
		return s
	}
	for key, to := range map[string]**int{"min_count": &s.MinCount, "max_count": &s.MaxCount} {
		if m, ok := has[key]; ok {
			count := r.readCount(m.value, what+"."+key, 1<<20)
			*to = &count
		}
	}
	if s.MinCount != nil && s.MaxCount != nil && *s.MinCount > *s.MaxCount {
		r.addFault(has["min_count"].value, "%s.min_count is %d, but max_count %d; correct one of them", what, *s.MinCount, *s.MaxCount)
	}
	if m, ok := has["timeout_ms"]; ok {
		if s.TimeoutMS = r.readCount(m.value, what+".timeout_ms", maxDelayMS); s.TimeoutMS == 0 {
			r.addFault(m.value, "%s.timeout_ms must be more than 0", what)
		}
	}
	if m, ok := has["ordering"]; ok {
		s.Monotonic = r.readWord(m.value, what+".ordering", "monotonic_state") != ""
	}
	if m, ok := has["events"]; ok {
		for i, item := range r.readItems(m.value, what+".events") {
			s.Events = append(s.Events, r.readListedEvent(item, fmt.Sprintf("%s.events[%d]", what, i), i))
		}
	}
	if m, ok := has["final_event"]; ok {
		s.Final = r.readEvent(m.value, what+".final_event")
	}
	if m, ok := has["each_event"]; ok {
		s.Each = r.readEvent(m.value, what+".each_event")
	}
	return s
}

// eventPayloads are the members of an event of which it has one, as the grammar and as A2A write them.
var eventPayloads = []string{"task", "message", "status_update", "artifact_update", "statusUpdate", "artifactUpdate"}

// readListedEvent reads one of the events that are listed. It is the event in the same place, unless it names another.
func (r *reader) readListedEvent(n *yaml.Node, what string, place int) *EventAssertion {
	all, ok := r.readMembers(n, what)
	if !ok {
		return &EventAssertion{Line: max(n.Line, 1)}
	}
	e, anywhere, indexed := &EventAssertion{Line: max(n.Line, 1), Index: place}, false, false
	var members []member
	for _, m := range all {
		switch m.key.Value {
		case "description":
			e.Description = r.readText(m.value, what+".description")
		case "match":
			anywhere = r.readWord(m.value, what+".match", "exact_position", "any_position") == "any_position"
		case "index":
			e.Index, indexed = r.readCount(m.value, what+".index", 1<<20), true
		default:
			members = append(members, m)
		}
	}
	if anywhere && indexed {
		r.addFault(n, "%s has index and match: any_position, which exclude each other; leave one out", what)
	}
	e.Anywhere = anywhere
	if len(members) == 0 {
		r.addFault(n, "%s describes no event; add task, message, status_update or artifact_update", what)
	}
	r.readEventMembers(e, n, members, what)
	return e
}

// readEvent reads what an event is to be.
func (r *reader) readEvent(n *yaml.Node, what string) *EventAssertion {
	e := &EventAssertion{Line: max(n.Line, 1)}
	if all, ok := r.readMembers(n, what); ok {
		r.readEventMembers(e, n, all, what)
	}
	return e
}

// readEventMembers reads the members of an event.
func (r *reader) readEventMembers(e *EventAssertion, n *yaml.Node, all []member, what string) {
	var payloads []string
	bare := false
	for _, m := range all {
		_, operator := operators[m.key.Value]
		switch {
		case slices.Contains(eventPayloads, m.key.Value):
			payloads = append(payloads, m.key.Value)
		case !operator && likeOperator(m.key.Value) == "":
			bare = true
		}
	}
	if len(payloads) > 1 {
		r.addFault(n, "%s has %s, but an event holds one of them; leave the others out", what, strings.Join(payloads, " and "))
		return
	}
	if bare && len(payloads) == 0 {
		r.noteForm(n, formBareEvent, "")
	}
	e.Is = &Assertion{Line: e.Line, Kind: Members}
	r.readAssertionMap(e.Is, n, all, what, 0, true)
}

// readCaptures reads which values of an answer are kept.
func (r *reader) readCaptures(n *yaml.Node, what string) (all []Capture) {
	members, ok := r.readMembers(n, what)
	if ok && len(members) == 0 {
		r.addFault(n, "%s is an empty map; leave it out, or add NAME: PATH", what)
	}
	for _, m := range members {
		c := Capture{Line: m.key.Line, Name: m.key.Value}
		if !isVariableName(c.Name) || c.Name == responseWord {
			r.addFault(m.key, "%s has the name %s; a name has letters, digits, _ and -, and is not %s", what, quoteShort(c.Name), responseWord)
			continue
		}
		text := r.readText(m.value, what+"."+c.Name)
		var err error
		if c.Path, err = parsePath(text, false); err != nil {
			r.addFault(m.value, "%s.%s: %v", what, c.Name, err)
		}
		all = append(all, c)
	}
	return all
}

// readInlineAssertion reads the assertion of a step of its own.
func (r *reader) readInlineAssertion(n *yaml.Node, what string) *NamedAssertion {
	return r.readSourceAssertion(n, what, "source", "any", "all", "none")
}

// readNamedAssertions reads a list of assertions.
func (r *reader) readNamedAssertions(n *yaml.Node, what string) (all []*NamedAssertion) {
	for i, item := range r.readItems(n, what) {
		all = append(all, r.readSourceAssertion(item, fmt.Sprintf("%s[%d]", what, i), "id", "description", "source", "path", "match", "any", "all", "none"))
	}
	return all
}

// readSourceAssertion reads an assertion about a source, with the keys that it may have in its place.
func (r *reader) readSourceAssertion(n *yaml.Node, what string, keys ...string) *NamedAssertion {
	a := &NamedAssertion{Line: max(n.Line, 1)}
	has, ok := r.readKeys(n, what, keys...)
	if !ok || !r.requireKeys(n, what, has, "source") {
		return a
	}
	a.ID, a.Description = r.readOptionalText(has, "id", what), r.readOptionalText(has, "description", what)
	r.readSource(a, has["source"].value, what+".source")
	if m, ok := has["path"]; ok {
		below, err := parsePath(r.readText(m.value, what+".path"), false)
		if err != nil {
			r.addFault(m.value, "%s.path: %v", what, err)
		}
		a.Path.Steps = append(a.Path.Steps, below.Steps...)
	}
	if m, ok := has["match"]; ok {
		a.Match = r.readAssertion(m.value, what+".match", 0)
	}
	for key, to := range map[string]**CollectionMatch{"any": &a.Any, "all": &a.All, "none": &a.None} {
		if m, ok := has[key]; ok {
			*to = r.readCollectionMatch(m.value, what+"."+key)
		}
	}
	return a
}

// readSource reads which answer, or which variable, an assertion is about: STEP.response, STEP.NAME or NAME, with or
// without double braces. More names after it are a path.
func (r *reader) readSource(a *NamedAssertion, n *yaml.Node, what string) {
	a.Source = r.readText(n, what)
	if a.Source == "" {
		return
	}
	inside := strings.TrimSpace(a.Source)
	if e := listExpressions(inside); len(e) == 1 && templatePart.ReplaceAllString(inside, "") == "" {
		inside = e[0]
	} else if strings.Contains(inside, "{{") {
		r.addFault(n, "%s is %s, but must name one value; write \"{{STEP.response}}\"", what, quoteShort(a.Source))
		return
	}
	path, err := parsePath(inside, false)
	if err != nil {
		r.addFault(n, "%s: %v", what, err)
		return
	}
	first := path.Steps[0]
	if first.List {
		r.addFault(n, "%s is %s, but must begin with a step; write STEP.response", what, quoteShort(a.Source))
		return
	}
	if len(path.Steps) == 1 {
		if _, isStep := r.captured[first.Member]; isStep {
			a.Step, a.Variable = first.Member, responseWord
			return
		}
		r.checkExpression(n, first.Member, what, true)
		a.Variable = first.Member
		return
	}
	a.Step, a.Variable = first.Member, path.Steps[1].Member
	r.checkExpression(n, a.Step+"."+a.Variable, what, true)
	a.Path.Steps = slices.Clone(path.Steps[2:])
}

// readCollectionMatch reads what elements of lists are compared with.
func (r *reader) readCollectionMatch(n *yaml.Node, what string) *CollectionMatch {
	c := &CollectionMatch{Line: max(n.Line, 1)}
	has, ok := r.readKeys(n, what, "path", "match")
	if !ok || !r.requireKeys(n, what, has, "path", "match") {
		return c
	}
	text := r.readText(has["path"].value, what+".path")
	var err error
	if c.Path, err = parsePath(text, true); err != nil {
		r.addFault(has["path"].value, "%s.path: %v", what, err)
	}
	c.Match = r.readMemberMap(has["match"].value, what+".match")
	return c
}

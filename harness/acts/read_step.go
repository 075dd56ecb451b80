package acts

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/schema"
)

// operationNames are the operations of the grammar.
var operationNames = []string{"send_message", "send_streaming_message", "get_task", "list_tasks", "cancel_task", "subscribe_to_task",
	"get_agent_card", "get_extended_agent_card", "create_push_config", "get_push_config", "list_push_configs", "delete_push_config"}

// The keys of the kinds of steps.
var (
	commonStepKeys = []string{"id", "description"}
	stepKinds      = []struct {
		by   string // the key that only this kind has
		keys []string
	}{
		{"operation", []string{"params", "expect", "expect_error", "expect_stream", "capture", "assertions", "repeat", "delay_ms"}},
		{"raw", []string{"expect", "expect_error", "expect_stream", "capture", "assertions"}},
		{"client_response", []string{"expect_parsed", "assertions"}},
		{"assertion", nil},
	}
)

// readStep reads a step of whatever kind.
func (r *reader) readStep(n *yaml.Node, what string) *Step {
	s := &Step{Line: max(n.Line, 1)}
	all, ok := r.readMembers(n, what)
	if !ok {
		return s
	}
	var kinds []string
	known := slices.Clone(commonStepKeys)
	for _, kind := range stepKinds {
		if slices.ContainsFunc(all, func(m member) bool { return m.key.Value == kind.by }) {
			kinds = append(kinds, kind.by)
			known = append(append(known, kind.by), kind.keys...)
		}
	}
	switch len(kinds) {
	case 0:
		r.addFault(n, "%s has none of operation, raw, client_response and assertion; add one of them%s", what, suggestStepKind(all))
		return s
	case 1:
	default:
		r.addFault(n, "%s has %s, but a step is of one kind; make two steps of it", what, strings.Join(kinds, " and "))
		return s
	}
	has, _ := r.readKeys(n, what, known...)
	r.requireKeys(n, what, has, "id")
	if s.ID = r.readOptionalText(has, "id", what); s.ID != "" {
		if strings.ContainsAny(s.ID, ".{} \n") || s.ID == "env" {
			r.addFault(has["id"].value, "%s has the id %s; an id has no dots, braces and spaces, and is not env", what, quoteShort(s.ID))
		}
		what = "the step " + quoteIfOdd(s.ID)
	}
	s.Description = r.readOptionalText(has, "description", what)
	switch kinds[0] {
	case "operation":
		r.readOperationStep(s, n, has, what)
	case "raw":
		s.Raw = r.readRaw(has["raw"].value, what+".raw")
	case "client_response":
		r.readClientStep(s, n, has, what)
	case "assertion":
		s.Inline = r.readInlineAssertion(has["assertion"].value, what+".assertion")
	}
	r.readExpectations(s, has, what)
	var captured []string
	for _, c := range s.Captures {
		captured = append(captured, c.Name)
	}
	r.captured[s.ID] = captured
	if m, ok := has["assertions"]; ok { // They may use what the step has captured.
		s.Assertions = r.readNamedAssertions(m.value, what+".assertions")
	}
	return s
}

// suggestStepKind returns the key that a step of no kind may have meant.
func suggestStepKind(all []member) string {
	var kinds []string
	for _, kind := range stepKinds {
		kinds = append(kinds, kind.by)
	}
	for _, m := range all {
		if near := schema.Nearest(m.key.Value, kinds); near != "" {
			return "; did you mean " + near + " in place of " + quoteIfOdd(m.key.Value) + "?"
		}
	}
	return ""
}

// readOperationStep reads what only steps that call an operation have.
func (r *reader) readOperationStep(s *Step, n *yaml.Node, has map[string]member, what string) {
	op := has["operation"].value
	name := r.readText(op, what+".operation")
	if now, earlier := earlierOperationNames[name]; earlier {
		r.noteForm(op, formOperationName, "write operation: "+now)
		name = now
	}
	if name != "" && !slices.Contains(operationNames, name) {
		r.addFault(op, "%s: %s", what, schema.Unknown("operation", quoteIfOdd(name), operationNames))
	}
	s.Operation = name
	if r.requireKeys(n, what, has, paramsKey) {
		r.readParams(s, has[paramsKey].value, what+".params")
	}
	if m, ok := has["repeat"]; ok {
		s.Repeat = r.readRepeat(m.value, what+".repeat")
	}
	if m, ok := has["delay_ms"]; ok {
		s.DelayMS = r.readCount(m.value, what+".delay_ms", maxDelayMS)
	}
	streams := s.Operation == "send_streaming_message" || s.Operation == "subscribe_to_task"
	if m, ok := has["expect_stream"]; ok && !streams && s.Operation != "" {
		r.addFault(m.key, "%s has expect_stream, but %s returns no stream; write expect", what, s.Operation)
	}
}

// paramsKey is the key of the parameters of a step.
const paramsKey = "params"

// paramKinds are the types of the members of params that the grammar has.
var paramKinds = map[string]string{"id": "text", "historyLength": "int", "contextId": "text", "cursor": "text", "pageSize": "int", "taskId": "text"}

// readParams reads the parameters of an operation.
func (r *reader) readParams(s *Step, n *yaml.Node, what string) {
	members, ok := r.readMembers(n, what)
	if !ok {
		return
	}
	r.checkNames(members, what, paramNames[s.Operation])
	for _, m := range members {
		at := what + "." + m.key.Value
		switch key := m.key.Value; {
		case key == "pushNotificationConfig":
			r.checkWebhookNames(m.value, at)
		case key == "message":
			r.checkMessage(m.value, at)
		case key == "configuration":
			r.checkConfiguration(m.value, at)
		default:
			r.checkPlainKind(m.value, at, paramKinds[key])
		}
	}
	if s.Params, ok = r.readValue(n, what, 0).(map[string]any); !ok {
		return
	}
	sends := s.Operation == "send_message" || s.Operation == "send_streaming_message"
	for _, key := range []string{"taskId", "contextId"} {
		if _, given := s.Params[key]; given && sends {
			r.noteForm(n, formMessageIDs, "")
			break
		}
	}
	r.noteWebhooks(n, s.Params, s.Operation == "create_push_config")
	if _, extended := s.Params["extended"]; extended && s.Operation == "get_agent_card" {
		r.noteForm(n, formExtendedCard, "")
	}
}

// checkPlainKind reports a value that is not of a type: text, int, bool, or "" for any.
func (r *reader) checkPlainKind(n *yaml.Node, what, kind string) {
	switch kind {
	case "text":
		v := followAlias(n)
		if v.Kind == yaml.ScalarNode && v.ShortTag() == "!!str" && v.Value == "" {
			return // what the server makes of an empty text may be the test
		}
		r.readText(n, what)
	case "int":
		var value int64
		if v := followAlias(n); v.Kind != yaml.ScalarNode || v.ShortTag() != "!!int" || v.Decode(&value) != nil {
			r.addFault(n, "%s is %s, but must be a whole number", what, describeKind(n))
		}
	case "bool":
		r.readBool(n, what)
	}
}

// checkMessage reports a message that is not as the grammar has it.
func (r *reader) checkMessage(n *yaml.Node, what string) {
	members, ok := r.readMembers(n, what)
	if !ok {
		return
	}
	r.checkNames(members, what, messageNames)
	has := map[string]member{}
	for _, m := range members {
		has[m.key.Value] = m
		kind := map[string]string{"role": "text", "messageId": "text", "taskId": "text", "contextId": "text"}[m.key.Value]
		r.checkPlainKind(m.value, what+"."+m.key.Value, kind)
	}
	if !r.requireKeys(n, what, has, "role", "parts") {
		return
	}
	for i, part := range r.readItems(has["parts"].value, what+".parts") {
		of := fmt.Sprintf("%s.parts[%d]", what, i)
		members, _ := r.readMembers(part, of)
		r.checkNames(members, of, partNames)
		for _, m := range members {
			switch m.key.Value {
			case "text":
				r.checkPlainKind(m.value, of+".text", "text")
			case "file":
				file, _ := r.readKeys(m.value, of+".file", "url", "raw", "mediaType", "name")
				for key := range file {
					r.readOptionalText(file, key, of+".file")
				}
			}
		}
	}
}

// checkConfiguration reports a configuration that is not as the grammar has it.
func (r *reader) checkConfiguration(n *yaml.Node, what string) {
	members, _ := r.readMembers(n, what)
	r.checkNames(members, what, configurationNames)
	for _, m := range members {
		kind := map[string]string{"returnImmediately": "bool", "historyLength": "int"}[m.key.Value]
		r.checkPlainKind(m.value, what+"."+m.key.Value, kind)
	}
}

// readRepeat reads for how long a step is repeated.
func (r *reader) readRepeat(n *yaml.Node, what string) *Repeat {
	p := &Repeat{Line: max(n.Line, 1), MaxAttempts: 10, DelayMS: 1000, Backoff: "none"}
	has, ok := r.readKeys(n, what, "until", "max_attempts", "delay_ms", "backoff")
	if !ok || !r.requireKeys(n, what, has, "until") {
		return p
	}
	until := has["until"].value
	if text := r.readText(until, what+".until"); text != "" {
		r.checkTemplate(until, text, what+".until", false)
		var err error
		if p.Until, err = parseCondition(text); err != nil {
			r.addFault(until, "%s.until: %v", what, err)
		}
	}
	if m, ok := has["max_attempts"]; ok {
		if p.MaxAttempts = r.readCount(m.value, what+".max_attempts", maxAttempts); p.MaxAttempts == 0 && followAlias(m.value).Value == "0" {
			r.addFault(m.value, "%s.max_attempts must be at least 1", what)
		}
	}
	if m, ok := has["delay_ms"]; ok {
		p.DelayMS = r.readCount(m.value, what+".delay_ms", maxDelayMS)
	}
	if m, ok := has["backoff"]; ok {
		p.Backoff = r.readWord(m.value, what+".backoff", "none", "linear", "exponential")
	}
	return p
}

// readRaw reads an HTTP request.
func (r *reader) readRaw(n *yaml.Node, what string) *Raw {
	raw := &Raw{Line: max(n.Line, 1)}
	has, ok := r.readKeys(n, what, "method", "path", "headers", "body", "body_raw")
	if !ok {
		return raw
	}
	r.requireKeys(n, what, has, "method", "path")
	if m, ok := has["method"]; ok {
		raw.Method = r.readWord(m.value, what+".method", http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete)
	}
	if m, ok := has["path"]; ok {
		raw.Path = r.readText(m.value, what+".path")
		r.checkTemplate(m.value, raw.Path, what+".path", false)
		if raw.Path != "" && !strings.HasPrefix(raw.Path, "/") && !strings.HasPrefix(raw.Path, "{{") {
			r.addFault(m.value, "%s.path is %s, but must begin with /; it is added to the URL of the server", what, quoteShort(raw.Path))
		}
	}
	if m, ok := has["headers"]; ok {
		headers, _ := r.readMembers(m.value, what+".headers")
		for _, h := range headers {
			at := what + ".headers." + h.key.Value
			value := r.readText(h.value, at)
			r.checkTemplate(h.value, value, at, false)
			if !isHeaderName(h.key.Value) || strings.ContainsAny(value, "\r\n\x00") {
				r.addFault(h.key, "%s has the header %s, which HTTP cannot have; correct its name and value", what, quoteShort(h.key.Value))
			}
			raw.Headers = append(raw.Headers, NamedValue{h.key.Value, value})
		}
	}
	body, hasBody := has["body"]
	text, hasText := has["body_raw"]
	if hasBody && hasText {
		r.addFault(text.key, "%s has body and body_raw; leave one of them out", what)
	}
	if hasBody {
		raw.HasBody, raw.Body = true, r.readValue(body.value, what+".body", 0)
	}
	r.noteWebhooks(n, raw.Body, raw.configuresWebhook())
	if hasText {
		value := r.readText(text.value, what+".body_raw")
		r.checkTemplate(text.value, value, what+".body_raw", false)
		raw.BodyRaw = &value
	}
	return raw
}

// isHeaderName reports whether a text can name a header field (RFC 9110, section 5.1).
func isHeaderName(name string) bool {
	odd := func(c rune) bool {
		return c <= ' ' || c > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, c)
	}
	return name != "" && !strings.ContainsFunc(name, odd)
}

// readClientStep reads a payload for a client.
func (r *reader) readClientStep(s *Step, n *yaml.Node, has map[string]member, what string) {
	s.Client = &ClientResponse{}
	at := what + ".client_response"
	response, ok := r.readKeys(has["client_response"].value, at, "operation", "wire_payload")
	if ok && r.requireKeys(has["client_response"].value, at, response, "operation", "wire_payload") {
		s.Client.Operation = r.readWord(response["operation"].value, at+".operation", operationNames...)
		s.Client.Payload = r.readValue(response["wire_payload"].value, at+".wire_payload", 0)
	}
	if r.requireKeys(n, what, has, "expect_parsed") {
		s.Client.Parsed = r.readMemberMap(has["expect_parsed"].value, what+".expect_parsed")
	}
}

package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// errorNames are the errors of the dialects by the names that all have for them.
var errorNames = []string{
	"ParseError", "InvalidRequest", "MethodNotFound", "InvalidParams", "InternalError", "TaskNotFound", "TaskNotCancelable",
	"PushNotificationNotSupported", "OperationNotSupported", "ContentTypeNotSupported", "InvalidAgentResponse", "ExtendedCardNotConfigured",
	"ExtensionSupportRequired", "VersionNotSupported", "StreamingNotSupported", "AuthenticationRequired", "AuthorizationFailed", "InvalidTaskState",
	"RateLimitExceeded", "ResourceUnavailable",
	"AgentNotFound", "AgentUnavailable", "RateLimited", "PermissionDenied", "Timeout", "ResourceExhausted",
}

// listErrorScripts makes the scenarios in which a message is answered by an error.
func listErrorScripts() (out []Script) {
	for _, name := range errorNames {
		out = append(out, Script{Name: "error-codes-" + separateWords(name), Twin: "hello", Asks: []string{name}, Doc: "A message is refused by the error " + name + ".",
			set: refuseMessages(func(c *call) { c.sendErrorInEitherForm(name) })})
	}
	out = append(out,
		Script{Name: "error-null-id", Twin: "error-codes-invalid-request", Doc: "A message is refused by InvalidRequest, with the id null.", Fault: "a valid call is answered as one whose id cannot be read",
			set: refuseMessages(refuseWithNullID("InvalidRequest"))},
		Script{Name: "error-null-id-parse", Twin: "error-codes-parse-error", Doc: "A message is refused by ParseError, with the id null.", Fault: "a valid call is answered as one whose id cannot be read",
			set: refuseMessages(refuseWithNullID("ParseError"))})
	for _, status := range []int{200, 400, 404, 500} {
		name := strconv.Itoa(status)
		out = append(out, Script{Name: "error-http-status-" + name, Asks: []string{"TaskNotFound"}, Twin: "error-codes-task-not-found", Doc: "A message is refused by TaskNotFound, with the HTTP status " + name + ".",
			set: refuseMessages(func(c *call) {
				_, text := c.encodeError("TaskNotFound", c.formatRefusal())
				c.sendText(status, text)
			})})
	}
	for name, code := range map[string]int{"error-unknown-code": -32099, "error-unknown-code-low": -1} {
		out = append(out, Script{Name: name, Twin: "error-codes-internal-error", Doc: "A message is refused by an error with a code that the protocol does not define.",
			set: refuseMessages(func(c *call) { c.sendFault(fault{code, c.formatRefusal(), nil}) })})
	}
	out = append(out, listErrorDetailScripts()...)
	out = append(out, Script{Name: "error-500", Twin: "hello", Doc: "Every call is answered by HTTP 500, without a text of the protocol.", Fault: "the agent answers every call by HTTP 500",
		set: func(s *stage) {
			s.intercept = func(c *call) bool {
				c.a.writeWhole(http.StatusInternalServerError, listTypeFields("text/plain"), []byte("Internal Server Error\n"))
				return true
			}
		}})
	slices.SortStableFunc(out, func(a, b Script) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// listErrorDetailScripts makes the scenarios in which an error has details of various kinds.
func listErrorDetailScripts() (out []Script) {
	info := writeErrorInfo("TASK_NOT_FOUND", "a2a-protocol.org")
	info["metadata"] = object{"taskId": "none"}
	lists := []any{info, writeErrorInfo("SECOND", "conform.example.com"),
		object{"@type": "type.googleapis.com/com.example.Pigeon", "ring": 7, "colours": []any{"grey", nil}}}
	details := map[string]any{"error-details-list": []any{"one", 2, nil}, "error-details-text": "more of it", "error-details-number": 42, "error-details-null": json.RawMessage("null"), "error-details-absent": nil}
	for name, data := range details {
		out = append(out, Script{Name: name, Twin: "error-codes-task-not-found", Dialects: []string{a2a03, a2a01}, Doc: "A message is refused by TaskNotFound; data: " + strings.TrimPrefix(name, "error-details-") + ".",
			set: refuseMessages(func(c *call) { c.sendFault(fault{c.findErrorSign("TaskNotFound").Code, c.formatRefusal(), data}) })})
	}
	return append(out, Script{Name: "error-details", Twin: "error-codes-task-not-found", Dialects: []string{a2a10},
		Doc: "A message is refused by TaskNotFound, with details of known and unknown types, two of one type, and unknown members next to them.",
		set: func(s *stage) {
			s.editEnvelope = func(e object) {
				if failure, ok := e["error"].(object); ok {
					failure["xConformUnknown"] = object{"deep": true}
				}
			}
			refuseMessages(func(c *call) {
				sign := c.findErrorSign("TaskNotFound")
				if c.inEnvelope() {
					c.sendFault(fault{sign.Code, c.formatRefusal(), lists})
					return
				}
				failure := object{"error": object{"code": chooseStatus(sign), "status": "NOT_FOUND", "message": c.formatRefusal(), "details": lists}}
				s.editEnvelope(failure)
				c.sendText(chooseStatus(sign), encodeJSON(failure))
			})(s)
		}})
}

// refuseMessages has every message answered so.
func refuseMessages(answer func(c *call)) func(s *stage) {
	return func(s *stage) {
		s.addMarker("error")
		s.on[sendingMessages], s.on["stream"] = answer, answer
	}
}

// refuseWithNullID refuses a call with the id null, in a binding that has ids.
func refuseWithNullID(name string) func(c *call) {
	return func(c *call) {
		c.id = nil
		c.sendError(name, c.formatRefusal())
	}
}

// formatRefusal returns the text of an error of the play.
func (c *call) formatRefusal() string { return "The agent refuses: " + c.findMarkerWord("error") + "." }

// inOtherForm are errors that A2A 0.3 sends over HTTP+JSON in the form of google.rpc: the text asks for none, so that
// a client may meet this one besides that of JSON-RPC.
var inOtherForm = map[string]string{"TaskNotCancelable": "TASK_NOT_CANCELABLE", "ContentTypeNotSupported": "CONTENT_TYPE_NOT_SUPPORTED"}

// sendErrorInEitherForm refuses a call by an error of the play, in a form that its binding may have for it.
func (c *call) sendErrorInEitherForm(name string) {
	reason := inOtherForm[name]
	if reason == "" || c.inEnvelope() || c.form.dialectName() != a2a03 {
		c.sendError(name, c.formatRefusal())
		return
	}
	status := chooseStatus(c.findErrorSign(name))
	c.sendText(status, encodeJSON(object{"error": object{"code": status, "status": "FAILED_PRECONDITION", "message": c.formatRefusal(), "details": []any{writeErrorInfo(reason, "a2a-protocol.org")}}}))
}

// sendFault refuses a call by an error of the script's own.
func (c *call) sendFault(f fault) {
	if c.inEnvelope() {
		c.sendText(http.StatusOK, c.encodeEnvelope(envelope{Version: "2.0", ID: c.chooseID(), Error: &f}))
		return
	}
	if c.form.dialectName() == a2a03 {
		c.sendText(http.StatusBadRequest, encodeJSON(f))
		return
	}
	c.sendText(http.StatusBadRequest, encodeJSON(object{"error": object{"code": f.Code, "status": "UNKNOWN", "message": f.Message}}))
}

// listTypeFields returns the header fields of an answer of a media type.
func listTypeFields(media string) []record.Field {
	return []record.Field{{Name: "Content-Type", Value: media}}
}

// separateWords writes a name as words with hyphens.
func separateWords(name string) string {
	var out strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte('-')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

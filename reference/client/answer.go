package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
)

// A response is what came for a call. Its body may be a stream.
type response struct {
	call   *call
	status int
	header http.Header
	body   io.ReadCloser
}

// isStream reports whether the response consists of events. Media types are the same in
// any case and with parameters.
func (r *response) isStream() bool {
	if r.call.session.habits.exactMediaType {
		return r.header.Get("Content-Type") == eventStream
	}
	media, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	return media == eventStream
}

const eventStream = "text/event-stream"

// An rpcError is an error of JSON-RPC.
type rpcError struct {
	code    int
	name    string // of the protocol, "" if the code is not one of its own
	reason  string // in its details
	message string
}

func (e *rpcError) Error() string {
	text := fmt.Sprintf("the agent answered with the error %s (%d): %s", cmp.Or(e.name, "of an unknown kind"), e.code, e.message)
	if e.reason != "" {
		text += " (" + e.reason + ")"
	}
	return text
}

// newStatusError returns the error of a status without a usable body.
func newStatusError(status int) error {
	return fmt.Errorf("the agent answered HTTP %d %s", status, http.StatusText(status))
}

// readResult reads a response that is no stream, and returns its result.
func (s *session) readResult(r *response) (object, error) {
	if s.habits.needsLength && r.header.Get("Content-Length") == "" {
		return nil, errors.New("the response has no Content-Length")
	}
	body, err := readBody(r.body, maxBody)
	if err != nil {
		return nil, fmt.Errorf("the response cannot be read: %w", err)
	}
	if most := s.habits.maxBody; most > 0 && len(body) > most {
		if s.habits.hangsAtLongBodies {
			<-s.ctx.Done()
		}
		body = body[:most]
	}
	if r.status/100 != 2 && s.habits.statusHidesError {
		return nil, fmt.Errorf("unexpected HTTP status %d", r.status)
	}
	return s.readAnswer(r.call, r.status, body)
}

// readAnswer reads a response of JSON-RPC, or an event with one. Its errors are more
// telling than the HTTP status.
func (s *session) readAnswer(c *call, status int, body []byte) (object, error) {
	var envelope object
	if err := decodeJSON(body, &envelope); err != nil || envelope == nil {
		switch {
		case status/100 != 2:
			return nil, newStatusError(status)
		case s.habits.anythingIsSuccess:
			return nil, nil
		}
		return nil, fmt.Errorf("the response is no JSON object: %w", cmp.Or(err, errors.New("it is null")))
	}
	if c.inGRPC() {
		return s.readGRPCAnswer(c, envelope)
	}
	if c.inREST() {
		return s.readRESTAnswer(c, status, envelope)
	}
	if s.dialect.bareEvents && !s.habits.envelopesAlone && c.op == stream && envelope["jsonrpc"] == nil && envelope["kind"] != nil {
		return envelope, s.checkResult(envelope)
	}
	if e := envelope["error"]; e != nil {
		if s.habits.idBeforeError && !isSameID(c.envelope["id"], envelope["id"]) {
			return nil, errors.New("the response has another id")
		}
		if _, is := e.(object); !is && status/100 != 2 { // an error of something else than JSON-RPC
			return nil, newStatusError(status)
		}
		return nil, s.readError(c, e)
	}
	if status/100 != 2 {
		return nil, newStatusError(status)
	}
	result, ok := envelope["result"].(object)
	switch {
	case !ok && s.habits.anythingIsSuccess:
		return nil, nil
	case !isSameID(c.envelope["id"], envelope["id"]) && !s.habits.takesAnyID && !(s.habits.takesAnyEventID && c.op == stream):
		return nil, errors.New("the response has the id of another call")
	case envelope["jsonrpc"] != "2.0":
		return nil, errors.New("the response is not one of JSON-RPC 2.0")
	case !ok:
		return nil, errors.New("the response has neither a result nor an error")
	}
	return result, s.checkResult(result)
}

// checkResult returns an error if the client, which is a mutant then, does not take a result.
func (s *session) checkResult(result object) error {
	if s.habits.refuseResult == nil {
		return nil
	}
	return s.habits.refuseResult(s, result)
}

// readNumber returns a whole number; 0 if a value is none.
func readNumber(v any) int {
	number, _ := v.(json.Number)
	n, _ := strconv.Atoi(number.String())
	return n
}

// readError reads the code and the text of an error of JSON-RPC. It returns nil only for mutants that pass over some
// errors.
func (s *session) readError(c *call, v any) error {
	code := readNumber(getMember(v, "code"))
	e := &rpcError{code: code, name: s.dialect.errors[code], message: getText(v, "message")}
	e.reason = getText(v, "data", "reason")
	for _, detail := range getList(v, "data") {
		e.reason = cmp.Or(e.reason, getText(detail, "reason"))
	}
	if s.habits.rewriteError != nil {
		return s.habits.rewriteError(c, e, getMember(v, "data"))
	}
	return e
}

// isSameID compares the id of a call with that of its response.
func isSameID(sent, got any) bool {
	return bytes.Equal(encodeJSON(sent), encodeJSON(got))
}

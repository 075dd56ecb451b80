package client

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// credentialMutants show credentials in the wrong way, or carry them too far.
var credentialMutants = []mutant{
	{name: "credentials-with-send-only", place: atCredentials, variant: "polling", summary: "shows its credentials with messages alone",
		habit: afterCredentials(func(c *call, r *http.Request) {
			if c.op != send && c.op != stream {
				removeCredentials(r, c)
			}
		})},
	{name: "credentials-never", place: atCredentials, summary: "shows no credentials",
		habit: afterCredentials(func(c *call, r *http.Request) { removeCredentials(r, c) })},
	{name: "extended-card-without-credentials", place: atCredentials, variant: "extended", summary: "asks for the extended card without credentials",
		habit: afterCredentials(func(c *call, r *http.Request) {
			if c.op == extendedCard {
				removeCredentials(r, c)
			}
		})},
	{name: "credentials-in-metadata", place: atCredentials, summary: "puts its token into the metadata of messages too",
		habit: func(h *habits) { h.beforeSending = tellCredentials }},
	{name: "credentials-with-card", place: atCredentials, summary: "shows its credentials when it asks for the public card",
		habit: func(h *habits) { h.credentialsEverywhere = true }},
	{name: "credentials-first-alternative", place: atCredentials, summary: "looks at the first of alternative requirements alone",
		habit: func(h *habits) { h.firstAlternative = true }},
	{name: "credentials-first-scheme", place: atCredentials, summary: "shows one credential where the card demands two together",
		habit: func(h *habits) { h.firstScheme = true }},
	{name: "basic-as-bearer", place: atCredentials, summary: "shows user and password as Bearer",
		habit: func(h *habits) { h.allBearer = true }},
	{name: "keys-in-header", place: atCredentials, summary: "shows API keys in a header, wherever the card wants them",
		habit: func(h *habits) { h.keysInHeader = true }},
	{name: "redirect-with-credentials", place: atCredentials, summary: "follows redirects to other origins, with its credentials",
		habit: func(h *habits) { h.leavesOrigin, h.carriesCredentials = true, true }},
	{name: "redirect-with-message", place: atCredentials, summary: "follows redirects to other origins, with the message",
		habit: func(h *habits) { h.leavesOrigin = true }},
	{name: "redirect-becomes-get", place: atCredentials, summary: "follows 301, 302 and 303 by GET",
		habit: func(h *habits) { h.postBecomesGet = true }},
}

func afterCredentials(edit func(c *call, r *http.Request)) func(*habits) {
	return func(h *habits) { h.afterCredentials = edit }
}

// removeCredentials takes every credential out of a request.
func removeCredentials(r *http.Request, c *call) {
	r.Header.Del("Authorization")
	r.Header.Del("Cookie")
	for _, shown := range c.session.demandedCredentials() {
		if shown.kind == keyScheme {
			r.Header.Del(shown.name)
			q := r.URL.Query()
			q.Del(shown.name)
			r.URL.RawQuery = q.Encode()
		}
	}
}

// tellCredentials puts the credentials that are demanded into the metadata of a message.
func tellCredentials(c *call) {
	if m := c.message(); m != nil {
		for _, shown := range c.session.demandedCredentials() {
			m["metadata"] = object{"token": shown.value}
		}
	}
}

// responseMutants misread what comes.
var responseMutants = []mutant{
	{name: "message-fatal", place: atResponse, summary: "crashes at a message where it expects a task",
		habit: refuseResults(func(s *session, result object) error {
			if s.dialect.readUpdate(result).kind == messageUpdate {
				return errors.New("the result has no status")
			}
			return nil
		})},
	{name: "unknown-member-fatal", place: atResponse, summary: "refuses results with members that it does not know",
		habit: refuseResults(func(s *session, result object) error { return refuseUnknownMembers(s.dialect, result) })},
	{name: "unknown-part-fatal", place: atResponse, summary: "refuses a result with a part of an unknown kind",
		habit: refuseResults(func(s *session, result object) error { return refuseUnknownParts(s.dialect, result) })},
	{name: "file-with-bytes-fatal", place: atResponse, summary: "refuses a result with a file that has no address",
		habit: refuseResults(func(_ *session, result object) error {
			return walkObjects(result, func(_ string, o object) error {
				if o["raw"] != nil || o["bytes"] != nil && o["uri"] == nil {
					return errors.New("the file has no address")
				}
				return nil
			})
		})},
	{name: "artifacts-needed", place: atResponse, summary: "crashes at a task that has no artifacts",
		habit: refuseResults(func(s *session, result object) error {
			if u := s.dialect.readUpdate(result); u.kind == taskUpdate && len(u.artifacts) == 0 {
				return errors.New("the task has no artifacts")
			}
			return nil
		})},
	{name: "milliseconds-needed", place: atResponse, summary: "refuses timestamps without milliseconds",
		habit: refuseResults(func(_ *session, result object) error {
			return walkObjects(result, func(_ string, o object) error {
				if t := textAt(o, "timestamp"); t != "" {
					_, err := time.Parse("2006-01-02T15:04:05.000Z07:00", t)
					if err == nil && !strings.Contains(t, ".") {
						err = errors.New("no milliseconds")
					}
					return err
				}
				return nil
			})
		})},
	{name: "files-fetched", place: atResponse, summary: "fetches the address of every file",
		habit: refuseResults(func(s *session, result object) error {
			return walkObjects(result, func(_ string, o object) error {
				for _, name := range []string{"url", "uri"} {
					if address := textAt(o, name); strings.HasPrefix(address, "http") {
						fetchAndForget(s, address)
					}
				}
				return nil
			})
		})},
	{name: "long-body-cut", place: atResponse, summary: "cuts responses after 64 KB",
		response: func(_ *response, body []byte) []byte { return body[:min(len(body), 64<<10)] }},
	{name: "length-needed", place: atResponse, summary: "refuses responses without Content-Length",
		habit: func(h *habits) { h.needsLength = true }},
	{name: "no-answer-is-success", place: atResponse, summary: "takes a response that is none for an empty success",
		habit: func(h *habits) { h.anythingIsSuccess = true }},
	{name: "id-not-compared", place: atResponse, summary: "takes a response with the id of another call",
		habit: func(h *habits) { h.takesAnyID = true }},
	{name: "null-id-error-lost", place: atResponse, summary: "compares the id before it looks at the error",
		habit: func(h *habits) { h.idBeforeError = true }},
	{name: "http-status-hides-error", place: atResponse, summary: "throws the body away if the HTTP status is not 200",
		habit: func(h *habits) { h.statusHidesError = true }},
	{name: "error-as-success", place: atResponse, summary: "takes every error for an empty success",
		response: func(r *response, body []byte) []byte {
			var envelope object
			if decodeOne(body, &envelope) != nil || envelope["error"] == nil {
				return body
			}
			delete(envelope, "error")
			envelope["id"], envelope["result"] = r.call.envelope["id"], r.call.session.writeEmptyMessage()
			r.status = http.StatusOK
			return encodeJSON(envelope)
		}},
	{name: "unknown-code-as-success", place: atResponse, summary: "takes errors with a code that it does not know for an empty success",
		response: func(r *response, body []byte) []byte {
			var envelope object
			s := r.call.session
			if decodeOne(body, &envelope) != nil || envelope["error"] == nil {
				return body
			}
			if e, ok := s.readError(r.call, envelope["error"]).(*rpcError); ok && e.name != "" {
				return body
			}
			delete(envelope, "error")
			envelope["id"], envelope["result"] = r.call.envelope["id"], s.writeEmptyMessage()
			r.status = http.StatusOK
			return encodeJSON(envelope)
		}},
	{name: "errors-alike", place: atResponse, summary: "reports every error as a failed request, without its code and name",
		habit: rewriteErrors(func(_ *call, _ *rpcError, _ any) error { return errors.New("the request failed") })},
	{name: "error-data-needs-object", place: atResponse, summary: "cannot read an error whose data are no object",
		habit: rewriteErrors(func(_ *call, e *rpcError, data any) error {
			if _, is := data.(object); data != nil && !is {
				return errors.New("the response cannot be read")
			}
			return e
		})},
	{name: "data-needs-object", place: atResponse, summary: "cannot read a result with data that are no object",
		habit: refuseResults(func(_ *session, result object) error {
			return walkObjects(result, func(_ string, o object) error {
				if v := o["data"]; v != nil {
					if _, is := v.(object); !is {
						return errors.New("the data are no object")
					}
				}
				return nil
			})
		})},
}

func refuseResults(by func(s *session, result object) error) func(*habits) {
	return func(h *habits) { h.refuse = by }
}

func rewriteErrors(by func(c *call, e *rpcError, data any) error) func(*habits) {
	return func(h *habits) { h.translate = by }
}

// writeEmptyMessage writes a result that is empty.
func (s *session) writeEmptyMessage() object {
	message := object{"kind": "message", "messageId": "none", "role": "agent", "parts": []any{}}
	if s.dialect == &a2a10 {
		return object{"message": message}
	}
	return message
}

// walkObjects visits every object of a value, each with the name of the member that has it, but
// for what is inside metadata and data.
func walkObjects(v any, visit func(name string, o object) error) error {
	return walkNamed("", v, visit)
}

func walkNamed(name string, v any, visit func(name string, o object) error) error {
	switch v := v.(type) {
	case object:
		if err := visit(name, v); err != nil {
			return err
		}
		for _, k := range sortedKeys(v) {
			if k != "metadata" && k != "data" {
				if err := walkNamed(k, v[k], visit); err != nil {
					return err
				}
			}
		}
	case []any:
		for _, e := range v {
			if err := walkNamed(name, e, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func refuseUnknownMembers(d *dialect, result object) error {
	return walkObjects(result, func(_ string, o object) error {
		for _, name := range sortedKeys(o) {
			if !d.members[name] {
				return fmt.Errorf("unknown member %q", name)
			}
		}
		return nil
	})
}

func refuseUnknownParts(d *dialect, result object) error {
	return walkObjects(result, func(name string, o object) error {
		known := slices.ContainsFunc(d.partMembers, func(m string) bool { return o[m] != nil })
		if name == "parts" && !known {
			return errors.New("unknown kind of part")
		}
		return nil
	})
}

// fetchAndForget gets an address, and does nothing with what comes.
func fetchAndForget(s *session, address string) {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, address, nil)
	if err != nil {
		return
	}
	if reply, err := s.http.Do(r); err == nil {
		reply.Body.Close()
	}
}

// streamMutants misread streams.
var streamMutants = []mutant{
	{name: "comment-breaks", place: atEvent, variant: "streaming", summary: "breaks off at a comment",
		habit: misreadEvents(func(f *streamFaults) { f.commentBreaks = true })},
	{name: "data-lines-are-events", place: atEvent, variant: "streaming", summary: "takes each data line for an event",
		habit: misreadEvents(func(f *streamFaults) { f.linesAreEvents = true })},
	{name: "last-data-line-wins", place: atEvent, variant: "streaming", summary: "keeps only the last data line of an event",
		habit: misreadEvents(func(f *streamFaults) { f.lastLineWins = true })},
	{name: "crlf-not-a-line-end", place: atEvent, variant: "streaming", summary: "keeps the CR of CR LF in the line, so that no line is blank",
		habit: misreadEvents(func(f *streamFaults) { f.keepsCR = true })},
	{name: "cr-not-a-line-end", place: atEvent, variant: "streaming", summary: "does not end a line at CR alone",
		habit: misreadEvents(func(f *streamFaults) { f.feedOnly = true })},
	{name: "mark-hides-event", place: atEvent, variant: "streaming", summary: "loses the first event if a byte order mark is before it",
		habit: misreadEvents(func(f *streamFaults) { f.keepsMark = true })},
	{name: "pieces-decoded-alone", place: atEvent, variant: "streaming", summary: "decodes each piece of a stream by itself, so that letters break",
		habit: misreadEvents(func(f *streamFaults) { f.piecesAlone = true })},
	{name: "first-event-of-piece", place: atEvent, variant: "streaming", summary: "takes only the first of several events that arrive at once",
		habit: misreadEvents(func(f *streamFaults) { f.firstOfPiece = true })},
	{name: "space-after-colon-needed", place: atEvent, variant: "streaming", summary: "passes over fields without a space after the colon",
		habit: misreadEvents(func(f *streamFaults) { f.wantsSpace = true })},
	{name: "other-field-breaks", place: atEvent, variant: "streaming", summary: "breaks off at a field that is not data",
		habit: misreadEvents(func(f *streamFaults) { f.otherFieldBreaks = true })},
	{name: "empty-event-parsed", place: atEvent, variant: "streaming", summary: "parses an event without data",
		habit: misreadEvents(func(f *streamFaults) { f.passesEmpty = true })},
	{name: "long-event-cut", place: atEvent, variant: "streaming", summary: "cuts the data of an event after 64 KB",
		habit: misreadEvents(func(f *streamFaults) { f.cutsAt = 64 << 10 })},
	{name: "stream-label-compared", place: atEvent, variant: "streaming", summary: "knows text/event-stream only in small letters and without parameters",
		habit: func(h *habits) { h.exactMediaType = true }},
	{name: "unknown-event-fatal", place: atEvent, variant: "streaming", summary: "breaks off at an event of an unknown kind",
		habit: refuseResults(func(s *session, result object) error {
			if s.dialect.readUpdate(result).kind == unknownUpdate {
				return errors.New("unknown kind of event")
			}
			return nil
		})},
	{name: "artifact-events-dropped", place: atEvent, variant: "streaming", summary: "drops the artifacts of a stream",
		habit: refuseResults(func(s *session, result object) error {
			if s.dialect.readUpdate(result).kind == artifactUpdate {
				clear(result)
			}
			return nil
		})},
	{name: "append-ignored", place: atEvent, variant: "streaming", summary: "replaces an artifact by each of its chunks",
		habit: func(h *habits) { h.ignoresAppend = true }},
	{name: "waits-for-final", place: atEvent, dialect: "a2a-1.0", variant: "streaming", summary: "waits for an event with final, which 0.3 has",
		habit: func(h *habits) { h.waitsForFinal = true }},
	{name: "waits-for-close", place: atEvent, dialect: "a2a-0.3", variant: "streaming", summary: "reads on after the event with final, until the connection ends",
		habit: func(h *habits) { h.waitsForClose = true }},
	{name: "refused-stream-as-empty", place: atEvent, variant: "streaming", summary: "looks for events in the refusal of a stream, and takes it for an empty one",
		habit: func(h *habits) { h.readsAnythingAsStream = true }},
	{name: "silence-fatal", place: atEvent, variant: "streaming", summary: "ends streams that last longer than a second",
		habit: func(h *habits) { h.readLimit = time.Second }},
	{name: "event-error-skipped", place: atEvent, variant: "streaming", summary: "passes over an error within a stream",
		habit: rewriteErrors(func(c *call, e *rpcError, _ any) error {
			if c.op == stream || c.op == subscribe {
				return nil
			}
			return e
		})},
}

func misreadEvents(edit func(*streamFaults)) func(*habits) {
	return func(h *habits) { edit(&h.stream) }
}

// taskMutants do the wrong thing about a task.
var taskMutants = []mutant{
	{name: "cut-as-success", place: atTask, variant: "streaming", summary: "takes a stream that was cut for a complete one",
		habit: func(h *habits) { h.cutIsSuccess = true }},
	{name: "cut-sends-again", place: atTask, variant: "streaming", summary: "sends the message again, as a new one, after a cut",
		habit: func(h *habits) {
			h.insteadOfFollowing = func(s *session, m outgoing) error { return s.sendAgain(m) }
		}},
	{name: "reconnects-at-once", place: atTask, variant: "streaming", summary: "takes a stream up again without pauses, a hundred times",
		habit: func(h *habits) { h.noReconnectPause, h.moreReconnects = true, 100 }},
	{name: "subscribes-after-end", place: atTask, variant: "streaming", summary: "subscribes to a task that has ended",
		habit: afterwards(func(s *session) error {
			_ = s.readStream(subscribe, object{"id": s.task.id})
			return nil
		})},
	{name: "waiting-as-cut", place: atTask, variant: "streaming", summary: "sends the message again if the stream ends while the task waits for input",
		habit: afterwards(func(s *session) error {
			if s.task.state != inputRequired {
				return nil
			}
			return s.sendAgain(outgoing{id: newID(), text: s.options.Text, context: s.task.context})
		})},
	{name: "unknown-state-as-end", place: atTask, summary: "takes an unknown state for the end of the task",
		habit: func(h *habits) { h.unknownIsEnd = true }},
	{name: "any-end-is-done", place: atTask, summary: "takes every end of a task for success",
		habit: func(h *habits) { h.anyEndIsDone = true }},
	{name: "working-as-result", place: atTask, variant: "polling", summary: "takes a task that works for the result",
		habit: func(h *habits) { h.followsNot = true }},
	{name: "polls-without-end", place: atTask, summary: "polls until the task is completed, also if it has failed",
		habit: func(h *habits) { h.endsOnlyAtCompleted = true }},
	{name: "polls-after-end", place: atTask, summary: "looks at a task five times after its end",
		habit: afterwards(func(s *session) error {
			for range 5 {
				if err := s.waitFor(firstPause); err != nil {
					return err
				}
				if _, err := s.makeCall(get, object{"id": s.task.id}); err != nil {
					return nil
				}
			}
			return nil
		})},
	{name: "polls-without-pause", place: atTask, variant: "polling", summary: "polls without pauses",
		habit: func(h *habits) { h.noLookPause = true }},
	{name: "polls-when-gone", place: atTask, variant: "polling", summary: "polls on when the agent says that the task is gone",
		habit: func(h *habits) { h.takesErrorsForNotYet = true }},
	{name: "auth-required-as-end", place: atTask, dialect: "a2a-1.0", variant: "polling", summary: "takes a task that waits for authorisation for one that has ended",
		habit: func(h *habits) { h.authIsEnd = true }},
	{name: "cancels-finished-task", place: atTask, summary: "cancels a task that has ended",
		habit: afterwards(func(s *session) error {
			_, _ = s.makeCall(cancel, object{"id": s.task.id})
			return nil
		})},
	{name: "cancels-working-task", place: atTask, variant: "polling", summary: "cancels a task that works, though nobody asked for that",
		habit: func(h *habits) {
			h.insteadOfFollowing = func(s *session, _ outgoing) error {
				result, err := s.makeCall(cancel, object{"id": s.task.id})
				if err != nil {
					return err
				}
				return s.takeUpdate(result)
			}
		}},
	{name: "no-time-limit", place: atTask, summary: "waits without a limit",
		habit: func(h *habits) { h.unlimited = true }},
}

// afterwards makes a habit of something that is done at the end if there was a task.
func afterwards(do func(*session) error) func(*habits) {
	return func(h *habits) {
		h.afterwards = func(s *session) error {
			if s.task.id == "" {
				return nil
			}
			return do(s)
		}
	}
}

// sendAgain sends the text of a message again, as a new one.
func (s *session) sendAgain(m outgoing) error {
	m.id = newID()
	return s.sendMessage(m)
}

// retryMutants repeat calls that they should not repeat.
var retryMutants = []mutant{
	{name: "retries-401", place: atRetry, summary: "repeats a call that is refused for lack of credentials or rights",
		habit: repeatCalls(func(a attempt) bool { return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden })},
	{name: "retries-busy-at-once", place: atRetry, summary: "repeats a call at once, whatever Retry-After says",
		habit: repeatCalls(func(a attempt) bool {
			return a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable
		})},
	{name: "retries-500-at-once", place: atRetry, summary: "repeats a call that is answered 500, without pauses",
		habit: repeatCalls(func(a attempt) bool { return a.status == http.StatusInternalServerError })},
	{name: "retries-refused-version", place: atRetry, dialect: "a2a-1.0", summary: "repeats a call whose version is refused",
		habit: repeatCalls(func(a attempt) bool { return hasCode(a.err, -32009) })},
	{name: "retries-refused-stream", place: atRetry, variant: "streaming", summary: "asks again and again for a stream that is not supported",
		habit: repeatCalls(func(a attempt) bool { return hasCode(a.err, -32004) })},
	{name: "retries-with-new-id", place: atRetry, summary: "sends a message again under a new id if the response is lost",
		habit: repeatCalls(func(a attempt) bool {
			if a.err == nil || a.status != 0 || isUnreachable(a.err) || a.number >= maxTries {
				return false
			}
			if m := a.call.message(); m != nil {
				m["messageId"] = newID()
			}
			return true
		})},
}

// maxBadTries bounds what mutants repeat.
const maxBadTries = 15

// repeatCalls makes a habit of repeating calls at once.
func repeatCalls(which func(attempt) bool) func(*habits) {
	return func(h *habits) {
		h.retry = func(a attempt) (bool, time.Duration) {
			if a.number < maxBadTries && which(a) {
				return true, 0
			}
			return decideRetry(a)
		}
	}
}

// hasCode reports whether an error is one of JSON-RPC with the code.
func hasCode(err error, code int) bool {
	var e *rpcError
	return errors.As(err, &e) && e.code == code
}

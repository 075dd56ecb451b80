package client

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// responseMutants misread what comes.
var responseMutants = []mutant{
	{name: "extension-awaited", summary: "waits for an answer that activates its extensions",
		habit: func(h *habits) { h.awaitsExtensions = true }},
	{name: "message-fatal", summary: "crashes at a message where it expects a task",
		habit: refuseResults(func(s *session, result object) error {
			if s.dialect.readUpdate(result).kind == messageUpdate {
				return errors.New("the result has no status")
			}
			return nil
		})},
	{name: "unknown-member-fatal", summary: "refuses results with members that it does not know",
		habit: refuseObjects(func(s *session, o object) error { return refuseUnknownMembers(o, s.dialect.members) })},
	{name: "unknown-part-fatal", summary: "refuses a result with a part of an unknown kind",
		habit: refuseObjects(func(s *session, o object) error {
			for _, part := range getList(o, "parts") {
				if !slices.ContainsFunc(s.dialect.partMembers, func(name string) bool { return getMember(part, name) != nil }) {
					return errors.New("unknown kind of part")
				}
			}
			return nil
		})},
	{name: "file-with-bytes-fatal", variant: "reporting", summary: "refuses a result with a file that has no address",
		habit: refuseObjects(func(_ *session, o object) error {
			if o["raw"] != nil || o["bytes"] != nil && o["uri"] == nil {
				return errors.New("the file has no address")
			}
			return nil
		})},
	{name: "artifacts-needed", summary: "crashes at a task that has no artifacts",
		habit: refuseResults(func(s *session, result object) error {
			if u := s.dialect.readUpdate(result); u.kind == taskUpdate && len(u.artifacts) == 0 {
				return errors.New("the task has no artifacts")
			}
			return nil
		})},
	{name: "file-hangs", summary: "hangs at a file in a result",
		habit: func(h *habits) {
			h.unlimited = true
			refuseObjects(func(s *session, o object) error {
				if getText(o, "raw") != "" || getText(o, "bytes") != "" {
					<-s.ctx.Done()
				}
				return nil
			})(h)
		}},
	{name: "milliseconds-needed", summary: "refuses timestamps without milliseconds",
		habit: refuseObjects(func(_ *session, o object) (err error) {
			if t := getText(o, "timestamp"); t != "" {
				_, err = time.Parse("2006-01-02T15:04:05.000Z07:00", t)
			}
			return err
		})},
	{name: "files-fetched", summary: "fetches the address of every file",
		habit: refuseObjects(func(s *session, o object) error {
			for _, name := range []string{"url", "uri"} {
				if address := getText(o, name); strings.HasPrefix(address, "http") {
					s.fetchFile(address)
				}
			}
			return nil
		})},
	{name: "long-body-cut", summary: "cuts responses after 64 KB",
		habit: func(h *habits) { h.maxBody = 64 << 10 }},
	{name: "long-body-hangs", summary: "reads 64 KB of a response, and waits for its end then",
		habit: func(h *habits) { h.maxBody, h.unlimited, h.hangsAtLongBodies = 64<<10, true, true }},
	{name: "length-needed", summary: "refuses responses without Content-Length",
		habit: func(h *habits) { h.needsLength = true }},
	{name: "no-answer-is-success", summary: "takes a response that is none for an empty success",
		habit: func(h *habits) { h.anythingIsSuccess = true }},
	{name: "id-not-compared", summary: "takes a response with the id of another call",
		habit: func(h *habits) { h.takesAnyID = true }},
	{name: "null-id-error-lost", variant: "reporting", summary: "compares the id before it looks at the error",
		habit: func(h *habits) { h.idBeforeError = true }},
	{name: "http-status-hides-error", variant: "reporting", summary: "throws the body away if the HTTP status is not 200",
		habit: func(h *habits) { h.statusHidesError = true }},
	{name: "rest-status-alone", variant: "thorough-rest", summary: "reads only the status of errors in HTTP+JSON, and not their bodies",
		habit: func(h *habits) { h.statusHidesError = true }},
	{name: "error-as-success", summary: "takes every error for an empty success",
		habit: takeForSuccess(func(*rpcError) bool { return true })},
	{name: "unknown-code-as-success", summary: "takes errors with a code that it does not know for an empty success",
		habit: takeForSuccess(func(e *rpcError) bool { return e.name == "" })},
	{name: "errors-alike", variant: "reporting", summary: "reports every error as a failed request, without its code and name",
		habit: rewriteErrors(func(_ *call, _ *rpcError, _ any) error { return errors.New("the request failed") })},
	{name: "error-data-needs-object", variant: "reporting", summary: "cannot read an error whose data are no object",
		habit: rewriteErrors(func(_ *call, e *rpcError, data any) error {
			if _, is := data.(object); data != nil && !is {
				return errors.New("the response cannot be read")
			}
			return e
		})},
	{name: "data-needs-object", variant: "reporting", summary: "cannot read a result with data that are no object",
		habit: refuseObjects(func(_ *session, o object) error {
			if o["data"] != nil && getObject(o, "data") == nil {
				return errors.New("the data are no object")
			}
			return nil
		})},
}

// refuseResults makes a habit of refusing some results.
func refuseResults(by func(s *session, result object) error) func(*habits) {
	return func(h *habits) { h.refuseResult = by }
}

// refuseObjects makes a habit of refusing results with certain objects anywhere.
func refuseObjects(by func(s *session, o object) error) func(*habits) {
	return refuseResults(func(s *session, result object) error {
		return walkObjects(result, func(o object) error { return by(s, o) })
	})
}

// rewriteErrors makes a habit of another way to report errors.
func rewriteErrors(by func(c *call, e *rpcError, data any) error) func(*habits) {
	return func(h *habits) { h.rewriteError = by }
}

// takeForSuccess puts an empty message in the place of some errors.
func takeForSuccess(which func(*rpcError) bool) func(*habits) {
	return rewriteErrors(func(c *call, e *rpcError, _ any) error {
		if !which(e) {
			return e
		}
		c.session.applyUpdate(update{kind: messageUpdate})
		return nil
	})
}

// walkObjects visits every object of a value, but for what is inside metadata and data.
func walkObjects(v any, visit func(object) error) error {
	switch v := v.(type) {
	case object:
		if err := visit(v); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name == "metadata" || name == "data" {
				continue
			}
			if err := walkObjects(v[name], visit); err != nil {
				return err
			}
		}
	case []any:
		for _, e := range v {
			if err := walkObjects(e, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseUnknownMembers returns an error if an object has members that are not known.
func refuseUnknownMembers(o object, known map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !known[name] {
			return fmt.Errorf("unknown member %q", name)
		}
	}
	return nil
}

// fetchFile gets an address, and does nothing with what comes.
func (s *session) fetchFile(address string) {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, address, nil)
	if err != nil {
		return
	}
	if reply, err := s.http.Do(r); err == nil {
		reply.Body.Close()
	}
}

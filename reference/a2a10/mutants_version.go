package a2a10

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// reading makes a server that reads another version than a call names, where the
// condition holds.
func reading(version string, is func(c *front.Call, said string) bool) func(*front.Call) {
	return func(c *front.Call) {
		if is(c, c.Http.Header.Get(versionHeader)) {
			c.Http.Header.Set(versionHeader, version)
		}
	}
}

// blindTo makes a server that does not find a header in spellings of its name other
// than the usual two.
func blindTo(name string) func([]byte) {
	usual := []string{name, http.CanonicalHeaderKey(name)}
	return func(b []byte) {
		lower := bytes.ToLower(b)
		line := []byte("\n" + strings.ToLower(name) + ":")
		for from := 0; ; {
			i := bytes.Index(lower[from:], line)
			if i < 0 {
				return
			}
			at := from + i + 1
			if !slices.Contains(usual, string(b[at:at+len(name)])) {
				b[at] = 'x'
			}
			from = at
		}
	}
}

// versionMutants are about the version a call names (section 3.6).
var versionMutants = map[string]front.Mutant{
	"version-shapes-older": {Reply: onTask(func(x *front.Reply, _ map[string]any) {
		front.Put(x.Body, "result", front.Generic(a2a03.Server{Server: x.Server}.Task(x.Task(), nil)))
	})},
	"version-checked-on-messages-only": {Call: reading("1.0", func(c *front.Call, _ string) bool { return c.Method != sendMethod && c.Method != streamMethod })},
	"version-major-only":               {Call: reading("1.0", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.") })},
	"version-patch-unknown":            {Call: reading("none", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.0.") })},
	"version-patch-internal": {Reply: func(x *front.Reply) {
		if strings.HasPrefix(x.Http.Header.Get(versionHeader), "1.0.") {
			x.Decline(front.CodeInternal)
		}
	}},
	"version-empty-crashes": {Reply: func(x *front.Reply) {
		if x.Document == "" && len(x.Http.Header.Values(versionHeader)) > 0 && x.Http.Header.Get(versionHeader) == "" {
			x.Blank(http.StatusInternalServerError, "text/plain")
			x.Opens = false
		}
	}},
	"version-older-unserved": {Reply: func(x *front.Reply) {
		if x.Document == "" && versionOf(x.Http) == "0.3" {
			x.Decline(versionUnknown)
		}
	}},
	"versions-mixed": {Reply: onResult(getMethod, func(x *front.Reply) {
		front.Put(x.Body, "result/kind", "task")
		front.Put(x.Body, "result/status/state", string(x.Task().Status.State))
	})},
	"older-endpoint-mixed": {Reply: func(x *front.Reply) {
		if x.Http.URL.Path == older && x.Method() == "tasks/get" && x.Answers("", versionUnknown) {
			x.Succeed(map[string]any{"kind": "task", "id": x.TaskID(), "contextId": "made-up", "status": map[string]any{"state": "TASK_STATE_COMPLETED"}})
		}
	}},
	"version-name-exact":          {Bytes: blindTo(versionHeader)},
	"version-unreadable-accepted": {Call: reading("1.0", func(_ *front.Call, said string) bool { return said != "" && !aVersion.MatchString(said) })},
	"version-in-params":           {Call: func(c *front.Call) { c.Http.Header.Set(versionHeader, front.Text(c.Body, "params/"+versionHeader)) }},
	"version-of-params": {Call: func(c *front.Call) {
		if said := front.Text(c.Body, "params/"+versionHeader); said != "" {
			c.Http.Header.Set(versionHeader, said)
		}
	}},
}

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
var versionMutants = front.InArea("version",
	front.Mutant{Name: "version-ignored", Summary: "The version of a call is not looked at.",
		Call: reading("1.0", func(*front.Call, string) bool { return true })},
	front.Mutant{Name: "version-shapes-older", Summary: "SendMessage in version 1.0 is answered in the shapes of 0.3.",
		Reply: onTask(func(x *front.Reply, _ map[string]any) {
			front.Put(x.Body, "result", front.Generic(a2a03.Server{Server: x.Server}.Task(x.Task(), nil)))
		})},
	front.Mutant{Name: "history-in-older-words", Summary: "The roles in a history have their names of 0.3.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			list, _ := front.At(x.Body, "result/history").([]any)
			for _, m := range list {
				front.Swap(m, "role", "ROLE_USER", "user")
			}
		})},
	front.Mutant{Name: "version-checked-on-messages-only", Summary: "Only the methods that take a message look at the version.",
		Call: reading("1.0", func(c *front.Call, _ string) bool { return c.Method != sendMethod && c.Method != streamMethod })},
	front.Mutant{Name: "version-unchecked-on-messages", Summary: "SendMessage does not look at the version.",
		Call: reading("1.0", func(c *front.Call, _ string) bool { return c.Method == sendMethod })},
	front.Mutant{Name: "version-unchecked-on-streams", Summary: "The methods that stream do not look at the version.",
		Call: reading("1.0", func(c *front.Call, _ string) bool { return c.Method == streamMethod || c.Method == subscribeMethod })},
	front.Mutant{Name: "version-unchecked-on-lists", Summary: "ListTasks does not look at the version.",
		Call: reading("1.0", func(c *front.Call, _ string) bool { return c.Method == listMethod })},
	front.Mutant{Name: "version-major-only", Summary: "Only the major number of the version is compared.",
		Call: reading("1.0", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.") })},
	front.Mutant{Name: "version-patch-unknown", Summary: "A version with a patch number is not supported.",
		Call: reading("none", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.0.") })},
	front.Mutant{Name: "version-patch-internal", Summary: "A version with a patch number is an internal error.",
		Reply: func(x *front.Reply) {
			if strings.HasPrefix(x.Http.Header.Get(versionHeader), "1.0.") {
				x.Decline(front.CodeInternal)
			}
		}},
	front.Mutant{Name: "version-missing-crashes", Summary: "A call without a version gives HTTP 500.",
		Reply: func(x *front.Reply) {
			if x.Document == "" && x.Http.Header.Get(versionHeader) == "" {
				x.Blank(http.StatusInternalServerError, "text/plain")
				x.Opens = false
			}
		}},
	front.Mutant{Name: "version-empty-crashes", Summary: "A call with an empty version gives HTTP 500.",
		Reply: func(x *front.Reply) {
			if x.Document == "" && len(x.Http.Header.Values(versionHeader)) > 0 && x.Http.Header.Get(versionHeader) == "" {
				x.Blank(http.StatusInternalServerError, "text/plain")
				x.Opens = false
			}
		}},
	front.Mutant{Name: "version-missing-is-latest", Summary: "A call without a version is read as one of version 1.0.",
		Call: reading("1.0", func(_ *front.Call, said string) bool { return said == "" })},
	front.Mutant{Name: "version-older-unserved", Variant: "two-versions", Summary: "A call in version 0.3 is refused, though the card lists it.",
		Reply: func(x *front.Reply) {
			if x.Document == "" && versionOf(x.Http) == "0.3" {
				x.Decline(versionUnknown)
			}
		}},
	front.Mutant{Name: "versions-mixed", Variant: "two-versions", Summary: "GetTask in version 1.0 adds members of 0.3.",
		Reply: onResult(getMethod, func(x *front.Reply) {
			front.Put(x.Body, "result/kind", "task")
			front.Put(x.Body, "result/status/state", string(x.Task().Status.State))
		})},
	front.Mutant{Name: "older-endpoint-mixed", Variant: "two-versions", Summary: "The endpoint of 0.3 serves tasks/get in version 1.0, with states of 1.0.",
		Reply: func(x *front.Reply) {
			if x.Http.URL.Path == older && x.Method() == "tasks/get" && x.Answers("", versionUnknown) {
				x.Succeed(map[string]any{"kind": "task", "id": x.TaskID(), "contextId": "made-up", "status": map[string]any{"state": "TASK_STATE_COMPLETED"}})
			}
		}},
	front.Mutant{Name: "version-name-exact", Summary: "The name A2A-Version is found in its usual spellings only.",
		Bytes: blindTo(versionHeader)},
	front.Mutant{Name: "version-error-vague", Summary: "The refusal of a version does not say which are served.",
		Reply: func(x *front.Reply) {
			if x.Answers("", versionUnknown) {
				front.Put(x.Body, "error/message", "error")
				details, _ := front.At(x.Body, "error/data").([]any)
				for _, detail := range details {
					front.Drop(detail, "metadata")
				}
			}
		}},
	front.Mutant{Name: "version-error-other-code", Summary: "ListTasks refuses a version with the code -32000.",
		Reply: front.Recode(listMethod, versionUnknown, -32000)},
	front.Mutant{Name: "version-unreadable-accepted", Summary: "What is no version is taken for 1.0.",
		Call: reading("1.0", func(_ *front.Call, said string) bool { return said != "" && !aVersion.MatchString(said) })},
	front.Mutant{Name: "version-in-params", Summary: "The version is read from the params only.",
		Call: func(c *front.Call) { c.Http.Header.Set(versionHeader, front.Text(c.Body, "params/"+versionHeader)) }},
	front.Mutant{Name: "version-of-params", Summary: "A version among the params counts, and that of the header only where there is none.",
		Call: func(c *front.Call) {
			if said := front.Text(c.Body, "params/"+versionHeader); said != "" {
				c.Http.Header.Set(versionHeader, said)
			}
		}},
)

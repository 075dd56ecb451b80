package a2a10

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// editQueryParameter makes a server that reads one query parameter in another way.
func editQueryParameter(name string, edit func(q url.Values, value string)) func(*http.Request) {
	return func(r *http.Request) {
		if q := r.URL.Query(); q.Has(name) {
			edit(q, q.Get(name))
			r.URL.RawQuery = q.Encode()
		}
	}
}

// unreadable is what no query parameter but one of free text may be.
const unreadable = "unreadable"

// stateNumbers are the numbers of the states in the definition of the service.
var stateNumbers = map[string]string{"1": "SUBMITTED", "2": "WORKING", "3": "COMPLETED", "4": "FAILED", "5": "CANCELED", "6": "INPUT_REQUIRED",
	"7": "REJECTED", "8": "AUTH_REQUIRED"}

// onRest edits the successful replies to one method over HTTP+JSON, in their own form.
func onRest(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if x.Body != nil && !front.Has(x.Body, "error") {
			edit(x)
		}
	})
}

// atRest reports whether a call that is guarded is one of HTTP+JSON.
func atRest(c *front.Caller) bool { return strings.HasPrefix(c.HTTP.URL.Path, restBase+"/") }

// onRestError edits the errors over HTTP+JSON, in their own form.
func onRestError(edit func(x *front.Reply, e map[string]any)) func(*front.Reply) {
	return func(x *front.Reply) {
		if e := front.Object(x.Body, "error"); e != nil {
			edit(x, e)
		}
	}
}

// onRestInfo edits what an error over HTTP+JSON says about itself.
func onRestInfo(edit func(e, info map[string]any)) func(*front.Reply) {
	return onRestError(func(_ *front.Reply, e map[string]any) {
		if info := front.Object(e, "details/0"); front.Text(info, "@type") == errorInfo {
			edit(e, info)
		}
	})
}

// inFull is the name of an error that has a reason, such as TaskNotFoundError.
func inFull(reason string) string {
	name := ""
	for word := range strings.SplitSeq(reason, "_") {
		name += word[:1] + strings.ToLower(word[1:])
	}
	return name + "Error"
}

// restMutants are about HTTP+JSON.
var restMutants = map[string]front.Mutant{
	"rest-paths-versioned": {Route: mutants.Repathed(restBase, func(path string) string {
		if below, ok := strings.CutPrefix(path, "/v1/"); ok {
			return "/" + below
		}
		return mutants.Nowhere
	})},
	"rest-push-task-of-body": {Reply: front.Answering(createPushMethod, func(x *front.Reply) {
		if body, err := front.Decode(x.Sent); x.OverREST() && err == nil && !front.Has(body, "taskId") {
			x.Decline(front.CodeInvalidParams)
		}
	})},
	"rest-path-undecoded": {Route: mutants.Repathed(restBase, func(path string) string { return strings.ReplaceAll(path, "%", "%25") })},
	"rest-tenant-path-missing": {Route: mutants.Repathed(restBase, func(path string) string {
		if first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); slices.Contains(tenants, first) {
			return mutants.Nowhere
		}
		return path
	})},
	"rest-query-in-snake-case": {Route: func(r *http.Request) {
		q := r.URL.Query()
		q.Del("pageSize")
		if q.Has("page_size") {
			q.Set("pageSize", q.Get("page_size"))
		}
		r.URL.RawQuery = q.Encode()
	}},
	"rest-flag-as-number": {Route: editQueryParameter("includeArtifacts", func(q url.Values, value string) {
		flags := map[string]string{"1": "true", "0": "false"}
		if q.Set("includeArtifacts", unreadable); flags[value] != "" {
			q.Set("includeArtifacts", flags[value])
		}
	})},
	"rest-state-as-number": {Route: editQueryParameter("status", func(q url.Values, value string) {
		if q.Set("status", unreadable); stateNumbers[value] != "" {
			q.Set("status", "TASK_STATE_"+stateNumbers[value])
		}
	})},
	"rest-time-as-seconds": {Route: editQueryParameter("statusTimestampAfter", func(q url.Values, value string) {
		q.Set("statusTimestampAfter", unreadable)
		if seconds, err := time.ParseDuration(value + "s"); err == nil {
			q.Set("statusTimestampAfter", front.Timestamp(time.Unix(int64(seconds.Seconds()), 0)))
		}
	})},
	"rest-query-undecoded": {Route: func(r *http.Request) { r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, "%", "%25") }},
	"rest-headers-ignored": {Route: func(r *http.Request) {
		r.Header.Del(versionHeader)
		r.Header.Del(extensionsHeader)
	}},
	"rest-version-header-ignored": {Route: func(r *http.Request) {
		if rest.Method(r) == listMethod {
			r.Header.Del(versionHeader)
		}
	}},
	"rest-task-as-xml": {REST: onRest(getMethod, func(x *front.Reply) {
		x.Header.Set("Content-Type", "application/xml")
		x.Raw = []byte("<task><id>" + front.Text(x.Body, "id") + "</id></task>")
	})},
	"rest-a2a-json-refused": {Route: mutants.Typed("application/a2a+json")},
	"rest-guard-forbids-nothing": {Guard: func(c *front.Caller) {
		if atRest(c) && c.Client == "low" {
			c.Client = "first"
		}
	}},
	"rest-guard-other-key": {Guard: func(c *front.Caller) {
		if atRest(c) && c.HTTP.Header.Get("Authorization") != "" {
			c.Client = ""
		}
	}},
	"rest-error-reason-in-full": {REST: onRestInfo(func(_, info map[string]any) {
		info["reason"] = inFull(front.Text(info, "reason"))
	})},
}

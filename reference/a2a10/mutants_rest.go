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

// unrouted makes a mutant that has no route to one operation.
func unrouted(name, variant, method, route string) front.Mutant {
	return front.Mutant{Name: name, Variant: variant, Summary: route + " is not served.",
		Route: func(r *http.Request) {
			if rest.Method(r) == method {
				mutants.Repath(r, restBase, mutants.Nowhere)
			}
		}}
}

// restRouteMutants are about the paths and verbs of HTTP+JSON (section 11.3).
var restRouteMutants = front.InArea("rest",
	unrouted("rest-send-missing", "", sendMethod, "POST /message:send"),
	unrouted("rest-get-missing", "", getMethod, "GET /tasks/{id}"),
	unrouted("rest-list-missing", "", listMethod, "GET /tasks"),
	unrouted("rest-cancel-missing", "", cancelMethod, "POST /tasks/{id}:cancel"),
	unrouted("rest-stream-missing", "", streamMethod, "POST /message:stream"),
	unrouted("rest-push-create-missing", "", createPushMethod, "POST /tasks/{id}/pushNotificationConfigs"),
	unrouted("rest-push-get-missing", "", getPushMethod, "GET /tasks/{id}/pushNotificationConfigs/{configId}"),
	unrouted("rest-push-list-missing", "", listPushMethod, "GET /tasks/{id}/pushNotificationConfigs"),
	unrouted("rest-push-delete-missing", "", deletePushMethod, "DELETE /tasks/{id}/pushNotificationConfigs/{configId}"),
	unrouted("rest-extended-card-missing", "guarded", extendedCardMethod, "GET /extendedAgentCard"),
	front.Mutant{Name: "rest-unknown-path-served", Summary: "A path at which there is nothing is answered with HTTP 200.",
		Rest: func(x *front.Reply) {
			if x.Status == http.StatusNotFound && x.Method() == "" {
				x.Status, x.Body = http.StatusOK, map[string]any{}
			}
		}},
	front.Mutant{Name: "rest-paths-versioned", Summary: "The operations are served below /v1 of the url only.",
		Route: mutants.Repathed(restBase, func(path string) string {
			if below, ok := strings.CutPrefix(path, "/v1/"); ok {
				return "/" + below
			}
			return mutants.Nowhere
		})},
	front.Mutant{Name: "rest-push-task-of-body", Summary: "The task of a push configuration is read from the body, not from the path.",
		Reply: front.Answering(createPushMethod, func(x *front.Reply) {
			if body, err := front.Decode(x.Sent); x.OverRest() && err == nil && !front.Has(body, "taskId") {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "rest-path-undecoded", Summary: "The ids in a path are not percent-decoded.",
		Route: mutants.Repathed(restBase, func(path string) string { return strings.ReplaceAll(path, "%", "%25") })},
	front.Mutant{Name: "rest-tenant-path-missing", Variant: "tenanted", Summary: "The tenant is not read from the path.",
		Route: mutants.Repathed(restBase, func(path string) string {
			if first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); slices.Contains(tenants, first) {
				return mutants.Nowhere
			}
			return path
		})},
)

// requeried makes a server that reads one query parameter in another way.
func requeried(name string, edit func(q url.Values, value string)) func(*http.Request) {
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

// restQueryMutants are about the parameters of a request (sections 11.2 and 11.5).
var restQueryMutants = front.InArea("rest",
	front.Mutant{Name: "rest-query-in-snake-case", Summary: "The size of a page is read from page_size only.",
		Route: func(r *http.Request) {
			q := r.URL.Query()
			q.Del("pageSize")
			if q.Has("page_size") {
				q.Set("pageSize", q.Get("page_size"))
			}
			r.URL.RawQuery = q.Encode()
		}},
	front.Mutant{Name: "rest-flag-as-number", Summary: "An includeArtifacts is read as 1 or 0 only.",
		Route: requeried("includeArtifacts", func(q url.Values, value string) {
			flags := map[string]string{"1": "true", "0": "false"}
			if q.Set("includeArtifacts", unreadable); flags[value] != "" {
				q.Set("includeArtifacts", flags[value])
			}
		})},
	front.Mutant{Name: "rest-state-as-number", Summary: "A state in a query is read by its number only.",
		Route: requeried("status", func(q url.Values, value string) {
			if q.Set("status", unreadable); stateNumbers[value] != "" {
				q.Set("status", "TASK_STATE_"+stateNumbers[value])
			}
		})},
	front.Mutant{Name: "rest-time-as-seconds", Summary: "A time in a query is read as seconds since 1970 only.",
		Route: requeried("statusTimestampAfter", func(q url.Values, value string) {
			q.Set("statusTimestampAfter", unreadable)
			if seconds, err := time.ParseDuration(value + "s"); err == nil {
				q.Set("statusTimestampAfter", front.Timestamp(time.Unix(int64(seconds.Seconds()), 0)))
			}
		})},
	front.Mutant{Name: "rest-query-undecoded", Summary: "The values of a query are not percent-decoded.",
		Route: func(r *http.Request) { r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, "%", "%25") }},
	front.Mutant{Name: "rest-headers-ignored", Summary: "The version and the extensions are read from the query only.",
		Route: func(r *http.Request) {
			r.Header.Del(versionHeader)
			r.Header.Del(extensionsHeader)
		}},
	front.Mutant{Name: "rest-version-header-ignored", Summary: "GET /tasks reads the version from the query only.",
		Route: func(r *http.Request) {
			if rest.Method(r) == listMethod {
				r.Header.Del(versionHeader)
			}
		}},
)

// onRest edits the successful replies to one method over HTTP+JSON, in their own form.
func onRest(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if x.Body != nil && !front.Has(x.Body, "error") {
			edit(x)
		}
	})
}

// restFormMutants are about what is sent and what is taken (sections 11.1 and 11.4).
var restFormMutants = front.InArea("rest",
	front.Mutant{Name: "rest-labelled-html", Summary: "A task that is looked up is labelled text/html.",
		Rest: onRest(getMethod, func(x *front.Reply) { x.Header.Set("Content-Type", "text/html") })},
	front.Mutant{Name: "rest-labelled-json", Summary: "Responses are labelled application/json.",
		Rest: func(x *front.Reply) {
			if strings.HasPrefix(x.Header.Get("Content-Type"), rest.Media) {
				x.Header.Set("Content-Type", "application/json")
			}
		}},
	front.Mutant{Name: "rest-task-as-xml", Summary: "A task that is looked up is sent as XML.",
		Rest: onRest(getMethod, func(x *front.Reply) {
			x.Header.Set("Content-Type", "application/xml")
			x.Raw = []byte("<task><id>" + front.Text(x.Body, "id") + "</id></task>")
		})},
	front.Mutant{Name: "rest-a2a-json-refused", Summary: "A request that is labelled application/a2a+json gives 415.", Route: mutants.Typed("application/a2a+json")},
	front.Mutant{Name: "rest-other-type-crashes", Summary: "A request that is labelled text/plain gives HTTP 500.",
		Rest: func(x *front.Reply) {
			if x.Status == http.StatusUnsupportedMediaType {
				restated(x, http.StatusInternalServerError, "INTERNAL")
			}
		}},
	front.Mutant{Name: "rest-error-as-success", Summary: "The error about an unknown task comes with HTTP 200.",
		Rest: onReason(TaskNotFound, func(x *front.Reply, _ map[string]any) { x.Status = http.StatusOK })},
	front.Mutant{Name: "rest-result-as-failure", Summary: "A task that is looked up comes with HTTP 404.",
		Rest: onRest(getMethod, func(x *front.Reply) { x.Status = http.StatusNotFound })},
	front.Mutant{Name: "rest-task-unwrapped", Summary: "POST /message:send is answered with the task itself.",
		Rest: onRest(sendMethod, func(x *front.Reply) {
			if t := front.Object(x.Body, "task"); t != nil {
				x.Body = t
			}
		})},
)

// restStreamMutants are about streams over HTTP+JSON (section 11.7).
var restStreamMutants = front.InArea("rest",
	front.Mutant{Name: "rest-stream-error-silent", Summary: "POST /message:stream answers a wrong message with a stream without events.",
		Rest: func(x *front.Reply) {
			if x.Method() == streamMethod && front.Has(x.Body, "error") {
				x.EmptyStream()
			}
		}},
)

// atRest reports whether a call that is guarded is one of HTTP+JSON.
func atRest(c *front.Caller) bool { return strings.HasPrefix(c.Http.URL.Path, restBase+"/") }

// restGuardMutants are about who may do what over HTTP+JSON.
var restGuardMutants = front.In("guarded", front.InArea("rest",
	front.Mutant{Name: "rest-guard-forbids-nothing", Summary: "Over HTTP+JSON a client with few rights may do everything.",
		Guard: func(c *front.Caller) {
			if atRest(c) && c.Client == "low" {
				c.Client = "first"
			}
		}},
	front.Mutant{Name: "rest-guard-other-key", Summary: "Over HTTP+JSON the token that JSON-RPC takes is not known.",
		Guard: func(c *front.Caller) {
			if atRest(c) && c.Http.Header.Get("Authorization") != "" {
				c.Client = ""
			}
		}},
)...)

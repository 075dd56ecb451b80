package hostile

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// cheats know the suite by its User-Agent, and answer other clients wrongly in ways of their own.
// Those that are not found by it answer every client alike, as far as chance allows.
var cheats = []Server{
	{Name: "shapes-for-others", Doc: "errors have another additional member for each call of another client", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			n := v.countCall()
			v.forwardWithEditedBody(func(text string) string {
				return strings.Replace(text, `"error":{`, fmt.Sprintf(`"error":{"trace%d":[],`, n), 1)
			})
		})},
	{Name: "error-codes-change-for-others", Doc: "each error for another client has another code", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			n := v.countCall()
			v.forwardWithEditedBody(func(text string) string { return errorCode.ReplaceAllString(text, fmt.Sprintf(`"code":%d`, -33_000-n)) })
		})},
	{Name: "results-for-others", Doc: "other clients get a result for what is an error for the suite", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			v.w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(v.w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, orNull(v))
		})},
	{Name: "pages-for-others", Doc: "other clients get a page with HTTP 200", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) { io.WriteString(v.w, "<!doctype html><h1>Welcome</h1>") })},
	{Name: "halves-for-others", Doc: "answers to other clients end halfway", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			a := v.fetchHealthy()
			v.w.Header().Set("Content-Length", fmt.Sprint(len(a.text)))
			v.w.WriteHeader(a.status)
			io.WriteString(v.w, a.text[:len(a.text)/2])
		})},
	{Name: "nothing-for-others", Doc: "other clients get HTTP 204 for every call", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) { v.w.WriteHeader(http.StatusNoContent) })},
	{Name: "redirects-others", Doc: "other clients are redirected to another origin", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) { http.Redirect(v.w, v.r, v.other.baseURL(), http.StatusTemporaryRedirect) })},
	{Name: "hangs-for-others", Doc: "calls of other clients are read and never answered", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers,
		Flags:   []string{"--disguise", "--stimuli", "plain", "--webhook-listen", "127.0.0.1:0", "--timeout", "1s"},
		corrupt: toOthers(func(v *request) { <-v.r.Context().Done() })},
	{Name: "hangs-for-others-to-the-end", Doc: "the same, for longer than the run has time to compare", Verdict: Partial, Deadline: 5 * time.Second, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) { <-v.r.Context().Done() })},
	{Name: "limits-others-later", Doc: "the rate limit refuses other clients from their second call on", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			if v.countCall() == 1 {
				v.passThrough()
				return
			}
			http.Error(v.w, "", http.StatusTooManyRequests)
		})},
	{Name: "knows-the-connection", Doc: "connections on which the suite never called itself by its name get errors", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: func(v *request) {
			known := strings.HasPrefix(v.r.UserAgent(), "a2a-conform/")
			v.lock.Lock()
			if known {
				v.likes[v.r.RemoteAddr]++
			}
			known = v.likes[v.r.RemoteAddr] > 0
			v.lock.Unlock()
			if !known {
				http.Error(v.w, "", http.StatusForbidden)
				return
			}
			v.passThrough()
		}},
	{Name: "four-behind-a-balancer", Doc: "two of four servers behind one address add a member to errors, which happens to any client", Verdict: Conformant, Flags: disguiseFlags,
		corrupt: onLookups(func(v *request) {
			n := v.countCall() % 4
			v.forwardWithEditedBody(func(text string) string {
				if n == 1 || n == 0 {
					return strings.Replace(text, `"error":{`, `"error":{"node":"b",`, 1)
				}
				return text
			})
		})},
	{Name: "two-behind-a-balancer", Doc: "every second error has one member more, which happens to any client", Verdict: Conformant, Flags: disguiseFlags,
		corrupt: onLookups(func(v *request) {
			n := v.countCall() % 2
			v.forwardWithEditedBody(func(text string) string {
				if n == 1 {
					return strings.Replace(text, `"error":{`, `"error":{"node":"b",`, 1)
				}
				return text
			})
		})},
	{Name: "retry-after-for-everybody", Doc: "every answer has Retry-After and limits that are far away, for every client", Verdict: Conformant, Flags: disguiseFlags,
		corrupt: func(v *request) {
			v.w.Header().Set("Retry-After", "1")
			v.w.Header().Set("X-RateLimit-Limit", "100000")
			v.w.Header().Set("X-RateLimit-Remaining", "99999")
			v.passThrough()
		}},
	{Name: "names-the-client", Doc: "headers repeat what the client called itself, to every client", Verdict: Conformant, Flags: disguiseFlags,
		corrupt: func(v *request) {
			v.w.Header().Set("X-Client", v.r.UserAgent())
			v.w.Header().Set("Vary", "User-Agent, Accept-Encoding")
			v.passThrough()
		}},
}

// orNull returns the id of a call.
func orNull(v *request) string {
	if len(v.id) == 0 {
		return "null"
	}
	return string(v.id)
}

// onLookups does something to calls that the suite makes in pairs, and to their like.
func onLookups(spoil func(*request)) func(*request) {
	return func(v *request) {
		if v.op == "get" || v.op == "" {
			spoil(v)
			return
		}
		v.passThrough()
	}
}

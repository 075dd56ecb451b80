package hostile

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// faceRequirement is the finding about servers that know the suite.
const faceRequirement = "A2A-FACE-000"

// onlyOthers is what a run states about a server on which nothing else is to be seen.
const onlyOthers = "no MUST requirement is broken, but the server answers other clients differently"

var errorCode = regexp.MustCompile(`"code":-?[0-9]+`)

// disguiseFlags are the flags of a run that finds out, and asks for every behaviour.
var disguiseFlags = []string{"--disguise", "--stimuli", "plain", "--webhook-listen", "127.0.0.1:0", "--timeout", "20s"}

// fingerprinting are servers that behave while they are tested, and some that only look as
// if they did.
var fingerprinting = []Server{
	{Name: "fails-others", Doc: "who is not called a2a-conform gets HTTP 500 and a page", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) { http.Error(v.w, "<h1>Oops</h1>", http.StatusInternalServerError) })},
	{Name: "codes-for-others", Doc: "other clients get one code for every error", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			v.forwardWithEditedBody(func(text string) string { return errorCode.ReplaceAllString(text, `"code":-32603`) })
		})},
	{Name: "traces-for-others", Doc: "errors bear a stack trace, but for the suite", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			v.forwardWithEditedBody(func(text string) string {
				return strings.Replace(text, `"error":{`, `"error":{"trace":["at Agent.java:7"],`, 1)
			})
		})},
	{Name: "deaf-to-others", Doc: "connections of other clients are closed without an answer", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers((*request).hangUp)},
	{Name: "knows-the-coding", Doc: "the suite is known by the content coding that it asks for", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: func(v *request) {
			if v.r.Header.Get("Accept-Encoding") != "identity" {
				http.Error(v.w, "", http.StatusForbidden)
				return
			}
			v.passThrough()
		}},
	{Name: "changes-for-others", Doc: "each answer to another client is wrong in another way", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			wrong := []int{http.StatusInternalServerError, http.StatusNotFound, http.StatusFound}
			http.Error(v.w, "", wrong[v.countCall()%len(wrong)])
		})},
	{Name: "limits-others", Doc: "the rate limit refuses each call of another client, and none of the suite", Verdict: Partial, Finding: faceRequirement, Says: onlyOthers, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) { http.Error(v.w, "", http.StatusTooManyRequests) })},
	{Name: "otherwise-once", Doc: "the first call of another client fails, and no other, which may be chance", Verdict: Conformant, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			if v.countCall() == 1 {
				http.Error(v.w, "", http.StatusBadGateway)
				return
			}
			v.passThrough()
		})},
	{Name: "gzips-for-others", Doc: "other clients, which ask for it, get the same answers compressed", Verdict: Conformant, Flags: disguiseFlags,
		corrupt: toOthers(func(v *request) {
			a := v.fetchHealthy()
			v.w.Header().Set("Content-Type", a.kind)
			v.w.Header().Set("Content-Encoding", "gzip")
			v.w.WriteHeader(a.status)
			z := gzip.NewWriter(v.w)
			io.WriteString(z, a.text)
			z.Close()
		})},
}

// toOthers does something to clients that do not call themselves a2a-conform.
func toOthers(spoil func(*request)) func(*request) {
	return func(v *request) {
		if strings.HasPrefix(v.r.UserAgent(), "a2a-conform/") {
			v.passThrough()
			return
		}
		spoil(v)
	}
}

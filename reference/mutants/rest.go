package mutants

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Nowhere is a path at which nothing is served.
const Nowhere = "/nowhere"

// Repath gives a request of HTTP+JSON another path below the base URL.
func Repath(r *http.Request, base, escaped string) {
	if path, err := url.PathUnescape(base + escaped); err == nil {
		r.URL.Path, r.URL.RawPath = path, base+escaped
	}
}

// Repathed makes a server that takes the path below the base URL of HTTP+JSON, as it was
// sent, for another.
func Repathed(base string, edit func(path string) string) func(*http.Request) {
	return func(r *http.Request) { Repath(r, base, edit(strings.TrimPrefix(r.URL.EscapedPath(), base))) }
}

// Typed makes a server that does not know a media type of requests.
func Typed(media string) func(*http.Request) {
	return func(r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), media) {
			r.Header.Set("Content-Type", "application/octet-stream")
		}
	}
}

// RestMutants are about HTTP+JSON, whatever the form of its objects is.
func RestMutants(base string) map[string]front.Mutant {
	return map[string]front.Mutant{
		"rest-subscribe-read-as-id": {Route: Repathed(base, func(path string) string {
			if task, ok := strings.CutSuffix(path, ":subscribe"); ok {
				return task + "%3Asubscribe"
			}
			return path
		})},
		"rest-json-refused": {Route: Typed("application/json")},
		"rest-events-enveloped": {Event: func(f *front.Frame) {
			if f.Reply.OverRest() {
				body := front.Generic(f.Body)
				if front.Has(body, "result") {
					front.Put(body, "result", f.Sent(f.Body))
				}
				f.Raw = "data: " + string(front.Encode(body)) + "\n\n"
			}
		}},
		"rest-stream-as-lines": {Rest: func(x *front.Reply) {
			if x.Opens {
				x.Header.Set("Content-Type", "application/x-ndjson")
			}
		},
			Event: func(f *front.Frame) {
				if f.Reply.OverRest() {
					f.Raw = string(front.Encode(f.Sent(f.Body))) + "\n"
				}
			}},
		"rest-guard-open": {Guard: func(c *front.Caller) {
			if strings.HasPrefix(c.Http.URL.Path, base+"/") && c.Client == "" && c.Credential == "" {
				c.Client, c.Owner = "first", ""
			}
		}},
	}
}

package harness

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// tlsWanted matches what TLS servers send in response to a plain HTTP request.
var tlsWanted = regexp.MustCompile(`(?i)HTTP request (was sent )?to (an )?HTTPS|plain HTTP.*HTTPS|speaking plain HTTP to an SSL`)

// Suggestions for a port that has another protocol than its URL.
const (
	plainThere = "the server uses plain HTTP there; give a URL that begins with http://"
	tlsThere   = "the server uses TLS there; give a URL that begins with https://"
)

// describeOutcome describes the outcome of a request of discovery, and what to do about it if
// that is known.
func describeOutcome(x *record.Exchange) string {
	if !x.Answered() {
		switch {
		case x.Ended == record.Unsent:
			return "not asked: " + sanitizeAndShorten(x.Trouble)
		case x.Ended == record.Timeout:
			return "no answer in time"
		case strings.Contains(x.Trouble, record.Certificate):
			return sanitizeAndShorten(x.Trouble) + "; give --ca FILE with the authority that signed it, or --insecure"
		case strings.Contains(x.Trouble, "does not speak TLS"):
			return plainThere
		}
		return sanitizeAndShorten(x.Trouble)
	}
	s := fmt.Sprintf("HTTP %d", x.Status())
	if to := redirectOf(x); to != nil {
		return s + ", a redirect to " + shownURL(to)
	}
	if mt := x.Response.MediaType(); mt != "" {
		s += " " + sanitizeAndShorten(mt)
	}
	switch broken := x.BrokenJSON(); {
	case wantsTLS(x):
		s += ", " + tlsThere
	case x.Ended == record.Limit:
		s += ", and " + sanitizeAndShorten(x.Trouble)
	case x.Status() != http.StatusOK:
	case broken != "":
		s += ", which is not JSON: " + sanitizeAndShorten(broken)
	case x.Reply().Root == nil:
		s += ", which is not JSON"
	}
	return s
}

// wantsTLS reports whether a response to plain HTTP shows that the port expects TLS.
func wantsTLS(x *record.Exchange) bool {
	return strings.HasPrefix(x.URL, "http:") && x.Status() == http.StatusBadRequest && tlsWanted.Match(x.Response.Body)
}

// redirectOf returns the target of a redirect; nil if the response is no redirect or has no
// Location.
func redirectOf(x *record.Exchange) *url.URL {
	location := x.Response.Header().Get("Location")
	if x.Status()/100 != 3 || location == "" {
		return nil
	}
	to, err := parseURLOrEmpty(x.URL).Parse(location)
	if err != nil {
		return nil
	}
	return to
}

// shownURL returns a URL from the server without parts that may be secret.
func shownURL(u *url.URL) string { return redact.StripSecrets(sanitizeAndShorten(u.String())) }

// sanitizeAndShorten returns a text from outside in one line, shortened if it is long.
func sanitizeAndShorten(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if most := 200; len(s) > most {
		return shorten.Bytes(s, most) + "…"
	}
	return s
}

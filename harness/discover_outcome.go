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

// tlsWanted is what servers of TLS say to a plain HTTP request.
var tlsWanted = regexp.MustCompile(`(?i)HTTP request (was sent )?to (an )?HTTPS|plain HTTP.*HTTPS|speaking plain HTTP to an SSL`)

// What is suggested if another protocol is spoken at a port than its URL says.
const (
	plainThere = "the server speaks plain HTTP there; give a URL that begins with http://"
	tlsThere   = "the server speaks TLS there; give a URL that begins with https://"
)

// describeOutcome says what a question of discovery came to, and what to do about it if that
// is known.
func describeOutcome(x *record.Exchange) string {
	if !x.Answered() {
		switch {
		case x.Ended == record.Unsent:
			return "not asked: " + printable(x.Trouble)
		case x.Ended == record.Timeout:
			return "no answer in time"
		case strings.Contains(x.Trouble, record.Certificate):
			return printable(x.Trouble) + "; give --ca FILE with the authority that signed it, or --insecure"
		case strings.Contains(x.Trouble, "does not speak TLS"):
			return plainThere
		}
		return printable(x.Trouble)
	}
	s := fmt.Sprintf("HTTP %d", x.Status())
	if to := redirectOf(x); to != nil {
		return s + ", a redirect to " + shownURL(to)
	}
	if mt := x.Response.MediaType(); mt != "" {
		s += " " + printable(mt)
	}
	switch broken := x.BrokenJSON(); {
	case wantsTLS(x):
		s += ", " + tlsThere
	case x.Ended == record.Limit:
		s += ", and " + printable(x.Trouble)
	case x.Status() != http.StatusOK:
	case broken != "":
		s += ", which is not JSON: " + printable(broken)
	case x.Reply().Root == nil:
		s += ", which is not JSON"
	}
	return s
}

// wantsTLS reports whether an answer to plain HTTP says that TLS is spoken there.
func wantsTLS(x *record.Exchange) bool {
	return strings.HasPrefix(x.URL, "http:") && x.Status() == http.StatusBadRequest && tlsWanted.Match(x.Response.Body)
}

// redirectOf is where an answer leads; nil if it is no redirect, or does not say where.
func redirectOf(x *record.Exchange) *url.URL {
	location := x.Response.Header().Get("Location")
	if x.Status()/100 != 3 || location == "" {
		return nil
	}
	to, err := parse(x.URL).Parse(location)
	if err != nil {
		return nil
	}
	return to
}

// shownURL is an address that a server wrote, without what may be a secret in it.
func shownURL(u *url.URL) string { return redact.StripSecrets(printable(u.String())) }

// printable is a text that others wrote, bounded and on one line.
func printable(s string) string {
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

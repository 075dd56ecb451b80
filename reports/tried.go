package reports

import (
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// tried are the questions that were asked to find the server out. Those that follow each other
// and came to the same are one line.
func tried(r *report.Report) (out []string) {
	last := ""
	for _, text := range r.Tried {
		asked, came, ok := strings.Cut(text, ": ")
		if n := len(out); ok && n > 0 && came == last {
			before := strings.TrimSuffix(out[n-1], ": "+last)
			out[n-1] = before + ", " + besideFirst(before, asked) + ": " + came
			continue
		}
		out, last = append(out, text), came
	}
	return out
}

// besideFirst is a question after another one: without the origin, if it is the same.
func besideFirst(first, next string) string {
	_, rest, _ := strings.Cut(first, " ")
	address, _, _ := strings.Cut(rest, ", ")
	address, _, _ = strings.Cut(address, " ")
	u, err := url.Parse(address)
	method, to, ok := strings.Cut(next, " ")
	if err != nil || u.Host == "" || !ok {
		return next
	}
	origin := u.Scheme + "://" + u.Host
	path, same := strings.CutPrefix(to, origin)
	switch {
	case !same:
		return next
	case path == "" || strings.HasPrefix(path, " "):
		return method + " /" + path
	case path[0] != '/' && path[0] != '?':
		return next
	}
	return method + " " + path
}

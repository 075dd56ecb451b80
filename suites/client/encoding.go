package client

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// encodingParams name values that calls have in their addresses.
type encodingParams struct {
	Plays []string `json:"plays"`
	At    []string `json:"at"` // their pointers in the parameters: ids of tasks, and tokens of pages
}

// checkEncoding judges whether ids and tokens that we gave come back unchanged in addresses.
func checkEncoding(t *judge.T, p encodingParams) {
	t.Calls() // it may make none in such a binding
	seen := 0
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		var given []string
		for _, d := range s.Delivered() {
			for _, text := range []string{d.Task, d.Result.Read("next").Text()} {
				if text != "" {
					given = append(given, text)
				}
			}
		}
		if len(given) == 0 {
			return
		}
		eachOf(t, s.Calls(), func(r judge.Request) {
			if r.By.Kind() != schema.KindREST {
				return
			}
			if r.Op == "" && hasInSeveralSegments(r, given) {
				seen++
				t.Fail(r.Head(report.StatusLine), "sent an id as several segments of the path", "an id that is percent-encoded, as one segment")
			}
			for _, at := range p.At {
				if v := r.Params.At(at); r.Op != "" && v.Text() != "" {
					seen++
					judgeArrival(t, v, given)
				}
			}
		})
	})
	if seen == 0 {
		t.StopVacuous("no call of the client has such a value in its address")
	}
}

// judgeArrival judges whether a value is one that we gave. A plus sign for a space is only remarked.
func judgeArrival(t *judge.T, v judge.Value, given []string) {
	if !slices.Contains(given, v.Text()) {
		spaced := func(text string) string { return strings.ReplaceAll(text, "+", " ") }
		if !slices.ContainsFunc(given, func(g string) bool { return spaced(g) == spaced(v.Text()) }) {
			t.Fail(v, "sent "+describeValue(v)+", which is not what the agent gave", "the value unchanged, by percent-encoding")
		}
		t.Finding(v, "sent a plus sign for a space, or a plus sign as it is: %s", describeValue(v))
	}
	t.OK(v)
}

// hasInSeveralSegments reports whether the path of a request has the beginning of a value, up to its first slash, though
// the path is that of no operation.
func hasInSeveralSegments(r judge.Request, given []string) bool {
	path, _, _ := strings.Cut(r.Exchange.URL, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return slices.ContainsFunc(given, func(g string) bool {
		head, _, cut := strings.Cut(g, "/")
		return cut && head != "" && strings.Contains(path, head+"/")
	})
}

// isMisencoded reports whether a value that arrived is what becomes of another one if it is not encoded in a query, or twice.
func isMisencoded(arrived, due string) bool {
	if asSent, err := url.ParseQuery("v=" + due); err == nil && asSent.Get("v") == arrived {
		return true
	}
	cut, _, _ := strings.Cut(due, "&")
	cut, _, _ = strings.Cut(cut, "#")
	once, err := url.QueryUnescape(cut)
	twice, failed := url.QueryUnescape(arrived)
	return arrived == cut || err == nil && arrived == once || failed == nil && twice == due
}

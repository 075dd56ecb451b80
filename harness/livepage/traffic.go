package livepage

import (
	"html/template"
	"io"
	"strconv"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Traffic is what the page of a recording proxy shows. It has no text that passed: only counts, and what the catalogue
// states about the requirements that are broken.
type Traffic struct {
	Nonce   string // of the policy of this response, for the style sheet and the script
	Version int64  // of what is shown; another one means that there is news
	Routes  []TrafficRoute
	Counts  []TrafficCount
	Judged  string // when the record was judged last; "" before
	Sides   []TrafficSide
}

// TrafficRoute is an address that clients call, and the server that it leads to.
type TrafficRoute struct{ Address, Upstream string }

// TrafficCount is a number with its meaning.
type TrafficCount struct {
	What  string
	Count int64
}

// TrafficSide is the verdict on one side so far. The reasons of its failures are not shown, since they quote what passed.
type TrafficSide struct {
	Name string // server or client
	Summary
}

// boundTexts returns a page whose texts are of a bounded length, and without control characters.
func (t Traffic) boundTexts() Traffic {
	t.Judged = shorten.Visible(t.Judged, maxName)
	routes := make([]TrafficRoute, 0, len(t.Routes))
	for _, r := range t.Routes {
		routes = append(routes, TrafficRoute{shorten.Visible(r.Address, maxName), shorten.Visible(r.Upstream, maxName)})
	}
	t.Routes = routes
	sides := make([]TrafficSide, 0, len(t.Sides))
	for _, s := range t.Sides {
		sides = append(sides, TrafficSide{shorten.Visible(s.Name, maxName), s.Summary.boundTexts()})
	}
	t.Sides = sides
	return t
}

// Status returns what a screen reader announces when something passed.
func (t Traffic) Status() string {
	if len(t.Counts) == 0 || t.Counts[0].Count == 0 {
		return "Nothing has passed yet."
	}
	return strconv.FormatInt(t.Counts[0].Count, 10) + " exchanges have passed."
}

var trafficTemplate = template.Must(template.ParseFS(files, "traffic.html.tmpl"))

// WriteTraffic writes the page of a recording proxy.
func WriteTraffic(w io.Writer, t Traffic) error {
	return trafficTemplate.Execute(w, struct {
		Traffic
		CSS    template.CSS
		Script template.JS
	}{t.boundTexts(), template.CSS(styleSheet), template.JS(script)})
}

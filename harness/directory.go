package harness

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// findDirectory requests the list of agents from a server without a card. A list identifies the
// dialect only if it has an entry. An empty list counts only if the server does not answer 200 to
// every request.
func (r *runner) findDirectory(candidates []*schema.Dialect, f *discovery, fetched map[string]*record.Exchange, fetch func(string) *record.Exchange) {
	for _, d := range candidates {
		if d.Directory.List == "" || f.hasTimedOutTwice() || r.target.Card != "" {
			continue
		}
		everything := false
		for a, x := range fetched {
			everything = everything || x.Status() == http.StatusOK && r.isCardPlace(a, candidates)
		}
		x := fetch(documentRoot(r.target.URL, d) + d.Directory.List)
		if x.Status() != http.StatusOK {
			continue
		}
		entries, listed := card.Entries(x.Reply().Root)
		whole := func(e *record.Node) bool {
			return !slices.ContainsFunc(d.Directory.Members, func(m string) bool { return e.Member(m) == nil })
		}
		switch {
		case slices.ContainsFunc(entries, whole):
			f.dialect = d
			return
		case listed && len(entries) == 0 && !everything:
			f.emptyList = fmt.Sprintf("; %s is an empty list: if this is a directory without agents, give --dialect %s", sanitizeAndShorten(x.URL), d.Name)
			f.list = true
		}
	}
}

// detectWhetherMethodsHavePaths finds out whether calls go to a path that is the method's name or to the bare
// endpoint. It sends a call that leaves nothing behind. If neither address answers with JSON-RPC,
// the path of the dialect's source is used.
func (r *runner) detectWhetherMethodsHavePaths(ctx context.Context, f *discovery) {
	d := f.dialect
	if !d.ByMethod || r.target.RPC != "" || f.hasTimedOutTwice() {
		return
	}
	f.rpc = strings.TrimSuffix(f.rpc, "/")
	writer, err := dialect.For(d.Name)
	if err != nil {
		return
	}
	by, play, ids := binding.ByNameOrDefault(d, ""), record.Play{Scenario: "reach", About: "a call that shows where the endpoint is", Attempt: 1}, r.target.IDs.IDs("reach")
	ask := func(step, address string) bool {
		call, err := by.Encode(address, binding.Request{Op: "discover", ID: ids.New(), Params: writer.Params["discover"](dialect.Outgoing{Wanted: []string{ids.New()}})})
		if err != nil {
			return false
		}
		maps.Copy(call.Header, r.target.header())
		call.Timeout = r.cardTimeout()
		x := r.announceAndSendCall(ctx, call, nil)
		f.countTimeout(x)
		play.Steps = append(play.Steps, record.Step{Name: step, Role: record.Probe, Op: "discover", Exchange: x})
		ok := by.Decode("discover", x).IsResponse()
		what := "no JSON-RPC"
		if ok {
			what = "JSON-RPC"
		}
		f.tried = append(f.tried, fmt.Sprintf("POST %s: HTTP %d, %s", address, x.Status(), what))
		return ok
	}
	f.paths = ask("path", f.rpc+"/"+by.Title("discover")) || !ask("bare", f.rpc)
	f.plays = append(f.plays, play)
}

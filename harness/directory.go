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
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// findDirectory asks a server without a card for its list of agents. Only a list
// with an entry in it tells what it is a list of, and an empty one only where the
// server does not answer whatever it is asked.
func (r *runner) findDirectory(candidates []*schema.Dialect, f *found, fetched map[string]*wire.Exchange, fetch func(string) *wire.Exchange) {
	for _, d := range candidates {
		if d.Directory.List == "" || f.dead() || r.target.Card != "" {
			continue
		}
		everything := false
		for a, x := range fetched {
			everything = everything || x.Status() == http.StatusOK && r.isCardPlace(a, candidates)
		}
		x := fetch(base(r.target.URL, d) + d.Directory.List)
		if x.Status() != http.StatusOK {
			continue
		}
		entries, listed := card.Entries(x.Reply().Root)
		whole := func(e *wire.Node) bool {
			return !slices.ContainsFunc(d.Directory.Members, func(m string) bool { return e.Member(m) == nil })
		}
		switch {
		case slices.ContainsFunc(entries, whole):
			f.dialect = d
			return
		case listed && len(entries) == 0 && !everything:
			f.emptyList = fmt.Sprintf("; %s is an empty list: if this is a directory without agents, give --dialect %s", printable(x.URL), d.Name)
			f.list = true
		}
	}
}

// reach finds out where calls go, by a question that leaves nothing behind: to a
// path that is the method's name or, where that gives no JSON-RPC, to the bare
// endpoint. Where neither answers, the path is what the source shows.
func (r *runner) reach(ctx context.Context, f *found) {
	d := f.dialect
	if !d.ByMethod || r.target.RPC != "" || f.dead() {
		return
	}
	f.rpc = strings.TrimSuffix(f.rpc, "/")
	writer, err := dialect.For(d.Name)
	if err != nil {
		return
	}
	by, play, ids := binding.ForName(d, ""), wire.Play{Scenario: "reach", Attempt: 1}, r.target.IDs.IDs("reach")
	ask := func(step, address string) bool {
		call, err := by.Encode(address, binding.Request{Op: "discover", ID: ids.New(), Params: writer.Params["discover"](dialect.Outgoing{Wanted: []string{ids.New()}})})
		if err != nil {
			return false
		}
		maps.Copy(call.Header, r.target.header())
		call.Timeout = r.cardPatience()
		x := r.client.Do(ctx, call, nil)
		f.heard(x)
		play.Steps = append(play.Steps, wire.Step{Name: step, Role: wire.Probe, Op: "discover", Exchange: x})
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

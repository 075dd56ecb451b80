package client

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// An entry is an agent that a directory showed to the client.
type entry struct {
	judge.Value
	wanted judge.Value // the capabilities that were looked for
}

// listEntries returns the agents that the answers of a start showed.
func listEntries(t *judge.T, s judge.Start) (out []entry) {
	at, _ := t.Case.Dialect.Pointer("request", "capabilities")
	wanted := map[*record.Exchange]judge.Value{}
	for _, r := range s.Requests(judge.Request.IsCall) {
		wanted[r.Exchange] = r.Params.At(at)
	}
	for _, d := range s.Delivered() {
		for _, e := range d.Result.Read("entries").Elems() {
			out = append(out, entry{e, wanted[d.Exchange]})
		}
	}
	return out
}

// findAgent returns the agent at whose address a call went: the address itself, or with the method as its path.
func findAgent(t *judge.T, r judge.Request, agents []entry) (found entry, is bool) {
	to, err := url.Parse(r.Exchange.URL)
	if err != nil {
		return found, false
	}
	for _, e := range agents {
		at, err := url.Parse(observe.ReadEntryMember(t, e.Value, "endpoint").Text())
		if err != nil || at.Scheme != to.Scheme || at.Host != to.Host {
			continue
		}
		base := strings.TrimRight(at.Path, "/")
		if path := strings.TrimRight(to.Path, "/"); path == base || path == base+"/"+r.Sent.Named {
			return e, true
		}
	}
	return found, false
}

// checkChosenAgent judges whether the agent that the client calls has all capabilities that it looked for.
func checkChosenAgent(t *judge.T, p struct {
	Plays []string `json:"plays"`
}) {
	seen := 0
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		agents := listEntries(t, s)
		eachOf(t, messagesOf(t, s), func(r judge.Request) {
			e, is := findAgent(t, r, agents)
			if !is || len(e.wanted.Elems()) < 2 {
				return
			}
			seen++
			has := observe.ReadEntryMember(t, e.Value, "capabilities").Elems()
			for _, wanted := range e.wanted.Elems() {
				if !slices.ContainsFunc(has, wanted.Equal) {
					t.Fail(r.Head(report.StatusLine), "called an agent without the capability "+shorten.Visible(shorten.Clip(wanted.Text(), 60), 60), "an agent with all that it looked for, which was found as well", e.Value)
				}
			}
			t.OK(r.Call)
		})
	})
	if seen == 0 {
		t.StopVacuous("the client looked for no agent by several capabilities, and called it then")
	}
}

// checkNoAgent judges whether the client sends no task if no agent was found.
func checkNoAgent(t *judge.T, p struct {
	Plays []string `json:"plays"`
}) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		last := s.Last()
		sent := messagesOf(t, s)
		switch {
		case len(sent) > 0:
			t.Fail(sent[0].Head(report.StatusLine), "sent a task, though no agent was found", "none")
		case s.Run.Signal != "":
			t.Fail(last, s.Shows().How, "an orderly end")
		case !s.Ended():
			stopBeforeEnd(t, s)
		}
		t.OK(last)
	})
}

// checkEndpoint judges whether tasks go to addresses that the directory showed. A client that asked for no agent in a start may
// know an address from elsewhere.
func checkEndpoint(t *judge.T, _ struct{}) {
	seen := 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		agents := listEntries(t, s)
		if len(agents) == 0 {
			return
		}
		calls := append(messagesOf(t, s), s.Requests(func(r judge.Request) bool { return isStrayCall(t, r) })...)
		eachOf(t, calls, func(r judge.Request) {
			seen++
			if _, is := findAgent(t, r, agents); !is {
				t.Fail(r.Head(report.StatusLine), "called "+shorten.Visible(shorten.Clip(r.Exchange.URL, 100), 100), "the address of an agent that the directory showed", agents[0].Value)
			}
			t.OK(r.Call)
		})
	})
	if seen == 0 {
		t.StopVacuous("the client sent no task to an agent that the directory had shown to it")
	}
}

// checkListRequests judges how the client asks for the list of agents, and for one of it.
func checkListRequests(t *judge.T, _ struct{}) {
	list := t.Case.Dialect.Directory.List
	all := t.Requests(func(r judge.Request) bool {
		return !r.IsCall() && (pathOf(r) == list || strings.HasPrefix(pathOf(r), list+"/"))
	})
	if len(all) == 0 {
		t.StopVacuous("the client asked for no list of agents")
	}
	judge.Each(t, all, func(r judge.Request) {
		at := r.Head(report.StatusLine)
		u, err := url.Parse(r.Exchange.URL)
		switch {
		case r.Method() != http.MethodGet:
			t.Fail(at, "sent "+shorten.Visible(shorten.Clip(r.Method(), 20), 20)+" to "+list, "GET")
		case err == nil && strings.Contains(strings.TrimPrefix(u.EscapedPath(), list+"/"), "/") && pathOf(r) != list:
			t.Fail(at, "sent an id with a slash in a path as "+shorten.Visible(shorten.Clip(u.EscapedPath(), 80), 80), "one segment of the path, with the slash encoded")
		}
		t.OK(at)
	})
}

// credentialFields are header fields in which clients show credentials.
var credentialFields = []string{"Authorization", "Cookie", "X-API-Key"}

// checkNoCredential judges whether requests have no credential.
func checkNoCredential(t *judge.T, _ struct{}) {
	judge.Each(t, t.Requests(func(judge.Request) bool { return true }), func(r judge.Request) {
		for _, name := range credentialFields {
			if r.Header().Get(name) != "" {
				t.Fail(r.Head(name), "sent a credential in "+name, "none, since nothing asks for one")
			}
		}
		if showsSecret(r) {
			t.Fail(r.Head(report.StatusLine), "sent a credential", "none, since nothing asks for one")
		}
		t.OK(r.Call)
	})
}

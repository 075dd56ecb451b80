package serve

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Script is a scripted server: what it does is the same whatever the client sends as its text.
type Script struct {
	Name  string
	Group string
	Doc   string // what it does, in a sentence
	// Fault states what it does that the text forbids; "" if the text permits all of it.
	Fault string
	// Twin is the plain scenario in which the same client is compared with this one; "" for a plain one.
	Twin     string
	Also     []string // further scenarios that show what it is judged by, which are played with it
	Dialects []string // in which there is something to provoke; empty for all
	// Asks are what a dialect needs to have for it: names of operations, bindings, errors and states, and features of its form.
	Asks  []string
	Turns bool // the client is given a second text
	Alone bool // it measures time: nothing else is played meanwhile
	// TwoOrigins is set if it is about two origins, so that one with two paths would be another scenario.
	TwoOrigins bool
	// Needs are the extras that the operator has to grant before it is played, such as WithCredentials.
	Needs []string
	// Grants are the kinds of credentials that are made up for each start, if the operator granted credentials.
	Grants []string
	// Extensions are the URIs of extensions that the client is to know.
	Extensions []string
	// Do are the commands for a program that does what it is asked to, in which the texts are filled in; none for those that
	// send the texts.
	Do []adapter.Command
	// Spared are the dialects in which a run that judges all requirements does without it if the client reports nothing.
	Spared []string
	// Aided is set if only such a program gives occasion for what the scenario is about.
	Aided bool
	// Over is the binding in which a client has to make a call in an earlier scenario before this one is played; "" for none.
	Over string
	// OnlyByName is set if the scenario is played only if somebody asks for it by its name.
	OnlyByName bool
	// ByHand is what a person does in the application besides sending the texts; "" for nothing.
	ByHand string

	// certificate is that of its addresses, which are then of https; "" for plain HTTP. With plainCard that of the card stays
	// one of plain HTTP.
	certificate certificate
	plainCard   bool
	// plainFaces has the interfaces stay at addresses of plain HTTP, on another host name.
	plainFaces bool
	// secureKeys has the keys of signatures alone be at an address of https.
	secureKeys bool

	set func(s *stage)
}

// belongsTo reports whether the scenario is one of a dialect.
func (s *Script) belongsTo(dialect string) bool {
	has, few := abilities()[dialect], fewScenarios[dialect]
	if few != nil && !slices.Contains(few, s.Name) && !slices.Contains(s.Dialects, dialect) {
		return false
	}
	return has != nil && (len(s.Dialects) == 0 || slices.Contains(s.Dialects, dialect)) && !slices.ContainsFunc(s.Asks, func(what string) bool { return !has[what] })
}

// abilities are what the dialects have of what scenarios ask for, by their names.
var abilities = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for name, f := range forms {
		d, err := schema.Load(name)
		if err != nil {
			panic(err) // it is part of the program
		}
		has := map[string]bool{}
		for _, words := range [][]string{slices.Collect(maps.Keys(d.Operations)), slices.Collect(maps.Keys(d.Bindings)), slices.Collect(maps.Keys(d.Errors)), f.listFeatures()} {
			for _, word := range words {
				has[word] = true
			}
		}
		for _, s := range []state{submitted, working, inputRequired, authRequired, completed, canceled, failed, rejected} {
			has[string(s)] = d.State(f.stateName(s)) != nil
		}
		all[name] = has
	}
	return all
})

// listCommands returns the commands of the scenario with their texts: the second one is for the second message.
func (s *Script) listCommands(streams bool, text, second string) []adapter.Command {
	out := slices.Clone(s.Do)
	if len(out) == 0 {
		word := adapter.Send
		if streams {
			word = adapter.Stream
		}
		out = append(out, adapter.Command{Do: word})
		if s.Turns {
			out = append(out, adapter.Command{Do: word, Task: adapter.LastTask})
		}
	}
	sends := 0
	for i := range out {
		if out[i].Do == adapter.Send || out[i].Do == adapter.Stream {
			if out[i].Text = text; s.Turns && sends > 0 {
				out[i].Text = second
			}
			sends++
		}
	}
	return out
}

// allScripts returns the scenarios of all dialects in the order in which they are played.
var allScripts = sync.OnceValue(func() (out []Script) {
	for _, g := range []struct {
		name    string
		scripts []Script
	}{{"plain", plain}, {"card", cards}, {"credentials", credentials}, {"credentials", logins}, {"interfaces", interfaces}, {"gRPC", grpcScripts}, {"responses", responses}, {"errors", listErrorScripts()}, {"stream forms", streams},
		{"stream life", streamLife}, {"tasks", tasks}, {"HTTP", exchanges}, {"HTTP", framings}, {"push", pushes}, {"TLS", secured}, {"signatures", signedCards}, {"directory", directoryScripts}, {"limits", limitScripts}, {"payments", payments}} {
		for _, s := range g.scripts {
			s.Group = g.name
			out = append(out, s)
		}
	}
	return out
})

// Scripts returns the scenarios of a dialect, in the order in which they are played.
func Scripts(dialect string) (out []Script) {
	for _, s := range allScripts() {
		if s.belongsTo(dialect) {
			out = append(out, s)
		}
	}
	return out
}

// Has reports whether a dialect has a scenario of that name, or several whose names begin with it and a
// hyphen.
func Has(dialect, name string) bool {
	return slices.ContainsFunc(Scripts(dialect), func(s Script) bool { return s.Name == name || strings.HasPrefix(s.Name, name+"-") })
}

// Find returns the scenario of that name; nil if the dialect has none.
func Find(dialect, name string) *Script {
	for _, s := range allScripts() {
		if s.Name == name && s.belongsTo(dialect) {
			return &s
		}
	}
	return nil
}

// The names of dialects whose clients are served.
const (
	a2a10 = "a2a-1.0"
	a2a03 = "a2a-0.3"
	a2a01 = "a2a-0.1"
	a2x03 = "a2x-0.3"
	jaf03 = "jaf-0.3"

	directory01 = "directory-0.1"
	coreSchema  = "core-schema"
)

// fewScenarios are the only scenarios of dialects whose requirements look at no others, without those that name such a dialect.
var fewScenarios = map[string][]string{
	directory01: {"hello", "turns", "no-answer-html"},
	coreSchema:  {"hello", "turns", "card-bare", "card-broken-html", "no-answer-html", "task-bare", "stream", "stream-chunks"},
}

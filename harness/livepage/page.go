// Package livepage writes the pages that the operator sees while a client is used by hand, and while traffic passes: what
// to do next, what came, and the verdict so far.
package livepage

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Page is what the page shows. Its texts may be those of a client: they are bounded and escaped here.
type Page struct {
	Nonce    string // of the policy of this response, for the style sheet and the script
	Protocol string
	Address  string // of the agent, as the client calls it
	Card     string // the address of its card
	Current  Scenario
	Groups   []Group
	Came     string // the last request, in words; "" before the first
	Trouble  string // why what was chosen last was not done
	Version  int    // of what is shown; another one means that there is news
	Summary  *Summary
}

// Group is a number of scenarios about one subject.
type Group struct {
	Name      string
	Scenarios []Scenario
}

// Scenario is one that can be chosen.
type Scenario struct {
	Name     string   `json:"scenario"`
	About    string   `json:"about"`
	Fault    string   `json:"fault,omitempty"` // what the agent does that the protocol forbids
	Do       []Action `json:"do"`
	Requests int      `json:"requests"`       // that came, in all its plays
	Last     string   `json:"last,omitempty"` // the name of the last one
	Current  bool     `json:"-"`
}

// Action is something that the operator does, in words, and the text to send if there is one.
type Action struct {
	Words string `json:"words"`
	Text  string `json:"text,omitempty"`
}

// Summary is the verdict so far.
type Summary struct {
	Verdict                  string
	Reason                   string
	Fails, Passes, Undecided int
	Failures                 []Failure
}

// Failure is a requirement that the client breaks.
type Failure struct{ ID, Level, Statement, Reason string }

// Bounds on what is shown.
const (
	maxName     = 120 // characters
	maxText     = 2000
	maxFailures = 100
)

// boundTexts returns a page whose texts are of a bounded length, and without control characters.
func (p Page) boundTexts() Page {
	p.Protocol, p.Address, p.Card = shorten.Visible(p.Protocol, maxName), shorten.Visible(p.Address, maxName), shorten.Visible(p.Card, maxName)
	p.Came, p.Trouble = shorten.Visible(p.Came, maxName), shorten.Visible(p.Trouble, maxText)
	p.Current = p.Current.boundTexts()
	groups := make([]Group, 0, len(p.Groups))
	for _, g := range p.Groups {
		own := Group{Name: shorten.Visible(g.Name, maxName)}
		for _, s := range g.Scenarios {
			own.Scenarios = append(own.Scenarios, s.boundTexts())
		}
		groups = append(groups, own)
	}
	p.Groups = groups
	if p.Summary != nil {
		s := p.Summary.boundTexts()
		p.Summary = &s
	}
	return p
}

func (s Summary) boundTexts() Summary {
	s.Verdict, s.Reason = shorten.Visible(s.Verdict, maxName), shorten.Visible(s.Reason, maxText)
	all := s.Failures
	s.Failures = nil
	for _, f := range all[:min(maxFailures, len(all))] {
		s.Failures = append(s.Failures, Failure{shorten.Visible(f.ID, maxName), shorten.Visible(f.Level, maxName), shorten.Visible(f.Statement, maxText), shorten.Visible(f.Reason, maxText)})
	}
	return s
}

func (s Scenario) boundTexts() Scenario {
	s.Name, s.About, s.Fault, s.Last = shorten.Visible(s.Name, maxName), shorten.Visible(s.About, maxText), shorten.Visible(s.Fault, maxText), shorten.Visible(s.Last, maxName)
	do := make([]Action, 0, len(s.Do))
	for _, a := range s.Do {
		do = append(do, Action{shorten.Visible(a.Words, maxText), shorten.Visible(a.Text, maxText)})
	}
	s.Do = do
	return s
}

// Count states how many requests came, and what the last one was.
func (s Scenario) Count() string {
	switch s.Requests {
	case 0:
		return "none yet"
	case 1:
		return "1 request: " + s.Last
	}
	return fmt.Sprintf("%d requests, the last one: %s", s.Requests, s.Last)
}

// Further returns how many failures there are beyond those that are shown.
func (s Summary) Further() int { return max(0, s.Fails-len(s.Failures)) }

// Status returns what a screen reader announces when something came.
func (p Page) Status() string { return cmp.Or(p.Came, "No request has come yet.") }

// Progress states how many scenarios had requests, of how many, and how many are left.
func (p Page) Progress() string {
	done, all := 0, 0
	for _, g := range p.Groups {
		for _, s := range g.Scenarios {
			all++
			if s.Requests > 0 {
				done++
			}
		}
	}
	if done == all {
		return fmt.Sprintf("%d of %d scenarios done", done, all)
	}
	return fmt.Sprintf("%d of %d scenarios done, %d left", done, all, all-done)
}

// Tone is the class by which the verdict is coloured.
func (s Summary) Tone() string {
	if s.Fails > 0 {
		return "fail"
	}
	return ""
}

//go:embed page.html.tmpl traffic.html.tmpl page.css page.js
var files embed.FS

var pageTemplate = template.Must(template.ParseFS(files, "page.html.tmpl"))

// styleSheet and script are all that a browser applies to the page.
var styleSheet, script = mustRead("page.css"), mustRead("page.js")

func mustRead(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// Policy is the policy of contents for a page with that nonce: its own style sheet and script, requests and forms to
// its own origin, and nothing else.
func Policy(nonce string) string {
	of := "'nonce-" + nonce + "'"
	return strings.Join([]string{"default-src 'none'", "style-src " + of, "script-src " + of, "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"}, "; ")
}

// Write writes the page.
func Write(w io.Writer, p Page) error {
	return pageTemplate.Execute(w, struct {
		Page
		CSS    template.CSS
		Script template.JS
	}{p.boundTexts(), template.CSS(styleSheet), template.JS(script)})
}

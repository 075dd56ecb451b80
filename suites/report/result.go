package report

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Evidence points at bytes in the transcript.
type Evidence struct {
	Exchange int    `json:"exchange"`
	File     string `json:"file,omitempty"`    // the exchange is none: the operator gave this document
	Step     string `json:"step,omitempty"`    // of the conversations, by which it came: quick/send
	Event    int    `json:"event,omitempty"`   // number of the stream event, from 1
	Said     int    `json:"said,omitempty"`    // number of the line by which the client reported what it saw, near the exchange
	Pointer  string `json:"pointer"`           // RFC 6901, into the JSON text
	Excerpt  string `json:"excerpt,omitempty"` // the value there, shortened
}

// Finding is something tolerated but worth knowing.
type Finding struct {
	Text     string    `json:"text"`
	Evidence *Evidence `json:"evidence,omitempty"`
}

// Result is the verdict on one requirement and what it rests on.
type Result struct {
	ID        string       `json:"id"`
	Level     schema.Level `json:"level"`
	Area      string       `json:"area"`
	Section   string       `json:"section"`
	Statement string       `json:"statement"`
	Readings  []string     `json:"readings,omitempty"` // how the sources can be read, if they leave it open; the weaker is judged
	Applied   []string     `json:"applied,omitempty"`  // the letters of the readings by which it is judged, A for the first
	// Own states that the requirement is in no text of the protocol: this suite added it.
	Own bool `json:"own,omitempty"`
	// FindingOnly is why what breaks it is a finding, and no failure.
	FindingOnly string          `json:"findingOnly,omitempty"`
	Verdict     Verdict         `json:"verdict"`
	Vacuous     bool            `json:"vacuous,omitempty"` // about every X, and no X occurred
	Reason      string          `json:"reason"`
	Why         []Why           `json:"why,omitempty"`    // each listed violation in its parts, in the order of Reason and Others
	Remedy      string          `json:"remedy,omitempty"` // the flag or line that would get it decided
	Because     string          `json:"because"`          // the requirement it follows from
	Cause       string          `json:"cause,omitempty"`  // of a failure from which others follow: what is wrong in general
	Evidence    []Evidence      `json:"evidence"`
	Findings    []Finding       `json:"findings"`
	More        int             `json:"more,omitempty"`      // violations beyond the ones listed
	Others      []string        `json:"others,omitempty"`    // further violations, in the order of Evidence from its second piece on
	Fix         string          `json:"fix,omitempty"`       // of a failure: what to change in the server
	Known       *KnownFault     `json:"known,omitempty"`     // of a failure or a waived one: the known fault of the SDK (Report.SDK) by which it fails
	Failing     *Streak         `json:"failing,omitempty"`   // of a failure: for how long, if the reports of earlier runs are known
	Reproduce   string          `json:"reproduce,omitempty"` // the script next to the report that repeats it
	Subjects    []SubjectResult `json:"subjects,omitempty"`  // the verdict on each agent and binding, if several were judged; the worst decides
	// Source is the place of the test that has this result, if a maker wrote it; nil for a requirement. It is not known of
	// a report that was read.
	Source *Source `json:"-"`
	// Stopped reports whether an undecided requirement is explained by a step that the
	// transcript records as not made. It is not known of a report that was read.
	Stopped bool `json:"-"`
}

// Source is a place in a document that the operator has.
type Source struct {
	File string // its path, as the operator named it
	Line int    // from 1
}

// NotTried is what a requirement came to for a subject if nothing was sent from
// which it could be judged. It is no verdict of a requirement.
const NotTried Verdict = "not-tried"

// SubjectResult is the verdict on one of several agents, or on one agent in one of
// several bindings.
type SubjectResult struct {
	Agent   string  `json:"agent"`
	Binding string  `json:"binding,omitempty"` // in which it was called, if there are several
	Verdict Verdict `json:"verdict"`           // or not-tried
	Reason  string  `json:"reason,omitempty"`
	// At are the places that cover a failure for this subject, as waivers name them. It is empty if
	// violations are not listed, or have no place.
	At []string `json:"at,omitempty"`
}

// Name returns the subject for a reader.
func (s SubjectResult) Name() string {
	switch {
	case s.Binding == "":
		return "agent " + shorten.Visible(s.Agent, 60)
	case s.Agent == "":
		return "by " + shorten.Visible(s.Binding, 60)
	}
	return fmt.Sprintf("agent %s, by %s", shorten.Visible(s.Agent, 60), shorten.Visible(s.Binding, 60))
}

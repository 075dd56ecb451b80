package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Level is the weight of a requirement (RFC 2119).
type Level string

// The levels.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// Risk is what judging a requirement may do to the server under test.
type Risk string

// The risk classes. Only harmless ones run unless the operator allows more.
const (
	Harmless   Risk = "harmless"
	Heavy      Risk = "heavy"      // large bodies, deep nesting
	Outbound   Risk = "outbound"   // makes the server call out
	Residue    Risk = "residue"    // leaves something behind
	Disruptive Risk = "disruptive" // may slow or stop the service for others
)

// Risks lists the classes an operator can allow.
func Risks() []Risk { return []Risk{Heavy, Outbound, Residue, Disruptive} }

// NeedsAllow returns which flag calls of a risk class need, and why.
func (r Risk) NeedsAllow() string {
	what := map[Risk]string{
		Heavy: "messages of megabytes", Outbound: "the server calls other hosts", Residue: "something stays on the server",
		Disruptive: "it may slow the server down for others",
	}[r]
	return fmt.Sprintf("needs --allow %s (%s)", r, what)
}

// Use is how it is seen that a server makes use of a permission. A permission that it
// makes no use of is not applicable.
type Use string

// The ways in which a use is seen.
const (
	UseAccepted Use = "accepted" // a call is accepted
	UseRefused  Use = "refused"  // a call is refused
	UseEither   Use = "either"   // each of the two ways that the sentence leaves open is a use
	UseSeen     Use = "seen"     // its check looks for the use
	UseForm     Use = "form"     // the sentence describes how something must look, or what must come of no call
)

// Uses lists the ways in which a use is seen.
func Uses() []string {
	return []string{string(UseAccepted), string(UseRefused), string(UseEither), string(UseSeen), string(UseForm)}
}

// Rule is what requirements on servers and on clients have alike.
type Rule struct {
	ID        string `yaml:"id"`
	Level     Level  `yaml:"level"`
	Area      string `yaml:"area"`
	Section   string `yaml:"section"`
	Statement string `yaml:"statement"`

	// Binding is the kind of binding that the sentence is about: any (also ""), jsonrpc,
	// rest, grpc or another that is registered; http represents those whose calls have a
	// status and a media type of HTTP. If that is not spoken, it does not apply.
	Binding string   `yaml:"binding"`
	Needs   []string `yaml:"needs"` // not available → inconclusive, with the line to add
	After   []string `yaml:"after"` // a prerequisite failed or undecided → inconclusive because of it

	Check   string         `yaml:"check"`
	With    map[string]any `yaml:"with"`
	Mutants []string       `yaml:"mutants"`

	Unobservable string `yaml:"unobservable"` // why no black-box client can judge it
	Differs      string `yaml:"differs"`      // why level, area or section depart from the baseline
	// Readings are the ways in which the sources can be read, if they leave the
	// sentence open. What is judged is the weaker one.
	Readings []string `yaml:"readings"`
	// Applied are the letters of the readings by which it is judged: one, by which alone a
	// failure is decided; or several, if what follows any of them passes.
	Applied []string `yaml:"applied"`
}

// ClientTest is how a requirement on clients is tested. Those on servers have none.
type ClientTest struct {
	Observe  Observation `yaml:"observe"`  // how a fault shows
	Scenario []string    `yaml:"scenario"` // the scenarios that give occasion for it
	Look     string      `yaml:"look"`     // how it is tested, in a sentence
	Fair     string      `yaml:"fair"`     // what a right client may do as well, and what cannot be known
	Mutant   string      `yaml:"mutant"`   // how a broken client shows it
	// Follows names mutants of the bundled client that are made for other requirements, and that break this
	// one as well, and states why.
	Follows map[string]string `yaml:"follows"`
	// Obliged states that the text obliges clients to have the command that it needs, so that a program that has
	// nothing for it breaks the requirement.
	Obliged bool `yaml:"obliged"`
	// Unproven is why no mutant of the bundled client breaks it.
	Unproven string `yaml:"unproven"`
}

// Requirement is one observable sentence of a protocol. Its own members are those of
// requirements on servers.
type Requirement struct {
	Rule       `yaml:",inline"`
	ClientTest `yaml:"-"`

	About    string   `yaml:"about"`    // server: a sentence about a server as a whole, whichever of its agents are judged; interfaces: one about several interfaces of an agent
	Claims   []string `yaml:"claims"`   // not claimed by the card → not-applicable
	Operator []string `yaml:"operator"` // the operator's words, or "no-" and a word; otherwise → not-applicable
	Every    string   `yaml:"every"`    // a sentence about every X; no X seen → not-applicable, vacuous
	Risk     Risk     `yaml:"risk"`     // not allowed → inconclusive, with the flag

	Finding []string `yaml:"finding"` // mutants under which it passes, with a finding that describes what was tolerated

	Used []string `yaml:"used"` // of a MAY that no variant of the bundled server makes use of: defects and habits of it that do

	// Across describes how the sentence is judged besides if an agent has interfaces in
	// several bindings, which is otherwise than for several of one binding.
	Across *Crossing `yaml:"across"`

	// Root marks the sentence that others fail for the sake of: a failure that has a
	// cause in common with it follows from it.
	Root bool `yaml:"root"`
	// Departs names healthy variants of the bundled server that make use of a freedom which
	// the requirement advises against, or has a finding for, and describes which.
	Departs map[string]string `yaml:"departs"`
	// Apart names mutants under which a failure of it is a cause in addition to others, and
	// explains why.
	Apart map[string]string `yaml:"apart"`

	Blunt       string `yaml:"blunt"`       // why no mutant of it is sharp
	Permission  bool   `yaml:"permission"`  // a MAY that no server can break
	FindingOnly string `yaml:"findingOnly"` // why what breaks it is a finding, and no failure
	Use         Use    `yaml:"use"`         // of a MAY: how it is seen that a server makes use of it

	File string `yaml:"-"` // its place: file and line
}

// Tolerant reports whether no server fails the requirement: what breaks it is a finding.
func (r *Requirement) Tolerant() bool { return r.Permission || r.FindingOnly != "" }

// ownMark is in the ids of requirements that are in no text of a protocol.
const ownMark = "-OWN-"

// OwnNote is what reports, lists and explanations add to such a requirement.
const OwnNote = "not in the protocol's text: added by this suite"

// IsOwn reports whether the requirement of an id is one that this suite added to the
// protocol.
func IsOwn(id string) bool { return strings.Contains(id, ownMark) }

// Crossing is how a sentence about several interfaces is judged across bindings.
type Crossing struct {
	Claims []string       `yaml:"claims"`
	Needs  []string       `yaml:"needs"`
	After  []string       `yaml:"after"`
	Check  string         `yaml:"check"`
	With   map[string]any `yaml:"with"`
}

// Crossed returns the requirement as it is judged across bindings, if that is otherwise; nil
// if it is not.
func (r *Requirement) Crossed() *Requirement {
	if r.Across == nil {
		return nil
	}
	out := *r
	x := r.Across
	out.Across, out.Claims, out.Needs, out.After, out.Check, out.With = nil, x.Claims, x.Needs, x.After, x.Check, x.With
	return &out
}

// AnyBinding marks sentences that hold however operations travel.
const AnyBinding = "any"

// OverHTTP marks sentences about statuses, fields and media types of HTTP, of which all
// bindings make use but gRPC.
const OverHTTP = "http"

// AboutServer marks sentences that are not about single agents.
const AboutServer = "server"

// AboutInterfaces marks sentences about what the interfaces of one agent have in common.
const AboutInterfaces = "interfaces"

// For reports whether a requirement is about a kind of binding, among others.
func (r *Requirement) For(kind string) bool {
	return r.Binding == "" || r.Binding == AnyBinding || r.Binding == kind || r.Binding == OverHTTP && kind != KindGRPC
}

// Requirement returns the requirement of that id, or nil.
func (d *Dialect) Requirement(id string) *Requirement { return d.byID[id] }

// Find returns the requirement of that id among the dialects that ship with the program, and
// the one that has it; nil if there is none. Only a dialect whose ids are formed so is read. The
// dialect has the Role that the requirement is about.
func Find(id string) (*Dialect, *Requirement, error) {
	for _, name := range Names() {
		d, err := Outline(name)
		if err == nil && d.Owns(id) {
			role := ""
			if IsClient(id) {
				role = ClientRole
			}
			d, err = load(name, role)
		}
		if err != nil {
			return nil, nil, err
		}
		if r := d.Requirement(id); r != nil {
			return d, r, nil
		}
	}
	return nil, nil, nil
}

// Owns reports whether an id is formed as those of the dialect's requirements.
func (d *Dialect) Owns(id string) bool { return strings.HasPrefix(id, d.Prefix+"-") }

// Areas lists the areas of the catalogue in its order.
func (d *Dialect) Areas() []string {
	var out []string
	for _, r := range d.Requirements {
		if !slices.Contains(out, r.Area) {
			out = append(out, r.Area)
		}
	}
	return out
}

// Cite returns how a failure text names a requirement's place in the source. What this suite
// added is not stated to be there.
func (d *Dialect) Cite(r *Requirement) string {
	place := strings.TrimSpace(d.Title + " " + Sections(r.Section))
	if IsOwn(r.ID) {
		return "this suite, after " + place + ","
	}
	return place
}

// Sections writes the places of a requirement for a reader: numbers as those of
// sections, and everything else, such as the path of a guide, as the name of a
// document.
func Sections(places string) string {
	var out []string
	for place := range strings.SplitSeq(places, "; ") {
		switch {
		case place == "":
		case place[0] >= '0' && place[0] <= '9':
			out = append(out, "§"+place)
		default:
			out = append(out, "“"+place+"”")
		}
	}
	return strings.Join(out, ", ")
}

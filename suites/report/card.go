package report

import "github.com/a2a-conform/a2a-conform/schema"

// CardReport is what judging agent cards alone came to, without a call to their agents.
type CardReport struct {
	SchemaVersion string       `json:"schemaVersion"`
	Tool          Tool         `json:"tool"`
	Cards         []JudgedCard `json:"cards"`
}

// JudgedCard is what came of one card.
type JudgedCard struct {
	Source  string  `json:"source"` // the file or URL, as it was given
	Digest  string  `json:"digest"` // of its bytes
	Agent   string  `json:"agent,omitempty"`
	Dialect string  `json:"dialect"` // "" if it is no JSON object
	Title   string  `json:"title,omitempty"`
	Offers  []Offer `json:"offers,omitempty"` // the other dialects that it declares
	// Verdict is nonconformant if the card breaks a MUST, and else conformant.
	Verdict RunVerdict       `json:"verdict"`
	Summary map[string]Count `json:"summary"` // by level, of what the card alone decides
	// Undecided are the requirements about the card alone that rest on broken ones.
	Undecided []string      `json:"undecided,omitempty"`
	Problems  []CardProblem `json:"problems"`
	More      int           `json:"more,omitempty"` // problems beyond the ones listed
	Notices   []string      `json:"notices,omitempty"`
}

// Kinds of a CardProblem.
const (
	CardFailure = "fail"    // the card breaks a MUST
	CardWarning = "warning" // it breaks a SHOULD
	CardNote    = "note"    // it uses a MAY wrongly
	CardFinding = "finding" // no requirement forbids it
)

// CardProblem is something wrong with a card, or worth knowing, and where.
type CardProblem struct {
	Rule      string       `json:"rule"` // the id of a requirement, or the name of a finding
	Kind      string       `json:"kind"`
	Level     schema.Level `json:"level,omitempty"` // of a requirement
	Section   string       `json:"section,omitempty"`
	Statement string       `json:"statement,omitempty"` // of the requirement, or what the rule is about
	Pointer   string       `json:"pointer"`             // RFC 6901
	Line      int          `json:"line"`                // from 1, of the member, or of what should hold it
	Column    int          `json:"column"`              // from 1, in characters
	Got       string       `json:"got"`
	Want      string       `json:"want,omitempty"`
	Fix       string       `json:"fix,omitempty"`
	Because   string       `json:"because,omitempty"` // the requirement that it follows from
}

// ExitCode returns the process exit code for cards: 1 if one of them breaks a MUST.
func (r *CardReport) ExitCode() int {
	for i := range r.Cards {
		if r.Cards[i].Verdict != Conformant {
			return 1
		}
	}
	return 0
}

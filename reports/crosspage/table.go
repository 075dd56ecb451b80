// Package crosspage is the table of clients and servers: what it contains, as data, and the page, the Markdown and the
// JSON that show it.
package crosspage

import (
	"cmp"
	_ "embed"
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Schema is the JSON Schema of cross.json.
//
//go:embed cross.schema.json
var Schema []byte

// The files of a table.
const (
	PageFile     = "cross.html"
	MarkdownFile = "cross.md"
	JSONFile     = "cross.json"
)

// Table is what came of all pairs of a client and a server.
type Table struct {
	SchemaVersion string   `json:"schemaVersion"`
	Tool          Tool     `json:"tool"`
	Text          string   `json:"text"`             // that each client was to send
	Second        string   `json:"second,omitempty"` // and the one after it
	Clients       []Client `json:"clients"`
	Servers       []Server `json:"servers"`
	Cells         []Cell   `json:"cells"` // the pairs that are finished
	Missing       int      `json:"missing,omitempty"`
}

// Tool names the program and the catalogue that judged.
type Tool struct {
	Name             string `json:"name"`
	Version          string `json:"version"`
	CatalogueVersion string `json:"catalogueVersion"`
}

// Client is a row.
type Client struct {
	Name     string   `json:"name"`
	Command  []string `json:"command"`
	Dialects []string `json:"dialects"`
	SDK      string   `json:"sdk,omitempty"`
	Alone    *Alone   `json:"alone,omitempty"`
	// Shows is what the scripted servers showed of how it can be seen that a call succeeded.
	Shows []Shows `json:"shows,omitempty"`
}

// Shows is how a client shows in one protocol that a call succeeded.
type Shows struct {
	Dialect string `json:"dialect"`
	Works   bool   `json:"works"`  // it managed the plain scenario
	Exits   bool   `json:"exits"`  // its exit code distinguishes a success from a failure
	Prints  bool   `json:"prints"` // it prints the texts that it is sent
}

// Server is a column.
type Server struct {
	Name     string   `json:"name"`
	URL      string   `json:"url,omitempty"`
	Command  []string `json:"command,omitempty"`
	Dialects []string `json:"dialects,omitempty"` // of its card
	SDK      string   `json:"sdk,omitempty"`
	Alone    *Alone   `json:"alone,omitempty"`
	Notes    []string `json:"notes,omitempty"`   // what of it does not pass through the relay
	Trouble  string   `json:"trouble,omitempty"` // why it was not called
}

// Alone is what the report of one side alone states.
type Alone struct {
	Report  string `json:"report"` // its file
	Verdict string `json:"verdict"`
	Passes  bool   `json:"passes"`         // no MUST is broken
	Page    string `json:"page,omitempty"` // a link to its page
}

// Outcome is what came of a pair.
type Outcome string

// The outcomes of a pair.
const (
	Works   Outcome = "works"   // the client succeeded
	Fails   Outcome = "fails"   // it did not
	Unclear Outcome = "unclear" // the client does not show whether it succeeded
	Apart   Outcome = "apart"   // they have no protocol in common, and nothing was started
	Refused Outcome = "refused" // the server asks for credentials, and the client sent none
	Void    Outcome = "void"    // the server or the client could not be started
)

// outcomes are all of them, in the order in which they are counted.
var outcomes = []Outcome{Works, Fails, Unclear, Refused, Apart, Void}

// Side is the side that has a fault.
type Side string

// The sides.
const (
	ClientSide Side = "client"
	ServerSide Side = "server"
	BothSides  Side = "both"
	NoSide     Side = "neither" // the texts are silent
)

// Cell is one pair.
type Cell struct {
	Client  string  `json:"client"`
	Server  string  `json:"server"`
	Dialect string  `json:"dialect,omitempty"` // in which the client was judged
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why"` // in words that follow "the client", or why nothing was started
	Side    Side    `json:"side,omitempty"`
	// Faults are the requirements that were broken, those of the gravest level first, and within it in the order in which
	// they came.
	Faults []Fault `json:"faults"`
	// More counts the faults beyond those that are listed.
	More int `json:"more,omitempty"`
	// Readings are how each side understood what the texts leave open, if no fault is found.
	Readings []Reading `json:"readings,omitempty"`
	// Hole is set if the pair fails although both sides pass alone: the catalogue or the protocol has a hole.
	Hole bool `json:"hole,omitempty"`
	// SameSDK is set if both sides are built on one SDK: that they work together is no evidence of interoperability.
	SameSDK bool     `json:"sameSDK,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Calls   int      `json:"calls"`           // that passed between them
	Tries   int      `json:"tries,omitempty"` // how often the client was started
	// ClientRecord and ServerRecord are the files of the two records, for replay.
	ClientRecord string `json:"clientRecord,omitempty"`
	ServerRecord string `json:"serverRecord,omitempty"`
	// Key is the digest of what the pair was run with.
	Key string `json:"key,omitempty"`
}

// Fault is a requirement that one side broke.
type Fault struct {
	Side      Side         `json:"side"`
	ID        string       `json:"id"`
	Level     schema.Level `json:"level"`
	Section   string       `json:"section"`
	Statement string       `json:"statement"`
	Reason    string       `json:"reason"`
	Step      string       `json:"step,omitempty"`
	Exchange  int          `json:"exchange,omitempty"` // in the record of that side
	Known     string       `json:"known,omitempty"`    // the known fault of the server's SDK
}

// Reading is how one side understood what the texts leave open.
type Reading struct {
	Side Side   `json:"side"`
	Text string `json:"text"`
	ID   string `json:"id,omitempty"` // of the requirement whose sources can be read so
}

// pair is a client and a server by their names.
type pair struct{ client, server string }

// indexCells returns the finished pairs by their names.
func (t *Table) indexCells() map[pair]*Cell {
	out := map[pair]*Cell{}
	for i := range t.Cells {
		out[pair{t.Cells[i].Client, t.Cells[i].Server}] = &t.Cells[i]
	}
	return out
}

// Count returns how many pairs have an outcome.
func (t *Table) Count(o Outcome) (n int) {
	for i := range t.Cells {
		if t.Cells[i].Outcome == o {
			n++
		}
	}
	return n
}

// Holes counts the pairs that fail although both sides pass alone.
func (t *Table) Holes() (n int) {
	for i := range t.Cells {
		if t.Cells[i].Hole {
			n++
		}
	}
	return n
}

// ListByGravity returns the cells in the order in which they are read: what fails although both sides pass alone, then
// whatever else fails, what is unclear, what could not be run, what works, and what has nothing in common.
func (t *Table) ListByGravity() []*Cell {
	out := make([]*Cell, len(t.Cells))
	for i := range t.Cells {
		out[i] = &t.Cells[i]
	}
	rank := func(c *Cell) int {
		if c.Hole {
			return -1
		}
		return slices.Index([]Outcome{Fails, Unclear, Refused, Void, Works, Apart}, c.Outcome)
	}
	slices.SortStableFunc(out, func(a, b *Cell) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// IsValid reports whether a cell that was read has an outcome and a side that there are.
func (c *Cell) IsValid() bool {
	return slices.Contains(outcomes, c.Outcome) && slices.Contains([]Side{"", ClientSide, ServerSide, BothSides, NoSide}, c.Side)
}

// First returns the first fault of a side; nil if it has none.
func (c *Cell) First(side Side) *Fault {
	i := slices.IndexFunc(c.Faults, func(f Fault) bool { return f.Side == side })
	if i < 0 {
		return nil
	}
	return &c.Faults[i]
}

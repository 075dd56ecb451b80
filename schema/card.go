package schema

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// Card describes the paths of the agent card and the places of its values.
type Card struct {
	Paths    []string          `yaml:"paths"`
	Endpoint string            `yaml:"endpoint"` // pointer to the RPC URL
	Claims   map[string]string `yaml:"claims"`   // word → pointer to a boolean
	Name     string            `yaml:"name"`
	Skills   string            `yaml:"skills"`
	Modes    string            `yaml:"modes"`   // pointer to the input modes
	Outputs  string            `yaml:"outputs"` // pointer to the output modes
	Schemes  string            `yaml:"schemes"` // pointer to the authentication schemes
	// SchemeNames is the pointer, in an entry of Schemes, to the object whose members are named
	// after the schemes; "" if that is the entry. OldSchemes is the pointer to the schemes of
	// older cards, in the form of OpenAPI.
	SchemeNames string `yaml:"schemeNames"`
	OldSchemes  string `yaml:"oldSchemes"`
	// Definitions is the pointer to what the names among the schemes stand for,
	// if they are not the schemes' own. Kinds are the members, one of which holds
	// what is defined there, and the word for each such kind of scheme; none if a
	// member type reports the kind.
	Definitions string            `yaml:"definitions"`
	Kinds       map[string]string `yaml:"kinds"`
	// KeyHeader is the usual header of an API key whose scheme has a name alone.
	KeyHeader string `yaml:"keyHeader"`
	// Extensions is the pointer to the extensions of the protocol that the agent
	// uses, and ExtensionHeader names the header by which a call asks for some.
	Extensions      string `yaml:"extensions"`
	ExtensionHeader string `yaml:"extensionHeader"`
	// Payment is a word in the URI of those extensions by which an agent demands
	// to be paid.
	Payment    string     `yaml:"payment"`
	Interfaces Interfaces `yaml:"interfaces"`
	// Required is the pointer to a boolean that reports whether credentials are
	// demanded. If a protocol has none, a scheme on the card demands them.
	Required string     `yaml:"required"`
	Rate     RatePlaces `yaml:"rate"`
	Signed   Signed     `yaml:"signed"`
}

// Signed locates the signatures of a card, and what of it is signed. The places
// are patterns, in which * represents any index, and for any name in one of Maps.
type Signed struct {
	At       string   `yaml:"at"`       // pointer to the list of signatures; "" if cards are not signed
	Required []string `yaml:"required"` // members that are signed even if they hold their default
	Explicit []string `yaml:"explicit"` // members that are signed with any value they were given
	Maps     []string `yaml:"maps"`     // objects whose members have names of the author's choice
	Free     []string `yaml:"free"`     // values without a type, which are signed as they stand
}

// RatePlaces are the pointers to the rate limit on a card: so many requests in
// so many seconds, and a burst beyond them.
type RatePlaces struct {
	Requests string `yaml:"requests"`
	Seconds  string `yaml:"seconds"`
	Burst    string `yaml:"burst"`
}

// Interfaces describes how a card lists the endpoints of an agent that may have
// several.
type Interfaces struct {
	At        string `yaml:"at"`        // pointer to the list
	URL       string `yaml:"url"`       // in an entry
	Transport string `yaml:"transport"` // in an entry
	Preferred string `yaml:"preferred"` // pointer to the transport of the card's endpoint
	Version   string `yaml:"version"`   // in an entry: the version that is spoken there, one of detect.is for this dialect; "" if entries have none
	Tenant    string `yaml:"tenant"`    // in an entry: what calls have to name there
	Speaks    string `yaml:"speaks"`    // the transport that this dialect is about, and the preferred one if none is named
	REST      string `yaml:"rest"`      // the transport of REST
	Below     string `yaml:"below"`     // the path at which REST begins below an endpoint; "" if it begins there

	// Older are the versions, as an entry names them, of which the dialect's writer knows
	// how calls are made: an agent may serve them too.
	Older []string `yaml:"older"`
}

// CardHas reports whether every card has a member at a place.
func (d *Dialect) CardHas(pointer string) bool {
	return slices.ContainsFunc(d.Shapes().Rules(), func(r shape.Rule) bool {
		return r.Definition == d.Types.Card && r.At == pointer && r.Keyword == "required"
	})
}

// Package cardtext finds on an agent card what no requirement forbids and its owner should know:
// addresses that clients cannot call, credentials, invisible characters, and texts that give
// orders to the model that reads them. It looks at the text of the card alone.
package cardtext

import (
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Finding is something worth knowing about a value of a card.
type Finding struct {
	Rule    string // such as address-loopback
	Pointer string // RFC 6901
	Got     string // what is there, as the card has it; without the secret, if it is about one
	Want    string
	Fix     string
	Secret  string // what must not be printed, if it is about a credential
}

// The rules, with what each is about. Docs and lists of rules are made of it.
var rules = map[string]string{
	"address-credentials":   "an address holds a user name with a password, or a key",
	"address-internal":      "a client is sent to a host that only some networks know by its name",
	"address-loopback":      "a client is sent to its own machine",
	"address-no-scheme":     "an address has no scheme, such as https",
	"address-placeholder":   "a client is sent to a host in the place of one to be filled in",
	"address-private":       "a client is sent to an address that only one network can reach",
	"address-unspecified":   "a client is sent to an address on which a server listens, and which no client can call",
	"bidirectional-text":    "a text holds characters that change the order in which it is shown",
	"credential":            "a text looks like a secret: a token, a key, a password",
	"credential-key":        "a private or symmetric key is on the card",
	"hidden-text":           "a text holds invisible characters, which programs read",
	"instruction-to-models": "a text gives orders to the model that reads the card",
}

// Describe returns what a rule is about; "" if there is no such rule.
func Describe(rule string) string { return rules[rule] }

// mostOfRule bounds the findings of one rule on one card.
const mostOfRule = 20

// Find returns what is worth knowing about a card, in the order of its text. from is the host that handed
// it out; "" if that is not known, as of a file.
func Find(d *schema.Dialect, root *record.Node, from string) []Finding {
	f := &finder{counts: map[string]int{}}
	f.noteEndpointPointers(d, root, from)
	f.checkValue("", "", root)
	return f.found
}

// finder collects findings.
type finder struct {
	found     []Finding
	counts    map[string]int
	endpoints map[string]bool // the pointers of addresses at which the agent is called
	grpc      map[string]bool // those of them that need no scheme
	from      string
}

func (f *finder) addFindingWithinRuleLimit(n Finding) {
	if f.counts[n.Rule]++; f.counts[n.Rule] <= mostOfRule {
		f.found = append(f.found, n)
	}
}

// checkValue looks at each value and each name of a member.
func (f *finder) checkValue(at, name string, n *record.Node) {
	if n == nil {
		return
	}
	switch n.Kind {
	case record.String:
		f.checkAddress(at, name, n.String)
		f.checkText(at, name, n.String)
	case record.Array:
		for i, e := range n.Elems {
			f.checkValue(at+"/"+strconv.Itoa(i), name, e)
		}
	case record.Object:
		f.checkKey(at, n)
		for _, m := range n.Members {
			below := at + record.Pointer(m.Name)
			f.checkHidden(below, m.Name)
			f.checkValue(below, m.Name, m.Value)
		}
	}
}

// checkText looks for what any text may hide.
func (f *finder) checkText(at, name, text string) {
	f.checkCredential(at, name, text)
	f.checkHidden(at, text)
	f.checkInstruction(at, text)
}

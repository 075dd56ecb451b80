package serve

import (
	"fmt"
	"slices"
	"strings"
)

// Extra is what an operator grants a client beyond its command. Scenarios that need it are played only then.
type Extra struct {
	Name string
	Help string // what it grants, in a sentence
}

// The names of extras.
const (
	WithCredentials = "credentials"
	WithTLS         = "tls"
	WithKeys        = "keys"
	WithWebhook     = "webhook"
	WithExtension   = "extension"
)

// extras are all that there are.
var extras = []Extra{
	{WithCredentials, "the client takes credentials: each start gets some that were made up for it"},
	{WithTLS, "the client trusts the certificate authority of the run, whose file it is given"},
	{WithKeys, "the client trusts the public keys of the run, with which cards are signed"},
	{WithWebhook, "the client registers a webhook of its own, which this program may call"},
	{WithExtension, "the client implements the extensions whose URIs it is given"},
}

// Extras returns what an operator can grant a client beyond its command.
func Extras() []Extra { return slices.Clone(extras) }

// ExplainExtras returns all extras in one text, each with its sentence.
func ExplainExtras() string {
	var all []string
	for _, e := range extras {
		all = append(all, e.Name+" ("+e.Help+")")
	}
	return strings.Join(all, ", ")
}

// ValidateExtras returns an error if a name is that of no extra.
func ValidateExtras(names []string) error {
	var known []string
	for _, e := range extras {
		known = append(known, e.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%q is nothing that --with grants; it grants %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// ListMissing returns the extras that a scenario needs beyond those that are granted.
func (s *Script) ListMissing(granted []string) (names []string) {
	for _, name := range s.Needs {
		if !slices.Contains(granted, name) {
			names = append(names, name)
		}
	}
	return names
}

// keepGranted returns the scenarios for which the operator granted all that they need.
func keepGranted(scripts []Script, granted []string) []Script {
	return slices.DeleteFunc(scripts, func(s Script) bool { return len(s.ListMissing(granted)) > 0 })
}

// FindMissingExtras returns the extras without which no scenario of a name is played; none if one is.
func FindMissingExtras(dialect, name string, granted []string) (missing []string) {
	for _, s := range Scripts(dialect) {
		if !s.IsNamedBy(dialect, name) {
			continue
		}
		lacks := s.ListMissing(granted)
		if len(lacks) == 0 {
			return nil
		}
		if missing == nil {
			missing = lacks
		}
	}
	return missing
}

package schema

import (
	"path"
	"slices"
)

// Detect describes how a card of this dialect is reported from others.
type Detect struct {
	// Version is the pointer to the protocol version in the card, and Is the
	// values this dialect has there, "*" standing for anything; "absent" is
	// for a card without it.
	Version string   `yaml:"version"`
	Is      []string `yaml:"is"`
	// Without lists members that such a card never has.
	Without []string `yaml:"without"`
	// Narrow has the dialect tried before those that recognise its cards too.
	Narrow bool `yaml:"narrow"`
	// Supersedes names older versions of the same protocol: if a server offers one of
	// them and this dialect, this one is taken.
	Supersedes []string `yaml:"supersedes"`
	// Never keeps the dialect from being chosen by itself.
	Never bool `yaml:"never"`
}

// Fits reports whether a version is one of the dialect's.
func (d *Detect) Fits(version string) bool {
	return slices.ContainsFunc(d.Is, func(is string) bool {
		ok, err := path.Match(is, version)
		return ok && err == nil
	})
}

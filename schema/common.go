package schema

import (
	"io/fs"
	"sync"
)

// commonFolder holds what every dialect shares.
const commonFolder = "common"

// Common is a requirement that every dialect shares. It counts in no dialect: a report contains
// it only if it has something to say. One without a check is judged before a dialect is known.
type Common struct {
	Requirement `yaml:",inline"`
	// When states when reports contain it, for whoever looks it up.
	When string `yaml:"when"`
}

var commons = sync.OnceValue(func() []Common {
	const file = commonFolder + "/requirements.yaml"
	text, err := fs.ReadFile(files, file)
	if err != nil {
		panic(err) // it is embedded
	}
	var doc struct {
		Requirements []Common `yaml:"requirements"`
	}
	if err := Strict("schema/"+file, text, &doc); err != nil {
		panic(err) // a test reads it
	}
	return doc.Requirements
})

// Commons lists the requirements that every dialect shares.
func Commons() []Common { return commons() }

// CommonRequirement returns the one of an id; nil if no such requirement is shared.
func CommonRequirement(id string) *Common {
	for i := range commons() {
		if c := &commons()[i]; c.ID == id {
			return c
		}
	}
	return nil
}

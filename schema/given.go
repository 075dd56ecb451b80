package schema

import (
	"fmt"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// GivenCheck is the name of the check that judges a definition of a schema the
// operator gives.
const GivenCheck = "schema/definition"

// shapeChecks judge by the dialect's own schema, and give way to a given one.
var shapeChecks = []string{"shape", "shape/unclaimed"}

// Given returns a copy of the dialect that is judged by a JSON Schema of the
// operator's: the requirements about shape give way to one for each definition
// of it, SCHEMA-<Definition>. The file is draft-07 or 2020-12.
func (d *Dialect) Given(file string, document []byte) (*Dialect, error) {
	shapes, err := shape.Compile(file, document)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(d.messageDefinitions(), shapes.Has) {
		return nil, fmt.Errorf("%s: it defines none of the types of %s, such as %s and %s; it defines %v",
			file, d.Title, d.Types.Card, d.Operations["get"].Result, shapes.Definitions())
	}
	c := *d
	c.shapes, c.made = func() *shape.Shapes { return shapes }, &sync.Map{}
	c.Requirements = nil
	for _, r := range d.Requirements {
		if slices.Contains(shapeChecks, r.Check) {
			continue
		}
		r.After = slices.DeleteFunc(slices.Clone(r.After), func(id string) bool {
			return slices.Contains(shapeChecks, d.Requirement(id).Check)
		})
		c.Requirements = append(c.Requirements, r)
	}
	for _, name := range shapes.Definitions() {
		c.Requirements = append(c.Requirements, Requirement{
			Rule: Rule{
				ID: "SCHEMA-" + name, Level: Must, Area: "schema", Section: "given schema",
				Statement: fmt.Sprintf("Each `%s` that the server sends must match its definition in the `--schema` file.", name),
				Check:     GivenCheck, With: map[string]any{"definition": name},
			},
			Every: name, Risk: Harmless, File: file,
		})
	}
	c.byID = map[string]*Requirement{}
	for i := range c.Requirements {
		c.byID[c.Requirements[i].ID] = &c.Requirements[i]
	}
	return &c, nil
}

// messageDefinitions lists those that messages are judged by.
func (d *Dialect) messageDefinitions() []string {
	n := d.Types
	out := []string{n.Card, n.Envelope, n.Error, n.Event, n.Frame}
	for _, o := range d.Operations {
		out = append(out, o.Result)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

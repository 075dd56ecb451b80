package schema

import (
	"maps"
	"slices"
	"strings"
)

// Form is another way to write what the definitions of a dialect describe: by definition,
// in what it differs. A definition that is not there is written as it is in the text.
type Form map[string]FormType

// AsText is the form in which nothing differs: the JSON that JSON-RPC carries. A dialect
// that has more to say of it gives a form of that name.
const AsText = "text"

// FormType is how a value of one definition is written in a form.
type FormType struct {
	Sets     map[string]string   `yaml:"sets"`     // members that the form leaves out, with what they hold
	Tells    map[string]string   `yaml:"tells"`    // the member kind is left out, since one of these members is there: what it holds, by member
	Names    map[string][]string `yaml:"names"`    // members that are called otherwise: first as ours are written, then as others may be
	Holds    map[string]string   `yaml:"holds"`    // the definition of what a member holds, or of each element of its list
	Each     string              `yaml:"each"`     // the definition of what any member holds
	Values   map[string]string   `yaml:"values"`   // of an enumeration, by how the text has them
	One      map[string]string   `yaml:"one"`      // the value is in one of these members: its definition, by member
	Inside   string              `yaml:"inside"`   // the value is in this member
	List     string              `yaml:"list"`     // the value is the list that this member holds; none is an empty one
	Under    string              `yaml:"under"`    // all that is in no path is in this member
	Of       string              `yaml:"of"`       // the definition of what is inside, under a member, or in the list
	Paths    map[string]string   `yaml:"paths"`    // members that are made of others, such as tasks/{id}; with a ? at the end, if those are there
	Defaults map[string]any      `yaml:"defaults"` // members that are left out if they hold this
}

// KindMember is the member by which FormType.Tells reports.
const KindMember = "kind"

// Form returns the form of that name; one without differences if the dialect gives none.
func (d *Dialect) Form(name string) Form { return d.Forms[name] }

// Written returns the definition by which the parameters of an operation are written.
func (b Binding) Written(op, params string) string {
	if as := b.Writes[op]; as != "" {
		return as
	}
	return params
}

// forms finds the mistakes in the forms of a dialect and in what its bindings say of them.
func (s *catalogueCheck) forms(file string) {
	for _, form := range slices.Sorted(maps.Keys(s.Forms)) {
		known := s.Forms[form]
		for _, name := range slices.Sorted(maps.Keys(known)) {
			t := known[name]
			for _, of := range slices.Concat(slices.Sorted(maps.Values(t.Holds)), slices.Sorted(maps.Values(t.One)), []string{t.Of, t.Each}) {
				_, ofForm := known[of]
				if _, has := s.defined[of]; of != "" && !ofForm && !has {
					s.addError(file, name, of, "forms.%s.%s: %s", form, name, Unknown("definition", of, slices.Sorted(maps.Keys(known))))
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Bindings)) {
		b := s.Bindings[name]
		for _, form := range b.Forms {
			if _, has := s.Forms[form]; !has && form != AsText {
				s.addError(file, "forms", form, "bindings.%s: %s", name, Unknown("form", form, append(slices.Sorted(maps.Keys(s.Forms)), AsText)))
			}
		}
		for _, op := range slices.Sorted(maps.Keys(b.Writes)) {
			s.requireOperationOfDialect(file, "writes", name, op)
		}
		for _, at := range b.ErrorsAt {
			if at != "" && !strings.HasPrefix(at, "/") {
				s.addError(file, "errorsAt", at, "bindings.%s: errorsAt: %q is no JSON pointer", name, at)
			}
		}
	}
}

package schema

import (
	"regexp"
	"testing"
)

// What every dialect shares is complete, and no dialect has a requirement of the same id.
func TestCommons(t *testing.T) {
	if len(Commons()) == 0 {
		t.Fatal("nothing is shared")
	}
	form := regexp.MustCompile(`^A2A-[A-Z]{4}-000$`)
	for _, c := range Commons() {
		if !form.MatchString(c.ID) || c.Statement == "" || c.When == "" || c.Check == "" && c.Area != "discovery" || c.Section == "" || c.Level != Must && c.Level != May {
			t.Errorf("%+v is not complete", c)
		}
		if CommonRequirement(c.ID).Statement != c.Statement {
			t.Errorf("%s is twice", c.ID)
		}
		if d, r, _ := Find(c.ID); r != nil {
			t.Errorf("%s is in %s as well", c.ID, d.Name)
		}
	}
	for _, name := range Names() {
		if name == commonFolder {
			t.Error("what is shared is taken for a dialect")
		}
	}
}

package suites

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
)

func TestIsWithin(t *testing.T) {
	for _, c := range []struct {
		place, section string
		want           bool
	}{
		{"8.1", "8.1", true}, {"8.1.2", "8.1", true}, {"8.1", "§8.1", true}, {"8.1", "8", true},
		{"8.12", "8.1", false}, {"8.1", "8.1.2", false}, {"18.1", "8.1", false}, {"8.1", "", false},
		{"3.1.4 proto", "3.1.4", true}, {"3.2 (JSON-RPC 2.0 section 6)", "3.2", true}, {"A.2.1", "A.2", true},
		{"topics/extensions", "topics", true}, {"topics/extensions", "topics/ext", false},
		{"Transport > HTTP", "transport", true}, {"Transport > HTTP", "HTTP", false},
		{"Message Format (JSON-RPC 2.0 section 4)", "Message Format", true},
		{"Task Response", "Task", false}, {"a2a.proto", "a2a", false},
	} {
		if isSectionOrBelow(c.place, c.section) != c.want {
			t.Errorf("%q is within %q: %v", c.place, c.section, !c.want)
		}
	}
}

// What a section selects is what names it, in every one of the catalogues.
func TestSelectBySection(t *testing.T) {
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range Sections(d) {
			ids, err := Select(d, operator.Selection{Sections: []string{place}})
			if err != nil {
				t.Errorf("%s, %s: %v", name, place, err)
			}
			for _, r := range d.Requirements {
				if names := slices.Contains(strings.Split(r.Section, "; "), place); names && !slices.Contains(ids, r.ID) {
					t.Errorf("%s, %s: %s is left out", name, place, r.ID)
				}
			}
		}
	}
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	for section, near := range map[string]string{"8.9": "8.6", "88": "14.3", "topics/extension": "topics/extensions", "life-of": "topics/life-of-a-task", "zzzzzzzzz": "explain ID"} {
		if _, err := Select(d, operator.Selection{Sections: []string{section}}); err == nil || !strings.Contains(err.Error(), near) {
			t.Errorf("section %s: %v, want %s named", section, err, near)
		}
	}
	if s := (operator.Selection{Sections: []string{"8.1", "9"}}).String(); s != "--section 8.1 --section 9" {
		t.Errorf("the report says %q", s)
	}
}

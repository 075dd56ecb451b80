package client

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// formParams describe the forms that a body may have, by their names.
type formParams struct {
	Ops   []string              `json:"ops"`
	Forms map[string][]formSign `json:"forms"`
}

// A formSign shows that a body is in a form: there is a member, and its text is as an expression describes.
type formSign struct {
	At      string `json:"at"` // its pointer, with * for each element of a list
	Matches string `json:"matches"`
}

// checkOneForm judges whether each body is in one form.
func checkOneForm(t *judge.T, p formParams) {
	type signed struct {
		judge.Request
		signs map[string]judge.Value // by the name of the form
	}
	var all []signed
	for _, r := range t.Calls(p.Ops...) {
		one := signed{r, map[string]judge.Value{}}
		for name, signs := range p.Forms {
			for _, sign := range signs {
				if v, is := sign.find(r.Body); is {
					one.signs[name] = v
					break
				}
			}
		}
		if len(one.signs) > 0 {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		t.StopVacuous("no body of the client shows its form")
	}
	judge.Each(t, all, func(r signed) {
		names := slices.Sorted(maps.Keys(r.signs))
		if len(names) > 1 {
			t.Fail(r.signs[names[0]], "sent a body in the form of "+strings.Join(names, " and of "), "one form", r.signs[names[1]])
		}
		t.OK(r.signs[names[0]])
	})
}

// find returns the first place that shows the form.
func (s formSign) find(body judge.Value) (judge.Value, bool) {
	form := regexp.MustCompile(s.Matches)
	for _, v := range body.Expand(s.At) {
		if s.Matches == "" || v.IsString() && form.MatchString(v.Text()) {
			return v, true
		}
	}
	return judge.Value{}, false
}

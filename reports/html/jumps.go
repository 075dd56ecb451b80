package html

import "github.com/a2a-conform/a2a-conform/reports/safetext"

// jump is a link to a part of the page, with how much is there.
type jump struct{ ID, Name, N string }

// listSectionJumps lists the parts that the page has, in the order of the page.
func (p *page) listSectionJumps() (out []jump) {
	add := func(id, name string, n int) {
		if n > 0 {
			out = append(out, jump{id, name, safetext.Thousands(n)})
		}
	}
	if p.Trend != nil {
		add("trend", "Trend", len(p.Trend.Rows))
	}
	for i, s := range p.Sections {
		if i == placeOfUndecided && len(p.Undecided)+len(p.Advice) > 0 {
			out = append(out, jump{"undecided", "Undecided", safetext.Thousands(p.Open)})
		}
		if s.Total > 0 {
			add(s.ID, s.Title, s.Own)
		}
	}
	add("waivers", "Waivers", len(p.Waivers))
	add("findings", "Findings", len(p.Findings))
	if p.LeftOut == "" {
		add("transcript", "Conversations", len(p.Talks.Plays))
	}
	add("requirements", "All", p.Total)
	return out
}

// placeOfUndecided is the section before which the undecided requirements stand.
const placeOfUndecided = 2

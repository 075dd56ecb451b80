package fleetpage

import (
	"encoding/json"
	"io"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ListFile has what the page shows of each target, for programs.
const ListFile = "agents.json"

// ListVersion is the version of the format of ListFile.
const ListVersion = "1"

// listed is a fleet in ListFile.
type listed struct {
	SchemaVersion string         `json:"schemaVersion"`
	Round         string         `json:"round"` // the newest
	Targets       []listedTarget `json:"targets"`
}

// listedTarget is a target in ListFile. Those without a verdict have neither round nor time.
type listedTarget struct {
	Name    string            `json:"name"`
	URL     string            `json:"url"`
	Agent   string            `json:"agent"`
	Dialect string            `json:"dialect"`
	Verdict report.RunVerdict `json:"verdict"` // "" if it is not judged yet
	Reason  string            `json:"reason"`
	Round   string            `json:"round,omitempty"`
	At      string            `json:"at,omitempty"` // RFC 3339
	Since   string            `json:"since,omitempty"`
	Waiting bool              `json:"waiting,omitempty"`
	Must    *listedCount      `json:"must,omitempty"`
	Was     report.RunVerdict `json:"was,omitempty"` // in the round before, if something changed since
	Change  string            `json:"change,omitempty"`
	Worse   bool              `json:"worse,omitempty"`
	Page    string            `json:"page,omitempty"`
}

// listedCount counts the MUST requirements of a target that apply to it.
type listedCount struct {
	Met       int `json:"met"`
	Broken    int `json:"broken"`
	Undecided int `json:"undecided"`
	Waived    int `json:"waived"`
	Apply     int `json:"apply"`
}

// WriteTargetsJSON writes what the page shows of each target as JSON, in the order of the page: what changed and what is
// worst first. It has all targets, however many the page shows.
func WriteTargetsJSON(w io.Writer, f Fleet) error {
	m := newOverview(f)
	changes := m.changesByTarget()
	out := listed{SchemaVersion: ListVersion, Round: safetext.Line(m.newestRound().ID, safetext.MaxName), Targets: []listedTarget{}}
	for _, a := range m.sortAgents(changes) {
		for _, of := range a.cells {
			for _, t := range of {
				out.Targets = append(out.Targets, t.list(changes))
			}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func (t *Target) list(changes map[*Target]targetChange) listedTarget {
	one := listedTarget{Name: safetext.Line(t.Name, safetext.MaxName), URL: safetext.Line(t.URL, safetext.MaxName), Agent: safetext.Line(t.Agent, safetext.MaxName),
		Dialect: safetext.Line(t.Dialect, safetext.MaxName), Reason: safetext.Line(t.Reason, safetext.MaxReason), Waiting: t.Waiting, Page: t.reportLink()}
	if !t.isJudged() {
		return one
	}
	one.Verdict, one.Round, one.At, one.Since = t.Latest.verdictOrVoid(), safetext.Line(t.Latest.Round, safetext.MaxName), t.Latest.At.UTC().Format(time.RFC3339), t.streakStartDate()
	if c := t.Summary[string(schema.Must)]; one.Verdict.Speaks() && view.MetOfApplying(c) != "" {
		one.Must = &listedCount{Met: c.Pass, Broken: c.Fail, Undecided: c.Inconclusive, Waived: c.Waived, Apply: c.Total() - c.NotApplicable - c.Vacuous}
	}
	if c, changed := changes[t]; changed {
		one.Was, one.Change, one.Worse = c.was, c.summarizeChangesOrReason(), c.severityRank() < 2
	}
	return one
}

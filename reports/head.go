package reports

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// notices are what a reader must know before believing the verdict.
func notices(r *report.Report) (out []string) {
	if r.Target.Kind == bundled {
		out = append(out, "This run judged the server that comes with this program, not yours.")
	}
	if r.Target.Kind == transcript {
		out = append(out, "This is the replay of an unsigned transcript: its verdicts follow from the file, but nothing shows that the conversation took place.")
	}
	if r.Target.Insecure {
		out = append(out, "The server's certificate was not verified: another server may have answered.")
	}
	if r.Run.Selection != fullSelection {
		out = append(out, "Only part of the catalogue was judged: "+line(r.Run.Selection, maxName))
	}
	if r.Run.Cut != "" {
		out = append(out, "The run ended early: "+line(r.Run.Cut, maxReason))
	}
	return append(out, declared(r)...)
}

// declared lists the settings of the configuration on which verdicts depend.
func declared(r *report.Report) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(r.Target.Declares)) {
		out = append(out, line(declaration(r.Target, k, strings.Join(r.Target.Declares[k], ", ")), maxReason))
	}
	return out
}

// declaration says one of the settings of a configuration.
func declaration(t report.Target, name, values string) string {
	whose := "Your configuration"
	switch t.Kind {
	case bundled:
		whose = "The configuration of the bundled server"
	case transcript:
		whose = "The configuration in the transcript"
	}
	switch {
	case values == "":
		return whose + " sets " + name
	case name == "words":
		return whose + " sets " + values
	case name == "never":
		return whose + " says that the agent never does: " + values
	}
	return whose + " sets " + name + ": " + values
}

func facts(r *report.Report) []fact {
	out := []fact{{"target", line(r.Target.URL, maxName), true}}
	if r.Target.Kind == transcript {
		out[0].Name = "named by the transcript"
	}
	add := func(name, value string, code bool) {
		if value != "" {
			out = append(out, fact{name, line(value, maxName), code})
		}
	}
	if r.Target.RPC != r.Target.URL {
		add("endpoint", r.Target.RPC, true)
	}
	add("agent", r.Target.Agent, false)
	add("protocol", dialect(r.Target), false)
	add("when", r.Run.StartedAt.Format("2 January 2006, 15:04:05 MST"), false)
	add("duration", took(r.Run.DurationMs), false)
	add("exchanges", thousands(r.Run.Exchanges), false)
	add("agent invocations", thousands(r.Run.AgentInvocations), false)
	add("spent waiting", strings.Join(waits(r.Run.Waited), ", "), false)
	add("gate", r.Run.Gate, false)
	add("tool", strings.TrimSpace(r.Tool.Name+" "+r.Tool.Version), false)
	add("catalogue version", catalogueVersion(r), false)
	add("catalogue", r.Tool.Catalogue, true)
	add("card", r.Target.Card, true)
	return out
}

func newBindingsView(r *report.Report) *bindingsView {
	rows := byBinding(r)
	if len(rows) == 0 {
		return nil
	}
	v := &bindingsView{Columns: kindsIn(rows), Untried: untried(r, rows)}
	for _, row := range rows {
		shown := bindingRow{Who: row.Who}
		for _, k := range v.Columns {
			shown.Cells = append(shown.Cells, cell{k, row.Count[k]})
		}
		v.Rows = append(v.Rows, shown)
	}
	return v
}

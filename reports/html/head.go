package html

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// listVerdictCaveats are what a reader must know before believing the verdict.
func listVerdictCaveats(r *report.Report) (out []string) {
	if r.Target.Kind == view.Bundled && r.Target.IsGateway() {
		out = append(out, "The server behind the gateway is the one that comes with this program, not yours.")
	} else if r.Target.Kind == view.Bundled {
		out = append(out, "This run judged the "+r.Target.Subject()+" that comes with this program, not yours.")
	}
	if r.Target.Kind == view.Replayed {
		out = append(out, "This is the replay of an unsigned transcript: its verdicts follow from the file, but nothing shows that the conversation took place.")
	}
	if r.Target.Insecure {
		out = append(out, "The server's certificate was not verified: another server may have answered.")
	}
	if r.Run.Selection != view.FullSelection {
		out = append(out, "Only part of the catalogue was judged: "+safetext.Line(r.Run.Selection, safetext.MaxName))
	}
	if r.Run.Cut != "" {
		out = append(out, "The run ended early: "+safetext.Line(r.Run.Cut, safetext.MaxReason))
	}
	return append(out, view.DescribeOperatorDeclarations(r)...)
}

func listFacts(r *report.Report) []fact {
	out := []fact{{"target", safetext.Line(r.Target.URL, safetext.MaxName), true}}
	if r.Target.IsClient() {
		out[0] = fact{"client", view.DescribeTargetByKind(r.Target), true}
	} else if r.Target.IsGateway() {
		out = []fact{{"gateway", safetext.Line(r.Target.Through, safetext.MaxName), true}, {"server", safetext.Line(r.Target.URL, safetext.MaxName), true}}
	} else if r.Target.Kind == view.Replayed {
		out[0].Name = "named by the transcript"
	}
	add := func(name, value string, code bool) {
		if value != "" {
			out = append(out, fact{name, safetext.Line(value, safetext.MaxName), code})
		}
	}
	if r.Target.RPC != r.Target.URL {
		add("endpoint", r.Target.RPC, true)
	}
	add("agent", r.Target.Agent, false)
	add("protocol", view.DialectName(r.Target), false)
	add("when", r.Run.StartedAt.Format("2 January 2006, 15:04:05 MST"), false)
	add("duration", view.FormatRunTime(r.Run.DurationMs), false)
	add("exchanges", safetext.Thousands(r.Run.Exchanges), false)
	if r.Target.IsClient() {
		add("starts of the client", safetext.Thousands(r.Run.Starts), false)
	} else {
		add("agent invocations", safetext.Thousands(r.Run.AgentInvocations), false)
	}
	add("spent waiting", strings.Join(view.DescribeWaits(r.Run.Waited), ", "), false)
	add("gate", r.Run.Gate, false)
	add("tool", strings.TrimSpace(r.Tool.Name+" "+r.Tool.Version), false)
	add("catalogue version", view.CatalogueVersion(r), false)
	add("catalogue", r.Tool.Catalogue, true)
	add("card", r.Target.Card, true)
	return out
}

func newBindingsView(r *report.Report) *bindingsView {
	rows := view.CountByBinding(r)
	if len(rows) == 0 {
		return nil
	}
	v := &bindingsView{Columns: view.KindsIn(rows), Untried: view.ExplainUntried(r, rows)}
	for _, row := range rows {
		shown := bindingRow{Who: row.Who}
		for _, k := range v.Columns {
			shown.Cells = append(shown.Cells, layout.Cell{Kind: k, N: row.Count[k]})
		}
		v.Rows = append(v.Rows, shown)
	}
	return v
}

type fact struct {
	Name, Value string
	Code        bool
}

type countRow struct {
	Level string
	Cells []layout.Cell
	Total string
}

// bindingsView is what the requirements came to in each of several bindings.
type bindingsView struct {
	Columns []view.Kind
	Rows    []bindingRow
	Untried []string // what the cells mean that are not tried
}

type bindingRow struct {
	Who   string
	Cells []layout.Cell
}

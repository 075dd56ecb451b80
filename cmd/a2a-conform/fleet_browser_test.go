//go:build browser

package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// monthOf is a fleet of so many agents with a month of history, most of them judged by one
// dialect and some by two.
func monthOf(agents int) fleetpage.Fleet {
	const conformant, partial, nonconformant, unreachable, void = report.Conformant, report.Partial, report.Nonconformant, report.Unreachable, report.Void
	first := time.Date(2026, 10, 27, 2, 0, 0, 0, time.UTC)
	var f fleetpage.Fleet
	for i := range 30 {
		f.Rounds = append(f.Rounds, fleetpage.Round{ID: first.AddDate(0, 0, i).Format(time.DateOnly), Began: first.AddDate(0, 0, i), Finished: true, Targets: agents * 5 / 4, Results: agents*5/4 - i%3, GivenUp: i % 3, Repeated: i % 5})
	}
	newest := &f.Rounds[29]
	newest.Finished, newest.Results = false, agents*5/4-20
	f.Unshown = "The report pages of 812 conformant targets that did not change are not in this folder."
	add := func(i int, dialect string) {
		t := fleetpage.Target{ID: fmt.Sprintf("%08x%s", i, dialect[len(dialect)-1:]), Name: fmt.Sprintf("%s-agent-%d", []string{"recipes", "weather", "orders", "travel", "billing"}[i%5], i),
			URL: fmt.Sprintf("https://agents-%d.registry.example/a2a/v1", i), Agent: fmt.Sprintf("%s Agent", []string{"Recipe", "Weather", "Order", "Travel", "Billing"}[i%5]), Dialect: dialect,
			Summary: map[string]report.Count{"MUST": {Pass: 192 - i%4, NotApplicable: 20}}, Waiting: i%97 == 5}
		for j, r := range f.Rounds {
			v := conformant
			switch {
			case i%11 == 3 && j > i%25, i%40 == 9 && j == 29:
				v = nonconformant
			case i%6 == 0 && (j < 20 || i%30 != 0):
				v = partial
			case i%71 == 2 && j > 26, i%45 == 8 && j%9 == 4:
				v = unreachable
			case i%170 == 7 && j == 29:
				v = void
			}
			p := fleetpage.Point{Round: r.ID, At: r.Began.Add(time.Hour), Verdict: v, Tries: 1}
			if j > 0 {
				p.Changed = v != t.History[j-1].Verdict
			}
			if i%130 == 1 {
				p.Tries = 2
			}
			t.History = append(t.History, p)
		}
		if t.Waiting {
			t.History = t.History[:29]
		}
		if i%300 == 50 {
			t.History, t.Waiting, t.Summary = nil, true, nil
			f.Targets = append(f.Targets, t)
			return
		}
		t.Latest = t.History[len(t.History)-1]
		count := t.Summary["MUST"]
		switch t.Latest.Verdict {
		case conformant:
			t.Reason = fmt.Sprintf("the server meets all %d MUST requirements that apply", count.Pass)
		case partial:
			count.Inconclusive = 18
			t.Reason = "no MUST requirement is broken, but 18 MUST requirements could not be decided; over HTTP+JSON, the run tried 22 of 24 requirements about that binding alone, and 5 of 20 about all bindings"
		case nonconformant:
			count.Fail, count.Inconclusive = 1+i%3, 7
			t.Reason = fmt.Sprintf("the server breaks %d of %d decided MUST requirements; 7 more could not be decided", count.Fail, count.Fail+count.Pass)
		default:
			count = report.Count{Inconclusive: 212}
			t.Reason = "the RPC endpoint gave no HTTP response in the whole run: connect: connection refused"
		}
		t.Summary["MUST"] = count
		if t.Latest.Changed && t.Latest.Verdict == nonconformant {
			t.Changes = []report.Change{{ID: "A2A03-TASK-004", Level: "MUST", Kind: report.Broken, Was: report.Pass, Now: report.Fail}, {ID: "A2A03-STREAM-012", Level: "MUST", Kind: report.Broken, Was: report.Pass, Now: report.Fail},
				{ID: "A2A03-PUSH-003", Level: "SHOULD", Kind: report.Fixed, Was: report.Fail, Now: report.Pass}}
		}
		if t.Latest.Verdict != conformant {
			t.Page = t.ID + ".html"
		}
		f.Targets = append(f.Targets, t)
	}
	for i := range agents {
		switch {
		case i%4 == 0:
			add(i, "a2a-0.3")
			add(i, "a2a-1.0")
		case i%4 == 1:
			add(i, "a2a-1.0")
		default:
			add(i, "a2a-0.3")
		}
	}
	return f
}

// fleetPage is the file of the page of a thousand agents.
func fleetPage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := fleetpage.WritePageListAndMarkdown(dir, monthOf(1000)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, fleetpage.PageFile)
}

// The page of a thousand agents can be read by everybody, at both sizes, light and dark.
func TestFleetPages(t *testing.T) {
	file := fleetPage(t)
	inEachLook(t, file, func(t *testing.T, o *opened, look string) {
		o.picture(t, "fleet-"+look)
		o.is(t, "rows", fleetShown, 1000)
		o.is(t, "below the first screen", `["h1", ".key", "#changed h2"].filter(s => document.querySelector(s).getBoundingClientRect().bottom > innerHeight)`, []any{})
		o.is(t, "wider than the screen", `document.documentElement.scrollWidth > innerWidth`, false)
		ask[bool](t, o.ctx, `(document.getElementById("agents").scrollIntoView(), true)`)
		o.picture(t, "fleet-agents-"+look)
		axe(t, o)
	})
}

// A brief page of a run is as good to read as the whole one, and its links lead somewhere.
func TestBriefPages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "brief.html")
	if err := os.WriteFile(file, briefOf(t, "a2a-0.3", "get-shows-working"), 0o600); err != nil {
		t.Fatal(err)
	}
	inEachLook(t, file, func(t *testing.T, o *opened, look string) {
		o.picture(t, "brief-"+look)
		o.is(t, "what is marked", `document.querySelectorAll(".card mark").length > 0`, true)
		o.is(t, "links to nowhere", `[...document.links].map(a => a.getAttribute("href")).filter(a => a[0] === "#" && !document.getElementById(a.slice(1)))`, []any{})
		o.is(t, "links to files", `[...document.links].map(a => a.getAttribute("href")).filter(a => !/^(#|https:)/.test(a))`, []any{})
		o.is(t, "wider than the screen", `document.documentElement.scrollWidth > innerWidth`, false)
		axe(t, o)
	})
}

// The page of a thousand agents is narrowed at once.
func TestFleetInTheBrowser(t *testing.T) {
	file := fleetPage(t)
	t.Run("filter", func(t *testing.T) { fleetFilter(t, file) })
	t.Run("speed", func(t *testing.T) { fleetSpeed(t, file) })
	t.Run("without script", func(t *testing.T) { fleetWithoutScript(t, file) })
}

const fleetShown = `[...document.querySelectorAll("tr.row")].filter(e => e.checkVisibility()).length`

// shownWith counts the rows in sight that have a cell.
func shownWith(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("tr.row")].filter(e => e.checkVisibility() && e.querySelector(%q)).length`, selector)
}

// Chips and words narrow the agents, the address keeps both, and a link leads to what is hidden.
func fleetFilter(t *testing.T, file string) {
	o := open(t, file, 1400, 900, false, "")
	broken := ask[int](t, o.ctx, shownWith(`[data-k="nonconformant"]`))
	both := ask[int](t, o.ctx, shownWith(`[data-s="1"][data-k="nonconformant"]`))
	waiting := ask[int](t, o.ctx, `document.querySelectorAll('tr.row[data-l~="waiting"]').length`)
	if broken == 0 || both == 0 || both >= broken || waiting == 0 {
		t.Fatalf("%d rows are nonconformant, %d of them by the second dialect, %d wait", broken, both, waiting)
	}
	click(t, o.ctx, `button[data-k="nonconformant"]`)
	o.is(t, "the broken ones", fleetShown, broken)
	o.is(t, "what is said", `document.getElementById("found").textContent`, fmt.Sprintf("%d of 1000 agents", broken))
	click(t, o.ctx, `button[data-s="1"]`)
	o.is(t, "by the second dialect", fleetShown, both)
	o.is(t, "the address", `location.hash`, "#?k=nonconformant&s=1")
	o.picture(t, "fleet-filtered")
	click(t, o.ctx, `button[data-s="1"]`)
	click(t, o.ctx, `button[data-k="nonconformant"]`)
	click(t, o.ctx, `button[data-l="waiting"]`)
	o.is(t, "those still to come", fleetShown, waiting)
	// What changed is hidden by now; a link to it shows it.
	to := ask[string](t, o.ctx, `document.querySelector(".turned a").getAttribute("href").slice(1)`)
	click(t, o.ctx, ".turned a")
	o.is(t, "where a link leads", fmt.Sprintf(`(e => e.checkVisibility() && e.getBoundingClientRect().top < innerHeight)(document.getElementById(%q))`, to), true)
	o.is(t, "the filter after a link", fleetShown, 1000)
	keys(t, o.ctx, "/")
	ask[string](t, o.ctx, `document.getElementById("q").value = ""`)
	keys(t, o.ctx, "weather-agent-33 a2a-1.0")
	o.is(t, "a search", fleetShown, ask[int](t, o.ctx, `[...document.querySelectorAll("tr.row")].filter(e => /weather-agent-33/.test(e.textContent) && /a2a-1\.0/.test(e.textContent)).length`))
}

// A filter is there at once: script and layout together. The bound is wide, as machines of CI
// are not alone; what was measured is printed.
func fleetSpeed(t *testing.T, file string) {
	o := open(t, file, 1400, 900, false, "")
	took := func(what string) float64 {
		return ask[float64](t, o.ctx, fmt.Sprintf(`(() => { document.body.offsetHeight; const t = performance.now(); %s; document.body.offsetHeight; return performance.now() - t; })()`, what))
	}
	search := func(words string) string {
		return fmt.Sprintf(`(q => { q.value = %q; q.dispatchEvent(new Event("input")); })(document.getElementById("q"))`, words)
	}
	const chip = `document.querySelector('button[data-k="nonconformant"]').click()`
	on, off, found, all := took(chip), took(chip), took(search("weather 3")), took(search(""))
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("1,000 rows, %d bytes: a filter %.0f ms, and off %.0f ms; the first search %.0f ms, and off %.0f ms", info.Size(), on, off, found, all)
	for name, ms := range map[string]float64{"a filter": on, "a filter off": off, "a search": found, "a search off": all} {
		if ms > 10*100 {
			t.Errorf("%s took %.0f ms, which is ten times what it may", name, ms)
		}
	}
}

// Without the script all agents are there, no button is offered, and paper shows what is folded.
func fleetWithoutScript(t *testing.T, file string) {
	o := &opened{ctx: browse(t)}
	if err := send(o.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(o.ctx, chromedp.Navigate((&url.URL{Scheme: "file", Path: file}).String())); err != nil {
		t.Fatal(err)
	}
	o.is(t, "rows", fleetShown, 1000)
	o.is(t, "buttons", `[...document.querySelectorAll("button")].filter(e => e.checkVisibility()).length`, 0)
	if err := send(o.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	o.is(t, "what is not printed", `[...document.querySelectorAll(".turned li, .target p")].filter(e => !e.checkVisibility({contentVisibilityAuto: true})).length`, 0)
}

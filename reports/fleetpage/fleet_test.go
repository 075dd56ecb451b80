package fleetpage

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// nights are rounds of a fleet, one each night.
func nights(n int) (out []Round) {
	for i := range n {
		out = append(out, Round{ID: fmt.Sprintf("night-%02d", i+1), Began: reportstest.Started.AddDate(0, 0, i), Finished: true, Targets: 8, Results: 8})
	}
	return out
}

// past is a history whose last verdicts are these, with their changes.
func past(of []Round, verdicts ...report.RunVerdict) (out []Point) {
	for i, r := range of[len(of)-len(verdicts):] {
		out = append(out, Point{Round: r.ID, At: r.Began.Add(5 * time.Minute), Verdict: verdicts[i], Changed: i > 0 && verdicts[i] != verdicts[i-1], Tries: 1})
	}
	return out
}

func musts(kept, broken, undecided int) map[string]report.Count {
	return map[string]report.Count{string(schema.Must): {Pass: kept, Fail: broken, Inconclusive: undecided, NotApplicable: 12}, string(schema.Should): {Pass: 30}}
}

// sampleFleet has a target for each verdict, by several dialects, one that waits, one that was
// never judged, and one whose every text is hostile.
func sampleFleet() Fleet {
	const c, p, n, u, v = report.Conformant, report.Partial, report.Nonconformant, report.Unreachable, report.Void
	rounds := nights(4)
	rounds[2].Repeated, rounds[2].GivenUp, rounds[2].Results = 3, 1, 7
	rounds[3].Finished, rounds[3].Results = false, 6
	evil := reportstest.Attacks["markup"]
	f := Fleet{Rounds: rounds, Unshown: "The pages of 2 conformant targets are not in this folder.", Targets: []Target{
		{ID: "00aa", Name: "recipes", URL: "https://recipes.example/a2a", Agent: "Recipe Agent", Dialect: "a2a-0.3", History: past(rounds, c, c, c, c), Summary: musts(192, 0, 0), Reason: "the server meets all 192 MUST requirements that apply"},
		{ID: "00ab", Name: "recipes", URL: "https://recipes.example/a2a", Agent: "Recipe Agent", Dialect: "a2a-1.0", History: past(rounds, c, c, n), Summary: musts(260, 2, 3), Page: "00ab/report.html",
			Reason: "the server breaks 2 of 262 decided MUST requirements; 3 more could not be decided", Changes: []report.Change{
				{ID: "A2A10-TASK-004", Level: schema.Must, Kind: report.Broken, Was: report.Pass, Now: report.Fail}, {ID: "A2A10-TASK-009", Level: schema.Must, Kind: report.Lost, Was: report.Pass, Now: report.Inconclusive},
				{ID: "A2A10-CARD-001", Level: schema.Should, Kind: report.Fixed, Was: report.Fail, Now: report.Pass}}},
		{ID: "00b1", URL: "http://10.0.0.7:9000", Dialect: "a2a-0.3", History: past(rounds, u, n, p, p), Summary: musts(170, 0, 22), Reason: "no MUST requirement is broken, but 22 MUST requirements could not be decided"},
		{ID: "00b2", Agent: "Weather", URL: "https://weather.example", Dialect: "a2a-0.1", History: past(rounds, c, c, c, u), Reason: "the RPC endpoint gave no HTTP response"},
		{ID: "00b3", Name: "orders", URL: "https://orders.example", Dialect: "a2a-0.1", History: past(rounds, c, c, c, v), Reason: "the run was stopped"},
		{ID: "00b4", Name: "better", URL: "https://better.example", Dialect: "a2a-0.1", History: past(rounds, n, n, n, c), Summary: musts(137, 0, 0), Reason: "the server meets all 137 MUST requirements that apply",
			Changes: []report.Change{{ID: "A2A01-ERR-002", Level: schema.Must, Kind: report.Fixed, Was: report.Fail, Now: report.Pass}}},
		{ID: "00b5", Name: "late", URL: "https://late.example", Dialect: "a2a-0.1", History: past(rounds[:3], c, c), Summary: musts(137, 0, 0), Waiting: true},
		{ID: "00b6", Name: "first", URL: "https://first.example", Dialect: "a2a-0.1", Waiting: true},
		{ID: evil, Name: evil, URL: "javascript:alert(1)//" + evil, Agent: evil, Dialect: "a2a-0.3", History: past(rounds, p, n), Page: "javascript:alert(1)", Reason: evil, Summary: musts(1, 1, 1),
			Changes: []report.Change{{ID: evil, Level: schema.Must, Kind: report.Broken, Was: report.Pass, Now: report.Fail, After: evil}}},
	}}
	f.Targets[8].History[1].Tries = 2
	return latest(f)
}

// latest gives each target the last point of its history.
func latest(f Fleet) Fleet {
	for i := range f.Targets {
		if t := &f.Targets[i]; len(t.History) > 0 {
			t.Latest = t.History[len(t.History)-1]
		}
	}
	return f
}

// thousand is a fleet of so many targets with a month of history, of which many change.
func thousand(n int) Fleet {
	rounds := nights(30)
	f := Fleet{Rounds: rounds}
	for i := range n {
		verdicts := make([]report.RunVerdict, 30)
		for j := range verdicts {
			switch verdicts[j] = report.Conformant; {
			case i%7 == 0 && j > 28-i%5:
				verdicts[j] = report.Nonconformant
			case i%5 == 0:
				verdicts[j] = report.Partial
			case i%50 == 3 && j%4 == 0, i%90 == 0 && j == 29:
				verdicts[j] = report.Unreachable
			}
		}
		t := Target{ID: fmt.Sprintf("%032x", i), Name: fmt.Sprintf("agent number %d", i), URL: fmt.Sprintf("https://agent-%d.agents.example/a2a/v1", i), Agent: fmt.Sprintf("Agent %d", i),
			Dialect: []string{"a2a-0.1", "a2a-0.3", "a2a-1.0"}[i%3], History: past(rounds, verdicts...), Summary: musts(192, i%3, 18), Page: fmt.Sprintf("%032x.html", i),
			Reason: "the server breaks 2 of 192 decided MUST requirements; 18 more could not be decided; over HTTP+JSON, the run tried 22 of 24 requirements about that binding alone, and 6 of 20 about all bindings"}
		if t.History[29].Changed {
			t.Changes = []report.Change{{ID: "A2A03-TASK-004", Level: schema.Must, Kind: report.Broken, Was: report.Pass, Now: report.Fail}}
		}
		f.Targets = append(f.Targets, t)
	}
	return latest(f)
}

func fleetText(t *testing.T, render func(io.Writer, Fleet) error, f Fleet) string {
	t.Helper()
	return reportstest.Render(t, func(w io.Writer) error { return render(w, f) })
}

func TestFleetGolden(t *testing.T) {
	reportstest.Golden(t, "fleet.html", fleetText(t, WritePage, sampleFleet()))
	reportstest.Golden(t, "agents.json", fleetText(t, WriteTargetsJSON, sampleFleet()))
	reportstest.Golden(t, "fleet.md", fleetText(t, WriteMarkdown, sampleFleet()))
}

func TestWriteFleet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	if err := WritePageListAndMarkdown(dir, sampleFleet()); err != nil {
		t.Fatal(err)
	}
	for name, render := range map[string]func(io.Writer, Fleet) error{PageFile: WritePage, files.MarkdownFile: WriteMarkdown} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != fleetText(t, render, sampleFleet()) {
			t.Errorf("%s has other bytes than what was rendered", name)
		}
	}
}

// The pages of a fleet use the words that people read.
func TestFleetScreenWords(t *testing.T) {
	for name, screen := range map[string]string{
		"a fleet":             reportstest.TextAndLabelsOutsidePre(t, fleetText(t, WritePage, sampleFleet())),
		"a fleet as Markdown": fleetText(t, WriteMarkdown, sampleFleet()),
	} {
		reportstest.CheckNoInternalWords(t, name, screen)
		if !strings.Contains(strings.ToLower(screen), "undecided") {
			t.Errorf("%s does not contain undecided:\n%s", name, screen)
		}
	}
}

// A fleet shows who is worse off first, and of the others nothing that is not so.
func TestFleetChanges(t *testing.T) {
	m := newOverview(sampleFleet())
	var got []string
	for _, c := range m.changes {
		got = append(got, fmt.Sprintf("%s %s→%s %d", safetext.Abbreviate(c.target.displayName(), 7), c.was, c.is, c.severityRank()))
	}
	want := []string{"orders conformant→void 0", "Weather conformant→unreachable 0", "recipes conformant→nonconformant 0", "EVIL</… partial→nonconformant 0", "better nonconformant→conformant 3"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the changes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := m.describeChangeCounts(), "4 worse, 1 better"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// The bytes of an unreachable server say nothing of its requirements.
	if says := m.changes[1].summarizeChangesOrReason(); says != "the RPC endpoint gave no HTTP response" {
		t.Errorf("what is said of it is %q", says)
	}
}

func TestFleetTrend(t *testing.T) {
	const c, n, u = report.Conformant, report.Nonconformant, report.Unreachable
	rounds := nights(30)
	month := make([]report.RunVerdict, 30)
	for i := range month {
		month[i] = c
	}
	for want, history := range map[string][]Point{
		"30 rounds: conformant since 2025-06-02":  past(rounds, month...),
		"1 round: nonconformant since 2025-07-01": past(rounds, n),
		"4 rounds: nonconformant since 2025-06-30; before that 1 conformant, 1 unreachable; other results 2 times": past(rounds, c, u, n, n),
		"2 rounds: void since 2025-06-30": past(rounds, report.Void, "unheard of"),
		"not judged yet":                  nil,
	} {
		f := latest(Fleet{Targets: []Target{{History: history}}})
		if got := f.Targets[0].describeTrend(); got != want && !(strings.HasPrefix(want, "2 rounds: void") && strings.HasPrefix(got, want)) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The squares of one round are below each other, even if a target was not judged in some.
func TestFleetStrip(t *testing.T) {
	const c, n = report.Conformant, report.Nonconformant
	rounds := nights(5)
	gap := past(rounds, c, c, c, n, c)
	gap = append(gap[:1:1], gap[2:]...)
	strange := past(nights(9), c, c)
	strange[0].Round, strange[1].Round = "another", "yet another"
	for name, of := range map[string]struct {
		target Target
		want   string
	}{
		"whole":    {Target{History: past(rounds, c, c, c, c, c)}, "pass M0 4h39"},
		"a gap":    {Target{History: gap}, "pass M0 4h7M16 4h7M32 4h7 fail M24 4h7 | M24 10h7M32 10h7"},
		"young":    {Target{History: past(rounds, n, n)}, "fail M24 4h15"},
		"waits":    {Target{History: past(rounds[:4], c, c), Waiting: true}, "pass M16 4h15 unjudged M32 4h7"},
		"strange":  {Target{History: strange}, "pass M24 4h15"},
		"not once": {Target{Waiting: true}, "unjudged M32 4h7"},
	} {
		t.Run(name, func(t *testing.T) {
			f := latest(Fleet{Rounds: rounds, Targets: []Target{of.target}})
			s := newOverview(f).buildHistoryStrip(&f.Targets[0])
			var got []string
			for _, r := range s.Runs {
				got = append(got, r.Class+" "+r.D)
			}
			text := strings.Join(got, " ")
			if s.Marks != "" {
				text += " | " + s.Marks
			}
			if text != of.want || s.Width != 40 {
				t.Errorf("got %s and the width %d, want %s", text, s.Width, of.want)
			}
		})
	}
}

// One row holds what one agent came to by all its dialects, and is found by each.
func TestFleetRows(t *testing.T) {
	page := fleetText(t, WritePage, sampleFleet())
	if n := strings.Count(page, `<tr class="row"`); n != 8 {
		t.Errorf("the page has %d rows, want 8", n)
	}
	for _, want := range []string{
		`<tr class="row" data-k="conformant nonconformant" data-l="changed"><th scope="row">recipes <span class="n">Recipe Agent</span><p class="url">https://recipes.example/a2a</p></th>`,
		`data-k="" data-l="waiting"><th scope="row">first`, `<h1>3 of 9 targets conformant</h1>`, `href="00ab/report.html" aria-label="nonconformant: the report of recipes"`, "broken: A2A10-TASK-004",
		"6 of 8 targets have a result so far", "held 2 times", "2 targets are still to come in this round",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	reportstest.CheckIDsAndLinks(t, page)
}

// A fleet without agents, and one that has not begun, have a page too.
func TestFleetOfNobody(t *testing.T) {
	for want, f := range map[string]Fleet{
		"no target is listed":               {Live: true},
		"none of 2 targets is judged yet":   {Targets: []Target{{ID: "a1", URL: "http://x"}, {ID: "a2", URL: "http://x"}}},
		"none of 1 target is judged yet":    {Rounds: nights(1), Targets: []Target{{ID: "a1", URL: "http://x", Waiting: true}}},
		"0 of 1 target conformant":          latest(Fleet{Targets: []Target{{ID: "a1", History: past(nights(1), report.Partial)}}}),
		"1 of 2 targets conformant":         latest(Fleet{Targets: []Target{{ID: "a1", History: past(nights(1), report.Conformant)}, {ID: "a1"}}}),
		"1,000 of 1,000 targets conformant": allConformant(1000),
	} {
		for _, render := range []func(io.Writer, Fleet) error{WritePage, WriteMarkdown} {
			if got := fleetText(t, render, f); !strings.Contains(got, want) {
				t.Errorf("%q is not said in %.3000s", want, got)
			}
		}
		page := fleetText(t, WritePage, f)
		reportstest.CheckOnlyKnownHTML(t, []byte(page))
		reportstest.CheckIDsAndLinks(t, page)
	}
}

func allConformant(n int) (f Fleet) {
	for i := range n {
		f.Targets = append(f.Targets, Target{ID: fmt.Sprintf("%x", i), URL: fmt.Sprint("http://", i), History: past(nights(1), report.Conformant)})
	}
	return latest(f)
}

// A thousand targets with a month of history make a page that a browser opens, at once.
func TestFleetSize(t *testing.T) {
	f := thousand(1000)
	began := time.Now()
	page := fleetText(t, WritePage, f)
	took := time.Since(began)
	summary := fleetText(t, WriteMarkdown, f)
	t.Logf("1,000 targets with 30 rounds: %d bytes in %v, the summary %d bytes", len(page), took, len(summary))
	if len(page) > 3_000_000 || len(summary) > 200_000 {
		t.Errorf("the page has %d bytes, the summary %d", len(page), len(summary))
	}
	if took > 5*time.Second { // of a machine that is not alone
		t.Errorf("the page took %v", took)
	}
	if n := strings.Count(page, `<tr class="row"`); n != 1000 {
		t.Errorf("the page has %d rows", n)
	}
}

// Of more agents than a browser shows at once, those have a row that need a reader.
func TestFleetOfTooMany(t *testing.T) {
	rounds := nights(2)
	f := allConformant(maxAgents + 500)
	f.Rounds = rounds
	for i := range f.Targets {
		f.Targets[i].History = past(rounds, report.Conformant, report.Conformant)
		if i%10 == 9 {
			f.Targets[i].History = past(rounds, report.Conformant, report.Nonconformant)
		}
	}
	page := fleetText(t, WritePage, latest(f))
	if n := strings.Count(page, `<tr class="row"`); n != maxAgents {
		t.Errorf("the page has %d rows", n)
	}
	if n := strings.Count(page, `<tr class="row" data-k="nonconformant"`); n != 350 {
		t.Errorf("the page has %d of 350 broken agents", n)
	}
	for _, want := range []string{"500 of 3,500 agents have no row", "3,150 of 3,500 targets conformant", "and 150 more, in the list of agents"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	reportstest.CheckIDsAndLinks(t, page)
	if len(page) > 3_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	// If all are worse, not every change links to a row.
	for i := range f.Targets {
		f.Targets[i].History = past(rounds, report.Conformant, report.Partial)
		if i >= maxAgents {
			f.Targets[i].History[1].Verdict = report.Unreachable
		}
	}
	reportstest.CheckIDsAndLinks(t, fleetText(t, WritePage, latest(f)))
}

// hostileFleet is a fleet in which every text is of somebody else, and every figure too.
func hostileFleet(evil string) Fleet {
	f := Fleet{Unshown: evil, Rounds: []Round{{ID: evil, Results: -1, Targets: -5, GivenUp: 2, Repeated: -7}, {ID: evil}, {ID: "x" + evil, Finished: true}}}
	for i := range 5 {
		t := Target{ID: evil, Name: evil, URL: evil, Agent: evil, Dialect: fmt.Sprint(evil[:min(len(evil), 50)], i%4), Reason: evil, Page: ":" + evil, Waiting: i == 3,
			Summary: map[string]report.Count{evil: {Pass: 3}, "MUST": {Pass: 1 << 40, Fail: -3}},
			Changes: []report.Change{{ID: evil, Level: schema.Level(evil), Kind: report.Broken, Before: evil, After: evil, Why: evil}, {ID: evil, Kind: report.ChangeKind(evil)}}}
		for j := range 40 {
			p := Point{Round: evil, Verdict: report.RunVerdict(evil), Changed: j%3 == 0, Tries: j * i}
			if j%2 == 0 {
				p.Round, p.Verdict = "x"+evil, report.Partial
			}
			t.History = append(t.History, p)
		}
		t.Latest = t.History[39-i%2]
		t.Latest.Round = "x" + evil
		f.Targets = append(f.Targets, t)
	}
	return f
}

// wellFormedFleet checks what must hold whatever an operator or a server calls things.
func wellFormedFleet(t *testing.T, f Fleet) {
	t.Helper()
	page, summary := fleetText(t, WritePage, f), fleetText(t, WriteMarkdown, f)
	for name, text := range map[string]string{"the page": page, "the summary": summary} {
		if !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8", name)
		}
		if plain := safetext.Visible(text); plain != text {
			t.Errorf("%s holds a character that acts or hides, at byte %d", name, reportstest.FirstDifference(plain, text))
		}
		if len(text) > 1<<20 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
	reportstest.CheckOnlyKnownHTML(t, []byte(page))
	reportstest.CheckIDsAndLinks(t, page)
	reportstest.CheckOnlyOwnMarkdown(t, summary)
}

func TestHostileFleet(t *testing.T) {
	for name, evil := range reportstest.Attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wellFormedFleet(t, hostileFleet(evil))
		})
	}
	for _, evil := range []string{"javascript:alert(1)", "//evil.example/x", "https://evil.example", "/\\evil.example", "data:text/html,x"} {
		f := hostileFleet(evil)
		f.Targets[0].Page = evil
		if page := fleetText(t, WritePage, f); strings.Contains(page, ` href="`+evil) || strings.Contains(page, "<a class=") {
			t.Errorf("%s is a link", evil)
		}
	}
}

func FuzzHostileFleet(f *testing.F) {
	for _, evil := range reportstest.Attacks {
		if len(evil) < 1<<10 {
			f.Add(evil)
		}
	}
	f.Fuzz(func(t *testing.T, evil string) {
		wellFormedFleet(t, hostileFleet(evil))
	})
}

// TestFleetOrder checks that what got worse comes first, then what changed otherwise, then the worst verdicts, and
// that the file for programs has the targets in the same order.
func TestFleetOrder(t *testing.T) {
	const c, n, p = report.Conformant, report.Nonconformant, report.Partial
	rounds := nights(2)
	f := latest(Fleet{Rounds: rounds, Targets: []Target{
		{ID: "01", Name: "steady", URL: "http://a", Dialect: "a2a-1.0", History: past(rounds, c, c)},
		{ID: "02", Name: "broken as before", URL: "http://b", Dialect: "a2a-1.0", History: past(rounds, n, n)},
		{ID: "03", Name: "better", URL: "http://c", Dialect: "a2a-1.0", History: past(rounds, n, c)},
		{ID: "04", Name: "worse", URL: "http://d", Dialect: "a2a-1.0", History: past(rounds, c, p), Summary: musts(3, 0, 1)},
		{ID: "05", Name: "partial as before", URL: "http://e", Dialect: "a2a-1.0", History: past(rounds, p, p)},
	}})
	want := []string{"worse", "better", "broken as before", "partial as before", "steady"}
	page, list := fleetText(t, WritePage, f), fleetText(t, WriteTargetsJSON, f)
	_, page, _ = strings.Cut(page, `<table class="grid fleet">`)
	for what, text := range map[string]string{"page": page, "file": list} {
		at := 0
		for _, name := range want {
			next := strings.Index(text, name)
			if next < at {
				t.Errorf("the %s has %q at %d, want it after %d", what, name, next, at)
			}
			at = next
		}
	}
	for _, part := range []string{`"was": "conformant"`, `"worse": true`, `"apply": 4`} {
		if strings.Count(list, part) != 1 {
			t.Errorf("the file has %s %d times, want 1", part, strings.Count(list, part))
		}
	}
	f.Live = true
	if strings.Contains(fleetText(t, WritePage, f), ListFile) {
		t.Error("a page that is served links to a file that is not")
	}
}

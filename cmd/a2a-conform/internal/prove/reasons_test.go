package prove

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A failure that a maker cannot read is a fault of the proof.
func TestReasonWithoutItsPartsIsNoticed(t *testing.T) {
	const id = "A2A01-ENV-001"
	m := material(t, "a2a-0.1")
	rec := like(t, m, "broken")
	rec.Named = []string{id}
	for _, c := range []struct {
		name string
		fail func(t *judge.T)
		want string
	}{
		{"readable", func(t *judge.T) { t.Fail(t.Card().At("/url"), "sent this url", "another one") }, ""},
		{"about nothing", func(t *judge.T) { t.Fail(judge.Value{}, "did something", "something else") }, "does not say sent"},
		{"says nothing of the server", func(t *judge.T) { t.Fail(t.Card(), "", "a card") }, "does not say did"},
		{"too long", func(t *judge.T) { t.Fail(t.Card(), "sent this", strings.Repeat("much ", 100)) }, "does not hold what is expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			with := suites.Checks().With(judge.Define("shape", "", func(t *judge.T, _ observe.ShapeParams) {
				if t.Case.Transcript.Facts.Tool == "broken" {
					c.fail(t)
				}
				t.OK(t.Card())
			}))
			got := strings.Join(problemsOf(t, m, rec, with, id), "\n")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || got != "" && !strings.HasPrefix(got, "reasons: ") {
				t.Errorf("the proof says %q, want %q", got, c.want)
			}
		})
	}
}

// What is quoted has to be found where it is said to be.
func TestQuotesAreLookedUp(t *testing.T) {
	m := material(t, "a2a-0.1")
	full := m.Variants[slices.IndexFunc(m.Variants, func(r *Recording) bool { return r.Variant == "full" })]
	for _, c := range []struct {
		got  string
		want bool
	}{{`"protocolVersion":"never said"`, false}, {`"name":"Reference Agent"`, true}, {"", false}} {
		if recordedIn(full.Transcript, report.At{Exchange: 1}, c.got) != c.want {
			t.Errorf("%q: found %v", c.got, !c.want)
		}
	}
	if recordedIn(full.Transcript, report.At{}, "{") {
		t.Error("something was found in no exchange")
	}
}

const (
	shownReasons = 60 // how many failures are read by hand
	reasonsSeed  = 14 // of the lots by which they are drawn
)

// failureName is what lots are drawn for.
func failureName(dialect, id, mutant string) string { return dialect + " " + id + " " + mutant }

// A failure is what a requirement says of a mutant.
type failure struct {
	dialect, id, mutant, check string
	why                        report.Why
	text                       string
}

// lot is that by which a failure is drawn.
func (f failure) lot() ticket { return lot(reasonsSeed, failureName(f.dialect, f.id, f.mutant)) }

// heading is the first line of a failure as it is read.
func (f failure) heading() string { return fmt.Sprintf("%s under %s (%s)", f.id, f.mutant, f.check) }

// shown is a failure as it is read, without what differs from run to run.
func (f failure) shown() string {
	got := f.why.Got
	if i := strings.LastIndexByte(got, ','); i > 0 && len(got) > 190 {
		got = got[:i+1] // where it was cut, an id may have been cut too
	}
	return fmt.Sprintf("%s\n  sent: %s\n  got:  %s\n  due:  %s\n  at:   %s\n  %s\n\n", f.heading(),
		steady(f.why.Sent), steady(cmp.Or(got, "-")), steady(f.why.Due), steady(spot(f.why)), steady(f.text))
}

// sampledFailures lists the failures of the sampled requirements of a dialect.
func sampledFailures(t *testing.T, dialect string) (out []failure) {
	t.Helper()
	m := material(t, dialect)
	sampled, _ := sample(m.Dialect)
	for _, rec := range m.Live {
		c := rec.newDecider(m.Dialect, suites.Checks())
		for _, id := range rec.Named {
			check := m.Dialect.Requirement(id).Check
			if r := c.Result(id); sampled[id] && r.Verdict == report.Fail && !ofTheClock(check) {
				out = append(out, failure{dialect, id, rec.Mutant, check, r.Why[0], r.Reason})
			}
		}
	}
	return out
}

const reasonsFile = "testdata/reasons.golden"

// Sixty failures, one of each check that is drawn, as a maker reads them. Whoever
// changes a text reads it here: can one say what to mend? Of a few dialects only their own
// failures are compared.
func TestReasonsCanBeRead(t *testing.T) {
	if testamount.Few() && flag.Lookup("update").Value.String() != "true" {
		compareReasons(t, tried())
		return
	}
	byCheck := map[string]failure{}
	for _, dialect := range schema.Names() {
		for _, f := range sampledFailures(t, dialect) {
			if old, other := byCheck[f.check]; !other || f.lot().compare(old.lot()) < 0 {
				byCheck[f.check] = f
			}
		}
	}
	checks := slices.SortedFunc(maps.Keys(byCheck), func(a, b string) int { return lot(reasonsSeed, a).compare(lot(reasonsSeed, b)) })
	if len(checks) < shownReasons {
		t.Fatalf("only %d checks have a failure to show", len(checks))
	}
	checks = checks[:shownReasons]
	slices.Sort(checks)
	var b strings.Builder
	for _, check := range checks {
		b.WriteString(byCheck[check].shown())
	}
	judgetest.Golden(t, reasonsFile, b.String())
}

// compareReasons compares the failures of some dialects with those of them that are in the file.
func compareReasons(t *testing.T, dialects []string) {
	t.Helper()
	text, err := os.ReadFile(reasonsFile)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for block := range strings.SplitAfterSeq(string(text), "\n\n") {
		heading, _, _ := strings.Cut(block, "\n")
		want[heading] = block
	}
	compared := 0
	for _, dialect := range dialects {
		for _, f := range sampledFailures(t, dialect) {
			if block, is := want[f.heading()]; is {
				compared++
				if got := f.shown(); got != block {
					t.Errorf("the text is now\n%s\nnot\n%s(-update rewrites the file)", got, block)
				}
			}
		}
	}
	if compared < shownReasons/3 {
		t.Errorf("only %d failures are in %s", compared, reasonsFile)
	}
}

// ofTheClock reports whether the failures of a check show how far something had
// come, which differs from run to run: how many calls, a task, a subscription or a delivery.
func ofTheClock(check string) bool {
	return strings.HasPrefix(check, "ratelimit/") || strings.HasPrefix(check, "limits/") ||
		slices.Contains([]string{"cancel/told", "cancel/real", "task/spelling", "push/silent", "stream/closes-ended"}, check)
}

// delivery is a step that is named by how many deliveries came before it, which the
// clock decides.
var delivery = regexp.MustCompile(`/(delivery|gone)-\d+$`)

func spot(w report.Why) string {
	out := placed(w.At)
	if w.Against != nil {
		out += " against " + placed(w.Against.At)
	}
	return out
}

func placed(at report.At) string {
	out := delivery.ReplaceAllString(at.Step, "/$1-N")
	if at.Event > 0 {
		out += fmt.Sprintf(", event %d", at.Event)
	}
	if within := cmp.Or(at.Header, at.Pointer); within != "" {
		out += ", " + within
	}
	return out
}

// What differs from run to run, and what it is replaced by.
var fleeting = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "UUID"},
	{regexp.MustCompile(`\btoken-[0-9a-f-]+`), "TOKEN"},
	{regexp.MustCompile(`"signature":"[0-9A-Za-z_-]+"`), `"signature":"SIGNATURE"`}, // of ECDSA, which draws a number for each
	{regexp.MustCompile(`\b[A-Z2-7]{26}\b`), "ID"},
	{regexp.MustCompile(`[0-9A-Za-z-]*…[0-9A-Za-z-]*`), "…"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "HOST"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)?`), "TIME"},
	{regexp.MustCompile(`\b\d+(\.\d+)? (s|ms)\b`), "N $2"},
	{regexp.MustCompile(`exchange \d+`), "exchange N"},
	{regexp.MustCompile(`\bevent \d+`), "event N"},
	{regexp.MustCompile(`\b\d+ events`), "N events"},
	{regexp.MustCompile(`/(poll|look)-\d+`), "/$1-N"},
	{regexp.MustCompile(`a task (in state (submitted|working)|at work|whose stream is open)`), "a task at work"},
}

func steady(s string) string {
	for _, f := range fleeting {
		s = f.what.ReplaceAllString(s, f.by)
	}
	return strings.ReplaceAll(s, "\n", "␊")
}

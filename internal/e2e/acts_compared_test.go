package e2e

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What the comparison is made of: one fault of the field and one thing that is allowed, unless a command asks for all. Then it
// writes the tables into a file.
var (
	comparedMutants = flag.Int("mutants", 0, "how many mutants, drawn by their names, are compared by ACTS and by the catalogue")
	comparedFile    = flag.String("compared", "", "the file into which the comparison of all servers is written")
)

// comparedKind is why a server is compared.
type comparedKind int

const (
	drawnMutant comparedKind = iota
	fieldFault
	allowedByA2A
)

// comparedServer is a server about which ACTS and the catalogue are asked.
type comparedServer struct {
	kind    comparedKind
	name    string   // what it is or does
	about   []string // requirements that it breaks
	variant string
	binding string
	start   func(t *testing.T, o reference.Options) string // returns its URL
}

// opinion is what one of the two says about a server.
type opinion struct {
	failed   map[string]bool // tests or requirements
	messages int             // that the agent was sent
	took     time.Duration
}

// comparedRow is a row of the table.
type comparedRow struct {
	server          comparedServer
	tests, requires []string // that fail, and do not with a healthy server
	namedByTest     string   // a test of those that is about what the server breaks; "" if there is none
	named           string   // a requirement of those that names it
	acts, ours      opinion
}

// drawMutants returns some of the mutants that break a requirement, chosen by their names, so that another mutant changes the
// choice little.
func drawMutants(t *testing.T, d *schema.Dialect, count int) (all []comparedServer) {
	t.Helper()
	about := map[string][]string{}
	for _, r := range d.Requirements {
		for _, m := range r.Mutants {
			about[m] = append(about[m], r.ID)
		}
	}
	known := reference.Mutants(d.Name)
	known = slices.DeleteFunc(known, func(m reference.MutantInfo) bool { return len(about[m.Name]) == 0 })
	lot := func(m reference.MutantInfo) []byte {
		sum := sha256.Sum256([]byte("compared with ACTS: " + m.Name))
		return sum[:]
	}
	slices.SortFunc(known, func(a, b reference.MutantInfo) int { return bytes.Compare(lot(a), lot(b)) })
	for _, m := range known[:count] {
		all = append(all, comparedServer{drawnMutant, m.Name + ": " + m.Summary, about[m.Name], cmp.Or(m.Variant, "full"), harness.EachBinding, func(t *testing.T, o reference.Options) string {
			o.Mutant = m.Name
			return bundled(t, o).URL()
		}})
	}
	return all
}

// listFieldServers returns servers that behave as some in the field do: they break A2A 1.0, or make use of what it permits.
func listFieldServers(dialect string) (all []comparedServer) {
	for _, b := range listNamedBehaviours() {
		if b.dialect == "" || b.dialect == dialect {
			all = append(all, comparedServer{fieldFault, b.does, b.fails, "full", cmp.Or(b.binding, "JSONRPC"), func(t *testing.T, o reference.Options) string {
				o.Mutant = b.mutant
				return changedServer(t, o, b.change, b.write)
			}})
		}
	}
	for _, b := range listAllowedBehaviours() {
		if b.dialect == dialect && b.lets == nil {
			all = append(all, comparedServer{allowedByA2A, b.does, nil, "full", cmp.Or(b.binding, "JSONRPC"), func(t *testing.T, o reference.Options) string {
				return changedServer(t, o, b.change, b.write)
			}})
		}
	}
	return all
}

// listFieldCases returns the servers of the field that are described with their bytes, each of which stands for a kind.
func listFieldCases() []comparedServer {
	mutant := func(name string) func(*testing.T, reference.Options) string {
		return func(t *testing.T, o reference.Options) string {
			o.Mutant = name
			return bundled(t, o).URL()
		}
	}
	edited := func(edit func(k call, m map[string]any)) func(*testing.T, reference.Options) string {
		return func(t *testing.T, o reference.Options) string {
			return doctored(t, o, func(k call, r *reply) { r.edit(func(m map[string]any) { edit(k, m) }) })
		}
	}
	const rpc = "JSONRPC"
	return []comparedServer{
		{fieldFault, "the card has an address that no client can call", []string{"A2A10-CARD-014"}, "full", rpc, mutant("card-url-unspecified")},
		{fieldFault, "a message in a task names another context", []string{"A2A10-DATA-013"}, "full", rpc, edited(contextChangedInAnswer)},
		{fieldFault, "webhooks without an id all get that of their task", []string{"A2A10-PUSH-015"}, "full", rpc, mutant("push-id-of-task")},
		{fieldFault, "streams end without the last chunk of HTTP/1.1", []string{"A2A10-STREAM-002"}, "full", rpc, withoutLastChunk},
		{fieldFault, "all events of a stream come when its task has ended", []string{"A2A10-STREAM-030"}, "full", rpc, mutant("stream-buffered")},
		{fieldFault, "a stream falls silent, and its task has long ended", []string{"A2A10-STREAM-013"}, "full", rpc, mutant("stream-falls-silent")},
		{allowedByA2A, "an artifact is sent anew", nil, "full", rpc, edited(artifactSentAnew)},
		{allowedByA2A, "no status has a timestamp", nil, "full", rpc, edited(func(_ call, m map[string]any) { without(m, "timestamp") })},
		{fieldFault, "gRPC errors have no ErrorInfo", []string{"A2A10-GRPC-ERR-001"}, "full", harness.EachBinding, mutant("grpc-error-details-missing")},
		{allowedByA2A, "null for what a message does not have", nil, "full", rpc, edited(func(_ call, m map[string]any) { nullMessages(m["result"]) })},
		{fieldFault, "tasks are kept from other clients by GetTask alone", []string{"A2A10-AUTH-015", "A2A10-AUTH-016"}, "guarded", rpc, mutant("guard-shares-subscribe")},
	}
}

// chooseFew returns the first fault of the field, and the first thing that is allowed.
func chooseFew(all []comparedServer) (few []comparedServer) {
	for _, kind := range []comparedKind{fieldFault, allowedByA2A} {
		few = append(few, all[slices.IndexFunc(all, func(s comparedServer) bool { return s.kind == kind })])
	}
	return few
}

// askBoth has a server judged by ACTS and by the catalogue, over the same bindings and with the same credentials.
func askBoth(t *testing.T, s comparedServer, set *acts.Set) (byACTS, byCatalogue opinion) {
	t.Helper()
	o := reference.Options{Dialect: "a2a-1.0", Variant: s.variant}
	if s.binding == harness.EachBinding || s.binding == "GRPC" {
		o.GRPCAddr = "127.0.0.1:0"
	}
	target := identity()
	target.URL, target.Binding = s.start(t, o), s.binding
	target.Webhook.Listen, target.CardKey = "127.0.0.1:0", string(reference.CardKeys())
	target.Timeout, target.Deadline = 10*time.Second, time.Minute // some servers never answer; others fall silent in a stream, which takes 7 s to see
	target.Allow = []schema.Risk{schema.Heavy, schema.Outbound, schema.Residue}
	d, err := schema.Load(target.Dialect)
	if err != nil {
		t.Fatal(err)
	}

	run := acts.NewRun(set, acts.NewEnvironment(nil, nil, os.LookupEnv))
	own := target
	own.Version = "test"
	began := time.Now()
	recording, err := harness.PlayOwn(t.Context(), operator.Target(own), run.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	byACTS = opinion{map[string]bool{}, countMessages(d, recording.Transcript), time.Since(began)}
	for _, transport := range run.Transports() {
		for _, r := range run.Results(transport, "it was not played") {
			if r.Result == acts.Failed {
				byACTS.failed[r.Test.ID] = true
			}
		}
	}

	began = time.Now()
	outcome, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	byCatalogue = opinion{map[string]bool{}, countMessages(d, outcome.Transcript), time.Since(began)}
	for _, r := range outcome.Report.Results {
		if r.Verdict == report.Fail {
			byCatalogue.failed[r.ID] = true
		}
	}
	return byACTS, byCatalogue
}

// countMessages counts the calls that have an agent work.
func countMessages(d *schema.Dialect, t *record.Transcript) (count int) {
	for _, s := range t.Steps() {
		if s.Exchange == nil || s.Of != "" {
			continue
		}
		text := s.Exchange.URL + string(s.Exchange.CallText())
		if d.Operation(s.Op).Agent || s.Op == "raw" && (strings.Contains(text, "SendMessage") || strings.Contains(text, "SendStreamingMessage") || strings.Contains(text, "/message:")) {
			count++
		}
	}
	return count
}

// compareServer returns the row of a server. What fails with a healthy server of the same variant over the same bindings is
// no sign of a defect.
func compareServer(t *testing.T, s comparedServer, set *acts.Set, healthy func(variant, binding string) (byACTS, byCatalogue opinion)) comparedRow {
	t.Helper()
	plainTests, plainRequirements := healthy(s.variant, s.binding)
	row := comparedRow{server: s}
	row.acts, row.ours = askBoth(t, s, set)
	row.tests, row.requires = listNew(row.acts, plainTests), listNew(row.ours, plainRequirements)
	for _, id := range row.tests {
		m, ok := acts.FindMapping(id)
		if ok && row.namedByTest == "" && slices.ContainsFunc(m.Requirements, func(r string) bool { return slices.Contains(s.about, r) }) {
			row.namedByTest = id
		}
	}
	if i := slices.IndexFunc(row.requires, func(id string) bool { return slices.Contains(s.about, id) }); i >= 0 {
		row.named = row.requires[i]
	}
	return row
}

// listNew returns what fails in an opinion and not in that about a healthy server.
func listNew(is, healthy opinion) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(is.failed)) {
		if !healthy.failed[id] {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestACTSCompared asks ACTS and the catalogue about the same servers, and compares what they say with docs/acts-compared.md.
func TestACTSCompared(t *testing.T) {
	t.Parallel()
	set, err := acts.Files(corpus.ReadCorpusFile, []string{corpus.CorpusMaster}, acts.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(drawMutants(t, d, *comparedMutants), listFieldServers(d.Name), listFieldCases())
	if *comparedFile == "" {
		all = chooseFew(all)
	}
	var mu sync.Mutex
	type opinions struct{ acts, ours opinion }
	known := map[string]opinions{}
	healthy := func(variant, binding string) (byACTS, byCatalogue opinion) {
		mu.Lock()
		defer mu.Unlock()
		key := variant + " " + binding
		if _, done := known[key]; !done {
			a, c := askBoth(t, comparedServer{variant: variant, binding: binding, start: func(t *testing.T, o reference.Options) string { return bundled(t, o).URL() }}, set)
			known[key] = opinions{a, c}
		}
		return known[key].acts, known[key].ours
	}
	rows := make([]comparedRow, len(all))
	for i, s := range all {
		t.Run(s.name, func(t *testing.T) { rows[i] = compareServer(t, s, set, healthy) })
	}
	if t.Failed() {
		return
	}
	if *comparedFile != "" {
		healthyACTS, healthyOurs := healthy("full", harness.EachBinding)
		text := describeComparison(rows, healthyACTS, healthyOurs)
		if err := os.WriteFile(*comparedFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(filepath.Join("docs", "acts-compared.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if stable := strings.Join(row.listStableCells(), " | "); !strings.Contains(string(kept), stable+" |") {
			t.Errorf("docs/acts-compared.md lacks %q; .ci/README.md says how to write it anew", stable)
		}
	}
}

// listStableCells returns the cells of a row that do not depend on the machine.
func (r *comparedRow) listStableCells() []string {
	name := strings.ReplaceAll(safetext.OneLine(r.server.name), "|", "\\|")
	if r.server.kind == allowedByA2A {
		return []string{name, r.server.binding, cmp.Or(strings.Join(r.tests, ", "), "none"), cmp.Or(strings.Join(r.requires, ", "), "none")}
	}
	return []string{name, sayWhether(len(r.tests) > 0), cmp.Or(r.namedByTest, "no"), sayWhether(len(r.requires) > 0), cmp.Or(r.named, "no")}
}

func sayWhether(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }

// describeComparison returns the document with the tables.
func describeComparison(rows []comparedRow, healthyACTS, healthyOurs opinion) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# ACTS and the catalogue, compared

What do the published tests of [ACTS](acts.md) and the catalogue of A2A 1.0 find in the same servers? Each server was judged by
both, over the same bindings and with the same credentials: by the %d tests of the corpus of %s, and by a whole run of the
catalogue. `+"`.ci/full acts-compared`"+` makes the tables anew, and fails if a server is found otherwise than here.

- *Caught*: a test, or a requirement, fails that does not with a healthy server of the same kind. On the healthy server, %d tests of
  the corpus fail ([the guide](acts.md) says why each is wrong), and %s of the catalogue.
- *Named*: one of these is about what the server breaks. A requirement is if it names the defect; a test is if [its row](acts.md)
  has such a requirement.
- *Messages* are the calls that have an agent work; seconds are those of one machine, on which other work was done.

Read the tables with care. The mutants are the catalogue's own: each is a defect that some requirement was shown to find, so that
the catalogue catches all of them by the way in which they came about, and many are about what the corpus does not look at. The
faults of the field were collected from real servers by others, but the catalogue has a test that it names each of them. It names
two by a finding, which fails nothing: the address that no client can call, and the streams without their last chunk.
`, corpus.CorpusTests, corpus.CorpusDate, len(healthyACTS.failed), safetext.CountWithNoun(len(healthyOurs.failed), "requirement"))
	for _, table := range []struct {
		kind        comparedKind
		title, what string
	}{{drawnMutant, "Mutants, drawn by their names", "mutant"}, {fieldFault, "Faults of servers in the field", "what the server does"}} {
		of := slices.DeleteFunc(slices.Clone(rows), func(r comparedRow) bool { return r.server.kind != table.kind })
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", table.title, summariseComparison(of))
		fmt.Fprintf(&b, "| %s | ACTS: caught | named by | catalogue: caught | named by | messages, ACTS | catalogue | seconds, ACTS | catalogue |\n|---|---|---|---|---|---|---|---|---|\n", table.what)
		for _, r := range of {
			fmt.Fprintf(&b, "| %s | %d | %d | %.1f | %.1f |\n", strings.Join(r.listStableCells(), " | "), r.acts.messages, r.ours.messages, r.acts.took.Seconds(), r.ours.took.Seconds())
		}
	}
	b.WriteString("\n## What servers may do\n\nA2A permits these. What fails here and not with a healthy server is a false accusation.\n\n| what the server does | binding | accused by ACTS | by the catalogue |\n|---|---|---|---|\n")
	for _, r := range rows {
		if r.server.kind == allowedByA2A {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(r.listStableCells(), " | "))
		}
	}
	return b.String()
}

// summariseComparison counts what was caught and named, and what it took.
func summariseComparison(rows []comparedRow) string {
	var caught, named, oursCaught, oursNamed, messages, oursMessages int
	var took, oursTook time.Duration
	for _, r := range rows {
		for _, count := range []struct {
			of *int
			is bool
		}{{&caught, len(r.tests) > 0}, {&named, r.namedByTest != ""}, {&oursCaught, len(r.requires) > 0}, {&oursNamed, r.named != ""}} {
			if count.is {
				*count.of++
			}
		}
		messages, oursMessages, took, oursTook = messages+r.acts.messages, oursMessages+r.ours.messages, took+r.acts.took, oursTook+r.ours.took
	}
	n := max(len(rows), 1)
	return fmt.Sprintf("Of %d servers, ACTS catches %d and names %d; the catalogue catches %d and names %d. ACTS takes %d messages and %.1f s for each, the\ncatalogue %d and %.1f s.",
		len(rows), caught, named, oursCaught, oursNamed, messages/n, took.Seconds()/float64(n), oursMessages/n, oursTook.Seconds()/float64(n))
}

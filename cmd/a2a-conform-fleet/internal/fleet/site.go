package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// pagesFolder is the folder of a site for the pages of single agents.
const pagesFolder = "agents"

// maxHistoryRounds is of how many rounds a site shows results.
const maxHistoryRounds = 30

// Overview returns what a site shows of a fleet. With live set, what waits is shown too.
func (f *Fleet) Overview(ctx context.Context, live bool) (o fleetpage.Fleet, err error) {
	o.Live = live
	rounds, err := f.Rounds(ctx)
	if err != nil {
		return o, err
	}
	rounds = rounds[max(0, len(rounds)-maxHistoryRounds):]
	shown := map[string]bool{}
	for _, r := range rounds {
		shown[r.ID] = true
		one := fleetpage.Round{ID: r.Number(), Began: r.Began, Finished: r.Finished != nil, Targets: r.Targets, Results: r.Results, Repeated: r.Repeated, GivenUp: r.GivenUp}
		if !one.Finished {
			s, err := f.countResultsAndQueued(ctx, r)
			if err != nil {
				return o, err
			}
			one.Results, one.Repeated, one.GivenUp = s.Results, s.Repeated, s.GivenUp
			one.Targets = max(one.Targets, s.Results+s.Waiting)
		}
		o.Rounds = append(o.Rounds, one)
	}
	history, err := f.readPointsOfShownRounds(ctx, shown)
	if err != nil {
		return o, err
	}
	waits := map[string]bool{}
	if live {
		if waits, err = f.queuedTargetIDs(ctx, rounds); err != nil {
			return o, err
		}
	}
	held, left, newest := 0, 0, ""
	if len(rounds) > 0 {
		newest = rounds[len(rounds)-1].ID
	}
	if err := broker.Scan(ctx, f.conn, f.latest, ">", func() { o.Targets, held, left = nil, 0, 0 }, func(target string, l Latest) {
		h := history[target]
		if len(h) == 0 || l.Details == nil {
			return // it is listed no longer
		}
		if l.Round > newest {
			f.conn.RecordUnreadable(f.latest.Bucket(), target, fmt.Errorf("it is of round %s, which there is not", l.Round))
			return
		}
		slices.SortFunc(h, func(a, b fleetpage.Point) int { return a.At.Compare(b.At) })
		l.Details.truncateForDisplay()
		if held+l.Details.memorySize() > maxDetailBytes {
			l.Details.Changes = nil
		}
		if held += l.Details.memorySize(); held > 3*maxDetailBytes {
			left++
			return
		}
		t := fleetpage.Target{ID: target, Name: l.Details.Name, URL: l.Details.URL, Agent: l.Details.Agent, Dialect: l.Details.Dialect, Latest: h[len(h)-1], Reason: l.Details.Reason,
			Summary: l.Details.Summary, History: h, Changes: l.Details.Changes, Waiting: waits[target]}
		if live && l.Evidence != "" {
			t.Page = pagesFolder + "/" + target + ".html"
		}
		o.Targets = append(o.Targets, t)
	}); err != nil {
		return o, err
	}
	if left > 0 {
		f.conn.RecordUnreadable(f.latest.Bucket(), fmt.Sprintf("%d further targets", left), errors.New("what is kept of all targets is too large for a page"))
	}
	for _, u := range f.conn.Unreadable() {
		o.Unreadable = append(o.Unreadable, u.String())
	}
	slices.SortFunc(o.Targets, func(a, b fleetpage.Target) int {
		return strings.Compare(strings.Join([]string{a.Name, a.URL, a.Dialect, a.ID}, "\x00"), strings.Join([]string{b.Name, b.URL, b.Dialect, b.ID}, "\x00"))
	})
	return o, nil
}

// maxShownTargets bounds the targets of a site, and maxHistoryPoints the results of their histories.
const (
	maxShownTargets  = 200_000
	maxHistoryPoints = 1_000_000
)

// readPointsOfShownRounds returns what each target came to in some rounds.
func (f *Fleet) readPointsOfShownRounds(ctx context.Context, shownRounds map[string]bool) (map[string][]fleetpage.Point, error) {
	out := map[string][]fleetpage.Point{}
	points, more := 0, 0
	err := broker.Scan(ctx, f.conn, f.results, ">", func() {
		clear(out)
		points, more = 0, 0
	}, func(key string, r Result) {
		round, target := splitKey(key)
		switch {
		case !shownRounds[round]:
		case points == maxHistoryPoints || out[target] == nil && len(out) == maxShownTargets:
			more++
		default:
			points++
			out[target] = append(out[target], fleetpage.Point{Round: Round{ID: round}.Number(), At: r.At, Verdict: r.Verdict, Changed: r.Changed, Tries: r.Tries})
		}
	})
	if more > 0 {
		f.conn.RecordUnreadable(f.results.Bucket(), fmt.Sprintf("%d further results", more), fmt.Errorf("a site shows at most %d targets and %d results", maxShownTargets, maxHistoryPoints))
	}
	return out, err
}

// truncateForDisplay shortens the texts of a result to what a page shows of them.
func (f *Details) truncateForDisplay() {
	f.Name, f.Agent = broker.CutWithoutEllipsis(f.Name, maxShownText), broker.CutWithoutEllipsis(f.Agent, maxShownText)
	f.URL, f.Reason = broker.CutWithoutEllipsis(f.URL, 2*maxShownText), broker.CutWithoutEllipsis(f.Reason, 2*maxShownText)
}

// maxShownText is how many bytes of a name are shown at most; a page shortens it further.
const maxShownText = 800

// queuedTargetIDs returns the targets of open rounds that are queued or being judged.
func (f *Fleet) queuedTargetIDs(ctx context.Context, rounds []Round) (map[string]bool, error) {
	out := map[string]bool{}
	for _, r := range rounds {
		if r.Finished != nil {
			continue
		}
		subjects, err := f.queuedSubjects(ctx, r)
		if err != nil {
			return nil, err
		}
		for s := range subjects {
			out[s[strings.LastIndex(s, ".")+1:]] = true
		}
	}
	return out, nil
}

// Site describes what a site in a folder carries.
type Site struct {
	Dir      string
	MaxBytes int64 // of the pages of single agents
}

// siteBytes is how large the pages of single agents may be together as a rule, so that a site
// can be kept by a CI job or be published as it is.
const siteBytes = 80 << 20

// Write writes the site: the page over all agents, and pages of those that are not conformant
// or have changed, the worst first, as many as there is room for.
func (s Site) Write(ctx context.Context, f *Fleet) (fleetpage.Fleet, error) {
	o, err := f.Overview(ctx, false)
	if err != nil {
		return o, err
	}
	dir := filepath.Join(s.Dir, pagesFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return o, fmt.Errorf("--out: %w", err)
	}
	if err := removeTargetPages(dir); err != nil {
		return o, fmt.Errorf("--out: %w", err)
	}
	if s.MaxBytes <= 0 {
		s.MaxBytes = siteBytes
	}
	var worth []*fleetpage.Target
	for i := range o.Targets {
		if t := &o.Targets[i]; t.Latest.Verdict != report.Conformant || t.Latest.Changed {
			worth = append(worth, t)
		}
	}
	slices.SortStableFunc(worth, func(a, b *fleetpage.Target) int {
		return verdictSeverity(b.Latest.Verdict) - verdictSeverity(a.Latest.Verdict)
	})
	var mu sync.Mutex
	var size int64
	left := 0
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(2) // each holds a transcript
	for _, t := range worth {
		group.Go(func() error {
			mu.Lock()
			over := size >= s.MaxBytes
			if over {
				left++
			}
			mu.Unlock()
			if over {
				return nil
			}
			var b bytes.Buffer
			found, err := f.writeTargetPage(within, t.ID, "", &b, true)
			if errors.Is(err, broker.ErrUnreadableObject) { // it costs its own page only
				return nil
			}
			if err != nil || !found {
				return err
			}
			mu.Lock()
			size += int64(b.Len())
			mu.Unlock()
			t.Page = pagesFolder + "/" + t.ID + ".html"
			return os.WriteFile(filepath.Join(s.Dir, filepath.FromSlash(t.Page)), b.Bytes(), 0o644)
		})
	}
	if err := group.Wait(); err != nil {
		return o, err
	}
	o.Unreadable = nil
	for _, u := range f.conn.Unreadable() {
		o.Unreadable = append(o.Unreadable, u.String())
	}
	if left > 0 {
		o.Unshown = fmt.Sprintf("%d pages of single agents are left out, because those that are here have %d MB together; fleet serve shows every one", left, size>>20)
	}
	return o, fleetpage.WritePageListAndMarkdown(s.Dir, o)
}

// removeTargetPages removes the pages of an earlier site.
func removeTargetPages(dir string) error {
	old, err := os.ReadDir(dir)
	for _, f := range old {
		if !targetPage.MatchString(f.Name()) { // which is not ours
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return err
}

// writeTargetPage writes the page of a target's result: the latest, or that of a round. A brief one has
// only what shows the verdicts.
func (f *Fleet) writeTargetPage(ctx context.Context, target, round string, w io.Writer, brief bool) (found bool, err error) {
	e, found, err := f.findEvidence(ctx, target, round)
	if err != nil || !found {
		return found, err
	}
	weight := min(e.unpackedSize(), maxPageMemory)
	if err := f.pageMemory.Acquire(ctx, weight); err != nil {
		return true, err
	}
	defer f.pageMemory.Release(weight)
	defer func() { // whoever wrote the report may have found what a page cannot show
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: no page can be made of it: %v", broker.ErrUnreadableObject, p)
		}
		if errors.Is(err, broker.ErrUnreadableObject) {
			f.conn.RecordUnreadable(evidenceStore, target, err)
		}
	}()
	report, transcript, err := readReportAndTranscript(e)
	if err != nil {
		return true, err
	}
	if brief {
		return true, html.WriteSizeLimitedReport(w, report, transcript)
	}
	return true, html.WriteReport(w, report, transcript)
}

// maxPageMemory is how many bytes of reports and transcripts are read at the same time.
const maxPageMemory = 48 << 20

// readReportAndTranscript reads the report and the transcript that show a target's result.
func readReportAndTranscript(e Evidence) (*report.Report, *record.Transcript, error) {
	var report *report.Report
	if err := readEvidence(e.report, func(r io.Reader) (err error) {
		report, err = reports.ReadJSON(r)
		return err
	}); err != nil {
		return nil, nil, err
	}
	var transcript *record.Transcript
	err := readEvidence(e.transcript, func(r io.Reader) (err error) {
		transcript, err = binding.ReadTranscript(r)
		return err
	})
	return report, transcript, err
}

// findEvidence returns the evidence of a target's result: of the latest, or of that of a round.
func (f *Fleet) findEvidence(ctx context.Context, target, round string) (e Evidence, found bool, err error) {
	var evidence string
	if round == "" {
		var l Latest
		if l, _, found, err = broker.Get[Latest](ctx, f.conn, f.latest, target); err == nil {
			evidence = l.Evidence
		}
	} else {
		var r Result
		if r, _, found, err = broker.Get[Result](ctx, f.conn, f.results, round+"."+target); err == nil {
			evidence = r.Evidence
		}
	}
	if err != nil || !found || evidence == "" {
		return e, false, err
	}
	e, found, err = f.Evidence(ctx, target, evidence)
	if errors.Is(err, broker.ErrUnreadableObject) {
		f.conn.RecordUnreadable(evidenceStore, evidenceName(target, evidence), err)
	}
	return e, found, err
}

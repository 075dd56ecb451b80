package fleet

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Result is what a round found out about a target. If nothing changed since the round
// before, only what may differ all the same is kept for the round; the rest is in the latest
// result of the target.
type Result struct {
	Verdict  report.RunVerdict `json:"verdict"`
	Vector   string            `json:"vector,omitempty"`   // digest of the verdicts of all requirements
	Evidence string            `json:"evidence,omitempty"` // ROUND.RUN whose report and transcript show them
	At       time.Time         `json:"at"`                 // when the run began
	Took     int64             `json:"took,omitempty"`     // milliseconds
	Tries    int               `json:"tries"`              // conversations that were begun for it
	GivenUp  bool              `json:"givenUp,omitempty"`  // it ended as a dead letter
	Changed  bool              `json:"changed,omitempty"`  // the verdicts are other ones than in the round before
	Refused  bool              `json:"refused,omitempty"`  // the server let no call in for want of credentials
	Run      string            `json:"run"`                // of which run it is, so that an answer that got lost is recognised

	Details *Details `json:"full,omitempty"`
}

// Details is what is known of a target in addition to its verdicts.
type Details struct {
	Name             string                  `json:"name,omitempty"`
	URL              string                  `json:"url"`
	Asked            string                  `json:"asked"`   // the dialect of the entry
	Dialect          string                  `json:"dialect"` // by which it was judged
	Agent            string                  `json:"agent,omitempty"`
	Reason           string                  `json:"reason"`
	Summary          map[string]report.Count `json:"summary"`
	Tool             string                  `json:"tool"`
	CatalogueVersion string                  `json:"catalogueVersion,omitempty"`
	Changes          []report.Change         `json:"changes,omitempty"` // since the round before
	Before           *PriorRound             `json:"before,omitempty"`
	Since            *PriorRound             `json:"since,omitempty"` // the last round before that states anything about requirements
}

// PriorRound is what the round before came to.
type PriorRound struct {
	Round   string            `json:"round"`
	Verdict report.RunVerdict `json:"verdict"`
}

// Latest is the latest result of a target.
type Latest struct {
	Round string `json:"round"`
	Result
	// Earlier is the latest round that states anything about requirements, if this result does not:
	// the next one is compared with that.
	Earlier *ComparisonBase `json:"earlier,omitempty"`
}

// ComparisonBase is what a later round is compared with.
type ComparisonBase struct {
	Round            string            `json:"round"`
	Verdict          report.RunVerdict `json:"verdict"`
	Vector           string            `json:"vector"`
	Dialect          string            `json:"dialect"`
	CatalogueVersion string            `json:"catalogueVersion,omitempty"`
}

// judgesRequirements reports whether a result states anything about requirements: the server was there, and let
// calls in.
func (r *Result) judgesRequirements() bool { return r.Verdict.Speaks() && !r.Refused }

// comparisonBase returns what a later round is compared with; nil if there is nothing yet.
func (l *Latest) comparisonBase() *ComparisonBase {
	if !l.judgesRequirements() || l.Details == nil {
		return l.Earlier
	}
	return &ComparisonBase{l.Round, l.Verdict, l.Vector, l.Details.Dialect, l.Details.CatalogueVersion}
}

// Change is what is published if the results of an agent changed.
type Change struct {
	Target  string            `json:"target"`
	Round   string            `json:"round"`
	Name    string            `json:"name,omitempty"`
	URL     string            `json:"url"`
	Dialect string            `json:"dialect"`
	Before  *PriorRound       `json:"before"`
	Verdict report.RunVerdict `json:"verdict"`
	Changes []report.Change   `json:"changes"` // of requirements; at most 100
	Reason  string            `json:"reason"`
}

// Retention limits what is kept of earlier rounds.
type Retention struct {
	Rounds int   // of which results are kept
	Bytes  int64 // of reports and transcripts
	All    bool  // keep report and transcript of every run
}

// maxChanges is how many changes of requirements are kept with a result.
const maxChanges = 100

// evidenceRefreshRounds is after how many rounds report and transcript are kept again though nothing
// changed.
const evidenceRefreshRounds = 30

// vector are the verdicts of all requirements.
type vector map[string]report.Verdict

func newVector(r *report.Report) vector {
	v := vector{}
	for i := range r.Results {
		v[r.Results[i].ID] = r.Results[i].Verdict
	}
	return v
}

// compressJSON returns a vector as it is kept, compressed; equal vectors have equal texts.
func (v vector) compressJSON() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(broker.Encode(v)) // with its keys in order
	z.Close()
	return b.Bytes()
}

func (f *Fleet) readVector(ctx context.Context, digest string) (v vector, err error) {
	var text []byte
	if err := f.conn.Retry(ctx, func(ctx context.Context) error {
		e, err := f.vectors.Get(ctx, digest)
		if err == nil {
			text = e.Value()
		}
		return err
	}); err != nil {
		return nil, err
	}
	v, err = decodeVector(digest, text, f.conn.Now())
	if err != nil {
		f.conn.RecordUnreadable(f.vectors.Bucket(), digest, err)
		return nil, jetstream.ErrKeyNotFound
	}
	return v, nil
}

// finishedRun is a run that has come to its end.
type finishedRun struct {
	target  agentlist.Target
	round   string
	run     string
	at      time.Time
	tries   int
	givenUp bool
	outcome *conform.Outcome // nil if the entry was refused or given up
	reason  string           // of that
}

// storeRun stores the result of a run, unless there is one for its target and round: each has
// exactly one, whoever was faster. What follows from it is done by whoever finds it.
func (f *Fleet) storeRun(ctx context.Context, j finishedRun, k Retention, tool string) (Result, error) {
	before, _, known, err := f.readLatestIgnoringUnknownRounds(ctx, j.target.ID, j.round)
	if err != nil {
		return Result{}, err
	}
	if known && before.Round >= j.round {
		known = false // a later round was faster: this one compares with nothing
	}
	r := Result{At: j.at.UTC().Truncate(time.Millisecond), Took: time.Since(j.at).Milliseconds(), Tries: j.tries, GivenUp: j.givenUp, Run: j.run, Verdict: report.Void}
	full := &Details{Name: j.target.Name, URL: redact.StripSecrets(j.target.URL), Asked: j.target.Dialect, Dialect: j.target.Dialect, Agent: j.target.Agent, Reason: safetext.OneLine(j.reason), Tool: tool}
	var now vector
	if o := j.outcome; o != nil {
		if r.Verdict, r.Refused = o.Report.Verdict, o.Report.NeedsCredentials; r.Refused && r.Verdict == report.Void {
			r.Verdict = report.NeedsCredentials
		}
		if r.judgesRequirements() { // otherwise what is decided differs by chance
			now = newVector(o.Report)
		}
		full.Dialect, full.Reason, full.Summary = o.Report.Target.Dialect, o.Report.Reason, o.Report.Summary
		full.CatalogueVersion = o.Report.Tool.CatalogueVersion
		if o.Report.Target.Agent != "" {
			full.Agent = o.Report.Target.Agent
		}
	}
	full.truncateTexts()
	text := now.compressJSON()
	r.Vector = broker.Digest(string(r.Verdict) + string(broker.Encode(now)))
	r.Changed = known && before.Vector != r.Vector
	if r.Changed {
		full.Before = &PriorRound{before.Round, before.Verdict}
		if was := before.comparisonBase(); was != nil && r.judgesRequirements() {
			full.Since = &PriorRound{was.Round, was.Verdict}
			if before.Verdict == report.Void { // a void night is passed over
				full.Before = full.Since
			}
			if full.Changes, err = f.compareWithEarlier(ctx, was, j.outcome); err != nil {
				return r, err
			}
		}
	}
	if known {
		r.Evidence = before.Evidence
	}
	fresh := !known || r.Changed
	if fresh {
		r.Details = full
		if err := f.conn.Retry(ctx, func(ctx context.Context) error {
			if _, err := f.vectors.Create(ctx, r.Vector, text); !broker.IsConflict(err) {
				return err
			}
			return nil
		}); err != nil {
			return r, err
		}
	}
	if j.outcome != nil && (fresh || k.All || r.Verdict == report.Void || r.Verdict == report.NeedsCredentials || roundsSince(r.Evidence, j.round) >= evidenceRefreshRounds) {
		r.Evidence = j.evidenceRoundAndRun()
		if err := f.storeEvidence(ctx, j); err != nil {
			return r, err
		}
	}
	if err := f.storeResult(ctx, j.round+"."+j.target.ID, r); err != nil {
		return r, err
	}
	kept, _, err := f.updateLatestAndPublish(ctx, j.round, j.target.ID)
	if err == nil && kept.Run != j.run && r.Evidence == j.evidenceRoundAndRun() { // somebody else was faster
		err = f.deleteEvidence(ctx, evidenceName(j.target.ID, r.Evidence))
	}
	return kept, err
}

// storeResult stores a result, unless there is one that can be read: it takes the place of what
// somebody else put there.
func (f *Fleet) storeResult(ctx context.Context, key string, r Result) error {
	for {
		_, revision, found, err := broker.Get[Result](ctx, f.conn, f.results, key)
		if err != nil || found {
			return err
		}
		err = f.conn.Retry(ctx, func(ctx context.Context) error {
			_, err := broker.Put(ctx, f.results, key, broker.Encode(r), revision)
			return err
		})
		if !broker.IsConflict(err) {
			return err
		}
	}
}

// readLatestIgnoringUnknownRounds reads the latest result of a target as a round sees it. One that states to be of a later
// round counts only if there is that round.
func (f *Fleet) readLatestIgnoringUnknownRounds(ctx context.Context, target, round string) (l Latest, revision uint64, found bool, err error) {
	l, revision, found, err = broker.Get[Latest](ctx, f.conn, f.latest, target)
	if err != nil || !found || l.Round <= round {
		return l, revision, found, err
	}
	rounds, err := f.Rounds(ctx)
	if err != nil {
		return l, revision, found, err
	}
	if slices.ContainsFunc(rounds, func(r Round) bool { return r.ID == l.Round }) {
		return l, revision, true, nil
	}
	f.conn.RecordUnreadable(f.latest.Bucket(), target, fmt.Errorf("it is of round %s, which there is not", l.Round))
	return Latest{}, revision, false, nil
}

// truncateTexts shortens the texts of a result to what may be kept.
func (f *Details) truncateTexts() {
	f.Name, f.URL, f.Agent = broker.CutWithoutEllipsis(f.Name, maxShortText), broker.CutWithoutEllipsis(f.URL, maxURLBytes), broker.CutWithoutEllipsis(f.Agent, maxShortText)
	f.Reason = broker.CutWithoutEllipsis(f.Reason, maxSentenceBytes)
}

// maxDetailBytes is how many bytes of results are held in memory with all that is known of them; of further
// ones only what is shown in a line.
const maxDetailBytes = 24 << 20

// memorySize returns about how many bytes the details of a result take in memory.
func (f *Details) memorySize() int {
	n := len(f.Name) + len(f.URL) + len(f.Agent) + len(f.Reason) + 100*len(f.Summary)
	for i := range f.Changes {
		n += 200 + len(f.Changes[i].Before) + len(f.Changes[i].After) + len(f.Changes[i].Why)
	}
	return n
}

// evidenceRoundAndRun returns the name of a run in the store of reports and transcripts.
func (j *finishedRun) evidenceRoundAndRun() string { return j.round + "." + j.run }

// roundsSince returns how many rounds a round is after the one of an evidence.
func roundsSince(evidence, to string) int {
	from, _, _ := strings.Cut(evidence, ".")
	a, err := strconv.Atoi(from)
	b, wrong := strconv.Atoi(to)
	if err != nil || wrong != nil {
		return evidenceRefreshRounds
	}
	return b - a
}

// updateLatestAndPublish does what follows from a result: it becomes the latest of its target, and a change is
// published. Doing it again changes nothing, so that whoever dies in between loses nothing.
func (f *Fleet) updateLatestAndPublish(ctx context.Context, round, target string) (r Result, found bool, err error) {
	r, _, found, err = broker.Get[Result](ctx, f.conn, f.results, round+"."+target)
	if err != nil || !found {
		return r, found, err
	}
	for {
		l, revision, known, err := f.readLatestIgnoringUnknownRounds(ctx, target, round)
		if err != nil {
			return r, true, err
		}
		if known && l.Round >= round {
			break
		}
		next := Latest{Round: round, Result: r}
		if known && !r.judgesRequirements() {
			next.Earlier = l.comparisonBase()
		}
		if next.Details == nil {
			next.Details = l.Details
			if l.Details != nil {
				full := *l.Details
				full.Changes, full.Before = nil, nil // which were those of an earlier round
				next.Details = &full
			}
		}
		err = f.conn.Retry(ctx, func(ctx context.Context) error {
			_, err := broker.Put(ctx, f.latest, target, broker.Encode(next), revision)
			return err
		})
		if err == nil {
			break
		}
		if !broker.IsConflict(err) {
			return r, true, err
		}
	}
	if r.Changed && r.Details != nil {
		c := Change{target, round, r.Details.Name, r.Details.URL, r.Details.Dialect, r.Details.Before, r.Verdict, r.Details.Changes, r.Details.Reason}
		err = f.conn.Retry(ctx, func(ctx context.Context) error {
			_, err := f.conn.JetStream.Publish(ctx, ChangedSubject, broker.Encode(c), jetstream.WithMsgID(round+"."+target))
			return err
		})
	}
	return r, true, err
}

// splitKey returns the round and the target of a key.
func splitKey(key string) (round, target string) {
	round, target, _ = strings.Cut(key, ".")
	return round, target
}

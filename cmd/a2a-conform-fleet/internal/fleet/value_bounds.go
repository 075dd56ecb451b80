package fleet

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// earliestTime is before anything that this program ever kept, and maxClockError by how much a clock may be
// wrong.
var earliestTime = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

const maxClockError = 24 * time.Hour

// checkTime refuses a time that is in the future, because whatever is ordered by it would stay the
// latest, and one before there were fleets.
func checkTime(name string, at, now time.Time) error {
	if at.Before(earliestTime) || at.After(now.Add(maxClockError)) {
		return fmt.Errorf("%s is %s, which cannot be", name, at.Format(time.RFC3339))
	}
	return nil
}

// boundedNumber is a number of a value with its bounds.
type boundedNumber struct {
	name       string
	value, max int
}

func checkNumbers(numbers ...boundedNumber) error {
	for _, n := range numbers {
		if n.value < 0 || n.value > n.max {
			return fmt.Errorf("%s is %d, which is not from 0 to %d", n.name, n.value, n.max)
		}
	}
	return nil
}

// boundedText is a text of a value with its bound in bytes.
type boundedText struct {
	name, value string
	max         int
}

func checkTexts(texts ...boundedText) error {
	for _, t := range texts {
		if len(t.value) > t.max {
			return fmt.Errorf("%s has %d bytes; at most %d are read", t.name, len(t.value), t.max)
		}
	}
	return nil
}

// checkToken refuses what is no part of a subject; empty is allowed if it may be missing.
func checkToken(name, is string, missing bool) error {
	if is == "" && missing || namePart.MatchString(is) {
		return nil
	}
	return fmt.Errorf("%s is %.70q, which is no name", name, is)
}

func checkRoundID(name, id string) error {
	if !roundID.MatchString(id) || id < firstRound || id > lastRound {
		return fmt.Errorf("%s is %.20q, which is no number of a round", name, id)
	}
	return nil
}

// firstRound is the number of the first round.
const firstRound = "000001"

// lastRound is the greatest number of a round: the next one still has six digits.
const lastRound = "990000"

// The bounds of what is counted in a fleet, and of its texts in bytes.
const (
	maxTargets       = 10_000_000
	maxAttempts      = 1000
	maxURLBytes      = 64 << 10
	maxSentenceBytes = 16 << 10
	maxShortText     = 4 << 10
)

// checkResultKey refuses a key that is not ROUND.TARGET.
func checkResultKey(key string) error {
	round, target := splitKey(key)
	if !targetID.MatchString(target) {
		return fmt.Errorf("its key is %.60q, which is not ROUND.TARGET", key)
	}
	return checkRoundID("its key", round)
}

func (r Round) Validate(key string, now time.Time) error {
	if key != roundKey+r.ID {
		return fmt.Errorf("it is round %.20q, and its key is another one", r.ID)
	}
	err := errors.Join(checkRoundID("id", r.ID), checkTime("began", r.Began, now), checkToken("catalogue", r.Catalogue, false), checkToken("schedule", r.Schedule, true),
		checkTexts(boundedText{"tool", r.Tool, 200}),
		checkNumbers(boundedNumber{"targets", r.Targets, maxTargets}, boundedNumber{"results", r.Results, maxTargets}, boundedNumber{"repeated", r.Repeated, maxTargets}, boundedNumber{"givenUp", r.GivenUp, maxTargets}))
	if err == nil && r.Finished != nil {
		err = checkTime("finished", *r.Finished, now)
	}
	return firstError(err)
}

// firstError returns the first of several errors: one is enough to refuse a value.
func firstError(err error) error {
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(first)
}

func (r Result) Validate(key string, now time.Time) error {
	if err := checkResultKey(key); err != nil {
		return err
	}
	return r.checkContent(now)
}

func (r Result) checkContent(now time.Time) error {
	err := errors.Join(checkVerdict("verdict", r.Verdict), checkTime("at", r.At, now), checkToken("run", r.Run, false), checkToken("vector", r.Vector, true),
		checkNumbers(boundedNumber{"tries", r.Tries, maxAttempts}, boundedNumber{"took", int(min(max(r.Took, -1), int64(1)<<31)), int(30 * 24 * time.Hour / time.Millisecond)}))
	if r.Evidence != "" {
		round, run, _ := strings.Cut(r.Evidence, ".")
		err = errors.Join(err, checkRoundID("evidence", round), checkToken("evidence", run, false))
	}
	if err == nil && r.Details != nil {
		err = r.Details.checkBounds()
	}
	return firstError(err)
}

// runVerdicts are all verdicts that a run of a fleet can have.
var runVerdicts = []report.RunVerdict{report.Void, report.Unreachable, report.Nonconformant, report.Partial, report.Conformant, report.NeedsCredentials}

func checkVerdict(name string, v report.RunVerdict) error {
	if !slices.Contains(runVerdicts, v) {
		return fmt.Errorf("%s is %.40q, which is no verdict", name, v)
	}
	return nil
}

// checkBounds refuses what is too much for a page, and counts that cannot be.
func (f *Details) checkBounds() error {
	err := errors.Join(checkTexts(boundedText{"name", f.Name, maxShortText}, boundedText{"url", f.URL, maxURLBytes}, boundedText{"asked", f.Asked, 200}, boundedText{"dialect", f.Dialect, 200},
		boundedText{"agent", f.Agent, maxURLBytes}, boundedText{"reason", f.Reason, maxSentenceBytes}, boundedText{"tool", f.Tool, 200}, boundedText{"catalogueVersion", f.CatalogueVersion, 200}),
		checkNumbers(boundedNumber{"the number of changes", len(f.Changes), maxChanges}, boundedNumber{"the number of levels", len(f.Summary), 20}),
		f.Before.checkBounds("before"), f.Since.checkBounds("since"))
	for level, n := range f.Summary {
		err = errors.Join(err, checkTexts(boundedText{"a level", level, 40}), checkNumbers(boundedNumber{"pass", n.Pass, maxVerdicts}, boundedNumber{"fail", n.Fail, maxVerdicts},
			boundedNumber{"notApplicable", n.NotApplicable, maxVerdicts}, boundedNumber{"vacuous", n.Vacuous, maxVerdicts}, boundedNumber{"inconclusive", n.Inconclusive, maxVerdicts},
			boundedNumber{"waived", n.Waived, maxVerdicts}, boundedNumber{"suiteError", n.SuiteError, maxVerdicts}))
	}
	for _, c := range f.Changes {
		err = errors.Join(err, checkTexts(boundedText{"the id of a change", c.ID, 200}, boundedText{"level", string(c.Level), 40}, boundedText{"kind", string(c.Kind), 40}, boundedText{"was", string(c.Was), 40},
			boundedText{"now", string(c.Now), 40}, boundedText{"before", c.Before, maxSentenceBytes}, boundedText{"after", c.After, maxSentenceBytes}, boundedText{"wasLevel", string(c.WasLevel), 40},
			boundedText{"since", c.Since, 200}, boundedText{"why", c.Why, maxSentenceBytes}))
	}
	return err
}

// maxVerdicts bounds a count of requirements.
const maxVerdicts = 100_000

func (b *PriorRound) checkBounds(name string) error {
	if b == nil {
		return nil
	}
	return errors.Join(checkRoundID(name, b.Round), checkVerdict(name, b.Verdict))
}

func (l Latest) Validate(key string, now time.Time) error {
	if !targetID.MatchString(key) {
		return fmt.Errorf("its key is %.60q, which is no target", key)
	}
	err := errors.Join(checkRoundID("round", l.Round), l.Result.checkContent(now))
	if e := l.Earlier; e != nil {
		err = errors.Join(err, checkRoundID("earlier", e.Round), checkVerdict("earlier", e.Verdict), checkToken("earlier", e.Vector, false),
			checkTexts(boundedText{"earlier", e.Dialect, 200}, boundedText{"earlier", e.CatalogueVersion, 200}))
	}
	return firstError(err)
}

func (v vector) Validate(key string, _ time.Time) error {
	for id, verdict := range v {
		if len(id) > 200 || len(verdict) > 40 {
			return errors.New("it has a requirement or a verdict that is none")
		}
	}
	return checkToken("its key", key, false)
}

// tryCount is how many conversations were begun for a target in a round, and the last one's run.
type tryCount struct {
	Tries int    `json:"tries"`
	Run   string `json:"run"`
}

func (b tryCount) Validate(key string, _ time.Time) error {
	return firstError(errors.Join(checkResultKey(key), checkNumbers(boundedNumber{"tries", b.Tries, maxAttempts}), checkToken("run", b.Run, false)))
}

func (p Presence) Validate(_ string, now time.Time) error {
	err := errors.Join(checkTexts(boundedText{"name", p.Name, maxShortText}, boundedText{"host", p.Host, maxShortText}, boundedText{"tool", p.Tool, 200}), checkToken("catalogue", p.Catalogue, false),
		checkNumbers(boundedNumber{"pid", p.PID, 1 << 31}, boundedNumber{"parallel", p.Parallel, 1 << 20}, boundedNumber{"done", p.Done, maxTargets}), checkTime("at", p.At, now))
	for _, r := range p.Running {
		err = errors.Join(err, checkTexts(boundedText{"url", r.URL, maxURLBytes}), checkRoundID("round", r.Round), checkTime("since", r.Since, now))
	}
	return firstError(err)
}

func (s Schedule) Validate(key string, _ time.Time) error {
	if s.Name != key {
		return fmt.Errorf("it is the schedule %.60q, and its key is another one", s.Name)
	}
	return firstError(errors.Join(checkToken("name", s.Name, false), checkTexts(boundedText{"every", s.Every, maxShortText}), checkNumbers(boundedNumber{"targets", s.Targets, maxTargets})))
}

func (a hostBackoff) Validate(_ string, now time.Time) error {
	if a.Until.After(now.Add(maxBackoff + clockSlack)) {
		return fmt.Errorf("it leaves a host alone until %s, and at most %v are believed", a.Until.Format(time.RFC3339), maxBackoff)
	}
	return checkNumbers(boundedNumber{"times", a.Times, maxRefusals})
}

// turnTime is when the next turn at a place may come.
type turnTime struct{ time.Time }

// Validate leaves the future to whoever asks: what is far away depends on the rate.
func (n turnTime) Validate(string, time.Time) error {
	if n.Before(earliestTime) {
		return fmt.Errorf("its time is %s, which cannot be", n.Format(time.RFC3339))
	}
	return nil
}

// addingUntil is until when targets are being added to a round.
type addingUntil struct{ time.Time }

func (a addingUntil) Validate(_ string, now time.Time) error {
	if a.Before(earliestTime) || a.After(now.Add(addingTime+addingTime/2)) {
		return fmt.Errorf("targets are added until %s, and at most %v are believed", a.Format(time.RFC3339), addingTime)
	}
	return nil
}

func (v leaseRecord) Validate(string, time.Time) error {
	if v.For <= 0 || v.For > LongestLease {
		return fmt.Errorf("it is a lease for %v; at most %v are believed", v.For, LongestLease)
	}
	return firstError(errors.Join(checkToken("run", v.Run, false), checkTexts(boundedText{"host", v.Host, maxShortText})))
}

// Validate leaves the entry to whoever reads it.
func (j queuedTarget) Validate(subject string, _ time.Time) error {
	parts := strings.Split(subject, ".")
	if len(parts) != 3 || j.Round != parts[1] || !targetID.MatchString(parts[2]) {
		return errors.New("the entry is not the one that its subject names")
	}
	return firstError(errors.Join(checkRoundID("round", j.Round), checkTexts(boundedText{"tool", j.Tool, 200}, boundedText{"entry", string(j.Entry), agentlist.MaxEntryBytes})))
}

// scheduleList is a list of agents that is judged by a schedule.
type scheduleList []json.RawMessage

func (l scheduleList) Validate(_ string, _ time.Time) error {
	return checkNumbers(boundedNumber{"the number of its entries", len(l), agentlist.MaxEntries})
}

// decodeList reads the list of a schedule.
func decodeList(name string, text []byte, now time.Time) ([]json.RawMessage, error) {
	return broker.DecodeBounded[scheduleList](name, text, agentlist.MaxBytes, agentlist.MaxBytes, now)
}

// deadLetterRecord is a dead letter.
type deadLetterRecord struct {
	Subject string    `json:"subject"`
	Why     string    `json:"why"`
	At      time.Time `json:"at"`
	Message string    `json:"message"`
	Bytes   int       `json:"bytes"`
}

func (l deadLetterRecord) Validate(_ string, now time.Time) error {
	return firstError(errors.Join(checkTime("at", l.At, now), checkTexts(boundedText{"why", l.Why, maxSentenceBytes})))
}

// maxVectorBytes bounds the verdicts of all requirements, in bytes.
const maxVectorBytes = 4 << 20

// decodeVector reads the verdicts of all requirements, which are kept compressed.
func decodeVector(key string, text []byte, now time.Time) (vector, error) {
	if len(text) > broker.MaxValueBytes {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(text), broker.MaxValueBytes)
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxVectorBytes+1))
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return broker.DecodeBounded[vector](key, plain, maxVectorBytes, broker.MaxJSONValues, now)
}

// What names are made of: all of them are parts of a subject or of a file name.
var (
	roundID  = regexp.MustCompile(`^[0-9]{6}$`)
	targetID = regexp.MustCompile(`^[0-9a-f]{16}$`)
	namePart = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// earliest is before anything that this program ever kept, and ahead by how much a clock may be
// wrong.
var earliest = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

const ahead = 24 * time.Hour

// checkTime refuses a time that is in the future, because whatever is ordered by it would stay the
// latest, and one before there were fleets.
func checkTime(name string, at, now time.Time) error {
	if at.Before(earliest) || at.After(now.Add(ahead)) {
		return fmt.Errorf("%s is %s, which cannot be", name, at.Format(time.RFC3339))
	}
	return nil
}

// number is a number of a value with its bounds.
type number struct {
	name     string
	is, most int
}

func checkNumbers(numbers ...number) error {
	for _, n := range numbers {
		if n.is < 0 || n.is > n.most {
			return fmt.Errorf("%s is %d, which is not from 0 to %d", n.name, n.is, n.most)
		}
	}
	return nil
}

// text is a text of a value with its bound in bytes.
type text struct {
	name, is string
	most     int
}

func checkTexts(texts ...text) error {
	for _, t := range texts {
		if len(t.is) > t.most {
			return fmt.Errorf("%s has %d bytes; at most %d are read", t.name, len(t.is), t.most)
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
	mostTargets   = 10_000_000
	mostAttempts  = 1000
	mostAddress   = 64 << 10
	mostSentence  = 16 << 10
	mostShortText = 4 << 10
)

// checkResultKey refuses a key that is not ROUND.TARGET.
func checkResultKey(key string) error {
	round, target := splitKey(key)
	if !targetID.MatchString(target) {
		return fmt.Errorf("its key is %.60q, which is not ROUND.TARGET", key)
	}
	return checkRoundID("its key", round)
}

func (r Round) check(key string, now time.Time) error {
	if key != roundKey+r.ID {
		return fmt.Errorf("it is round %.20q, and its key is another one", r.ID)
	}
	err := errors.Join(checkRoundID("id", r.ID), checkTime("began", r.Began, now), checkToken("catalogue", r.Catalogue, false), checkToken("schedule", r.Schedule, true),
		checkTexts(text{"tool", r.Tool, 200}),
		checkNumbers(number{"targets", r.Targets, mostTargets}, number{"results", r.Results, mostTargets}, number{"repeated", r.Repeated, mostTargets}, number{"givenUp", r.GivenUp, mostTargets}))
	if err == nil && r.Finished != nil {
		err = checkTime("finished", *r.Finished, now)
	}
	return firstLine(err)
}

// firstLine is the first of several errors: one is enough to refuse a value.
func firstLine(err error) error {
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(first)
}

func (r Result) check(key string, now time.Time) error {
	if err := checkResultKey(key); err != nil {
		return err
	}
	return r.checkContent(now)
}

func (r Result) checkContent(now time.Time) error {
	err := errors.Join(checkVerdict("verdict", r.Verdict), checkTime("at", r.At, now), checkToken("run", r.Run, false), checkToken("vector", r.Vector, true),
		checkNumbers(number{"tries", r.Tries, mostAttempts}, number{"took", int(min(max(r.Took, -1), int64(1)<<31)), int(30 * 24 * time.Hour / time.Millisecond)}))
	if r.Evidence != "" {
		round, run, _ := strings.Cut(r.Evidence, ".")
		err = errors.Join(err, checkRoundID("evidence", round), checkToken("evidence", run, false))
	}
	if err == nil && r.Full != nil {
		err = r.Full.check()
	}
	return firstLine(err)
}

// runVerdicts are all verdicts that a run of a fleet can have.
var runVerdicts = []report.RunVerdict{report.Void, report.Unreachable, report.Nonconformant, report.Partial, report.Conformant, report.NeedsCredentials}

func checkVerdict(name string, v report.RunVerdict) error {
	if !slices.Contains(runVerdicts, v) {
		return fmt.Errorf("%s is %.40q, which is no verdict", name, v)
	}
	return nil
}

// check refuses what is too much for a page, and counts that cannot be.
func (f *Full) check() error {
	err := errors.Join(checkTexts(text{"name", f.Name, mostShortText}, text{"url", f.URL, mostAddress}, text{"asked", f.Asked, 200}, text{"dialect", f.Dialect, 200},
		text{"agent", f.Agent, mostAddress}, text{"reason", f.Reason, mostSentence}, text{"tool", f.Tool, 200}, text{"catalogueVersion", f.CatalogueVersion, 200}),
		checkNumbers(number{"the number of changes", len(f.Changes), mostChanges}, number{"the number of levels", len(f.Summary), 20}),
		f.Before.check("before"), f.Since.check("since"))
	for level, n := range f.Summary {
		err = errors.Join(err, checkTexts(text{"a level", level, 40}), checkNumbers(number{"pass", n.Pass, mostVerdicts}, number{"fail", n.Fail, mostVerdicts},
			number{"notApplicable", n.NotApplicable, mostVerdicts}, number{"vacuous", n.Vacuous, mostVerdicts}, number{"inconclusive", n.Inconclusive, mostVerdicts},
			number{"waived", n.Waived, mostVerdicts}, number{"suiteError", n.SuiteError, mostVerdicts}))
	}
	for _, c := range f.Changes {
		err = errors.Join(err, checkTexts(text{"the id of a change", c.ID, 200}, text{"level", string(c.Level), 40}, text{"kind", string(c.Kind), 40}, text{"was", string(c.Was), 40},
			text{"now", string(c.Now), 40}, text{"before", c.Before, mostSentence}, text{"after", c.After, mostSentence}, text{"wasLevel", string(c.WasLevel), 40},
			text{"since", c.Since, 200}, text{"why", c.Why, mostSentence}))
	}
	return err
}

// mostVerdicts bounds a count of requirements.
const mostVerdicts = 100_000

func (b *Before) check(name string) error {
	if b == nil {
		return nil
	}
	return errors.Join(checkRoundID(name, b.Round), checkVerdict(name, b.Verdict))
}

func (l Latest) check(key string, now time.Time) error {
	if !targetID.MatchString(key) {
		return fmt.Errorf("its key is %.60q, which is no target", key)
	}
	err := errors.Join(checkRoundID("round", l.Round), l.Result.checkContent(now))
	if e := l.Earlier; e != nil {
		err = errors.Join(err, checkRoundID("earlier", e.Round), checkVerdict("earlier", e.Verdict), checkToken("earlier", e.Vector, false),
			checkTexts(text{"earlier", e.Dialect, 200}, text{"earlier", e.CatalogueVersion, 200}))
	}
	return firstLine(err)
}

func (v vector) check(key string, _ time.Time) error {
	for id, verdict := range v {
		if len(id) > 200 || len(verdict) > 40 {
			return errors.New("it has a requirement or a verdict that is none")
		}
	}
	return checkToken("its key", key, false)
}

// begun is how many conversations were begun for a target in a round, and the last one's run.
type begun struct {
	Tries int    `json:"tries"`
	Run   string `json:"run"`
}

func (b begun) check(key string, _ time.Time) error {
	return firstLine(errors.Join(checkResultKey(key), checkNumbers(number{"tries", b.Tries, mostAttempts}), checkToken("run", b.Run, false)))
}

func (p Presence) check(_ string, now time.Time) error {
	err := errors.Join(checkTexts(text{"name", p.Name, mostShortText}, text{"host", p.Host, mostShortText}, text{"tool", p.Tool, 200}), checkToken("catalogue", p.Catalogue, false),
		checkNumbers(number{"pid", p.PID, 1 << 31}, number{"parallel", p.Parallel, 1 << 20}, number{"done", p.Done, mostTargets}), checkTime("at", p.At, now))
	for _, r := range p.Running {
		err = errors.Join(err, checkTexts(text{"url", r.URL, mostAddress}), checkRoundID("round", r.Round), checkTime("since", r.Since, now))
	}
	return firstLine(err)
}

func (s Schedule) check(key string, _ time.Time) error {
	if s.Name != key {
		return fmt.Errorf("it is the schedule %.60q, and its key is another one", s.Name)
	}
	return firstLine(errors.Join(checkToken("name", s.Name, false), checkTexts(text{"every", s.Every, mostShortText}), checkNumbers(number{"targets", s.Targets, mostTargets})))
}

func (a away) check(_ string, now time.Time) error {
	if a.Until.After(now.Add(longest + slack)) {
		return fmt.Errorf("it leaves a host alone until %s, and at most %v are believed", a.Until.Format(time.RFC3339), longest)
	}
	return checkNumbers(number{"times", a.Times, mostTimes})
}

// nextTurn is when the next turn at a place may come.
type nextTurn struct{ time.Time }

// check leaves the future to whoever asks: what is far away depends on the rate.
func (n nextTurn) check(string, time.Time) error {
	if n.Before(earliest) {
		return fmt.Errorf("its time is %s, which cannot be", n.Format(time.RFC3339))
	}
	return nil
}

// addingUntil is until when targets are being added to a round.
type addingUntil struct{ time.Time }

func (a addingUntil) check(_ string, now time.Time) error {
	if a.Before(earliest) || a.After(now.Add(addingTime+addingTime/2)) {
		return fmt.Errorf("targets are added until %s, and at most %v are believed", a.Format(time.RFC3339), addingTime)
	}
	return nil
}

func (v leaseValue) check(string, time.Time) error {
	if v.For <= 0 || v.For > LongestLease {
		return fmt.Errorf("it is a lease for %v; at most %v are believed", v.For, LongestLease)
	}
	return firstLine(errors.Join(checkToken("run", v.Run, false), checkTexts(text{"host", v.Host, mostShortText})))
}

// check leaves the entry to whoever reads it.
func (j job) check(subject string, _ time.Time) error {
	parts := strings.Split(subject, ".")
	if len(parts) != 3 || j.Round != parts[1] || !targetID.MatchString(parts[2]) {
		return errors.New("the entry is not the one that its subject names")
	}
	return firstLine(errors.Join(checkRoundID("round", j.Round), checkTexts(text{"tool", j.Tool, 200}, text{"entry", string(j.Entry), maxEntry})))
}

// list is a list of agents that is judged by a schedule.
type list []json.RawMessage

func (l list) check(_ string, _ time.Time) error {
	return checkNumbers(number{"the number of its entries", len(l), mostEntries})
}

// mostEntries is how many agents a list may have.
const mostEntries = 200_000

// decodeList reads the list of a schedule.
func decodeList(name string, text []byte, now time.Time) ([]json.RawMessage, error) {
	return decodeBounded[list](name, text, maxList, maxList, now)
}

// letter is a dead letter.
type letter struct {
	Subject string    `json:"subject"`
	Why     string    `json:"why"`
	At      time.Time `json:"at"`
	Message string    `json:"message"`
	Bytes   int       `json:"bytes"`
}

func (l letter) check(_ string, now time.Time) error {
	return firstLine(errors.Join(checkTime("at", l.At, now), checkTexts(text{"why", l.Why, mostSentence})))
}

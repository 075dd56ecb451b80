package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Config is what a client is tested with.
type Config struct {
	Dialect *schema.Dialect
	// Command starts the client, once for each play. {url}, {card}, {rpc}, {text}, {second} and {scenario} in its
	// arguments are filled in; if it has none but those of extras, the URL and the text are appended. No shell is involved.
	Command []string
	// Func is a client that is a function of this process. It is called in place of the command, which then
	// only describes it. It ends with its context.
	Func func(ctx context.Context, t *Task) error
	// Text is the message that the client is to send, and Second the one after it, if one is due.
	Text, Second string
	Scenarios    []string // those that are played; empty for all that the client gives occasion for
	// Reported are further scenarios, which are played if the client turns out to report what it saw.
	Reported []string
	// Own are scenarios of somebody else's, which are played in the place of all others if the client reports what it saw; nil for
	// ours.
	Own []Script
	// Keep has the command started once for all plays: it reads what to do from its standard input.
	Keep bool
	// With are the extras that the operator grants the client: the names of Extras.
	With     []string
	Hook     string        // the address of the client's webhook, if it is always the same; "" if each start opens one on this machine
	Jobs     int           // plays at the same time; 0 for 4
	Patience time.Duration // for one start of the client; 0 for DefaultPatience
	Dir      string        // in which the client is started; empty for an empty folder of its own
	Naming   operator.Naming
	Redact   *redact.Redactor
	// Without reports whether a member of our environment is kept from the client, such as a credential of ours.
	Without func(name, value string) bool
	Facts   record.Facts // what the record states besides: how the client is to be judged
	// Confirm returns the scenarios that are played again, each alone, because the sealed record of all plays
	// shows a fault there; nil to confirm nothing.
	Confirm func(t *record.Transcript) []string
	// Progress is called before and after each start of the client, by one goroutine at a time; may be nil.
	Progress func(Progress)
	// pace multiplies the times that scripts wait, for tests; 0 leaves them.
	pace float64
}

// Progress is how far a run has come.
type Progress struct {
	Done, Total int
	Scenario    string       // that begins, or has ended
	Play        *record.Play // what came of it; nil if it begins
}

// DefaultJobs is how many plays go on at the same time.
const DefaultJobs = 4

// Texts that are sent if the operator names none.
const (
	DefaultText   = "Hello, what can you do?"
	DefaultSecond = "And what else?"
)

// session is a run against one client.
type session struct {
	Config
	started   time.Time
	starter   *starter
	done      progressCounter
	budget    record.MemoryBudget
	connCount atomic.Int64
	lag       lagMeter
	canaries  *canaryPool // nil without credentials
	trust     trust
}

// Run plays the scenarios with a client, and returns the sealed record. An error means that there is nothing to
// record.
func Run(ctx context.Context, cfg Config) (*record.Transcript, error) {
	if len(cfg.Command) == 0 && cfg.Func == nil {
		return nil, errors.New("no client is named: neither a command nor a function")
	}
	s, chosen, err := newSession(cfg, false)
	if err != nil {
		return nil, err
	}
	cfg = s.Config
	if cfg.Keep {
		for _, word := range Placeholders() {
			if usesPlaceholder(cfg.Command, word) {
				return nil, fmt.Errorf("the command is started once, so {%s} cannot be filled in: leave it out, and read what to do from standard input (docs/adapters.md)", word)
			}
		}
	}
	if err := s.makeTrust(); err != nil {
		return nil, err
	}
	s.starter = &starter{trust: &s.trust, command: nameFilesAbsolutely(cfg.Command), call: cfg.Func, patience: cfg.Patience, dir: cfg.Dir, redact: cfg.Redact, without: cfg.Without, canaries: s.canaries,
		now: func() record.Instant { return time.Since(s.started) }}
	if cfg.Keep && cfg.Func == nil {
		s.starter.kept = &keeper{}
		defer s.starter.kept.endProgram()
	}
	stop := s.lag.beginMeasuring(s.started)
	defer stop()

	hello := Find(cfg.Dialect.Name, "hello")
	performances := []*performance{{script: hello}, {script: hello, nth: 1}}
	s.done.total = 1 + len(chosen)
	t := &record.Transcript{Started: s.started, Facts: s.listInitialFacts()}
	s.performOnce(ctx, performances[0])
	s.performOnce(ctx, performances[1])
	if why := findReasonToStop(performances, cfg.Dialect); why != "" {
		t.Facts.Cut = why
	} else {
		if slices.ContainsFunc(performances, func(p *performance) bool { return hasReported(p.play) }) {
			if chosen, err = s.chooseScripts(true); err != nil {
				return nil, err
			}
			s.done.addTotal(1 + len(chosen) - s.done.total)
		}
		var further []*performance
		for i := range chosen {
			switch p := (&performance{script: &chosen[i]}); {
			case chosen[i].Name == "hello":
			case chosen[i].Over != "":
				further = append(further, p)
			default:
				performances = append(performances, p)
			}
		}
		s.performAll(ctx, performances[2:])
		possible := len(further)
		further = slices.DeleteFunc(further, func(p *performance) bool { return !madeCallOver(performances, p.script) })
		s.done.addTotal(len(further) - possible)
		s.performAll(ctx, further)
		performances = append(performances, further...)
	}
	if ctx.Err() != nil && t.Facts.Cut == "" {
		t.Facts.Cut = "the run was ended before all scenarios were played"
	}
	s.sealRecord(t, performances)
	if cfg.Confirm == nil || t.Facts.Cut != "" {
		return t, nil
	}
	var again []*performance
	for _, name := range cfg.Confirm(t) {
		if script := Find(cfg.Dialect.Name, name); script != nil {
			again = append(again, &performance{script: script, attempt: 1, confirms: true})
		}
	}
	s.done.addTotal(len(again))
	for _, p := range again {
		s.performOnce(ctx, p)
	}
	s.sealRecord(t, again)
	return t, nil
}

// newSession makes a session with what the operator left open, and returns the scenarios that are asked for: more of them
// if the client does more than to send texts.
func newSession(cfg Config, reports bool) (*session, []Script, error) {
	if cfg.Dialect == nil || len(Scripts(cfg.Dialect.Name)) == 0 {
		return nil, nil, errors.New("clients of this protocol cannot be tested yet")
	}
	if err := ValidateExtras(cfg.With); err != nil {
		return nil, nil, err
	}
	if err := cfg.validateHook(); err != nil {
		return nil, nil, err
	}
	cfg.Text, cfg.Second = cmp.Or(cfg.Text, DefaultText), cmp.Or(cfg.Second, DefaultSecond)
	cfg.Jobs, cfg.Patience = cmp.Or(cfg.Jobs, DefaultJobs), cmp.Or(cfg.Patience, DefaultPatience)
	if cfg.Keep {
		cfg.Jobs = 1
	}
	if cfg.Redact == nil {
		cfg.Redact = redact.NewRedactor(nil)
	}
	s := &session{Config: cfg, started: time.Now()}
	if slices.Contains(cfg.With, WithCredentials) {
		s.canaries = newCanaryPool(keepGranted(Scripts(cfg.Dialect.Name), cfg.With))
		s.Redact = cfg.Redact.WithSecrets(s.canaries.listSecrets())
	}
	chosen, err := s.chooseScripts(reports)
	return s, chosen, err
}

// sealRecord adds performances to the record, and seals it.
func (s *session) sealRecord(t *record.Transcript, performances []*performance) {
	addPerformances(t, performances)
	if t.Facts.Calibration == nil {
		t.Facts.Calibration = readCalibration(t, s.Dialect)
	}
	s.seal(t)
}

// addPerformances adds those to a record that came about.
func addPerformances(t *record.Transcript, performances []*performance) {
	for _, p := range performances {
		if p.play != nil {
			t.Plays = append(t.Plays, *p.play)
			t.Exchanges = append(t.Exchanges, p.exchanges...)
		}
	}
}

// seal completes a record to which nothing is added for now.
func (s *session) seal(t *record.Transcript) {
	t.Duration = time.Since(s.started)
	s.Redact.Transcript(t)
	t.Seal()
}

// listInitialFacts returns what is known before the first play.
func (s *session) listInitialFacts() record.Facts {
	f := s.Facts
	f.Kind, f.Role, f.Dialect, f.Salt = cmp.Or(f.Kind, "url"), record.ClientRole, s.Dialect.Name, s.Naming.Salt
	f.Command, f.Target, f.With, f.Webhook = slices.Clone(s.Command), strings.Join(s.Command, " "), slices.Clone(s.With), s.Hook
	return f
}

package harness

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Recording is what a session with a server left behind.
type Recording struct {
	Dialect    *schema.Dialect // nil if nothing of an A2A server was found
	Transcript *record.Transcript
	Clean      func(string) string // takes known secrets out of a text
}

// Session is a run against one server, from its discovery to the sealed transcript: Discover,
// Play, Seal. It ends at the deadline of the target, and when its context is canceled; a part
// that still waits for the server then is left behind, and what was recorded until then is sealed.
type Session struct {
	runner *runner
	ctx    context.Context
	end    func()
	found  *found
	behind bool // a part of the session still waits for the server

	// The transcript to be sealed, and its dialect, as soon as nothing more is recorded.
	dialect    *schema.Dialect
	transcript *record.Transcript
}

// Discover finds out what the target is: its card, the dialect to judge it by, and its
// interfaces. What the server does is never an error; errors are mistakes of the operator and
// faults of ours. If the mistake shows only in what the server said, such as a card that leaves
// its protocol open, Seal returns what was recorded until then. A session that is returned, with
// an error or without, has to be sealed or closed.
func Discover(ctx context.Context, given operator.Target) (*Session, error) {
	return discoverFor(ctx, given, scenario.All)
}

// discoverFor is Discover for a session that plays other scenarios than those of a run.
func discoverFor(ctx context.Context, given operator.Target, all func(*schema.Dialect) []conversation.Scenario) (*Session, error) {
	r, err := newRunner(ctx, given, all)
	if err != nil {
		return nil, err
	}
	s := &Session{runner: r}
	s.begin(ctx)
	var f *found
	err = s.watch(func() (d *schema.Dialect, t *record.Transcript, err error) {
		if f, err = r.discover(s.ctx); err != nil {
			return r.recordMistake(err)
		}
		if f.dialect == nil {
			t = &record.Transcript{Started: r.started, Plays: f.plays, Facts: r.facts(f, nil)}
		}
		return nil, t, nil
	})
	if !s.behind {
		s.found = f
	}
	return s, err
}

// newRunner checks a target and waits until it answers, if the operator wants that.
func newRunner(ctx context.Context, given operator.Target, all func(*schema.Dialect) []conversation.Scenario) (*runner, error) {
	target := target{given}
	if err := target.check(); err != nil {
		return nil, err
	}
	card, err := target.givenCard()
	if err != nil {
		return nil, err
	}
	tlsConfig, err := target.tls()
	if err != nil {
		return nil, err
	}
	webhookCert, err := readWebhookCert(target.Webhook)
	if err != nil {
		return nil, err
	}
	target.setDefaults()
	r := &runner{target: target, given: card, load: target.dialect, all: all, webhookCert: webhookCert, waited: map[string]float64{}}
	if err := r.awaitAnswer(ctx); err != nil {
		return nil, err
	}
	r.started = time.Now()
	r.credential = redact.Secret{Name: conversation.WebhookCredential, Value: webhookCredential(target.IDs.IDs("webhook").New())}
	r.invented = makeUp()
	r.redact = redact.NewRedactor(append(target.secrets(), r.credential), r.invented.plain()...)
	if card != nil {
		r.redact.Exchange(card)
	}
	r.client = client.NewClient(client.Config{Started: r.started, UserAgent: "a2a-conform/" + target.Version,
		Timeout: target.Timeout, TLS: tlsConfig, Redact: r.redact, Limit: target.limit(), Reach: target.AllowDial, Turn: target.BeforeCall})
	return r, nil
}

// setDefaults fills in what follows from other members of the target.
func (t *target) setDefaults() {
	if t.Bundled { // it can do what an operator has to declare of others
		t.Declarations = append(slices.Clone(t.Declarations), "cancel", "credentials", "webhook-reachable")
		t.Allow = append(slices.Clone(t.Allow), schema.Heavy, schema.Outbound)
	}
	if t.RateLimit != nil {
		t.Declarations = append(slices.Clone(t.Declarations), "rate-limit")
	}
	if t.Deadline <= 0 {
		t.Deadline = 2 * time.Minute
	}
	if t.Concurrency <= 0 {
		t.Concurrency = DefaultConcurrency
	}
	if d, err := t.dialect(t.Dialect); err == nil { // named by the operator
		t.Allow = append(slices.Clone(t.Allow), d.Allows...)
	}
}

// Dialect is the one that the server is judged by; nil if none was recognised, or if the time
// is over, so that there is nothing to play.
func (s *Session) Dialect() *schema.Dialect {
	if s.transcript != nil || s.found == nil {
		return nil
	}
	return s.found.dialect
}

// Play holds the conversations of the named scenarios. An error is a mistake of the operator or
// a fault of ours.
func (s *Session) Play(names []string) error {
	return s.watch(func() (*schema.Dialect, *record.Transcript, error) {
		return s.runner.recordScenarios(s.ctx, s.found, names)
	})
}

// Seal ends the session and returns what was recorded; nil if a mistake of the operator kept it
// from recording anything. What the transcript is to be judged by is recorded with it, so that a
// replay judges the same.
func (s *Session) Seal(by operator.Judging) *Recording {
	defer s.Close()
	if s.transcript == nil {
		return nil
	}
	facts := &s.transcript.Facts
	facts.Gate, facts.Selection, facts.Schema, facts.Waivers, facts.Baseline = by.Gate, by.Select, by.Schema, by.Waivers, by.Baseline
	return s.runner.seal(s.dialect, s.transcript)
}

// Close ends the session. Seal does so too.
func (s *Session) Close() { s.end() }

// begin starts the time of the session.
func (s *Session) begin(parent context.Context) {
	r := s.runner
	ctx, cancel := context.WithTimeout(parent, r.target.Deadline)
	last, leave := context.WithCancel(context.WithoutCancel(parent))
	unregister := context.AfterFunc(parent, func() { time.AfterFunc(farewellTime, leave) })
	s.ctx = ctx
	s.end = sync.OnceFunc(func() {
		if !s.behind {
			r.client.Close()
		}
		unregister()
		leave()
		cancel()
	})
	r.stopped = func() bool { return parent.Err() != nil }
	r.farewell = func() context.Context {
		if !r.stopped() {
			return nil
		}
		return last
	}
}

// watch runs a part of the session, and sees to it that it ends: if the part still waits for the
// server when the time is over, a copy of what is recorded stands for its transcript.
func (s *Session) watch(part func() (*schema.Dialect, *record.Transcript, error)) error {
	type outcome struct {
		dialect    *schema.Dialect
		transcript *record.Transcript
		err        error
	}
	ended := make(chan outcome, 1)
	go func() {
		d, t, err := part()
		ended <- outcome{d, t, err}
	}()
	keep := func(o outcome) error {
		s.dialect, s.transcript = o.dialect, o.transcript
		return o.err
	}
	select {
	case o := <-ended:
		return keep(o)
	case <-s.ctx.Done():
	}
	patience := overtime
	if s.runner.stopped() {
		patience += farewellTime
	}
	watchdog := time.NewTimer(patience)
	defer watchdog.Stop()
	select {
	case o := <-ended:
		return keep(o)
	case <-watchdog.C:
	}
	s.behind = true
	s.dialect, s.transcript = s.runner.ledger.copy(s.runner, "the run's time was up")
	go func() {
		<-ended
		s.runner.client.Close()
	}()
	return nil
}

// recordMistake is what there is of a run that ended with a mistake of the operator: no
// transcript if the server was not even asked, or if the error is something else. The text of
// the mistake may quote the server, so that secrets are taken out of it.
func (r *runner) recordMistake(err error) (*schema.Dialect, *record.Transcript, error) {
	mistake := (*UsageError)(nil)
	if !errors.As(err, &mistake) {
		return nil, nil, err
	}
	err = &UsageError{Text: r.redact.String(mistake.Text)}
	d, t := r.ledger.copy(r, "")
	if len(t.Plays) == 0 || len(t.Plays[0].Steps) == 0 {
		return nil, nil, err
	}
	t.Facts.Hint = err.Error()
	return d, t, err
}

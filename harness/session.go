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
	"github.com/a2a-conform/a2a-conform/harness/schedule"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Recording is the result of a session.
type Recording struct {
	Dialect    *schema.Dialect // nil if no A2A server was found
	Transcript *record.Transcript
	Clean      func(string) string // redacts known secrets in a text
}

// Session is a run against one server: Discover, Play, Seal. It ends at the target's deadline, or
// when its context is canceled. A part that still waits for the server then is abandoned, and
// what was recorded until then is sealed.
type Session struct {
	runner *runner
	ctx    context.Context
	end    func()
	found  *discovery
	behind bool // an abandoned part still waits for the server

	// The transcript and its dialect, set once nothing more is recorded.
	dialect    *schema.Dialect
	transcript *record.Transcript
}

// Discover finds the target's card, the dialect to judge it by, and its interfaces. Errors are
// mistakes of the operator and faults of this program; whatever the server does is no error. If a
// mistake shows only in the server's responses, such as a card that leaves its protocol open,
// Seal returns what was recorded. The caller seals or closes the returned session, even if there
// is an error.
func Discover(ctx context.Context, given operator.Target) (*Session, error) {
	return discoverFor(ctx, given, scenario.All)
}

// discoverFor does what Discover does, for other scenarios than those of a run.
func discoverFor(ctx context.Context, given operator.Target, all func(*schema.Dialect) []conversation.Scenario) (*Session, error) {
	r, err := newRunner(ctx, given, all)
	if err != nil {
		return nil, err
	}
	s := &Session{runner: r}
	s.begin(ctx)
	var f *discovery
	err = s.watch(func() (d *schema.Dialect, t *record.Transcript, err error) {
		if f, err = r.discoverServer(s.ctx); err != nil {
			return r.recordMistake(err)
		}
		if f.dialect == nil {
			t = &record.Transcript{Started: r.started, Plays: f.plays, Facts: r.newFacts(f, nil)}
		}
		return nil, t, nil
	})
	if !s.behind {
		s.found = f
	}
	return s, err
}

// newRunner checks a target and, if the operator asked for it, waits until the server answers.
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
	proxy, err := target.proxyFunc()
	if err != nil {
		return nil, err
	}
	target.setDefaults()
	r := &runner{target: target, cardFromFile: card, loadDialect: target.loadDialect, scenarios: all, webhookCert: webhookCert, waited: map[string]float64{}}
	if err := r.awaitAnswer(ctx); err != nil {
		return nil, err
	}
	r.started = time.Now()
	r.credential = redact.Secret{Name: conversation.WebhookCredential, Value: webhookCredential(target.IDs.IDs("webhook").New())}
	r.fakeClient = newFakeCredentials()
	r.redact = redact.NewRedactor(append(target.secrets(), r.credential), r.fakeClient.unredactedTexts()...)
	if card != nil {
		r.redact.Exchange(card)
	}
	r.client = client.NewClient(client.Config{Started: r.started, UserAgent: "a2a-conform/" + target.Version,
		Timeout: target.Timeout, TLS: tlsConfig, Redact: r.redact, Limit: target.rateLimitOrPerSecond(), Reach: target.AllowDial, Turn: target.BeforeCall, Proxy: proxy, Trace: target.Trace})
	return r, nil
}

// setDefaults sets members of the target that follow from others.
func (t *target) setDefaults() {
	if t.Bundled { // The bundled server supports what an operator has to declare of other servers.
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
	if d, err := t.loadDialect(t.Dialect); err == nil { // The operator named the dialect.
		t.Allow = append(slices.Clone(t.Allow), d.Allows...)
	}
}

// Dialect returns the dialect that the server is judged by; nil if none was recognised, or if the
// time is over.
func (s *Session) Dialect() *schema.Dialect {
	if s.transcript != nil || s.found == nil {
		return nil
	}
	return s.found.dialect
}

// SetCount sets how the requirements are counted that some scenarios decide. Those that decide most are performed if the
// target does not allow all messages.
func (s *Session) SetCount(count schedule.CountDecided) { s.runner.countDecided = count }

// Play performs the named scenarios. An error is a mistake of the operator or a fault of this
// program.
func (s *Session) Play(names []string) error {
	return s.watch(func() (*schema.Dialect, *record.Transcript, error) {
		return s.runner.recordScenarios(s.ctx, s.found, names)
	})
}

// Seal ends the session and returns what was recorded; nil if a mistake of the operator prevented
// any recording. It records how to judge the transcript, so that a replay judges the same way.
func (s *Session) Seal(by operator.Judging) *Recording {
	defer s.Close()
	if s.transcript == nil {
		return nil
	}
	facts := &s.transcript.Facts
	facts.Gate, facts.Selection, facts.Schema, facts.Waivers, facts.SDK, facts.Baseline = by.Gate, by.Select, by.Schema, by.Waivers, by.SDK, by.Baseline
	return s.runner.completeAndRedactTranscript(s.dialect, s.transcript)
}

// Close ends the session. Seal calls it.
func (s *Session) Close() { s.end() }

// begin starts the deadline of the session.
func (s *Session) begin(parent context.Context) {
	r := s.runner
	ctx, cancel := context.WithTimeout(parent, r.target.Deadline)
	last, leave := context.WithCancel(context.WithoutCancel(parent))
	unregister := context.AfterFunc(parent, func() { time.AfterFunc(cleanupTimeout, leave) })
	s.ctx = ctx
	s.end = sync.OnceFunc(func() {
		if !s.behind {
			r.client.Close()
		}
		unregister()
		leave()
		cancel()
	})
	r.isInterrupted = func() bool { return parent.Err() != nil }
	r.cleanupContext = func() context.Context {
		if !r.isInterrupted() {
			return nil
		}
		return last
	}
}

// watch runs a part of the session until it ends or the time is over. If it still waits for the
// server then, a snapshot becomes the transcript.
func (s *Session) watch(part func() (*schema.Dialect, *record.Transcript, error)) error {
	var dialect *schema.Dialect
	var transcript *record.Transcript
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		dialect, transcript, err = part()
	}()
	select {
	case <-ended:
	case <-s.ctx.Done():
		patience := sealGrace
		if s.runner.isInterrupted() {
			patience += cleanupTimeout
		}
		select {
		case <-ended:
		case <-time.After(patience):
			s.behind = true
			s.dialect, s.transcript = s.runner.builder.snapshot(s.runner, "the run's time was up")
			go func() {
				<-ended
				s.runner.client.Close()
			}()
			return nil
		}
	}
	s.dialect, s.transcript = dialect, transcript
	return err
}

// recordMistake returns what was recorded before a mistake of the operator ended the run; no
// transcript if nothing was sent, or if the error is not the operator's. It redacts the error's
// text, because it may quote the server.
func (r *runner) recordMistake(err error) (*schema.Dialect, *record.Transcript, error) {
	mistake := (*UsageError)(nil)
	if !errors.As(err, &mistake) {
		return nil, nil, err
	}
	err = &UsageError{Text: r.redact.String(mistake.Text)}
	d, t := r.builder.snapshot(r, "")
	if len(t.Plays) == 0 || len(t.Plays[0].Steps) == 0 {
		return nil, nil, err
	}
	t.Facts.Hint = err.Error()
	return d, t, err
}

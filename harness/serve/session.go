package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Config is what a client is tested with.
type Config struct {
	Dialect *schema.Dialect
	// Command starts the client, once for each play. {url}, {card}, {rpc}, {text}, {second} and {scenario} in its
	// arguments are filled in; if it has none of them, the URL and the text are appended. No shell is involved.
	Command []string
	// Func is a client that is a function of this process. It is called in place of the command, which then
	// only describes it. It ends with its context.
	Func func(ctx context.Context, t *Task) error
	// Text is the message that the client is to send, and Second the one after it, if one is due.
	Text, Second string
	Scenarios    []string // those that are played; empty for all that the client gives occasion for
	// Reported are further scenarios, which are played if the client turns out to report what it saw.
	Reported []string
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

// calibration are the scenarios that are always played: they show what the client's exit code and
// output mean.
var calibration = []string{"hello", "no-answer-html", "card-broken-html"}

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
			if slices.ContainsFunc(cfg.Command, func(arg string) bool { return strings.Contains(arg, "{"+word+"}") }) {
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
	if why := findReasonToStop(performances); why != "" {
		t.Facts.Cut = why
	} else {
		if slices.ContainsFunc(performances, func(p *performance) bool { return hasReported(p.play) }) {
			if chosen, err = s.chooseScripts(true); err != nil {
				return nil, err
			}
			s.done.addTotal(1 + len(chosen) - s.done.total)
		}
		for i := range chosen {
			if chosen[i].Name != "hello" {
				performances = append(performances, &performance{script: &chosen[i]})
			}
		}
		s.performAll(ctx, performances[2:])
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

// hasReported reports whether the program of a client reported anything that it saw.
func hasReported(p *record.Play) bool {
	return p != nil && p.Client != nil && len(p.Client.Reports()) > 0
}

// chooseScripts returns the scenarios that are asked for, and what they are compared with; more of them for a client that
// reports what it saw.
func (s *session) chooseScripts(reports bool) (out []Script, err error) {
	names := s.Scenarios
	if reports && len(names) > 0 {
		names = slices.Concat(names, s.Reported)
	}
	out, err = findScripts(s.Dialect.Name, names)
	out = keepGranted(out, s.With)
	if reports || len(names) > 0 {
		return out, err
	}
	return slices.DeleteFunc(out, func(s Script) bool { return s.Aided }), err
}

// findScripts returns the scenarios of some names, and what they are compared with; all without a name.
func findScripts(dialect string, names []string) (out []Script, err error) {
	all := Scripts(dialect)
	wanted := map[string]bool{}
	want := func(name string) bool {
		found := false
		for _, s := range all {
			if s.IsNamedBy(dialect, name) {
				wanted[s.Name], found = true, true
				if s.Twin != "" {
					wanted[s.Twin] = true
				}
				for _, also := range s.Also {
					wanted[also] = true
				}
			}
		}
		return found
	}
	for _, name := range names {
		if !want(name) {
			known := make([]string, len(all))
			for i, s := range all {
				known[i] = s.Name
			}
			return nil, fmt.Errorf("%s for clients of %s (a2a-conform client --list shows them all)", schema.Unknown("scenario", name, known), dialect)
		}
	}
	for _, name := range calibration {
		want(name)
	}
	for _, s := range all {
		if len(names) == 0 || wanted[s.Name] {
			out = append(out, s)
		}
	}
	return out, nil
}

// listInitialFacts returns what is known before the first play.
func (s *session) listInitialFacts() record.Facts {
	f := s.Facts
	f.Kind, f.Role, f.Dialect, f.Salt = cmp.Or(f.Kind, "url"), record.ClientRole, s.Dialect.Name, s.Naming.Salt
	f.Command, f.Target, f.With, f.Webhook = slices.Clone(s.Command), strings.Join(s.Command, " "), slices.Clone(s.With), s.Hook
	return f
}

// performance is one start of the client, and what came of it.
type performance struct {
	script    *Script
	nth       int // of the performances of the same script
	attempt   int
	confirms  bool // a fault that an earlier performance showed
	play      *record.Play
	exchanges []*record.Exchange
}

// numberStart returns which of the starts of its scenario it is, from 0.
func (p *performance) numberStart() int {
	if p.confirms {
		return p.nth + p.attempt + 1
	}
	return p.nth + p.attempt
}

// performAll plays several scenarios at the same time, those that measure time and those that were
// disturbed alone afterwards.
func (s *session) performAll(ctx context.Context, all []*performance) {
	var work errgroup.Group
	work.SetLimit(s.Jobs)
	var alone []*performance
	for _, p := range all {
		if p.script.Alone {
			alone = append(alone, p)
			continue
		}
		work.Go(func() error {
			s.performOnce(ctx, p)
			return nil
		})
	}
	work.Wait()
	for _, p := range all {
		if p.play != nil && p.play.Client.Disturbed != "" {
			p.attempt = 1
			s.done.addTotal(1)
			alone = append(alone, p)
		}
	}
	for _, p := range alone {
		s.performOnce(ctx, p)
	}
}

// performOnce starts the client for one scenario and records what it does.
func (s *session) performOnce(ctx context.Context, p *performance) {
	if ctx.Err() != nil {
		return
	}
	s.done.report(s.Progress, p.script.Name, nil)
	before := record.Instant(time.Since(s.started))
	play := &record.Play{Scenario: p.script.Name, About: p.script.Doc, Attempt: p.attempt + 1}
	p.play = play
	defer func() { s.done.report(s.Progress, p.script.Name, play) }()
	r := newRecorder(ctx, recorderConfig{Started: s.started, Redact: s.Redact, Budget: &s.budget, ConnCount: &s.connCount, Canaries: s.canaries})
	defer r.Close()
	st, release, err := s.openStage(r, p)
	if err != nil {
		play.Stop = "the scripted server could not be started: " + err.Error()
		play.Client = &record.ClientRun{Trouble: play.Stop, Exit: -1}
		return
	}
	defer release()
	r.acceptConnections(st.answerRequest)

	base := st.bases[0]
	task := &Task{Scenario: p.script.Name, Dialect: s.Dialect.Name, URL: base, Card: base + s.Dialect.Card.Paths[0], RPC: base + rpcPath, Text: s.Text, secure: p.script.certificate != ""}
	if p.script.plainCard {
		task.RPC = st.bases[1] + rpcPath
	}
	if err := s.trust.giveFiles(task); err != nil {
		play.Stop = "the files of the client could not be written: " + err.Error()
		play.Client = &record.ClientRun{Trouble: play.Stop, Exit: -1}
		return
	}
	defer task.removeHome()
	if p.script.Turns {
		task.Second = s.Second
	}
	task.Credentials, task.Extensions = st.canaries.listGranted(), p.script.Extensions
	task.do = p.script.listCommands(st.streaming, s.Text, s.Second)
	task.Context = s.encodeContext(task)
	run := s.starter.startClient(ctx, task, st.markers)
	st.canaries.describeStart(&run)
	run.Fault, run.Twin, run.Confirms = p.script.Fault, p.script.Twin, p.confirms
	st.courier.finishDeliveries()
	r.awaitQuiet(afterEnd)
	r.Close()
	p.exchanges = st.courier.addDeliveries(r.listExchanges())
	if run.Patience {
		excuseEnded(p.exchanges, run.Started+s.Patience)
	}
	run.Surplus = r.countSurplus()
	noteSentMarkers(run.Markers, p.exchanges)
	if ctx.Err() == nil {
		run.Disturbed = s.describeLateness(before, time.Since(s.started))
	}
	play.Client = &run
	play.Steps = st.nameSteps(p.exchanges)
	play.Reached = listMilestones(play, &run)
}

// encodeContext writes what a program is given for one play that does what it is asked to.
func (s *session) encodeContext(t *Task) string {
	var states []string
	for _, state := range s.Dialect.States {
		states = append(states, state.Name)
	}
	return adapter.Context{Scenario: t.Scenario, Dialect: t.Dialect, URL: t.URL, Card: t.Card, RPC: t.RPC, Text: t.Text, Second: t.Second, Do: t.do, States: adapter.MapStates(states),
		Credentials: t.Credentials, Extensions: t.Extensions, CA: t.CA, Hook: s.Hook, Keys: s.trust.listKeys()}.EncodeLine()
}

// describeLateness states that an answer of ours may have been late between two moments; "" if none was.
func (s *session) describeLateness(from, to record.Instant) string {
	at, late := s.lag.findWorstLateness(from, to)
	if late <= maxLag {
		return ""
	}
	return fmt.Sprintf("this machine was busy: %v after the run began, an answer of ours may have come %v late", at.Round(time.Millisecond), late.Round(time.Millisecond))
}

// openStage opens the addresses of a play, and makes the scripted server that answers there. The one at which
// nothing listens is kept until it is released.
func (s *session) openStage(r *recorder, p *performance) (st *stage, release func(), err error) {
	var bases []string
	for _, o := range s.listOrigins(p.script) {
		base, err := r.openOrigin(o.host, o.tls)
		if err != nil {
			return nil, nil, err
		}
		bases = append(bases, base)
	}
	return s.openStageAt(bases, p)
}

// openStageAt makes the scripted server of a play that is reached at known addresses.
func (s *session) openStageAt(bases []string, p *performance) (st *stage, release func(), err error) {
	dead, release, err := reserveAddress()
	if err != nil {
		return nil, nil, err
	}
	ids := s.Naming.IDs("client", p.script.Name, fmt.Sprint(p.nth), fmt.Sprint(p.attempt))
	st = setStage(p.script, s.Dialect, ids, bases, dead)
	st.pace, st.keys, st.canaries = s.pace, s.trust.keys, s.canaries.chooseSet(p.script.Name, p.numberStart())
	if slices.Contains(s.With, WithWebhook) {
		st.courier = s.newCourier(st)
	}
	return st, release, nil
}

// excuseEnded has nothing that happened since we ended the client pass for its own doing.
func excuseEnded(exchanges []*record.Exchange, since record.Instant) {
	for _, x := range exchanges {
		if x.Ended == record.Reset && x.End >= since {
			x.Ended, x.Trouble = record.Aborted, "the time of the client was up, and we ended it"
		}
		if x.Closed != nil && x.Closed.At >= since {
			x.Closed.By = record.ByUs
		}
	}
}

// afterEnd is how long connections may stay open after the client ended.
const afterEnd = 500 * time.Millisecond

// noteSentMarkers notes which markers left for the client.
func noteSentMarkers(markers []record.Marker, exchanges []*record.Exchange) {
	for i := range markers {
		m := &markers[i]
		m.Sent = slices.ContainsFunc(exchanges, func(x *record.Exchange) bool {
			if x.Dir == record.Out { // a notification
				return bytes.Contains(x.Request.Body, []byte(m.Word))
			}
			return bytes.Contains(x.Response.Body, []byte(m.Word))
		})
	}
}

// listMilestones returns what a play came to.
func listMilestones(p *record.Play, run *record.ClientRun) (out []record.Milestone) {
	if len(p.Steps) > 0 {
		out = append(out, record.Milestone{Name: came, Step: p.Steps[0].Name, At: p.Steps[0].Exchange.Start})
	}
	if run.Ended == 0 || run.Trouble != "" {
		return out
	}
	last := ""
	if len(p.Steps) > 0 {
		last = p.Steps[len(p.Steps)-1].Name
	}
	name := ended
	if run.Patience {
		name = patienceOver
	}
	return append(out, record.Milestone{Name: name, Step: last, At: run.Ended})
}

// The milestones of a play with a client.
const (
	came         = "came"     // its first request came
	ended        = "ended"    // it ended by itself
	patienceOver = "patience" // its time was up
)

// stepWords are the names of steps by operation, if they are others than those of the dialect.
var stepWords = map[string]string{"resubscribe": "subscribe"}

// nameSteps makes the steps of a play: each request by its role, numbered from the second one on.
func (s *stage) nameSteps(exchanges []*record.Exchange) []record.Step {
	count := map[string]int{}
	var steps []record.Step
	for _, x := range exchanges {
		if x.Dir == record.Out {
			steps = append(steps, s.courier.findStep(x))
			continue
		}
		seen := s.recogniseRequest(x)
		step := record.Step{Name: nameRequest(seen), Role: record.Main, Op: seen.op, Exchange: x}
		if seen.face != nil && (seen.role != "redirected" || seen.op != "") { // after a redirect HTTP lets a GET go on, which is no call
			step.Binding = seen.binding.Name()
			step.Task, step.Context = s.findSubject(seen)
		}
		count[step.Name]++
		if n := count[step.Name]; n > 1 {
			step.Name = fmt.Sprintf("%s-%d", step.Name, n)
		}
		steps = append(steps, step)
	}
	return append(steps, s.courier.listUnsent()...)
}

// nameRequest returns the name of what a request is.
func nameRequest(seen sighting) string {
	if seen.role == "call" {
		return cmp.Or(stepWords[seen.op], seen.op, seen.role)
	}
	return seen.role
}

// findSubject returns the task of ours, and the context, that a call is about.
func (s *stage) findSubject(seen sighting) (taskID, contextID string) {
	id := cmp.Or(readParam(seen.sent, "/message/taskId"), readParam(seen.sent, "/id"), readParam(seen.sent, "/taskId"))
	s.editTasks(func() {
		if t := s.tasks[id]; t != nil {
			taskID, contextID = t.id, t.context
		} else {
			contextID = readParam(seen.sent, "/message/contextId")
		}
	})
	return taskID, contextID
}

// findReasonToStop returns why there is no sense in further plays: the plain one came to nothing, twice. It is
// "" if there is.
func findReasonToStop(hello []*performance) string {
	why := ""
	for _, p := range hello {
		switch {
		case p.play == nil:
			return "the run was ended before the plain scenario was played"
		case p.play.Client.Trouble != "":
			why = "the client could not be started: " + p.play.Client.Trouble
		case !sentMessage(p.play):
			why = "in the plain scenario (hello), the client sent no message that could be answered"
		case p.play.Client.Patience:
			why = "in the plain scenario (hello), the client did not end by itself"
		default:
			return ""
		}
	}
	return why
}

// sentMessage reports whether a message came that was answered.
func sentMessage(p *record.Play) bool {
	return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return (s.Op == "send" || s.Op == "stream") && s.Exchange.Status() == 200 })
}

// readCalibration returns what the plain scenarios show of a client.
func readCalibration(t *record.Transcript, d *schema.Dialect) *record.Calibration {
	cannot := map[string]bool{}
	c := &record.Calibration{Works: true, Prints: true, Bindings: []string{}, NeverUsed: []string{}}
	hellos := 0
	used := map[string]bool{}
	for i := range t.Plays {
		p := &t.Plays[i]
		run := p.Client
		success := run.Exit == 0 && !run.Patience && run.Trouble == ""
		if p.Scenario == "hello" {
			hellos++
			c.Works = c.Works && success && sentMessage(p)
			c.Prints = c.Prints && run.Printed()
			c.Adapter = c.Adapter || hasReported(p)
		}
		for _, line := range run.Said {
			if line.Cannot != "" {
				cannot[line.Cannot] = true
			}
		}
		if (p.Scenario == "no-answer-html" || p.Scenario == "card-broken-html") && run.Exit > 0 && !run.Patience {
			c.Exits = true
		}
		sends := 0
		for _, s := range p.Steps {
			used[s.Op] = true
			if s.Binding != "" && s.Op != "" && !slices.Contains(c.Bindings, s.Binding) {
				c.Bindings = append(c.Bindings, s.Binding)
			}
			if s.Op == "send" || s.Op == "stream" {
				sends++
			}
			c.Streams = c.Streams || s.Op == "stream" && p.Scenario == "stream"
			c.Polls = c.Polls || s.Op == "get" && strings.HasPrefix(p.Scenario, "poll")
		}
		c.Second = c.Second || p.Scenario == "turns" && sends > 1
	}
	c.Works = c.Works && hellos > 0
	c.Exits, c.Prints = c.Exits && c.Works, c.Prints && hellos > 0
	slices.Sort(c.Bindings)
	c.Cannot = slices.Sorted(maps.Keys(cannot))
	for op := range d.Operations {
		if !used[op] {
			c.NeverUsed = append(c.NeverUsed, op)
		}
	}
	slices.Sort(c.NeverUsed)
	return c
}

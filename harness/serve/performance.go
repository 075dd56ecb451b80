package serve

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

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
	r.HTTP2 = st.servesGRPC()
	r.acceptConnections(st.answerRequest)

	base := st.bases[0]
	task := &Task{Scenario: p.script.Name, Dialect: s.Dialect.Name, URL: base, Card: base + s.Dialect.FirstPath(), RPC: base + rpcPath, Text: s.Text, secure: p.script.certificate != ""}
	if p.script.plainCard || p.script.plainFaces {
		task.RPC = st.bases[1] + rpcPath
	}
	task.RPC = st.findFirstAddress(task.RPC)
	defer task.removeHome()
	if err := s.trust.giveFiles(task, p.script.certificate); err != nil {
		play.Stop = "the files of the client could not be written: " + err.Error()
		play.Client = &record.ClientRun{Trouble: play.Stop, Exit: -1}
		return
	}
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
		ExcuseEnded(p.exchanges, run.Started+s.Patience)
	}
	run.Surplus = r.countSurplus()
	noteSentMarkers(run.Markers, p.exchanges)
	if ctx.Err() == nil {
		run.Disturbed = s.describeLateness(before, time.Since(s.started))
	}
	play.Client = &run
	play.Steps = st.nameSteps(p.exchanges)
	play.Reached = ListMilestones(play)
}

// encodeContext writes what a program is given for one play that does what it is asked to.
func (s *session) encodeContext(t *Task) string {
	var states []string
	for _, state := range s.Dialect.States {
		states = append(states, state.Name)
	}
	return adapter.Context{Scenario: t.Scenario, Dialect: t.Dialect, URL: t.URL, Card: t.Card, RPC: t.RPC, Text: t.Text, Second: t.Second, Do: t.do, States: adapter.MapStates(states),
		Credentials: t.Credentials, Extensions: t.Extensions, CA: t.CA, Cert: t.Cert, CertKey: t.CertKey, Hook: s.Hook, Keys: s.trust.listKeys()}.EncodeLine()
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

// ExcuseEnded has nothing that happened since we ended the client pass for its own doing.
func ExcuseEnded(exchanges []*record.Exchange, since record.Instant) {
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

// findFirstAddress returns the address of the first interface, if that is one of gRPC or a directory, and else what is given.
func (s *stage) findFirstAddress(otherwise string) string {
	if len(s.faces) > 0 && (s.faces[0].binding == overGRPC || s.dialect.Directory.List != "") {
		return s.faces[0].url
	}
	return otherwise
}

package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Attached is what a client is served with that is used by hand, and not started by us.
type Attached struct {
	// Listen is the HOST:PORT of the agent; port 0 takes a free one.
	Listen string
	// URL is the origin by which the client calls that address, if it is another one, as behind a tunnel or out of
	// a container.
	URL string
	// CertFile and KeyFile are those of TLS, in PEM; empty for plain HTTP.
	CertFile, KeyFile string
	// OnePort has the second origin, and the page, be below paths of the one port.
	OnePort bool
	// NextFile is the file by which ChooseScenario finds this run; empty for none. DefaultNextFile returns one.
	NextFile string
	// Judge returns the verdict on what was recorded so far, for the page; may be nil. One call of it is made at a time.
	Judge func(t *record.Transcript) livepage.Summary
	// Ready is called once everything listens; may be nil.
	Ready func(Addresses)
	// Came is called after each request, by several goroutines; may be nil.
	Came func(Arrival)
}

// Addresses are those of a client that is used by hand.
type Addresses struct {
	Agent string // the base that the client is pointed at
	Card  string // the address of the agent card
	Page  string // the address of the page, which only this machine can reach
	// PageOnPort is the address of the page below the one port; "" unless there is only one.
	PageOnPort string
	// NextTrouble states why ChooseScenario will not find this run; "" if it will, or is not to.
	NextTrouble string
}

// Arrival is a request that came.
type Arrival struct {
	Scenario string
	Name     string // of what it is, as a step has it
	Method   string
	URL      string
	Status   int // of our answer; 0 if it got none
}

// maxPlays is how many plays of a client that is used by hand are recorded.
const maxPlays = 200

// errFull is why no other scenario can be chosen.
var errFull = fmt.Errorf("the record has %d plays and takes no more: end the run with Ctrl-C, and start another one", maxPlays)

// errEnded is why no other scenario can be chosen.
var errEnded = errors.New("the run is ending")

// errAllPlayed is why there is no next scenario.
var errAllPlayed = errors.New("every scenario has had requests: choose one by its name, or end the run with Ctrl-C")

// attendance is a run with a client that is used by hand: one scenario at a time is current, and what
// comes belongs to it.
type attendance struct {
	*session
	Attached
	ctx        context.Context
	scripts    []Script
	bases      []string // of the two origins
	token      string   // in the addresses of the page
	tls        *tls.Config
	pageOnPort func(a *answerWriter, q *request) bool // answers for the page below the one port; may be nil
	choosing   sync.Mutex                             // of one scenario at a time
	ending     sync.WaitGroup                         // plays that end while the next one is current

	mu      sync.Mutex
	current *attendedPlay
	ended   []*performance
	seen    map[string]*sights // by scenario
	came    string             // the last request
	count   map[string]int     // plays that were begun, by scenario
	version int                // of what the page shows
	news    chan struct{}      // closed with the next request or play
	summary *livepage.Summary
}

// attendedPlay is a play that lasts until another scenario is chosen.
type attendedPlay struct {
	*performance
	recorder *recorder
	stage    *stage
	release  func()
	started  record.Instant
}

// sights is what the page shows of the requests of a scenario.
type sights struct {
	requests int
	last     string
}

// Attend serves a client that is used by hand until the context ends, and returns the sealed record. An error means that
// there is nothing to record.
func Attend(ctx context.Context, cfg Config, at Attached) (*record.Transcript, error) {
	s, scripts, err := newSession(cfg, true)
	if err != nil {
		return nil, err
	}
	scripts = slices.DeleteFunc(scripts, func(s Script) bool { return slices.Contains(s.Needs, WithTLS) || slices.Contains(s.Needs, WithKeys) }) // what they need is given to each start
	scripts = slices.DeleteFunc(scripts, func(s Script) bool { return s.Over != "" && !slices.Contains(cfg.Scenarios, s.Name) })
	if at.OnePort {
		scripts = slices.DeleteFunc(scripts, func(s Script) bool { return s.TwoOrigins })
	}
	a := &attendance{session: s, Attached: at, ctx: ctx, scripts: scripts, seen: map[string]*sights{}, count: map[string]int{}, news: make(chan struct{})}
	origins, err := a.openOrigins()
	if err != nil {
		return nil, err
	}
	defer origins.Close()
	page, err := a.openPage()
	if err != nil {
		return nil, err
	}
	defer page.Close()
	stop := s.lag.beginMeasuring(s.started)
	defer stop()
	if a.current, err = a.beginPlay(Find(s.Dialect.Name, "hello")); err != nil {
		return nil, err
	}
	var work sync.WaitGroup
	for _, o := range origins {
		work.Go(func() { a.acceptAttached(o) })
	}
	page.beginServing()
	if a.Judge != nil {
		work.Go(a.judgeNews)
	}
	to := Addresses{Agent: a.bases[0], Card: a.bases[0] + s.Dialect.FirstPath(), Page: page.address, PageOnPort: a.addressOnPort()}
	removeNote, err := a.writeNextFile(page.address)
	if err != nil {
		to.NextTrouble = err.Error()
	}
	defer removeNote()
	if a.Ready != nil {
		a.Ready(to)
	}
	<-ctx.Done()
	origins.Close()
	page.Close()
	a.choosing.Lock() // whoever chooses afterwards learns that the run ends
	last := a.current
	a.choosing.Unlock()
	a.endPlay(last)
	work.Wait()
	a.ending.Wait()
	t := a.newTranscript()
	a.sealAttended(t, a.ended)
	return t, nil
}

// newTranscript returns the record without a play.
func (a *attendance) newTranscript() *record.Transcript {
	t := &record.Transcript{Started: a.started, Facts: a.listInitialFacts()}
	t.Facts.Command, t.Facts.Target = nil, a.bases[0]
	return t
}

// sealAttended adds performances to the record, and seals it. What was never seen of a client that is used by hand
// is no sign that it has no use for it.
func (a *attendance) sealAttended(t *record.Transcript, performances []*performance) {
	addPerformances(t, performances)
	t.Facts.Calibration = readCalibration(t, a.Dialect)
	t.Facts.Calibration.NeverUsed = []string{}
	a.seal(t)
}

// beginPlay makes the scripted server of a scenario.
func (a *attendance) beginPlay(script *Script) (*attendedPlay, error) {
	a.mu.Lock()
	nth := a.count[script.Name]
	a.count[script.Name]++
	a.mu.Unlock()
	p := &attendedPlay{performance: &performance{script: script, nth: nth}, started: time.Since(a.started)}
	st, release, err := a.openStageAt(a.bases, p.performance)
	if err != nil {
		return nil, err
	}
	p.stage, p.release = st, release
	st.canaries = a.canaries.chooseSet(script.Name, 0) // those that the page shows
	p.recorder = newRecorder(a.ctx, recorderConfig{Started: a.started, Redact: a.Redact, Budget: &a.budget, ConnCount: &a.connCount, TLS: a.tls, Canaries: a.canaries, HTTP2: st.servesGRPC(),
		AnswerApart: a.answerApart, Noted: func(x *record.Exchange) { a.noteRequest(p, x) }})
	p.recorder.answer = func(w *answerWriter, q *request) {
		w.shared = listSharedFields(q)
		st.answerRequest(w, q)
	}
	return p, nil
}

// answerApart answers what no client of the protocol asks for: whether a page may call, and the page of the operator.
func (a *attendance) answerApart(w *answerWriter, q *request) bool {
	return a.pageOnPort != nil && a.pageOnPort(w, q) || answerPreflight(w, q)
}

// endPlay ends a play, and keeps it if a request came.
func (a *attendance) endPlay(p *attendedPlay) {
	p.stage.courier.finishDeliveries()
	p.recorder.Close()
	p.release()
	p.exchanges = p.stage.courier.addDeliveries(p.recorder.listExchanges())
	p.play = a.describePlay(p, p.exchanges, time.Since(a.started))
	if !hasRequest(p.exchanges) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = append(a.ended, p.performance)
	slices.SortStableFunc(a.ended, func(x, y *performance) int { return cmp.Compare(x.play.Client.Started, y.play.Client.Started) })
}

// hasRequest reports whether there is more than handshakes that failed.
func hasRequest(exchanges []*record.Exchange) bool {
	return slices.ContainsFunc(exchanges, func(x *record.Exchange) bool { return len(x.Request.Head) > 0 })
}

// wentOn is the milestone of a play that the operator ended: another scenario was chosen, or the run ended.
const wentOn = "next"

// describePlay returns a play as it is recorded. until is when it ended; 0 if it has not.
func (a *attendance) describePlay(p *attendedPlay, exchanges []*record.Exchange, until record.Instant) *record.Play {
	run := &record.ClientRun{Text: a.Text, Markers: slices.Clone(p.stage.markers), Started: p.started, Fault: p.script.Fault, Twin: p.script.Twin, Surplus: p.recorder.countSurplus()}
	if p.script.Turns {
		run.Second = a.Second
	}
	p.stage.canaries.describeStart(run)
	noteSentMarkers(run.Markers, exchanges)
	run.Disturbed = a.describeLateness(p.started, time.Since(a.started))
	play := &record.Play{Scenario: p.script.Name, About: p.script.Doc, Attempt: 1, Client: run, Steps: p.stage.nameSteps(exchanges)}
	play.Reached = ListMilestones(play)
	if n := len(play.Steps); until > 0 && n > 0 {
		play.Reached = append(play.Reached, record.Milestone{Name: wentOn, Step: play.Steps[n-1].Name, At: until})
	}
	return play
}

// noteRequest has the page show that a request came in a play, and reports it. x is nil if it was not recorded.
func (a *attendance) noteRequest(p *attendedPlay, x *record.Exchange) {
	arrival := Arrival{Scenario: p.script.Name, Name: "one of too many to be recorded"}
	if x != nil {
		if len(x.Request.Head) == 0 {
			return // a handshake that failed
		}
		seen := p.stage.recogniseRequest(x)
		arrival.Name, arrival.URL, arrival.Status = nameRequest(seen), x.URL, x.Status()
		arrival.Method, _, _ = strings.Cut(string(x.Request.Head[:min(len(x.Request.Head), record.CutSmall)]), " ")
	}
	a.mu.Lock()
	of := a.seen[arrival.Scenario]
	if of == nil {
		of = &sights{}
		a.seen[arrival.Scenario] = of
	}
	of.requests++
	of.last = arrival.Name
	a.came = fmt.Sprintf("%s: request %d, %s", arrival.Scenario, of.requests, arrival.Name)
	if x != nil {
		a.came += fmt.Sprintf(" (%s %s, answered by %d)", arrival.Method, arrival.URL, arrival.Status)
	}
	a.signalNews()
	a.mu.Unlock()
	if a.Came != nil {
		a.Came(arrival)
	}
}

// signalNews wakes who waits for news. The caller has locked a.mu.
func (a *attendance) signalNews() {
	a.version++
	close(a.news)
	a.news = make(chan struct{})
}

// chooseScenario has what comes from now on belong to another scenario: the next one that had no request if the name is
// "". The caller ends the play that was current, by the function that is returned. It waits for all connections of that
// play, so that no answer on one of them may wait for it.
func (a *attendance) chooseScenario(name string) (endLast func(), err error) {
	a.choosing.Lock()
	defer a.choosing.Unlock()
	if a.ctx.Err() != nil {
		return nil, errEnded
	}
	script, err := a.findScript(name)
	if err != nil {
		return nil, err
	}
	next, err := a.beginPlay(script)
	if err != nil {
		return nil, fmt.Errorf("the scripted server of %s could not be started: %w", script.Name, err)
	}
	a.ending.Add(1)
	a.mu.Lock()
	last := a.current
	a.current = next
	a.signalNews()
	a.mu.Unlock()
	return func() {
		defer a.ending.Done()
		a.endPlay(last)
	}, nil
}

// findScript returns the scenario of that name, or the next one that had no request.
func (a *attendance) findScript(name string) (*Script, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ended) >= maxPlays {
		return nil, errFull
	}
	if name != "" {
		if i := slices.IndexFunc(a.scripts, func(s Script) bool { return s.Name == name }); i >= 0 {
			return &a.scripts[i], nil
		}
		return nil, fmt.Errorf("this run has no scenario %q", name[:min(len(name), 100)])
	}
	now := slices.IndexFunc(a.scripts, func(s Script) bool { return s.Name == a.current.script.Name })
	for i := range a.scripts {
		if s := &a.scripts[(now+1+i)%len(a.scripts)]; a.seen[s.Name] == nil && s.Name != a.current.script.Name {
			return s, nil
		}
	}
	return nil, errAllPlayed
}

// judgeNews judges the record whenever something came, until the run ends.
func (a *attendance) judgeNews() {
	for {
		a.mu.Lock()
		news, any := a.news, len(a.seen) > 0
		a.mu.Unlock()
		pause := minPause
		if any {
			began := time.Now()
			summary := a.Judge(a.snapshotRecord())
			pause = max(pause, judgingShare*time.Since(began))
			a.mu.Lock()
			a.summary = &summary
			a.version++
			a.mu.Unlock()
		}
		select {
		case <-news:
		case <-a.ctx.Done():
			return
		}
		t := time.NewTimer(pause) // so that a burst of requests is judged once
		select {
		case <-t.C:
		case <-a.ctx.Done():
			t.Stop()
			return
		}
	}
}

// How often the record is judged while the client is used: judging takes a small part of the time at most.
const (
	minPause     = 300 * time.Millisecond
	judgingShare = 4 // pauses are so many times longer than the judging
)

// snapshotRecord returns the record so far, sealed. Only judgeNews calls it, since the plays that have ended are
// shared.
func (a *attendance) snapshotRecord() *record.Transcript {
	a.mu.Lock()
	current, performances := a.current, slices.Clone(a.ended)
	a.mu.Unlock()
	var copies []*record.Exchange
	for _, x := range current.recorder.listExchanges() {
		copies = append(copies, current.recorder.copyExchange(x))
	}
	if hasRequest(copies) && !slices.Contains(performances, current.performance) {
		performances = append(performances, &performance{play: a.describePlay(current, copies, 0), exchanges: copies})
	}
	t := a.newTranscript()
	a.sealAttended(t, performances)
	return t
}

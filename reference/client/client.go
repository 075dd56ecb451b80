// Package client is the bundled client: a second reading of the client's side of the
// protocol, which the checks of clients are tested against. It reads the card, sends one
// or two texts, follows the task to its end, and prints what the agent answered. It has
// healthy variants and, for proofs, one named defect at a time. It imports nothing of
// the project.
package client

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// DefaultDialect is the protocol of a client whose Options name none.
const DefaultDialect = "a2a-1.0"

// DefaultTimeout bounds a run whose Options have no limit.
const DefaultTimeout = 25 * time.Second

// DefaultPause is the Pause of Options that have none.
const DefaultPause = 200 * time.Millisecond

// Exit codes of Run.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Options choose the client to run and what it does.
type Options struct {
	URL     string // the agent's base URL
	Text    string // what is sent first
	Second  string // the answer to a question of the agent, or a second message; "" for none
	Context string // what the variant reporting is asked to do, as JSON; "" to send the texts
	Dialect string
	Variant string // "" for that of the mutant, or plain
	Mutant  string

	Credentials Credentials
	Extensions  []string      // URIs of the extensions that the client knows
	Hook        string        // the URL that is registered as a webhook; "" for one of the client's own, on this machine
	CA          string        // a certificate authority to trust besides those of the system, in PEM; "" for none
	Cert        string        // a certificate of the client's own, in PEM; "" for none
	CertKey     string        // its key, in PEM
	Keys        string        // the keys by which cards are verified, as a JSON Web Key Set; "" to verify no card
	Timeout     time.Duration // of everything; 0 for DefaultTimeout
	Pause       time.Duration // before the first look at a task, the measure of all waiting; 0 for DefaultPause

	Stdin          io.Reader // source of the answer to a question if Second is empty
	Stdout, Stderr io.Writer
}

// Bounds of everything that comes from the agent.
const (
	maxCard          = 1 << 20
	maxBody          = 16 << 20
	maxEvent         = 16 << 20
	maxStream        = 64 << 20
	maxEvents        = 10_000
	maxCalls         = 500
	maxLine          = 64 << 10 // of stdin
	maxCardRedirects = 5
	maxCallRedirects = 3
)

// Run runs the client and returns its exit code: 0 if the agent answered, 1 if that
// failed or the task did not come to a good end, 2 if the options are wrong.
func Run(ctx context.Context, o Options) int {
	s, err := newSession(o)
	if err != nil {
		fmt.Fprintf(o.Stderr, "%v\n", err)
		return exitUsage
	}
	defer s.http.CloseIdleConnections()
	defer s.rpc.CloseIdleConnections()
	defer s.closeReceiver()
	if !s.habits.unlimited {
		limit := o.Timeout
		if limit <= 0 {
			limit = DefaultTimeout
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	s.ctx = ctx
	err = s.runSteps()
	s.printer.printResult(&s.task)
	if err != nil && !errors.Is(err, errSomeFailed) {
		s.printer.reportError(err)
	}
	if err != nil {
		fmt.Fprintf(o.Stderr, "%s\n", cleanText(err.Error()))
		return exitFailed
	}
	return exitDone
}

// Validate returns an error if the options name a dialect, a variant or a mutant that there
// is not.
func (o Options) Validate() error {
	_, err := newSession(o)
	return err
}

// A session is one run of the client.
type session struct {
	ctx     context.Context
	options Options
	dialect *dialect
	habits  *habits
	http    *http.Client
	rpc     *http.Transport // for calls of gRPC
	card    *card
	task    taskView
	printer printer
	calls   atomic.Int64 // made so far, several at a time in a directory
	turn    int          // the number of the message that was sent last
	message string       // its id
	cutOff  bool         // the stream ended before the task did

	tokens     map[string]string // by their endpoints
	discovered map[string]string // token endpoints by the documents that name them
	keys       keySet            // by which cards are verified; empty to verify none
	receiver   *receiver         // nil until a webhook is registered
	pending    *registration     // whose task is not known

	kept      map[string]*keptCard // cards by their paths, of a client that keeps them
	stopAfter int                  // the application leaves a stream after so many events; 0 for never
	stopped   bool                 // it left the last one
	notBefore time.Time            // no call is left until then
}

// newSession finds the dialect, the variant and the mutant that the options name.
func newSession(o Options) (*session, error) {
	o.Dialect = cmp.Or(o.Dialect, DefaultDialect)
	d, err := findDialect(o.Dialect)
	if err != nil {
		return nil, err
	}
	m := &mutant{}
	if o.Mutant != "" {
		if m, err = findMutant(o.Dialect, o.Mutant); err != nil {
			return nil, err
		}
	}
	v, err := findVariant(o.Dialect, cmp.Or(o.Variant, m.variant, defaultVariant))
	if err != nil {
		return nil, err
	}
	s := &session{options: o, dialect: d, kept: map[string]*keptCard{}, tokens: map[string]string{}, discovered: map[string]string{}, habits: newHabits(cmp.Or(o.Pause, DefaultPause))}
	s.habits.beforeSending = m.request
	for _, edit := range []func(*habits){v.edit, m.habit} {
		if edit != nil {
			edit(s.habits)
		}
	}
	if s.keys, err = readKeys([]byte(o.Keys)); err != nil {
		return nil, err
	}
	s.printer = printer{out: &lockedWriter{to: o.Stdout}, style: s.habits.style, questionIsEnd: s.habits.questionIsEnd, swaps: s.habits.swapsReports}
	secure, err := s.habits.configureTLS(o.CA, o.Cert, o.CertKey)
	if err != nil {
		return nil, err
	}
	s.http = &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSClientConfig: secure},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	s.rpc = makeTransport(secure)
	return s, nil
}

// runSteps does all that the client does. A crash, which only mutants have, is an error.
func (s *session) runSteps() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the client crashed: %v", r)
		}
	}()
	if s.habits.style == reportStyle {
		return s.runCommands()
	}
	for _, step := range []func() error{
		func() error { return s.waitFor(s.habits.startPause) },
		s.discoverAgent,
		s.readExtendedCard,
		func() error { return s.sendAndFollow(s.options.Text, "") },
		s.sendSecondText,
		s.listTasks,
		s.actAfterwards,
		s.judgeEnd,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sendSecondText sends the second text, if there is one: to the task, if that waits for it or for a credential.
func (s *session) sendSecondText() error {
	task := ""
	if s.task.state == inputRequired || s.task.state == authRequired {
		task = s.task.id
	}
	text := s.readSecondText()
	if text == "" {
		return nil
	}
	return s.sendAndFollow(text, task)
}

// actAfterwards does what mutants do at the end, if there was a task.
func (s *session) actAfterwards() error {
	if s.habits.afterwards == nil || s.task.id == "" {
		return nil
	}
	return s.habits.afterwards(s)
}

// judgeEnd returns an error if the task did not come to a good end.
func (s *session) judgeEnd() error {
	if end := s.task.state; end.isTerminal() && end != completed && !s.habits.anyEndIsDone {
		return fmt.Errorf("the task was not completed: its state is %s", end)
	}
	return nil
}

// readSecondText returns the second text. If there is none and the agent asks, it is
// read from stdin.
func (s *session) readSecondText() string {
	if s.options.Second != "" || s.options.Stdin == nil || s.task.state != inputRequired {
		return s.options.Second
	}
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(io.LimitReader(s.options.Stdin, maxLine)).ReadString('\n')
		line <- strings.TrimRight(text, "\r\n")
	}()
	select {
	case text := <-line:
		return text
	case <-s.ctx.Done():
		return ""
	}
}

// waitFor waits, unless the time of the run is over.
func (s *session) waitFor(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-s.ctx.Done():
		return errors.New("the agent did not finish in time")
	}
}

package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Schedule is a list of agents that begins a round again and again.
type Schedule struct {
	Name    string `json:"name"`
	Every   string `json:"every"`
	Targets int    `json:"targets"`
}

// schedulesSince is the first nats-server whose messages are published by a schedule as cron
// writes it.
const schedulesSince = "2.14.0"

// NoSchedules is the error of a broker that cannot begin rounds by itself.
type NoSchedules struct{ Version string }

func (e *NoSchedules) Error() string {
	return fmt.Sprintf("the broker is nats-server %s, which has no schedules: --every needs %s or newer. Without it, have cron or a timer of systemd call fleet add", e.Version, schedulesSince)
}

// scheduleName is what a schedule may be called: it is a part of a subject.
var scheduleName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}$`) })

// Every has a list judged by a schedule: five fields as cron has them (in UTC), a word such as
// @daily, or @every 6h. The list takes the place of an earlier one of the same name.
func (f *Fleet) Every(ctx context.Context, name, every string, targets []Target) error {
	if !scheduleName().MatchString(name) {
		return fmt.Errorf("the schedule cannot be called %q; give --schedule NAME, with letters, digits, dashes and underscores", name)
	}
	none := fmt.Errorf("--every %q is no schedule; write it as cron does, like '0 2 * * *' for 2 o'clock at night (UTC), or like @daily or @every 6h", every)
	if fields := len(strings.Fields(every)); !strings.HasPrefix(every, "@") && fields != 5 {
		return none
	}
	if strings.TrimSpace(every) == "" || strings.HasPrefix(every, "@at") { // which a broker takes for once, or for never
		return none
	}
	if _, err := f.schedules(ctx); err != nil {
		return err
	}
	var texts []json.RawMessage
	for _, t := range targets {
		texts = append(texts, t.Text)
	}
	// First the schedule: if it is none, an earlier one keeps its list.
	if err := f.until(ctx, func(ctx context.Context) error {
		m := nats.NewMsg(scheduleSubjects + name)
		m.Data = encode(Schedule{name, every, len(targets)})
		_, err := f.js.PublishMsg(ctx, m, jetstream.WithScheduleCron(cron(every)), jetstream.WithScheduleTarget(dueSubjects+name))
		if errors.Is(err, jetstream.ErrSchedulePatternInvalid) {
			return none
		}
		return err
	}); err != nil {
		return err
	}
	list := encode(texts)
	return f.untilWithin(ctx, carried(len(list)), func(ctx context.Context) error {
		_, err := f.lists.PutBytes(ctx, name, list)
		return err
	})
}

// Never ends a schedule.
func (f *Fleet) Never(ctx context.Context, name string) error {
	s, err := f.schedules(ctx)
	if err != nil {
		return err
	}
	if err := f.until(ctx, func(ctx context.Context) error {
		_, err := s.GetLastMsgForSubject(ctx, scheduleSubjects+name)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return fmt.Errorf("no schedule is called %q; fleet status lists them", name)
		}
		return err
	}); err != nil {
		return err
	}
	for _, subject := range []string{scheduleSubjects + name, dueSubjects + name} {
		if err := f.until(ctx, func(ctx context.Context) error { return s.Purge(ctx, jetstream.WithPurgeSubject(subject)) }); err != nil {
			return err
		}
	}
	return f.until(ctx, func(ctx context.Context) error {
		err := f.lists.Delete(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		return err
	})
}

// cron is a schedule as the broker reads it, which has seconds before the minutes.
func cron(every string) string {
	if len(strings.Fields(every)) == 5 && !strings.HasPrefix(every, "@") {
		return "0 " + every
	}
	return every
}

// older reports whether a version of nats-server is older than another one.
func older(version, than string) bool {
	parts := func(v string) (out []int) {
		for p := range strings.SplitSeq(strings.TrimPrefix(v, "v"), ".") {
			n, _ := strconv.Atoi(strings.SplitN(p, "-", 2)[0])
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(parts(version), parts(than)) < 0
}

// schedules is the stream of the schedules, which older brokers do not have.
func (f *Fleet) schedules(ctx context.Context) (s jetstream.Stream, err error) {
	if version := f.nc.ConnectedServerVersion(); older(version, schedulesSince) { // it would make a stream without them
		return nil, &NoSchedules{version}
	}
	err = f.until(ctx, func(ctx context.Context) (err error) {
		s, err = f.stream(ctx, jetstream.StreamConfig{Name: schedulesStream, Description: "lists that are judged by a schedule", Subjects: []string{scheduleSubjects + "*", dueSubjects + "*"},
			MaxMsgsPerSubject: 1, AllowMsgSchedules: true}, f.replicas)
		return err
	})
	return s, err
}

// mostSchedules is how many schedules are listed.
const mostSchedules = 1000

// Schedules lists them.
func (f *Fleet) Schedules(ctx context.Context) (out []Schedule, err error) {
	if older(f.nc.ConnectedServerVersion(), schedulesSince) {
		return nil, nil
	}
	s, err := f.schedules(ctx)
	if err != nil {
		return nil, err
	}
	err = f.until(ctx, func(ctx context.Context) error {
		out = nil
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(scheduleSubjects+"*"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			if len(out) == mostSchedules {
				break
			}
			m, err := s.GetLastMsgForSubject(ctx, subject)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(subject, scheduleSubjects)
			one, err := decodeStored[Schedule](name, m.Data, f.clock.now())
			if err != nil {
				f.noteUnreadable(schedulesStream, name, err)
				continue
			}
			out = append(out, one)
		}
		slices.SortFunc(out, func(a, b Schedule) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
	return out, err
}

// awaitDue begins the rounds of schedules, until ctx ends. Of several workers one begins each.
func (f *Fleet) awaitDue(ctx context.Context, tool string) error {
	if older(f.nc.ConnectedServerVersion(), schedulesSince) {
		return nil
	}
	s, err := f.schedules(ctx)
	if err != nil {
		return err
	}
	var due jetstream.Consumer
	if err := f.until(ctx, func(ctx context.Context) (err error) {
		due, err = s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "due", FilterSubject: dueSubjects + "*", AckPolicy: jetstream.AckExplicitPolicy, AckWait: addingTime})
		return err
	}); err != nil {
		return err
	}
	for ctx.Err() == nil {
		got, err := due.Fetch(1, jetstream.FetchMaxWait(5*time.Second))
		if err != nil {
			pause(ctx, time.Second)
			continue
		}
		for m := range got.Messages() {
			if err := f.begin(ctx, tool, m); err != nil && ctx.Err() == nil {
				f.say(fmt.Sprintf("the round of the schedule %s was not begun: %v; it is tried again", strings.TrimPrefix(m.Subject(), dueSubjects), err))
				m.NakWithDelay(10 * time.Second)
			}
		}
	}
	return ctx.Err()
}

// begin makes the round of a schedule that is due. If it is interrupted, the next worker goes
// on with the same round.
func (f *Fleet) begin(ctx context.Context, tool string, m jetstream.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(m.Subject(), dueSubjects)
	targets, err := f.listed(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return m.Term()
	}
	if err != nil {
		return err
	}
	rounds, err := f.Rounds(ctx)
	if err != nil {
		return err
	}
	due := meta.Sequence.Stream
	i := slices.IndexFunc(rounds, func(r Round) bool { return r.Schedule == name && r.Due == due })
	var r Round
	if i >= 0 {
		r = rounds[i]
	} else if r, err = f.newRound(ctx, rounds, Round{Tool: tool, Schedule: name, Due: due}); err != nil {
		return err
	}
	stop := f.inProgress(ctx, m, addingTime/3)
	defer stop()
	a, err := f.addTo(ctx, r, targets)
	if err != nil {
		return err
	}
	f.say(fmt.Sprintf("round %s began by the schedule %s: %d targets", r.Number(), name, a.Queued+a.Known))
	return f.until(ctx, m.DoubleAck)
}

// listed reads the list of a schedule. An entry that cannot be read is left out, and named; a list
// that cannot be read is an error of its own schedule.
func (f *Fleet) listed(ctx context.Context, name string) (targets []Target, err error) {
	var text []byte
	if err := f.untilWithin(ctx, patient, func(ctx context.Context) (err error) {
		text, err = readObject(ctx, f.lists, name, maxList)
		return err
	}); err != nil {
		if errors.Is(err, errEvidence) {
			f.noteUnreadable(listsStore, name, err)
		}
		return nil, err
	}
	entries, err := decodeList(name, text, f.clock.now())
	if err != nil {
		f.noteUnreadable(listsStore, name, err)
		return nil, fmt.Errorf("its list cannot be read: %w", err)
	}
	for i, one := range entries {
		t, _, _, err := entryOf(one)
		if err == nil && len(one) > maxEntry {
			err = fmt.Errorf("it has %d bytes; at most %d are queued", len(one), maxEntry)
		}
		if err != nil {
			f.noteUnreadable("the list of the schedule", fmt.Sprintf("%s, entry %d", name, i+1), err)
			continue
		}
		targets = append(targets, t)
	}
	return targets, nil
}

// inProgress tells the broker that a message is being worked on, until stop is called.
func (f *Fleet) inProgress(ctx context.Context, m jetstream.Msg, every time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go repeat(ctx, every, func() { m.InProgress() })
	return cancel
}

// repeat does something again and again, until ctx ends.
func repeat(ctx context.Context, every time.Duration, do func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// pause waits, unless ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

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

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
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

// NoSchedulesError is the error of a broker that cannot begin rounds by itself.
type NoSchedulesError struct{ Version string }

func (e *NoSchedulesError) Error() string {
	return fmt.Sprintf("the broker is nats-server %s, which has no schedules: --every needs %s or newer. Without it, have cron or a timer of systemd call fleet add", e.Version, schedulesSince)
}

// scheduleName is what a schedule may be called: it is a part of a subject.
var scheduleName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,60}$`) })

// SetSchedule has a list judged by a schedule: five fields as cron has them (in UTC), a word such as
// @daily, or @every 6h. The list takes the place of an earlier one of the same name.
func (f *Fleet) SetSchedule(ctx context.Context, name, every string, targets []agentlist.Target) error {
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
	if _, err := f.openOrCreateScheduleStream(ctx); err != nil {
		return err
	}
	var texts []json.RawMessage
	for _, t := range targets {
		texts = append(texts, t.Text)
	}
	// First the schedule: if it is none, an earlier one keeps its list.
	if err := f.conn.Retry(ctx, func(ctx context.Context) error {
		m := nats.NewMsg(scheduleSubjects + name)
		m.Data = broker.Encode(Schedule{name, every, len(targets)})
		_, err := f.conn.JetStream.PublishMsg(ctx, m, jetstream.WithScheduleCron(addCronSeconds(every)), jetstream.WithScheduleTarget(dueSubjects+name))
		if errors.Is(err, jetstream.ErrSchedulePatternInvalid) {
			return none
		}
		return err
	}); err != nil {
		return err
	}
	list := broker.Encode(texts)
	return f.conn.RetryEachWithin(ctx, broker.UploadTimeout(len(list)), func(ctx context.Context) error {
		_, err := f.lists.PutBytes(ctx, name, list)
		return err
	})
}

// EndSchedule ends a schedule.
func (f *Fleet) EndSchedule(ctx context.Context, name string) error {
	s, err := f.openOrCreateScheduleStream(ctx)
	if err != nil {
		return err
	}
	if err := f.conn.Retry(ctx, func(ctx context.Context) error {
		_, err := s.GetLastMsgForSubject(ctx, scheduleSubjects+name)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return fmt.Errorf("no schedule is called %q; fleet status lists them", name)
		}
		return err
	}); err != nil {
		return err
	}
	for _, subject := range []string{scheduleSubjects + name, dueSubjects + name} {
		if err := f.conn.Retry(ctx, func(ctx context.Context) error { return s.Purge(ctx, jetstream.WithPurgeSubject(subject)) }); err != nil {
			return err
		}
	}
	return f.conn.Retry(ctx, func(ctx context.Context) error {
		err := f.lists.Delete(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		return err
	})
}

// addCronSeconds returns a schedule as the broker reads it, which has seconds before the minutes.
func addCronSeconds(every string) string {
	if len(strings.Fields(every)) == 5 && !strings.HasPrefix(every, "@") {
		return "0 " + every
	}
	return every
}

// isOlderVersion reports whether a version of nats-server is older than another one.
func isOlderVersion(version, than string) bool {
	parts := func(v string) (out []int) {
		for p := range strings.SplitSeq(strings.TrimPrefix(v, "v"), ".") {
			n, _ := strconv.Atoi(strings.SplitN(p, "-", 2)[0])
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(parts(version), parts(than)) < 0
}

// openOrCreateScheduleStream returns the stream of the schedules, which older brokers do not have.
func (f *Fleet) openOrCreateScheduleStream(ctx context.Context) (s jetstream.Stream, err error) {
	if version := f.conn.ServerVersion(); isOlderVersion(version, schedulesSince) { // it would make a stream without them
		return nil, &NoSchedulesError{version}
	}
	err = f.conn.Retry(ctx, func(ctx context.Context) (err error) {
		s, err = f.conn.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: schedulesStream, Description: "lists that are judged by a schedule", Subjects: []string{scheduleSubjects + "*", dueSubjects + "*"},
			MaxMsgsPerSubject: 1, AllowMsgSchedules: true}, f.replicas)
		return err
	})
	return s, err
}

// maxSchedules is how many schedules are listed.
const maxSchedules = 1000

// Schedules lists them.
func (f *Fleet) Schedules(ctx context.Context) (out []Schedule, err error) {
	if isOlderVersion(f.conn.ServerVersion(), schedulesSince) {
		return nil, nil
	}
	s, err := f.openOrCreateScheduleStream(ctx)
	if err != nil {
		return nil, err
	}
	err = f.conn.Retry(ctx, func(ctx context.Context) error {
		out = nil
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(scheduleSubjects+"*"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			if len(out) == maxSchedules {
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
			one, err := broker.Decode[Schedule](name, m.Data, f.conn.Now())
			if err != nil {
				f.conn.RecordUnreadable(schedulesStream, name, err)
				continue
			}
			out = append(out, one)
		}
		slices.SortFunc(out, func(a, b Schedule) int { return cmp.Compare(a.Name, b.Name) })
		return nil
	})
	return out, err
}

// runSchedules begins the rounds of schedules, until ctx ends. Of several workers one begins each.
func (f *Fleet) runSchedules(ctx context.Context, tool string) error {
	if isOlderVersion(f.conn.ServerVersion(), schedulesSince) {
		return nil
	}
	s, err := f.openOrCreateScheduleStream(ctx)
	if err != nil {
		return err
	}
	var due jetstream.Consumer
	if err := f.conn.Retry(ctx, func(ctx context.Context) (err error) {
		due, err = s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "due", FilterSubject: dueSubjects + "*", AckPolicy: jetstream.AckExplicitPolicy, AckWait: addingTime})
		return err
	}); err != nil {
		return err
	}
	for ctx.Err() == nil {
		got, err := due.Fetch(1, jetstream.FetchMaxWait(5*time.Second))
		if err != nil {
			broker.Pause(ctx, time.Second)
			continue
		}
		for m := range got.Messages() {
			if err := f.beginScheduledRound(ctx, tool, m); err != nil && ctx.Err() == nil {
				f.conn.Log(fmt.Sprintf("the round of the schedule %s was not begun: %v; it is tried again", strings.TrimPrefix(m.Subject(), dueSubjects), err))
				m.NakWithDelay(10 * time.Second)
			}
		}
	}
	return ctx.Err()
}

// beginScheduledRound makes the round of a schedule that is due. If it is interrupted, the next worker goes
// on with the same round.
func (f *Fleet) beginScheduledRound(ctx context.Context, tool string, m jetstream.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	name := strings.TrimPrefix(m.Subject(), dueSubjects)
	targets, err := f.readScheduleList(ctx, name)
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
	stop := f.conn.KeepInProgress(ctx, m, addingTime/3)
	defer stop()
	a, err := f.addToRound(ctx, r, targets)
	if err != nil {
		return err
	}
	f.conn.Log(fmt.Sprintf("round %s began by the schedule %s: %d targets", r.Number(), name, a.Queued+a.Known))
	return f.conn.Retry(ctx, m.DoubleAck)
}

// readScheduleList reads the list of a schedule. An entry that cannot be read is left out, and named; a list
// that cannot be read is an error of its own schedule.
func (f *Fleet) readScheduleList(ctx context.Context, name string) (targets []agentlist.Target, err error) {
	var text []byte
	if err := f.conn.RetryEachWithin(ctx, broker.LongRequestTimeout, func(ctx context.Context) (err error) {
		text, err = broker.ReadObject(ctx, f.lists, name, agentlist.MaxBytes)
		return err
	}); err != nil {
		if errors.Is(err, broker.ErrUnreadableObject) {
			f.conn.RecordUnreadable(listsStore, name, err)
		}
		return nil, err
	}
	entries, err := decodeList(name, text, f.conn.Now())
	if err != nil {
		f.conn.RecordUnreadable(listsStore, name, err)
		return nil, fmt.Errorf("its list cannot be read: %w", err)
	}
	for i, one := range entries {
		t, _, _, err := agentlist.ParseEntry(one)
		if err == nil && len(one) > agentlist.MaxEntryBytes {
			err = fmt.Errorf("it has %d bytes; at most %d are queued", len(one), agentlist.MaxEntryBytes)
		}
		if err != nil {
			f.conn.RecordUnreadable("the list of the schedule", fmt.Sprintf("%s, entry %d", name, i+1), err)
			continue
		}
		targets = append(targets, t)
	}
	return targets, nil
}

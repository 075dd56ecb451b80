package serve

import (
	"context"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Launch is how the program of a client is started once.
type Launch struct {
	Command  []string // as Config.Command
	Func     func(ctx context.Context, t *Task) error
	Patience time.Duration // 0 for DefaultPatience
	Dir      string        // as Config.Dir
	Redact   *redact.Redactor
	Without  func(name, value string) bool // as Config.Without
	Started  time.Time                     // zero point of all instants
	Dialect  *schema.Dialect               // of the server
}

// LaunchClient starts the program of a client for a task, and returns how it fared once it has ended or its time is
// up.
func LaunchClient(ctx context.Context, l Launch, t *Task) record.ClientRun {
	if l.Redact == nil {
		l.Redact = redact.NewRedactor(nil)
	}
	if l.Patience <= 0 {
		l.Patience = DefaultPatience
	}
	t.Dialect = l.Dialect.Name
	t.do = (&Script{Turns: t.Second != ""}).listCommands(false, t.Text, t.Second)
	t.Context = (&session{Config: Config{Dialect: l.Dialect}}).encodeContext(t)
	s := &starter{command: nameFilesAbsolutely(l.Command), call: l.Func, patience: l.Patience, dir: l.Dir, redact: l.Redact, without: l.Without,
		now: func() record.Instant { return time.Since(l.Started) }}
	return s.startClient(ctx, t, nil)
}

package suites

import (
	"maps"
	"sync"

	"github.com/a2a-conform/a2a-conform/suites/auth"
	"github.com/a2a-conform/a2a-conform/suites/card"
	"github.com/a2a-conform/a2a-conform/suites/client"
	"github.com/a2a-conform/a2a-conform/suites/directory"
	"github.com/a2a-conform/a2a-conform/suites/extension"
	"github.com/a2a-conform/a2a-conform/suites/interfaces"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/limits"
	"github.com/a2a-conform/a2a-conform/suites/message"
	"github.com/a2a-conform/a2a-conform/suites/push"
	"github.com/a2a-conform/a2a-conform/suites/rpc"
	"github.com/a2a-conform/a2a-conform/suites/shape"
	"github.com/a2a-conform/a2a-conform/suites/stream"
	"github.com/a2a-conform/a2a-conform/suites/task"
	"github.com/a2a-conform/a2a-conform/suites/transport"
)

// Checks returns every check by name.
func Checks() judge.Checks { return maps.Clone(checks()) }

// Check returns the check of a name, and the zero Check if there is none.
func Check(name string) judge.Check { return checks()[name] }

var checks = sync.OnceValue(func() judge.Checks {
	return judge.Register(shape.Checks(), card.Checks(), rpc.Checks(), message.Checks(), extension.Checks(), task.Checks(), stream.Checks(), push.Checks(), auth.Checks(), limits.Checks(), interfaces.Checks(), directory.Checks(), transport.Checks(), client.Checks())
})

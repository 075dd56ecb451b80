package harness

import (
	"context"
	"net/url"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// announceAndSendCall makes a call of the discovery, and announces that the run waits for it.
func (r *runner) announceAndSendCall(ctx context.Context, call client.Call, watch client.Watch) *record.Exchange {
	where := call.URL
	if u, err := url.Parse(call.URL); err == nil { // whose query may hold a secret
		where = u.EscapedPath()
	}
	if where == "" {
		where = "/"
	}
	r.announceAwaited(call.Method + " " + where)
	defer r.announceAwaited("")
	return r.client.Do(ctx, call, watch)
}

// announceAwaited passes on what the run waits for from now on.
func (r *runner) announceAwaited(what string) {
	if r.target.Awaits == nil {
		return
	}
	since := time.Time{}
	if what != "" {
		since = time.Now()
	}
	r.target.Awaits(what, since)
}

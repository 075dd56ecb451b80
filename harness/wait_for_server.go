package harness

import (
	"context"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// How often a server that is starting is asked, and for how long each time.
const (
	askAgain = 100 * time.Millisecond
	oneAsk   = 5 * time.Second
)

// awaitAnswer waits until the target answers over HTTP, at most target.Wait. A
// gateway that says that there is nobody behind it is no answer. Nothing is
// recorded, for nothing is judged yet; who never answers is found out soon
// enough.
func (r *runner) awaitAnswer(ctx context.Context) error {
	if r.target.Wait <= 0 {
		return nil
	}
	cfg, err := r.target.tls()
	if err != nil {
		return err
	}
	cfg.InsecureSkipVerify = true // whether it may be trusted is not asked here, and nothing is told to it
	client := client.NewClient(client.Config{Started: time.Now(), UserAgent: "a2a-conform/" + r.target.Version, Timeout: oneAsk, TLS: cfg, Reach: r.target.AllowDial, Turn: r.target.BeforeCall})
	defer client.Close()
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.target.Wait)
	defer cancel()
	tick := time.NewTicker(askAgain)
	defer tick.Stop()
	for !r.answers(ctx, client) {
		select {
		case <-ctx.Done():
			r.wait("the server to answer", time.Since(began))
			return nil
		case <-tick.C:
		}
	}
	if took := time.Since(began); took > askAgain {
		r.wait("the server to answer", took)
	}
	return nil
}

func (r *runner) answers(ctx context.Context, client *client.Client) bool {
	any := func([]byte, record.Instant) bool { return false } // its beginning is enough
	x := client.Do(ctx, client.Call{Method: http.MethodGet, URL: r.target.URL, Fresh: true, Rush: true}, any)
	switch x.Status() {
	case 0:
		return x.Ended == record.Unsent // discovery will say what is wrong with the URL
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	return true
}

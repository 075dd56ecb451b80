package harness

import (
	"context"
	"net/http"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// How often a starting server is requested, and the timeout of each request.
const (
	retryInterval  = 100 * time.Millisecond
	attemptTimeout = 5 * time.Second
)

// awaitAnswer waits until the target answers over HTTP, at most target.Wait. A gateway error does
// not count as an answer. Nothing is recorded, and a server that never answers is reported by
// discovery.
func (r *runner) awaitAnswer(ctx context.Context) error {
	if r.target.Wait <= 0 {
		return nil
	}
	cfg, err := r.target.tls()
	if err != nil {
		return err
	}
	cfg.InsecureSkipVerify = true // No data is sent, so the certificate is not verified yet.
	proxy, err := r.target.proxyFunc()
	if err != nil {
		return err
	}
	caller := client.NewClient(client.Config{Started: time.Now(), UserAgent: "a2a-conform/" + r.target.Version, Timeout: attemptTimeout, TLS: cfg, Reach: r.target.AllowDial, Turn: r.target.BeforeCall, Proxy: proxy})
	defer caller.Close()
	began := time.Now()
	r.announceAwaited("the server to start (--wait)")
	defer r.announceAwaited("")
	ctx, cancel := context.WithTimeout(ctx, r.target.Wait)
	defer cancel()
	tick := time.NewTicker(retryInterval)
	defer tick.Stop()
	for !r.isAnsweredBeyondGateway(ctx, caller) {
		select {
		case <-ctx.Done():
			r.addWait("the server to answer", time.Since(began))
			return nil
		case <-tick.C:
		}
	}
	if took := time.Since(began); took > retryInterval {
		r.addWait("the server to answer", took)
	}
	return nil
}

func (r *runner) isAnsweredBeyondGateway(ctx context.Context, caller *client.Client) bool {
	stop := func([]byte, record.Instant) bool { return false } // The beginning of a response is enough.
	x := caller.Do(ctx, client.Call{Method: http.MethodGet, URL: r.target.URL, Fresh: true, Rush: true}, stop)
	switch x.Status() {
	case 0:
		return x.Ended == record.Unsent // Discovery will report what is wrong with the URL.
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	return true
}

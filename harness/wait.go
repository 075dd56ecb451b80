package harness

import (
	"context"
	"io"
	"net/http"
	"time"
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
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: cfg, DisableKeepAlives: true},
		Timeout:       oneAsk,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
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

func (r *runner) answers(ctx context.Context, client *http.Client) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.target.URL, nil)
	if err != nil {
		return true // discovery will say what is wrong with the URL
	}
	req.Header.Set("User-Agent", "a2a-conform/"+r.target.Version+" (wait)")
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	io.CopyN(io.Discard, res.Body, 4<<10)
	res.Body.Close()
	switch res.StatusCode {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	return true
}

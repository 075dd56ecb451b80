package harness

import (
	"context"
	"maps"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// Send makes a single call and returns its record. Unless it is anonymous, the call has the
// target's credentials. Errors are mistakes of the operator; whatever the server does is no
// error.
func Send(ctx context.Context, given operator.Target, call client.Call, anonymous bool) (*record.Exchange, error) {
	target := target{given}
	if err := target.check(); err != nil {
		return nil, err
	}
	cfg, err := target.tls()
	if err != nil {
		return nil, err
	}
	proxy, err := target.proxyFunc()
	if err != nil {
		return nil, err
	}
	caller := client.NewClient(client.Config{Started: time.Now(), UserAgent: "a2a-conform/" + target.Version, Timeout: target.Timeout, TLS: cfg,
		Redact: redact.NewRedactor(target.secrets()), Proxy: proxy, Trace: target.Trace})
	defer caller.Close()
	call.Header = call.Header.Clone()
	if anonymous {
		call.Line = caller.Line(true)
		defer call.Line.Close()
	} else {
		maps.Copy(call.Header, target.header())
	}
	call.URL, call.Once = target.URL, true
	t := record.Transcript{Exchanges: []*record.Exchange{caller.Do(ctx, call, nil)}}
	t.Seal()
	return t.Exchanges[0], nil
}

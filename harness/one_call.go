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

// Send makes one call by itself, and returns its record. It goes to the target, and with
// it, unless it is anonymous, who the target says that we are. What the server does is
// never an error; errors are slips of the operator.
func Send(ctx context.Context, given operator.Target, call client.Call, anonymous bool) (*record.Exchange, error) {
	target := target{given}
	if err := target.check(); err != nil {
		return nil, err
	}
	cfg, err := target.tls()
	if err != nil {
		return nil, err
	}
	client := client.NewClient(client.Config{Started: time.Now(), UserAgent: "a2a-conform/" + target.Version, Timeout: target.Timeout, TLS: cfg,
		Redact: redact.NewRedactor(target.secrets())})
	defer client.Close()
	call.Header = call.Header.Clone()
	if anonymous {
		call.Line = client.Line(true)
		defer call.Line.Close()
	} else {
		maps.Copy(call.Header, target.header())
	}
	call.URL, call.Once = target.URL, true
	t := record.Transcript{Exchanges: []*record.Exchange{client.Do(ctx, call, nil)}}
	t.Seal()
	return t.Exchanges[0], nil
}

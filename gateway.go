package conform

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/gateway"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// Gateway is a gateway to judge: the same conversations are held with a server directly and through it.
type Gateway struct {
	URL  string // at which the gateway is called
	GRPC string // HOST:PORT at which it takes gRPC; "" for that of URL
	// Server is the URL of the server before which the gateway is.
	Server string
	// Listen is the HOST:PORT at which this program is behind the gateway and passes its calls on to Server, so that what
	// reaches the server is seen as well; "" if the gateway calls Server itself. With it, calls that go directly go there too.
	Listen     string
	ServerGRPC string // HOST:PORT of the gRPC of Server; of use only with Listen
	Dialect    string // "auto" (also ""): the newest that the card of the server fits
	// Credentials are sent with every call. Their values are not recorded, nor are those of headers that look like credentials. The
	// identities of other clients are of no use.
	Credentials operator.Credentials
	Text        string        // of the messages that are sent; "" for a harmless one
	Timeout     time.Duration // of one call; 0 for 30 s
	Deadline    time.Duration // of the whole run; 0 for 3 min
	Gate        string        // as of a run; "" for conformant
	Bundled     bool          // Server is one of this program
	Variant     string        // of that server, for the commands by which the report has the gateway judged again; "" for the usual one
}

// listSecretNames returns the names of secrets, each once.
func listSecretNames(all []redact.Secret) (out []string) {
	for _, s := range all {
		if !slices.Contains(out, s.Name) {
			out = append(out, s.Name)
		}
	}
	return out
}

// listFlags returns the flags of run that say how it calls, if they differ from its usual ones. Those of credentials have no value,
// and the values of headers are still to be redacted.
func (g Gateway) listFlags() (out []string) {
	c := g.Credentials
	for _, name := range slices.Sorted(maps.Keys(c.Header)) {
		for _, value := range c.Header[name] {
			out = append(out, "--header "+name+": "+value)
		}
	}
	add := func(given bool, flag string) {
		if given {
			out = append(out, flag)
		}
	}
	add(c.Bearer != "", "--bearer-env")
	add(c.Basic != "", "--basic-env")
	add(c.APIKey != "", "--api-key-env")
	add(c.KeyHeader != "", "--api-key-header "+c.KeyHeader)
	add(g.Timeout != 0 && g.Timeout != 30*time.Second, "--timeout "+g.Timeout.String())
	add(g.Deadline != 0 && g.Deadline != 2*time.Minute, "--deadline "+g.Deadline.String())
	return out
}

// RunThrough judges a gateway. The error is a mistake of the operator (*UsageError) or a fault of the suite; whatever the gateway
// and the server do is in the report. It takes about ten seconds.
func RunThrough(ctx context.Context, g Gateway) (*Outcome, error) {
	header, secrets, err := harness.ReadGateway(operator.Target{URL: g.Server, Credentials: g.Credentials}, g.URL, g.GRPC)
	if err != nil {
		return nil, err
	}
	cfg := gateway.Config{Flags: g.listFlags(), Direct: g.Server, Through: g.URL, GRPC: g.GRPC, Dialect: g.Dialect, Detect: harness.DetectDialects, Header: header, Text: g.Text, Version: Version(), Bundled: g.Bundled, Variant: g.Variant, Secrets: listSecretNames(secrets),
		Started: time.Now(), Redact: redact.NewRedactor(secrets), Timeout: g.Timeout, Deadline: g.Deadline, Gate: cmp.Or(g.Gate, "conformant")}
	if g.Listen != "" {
		if cfg.Upstream, err = gateway.OpenUpstream(gateway.UpstreamConfig{Listen: g.Listen, Server: g.Server, GRPC: g.ServerGRPC, Started: cfg.Started, Redact: cfg.Redact}); err != nil {
			return nil, &UsageError{Text: "--upstream-listen: " + err.Error()}
		}
		defer cfg.Upstream.Close()
		cfg.Direct = cfg.Upstream.URL()
	}
	t, err := gateway.Play(ctx, cfg)
	if err != nil {
		return nil, err
	}
	d, err := schema.Load(t.Facts.Dialect)
	if err != nil {
		return nil, err
	}
	return judgeTranscript(d, t, summary.CallDirectly)
}

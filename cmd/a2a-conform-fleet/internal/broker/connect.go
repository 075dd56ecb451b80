package broker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ConnectOptions locates the broker: the embedded one, by its folder, or one that exists.
type ConnectOptions struct {
	Data string // folder of the embedded broker

	URL       string // of a broker or cluster that exists; several separated by commas
	Creds     string // its credentials file
	Token     string
	CA        string // PEM file of the authorities of its certificate
	Cert, Key string // PEM files of our own certificate
	Replicas  int    // of everything that is kept there; 0 leaves what exists as it is
	Name      string // what the broker calls us
	Log       func(string)
}

// noBrokerError is why a command waits that found no broker in a folder.
type noBrokerError struct{ data string }

func (e *noBrokerError) Error() string {
	return fmt.Sprintf("no broker runs in %s: start one with a2a-conform fleet broker --data %s, or name one that exists with --nats URL", e.data, e.data)
}

// Conn is a connection to the broker of a fleet.
type Conn struct {
	JetStream jetstream.JetStream

	nc         *nats.Conn
	log        func(string)
	clock      clock
	outages    outageLog
	first      jetstream.Stream            // the first that was opened
	streams    map[string]jetstream.Stream // of the buckets, by their names
	unreadable unreadableValues
	isWorker   atomic.Bool // reports unreadable values at once
}

// Connect connects to the broker, and waits for as long as it is away.
func Connect(ctx context.Context, d ConnectOptions) (*Conn, error) {
	if d.Log == nil {
		d.Log = func(string) {}
	}
	c := &Conn{log: d.Log, streams: map[string]jetstream.Stream{}}
	opts, err := d.natsOptions()
	if err != nil {
		return nil, err
	}
	if c.nc, err = c.connectRetryingTemporaryErrors(ctx, d, opts); err != nil {
		return nil, err
	}
	if c.JetStream, err = jetstream.New(c.nc); err == nil && d.URL != "" {
		err = c.checkJetStream(ctx)
	}
	if err != nil {
		c.nc.Close()
		return nil, err
	}
	return c, nil
}

// Close ends the connection.
func (c *Conn) Close() { c.nc.Close() }

// Name returns the name under which this connection is known to the broker.
func (c *Conn) Name() string { return c.nc.Opts.Name }

// IsConnected reports whether the broker can be reached at present.
func (c *Conn) IsConnected() bool { return c.nc.IsConnected() }

// ServerVersion returns the version of nats-server that the broker is.
func (c *Conn) ServerVersion() string { return c.nc.ConnectedServerVersion() }

// Log passes a line for the operator on.
func (c *Conn) Log(text string) { c.log(text) }

// EnableUnreadableLog makes the connection log each unreadable value when it is found: a worker prints no
// summary that could list them.
func (c *Conn) EnableUnreadableLog() { c.isWorker.Store(true) }

// ReportLastingFailure records that a request of the caller's own failed, and logs it if the broker is away
// for longer.
func (c *Conn) ReportLastingFailure(err error) { c.outages.reportLastingFailure(err, c.log) }

// embeddedPlaceholder represents the address that the embedded broker wrote into its data folder.
const embeddedPlaceholder = "127.0.0.1:1"

// connectRetryingTemporaryErrors connects, and waits for a broker that is away.
func (c *Conn) connectRetryingTemporaryErrors(ctx context.Context, d ConnectOptions, opts []nats.Option) (*nats.Conn, error) {
	at, shown := d.URL, "at "+redactURL(d.URL)
	if at == "" {
		at, shown = "nats://"+embeddedPlaceholder, "in "+d.Data // which the dialer replaces
	}
	pause := 50 * time.Millisecond
	for {
		nc, err := connectOnce(ctx, at, opts)
		if err == nil {
			c.outages.reportRecovery(c.log)
			return nc, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !isTemporary(err) {
			return nil, fmt.Errorf("the broker %s %w", shown, describeRejection(err))
		}
		if d.URL == "" {
			err = &noBrokerError{d.Data}
		} else {
			err = fmt.Errorf("%s: %w", redactURL(d.URL), err)
		}
		c.outages.reportLastingFailure(err, c.log)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Second)
	}
}

// connectOnce tries once, and ends at once with ctx.
func connectOnce(ctx context.Context, at string, opts []nats.Option) (*nats.Conn, error) {
	type tried struct {
		nc  *nats.Conn
		err error
	}
	ended := make(chan tried, 1)
	go func() {
		nc, err := nats.Connect(at, opts...)
		ended <- tried{nc, err}
	}()
	select {
	case t := <-ended:
		return t.nc, t.err
	case <-ctx.Done():
		go func() {
			if t := <-ended; t.err == nil {
				t.nc.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// isTemporary reports whether a broker that could not be reached may be there later.
func isTemporary(err error) bool {
	if reaches := (*net.OpError)(nil); errors.As(err, &reaches) {
		return reaches.Op != "remote error" // by which TLS means that the other side refused
	}
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, io.EOF)
}

// describeRejection explains why a broker cannot be used, and what may help.
func describeRejection(err error) error {
	var alert tls.AlertError
	var reaches *net.OpError
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("does not accept the credentials: %w", err)
	case errors.As(err, &untrusted):
		return fmt.Errorf("shows a certificate that is not trusted: %w; --nats-ca names a file of its authorities", err)
	case errors.As(err, &alert), errors.As(err, &reaches):
		return fmt.Errorf("refuses our side of TLS: %w; --nats-cert and --nats-key show it a certificate of ours", err)
	}
	return fmt.Errorf("cannot be used: %w", err)
}

// checkJetStream makes sure that our account may store anything at the broker.
func (c *Conn) checkJetStream(ctx context.Context) error {
	return c.Retry(ctx, func(ctx context.Context) error {
		_, err := c.JetStream.AccountInfo(ctx)
		if errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return errors.New("the broker keeps nothing for these credentials: JetStream is not enabled for their account")
		}
		return err
	})
}

// redactURL returns the address of a broker without what may be secret in it.
func redactURL(at string) string {
	var out []string
	for one := range strings.SplitSeq(at, ",") {
		if u, err := url.Parse(one); err == nil && u.User != nil {
			u.User = nil
			one = u.String()
		}
		out = append(out, one)
	}
	return strings.Join(out, ",")
}

func (d ConnectOptions) natsOptions() ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name(d.Name), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.Timeout(5 * time.Second), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), nats.IgnoreAuthErrorAbort(),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each question has an error of its own
	}
	if d.URL == "" {
		a, err := readAddress(d.Data)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("--data: %w", err)
		}
		opts = append(opts, nats.SetCustomDialer(folderDialer(d.Data)), nats.DontRandomize(), nats.TokenHandler(func() string {
			a, _ := readAddress(d.Data)
			return a.Token
		}))
		if a.CA != "" {
			opts = append(opts, withAuthorityPEM(func() ([]byte, error) { return []byte(a.CA), nil }, addressFile))
		}
		return opts, nil
	}
	for _, file := range []struct{ flag, name string }{{"--nats-creds", d.Creds}, {"--nats-ca", d.CA}, {"--nats-cert", d.Cert}, {"--nats-key", d.Key}} {
		if file.name == "" {
			continue
		}
		if _, err := os.Stat(file.name); err != nil {
			return nil, fmt.Errorf("%s: %w", file.flag, err)
		}
	}
	if (d.Cert == "") != (d.Key == "") {
		return nil, errors.New("--nats-cert and --nats-key belong together; one of them is missing")
	}
	if d.Creds != "" {
		opts = append(opts, withCredentials(d.Creds))
	}
	if d.Token != "" {
		opts = append(opts, nats.Token(d.Token))
	}
	if d.CA != "" {
		opts = append(opts, withAuthorities(d.CA))
	}
	if d.Cert != "" {
		opts = append(opts, withClientCert(d.Cert, d.Key))
	}
	if strings.HasPrefix(d.URL, "tls://") {
		opts = append(opts, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
		if d.CA != "" {
			opts = append(opts, withAuthorities(d.CA))
		}
	}
	return opts, nil
}

// folderDialer connects to the embedded broker of a folder, wherever it listens by now.
type folderDialer string

func (data folderDialer) Dial(network, _ string) (net.Conn, error) {
	a, err := readAddress(string(data))
	if err != nil {
		return nil, err
	}
	return net.DialTimeout(network, trimScheme(a.URL), 5*time.Second)
}

// SkipTLSHandshake leaves TLS to the library.
func (folderDialer) SkipTLSHandshake() bool { return false }

// clock is the broker's time, by which all workers order leases and rates.
type clock struct{ offset atomic.Int64 } // to the time of this machine, in nanoseconds

// Now returns the broker's time.
func (c *Conn) Now() time.Time {
	return time.Now().Add(time.Duration(c.clock.offset.Load()))
}

// SyncClock measures by how much the broker's clock is ahead of this machine's, with a value of a
// bucket.
func (c *Conn) SyncClock(ctx context.Context, bucket jetstream.KeyValue) error {
	key := "clock." + Digest(c.Name())
	return c.Retry(ctx, func(ctx context.Context) error {
		before := time.Now()
		if _, err := bucket.Put(ctx, key, nil); err != nil {
			return err
		}
		took := time.Since(before)
		e, err := bucket.Get(ctx, key)
		if err != nil {
			return err
		}
		c.clock.offset.Store(int64(e.Created().Sub(before.Add(took / 2))))
		return nil
	})
}

package fleet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Dial says where the broker is: the embedded one, by its folder, or one that exists.
type Dial struct {
	Data string // folder of the embedded broker

	URL       string // of a broker or cluster that exists; several separated by commas
	Creds     string // its credentials file
	Token     string
	CA        string // PEM file of the authorities of its certificate
	Cert, Key string // PEM files of our own certificate
	Replicas  int    // of everything that is kept there; 0 leaves what exists as it is
	Name      string // what the broker calls us
	Say       func(string)
}

// NoBroker is the error of a command that found no broker in a folder and was not to wait.
type NoBroker struct{ Data string }

func (e *NoBroker) Error() string {
	return fmt.Sprintf("no broker runs in %s: start one with a2a-conform fleet broker --data %s, or name one that exists with --nats URL", e.Data, e.Data)
}

// Connect reaches the broker, however long it is away, and finds or makes what is kept there.
func Connect(ctx context.Context, d Dial) (*Fleet, error) {
	if d.Say == nil {
		d.Say = func(string) {}
	}
	f := &Fleet{say: d.Say}
	opts, err := d.options()
	if err != nil {
		return nil, err
	}
	at := d.URL
	if at == "" {
		at = "nats://" + embedded // which the dialer replaces
	}
	if f.nc, err = f.reach(ctx, at, opts); err != nil {
		return nil, err
	}
	if f.js, err = jetstream.New(f.nc); err == nil {
		err = f.open(ctx, d.Replicas)
	}
	if err == nil {
		err = f.setClock(ctx)
	}
	if err != nil {
		f.nc.Close()
		return nil, err
	}
	return f, nil
}

// embedded stands for the address that the embedded broker wrote beside its data.
const embedded = "127.0.0.1:1"

// reach connects, and waits for a broker that is away.
func (f *Fleet) reach(ctx context.Context, at string, opts []nats.Option) (*nats.Conn, error) {
	pause := 50 * time.Millisecond
	for {
		nc, err := nats.Connect(at, opts...)
		if err == nil {
			f.held.over(f.say)
			return nc, nil
		}
		if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked) {
			return nil, fmt.Errorf("the broker at %s does not accept the credentials: %w", shownURL(at), err)
		}
		if reaches := (*net.OpError)(nil); !errors.As(err, &reaches) && !errors.Is(err, nats.ErrNoServers) && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the broker at %s: %w", shownURL(at), err)
		}
		f.held.by(err, f.say)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Second)
	}
}

// shownURL is the address of a broker without what may be secret in it.
func shownURL(at string) string {
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

func (d Dial) options() ([]nats.Option, error) {
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
		opts = append(opts, nats.SetCustomDialer(beside(d.Data)), nats.DontRandomize(), nats.TokenHandler(func() string {
			a, _ := readAddress(d.Data)
			return a.Token
		}))
		if a.CA != "" {
			opts = append(opts, nats.RootCAs(a.CA))
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
		opts = append(opts, nats.UserCredentials(d.Creds))
	}
	if d.Token != "" {
		opts = append(opts, nats.Token(d.Token))
	}
	if d.CA != "" {
		opts = append(opts, nats.RootCAs(d.CA))
	}
	if d.Cert != "" {
		opts = append(opts, nats.ClientCert(d.Cert, d.Key))
	}
	if strings.HasPrefix(d.URL, "tls://") {
		opts = append(opts, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
		if d.CA != "" {
			opts = append(opts, nats.RootCAs(d.CA))
		}
	}
	return opts, nil
}

// beside connects to the embedded broker of a folder, wherever it listens by now.
type beside string

func (data beside) Dial(network, _ string) (net.Conn, error) {
	a, err := readAddress(string(data))
	if err != nil {
		return nil, err
	}
	return net.DialTimeout(network, trimScheme(a.URL), 5*time.Second)
}

// SkipTLSHandshake leaves TLS to the library.
func (beside) SkipTLSHandshake() bool { return false }

// clock tells the broker's time, by which leases and rates of all workers go.
type clock struct{ ahead time.Duration }

func (c clock) now() time.Time { return time.Now().Add(c.ahead) }

// setClock finds out how far the broker's clock is ahead of ours.
func (f *Fleet) setClock(ctx context.Context) error {
	key := "clock." + digest(f.nc.Opts.Name)
	return f.until(ctx, func(ctx context.Context) error {
		before := time.Now()
		if _, err := f.leases.Put(ctx, key, nil); err != nil {
			return err
		}
		took := time.Since(before)
		e, err := f.leases.Get(ctx, key)
		if err != nil {
			return err
		}
		f.clock = clock{e.Created().Sub(before.Add(took / 2))}
		return nil
	})
}

// Package proxycmd is the command that passes the traffic between clients and servers of others on, records it, and has it
// judged.
package proxycmd

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/proxy"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Shared is what the command has in common with the others that judge.
type Shared struct {
	// Register adds the flags about judging, and returns what reads the files that they name.
	Register func(fl *pflag.FlagSet, j *conform.Judging) (read func(j *conform.Judging) error)
	// IsColored reports whether colours can be printed.
	IsColored func(w io.Writer) bool
}

// flags are those of the command as they were typed.
type flags struct {
	Shared
	upstreams, listens, dialects, only []string
	cert, key, ca                      string
	insecure, watch, bodies, quiet     bool
	host, rewrite, sample              string
	hold                               time.Duration
	page, env, out, side               string
	judging                            conform.Judging
	every                              time.Duration // how often the traffic is judged with --watch
	judge                              judging
}

// The words that flags take.
var (
	// HostWords are those of --host.
	HostWords = []string{"upstream", "keep"}
	// RewriteWords are those of --rewrite.
	RewriteWords = []string{"cards", "none"}
	// SideWords are those of --side.
	SideWords = []string{string(conform.BothSides), string(conform.ServerSide), string(conform.ClientSide)}
)

// Name is the name of the command.
const Name = "proxy"

// Command returns the command.
func Command(shared Shared) *cobra.Command {
	return newCommand(shared, time.Minute, conform.JudgeProtected)
}

// judging judges a recording, as conform.JudgeProtected does.
type judging func(r traffic.Recording, bodies bool, side conform.TrafficSide, j conform.Judging) (*conform.TrafficOutcome, error)

// newCommand returns the command, which with --watch judges the traffic at an interval.
func newCommand(shared Shared, every time.Duration, judge judging) *cobra.Command {
	f := &flags{Shared: shared, every: every, judge: judge}
	cmd := &cobra.Command{
		Use:   Name + " --upstream URL [flags] [-- COMMAND ARGS…]",
		Short: "Pass the traffic of your clients and your server on, record it, and judge both sides",
		Long: `proxy is a reverse proxy for HTTP/1.1, HTTP/2 and gRPC. Point your client at the address that it prints: everything passes on to the
server as it comes, streams at once, and only the fields about connections, Host, and the addresses on agent cards are changed. What passes is
recorded. When the proxy ends, both sides are judged: the server by what it answered, the client by what it sent.

With a COMMAND, such as your end-to-end tests, the proxy lasts as long as the command. The variable A2A_CONFORM_URL (and the one that --env names) is
the address of the proxy, and {url} in the arguments is replaced by it. Without one, Ctrl-C ends the proxy.

Nothing is written without --out, and no text of either side without --bodies. Traffic is never judged to be conformant, since it shows only
what occurred (docs/proxy.md).

Exit codes: that of the COMMAND if it is not 0; otherwise 0 the gate is met · 1 nonconformant · 2 void, since nothing was recorded, or an error in
the command line · 3 partial, with --gate conformant.`,
		Example: "  a2a-conform proxy --upstream http://localhost:9999 -- npm test\n  a2a-conform proxy --upstream https://agent.example --listen 127.0.0.1:8080 --watch --page 127.0.0.1:9464",
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.upstreams, "upstream", nil, "URL of the server, as your client would be given it; a further one gets an address of its own, for interfaces at another origin")
	fl.StringArrayVar(&f.listens, "listen", nil, "HOST:PORT at which calls for the server are taken, in the order of --upstream (default a free port of this machine)")
	fl.StringVar(&f.cert, "tls-cert", "", "PEM file of a certificate, to take calls by https")
	fl.StringVar(&f.key, "tls-key", "", "PEM file of that certificate's key")
	fl.StringVar(&f.ca, "ca", "", "PEM file of further certificate authorities, for the server's certificate")
	fl.BoolVar(&f.insecure, "insecure", false, "do not verify the server's certificate")
	fl.StringVar(&f.host, "host", HostWords[0], "field Host of the calls to the server: upstream, or keep to leave it as the client wrote it")
	fl.StringVar(&f.rewrite, "rewrite", RewriteWords[0], "cards has interfaces on agent cards lead to the proxy that lead to the server; none leaves cards as they are")
	fl.StringSliceVar(&f.dialects, "dialect", []string{"auto"}, "candidates for what is spoken, or auto")
	fl.StringArrayVar(&f.only, "only", nil, "record only exchanges at or below this path, and cards; may be given several times")
	fl.StringVar(&f.sample, "sample", "", "record one of so many threads, such as 1/100: all exchanges of a context or a connection, or none")
	fl.DurationVar(&f.hold, "hold", 0, "forget exchanges after this time, and write only the threads in which something failed (default: forget when there is no more room)")
	fl.BoolVar(&f.watch, "watch", false, "judge the traffic every minute, too")
	fl.StringVar(&f.page, "page", "", "HOST:PORT of this machine alone, for a page of counts and verdicts, and OpenMetrics at /metrics")
	fl.StringVar(&f.env, "env", "", "with a COMMAND: name of a further variable that has the address of the proxy")
	fl.StringVar(&f.out, "out", "", "folder for the reports on both sides (default: nothing is written)")
	fl.BoolVar(&f.bodies, "bodies", false, "keep the texts of both sides in what is written and printed, without the secrets that are found")
	fl.StringVar(&f.side, "side", SideWords[0], "side to judge: "+strings.Join(SideWords, ", "))
	fl.BoolVar(&f.quiet, "quiet", false, "print one line for each side")
	read := shared.Register(fl, &f.judging)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := read(&f.judging); err != nil {
			return err
		}
		cfg, err := f.newConfig(time.Now())
		if err != nil {
			return err
		}
		if f.env != "" && len(args) == 0 {
			return errors.New("--env is about a command after --, and there is none")
		}
		if f.out != "" {
			if err := files.EnsureWritableDir(f.out); err != nil {
				return err
			}
		}
		return f.passAndJudge(cmd, cfg, args)
	}
	return cmd
}

// newConfig returns how the proxy is opened.
func (f *flags) newConfig(now time.Time) (cfg proxy.Config, err error) {
	cfg = proxy.Config{Started: now, KeepHost: f.host == "keep", KeepCards: f.rewrite == "none", Only: f.only, Hold: f.hold}
	switch {
	case len(f.upstreams) == 0:
		return cfg, errors.New("proxy needs the URL of the server: proxy --upstream http://localhost:9999")
	case len(f.listens) > len(f.upstreams):
		return cfg, errors.New("there are more addresses to listen at than servers; give --upstream once for each")
	case (f.cert == "") != (f.key == ""):
		return cfg, errors.New("a certificate and its key belong together; one of --tls-cert and --tls-key is missing")
	case f.hold < 0:
		return cfg, fmt.Errorf("--hold %s is before now", f.hold)
	}
	for _, c := range []struct {
		name, typed string
		known       []string
	}{{"host", f.host, HostWords}, {"rewrite", f.rewrite, RewriteWords}, {"side", f.side, SideWords}} {
		if !slices.Contains(c.known, c.typed) {
			return cfg, fmt.Errorf("--%s %q is not one of %s", c.name, c.typed, strings.Join(c.known, ", "))
		}
	}
	for i, u := range f.upstreams {
		at := ""
		if i < len(f.listens) {
			at = f.listens[i]
		}
		cfg.Upstreams = append(cfg.Upstreams, proxy.Upstream{URL: u, Listen: at})
	}
	if cfg.Sample, err = parseSample(f.sample); err != nil {
		return cfg, err
	}
	if cfg.Dialects, err = loadDialects(f.dialects); err != nil {
		return cfg, err
	}
	if f.cert != "" {
		pair, err := schema.ReadKeyPair(f.cert, f.key)
		if err != nil {
			return cfg, err
		}
		cfg.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	cfg.UpstreamTLS, err = f.upstreamTLS()
	return cfg, err
}

// upstreamTLS returns the TLS of the calls to the server; nil for the usual one.
func (f *flags) upstreamTLS() (*tls.Config, error) {
	if f.ca == "" && !f.insecure {
		return nil, nil
	}
	out := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: f.insecure}
	if f.ca == "" {
		return out, nil
	}
	text, err := schema.ReadFile(f.ca, schema.MaxAuthorities)
	if err != nil {
		return nil, err
	}
	if out.RootCAs = schema.AddToSystemAuthorities(text); out.RootCAs == nil {
		return nil, fmt.Errorf("%s has no certificate in PEM form", f.ca)
	}
	return out, nil
}

// maxSample is of how many threads one is recorded at most.
const maxSample = 1_000_000

// parseSample reads of how many threads one is recorded.
func parseSample(typed string) (int, error) {
	if typed == "" {
		return 0, nil
	}
	of, found := strings.CutPrefix(typed, "1/")
	n, err := strconv.Atoi(of)
	if !found || err != nil || n < 1 || n > maxSample {
		return 0, fmt.Errorf("--sample %q is no share of threads; write it like 1/100", typed)
	}
	return n, nil
}

// loadDialects returns the dialects that may be spoken.
func loadDialects(names []string) (out []*schema.Dialect, err error) {
	auto := slices.Equal(names, []string{"auto"})
	if auto {
		names = schema.Names()
	}
	if out, err = schema.LoadEach(names...); err != nil {
		return nil, err
	}
	out = slices.DeleteFunc(out, func(d *schema.Dialect) bool { return auto && d.Detect.Never })
	slices.SortStableFunc(out, func(a, b *schema.Dialect) int { return -cmp.Compare(a.Name, b.Name) }) // the youngest first
	return out, nil
}

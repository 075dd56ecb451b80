// Package through is what run does with --through: it has a gateway judged that is before a server.
package through

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// Flags are the flags about gateways.
type Flags struct {
	gateway []string
	listen  string
	variant string
}

// Register adds the flags to those of a command.
func (f *Flags) Register(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.gateway, "through", nil, "URL of a gateway before the server: hold the same conversations directly and through it, and judge what it changes; GRPC=HOST:PORT names its address for gRPC")
	fl.StringVar(&f.listen, "upstream-listen", "", "HOST:PORT at which this program is behind that gateway, to see what reaches the server: before the server at URL or, without a URL, before the bundled one")
	fl.StringVar(&f.variant, "upstream-variant", "", "variant of that bundled server, such as signed or two-versions (default full)")
}

// Used reports whether a gateway is to be judged.
func (f *Flags) Used() bool { return len(f.gateway) > 0 }

// refused are flags of run that judging a gateway has no use for.
var refused = []string{"agent", "allow", "allow-disruptive", "area", "binding", "ca", "card", "card-key", "client-cert", "client-key", "concurrency", "disguise", "insecure", "level", "max-messages", "nonce", "plan", "proxy", "rerun-failed", "rpc", "run", "schema", "sdk", "section", "self", "sign", "skip", "stimuli", "trace", "trust-host", "waivers", "watch", "webhook-listen", "webhook-url"}

// Check reports a mistake in the flags of the command line.
func (f *Flags) Check(fl *pflag.FlagSet) error {
	if !f.Used() {
		for _, name := range []string{"upstream-listen", "upstream-variant"} {
			if fl.Changed(name) {
				return fmt.Errorf("--%s is about a gateway; name it with --through URL", name)
			}
		}
		return nil
	}
	for _, name := range refused {
		if fl.Changed(name) {
			return fmt.Errorf("--%s has no use with --through, which judges a gateway by conversations of its own; leave one of them out", name)
		}
	}
	return nil
}

// Judge judges the gateway before the server of a target, or before the bundled one. The error is a mistake of the operator, or a
// fault of the suite.
func (f *Flags) Judge(ctx context.Context, target conform.Target) (*conform.Outcome, error) {
	g := conform.Gateway{Server: target.URL, Listen: f.listen, Dialect: target.Dialect, Credentials: target.Credentials, Timeout: target.Timeout, Deadline: target.Deadline, Gate: target.Gate}
	for _, text := range f.gateway {
		if address, isGRPC := strings.CutPrefix(text, "GRPC="); isGRPC {
			g.GRPC = address
		} else if g.URL != "" {
			return nil, errors.New("--through names two gateways; judge one after the other")
		} else {
			g.URL = text
		}
	}
	if g.URL == "" {
		return nil, errors.New("--through: name the URL of the gateway, too")
	}
	if target.URL == "" {
		if f.listen == "" {
			return nil, errors.New("no server: name its URL, or have the bundled server be behind the gateway with --upstream-listen HOST:PORT")
		}
		name := g.Dialect
		if name == "" || name == "auto" {
			name = reference.DefaultDialect
		}
		if f.variant != "" && !slices.Contains(reference.Variants(name), f.variant) {
			return nil, fmt.Errorf("--upstream-variant: %s has no variant %q; choose one of %s", name, f.variant, strings.Join(reference.Variants(name), ", "))
		}
		o := reference.Options{Dialect: name, Variant: f.variant}
		if name == reference.DefaultDialect || name == "a2a-0.3" {
			o.GRPCAddr = "127.0.0.1:0"
		}
		server, err := reference.Start(ctx, o)
		if err != nil {
			return nil, err
		}
		defer server.Close()
		g.Server, g.ServerGRPC, g.Bundled, g.Variant, g.Dialect = server.URL(), server.GRPCAddr(), true, f.variant, name
	} else if f.variant != "" {
		return nil, errors.New("--upstream-variant is about the bundled server; leave out the URL of another one")
	}
	return conform.RunThrough(ctx, g)
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// useUsualConfigIfMatching has the usual configuration file read, if it is in the working directory, no file is named
// and the server is the one that it is about: what it holds, credentials among it, is not for others.
func (f *runFlags) useUsualConfigIfMatching(cmd *cobra.Command, args []string) error {
	f.found = false
	if cmd.Flags().Changed("config") || f.config != "" && f.config != usualConfig || f.self || len(args) == 0 && len(f.rpc) > 0 || !fileExists(usualConfig) {
		return nil
	}
	about, err := config.ReadTarget(usualConfig)
	if err != nil {
		return fmt.Errorf("%w (--config \"\" leaves this file out)", err)
	}
	if len(args) == 1 && !sameServer(addLoopbackScheme(args[0]), addLoopbackScheme(about)) {
		f.config = ""
		fmt.Fprintf(cmd.ErrOrStderr(), "%s was not read: it is about %s; --config %[1]s reads it all the same\n", usualConfig, cmp.Or(safetext.OneLine(redact.StripSecrets(about)), "no server"))
		return nil
	}
	f.config, f.found = usualConfig, true
	return nil
}

// sameServer reports whether two URLs have the same scheme, host and port. This machine has several names.
func sameServer(a, b string) bool {
	first, err := url.Parse(a)
	second, failed := url.Parse(b)
	if errors.Join(err, failed) != nil || first.Host == "" || !strings.EqualFold(first.Scheme, second.Scheme) {
		return false
	}
	return strings.EqualFold(first.Host, second.Host) || isLoopback(a) && isLoopback(b) && first.Port() == second.Port()
}

// printConfigDestinations prints before anything is sent to which hosts a configuration file sends it,
// and which secrets of whoever runs it go there: the file may be a stranger's.
func (f *runFlags) printConfigDestinations(w io.Writer, t conform.Target) {
	if f.config == "" {
		return
	}
	to := []string{redact.StripSecrets(t.URL)}
	to = append(to, (endpoints{t.RPC, t.Interfaces}).describeEndpoints()...)
	if t.Card != "" {
		to = append(to, redact.StripSecrets(t.Card))
	}
	for _, host := range t.TrustHosts {
		to = append(to, "what the card lists at "+redact.StripSecrets(host))
	}
	what := "no credentials"
	if len(f.sends) > 0 {
		what = "credentials: " + strings.Join(f.sends, ", ")
	}
	found := ""
	if f.found {
		found = `; read because it is in this folder (--config "" leaves it out)`
	}
	fmt.Fprintf(w, "%s: target %s, %s%s\n", safetext.OneLine(f.config), safetext.OneLine(strings.Join(to, ", ")), safetext.OneLine(what), found)
}

const cardKeyUsage = "file with the public key of the card's signer (PEM, JSON Web Key or JSON Web Key Set), or jku: fetch the key set that a signature names, from the server's own host only"

package main

import (
	"fmt"
	"io"
	"strings"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// announceConfig prints before anything is sent to which hosts a configuration file sends it,
// and which secrets of whoever runs it go there: the file may be a stranger's.
func (f *runFlags) announceConfig(w io.Writer, t conform.Target) {
	if f.config == "" {
		return
	}
	to := []string{redact.StripSecrets(t.URL)}
	to = append(to, (endpoints{t.RPC, t.Interfaces}).describeAll()...)
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
	fmt.Fprintf(w, "%s: target %s, %s\n", safetext.OneLine(f.config), safetext.OneLine(strings.Join(to, ", ")), safetext.OneLine(what))
}

const cardKeyUsage = "file with the public key of the card's signer (PEM, JSON Web Key or JSON Web Key Set), or jku: fetch the key set that a signature names, from the server's own host only"

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// endpoints are the addresses of calls that the operator gives: one without the name of a
// binding, and others by that name.
type endpoints struct {
	any string
	by  map[string]string
}

// describeEndpoints returns the places as they may be shown: a query may be a secret.
func (e endpoints) describeEndpoints() (out []string) {
	if e.any != "" {
		out = append(out, redact.StripSecrets(e.any))
	}
	for _, name := range slices.Sorted(maps.Keys(e.by)) {
		out = append(out, name+" at "+redact.StripSecrets(e.by[name]))
	}
	return out
}

// readEndpoints reads what is given for --rpc: URLs, each with the name of a binding and an
// equals sign before it, or one without.
func readEndpoints(given []string) (e endpoints, err error) {
	for _, g := range given {
		name, address, named := strings.Cut(g, "=")
		if strings.ContainsAny(name, ":/?#") || !named {
			if e.any != "" {
				return e, fmt.Errorf("--rpc is given twice without the name of a binding; name the binding in all but one of them, like --rpc HTTP+JSON=%s", redact.StripSecrets(g))
			}
			e.any = g
			continue
		}
		shown := safetext.OneLine(name)
		switch {
		case strings.TrimSpace(name) == "":
			return e, fmt.Errorf("--rpc =%s names no binding before the equals sign; write it like --rpc HTTP+JSON=http://localhost:9999", redact.StripSecrets(address))
		case address == "":
			return e, fmt.Errorf("--rpc %s= has no URL (is a variable empty?); write it like --rpc %[1]s=http://localhost:9999", shown)
		case e.by[name] != "":
			return e, fmt.Errorf("--rpc %s= is given twice; leave one of them out", shown)
		}
		if e.by == nil {
			e.by = map[string]string{}
		}
		e.by[name] = address
	}
	return e, nil
}

// printInterfaces writes them as a configuration has them.
func printInterfaces(b *strings.Builder, t conform.Target) {
	if len(t.Interfaces) > 0 {
		b.WriteString("interfaces:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(t.Interfaces)) {
		fmt.Fprintf(b, "  %s: %s\n", yamlScalar(name), yamlScalar(redact.StripSecrets(t.Interfaces[name])))
	}
	if len(t.TrustHosts) > 0 {
		b.WriteString("trustHosts:\n")
	}
	for _, host := range t.TrustHosts {
		fmt.Fprintf(b, "  - %s\n", yamlScalar(host))
	}
}

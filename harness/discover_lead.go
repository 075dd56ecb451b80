package harness

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// greeting begins the description of a port that accepts HTTP/2 without TLS.
const greeting = "HTTP/2 without TLS"

// setLead stores the hint that findLead returns.
func (r *runner) setLead(ctx context.Context, f *discovery, fetched map[string]*record.Exchange) {
	f.lead = r.findLead(ctx, fetched)
	f.speaksPlaintextHTTP2 = strings.Contains(f.lead, " speaks "+greeting+": ")
	for i, text := range f.tried {
		if asked, came, ok := strings.Cut(text, ": "); ok {
			f.tried[i] = asked + ": " + f.unifyOutcomesFromHTTP2Port(came)
		}
	}
}

// unifyOutcomesFromHTTP2Port returns the outcome of a request. It is the same for every request to a port of
// HTTP/2, because how such a port closes a connection of HTTP/1.1 depends on timing.
func (f *discovery) unifyOutcomesFromHTTP2Port(came string) string {
	if f.speaksPlaintextHTTP2 && strings.HasPrefix(came, "the server ") {
		return "no answer in HTTP/1.1"
	}
	return came
}

// findLead returns a hint at the server's address or protocol if no card was found and the
// responses reveal it; else "". The hint is for the operator, who gave the URL.
func (r *runner) findLead(ctx context.Context, fetched map[string]*record.Exchange) string {
	var all []*record.Exchange
	for _, a := range slices.Sorted(maps.Keys(fetched)) {
		if x := fetched[a]; x.Dir == record.Out {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return r.redact.String(cmp.Or(r.protocolLead(ctx, all[0]), r.redirectLead(all), refusedLead(all)))
}

// redirectLead returns the hint for a server that answers every request with a redirect.
func (r *runner) redirectLead(all []*record.Exchange) string {
	if slices.ContainsFunc(all, func(x *record.Exchange) bool { return redirectOf(x) == nil }) {
		return ""
	}
	asked, to := parseURLOrEmpty(all[0].URL), redirectOf(all[0])
	return fmt.Sprintf("every request is redirected, as %s to %s (HTTP %d); redirects are not followed: give %s if the agent is there",
		shownURL(asked), shownURL(to), all[0].Status(), shownURL(r.redirectedTarget(asked, to)))
}

// redirectedTarget returns the target that a redirect leads to, without the path that discovery
// added.
func (r *runner) redirectedTarget(asked, to *url.URL) *url.URL {
	site := siteOf(r.target.URL)
	for _, at := range []string{site.Path, ""} {
		rest, below := strings.CutPrefix(asked.Path, at)
		path, same := strings.CutSuffix(to.Path, rest)
		if below && same && rest != "" {
			out := *to
			out.Path, out.RawPath, out.RawQuery, out.Fragment = path, "", "", ""
			if at == "" && path == "" { // The host is another one, and the path is that of the target.
				out.Path = site.Path
			}
			return &out
		}
	}
	return to
}

// refusedLead returns the hint for a server that refuses every request.
func refusedLead(all []*record.Exchange) string {
	if slices.ContainsFunc(all, func(x *record.Exchange) bool { return x.Status() != http.StatusForbidden }) {
		return ""
	}
	return "every request was refused with HTTP 403; if the server asks for credentials, give " + credentialFlags
}

// protocolLead returns the hint for a port that does not serve HTTP/1.1.
func (r *runner) protocolLead(ctx context.Context, x *record.Exchange) string {
	at := parseURLOrEmpty(x.URL)
	there := func(speaks, advice string) string {
		return fmt.Sprintf("the server at %s://%s speaks %s: %s", at.Scheme, at.Host, speaks, advice)
	}
	grpc := "a gRPC port? give the URL of the agent card, or --rpc GRPC=" + hostPort(at) + " and --dialect"
	switch {
	case wantsTLS(x):
		return there("TLS", "try https://"+at.Host)
	case x.Answered():
		return ""
	case strings.Contains(x.Trouble, "does not speak TLS"):
		return there("plain HTTP", "try http://"+at.Host)
	case strings.Contains(x.Trouble, "no HTTP/1.1 over it"):
		return there("HTTP/2 over TLS alone", grpc)
	case at.Scheme != "http" || x.Ended != record.Reset:
		return ""
	case r.speaksPlaintextHTTP2(ctx, hostPort(at)):
		return there(greeting, grpc)
	case r.detectScheme(ctx, hostPort(at)) == "https":
		return there("TLS", "try https://"+at.Host)
	}
	return ""
}

package harness

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// greeting begins what is said of a port that speaks HTTP/2 without TLS.
const greeting = "HTTP/2 without TLS"

// setLead notes what findLead finds.
func (r *runner) setLead(ctx context.Context, f *found, fetched map[string]*record.Exchange) {
	f.lead = r.findLead(ctx, fetched)
	f.greets = strings.Contains(f.lead, " speaks "+greeting+": ")
	for i, text := range f.tried {
		if asked, came, ok := strings.Cut(text, ": "); ok {
			f.tried[i] = asked + ": " + f.alike(came)
		}
	}
}

// alike is what a question of discovery came to. How a port of HTTP/2 breaks off a connection
// of HTTP/1.1 depends on timing and is of no use, so that is described alike.
func (f *found) alike(came string) string {
	if f.greets && strings.HasPrefix(came, "the server ") {
		return "no answer in HTTP/1.1"
	}
	return came
}

// findLead says where the server is, or which protocol it speaks, if no card was found and the
// answers give that away; "" if they do not. It is for the operator, who gave the URL.
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
	lead := r.protocolLead(ctx, all[0])
	if lead == "" {
		lead = r.redirectLead(all)
	}
	if lead == "" {
		lead = refusedLead(all)
	}
	return r.redact.String(lead)
}

// redirectLead is about a server that answers every question with a redirect.
func (r *runner) redirectLead(all []*record.Exchange) string {
	if slices.ContainsFunc(all, func(x *record.Exchange) bool { return redirectOf(x) == nil }) {
		return ""
	}
	asked, to := parse(all[0].URL), redirectOf(all[0])
	return fmt.Sprintf("every request is redirected, as %s to %s (HTTP %d); redirects are not followed: give %s if the agent is there",
		shownURL(asked), shownURL(to), all[0].Status(), shownURL(r.redirectedTarget(asked, to)))
}

// redirectedTarget is the target where a redirect leads to: what was asked for below the target
// is taken off again.
func (r *runner) redirectedTarget(asked, to *url.URL) *url.URL {
	site := siteOf(r.target.URL)
	for _, at := range []string{site.Path, ""} {
		rest, below := strings.CutPrefix(asked.Path, at)
		path, same := strings.CutSuffix(to.Path, rest)
		if below && same && rest != "" {
			out := *to
			out.Path, out.RawPath, out.RawQuery, out.Fragment = path, "", "", ""
			if at == "" && path == "" { // the host is another one, and the path is the target's
				out.Path = site.Path
			}
			return &out
		}
	}
	return to
}

// refusedLead is about a server that refuses every question.
func refusedLead(all []*record.Exchange) string {
	if slices.ContainsFunc(all, func(x *record.Exchange) bool { return x.Status() != http.StatusForbidden }) {
		return ""
	}
	return "every request was refused with HTTP 403; if the server asks for credentials, give " + credentialFlags
}

// protocolLead says which protocol is spoken at an address where HTTP/1.1 is not.
func (r *runner) protocolLead(ctx context.Context, x *record.Exchange) string {
	at := parse(x.URL)
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
	case r.greetsInPlaintext(ctx, hostPort(at)):
		return there(greeting, grpc)
	case r.schemeOf(ctx, hostPort(at)) == "https":
		return there("TLS", "try https://"+at.Host)
	}
	return ""
}

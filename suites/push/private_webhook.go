package push

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// webhookReachable is the declaration of the operator that the server can and may call the
// webhooks.
const webhookReachable = "webhook-reachable"

// stopIfPrivateWebhookUncalled leaves a missing delivery undecided if the server called no webhook of the
// run at all, and their address is one that careful servers refuse to call, so that clients
// cannot make them call services of their own network.
func stopIfPrivateWebhookUncalled(t *judge.T) {
	hook := t.Case.Transcript.Facts.Webhook
	if t.Case.Called() || !isPrivateAddress(hook) || slices.Contains(t.Case.Transcript.Facts.Operator, webhookReachable) {
		return
	}
	t.StopUndecidedWithRemedy("--webhook-url URL, with a public address; or, if the server can and may call this one: declares: {"+webhookReachable+": true}",
		"nothing at all was delivered, and %s is a local or private address, which servers may refuse to call: give a public one with --webhook-url, or say declares: {%s: true}", hook, webhookReachable)
}

// sharedSpace is what carriers use between themselves and their customers (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// privateNames are the ends of names that lead to no public address.
var privateNames = []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet"}

// isPrivateAddress reports whether a URL leads to this machine or into a private network, as far
// as the URL shows it.
func isPrivateAddress(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsGlobalUnicast() || ip.IsPrivate() || sharedSpace.Contains(ip)
	}
	return !strings.Contains(host, ".") || slices.ContainsFunc(privateNames, func(end string) bool { return strings.HasSuffix(host, end) })
}

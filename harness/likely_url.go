package harness

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// slippedScheme is an http or https URL with a sign too few after the scheme.
var slippedScheme = regexp.MustCompile(`(?i)^(https?)(?::/?|/{1,2})([a-z0-9\[].*)$`)

// likelyURL suggests what the operator may have meant by an address that is no URL.
func likelyURL(address string) string {
	scheme, rest, hasScheme := strings.Cut(address, "://")
	if !hasScheme {
		rest = address
	}
	host, path, _ := strings.Cut(rest, "/")
	if path != "" {
		path = "/" + path
	}
	bare := strings.Trim(host, "[]")
	at := strings.LastIndexByte(bare, ':')
	_, err := netip.ParseAddr(bare)
	v6 := err == nil && strings.Contains(bare, ":")
	port := ""
	if at > 0 && isPort(bare[at+1:]) {
		if _, err := netip.ParseAddr(bare[:at]); err == nil && strings.Count(bare, ":") > 1 { // A port follows the address.
			v6, bare, port = true, bare[:at], bare[at:]
		}
	}
	switch {
	case v6 && !strings.HasPrefix(host, "["):
		if scheme != "https" || !hasScheme {
			scheme = "http"
		}
		return fmt.Sprintf("IPv6 addresses stand in brackets: %s://[%s]%s%s", scheme, bare, port, path)
	case hasScheme:
		return "write it like http://localhost:9999"
	case strings.HasPrefix(host, ":") && isPort(host[1:]):
		return "write it like http://localhost" + host + path
	}
	if m := slippedScheme.FindStringSubmatch(address); m != nil && redact.StripSecrets(address) == address {
		return "write it like " + strings.ToLower(m[1]) + "://" + m[2]
	}
	if _, _, err := net.SplitHostPort(host); err == nil && redact.StripSecrets(address) == address {
		return "write it like http://" + address
	}
	if strings.HasSuffix(strings.ToLower(address), ".json") {
		return "give the URL of the server, and --card " + redact.StripSecrets(address) + " if that file is its agent card"
	}
	return "write it like http://localhost:9999"
}

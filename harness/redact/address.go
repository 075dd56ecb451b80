package redact

import "strings"

// StripSecrets returns an address without what may be secret in it, for texts about
// addresses that cannot be used.
func StripSecrets(address string) string {
	address, query, has := strings.Cut(address, "?")
	if scheme, rest, ok := strings.Cut(address, "//"); ok {
		if at := strings.LastIndex(rest, "@"); at >= 0 {
			address = scheme + "//…" + rest[at:]
		}
	} else if at := strings.LastIndex(address, "@"); at >= 0 {
		address = "…" + address[at:]
	}
	if has && query != "" {
		address += "?…"
	}
	return address
}

package front

import (
	"net/http"
	"strings"
)

// ExtensionsHeader names extensions: in a request those to activate, in a
// response those that are active.
const ExtensionsHeader = "X-A2A-Extensions"

// PaymentsExtension is the extension by which the variant paid demands money.
const PaymentsExtension = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2"

// Listed are the elements of a list that a request has in a header, or in several of that
// name.
func Listed(r *http.Request, name string) []string {
	var list []string
	for _, header := range r.Header.Values(name) {
		for s := range strings.SplitSeq(header, ",") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
	}
	return list
}

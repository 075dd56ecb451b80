package record

import (
	"fmt"
	"strconv"
)

// Quote is what a peer wrote, whole or not at all: it is redacted only later,
// and half a secret is not known again.
func Quote(s string) string {
	const most = 200
	if len(s) > most {
		return fmt.Sprintf("a text of %d bytes", len(s))
	}
	return strconv.Quote(s)
}

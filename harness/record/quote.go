package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// QuoteOrDescribeLength is what a peer wrote, whole or not at all: it is redacted only later,
// and half a secret is not known again.
func QuoteOrDescribeLength(s string) string {
	const most = 200
	if len(s) > most {
		return fmt.Sprintf("a text of %d bytes", len(s))
	}
	return strconv.Quote(s)
}

// sha256Digest returns the SHA-256 by which the whole of a text is named if only a part is kept.
func sha256Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

package record

import (
	"crypto/sha256"
	"encoding/hex"
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

// hashOf returns the SHA-256 by which the whole of a text is named if only a part is kept.
func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

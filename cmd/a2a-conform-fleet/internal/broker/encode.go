package broker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest returns a short name for a text.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// Encode returns a value as it is kept; what we keep can always be encoded.
func Encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

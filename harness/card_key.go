package harness

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/signature"
)

// ReadCardKey converts the keys of a card's signers to the form in which a transcript keeps them:
// public keys only.
func ReadCardKey(text string) (string, error) {
	if text == "" || text == record.KeysFromHeader {
		return text, nil
	}
	keys, err := signature.ReadKeys([]byte(text))
	if err != nil {
		return "", usageErrorf("--card-key: %v", err)
	}
	return keys.JSON(), nil
}

package harness

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/signature"
)

// ReadCardKey puts the operator's word on the keys of a card's signers into the form in
// which a transcript keeps it, from which nothing is left but public keys.
func ReadCardKey(text string) (string, error) {
	if text == "" || text == record.KeysFromHeader {
		return text, nil
	}
	keys, err := signature.ReadKeys([]byte(text))
	if err != nil {
		return "", usage("--card-key: %v", err)
	}
	return keys.JSON(), nil
}

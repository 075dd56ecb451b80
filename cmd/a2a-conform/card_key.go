package main

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

const cardKeyUsage = "file with the public key of the card's signer (PEM, JSON Web Key or JSON Web Key Set), or jku: fetch the key set that a signature names, from the server's own host only"

// readCardKey is the key in a file, or the word by which it is fetched; what names
// where that was given.
func readCardKey(what, given string) (string, error) {
	if given == "" || given == wire.KeysFromHeader {
		return given, nil
	}
	text, err := schema.ReadFile(given, schema.MaxFile)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return string(text), nil
}

package config

import (
	"bytes"
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
)

// CardKey returns the key in a file, or the word by which it is fetched; what names
// if that was given.
func CardKey(what, given string) (string, error) {
	if given == "" || given == record.KeysFromHeader {
		return given, nil
	}
	text, err := schema.ReadFile(given, schema.MaxFile)
	if err != nil {
		return "", fmt.Errorf("%s: %w", what, err)
	}
	if len(bytes.TrimSpace(text)) == 0 { // which would be no key at all
		return "", fmt.Errorf("%s: the file %s is empty, but should hold a public key", what, safetext.OneLine(given))
	}
	return string(text), nil
}

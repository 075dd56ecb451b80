package record

import (
	"regexp"
	"strings"
)

// SecretMark begins the replacement of a secret; its name and a closing bracket follow.
const SecretMark = "⟦secret:"

// removeSecretMarks is a text without the marks that stand for secrets, which are ours.
func removeSecretMarks(s string) string {
	for {
		before, after, found := strings.Cut(s, SecretMark)
		_, rest, ends := strings.Cut(after, "⟧")
		if !found || !ends {
			return s
		}
		s = before + rest
	}
}

// paddedMark matches marks of secrets that were made as long as the secrets.
var paddedMark = regexp.MustCompile(`(⟦secret:[^⟦⟧]*?)\.+⟧`)

// unpadSecretMarks is a text of protobuf with the marks of secrets as they are elsewhere.
func unpadSecretMarks(text []byte) []byte { return paddedMark.ReplaceAll(text, []byte("$1⟧")) }

package record

import (
	"regexp"
	"strings"
)

// SecretMark begins what stands in place of a secret; its name and a closing bracket follow.
const SecretMark = "⟦secret:"

// withoutMarks is a text without the marks that stand for secrets, which are ours.
func withoutMarks(s string) string {
	for {
		before, after, found := strings.Cut(s, SecretMark)
		_, rest, ends := strings.Cut(after, "⟧")
		if !found || !ends {
			return s
		}
		s = before + rest
	}
}

// stretched are marks of secrets that were made as long as the secrets.
var stretched = regexp.MustCompile(`(⟦secret:[^⟦⟧]*?)\.+⟧`)

// unstretched is a text of protobuf with the marks of secrets as they are elsewhere.
func unstretched(text []byte) []byte { return stretched.ReplaceAll(text, []byte("$1⟧")) }

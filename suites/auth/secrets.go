package auth

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkSecretsNotRepeated looks for the marks that the recording has in place of secrets. A call
// with a secret in its body, which is unusual, may have it returned.
func checkSecretsNotRepeated(t *judge.T, _ observe.OnPlays) {
	names := t.Case.Transcript.Facts.Secrets
	var of []judge.Value
	seen := map[int]bool{}
	for _, v := range t.All(judge.ReplyText, judge.EventText, judge.OtherText) {
		if id := v.Exchange().ID; !seen[id] && !strings.Contains(string(v.Exchange().Request.Body), record.SecretMark) {
			seen[id] = true
			of = append(of, v)
		}
	}
	if !slices.ContainsFunc(of, func(v judge.Value) bool { return v.Document().Kind != judge.OtherText }) {
		t.StopIfRefused() // documents alone show little
	}
	judge.Each(t, of, func(v judge.Value) {
		for _, text := range []string{string(v.Exchange().Response.Head), string(v.Exchange().Response.Body)} {
			if name := findMarkedSecret(text, names); name != "" {
				t.Fail(v, "repeated the "+name+" credential of the client in its answer", "credentials to be kept from answers")
			}
		}
		t.OK(v)
	})
}

// findMarkedSecret returns the first of the secrets whose mark is in a text.
func findMarkedSecret(text string, names []string) string {
	for rest := text; ; {
		_, after, found := strings.Cut(rest, record.SecretMark)
		if !found {
			return ""
		}
		name, _, _ := strings.Cut(after, "⟧")
		if slices.Contains(names, name) {
			return name
		}
		rest = after
	}
}

package auth

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// headerNameForScheme is the header by which the configured credentials fit a scheme; ""
// if none does.
func headerNameForScheme(h http.Header, s card.Scheme) string {
	word, _, _ := strings.Cut(h.Get("Authorization"), " ")
	switch kind := s.Kind(); kind {
	case "apikey":
		if name := s.Header(); name != "" && h.Get(name) != "" {
			return name
		}
	case "oauth2", "openidconnect":
		if strings.EqualFold(word, "bearer") {
			return "Authorization"
		}
	default:
		if word != "" && strings.EqualFold(word, kind) {
			return "Authorization"
		}
	}
	return ""
}

// getWithTokenThenAPIKeyAlone makes one call with a token and nothing else, and one with an
// API key and nothing else, if the card takes either by itself.
func (g *guardPlay) getWithTokenThenAPIKeyAlone(task string) {
	if g.Dialect.Card.Definitions == "" { // cards do not say what an alternative is
		return
	}
	offered, alone := map[bool]bool{}, map[bool]string{} // an API key? → on the card; the header that shows it
	for _, alternative := range g.Card.Alternatives() {
		together := alternative.Schemes()
		if len(together) != 1 {
			continue
		}
		key := together[0].Kind() == "apikey"
		offered[key] = offered[key] || !key || together[0].Header() != ""
		if name := headerNameForScheme(g.Header, together[0]); name != "" && alone[key] == "" {
			alone[key] = name
		}
	}
	try := func(name string, key bool, remedy, none string) {
		s := conversation.Step{Name: name, Role: record.Probe, Op: "get", Task: task, Line: g.line}
		switch {
		case !offered[false] || !offered[true]:
			g.NotSent(s, "", "%s", none)
		case alone[key] == "":
			g.NotSent(s, "", "the card accepts it alone, but none of this kind is configured")
			g.Play.Steps[len(g.Play.Steps)-1].Remedy = remedy
		default:
			s.As, s.Header = record.Nobody, http.Header{http.CanonicalHeaderKey(alone[key]): {g.Header.Get(alone[key])}}
			g.Call(s, dialect.Outgoing{Task: task})
		}
	}
	try("with-token", false, "--bearer-env NAME or --basic-env NAME", "the card names no token as an alternative to an API key")
	try("with-key", true, "--api-key-env NAME, with --api-key-header where the card names another header than X-API-Key", "the card names no API key in a header as an alternative to a token")
}

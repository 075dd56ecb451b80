package auth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type gateStatusParams struct {
	observe.OnStep
	Also      []string `json:"also" step:"{}"` // further calls that are refused for the same reason
	Status    int      `json:"status"`
	Tolerated []int    `json:"tolerated"` // a finding only
	Strict    bool     `json:"strict"`    // an error with HTTP 200 is more than a finding
}

// checkRefusalStatus has a finding for a JSON-RPC error with HTTP 200, the other common form.
func checkRefusalStatus(t *judge.T, p gateStatusParams) {
	judge.Each(t, t.Steps(append([]string{p.Step}, p.Also...)), func(s judge.Step) { expectRefusalStatus(t, s, p) })
}

func expectRefusalStatus(t *judge.T, s judge.Step, p gateStatusParams) {
	observe.RequireControlAccepted(t, s)
	observe.StopIfCallShowsNothing(t, s, !s.Exchange.Answered(), "got no HTTP response")
	status := s.Exchange.Status()
	if slices.Contains(p.Tolerated, status) || !p.Strict && status == 200 && !s.Exchange.IsStream() && match.IsError(s.Reply()) {
		t.Tolerate(s.Head(), "the server refuses the call with HTTP status %d", status)
		return
	}
	t.Expect(s.Head()).To(match.HaveStatus(p.Status))
}

// unauthorizedAnswers returns the answers of the run with HTTP 401.
func unauthorizedAnswers(t *judge.T) []judge.Value {
	all := t.All(judge.ReplyText, judge.OtherText, judge.CardText)
	return judge.Filter(all, func(v judge.Value) bool { return v.Exchange().Status() == 401 })
}

const challengeHeader = "WWW-Authenticate"

func hasChallenge(v judge.Value) bool {
	return v.Exchange().Response.Header().Get(challengeHeader) != ""
}

type challengeParams struct {
	observe.OnPlays
	Only  bool `json:"only"`  // answers in other plays do not count
	Named bool `json:"named"` // an error that names a scheme of the card will do
}

func checkChallengePresent(t *judge.T, p challengeParams) {
	of := unauthorizedAnswers(t)
	if p.Only {
		of = slices.DeleteFunc(of, func(v judge.Value) bool { return !slices.Contains(p.Plays, v.Document().Play.Scenario) })
	}
	var schemes []string
	if card, ok := t.Case.Card(); ok && p.Named {
		schemes = t.Case.ReadCard(card).Schemes()
	}
	judge.Each(t, of, func(v judge.Value) {
		if p.Named && !hasChallenge(v) && namesScheme(v.Failure(), schemes) {
			t.OK(v)
			return
		}
		t.Expect(v).To(match.Head("a "+challengeHeader+" header with HTTP 401", hasChallenge,
			func(judge.Value) string { return "answered HTTP status 401 without a " + challengeHeader + " header" }).On(challengeHeader))
	})
}

// namesScheme reports whether an error names one of the schemes.
func namesScheme(failure judge.Value, schemes []string) bool {
	return slices.ContainsFunc(failure.Strings(), func(v judge.Value) bool {
		text := strings.ToLower(v.Text())
		return slices.ContainsFunc(schemes, func(s string) bool { return s != "" && strings.Contains(text, strings.ToLower(s)) })
	})
}

// checkChallengeScheme needs one challenge that fits if there are several.
func checkChallengeScheme(t *judge.T, _ observe.OnPlays) {
	of := judge.Filter(unauthorizedAnswers(t), hasChallenge)
	// A scheme may have a name and an empty definition.
	names := slices.DeleteFunc(t.Case.ReadCard(t.Card()).Schemes(), func(name string) bool { return name == "" })
	observe.StopUndecidedIf(t, len(of) > 0 && len(names) == 0, "the card names no scheme that can be read")
	named := t.Card().At(t.Case.Dialect.Card.Schemes)
	if defined := t.Card().At(t.Case.Dialect.Card.Definitions); t.Case.Dialect.Card.Definitions != "" && defined.IsObject() {
		named = defined
	}
	judge.Each(t, of, func(v judge.Value) {
		offered := challengeSchemes(v.Exchange().Response.Header().Values(challengeHeader))
		t.Expect(v).ComparedWith(named).To(match.Head("a challenge with a scheme of the card ("+shorten.Visible(strings.Join(names, ", "), 80)+")",
			func(judge.Value) bool {
				return slices.ContainsFunc(names, func(d string) bool {
					return slices.ContainsFunc(offered, func(n string) bool {
						return canChallengeMeanScheme(d, n) && (len(names) == 1 || !isNamedLikeAPIKey(d) || !isHTTPAuthScheme(n))
					})
				})
			},
			func(judge.Value) string {
				return fmt.Sprintf("named the scheme %s", shorten.Visible(strings.Join(offered, ", "), 80))
			}).On(challengeHeader))
	})
}

func isNamedLikeAPIKey(scheme string) bool {
	return slices.Contains([]string{"apikey", "api_key", "api-key"}, strings.ToLower(scheme))
}

// isHTTPAuthScheme reports whether a challenge names a scheme of HTTP, which does not ask for an API
// key if a card has both.
func isHTTPAuthScheme(challenge string) bool {
	return slices.Contains([]string{"basic", "bearer", "digest", "dpop", "negotiate"}, strings.ToLower(challenge))
}

// canChallengeMeanScheme reports whether a challenge fits a declared scheme. Tokens of OAuth and OpenID
// Connect are sent as Bearer, and no standard defines a challenge for an API key.
func canChallengeMeanScheme(declared, named string) bool {
	switch d := strings.ToLower(declared); d {
	case "oauth2", "openidconnect", "openid":
		return strings.EqualFold(named, "bearer") || strings.EqualFold(named, d) || strings.EqualFold(named, "dpop")
	default:
		return isNamedLikeAPIKey(d) || strings.EqualFold(named, d)
	}
}

// challengeSchemes returns the scheme words of challenges (RFC 9110, section
// 11.6.1): the commas between challenges are those between their parameters
// too, and quoted strings may hold any.
func challengeSchemes(fields []string) (out []string) {
	for _, field := range fields {
		for _, item := range splitAtUnquotedCommas(field) {
			word, rest, _ := strings.Cut(strings.TrimSpace(item), " ")
			if word != "" && !strings.Contains(word, "=") && !strings.HasPrefix(strings.TrimSpace(rest), "=") {
				out = append(out, word)
			}
		}
	}
	return out
}

// splitAtUnquotedCommas splits a list at the commas outside its quoted strings.
func splitAtUnquotedCommas(field string) (out []string) {
	quoted, escaped, from := false, false, 0
	for i, c := range field {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			out = append(out, field[from:i])
			from = i + 1
		}
	}
	return append(out, field[from:])
}

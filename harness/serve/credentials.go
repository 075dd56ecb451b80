package serve

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// securityScheme is a way to show a credential, as a card declares it.
type securityScheme struct {
	name   string // on the card
	kind   string // bearer, basic, key, oauth, code, oidc or mtls
	in     string // of a key: header, query or cookie
	at     string // the name of the field, the parameter or the cookie; of oauth and code the address of the token endpoint, of oidc that of the discovery document
	ask    string // of code: the address of the authorisation endpoint
	canary string // the kind of the credential that is due; "" if no client has one
}

// The schemes of the scenarios.
var (
	bearerScheme = securityScheme{name: "token", kind: "bearer", canary: record.BearerCanary}
	basicScheme  = securityScheme{name: "login", kind: "basic", canary: record.BasicCanary}
	headerKey    = securityScheme{name: "key", kind: "key", in: record.InHeader, at: "X-Agent-Key", canary: record.KeyCanary}
	queryKey     = securityScheme{name: "key", kind: "key", in: record.InQuery, at: "agent_key", canary: record.KeyCanary}
	cookieKey    = securityScheme{name: "key", kind: "key", in: record.InCookie, at: "agent-key", canary: record.KeyCanary}
	// strangerScheme is one for which the client has no credential. Its name is the first one in any order.
	strangerScheme = securityScheme{name: "badge", kind: "key", in: record.InHeader, at: "X-Badge"}
)

// credentials are the scenarios about credentials that the client is given.
var credentials = []Script{
	scriptDemand("auth-bearer", "hello", "a token", []string{record.BearerCanary}, []securityScheme{bearerScheme}),
	scriptDemand("auth-basic", "hello", "a user and a password", []string{record.BasicCanary}, []securityScheme{basicScheme}),
	scriptDemand("auth-key-header", "hello", "an API key in a header field", []string{record.KeyCanary}, []securityScheme{headerKey}),
	askFor(combinesSchemes, scriptDemand("auth-key-query", "auth-key-header", "an API key in the query", []string{record.KeyCanary}, []securityScheme{queryKey})),
	askFor(combinesSchemes, scriptDemand("auth-key-cookie", "auth-key-header", "an API key in a cookie", []string{record.KeyCanary}, []securityScheme{cookieKey})),
	askFor(combinesSchemes, scriptDemand("auth-either", "auth-bearer", "either a badge, which the client has not, or a token", []string{record.BearerCanary}, []securityScheme{strangerScheme}, []securityScheme{bearerScheme})),
	askFor(combinesSchemes, scriptDemand("auth-both", "auth-bearer", "a token and an API key, together", []string{record.BearerCanary, record.KeyCanary}, []securityScheme{bearerScheme, headerKey})),
	{Name: "auth-redirect", Twin: "hello", Doc: "The card demands a token and an API key, together; a token alone if it cannot combine schemes. Calls are redirected by 307 to another origin, and answered there, whoever calls.",
		Needs: []string{WithCredentials}, Grants: []string{record.BearerCanary, record.KeyCanary}, TwoOrigins: true,
		set: func(s *stage) {
			s.addMarker("artifact")
			s.addMovedFaces(1)
			demanded := []securityScheme{bearerScheme}
			if s.hasFeature(combinesSchemes) {
				demanded = append(demanded, headerKey)
			}
			demandCredentials(s, demanded)
			refuse := s.intercept
			s.intercept = func(c *call) bool {
				switch {
				case c.face.hidden:
					return false
				case refuse(c):
					return true
				}
				c.a.writeWhole(http.StatusTemporaryRedirect, []record.Field{{Name: "Location", Value: c.bases[1] + moved + c.q.Target}}, nil)
				return true
			}
		}},
	{Name: "auth-other-host", Twin: "hello", Doc: "The card demands a token. It is at one origin, and so are the documentation and the icon that it names; the interfaces are at another one.",
		Needs: []string{WithCredentials}, Grants: []string{record.BearerCanary}, TwoOrigins: true,
		set: func(s *stage) {
			s.addMarker("artifact")
			for i := range s.faces {
				s.faces[i].origin = 1
			}
			demandCredentials(s, []securityScheme{bearerScheme})
			demand := s.editCard
			s.editCard = func(card object) {
				demand(card)
				card["documentationUrl"], card["iconUrl"] = s.bases[0]+"/files/manual.html", s.bases[0]+"/files/icon.png"
			}
		}},
	{Name: "auth-oauth", Twin: "hello", Asks: []string{combinesSchemes}, Doc: "The card demands a token, which its token endpoint gives to a client that shows its id and its secret.",
		Needs: []string{WithCredentials}, Grants: []string{record.ClientIDCanary, record.ClientSecretCanary, record.TokenCanary},
		set: func(s *stage) {
			s.addMarker("artifact")
			at := s.bases[0] + tokenPath
			s.places = map[string]place{at: {"token", s.answerTokenRequest}}
			demandCredentials(s, []securityScheme{{name: "service", kind: "oauth", at: at, canary: record.TokenCanary}})
		}},
}

// askFor confines a scenario to dialects that have something.
func askFor(what string, s Script) Script {
	s.Asks = append(s.Asks, what)
	return s
}

// hasFeature reports whether the dialect of the play has something that scenarios ask for.
func (s *stage) hasFeature(what string) bool { return abilities()[s.dialect.Name][what] }

// tokenPath is the path of the token endpoint.
const tokenPath = "/oauth/token"

// place is an address that is no card and no interface.
type place struct {
	role   string // the name of its requests
	answer func(a *answerWriter, q *request)
}

// scriptDemand makes a scenario whose card demands credentials: those of one of some alternatives. Calls without them are refused.
func scriptDemand(name, twin, what string, grants []string, alternatives ...[]securityScheme) Script {
	return Script{Name: name, Twin: twin, Doc: "The card demands " + what + ". Calls without it are refused by HTTP 401. A task works until the third look at it.",
		Needs: []string{WithCredentials}, Grants: grants, Do: []adapter.Command{{Do: adapter.Send}, lookUp},
		set: func(s *stage) {
			setPoll(s, (*call).wantsToWait)
			demandCredentials(s, s.nameUsualHeader(alternatives)...)
		}}
}

// nameUsualHeader returns alternatives of schemes in which keys are in the usual header of the dialect, if it has one.
func (s *stage) nameUsualHeader(alternatives [][]securityScheme) (out [][]securityScheme) {
	for _, together := range alternatives {
		together = slices.Clone(together)
		for i := range together {
			if name := s.dialect.Card.KeyHeader; name != "" && together[i].kind == "key" {
				together[i].at = name
			}
		}
		out = append(out, together)
	}
	return out
}

// writeDemands returns what has a card demand credentials: those of one of several alternatives.
func (s *stage) writeDemands(alternatives [][]securityScheme) func(card object) {
	return func(card object) { s.form.demandSchemes(card, alternatives) }
}

// demandCredentials has the card demand credentials, and refuses calls that have none of what the alternatives combine.
func demandCredentials(s *stage, alternatives ...[]securityScheme) {
	s.editCard = s.writeDemands(alternatives)
	s.intercept = func(c *call) bool {
		for _, together := range alternatives {
			if c.hasCredentials(together) {
				return false
			}
		}
		c.a.writeWhole(http.StatusUnauthorized, append(listTypeFields("text/plain"), record.Field{Name: "WWW-Authenticate", Value: writeChallenge(alternatives[len(alternatives)-1][0])}), []byte("who are you?\n"))
		return true
	}
}

// writeChallenge returns what a refusal asks for.
func writeChallenge(s securityScheme) string {
	switch s.kind {
	case "basic":
		return `Basic realm="agent"`
	case "key":
		return `Key realm="agent"`
	}
	return "Bearer"
}

// hasCredentials reports whether a call has the credentials of several schemes, each in its place.
func (c *call) hasCredentials(all []securityScheme) bool {
	for _, s := range all {
		if s.kind == "mtls" {
			if c.q.shown == "" {
				return false
			}
			continue
		}
		if c.canaries == nil || c.canaries.values[s.canary] == "" || readCredential(c.q, s) != c.canaries.values[s.canary] {
			return false
		}
	}
	return true
}

// readCredential returns what is in the place of a scheme's credential; "" if that is not in its form.
func readCredential(q *request, s securityScheme) string {
	switch {
	case s.kind == "key" && s.in == record.InHeader:
		return q.Header.Get(s.at)
	case s.kind == "key" && s.in == record.InQuery:
		_, query, _ := strings.Cut(q.Target, "?")
		values, _ := url.ParseQuery(query) // what can be read of it
		return values.Get(s.at)
	case s.kind == "key":
		c, err := (&http.Request{Header: q.Header}).Cookie(s.at)
		if err != nil {
			return ""
		}
		return c.Value
	}
	word, credential, _ := strings.Cut(strings.TrimSpace(q.Header.Get("Authorization")), " ")
	credential = strings.TrimSpace(credential)
	if s.kind != "basic" {
		if !strings.EqualFold(word, "bearer") {
			return ""
		}
		return credential
	}
	plain, err := base64.StdEncoding.DecodeString(credential)
	if err != nil || !strings.EqualFold(word, "basic") {
		return ""
	}
	return string(plain)
}

// answerTokenRequest gives a token to a client that shows its id and its secret (RFC 6749, section 4.4).
func (s *stage) answerTokenRequest(a *answerWriter, q *request) {
	refuse := func(status int, why string) {
		a.writeWhole(status, listTypeFields("application/json"), encodeJSON(object{"error": why}))
	}
	form, err := url.ParseQuery(string(q.record.Body))
	switch {
	case q.Method != http.MethodPost || err != nil:
		refuse(http.StatusBadRequest, "invalid_request")
		return
	case form.Get("grant_type") != "client_credentials":
		refuse(http.StatusBadRequest, "unsupported_grant_type")
		return
	}
	id, secret := form.Get("client_id"), form.Get("client_secret")
	if user, password, is := (&http.Request{Header: q.Header}).BasicAuth(); is {
		id, secret = user, password
	}
	if s.canaries == nil || id != s.canaries.values[record.ClientIDCanary] || secret != s.canaries.values[record.ClientSecretCanary] {
		refuse(http.StatusUnauthorized, "invalid_client")
		return
	}
	a.writeWhole(http.StatusOK, append(listTypeFields("application/json"), record.Field{Name: "Cache-Control", Value: "no-store"}),
		encodeJSON(object{"access_token": s.canaries.values[record.TokenCanary], "token_type": "Bearer", "expires_in": 3600}))
}

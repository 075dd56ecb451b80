package a2a10

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Scheme is a SecurityScheme, section 4.5.1: exactly one of its members.
type Scheme struct {
	APIKey        *apiKeyScheme `json:"apiKeySecurityScheme,omitempty"`
	HTTPAuth      *httpScheme   `json:"httpAuthSecurityScheme,omitempty"`
	OAuth2        *oauthScheme  `json:"oauth2SecurityScheme,omitempty"`
	OpenIDConnect *openIDScheme `json:"openIdConnectSecurityScheme,omitempty"`
	MTLS          *tlsScheme    `json:"mtlsSecurityScheme,omitempty"`
}

type apiKeyScheme struct {
	Description string `json:"description,omitempty"`
	Location    string `json:"location"`
	Name        string `json:"name"`
}

type httpScheme struct {
	Description  string `json:"description,omitempty"`
	Scheme       string `json:"scheme"`
	BearerFormat string `json:"bearerFormat,omitempty"`
}

type oauthScheme struct {
	Flows       map[string]any `json:"flows"`
	MetadataURL string         `json:"oauth2MetadataUrl,omitempty"`
}

type openIDScheme struct {
	URL string `json:"openIdConnectUrl"`
}

type tlsScheme struct {
	Description string `json:"description,omitempty"`
}

// flow is an OAuth flow of any kind, with the URLs that the kind has.
type flow struct {
	AuthorizationURL string            `json:"authorizationUrl,omitempty"`
	DeviceURL        string            `json:"deviceAuthorizationUrl,omitempty"`
	TokenURL         string            `json:"tokenUrl,omitempty"`
	RefreshURL       string            `json:"refreshUrl,omitempty"`
	Scopes           map[string]string `json:"scopes"`
	PKCE             bool              `json:"pkceRequired,omitempty"`
}

// requirement is a SecurityRequirement: schemes by name with the scopes they need.
type requirement struct {
	Schemes map[string]scopeList `json:"schemes"`
}

type scopeList struct {
	List []string `json:"list"`
}

func demands(scheme string) requirement {
	return requirement{map[string]scopeList{scheme: {[]string{}}}}
}

// secureCard says what the variant guarded demands. A lavish card describes every
// kind of scheme and demands none.
func (a Server) secureCard(c *Card) {
	switch {
	case a.Variant.Guarded:
		c.SecuritySchemes = map[string]Scheme{
			"bearer": {HTTPAuth: &httpScheme{Scheme: "Bearer", Description: "The token of the bundled server."}},
			"key":    {APIKey: &apiKeyScheme{Location: "header", Name: front.APIKeyHeader, Description: "The same, as an API key."}},
		}
		c.SecurityRequirements = []requirement{demands("bearer"), demands("key")}
		c.Skills[1].SecurityRequirements = c.SecurityRequirements[:1]
	case a.Variant.Lavish:
		c.SecuritySchemes = schemes()
	}
}

func schemes() map[string]Scheme {
	const (
		authorize = "https://auth.example.com/authorize"
		device    = "https://auth.example.com/device"
		token     = "https://auth.example.com/token"
		refresh   = "https://auth.example.com/refresh"
		metadata  = "https://auth.example.com/.well-known/oauth-authorization-server"
	)
	scopes := map[string]string{"work": "Lets the agent work."}
	oauth := func(kind string, f flow) Scheme {
		return Scheme{OAuth2: &oauthScheme{map[string]any{kind: f}, metadata}}
	}
	return map[string]Scheme{
		"key":    {APIKey: &apiKeyScheme{Location: "header", Name: "X-Key"}},
		"bearer": {HTTPAuth: &httpScheme{Scheme: "Bearer", BearerFormat: "JWT"}},
		"code":   oauth("authorizationCode", flow{AuthorizationURL: authorize, TokenURL: token, RefreshURL: refresh, Scopes: scopes, PKCE: true}),
		"client": oauth("clientCredentials", flow{TokenURL: token, RefreshURL: refresh, Scopes: scopes}),
		"device": oauth("deviceCode", flow{DeviceURL: device, TokenURL: token, Scopes: scopes}),
		"openid": {OpenIDConnect: &openIDScheme{"https://auth.example.com/.well-known/openid-configuration"}},
		"tls":    {MTLS: &tlsScheme{"A certificate of the client."}},
	}
}

package reference

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
)

// The kinds of security scheme of section 5.5.3.

type a2a03Scheme struct {
	Type             string         `json:"type"`
	Description      string         `json:"description,omitempty"`
	In               string         `json:"in,omitempty"`                // apiKey
	Name             string         `json:"name,omitempty"`              // apiKey
	Scheme           string         `json:"scheme,omitempty"`            // http
	BearerFormat     string         `json:"bearerFormat,omitempty"`      // http
	Flows            map[string]any `json:"flows,omitempty"`             // oauth2
	MetadataURL      string         `json:"oauth2MetadataUrl,omitempty"` // oauth2
	OpenIDConnectURL string         `json:"openIdConnectUrl,omitempty"`
}

// a2a03Flow is an OAuth flow of any kind, with the URLs that the kind has.
type a2a03Flow struct {
	AuthorizationURL string            `json:"authorizationUrl,omitempty"`
	TokenURL         string            `json:"tokenUrl,omitempty"`
	RefreshURL       string            `json:"refreshUrl,omitempty"`
	Scopes           map[string]string `json:"scopes"`
}

// secureCard says what the variant guarded demands. A lavish card describes
// every kind of scheme and demands none.
func (a a2a03Server) secureCard(c *a2a03Card) {
	switch {
	case a.variant.guarded:
		c.SecuritySchemes = map[string]any{
			"bearer": a2a03Scheme{Type: "http", Scheme: "Bearer", Description: "The token of the bundled server."},
			"key":    a2a03Scheme{Type: "apiKey", In: "header", Name: apiKeyHeader, Description: "The same, as an API key."},
		}
		c.Security = []map[string][]string{{"bearer": {}}, {"key": {}}}
		c.Skills[1].Security = c.Security[:1]
	case a.variant.lavish:
		c.SecuritySchemes = a2a03Schemes()
	}
}

func a2a03Schemes() map[string]any {
	const (
		authorize = "https://auth.example.com/authorize"
		token     = "https://auth.example.com/token"
		refresh   = "https://auth.example.com/refresh"
	)
	scopes := map[string]string{"work": "Lets the agent work."}
	return map[string]any{
		"key":    a2a03Scheme{Type: "apiKey", In: "header", Name: "X-Key"},
		"bearer": a2a03Scheme{Type: "http", Scheme: "Bearer", BearerFormat: "JWT"},
		"oauth": a2a03Scheme{Type: "oauth2", MetadataURL: "https://auth.example.com/.well-known/oauth-authorization-server", Flows: map[string]any{
			"authorizationCode": a2a03Flow{authorize, token, refresh, scopes},
			"clientCredentials": a2a03Flow{"", token, refresh, scopes},
			"implicit":          a2a03Flow{authorize, "", refresh, scopes},
			"password":          a2a03Flow{"", token, refresh, scopes},
		}},
		"openid": a2a03Scheme{Type: "openIdConnect", OpenIDConnectURL: "https://auth.example.com/.well-known/openid-configuration"},
		"tls":    a2a03Scheme{Type: "mutualTLS"},
	}
}

// a2a03Signature is a detached JSON Web Signature, section 5.5.6.
type a2a03Signature struct {
	Protected string         `json:"protected"`
	Signature string         `json:"signature"`
	Header    map[string]any `json:"header,omitempty"`
}

// sign adds a signature made with a key for everybody to know. The protocol
// does not say in what form a card is signed: here its members are sorted, and
// there is no white space.
func (c *a2a03Card) sign() {
	seed := sha256.Sum256([]byte("a2a-conform reference server"))
	key := ed25519.NewKeyFromSeed(seed[:])
	base64url := base64.RawURLEncoding.EncodeToString
	protected := base64url([]byte(`{"alg":"EdDSA","kid":"reference","typ":"JOSE"}`))
	payload := base64url(encode(generic(c)))
	c.Signatures = []a2a03Signature{{
		Protected: protected,
		Signature: base64url(ed25519.Sign(key, []byte(protected+"."+payload))),
		Header:    map[string]any{"jwk": map[string]any{"kty": "OKP", "crv": "Ed25519", "x": base64url(key.Public().(ed25519.PublicKey))}},
	}}
}

package a2a03

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The kinds of security scheme of section 5.5.3.

type Scheme struct {
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

// flow is an OAuth flow of any kind, with the URLs that the kind has.
type flow struct {
	AuthorizationURL string            `json:"authorizationUrl,omitempty"`
	TokenURL         string            `json:"tokenUrl,omitempty"`
	RefreshURL       string            `json:"refreshUrl,omitempty"`
	Scopes           map[string]string `json:"scopes"`
}

// secureCard says what the variant guarded demands. A lavish card describes
// every kind of scheme and demands none.
func (a Server) secureCard(c *Card) {
	switch {
	case a.Variant.Guarded:
		c.SecuritySchemes = map[string]any{
			"bearer": Scheme{Type: "http", Scheme: "Bearer", Description: "The token of the bundled server."},
			"key":    Scheme{Type: "apiKey", In: "header", Name: front.APIKeyHeader, Description: "The same, as an API key."},
		}
		c.Security = []map[string][]string{{"bearer": {}}, {"key": {}}}
		c.Skills[1].Security = c.Security[:1]
	case a.Variant.Lavish:
		c.SecuritySchemes = schemes()
	}
}

func schemes() map[string]any {
	const (
		authorize = "https://auth.example.com/authorize"
		token     = "https://auth.example.com/token"
		refresh   = "https://auth.example.com/refresh"
	)
	scopes := map[string]string{"work": "Lets the agent work."}
	return map[string]any{
		"key":    Scheme{Type: "apiKey", In: "header", Name: "X-Key"},
		"bearer": Scheme{Type: "http", Scheme: "Bearer", BearerFormat: "JWT"},
		"oauth": Scheme{Type: "oauth2", MetadataURL: "https://auth.example.com/.well-known/oauth-authorization-server", Flows: map[string]any{
			"authorizationCode": flow{authorize, token, refresh, scopes},
			"clientCredentials": flow{"", token, refresh, scopes},
			"implicit":          flow{authorize, "", refresh, scopes},
			"password":          flow{"", token, refresh, scopes},
		}},
		"openid": Scheme{Type: "openIdConnect", OpenIDConnectURL: "https://auth.example.com/.well-known/openid-configuration"},
		"tls":    Scheme{Type: "mutualTLS"},
	}
}

// signature is a detached JSON Web Signature, section 5.5.6.
type signature struct {
	Protected string         `json:"protected"`
	Signature string         `json:"signature"`
	Header    map[string]any `json:"header,omitempty"`
}

// sign adds a signature made with a key for everybody to know. The protocol
// does not say in what form a card is signed: here its members are sorted, and
// there is no white space.
func (c *Card) sign() {
	seed := sha256.Sum256([]byte("a2a-conform reference server"))
	key := ed25519.NewKeyFromSeed(seed[:])
	base64url := base64.RawURLEncoding.EncodeToString
	protected := base64url([]byte(`{"alg":"EdDSA","kid":"reference","typ":"JOSE"}`))
	payload := base64url(front.Encode(front.Generic(c)))
	c.Signatures = []signature{{
		Protected: protected,
		Signature: base64url(ed25519.Sign(key, []byte(protected+"."+payload))),
		Header:    map[string]any{"jwk": map[string]any{"kty": "OKP", "crv": "Ed25519", "x": base64url(key.Public().(ed25519.PublicKey))}},
	}}
}

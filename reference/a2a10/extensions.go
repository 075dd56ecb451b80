package a2a10

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// extensionsHeader names extensions: in a request those to activate, in a
// response those that are active.
const extensionsHeader = "A2A-Extensions"

// An Extension is an AgentExtension, section 4.4.4.
type Extension struct {
	URI         string         `json:"uri"`
	Description string         `json:"description,omitempty"`
	Required    bool           `json:"required,omitempty"`
	Params      map[string]any `json:"params,omitempty"`
}

func (a Server) extensions() []Extension {
	return []Extension{
		{URI: front.Trace, Description: "Messages name the extension they were made with.", Required: a.Variant.Extended},
		{URI: front.Provenance, Params: map[string]any{"source": "a script"}},
	}
}

// asked are the extensions that a request names.
func asked(r *http.Request) []string { return front.Listed(r, extensionsHeader) }

// head names the extensions that are active for a request, and keeps a client of
// TLS from falling back to plain HTTP.
func (a Server) head(h http.Header, r *http.Request) {
	if active := a.ActivatedExtensions(r, extensionsHeader); len(active) > 0 {
		h.Set(extensionsHeader, strings.Join(active, ", "))
	}
	if a.Variant.Guarded { // what is for one client is for no shared cache (section 13.3)
		h.Set("Cache-Control", "private")
	}
	if a.Variant.TLS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

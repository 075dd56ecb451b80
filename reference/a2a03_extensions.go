package reference

import (
	"net/http"
	"slices"
	"strings"
)

// extensionsHeader names extensions: in a request those to activate, in a
// response those that are active.
const extensionsHeader = "X-A2A-Extensions"

// The extensions of the server. The first is required by the variant extended;
// the second only adds to the card and cannot be activated.
const (
	a2a03Trace      = "https://conform.example.com/ext/trace/v1"
	a2a03Provenance = "https://conform.example.com/ext/provenance/v1"
)

type a2a03Extension struct {
	URI         string         `json:"uri"`
	Description string         `json:"description,omitempty"`
	Required    *bool          `json:"required,omitempty"`
	Params      map[string]any `json:"params,omitempty"`
}

func (a a2a03Server) extensions() []a2a03Extension {
	return []a2a03Extension{
		{URI: a2a03Trace, Description: "Messages name the extension they were made with.", Required: &a.variant.extended},
		{URI: a2a03Provenance, Params: map[string]any{"source": "a script"}},
	}
}

// activated returns the extensions that a request activates: those it asks for,
// in one header or several, that the server has in exactly that version.
func (a a2a03Server) activated(r *http.Request) []string {
	if !a.variant.rich {
		return nil
	}
	var active []string
	for _, header := range r.Header.Values(extensionsHeader) {
		for uri := range strings.SplitSeq(header, ",") {
			if uri = strings.TrimSpace(uri); uri == a2a03Trace && !slices.Contains(active, uri) {
				active = append(active, uri)
			}
		}
	}
	return active
}

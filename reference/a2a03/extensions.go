package a2a03

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The extensions of the server. The first is required by the variant extended;
// the second only adds to the card and cannot be activated.
const (
	Trace      = "https://conform.example.com/ext/trace/v1"
	Provenance = "https://conform.example.com/ext/provenance/v1"
)

type Extension struct {
	URI         string         `json:"uri"`
	Description string         `json:"description,omitempty"`
	Required    *bool          `json:"required,omitempty"`
	Params      map[string]any `json:"params,omitempty"`
}

func (a Server) extensions() []Extension {
	return []Extension{
		{URI: Trace, Description: "Messages name the extension they were made with.", Required: &a.Variant.Extended},
		{URI: Provenance, Params: map[string]any{"source": "a script"}},
	}
}

// activated returns the extensions that a request activates: those it asks for
// that the server has in exactly that version.
func (a Server) activated(r *http.Request) []string {
	if a.Variant.Rich && slices.Contains(front.Listed(r, front.ExtensionsHeader), Trace) {
		return []string{Trace}
	}
	return nil
}

package a2a03

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// An Extension is an AgentExtension, section 5.5.2.1.
type Extension struct {
	URI         string         `json:"uri"`
	Description string         `json:"description,omitempty"`
	Required    *bool          `json:"required,omitempty"`
	Params      map[string]any `json:"params,omitempty"`
}

func (a Server) extensions() []Extension {
	return []Extension{
		{URI: front.Trace, Description: "Messages name the extension they were made with.", Required: &a.Variant.Extended},
		{URI: front.Provenance, Params: map[string]any{"source": "a script"}},
	}
}

package a2x03

import (
	"net/http"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The card of "Agent Card (Discovery)" as this server sends it.

type Card struct {
	Name            string         `json:"name"`
	Description     string         `json:"description"`
	ProtocolVersion string         `json:"protocolVersion"`
	Version         string         `json:"version"`
	URL             string         `json:"url"`
	Skills          []skill        `json:"skills"`
	Capabilities    capabilities   `json:"capabilities"`
	SecuritySchemes map[string]any `json:"securitySchemes,omitempty"`
}

type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	InputModes  []string `json:"inputModes,omitempty"`
	OutputModes []string `json:"outputModes,omitempty"`
}

type capabilities struct {
	Streaming  *bool             `json:"streaming,omitempty"`
	Extensions []a2a03.Extension `json:"extensions,omitempty"`
}

func (a Server) card() *Card {
	c := &Card{
		Name:            "Reference Agent",
		Description:     "Repeats, waits, asks, fails and sells, as it is told.",
		ProtocolVersion: "0.3.0",
		Version:         "1.0.0",
		URL:             a.Url + path,
		Skills:          []skill{{ID: "echo", Name: "Echo", Description: "Repeats the text it is given."}},
	}
	if !a.Variant.Rich {
		return c
	}
	c.Skills[0].Tags = []string{"echo", "test"}
	c.Skills[0].InputModes, c.Skills[0].OutputModes = a.Variant.InputModes, a.OutputModes()
	c.Skills = append(c.Skills, skill{ID: "work", Name: "Work", Description: "Works for a number of seconds.", Tags: []string{"slow"}})
	c.Capabilities = capabilities{&a.Variant.Streaming, a.extensions()}
	if a.Variant.Guarded {
		c.SecuritySchemes = map[string]any{
			"bearer": a2a03.Scheme{Type: "http", Scheme: "Bearer"},
			"key":    a2a03.Scheme{Type: "apiKey", In: "header", Name: front.APIKeyHeader},
		}
	}
	return c
}

// extensions are those of the card: one that clients may use and, where the agent
// is paid, the one that they must.
func (a Server) extensions() []a2a03.Extension {
	list := []a2a03.Extension{{URI: front.Trace, Description: "Messages name the extension they were made with.", Required: new(bool)}}
	if a.Variant.Pays {
		list = append(list, a2a03.Extension{URI: front.PaymentsExtension, Description: "Some work has to be paid for.", Required: &a.Variant.Pays})
	}
	return list
}

// activated returns the extensions that a request activates.
func (a Server) activated(r *http.Request) []string {
	var active []string
	for _, uri := range front.Listed(r, front.ExtensionsHeader) {
		if a.Variant.Rich && slices.ContainsFunc(a.extensions(), func(e a2a03.Extension) bool { return e.URI == uri }) && !slices.Contains(active, uri) {
			active = append(active, uri)
		}
	}
	return active
}

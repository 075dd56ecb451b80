package reference

import (
	"net/http"
	"slices"
	"strings"
)

// The card of "Agent Card (Discovery)" as this server sends it.

type a2x03Card struct {
	Name            string            `json:"name"`
	Description     string            `json:"description"`
	ProtocolVersion string            `json:"protocolVersion"`
	Version         string            `json:"version"`
	URL             string            `json:"url"`
	Skills          []a2x03Skill      `json:"skills"`
	Capabilities    a2x03Capabilities `json:"capabilities"`
	SecuritySchemes map[string]any    `json:"securitySchemes,omitempty"`
}

type a2x03Skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	InputModes  []string `json:"inputModes,omitempty"`
	OutputModes []string `json:"outputModes,omitempty"`
}

type a2x03Capabilities struct {
	Streaming  *bool            `json:"streaming,omitempty"`
	Extensions []a2a03Extension `json:"extensions,omitempty"`
}

// a2x03Payments is the extension by which the variant paid demands money.
const a2x03Payments = "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2"

func (a a2x03Server) card() *a2x03Card {
	c := &a2x03Card{
		Name:            "Reference Agent",
		Description:     "Repeats, waits, asks, fails and sells, as it is told.",
		ProtocolVersion: "0.3.0",
		Version:         "1.0.0",
		URL:             a.url + a2x03Path,
		Skills:          []a2x03Skill{{ID: "echo", Name: "Echo", Description: "Repeats the text it is given."}},
	}
	if !a.variant.rich {
		return c
	}
	c.Skills[0].Tags = []string{"echo", "test"}
	c.Skills[0].InputModes, c.Skills[0].OutputModes = a.variant.inputModes, a.outputModes()
	c.Skills = append(c.Skills, a2x03Skill{ID: "work", Name: "Work", Description: "Works for a number of seconds.", Tags: []string{"slow"}})
	c.Capabilities = a2x03Capabilities{&a.variant.streaming, a.extensions()}
	if a.variant.guarded {
		c.SecuritySchemes = map[string]any{
			"bearer": a2a03Scheme{Type: "http", Scheme: "Bearer"},
			"key":    a2a03Scheme{Type: "apiKey", In: "header", Name: apiKeyHeader},
		}
	}
	return c
}

// extensions are those of the card: one that clients may use and, where the agent
// is paid, the one that they must.
func (a a2x03Server) extensions() []a2a03Extension {
	list := []a2a03Extension{{URI: a2a03Trace, Description: "Messages name the extension they were made with.", Required: new(bool)}}
	if a.variant.pays {
		list = append(list, a2a03Extension{URI: a2x03Payments, Description: "Some work has to be paid for.", Required: &a.variant.pays})
	}
	return list
}

// activated returns the extensions that a request activates.
func (a a2x03Server) activated(r *http.Request) []string {
	var active []string
	for _, header := range r.Header.Values(extensionsHeader) {
		for uri := range strings.SplitSeq(header, ",") {
			uri = strings.TrimSpace(uri)
			if a.variant.rich && slices.ContainsFunc(a.extensions(), func(e a2a03Extension) bool { return e.URI == uri }) && !slices.Contains(active, uri) {
				active = append(active, uri)
			}
		}
	}
	return active
}

package reference

import "context"

// The structures of section 5.5 as this server sends them.

type a2a03Card struct {
	ProtocolVersion      string                `json:"protocolVersion"`
	Name                 string                `json:"name"`
	Description          string                `json:"description"`
	URL                  string                `json:"url"`
	PreferredTransport   string                `json:"preferredTransport"`
	AdditionalInterfaces []a2a03Interface      `json:"additionalInterfaces,omitempty"`
	IconURL              string                `json:"iconUrl,omitempty"`
	Provider             *a2a03Provider        `json:"provider,omitempty"`
	Version              string                `json:"version"`
	DocumentationURL     string                `json:"documentationUrl,omitempty"`
	Capabilities         a2a03Capabilities     `json:"capabilities"`
	SecuritySchemes      map[string]any        `json:"securitySchemes,omitempty"`
	Security             []map[string][]string `json:"security,omitempty"`
	DefaultInputModes    []string              `json:"defaultInputModes"`
	DefaultOutputModes   []string              `json:"defaultOutputModes"`
	Skills               []a2a03Skill          `json:"skills"`
	ExtendedCard         *bool                 `json:"supportsAuthenticatedExtendedCard,omitempty"`
	Signatures           []a2a03Signature      `json:"signatures,omitempty"`
}

type a2a03Interface struct {
	URL       string `json:"url"`
	Transport string `json:"transport"`
}

type a2a03Provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

type a2a03Capabilities struct {
	Streaming              *bool            `json:"streaming,omitempty"`
	PushNotifications      *bool            `json:"pushNotifications,omitempty"`
	StateTransitionHistory *bool            `json:"stateTransitionHistory,omitempty"`
	Extensions             []a2a03Extension `json:"extensions,omitempty"`
}

type a2a03Skill struct {
	ID          string                `json:"id"`
	Name        string                `json:"name"`
	Description string                `json:"description"`
	Tags        []string              `json:"tags"`
	Examples    []string              `json:"examples,omitempty"`
	InputModes  []string              `json:"inputModes,omitempty"`
	OutputModes []string              `json:"outputModes,omitempty"`
	Security    []map[string][]string `json:"security,omitempty"`
}

// card returns the card of the variant: all members of section 5.5 that it has
// a use for, or only those that are required.
func (a a2a03Server) card() *a2a03Card {
	c := &a2a03Card{
		ProtocolVersion:    "0.3.0",
		Name:               "Reference Agent",
		Description:        "Repeats, waits, asks, fails and remembers, **as it is told**.",
		URL:                a.url + "/",
		PreferredTransport: "JSONRPC",
		Version:            "1.0.0",
		DefaultInputModes:  a.variant.inputModes,
		DefaultOutputModes: a.outputModes(),
		Skills:             []a2a03Skill{{ID: "echo", Name: "Echo", Description: "Repeats the text it is given.", Tags: []string{"echo", "test"}}},
	}
	if !a.variant.rich {
		return c
	}
	c.AdditionalInterfaces = []a2a03Interface{{c.URL, "JSONRPC"}, {a.url + a2a03Second, "JSONRPC"}}
	c.IconURL = "https://conform.example.com/icon.png"
	c.Provider = &a2a03Provider{"a2a-conform", "https://conform.example.com/"}
	c.DocumentationURL = "https://conform.example.com/reference"
	c.Capabilities = a2a03Capabilities{&a.variant.streaming, &a.variant.push, new(bool), a.extensions()}
	c.ExtendedCard = &a.variant.guarded
	c.Skills[0].Examples = []string{"echo hello"}
	c.Skills[0].InputModes = a.variant.inputModes
	c.Skills[0].OutputModes = a.outputModes()
	c.Skills = append(c.Skills, a2a03Skill{
		ID:          "work",
		Name:        "Work",
		Description: "Works for a number of seconds.",
		Tags:        []string{"slow", "test"},
		Examples:    []string{"slow 0.4", "artifact"},
	})
	a.secureCard(c)
	if a.variant.lavish {
		c.sign()
	}
	return c
}

func (a a2a03Server) outputModes() []string {
	if a.variant.rich {
		return []string{"application/json", "text/plain", "image/png"}
	}
	return []string{"text/plain"}
}

// extendedCard is agent/getAuthenticatedExtendedCard, section 7.10. It shows a
// skill that is not for everybody to see.
func (a a2a03Server) extendedCard(context.Context, *call) (any, *rpcError) {
	if !a.variant.guarded {
		return nil, &rpcError{Code: a2a03NoExtendedCard, Message: "Authenticated Extended Card is not configured"}
	}
	c := a.card()
	c.Skills = append(c.Skills, a2a03Skill{ID: "remember", Name: "Remember", Description: "Keeps a word for later.", Tags: []string{"memory"}})
	return c, nil
}

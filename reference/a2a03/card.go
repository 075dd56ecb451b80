package a2a03

import (
	"context"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of section 5.5 as this server sends them.

type Card struct {
	ProtocolVersion      string                `json:"protocolVersion"`
	Name                 string                `json:"name"`
	Description          string                `json:"description"`
	URL                  string                `json:"url"`
	PreferredTransport   string                `json:"preferredTransport"`
	AdditionalInterfaces []Interface           `json:"additionalInterfaces,omitempty"`
	IconURL              string                `json:"iconUrl,omitempty"`
	Provider             *provider             `json:"provider,omitempty"`
	Version              string                `json:"version"`
	DocumentationURL     string                `json:"documentationUrl,omitempty"`
	Capabilities         capabilities          `json:"capabilities"`
	SecuritySchemes      map[string]any        `json:"securitySchemes,omitempty"`
	Security             []map[string][]string `json:"security,omitempty"`
	DefaultInputModes    []string              `json:"defaultInputModes"`
	DefaultOutputModes   []string              `json:"defaultOutputModes"`
	Skills               []skill               `json:"skills"`
	ExtendedCard         *bool                 `json:"supportsAuthenticatedExtendedCard,omitempty"`
	Signatures           []signature           `json:"signatures,omitempty"`
}

type Interface struct {
	URL       string `json:"url"`
	Transport string `json:"transport"`
}

type provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url"`
}

type capabilities struct {
	Streaming              *bool       `json:"streaming,omitempty"`
	PushNotifications      *bool       `json:"pushNotifications,omitempty"`
	StateTransitionHistory *bool       `json:"stateTransitionHistory,omitempty"`
	Extensions             []Extension `json:"extensions,omitempty"`
}

type skill struct {
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
func (a Server) card() *Card {
	c := &Card{
		ProtocolVersion:    "0.3.0",
		Name:               "Reference Agent",
		Description:        "Repeats, waits, asks, fails and remembers, **as it is told**.",
		URL:                a.Url + "/",
		PreferredTransport: "JSONRPC",
		Version:            "1.0.0",
		DefaultInputModes:  a.Variant.InputModes,
		DefaultOutputModes: a.OutputModes(),
		Skills:             []skill{{ID: "echo", Name: "Echo", Description: "Repeats the text it is given.", Tags: []string{"echo", "test"}}},
	}
	c.AdditionalInterfaces = []Interface{{c.URL, front.JSONRPC}}
	if a.Variant.Rich {
		c.AdditionalInterfaces = append(c.AdditionalInterfaces, Interface{a.Url + Second, front.JSONRPC})
	}
	c.AdditionalInterfaces = append(c.AdditionalInterfaces, Interface{a.restURL(), front.HTTPJSON})
	if at := a.GRPCAddr(); at != "" { // the target of a client: HOST:PORT without a scheme
		c.AdditionalInterfaces = append(c.AdditionalInterfaces, Interface{at, front.GRPC})
	}
	if !a.Variant.Rich {
		if a.Variant.Streaming || a.Variant.Push {
			c.Capabilities = capabilities{Streaming: &a.Variant.Streaming, PushNotifications: &a.Variant.Push}
		}
		return c
	}
	c.IconURL = "https://conform.example.com/icon.png"
	c.Provider = &provider{"a2a-conform", "https://conform.example.com/"}
	c.DocumentationURL = "https://conform.example.com/reference"
	c.Capabilities = capabilities{&a.Variant.Streaming, &a.Variant.Push, new(bool), a.extensions()}
	c.ExtendedCard = &a.Variant.Guarded
	c.Skills[0].Examples = []string{"echo hello"}
	c.Skills[0].InputModes = a.Variant.InputModes
	c.Skills[0].OutputModes = a.OutputModes()
	c.Skills = append(c.Skills, skill{
		ID:          "work",
		Name:        "Work",
		Description: "Works for a number of seconds.",
		Tags:        []string{"slow", "test"},
		Examples:    []string{"slow 0.4", "artifact"},
	})
	a.secureCard(c)
	if a.Variant.Lavish {
		c.sign()
	}
	return c
}

// extendedCard is agent/getAuthenticatedExtendedCard, section 7.10. It shows a
// skill that is not for everybody to see.
func (a Server) extendedCard(context.Context, *front.Call) (any, *front.RPCError) {
	if !a.Variant.Guarded {
		return nil, &front.RPCError{Code: noExtendedCard, Message: "Authenticated Extended Card is not configured"}
	}
	c := a.card()
	c.Skills = append(c.Skills, skill{ID: "remember", Name: "Remember", Description: "Keeps a word for later.", Tags: []string{"memory"}})
	return c, nil
}

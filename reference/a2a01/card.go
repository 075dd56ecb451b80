package a2a01

import "github.com/a2a-conform/a2a-conform/reference/front"

// The structures of section 5.5 as this server sends them.

type Card struct {
	Name               string          `json:"name"`
	Description        string          `json:"description,omitempty"`
	URL                string          `json:"url"`
	Provider           *provider       `json:"provider,omitempty"`
	Version            string          `json:"version"`
	DocumentationURL   string          `json:"documentationUrl,omitempty"`
	Capabilities       capabilities    `json:"capabilities"`
	Authentication     *authentication `json:"authentication,omitempty"`
	DefaultInputModes  []string        `json:"defaultInputModes,omitempty"`
	DefaultOutputModes []string        `json:"defaultOutputModes,omitempty"`
	Skills             []skill         `json:"skills"`
}

type provider struct {
	Organization string `json:"organization"`
	URL          string `json:"url,omitempty"`
}

type capabilities struct {
	Streaming              *bool `json:"streaming,omitempty"`
	PushNotifications      *bool `json:"pushNotifications,omitempty"`
	StateTransitionHistory *bool `json:"stateTransitionHistory,omitempty"`
}

type authentication struct {
	Schemes     []string `json:"schemes"`
	Credentials *string  `json:"credentials,omitempty"`
}

type skill struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Examples    []string `json:"examples,omitempty"`
	InputModes  []string `json:"inputModes,omitempty"`
	OutputModes []string `json:"outputModes,omitempty"`
}

// card returns the card of the variant: all members of section 5.5, or only
// those that are required.
func (a Server) card() Card {
	c := Card{
		Name:    "Reference Agent",
		URL:     a.Url + "/",
		Version: "1.0.0",
		Skills:  []skill{{ID: "echo", Name: "Echo"}},
	}
	if !a.Variant.Rich {
		return c
	}
	credentials := `{"note":"no credentials are needed"}`
	c.Description = "Repeats, waits, asks, fails and remembers, **as it is told**."
	c.Provider = &provider{Organization: "a2a-conform", URL: "https://conform.example.com/"}
	c.DocumentationURL = "https://conform.example.com/reference"
	c.Capabilities = capabilities{Streaming: &a.Variant.Streaming, PushNotifications: &a.Variant.Push, StateTransitionHistory: new(bool)}
	c.Authentication = &authentication{Schemes: []string{}, Credentials: &credentials}
	if a.Variant.Guarded {
		c.Authentication = &authentication{Schemes: []string{"Bearer"}}
	}
	c.DefaultInputModes = a.Variant.InputModes
	c.DefaultOutputModes = front.Modes
	c.Skills = []skill{{
		ID:          "echo",
		Name:        "Echo",
		Description: "Repeats the text it is given.",
		Tags:        []string{"echo", "test"},
		Examples:    []string{"echo hello"},
		InputModes:  a.Variant.InputModes,
		OutputModes: front.Modes,
	}, {
		ID:          "work",
		Name:        "Work",
		Description: "Works for a number of seconds.",
		Tags:        []string{"slow", "test"},
		Examples:    []string{"slow 0.4", "artifact"},
	}}
	return c
}

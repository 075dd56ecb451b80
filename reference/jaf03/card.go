package jaf03

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of the section "Agent Card Format" as this server sends them.

type Card struct {
	Name            string           `json:"name"`
	Description     string           `json:"description"`
	Version         string           `json:"version"`
	ProtocolVersion string           `json:"protocolVersion"`
	URL             string           `json:"url"`
	Capabilities    map[string]bool  `json:"capabilities"`
	Skills          []skill          `json:"skills"`
	InputModes      []string         `json:"inputModes"`
	OutputModes     []string         `json:"outputModes"`
	Authentication  *Auth            `json:"authentication,omitempty"`
	RateLimit       *front.RateLimit `json:"rateLimit,omitempty"`
}

type skill struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Tags        []string  `json:"tags,omitempty"`
	Examples    []example `json:"examples,omitempty"`
}

type example struct {
	Input  string `json:"input"`
	Output string `json:"output"`
}

type Auth struct {
	Required bool     `json:"required"`
	Schemes  []string `json:"schemes"`
}

// card returns the card of an agent at the given path.
func (j Server) card(a Agent, path string) Card {
	c := Card{
		Name:            a.name,
		Description:     a.description,
		Version:         "1.0.0",
		ProtocolVersion: "0.3.0",
		URL:             j.Url + path,
		Capabilities:    map[string]bool{},
		Skills:          []skill{{ID: "echo", Name: "Echo", Description: "Repeats the text it is given."}},
		InputModes:      j.Variant.InputModes,
		OutputModes:     []string{"text"},
	}
	if !j.Variant.Rich {
		return c
	}
	c.Capabilities = map[string]bool{
		"streaming":              j.Variant.Streaming,
		"pushNotifications":      false,
		"stateTransitionHistory": true,
		"contextAccumulation":    true,
	}
	c.Skills[0].Tags = []string{"echo", "test"}
	c.Skills[0].Examples = []example{{Input: "echo hello", Output: "hello"}}
	c.OutputModes = []string{"text", "data"}
	c.Authentication = &Auth{j.Variant.Guarded, []string{"bearer", "apikey", "basic"}}
	limit := j.RateLimit()
	c.RateLimit = &limit
	return c
}

// serverCard is GET /.well-known/agent-card.
func (j Server) serverCard(*http.Request) (int, any) {
	return http.StatusOK, j.card(agents[0], "/a2a")
}

// agentCard is GET /a2a/agents/{name}/card.
func (j Server) agentCard(r *http.Request) (int, any) {
	a, ok := agentNamed(r.PathValue("name"))
	if !ok {
		return front.Absent(r)
	}
	return http.StatusOK, j.card(a, "/a2a/agents/"+a.name)
}

// Info is what the list of agents says of each.
type Info struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Card        string `json:"card"`
}

func (j Server) info(a Agent) Info {
	return Info{a.name, a.description, j.Url + "/a2a/agents/" + a.name + "/card"}
}

// agents is GET /a2a/agents.
func (j Server) agents(*http.Request) (int, any) {
	var list []Info
	for _, a := range agents {
		list = append(list, j.info(a))
	}
	return http.StatusOK, map[string]any{"agents": list}
}

// agent is GET /a2a/agents/{name}.
func (j Server) agent(r *http.Request) (int, any) {
	a, ok := agentNamed(r.PathValue("name"))
	if !ok {
		return front.Absent(r)
	}
	return http.StatusOK, j.info(a)
}

// health is GET /a2a/health.
func (j Server) health(*http.Request) (int, any) {
	return http.StatusOK, map[string]any{"status": "healthy", "version": "1.0.0"}
}

func agentNames() []string {
	var names []string
	for _, a := range agents {
		names = append(names, a.name)
	}
	return names
}

package a2a10

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of section 4.4 as this server sends them. Those of 0.3 are there
// only if that version is served too.

type Card struct {
	Name                 string            `json:"name"`
	Description          string            `json:"description"`
	SupportedInterfaces  []Interface       `json:"supportedInterfaces"`
	Provider             *provider         `json:"provider,omitempty"`
	Version              string            `json:"version"`
	DocumentationURL     string            `json:"documentationUrl,omitempty"`
	Capabilities         capabilities      `json:"capabilities"`
	SecuritySchemes      map[string]Scheme `json:"securitySchemes,omitempty"`
	SecurityRequirements []requirement     `json:"securityRequirements,omitempty"`
	DefaultInputModes    []string          `json:"defaultInputModes"`
	DefaultOutputModes   []string          `json:"defaultOutputModes"`
	Skills               []skill           `json:"skills"`
	Signatures           []signature       `json:"signatures,omitempty"`
	IconURL              string            `json:"iconUrl,omitempty"`

	URL                string `json:"url,omitempty"`
	ProtocolVersion    string `json:"protocolVersion,omitempty"`
	PreferredTransport string `json:"preferredTransport,omitempty"`

	AdditionalInterfaces []additional `json:"additionalInterfaces,omitempty"`
}

// additional is an interface as a card of 0.3 lists it.
type additional struct {
	URL       string `json:"url"`
	Transport string `json:"transport"`
}

type Interface struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	Tenant          string `json:"tenant,omitempty"`
	ProtocolVersion string `json:"protocolVersion"`
}

type provider struct {
	URL          string `json:"url"`
	Organization string `json:"organization"`
}

type capabilities struct {
	Streaming         *bool       `json:"streaming,omitempty"`
	PushNotifications *bool       `json:"pushNotifications,omitempty"`
	Extensions        []Extension `json:"extensions,omitempty"`
	ExtendedAgentCard *bool       `json:"extendedAgentCard,omitempty"`
}

type skill struct {
	ID                   string        `json:"id"`
	Name                 string        `json:"name"`
	Description          string        `json:"description"`
	Tags                 []string      `json:"tags"`
	Examples             []string      `json:"examples,omitempty"`
	InputModes           []string      `json:"inputModes,omitempty"`
	OutputModes          []string      `json:"outputModes,omitempty"`
	SecurityRequirements []requirement `json:"securityRequirements,omitempty"`
}

// card returns the card of the variant: all members of section 4.4.1 that it has a
// use for, or only those that are required.
func (a Server) card() *Card {
	c := &Card{
		Name:                "Reference Agent",
		Description:         "Repeats, waits, asks, fails and remembers, **as it is told**.",
		SupportedInterfaces: a.interfaces(),
		Version:             "1.0.0",
		DefaultInputModes:   a.Variant.InputModes,
		DefaultOutputModes:  a.OutputModes(),
		Skills:              []skill{{ID: "echo", Name: "Echo", Description: "Repeats the text it is given.", Tags: []string{"echo", "test"}}},
	}
	if !a.Variant.Rich {
		if a.Variant.Streaming || a.Variant.Push {
			c.Capabilities = capabilities{Streaming: &a.Variant.Streaming, PushNotifications: &a.Variant.Push}
		}
		return c
	}
	if a.Variant.Older {
		c.URL, c.ProtocolVersion, c.PreferredTransport = a.Url+"/", "0.3.0", "JSONRPC"
	}
	c.IconURL = "https://conform.example.com/icon.png"
	c.Provider = &provider{"https://conform.example.com/", "a2a-conform"}
	c.DocumentationURL = "https://conform.example.com/reference"
	extended := a.declaresExtendedCard()
	c.Capabilities = capabilities{&a.Variant.Streaming, &a.Variant.Push, a.extensions(), &extended}
	c.Skills[0].Examples = []string{"echo hello", "echo Grüße"}
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
	if a.Variant.Signed {
		c.Signatures = signatures(a.Url, front.Generic(c))
	}
	return c
}

// pigeon is the name of a binding that the protocol does not define (section 5.8).
const pigeon = "https://conform.example.com/bindings/pigeon/v1"

// interfaces are the ways to the agent (section 4.4.6): one in each binding, or one for
// each tenant, version or path. JSON-RPC comes first.
func (a Server) interfaces() []Interface {
	url, rest := a.Url+"/", a.Url+restBase
	switch {
	case a.Variant.Tenanted:
		return slices.Concat(each(url, front.JSONRPC, tenants...), each(rest, front.HTTPJSON, tenants...), a.overGRPC(tenants...))
	case a.Variant.Older:
		return append([]Interface{{url, front.JSONRPC, "", "1.0"}, {url, front.JSONRPC, "", "0.3"}, {a.Url + older, front.JSONRPC, "", "0.3"},
			{rest, front.HTTPJSON, "", "1.0"}}, a.overGRPC("")...)
	case a.Variant.Lavish:
		list := append([]Interface{{url, front.JSONRPC, "", "1.0"}, {a.Url + second, front.JSONRPC, "", "1.0"}, {rest, front.HTTPJSON, "", "1.0"}}, a.overGRPC("")...)
		return append(list, Interface{"https://pigeons.example.com/", pigeon, "", "1.0"})
	}
	return append([]Interface{{url, front.JSONRPC, "", "1.0"}, {rest, front.HTTPJSON, "", "1.0"}}, a.overGRPC("")...)
}

// each are the interfaces of a binding, one for each tenant.
func each(url, binding string, tenants ...string) (list []Interface) {
	for _, tenant := range tenants {
		list = append(list, Interface{url, binding, tenant, "1.0"})
	}
	return list
}

// overGRPC are the interfaces of gRPC, if it is served. Their url is what clients of
// gRPC take as their target: HOST:PORT without a scheme.
func (a Server) overGRPC(tenants ...string) []Interface {
	if a.GRPCAddr() == "" {
		return nil
	}
	return each(a.GRPCAddr(), front.GRPC, tenants...)
}

// cardDate is when the card was changed last.
const cardDate = "Mon, 02 Mar 2026 09:00:00 GMT"

// cachedCard serves the card with what a cache needs (section 8.6.1).
func (a Server) cachedCard(r *http.Request, h http.Header) (int, any) {
	c := a.card()
	if a.Variant.Older { // callers of 0.3 get a list of interfaces in the form of that, too
		h.Set("Vary", versionHeader)
		if r.Header.Get(versionHeader) == "0.3" {
			c.AdditionalInterfaces = []additional{{a.Url + "/", front.JSONRPC}, {a.Url + older, front.JSONRPC}}
		}
	}
	// The address of a server that is started anew is no change of the card.
	content := strings.ReplaceAll(string(front.Encode(front.Generic(unsigned(*c)))), a.Url, "")
	if at := a.GRPCAddr(); at != "" {
		content = strings.ReplaceAll(content, at, "")
	}
	sum := sha256.Sum256([]byte(content))
	tag := `"` + c.Version + "-" + hex.EncodeToString(sum[:8]) + `"`
	h.Set("ETag", tag)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Last-Modified", cardDate)
	if a.Variant.TLS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	if matches(r.Header.Get("If-None-Match"), tag) || r.Header.Get("If-None-Match") == "" && r.Header.Get("If-Modified-Since") == cardDate {
		return http.StatusNotModified, nil
	}
	return http.StatusOK, c
}

// matches reports whether a list of entity tags has one.
func matches(list, tag string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(s string) bool {
		s = strings.TrimPrefix(strings.TrimSpace(s), "W/")
		return s == tag || s == "*"
	})
}

func unsigned(c Card) Card {
	c.Signatures = nil
	return c
}

// declaresExtendedCard reports whether the card says that there is an extended one.
// A lavish server says so and has none.
func (a Server) declaresExtendedCard() bool { return a.Variant.Guarded || a.Variant.Lavish }

// extendedCard is GetExtendedAgentCard, section 3.1.11. It shows skills that are not
// for everybody to see, one of them not to the client with few rights, and is signed.
func (a Server) extendedCard(_ context.Context, c *front.Call) (any, *front.RPCError) {
	var r front.Reader
	a.params(&r, c)
	switch {
	case r.Err != nil:
		return nil, r.Err
	case !a.declaresExtendedCard():
		return nil, &front.RPCError{Code: Unsupported, Message: "There is no extended card"}
	case !a.Variant.Guarded:
		return nil, &front.RPCError{Code: noExtendedCard, Message: "Extended Agent Card is not configured"}
	}
	card := a.card()
	card.Skills = append(card.Skills, skill{ID: "remember", Name: "Remember", Description: "Keeps a word for later.", Tags: []string{"memory"}})
	if a.Client(c.HTTP) != "low" {
		card.Skills = append(card.Skills, skill{ID: "forbidden", Name: "Forbidden", Description: "Does what not everybody may ask for.", Tags: []string{"rights"}})
	}
	card.Signatures = signatures(a.Url, front.AsRead(c.HTTP, card))
	return card, nil
}

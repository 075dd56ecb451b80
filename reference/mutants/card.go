package mutants

import (
	"net"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// OnCard edits the agent card.
func OnCard(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Document == "card" {
			edit(x)
		}
	}
}

// CardHas sets one member of the agent card.
func CardHas(path string, value any) func(*front.Reply) {
	return OnCard(func(x *front.Reply) { front.Put(x.Body, path, value) })
}

// AddressMutants are about addresses on the card that clients cannot call.
var AddressMutants = map[string]front.Mutant{
	"card-url-unspecified": {Reply: OnCard(func(x *front.Reply) { eachAddress(x.Body, unspecified) })},
}

// eachAddress edits the addresses of an agent's endpoints on its card.
func eachAddress(card any, edit func(string) string) {
	entries := []any{card}
	for _, list := range []string{"additionalInterfaces", "supportedInterfaces"} {
		more, _ := front.At(card, list).([]any)
		entries = append(entries, more...)
	}
	for _, e := range entries {
		if at, ok := front.At(e, "url").(string); ok {
			front.Put(e, "url", edit(at))
		}
	}
}

// unspecified is an address with 0.0.0.0 in place of its host.
func unspecified(address string) string {
	scheme, rest, is := strings.Cut(address, "://")
	if !is { // of gRPC
		scheme, rest = "", address
	}
	hostPort, path, below := strings.Cut(rest, "/")
	if _, port, err := net.SplitHostPort(hostPort); err == nil {
		hostPort = net.JoinHostPort("0.0.0.0", port)
	}
	if below {
		hostPort += "/" + path
	}
	if scheme == "" {
		return hostPort
	}
	return scheme + "://" + hostPort
}

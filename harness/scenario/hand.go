package scenario

import (
	"cmp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// runHand is how the run writes its calls.
func (c *Conversation) runHand() dialect.ClientStyle {
	return c.Writer.Hand(c.binding().Kind(), c.Hand)
}

// encodeAt writes a call to a server whose endpoint is base, in the hand of the run.
func (c *Conversation) encodeAt(base string, r binding.Request) (wire.Call, error) {
	call, err := c.binding().Encode(base, r)
	if err == nil {
		call.Body = arrangeBody(call.Body, c.binding(), c.runHand())
		call.URL = arrangeQuery(call.URL, c.runHand().Query)
	}
	return call, err
}

// arrangeBody returns a body of JSON as a hand writes it.
func arrangeBody(body []byte, by binding.Binding, hand dialect.ClientStyle) []byte {
	name := "params"
	if by.Kind() == schema.KindJSONRPC {
		name = "call"
	}
	return wire.ArrangeMembers(body, name, hand.Order)
}

// arrangeQuery puts what an address asks for in an order. What is not listed comes first, since it
// may belong to the address of the interface.
func arrangeQuery(address string, order []string) string {
	at, query, asks := strings.Cut(address, "?")
	if !asks || len(order) == 0 {
		return address
	}
	rank := func(pair string) int {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Index(order, name)
	}
	pairs := strings.Split(query, "&")
	slices.SortStableFunc(pairs, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return at + "?" + strings.Join(pairs, "&")
}

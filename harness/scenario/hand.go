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

// currentHand is how the run writes its calls.
func (c *Setting) currentHand() dialect.Hand {
	return c.Writer.Hand(c.CallBinding().Kind(), c.Hand)
}

// encodeTo writes a call to a server whose endpoint is base, in the hand of the run.
func (c *Setting) encodeTo(base string, r binding.Request) (wire.Call, error) {
	call, err := c.CallBinding().Encode(base, r)
	if err == nil {
		call.Body = ArrangeBody(call.Body, c.CallBinding(), c.currentHand())
		call.URL = arrangeQuery(call.URL, c.currentHand().Query)
	}
	return call, err
}

// ArrangeBody returns a body of JSON as a hand writes it.
func ArrangeBody(body []byte, by binding.Binding, hand dialect.Hand) []byte {
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

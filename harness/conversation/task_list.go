package conversation

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// PageThroughTasksReturningFirst turns the pages of the tasks of a context, or of all tasks if context is empty, in
// steps NAME, NAME-2, NAME-3, …. It returns the first page.
func (c *Conversation) PageThroughTasksReturningFirst(name, context string, l dialect.Listing) *Reply {
	page := func(name string) *Reply {
		return c.Call(Step{Name: name, Op: "list", Ctx: context}, dialect.Outgoing{Context: context, Listing: &l})
	}
	first := page(name)
	for r, i := first, 2; r.OK() && i <= MostPages && !c.Stopped(); i++ {
		if l.Token = c.ReadText("list", "next", r.Result); l.Token == "" {
			break
		}
		r = page(fmt.Sprintf("%s-%d", strings.TrimSuffix(name, "-1"), i))
	}
	return first
}

// MostPages bounds how many pages of a list are turned.
const MostPages = 6

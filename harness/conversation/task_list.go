package conversation

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// ListTasks asks for one page of the tasks of a context, or of all tasks if context is empty.
func (c *Conversation) ListTasks(name, context string, l dialect.Listing) *Reply {
	return c.Call(Step{Name: name, Op: "list", Ctx: context}, dialect.Outgoing{Context: context, Listing: &l})
}

// ListAllTasks is ListTasks for all pages, in steps NAME, NAME-2, NAME-3, …. It returns the first
// page.
func (c *Conversation) ListAllTasks(name, context string, l dialect.Listing) *Reply {
	first := c.ListTasks(name, context, l)
	for r, i := first, 2; r.OK() && i <= MostPages && !c.Stopped(); i++ {
		if l.Token = c.ReadText("list", "next", r.Result); l.Token == "" {
			break
		}
		r = c.ListTasks(fmt.Sprintf("%s-%d", strings.TrimSuffix(name, "-1"), i), context, l)
	}
	return first
}

// MostPages bounds how many pages of a list are turned.
const MostPages = 6

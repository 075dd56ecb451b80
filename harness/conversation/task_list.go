package conversation

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// TaskList asks for the tasks of a context, or for all tasks if Context is empty.
type TaskList struct {
	*Conversation
	Context string
}

// FetchPage asks for one page of the list.
func (t TaskList) FetchPage(name string, l dialect.Listing) *Reply {
	return t.Call(Step{Name: name, Op: "list", Ctx: t.Context}, dialect.Outgoing{Context: t.Context, Listing: &l})
}

// FetchAll asks for all pages of the list, in steps NAME, NAME-2, NAME-3, …. It returns the
// first page.
func (c TaskList) FetchAll(name string, l dialect.Listing) *Reply {
	first := c.FetchPage(name, l)
	for r, i := first, 2; r.OK() && i <= MostPages && !c.Stopped(); i++ {
		if l.Token = c.ReadText("list", "next", r.Result); l.Token == "" {
			break
		}
		r = c.FetchPage(fmt.Sprintf("%s-%d", strings.TrimSuffix(name, "-1"), i), l)
	}
	return first
}

// NewTaskList returns the list of the tasks of a context, or of all tasks if context is empty.
func NewTaskList(c *Conversation, context string) TaskList { return TaskList{c, context} }

// MostPages bounds how many pages of a list are turned.
const MostPages = 6

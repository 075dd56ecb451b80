package binding

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// anyFailure reads an error whose form the source leaves open: what comes with a status of
// an error, or has a code of one of the dialect's. Which of them it is, is reported by that
// code or by a name such as TaskNotFoundError or TASK_NOT_FOUND, else by the status.
func (b *restBinding) anyFailure(root *record.Node, status int) Answer {
	a := Answer{Failure: View{}, Code: View{At: "/code"}, Message: View{At: "/message"}, Details: View{At: "/details"}}
	for _, at := range b.is.ErrorsAt {
		e := root.At(at)
		if root == nil || e == nil || e.Kind != record.Object {
			continue
		}
		deep := maxNameDepth
		if status/100 == 2 { // a result may say anything, further inside
			deep = 1
		}
		names := b.namesByCodeOrText(e, deep)
		if status == http.StatusMethodNotAllowed { // HTTP itself describes what is wrong
			names = b.byStatus(status, true)
		}
		if status/100 == 2 && len(names) == 0 || status == 0 && len(names) == 0 {
			continue
		}
		a.Failure = View{e, at}
		a.Code, a.Message, a.Details = View{e.Member("code"), at + "/code"}, View{e.Member("message"), at + "/message"}, View{e.Member("details"), at + "/details"}
		if len(names) > 0 {
			a.Names, a.Marked = names, true
			return a
		}
	}
	if status/100 != 2 && status != 0 {
		a.Names = b.byStatus(status, a.Failure.Exists())
	}
	return a
}

// namesByCodeOrText returns the errors that the members of an object name: by their code in it, or by
// their name there or in what it reports besides.
func (b *restBinding) namesByCodeOrText(e *record.Node, deepest int) []string {
	told := map[string]bool{}
	var look func(n *record.Node, depth int)
	look = func(n *record.Node, depth int) {
		if n.Kind == record.String {
			told[plainName(n.String)] = true
		}
		if depth == deepest {
			return
		}
		for _, inner := range n.Elems {
			look(inner, depth+1)
		}
		for _, m := range n.Members {
			look(m.Value, depth+1)
		}
	}
	look(e, 0)
	return namesOfErrors(b.dialect, func(name string, is schema.ErrorSign) bool {
		code := strconv.Itoa(is.Code)
		hasCode := func(m record.Member) bool { return m.Value.Kind == record.Number && m.Value.Number == code }
		return told[plainName(name)] || slices.ContainsFunc(e.Members, hasCode)
	})
}

// maxNameDepth is how deep in an error its name is looked for: details/0/reason.
const maxNameDepth = 3

var betweenWords = strings.NewReplacer("_", "", "-", "", " ", "")

// plainName returns the name of an error as no way of writing it differs from another.
func plainName(name string) string {
	name = strings.ToLower(betweenWords.Replace(name))
	return strings.TrimSuffix(name, "error")
}

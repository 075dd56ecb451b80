package observe

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// BeNode is satisfied by the same JSON value.
func BeNode(want *record.Node) match.Matcher {
	return match.Should("the id of the call, "+ShownNode(want), func(v judge.Value) bool {
		n := v.Node()
		return n != nil && want != nil && n.Equal(want)
	}, nil)
}

// ShownNode returns a JSON value in short, for people.
func ShownNode(n *record.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case record.String:
		return shorten.Visible(fmt.Sprintf("%q", n.String), 80)
	case record.Number:
		return shorten.Visible(n.Number, 80)
	}
	return shorten.Visible(fmt.Sprint(n.Interface()), 80)
}

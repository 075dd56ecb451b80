package view

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A command that judges a client again starts it as it was started.
func TestJudgeClientsAgain(t *testing.T) {
	t.Parallel()
	for want, target := range map[string]report.Target{
		"a2a-conform client --dialect a2a-1.0 --run X-1 -- node 'my client.js'":              {Command: []string{"node", "my client.js"}},
		"a2a-conform client --keep --dialect a2a-1.0 --run X-1 -- ./adapter":                 {Command: []string{"./adapter"}, Kept: true},
		"a2a-conform client --declare production --dialect a2a-1.0 --run X-1 -- ./adapter":   {Command: []string{"./adapter"}, Declares: map[string][]string{"words": {"production"}}},
		"a2a-conform client --with credentials,tls --dialect a2a-1.0 --run X-1 -- ./adapter": {Command: []string{"./adapter"}, With: []string{"credentials", "tls"}},
		"a2a-conform client --self --dialect a2a-1.0 --run X-1":                              {Kind: Bundled, Command: []string{"a2a-conform", "reference-client", "--variant", "streaming", "{url}"}},
		"a2a-conform client --self --variant reporting --dialect a2a-1.0 --run X-1":          {Kind: Bundled, Command: []string{"a2a-conform", "reference-client", "--variant", "reporting", "{url}"}},
	} {
		target.Role, target.Dialect = schema.ClientRole, "a2a-1.0"
		if got := CheckCommand(target, "X-1"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

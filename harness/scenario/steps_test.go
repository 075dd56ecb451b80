package scenario

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Every step of every dialect is described by a sentence that a reader of a verdict understands
// without the code.
func TestEveryStepIsDescribed(t *testing.T) {
	ops := map[string]bool{}
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for op := range d.Operations {
			ops["{"+op+"}"] = true
		}
	}
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for scenario, steps := range describeSteps(d) {
			if len(steps) == 0 {
				t.Errorf("%s: the steps of %s are not described", name, scenario)
			}
			for step, text := range steps {
				verb, _, _ := strings.Cut(text, " ")
				if !strings.HasSuffix(verb, "s") || strings.ToUpper(verb[:1]) != verb[:1] || !strings.HasSuffix(text, ".") {
					t.Errorf("%s: %s/%s is not described by a sentence that begins with a verb: %q", name, scenario, step, text)
				}
				for _, op := range operationInBraces.FindAllString(text, -1) {
					if !ops[op] {
						t.Errorf("%s: the description of %s/%s names %s, which is no operation", name, scenario, step, op)
					}
				}
			}
		}
	}
}

func TestDescribeStep(t *testing.T) {
	for _, c := range []struct{ dialect, step, want string }{
		{"a2a-1.0", "quick/send", "Calls SendMessage with the stimulus quick."},
		{"a2a-0.3", "quick/send", "Calls message/send with the stimulus quick."},
		{"a2a-0.1", "slow/poll-12", "Calls tasks/get for the task until it ends."},
		{"a2a-0.1", "kitchen-sink/trace", "Calls tasks/send with the stimulus quick and this optional member alone."},
		{"a2a-1.0", "card/well-known", "Fetches the agent card by GET from its well-known path."},
		{"a2a-1.0", "quick/nothing", ""},
		{"a2a-1.0", "nothing/send", ""},
	} {
		d, err := schema.Load(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		if got := DescribeStep(d, c.step); got != c.want {
			t.Errorf("%s %s: got %q, want %q", c.dialect, c.step, got, c.want)
		}
	}
}

package card

import (
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

func TestListedAgents(t *testing.T) {
	for text, want := range map[string]string{
		`["a","b"]`: `[[a] [b]]`,
		`[{"name":"A","id":"a"},{"id":"b"},{"description":"no name"},7,""]`: `[[A a] [b]]`,
		`{"agents":[{"name":"A"}],"total":1}`:                               `[[A]]`,
		`{"data":["a"]}`:                                                    `[[a]]`,
		`{"agents":{"a":{"name":"A"},"b":{}}}`:                              `[[a A] [b]]`,
		`{"a":{"description":"x"},"count":2}`:                               `[[a]]`,
		`{"agents":[]}`:                                                     `[]`,
		`{"status":"ok"}`:                                                   `[]`,
		`"a"`:                                                               `[]`,
		`null`:                                                              `[]`,
		`{"agents":null,"b":{"agents":["not these"]}}`:                      `[[b]]`,
	} {
		root, _ := record.ObserveJSON([]byte(text))
		if got := fmt.Sprint(ListedAgents(root)); got != want {
			t.Errorf("%s lists %s, want %s", text, got, want)
		}
	}
	var none *record.Node
	if ListedAgents(none) != nil {
		t.Error("nothing lists something")
	}
}

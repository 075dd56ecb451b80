package judge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// What is validated once is what says the same, and no more than that.
func TestLikeness(t *testing.T) {
	shapes, err := schema.CompileShapes("a2a.json", []byte(`{"$defs":{
		"Word":{"type":"object","required":["word"],"properties":{"word":{"type":"string"}}},
		"Number":{"type":"object","required":["number"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	node := func(text string) *wire.Node {
		root, faults := wire.ObserveJSON([]byte(text))
		if root == nil || len(faults) > 0 {
			t.Fatalf("%s: %v", text, faults)
		}
		return root
	}
	l := newLikenesses()
	judged := func(definition, text string) string {
		found, err := l.validated(shapes, definition, node(text))
		return fmt.Sprint(found, err, l.visited(shapes, definition, node(text)))
	}
	if one, again := judged("Word", `{"word":1}`), judged("Word", ` {"word" : 1 }`); one != again || len(l.faults) != 1 || len(l.visits) != 1 {
		t.Errorf("%s and %s, kept %d and %d times", one, again, len(l.faults), len(l.visits))
	}
	for _, text := range []string{`{"word":"1"}`, `{"word":true}`, `{"word":null}`, `{"word":[1]}`, `{"word":[[]]}`, `{"word":[[1,2]]}`, `{"word":[[12]]}`, `{"word":[[1],2]}`,
		`{"wor":"d1"}`, `{"word":{"a":"b"}}`, `{"word":{"ab":""}}`, `{"word":{"a":{}},"b":1}`, `{"word":{"a":{},"b":1}}`, `{"word":"1:2"}`, `{"word":1.0}`} {
		before := len(l.faults)
		if judged("Word", text); len(l.faults) != before+1 {
			t.Errorf("%s is taken for another", text)
		}
	}
	if judged("Number", `{"word":1}`) == judged("Word", `{"word":1}`) {
		t.Error("one definition is taken for another")
	}
	before := len(l.faults)
	for _, text := range []string{`{"word":"` + strings.Repeat("x", mostAlike+1) + `"}`, `{"word":[` + strings.Repeat("1,", mostAlike) + `1]}`} {
		judged("Word", text)
	}
	if len(l.faults) != before {
		t.Error("large values are kept")
	}
}

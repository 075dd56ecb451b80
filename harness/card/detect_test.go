package card

import (
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

func TestIsOfDialect(t *testing.T) {
	for text, want := range map[string][]string{
		`{"name":"A","url":"/"}`: {"a2a-0.1", "core-schema"},
		`{"name":"A","protocolVersion":"0.3.0","defaultInputModes":[]}`: {"a2a-0.3"},
		`{"name":"A","protocolVersion":"0.3.1"}`:                        {"a2a-0.3", "a2x-0.3"},
		`{"name":"A","protocolVersion":"0.3.0"}`:                        {"a2a-0.3", "a2x-0.3", "jaf-0.3"},
		`{"name":"A","protocolVersion":"1.0","supportedInterfaces":[]}`: nil,
		`{"name":"A","protocolVersion":3}`:                              nil,
		`{"title":"A page","description":"of something else"}`:          nil,
		`["name"]`: nil,
	} {
		var got []string
		for _, name := range schema.Names() {
			if reading(t, name, text).IsOfDialect() {
				got = append(got, name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s is a card of %v, want %v", text, got, want)
		}
	}
}

func TestMayBe(t *testing.T) {
	for text, want := range map[string]bool{`{}`: true, `{"name":5}`: true, `{"jsonrpc":"2.0","error":{}}`: false, `{"jsonrpc":null}`: false, `[]`: false, `"x"`: false, `null`: false} {
		if got := reading(t, "a2a-0.1", text).MayBe(); got != want {
			t.Errorf("%s may be a card: %v, want %v", text, got, want)
		}
	}
}

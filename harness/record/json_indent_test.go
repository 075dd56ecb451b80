package record

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestAppendIndented(t *testing.T) {
	for _, text := range []string{
		`null`, `{}`, `[]`, `""`, `"\\"`, `"\\\""`, `[{}]`, `{"":[]}`, `[[],[1,-2.5e3],{"a":{"b":"c"}}]`,
		`{"a\"b\\":"{[,:]}","c":["\\\\","\\\"",true,false,null]}`, `{"text":"a: b, c\n","list":[1,[2,[3]]]}`,
	} {
		for _, prefix := range []string{"", "   "} {
			for _, indent := range []string{"", " ", "\t"} {
				var want bytes.Buffer
				if err := json.Indent(&want, []byte(text), prefix, indent); err != nil {
					t.Fatal(text, err)
				}
				if got := AppendIndented(nil, []byte(text), prefix, indent); string(got) != want.String() {
					t.Errorf("%s with %q and %q:\n%s\nwant\n%s", text, prefix, indent, got, &want)
				}
			}
		}
	}
}

package record

import (
	"strings"
	"testing"
)

// Members change their places, and nothing else does.
func TestArrangeMembers(t *testing.T) {
	order := map[string][]string{"params": {"message", "configuration"}, "parts": {"kind"}, "metadata": {"b"}}
	deep := `{"params":` + strings.Repeat(`{"x":`, 100) + "1" + strings.Repeat("}", 100) + "}"
	for _, c := range []struct{ name, text, want string }{
		{"params", `{"configuration":{},"message":{"parts":[{"data":1.50,"kind":"data"},{"kind":"text","text":"a\"}{,b"}],"role":"user"}}`,
			`{"message":{"parts":[{"kind":"data","data":1.50},{"kind":"text","text":"a\"}{,b"}],"role":"user"},"configuration":{}}`},
		{"call", `{"id":1,"params":{"z":[],"a":"\\","message":null,"b":[[{}]]}}`, `{"id":1,"params":{"message":null,"z":[],"a":"\\","b":[[{}]]}}`},
		{"params", `{"message":1,"id":2,"message":3}`, `{"message":1,"message":3,"id":2}`},
		{"params", `{"m\u0065ssage":1e3,"a":{"metadata":{"a":true,"b":"\u003c"}}}`, `{"m\u0065ssage":1e3,"a":{"metadata":{"b":"\u003c","a":true}}}`},
		{"params", `{"id": 1, "message": 2}`, `{"id": 1, "message": 2}`},
		{"params", `{"id":1,"message":`, `{"id":1,"message":`},
		{"params", ``, ``},
		{"params", `"text"`, `"text"`},
		{"params", `[{"id":1,"message":2}]`, `[{"message":2,"id":1}]`},
		{"call", deep, deep},
	} {
		if got := string(ArrangeMembers([]byte(c.text), c.name, order)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

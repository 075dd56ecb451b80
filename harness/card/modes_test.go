package card

import (
	"fmt"
	"testing"
)

func TestInputModes(t *testing.T) {
	for _, c := range []struct{ dialect, card, want string }{
		{"a2a-0.1", `{"defaultInputModes":["Text/Plain; charset=utf-8"," image/PNG "],"skills":[{"inputModes":["application/json"]},{"inputModes":"a/b"},null,7]}`,
			"[text/plain image/png application/json] image/png true false"},
		{"a2a-0.1", `{"defaultInputModes":["*/*"]}`, "[*/*]  true true"},
		{"a2a-0.1", `{"defaultInputModes":["application/json","text/html","file","image/*"]}`, "[application/json text/html file image/*]  true true"},
		{"a2a-0.1", `{"defaultInputModes":[null,5,{},""]}`, "[]  false false"},
		{"a2a-0.1", `{"defaultInputModes":"text/plain"}`, "[]  false false"},
		{"a2x-0.3", `{"defaultInputModes":["a/b"],"skills":[{"inputModes":["a/b"]}]}`, "[]  false false"}, // no sentence of the dialect is about them
	} {
		card := reading(t, c.dialect, c.card)
		if got := fmt.Sprint(card.InputModes(), " ", card.FileMode(), " ", card.Takes("application/json"), " ", card.Takes("data")); got != c.want {
			t.Errorf("%s: %s\ntakes %s\nwant  %s", c.dialect, c.card, got, c.want)
		}
	}
}

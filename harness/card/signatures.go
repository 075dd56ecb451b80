package card

import (
	"github.com/a2a-conform/a2a-conform/harness/signature"
)

// KeySets returns the addresses at which the signatures of a card say that their keys are,
// each once (the header jku of RFC 7515).
func (c Card) KeySets() (out []string) {
	for _, s := range c.placeAt(c.dialectOrEmpty().Card.Signed.At).listElements() {
		header, err := signature.ReadHeader(s.placeBelow("/protected").readText())
		if err != nil {
			continue
		}
		if jku := signature.Member(header, "jku"); jku != "" {
			out = append(out, jku)
		}
	}
	return uniqueTexts(out)
}

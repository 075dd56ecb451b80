package serve

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/google/uuid"
)

// The letters of markers: each word has several of more than one byte.
var (
	plainLetters = []rune("bdfgklmnprtv")
	longLetters  = []rune("äöüßéèçñøåžšłœæ")
)

// makeMarkerWord makes a marker of a random id.
func makeMarkerWord(id string) string {
	b := uuid.NewSHA1(uuid.NameSpaceOID, []byte(id))
	var word strings.Builder
	for i := range 5 {
		word.WriteRune(plainLetters[int(b[2*i])%len(plainLetters)])
		word.WriteRune(longLetters[int(b[2*i+1])%len(longLetters)])
	}
	return word.String()
}

// listPrintedForms returns the ways in which a client may print a marker: as it is, and escaped for JSON as
// several languages do it.
func listPrintedForms(word string) [][]byte {
	var small, capital strings.Builder
	for _, r := range word {
		if r < 0x80 {
			small.WriteRune(r)
			capital.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&small, `\u%04x`, u)
			fmt.Fprintf(&capital, `\u%04X`, u)
		}
	}
	return [][]byte{[]byte(word), []byte(small.String()), []byte(capital.String())}
}

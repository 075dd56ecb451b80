package acts

import (
	"fmt"
	"time"

	"github.com/dlclark/regexp2"
)

// pattern is a regular expression of ECMA-262, as the operator matches has it.
type pattern = *regexp2.Regexp

// Bounds of patterns: a pattern of somebody else may take for ever with a text of somebody else.
const (
	maxPattern  = 4 << 10 // bytes
	patternTime = 500 * time.Millisecond
)

// compilePattern reads a regular expression of ECMA-262.
func compilePattern(text string) (pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("the pattern has more than %d bytes; shorten it", maxPattern)
	}
	p, err := regexp2.Compile(text, regexp2.ECMAScript)
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression of ECMA-262: %v; correct it, or use contains for a plain text", text, err)
	}
	p.MatchTimeout = patternTime
	return p, nil
}

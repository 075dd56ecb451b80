package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The closed words of a catalogue, so that a mistake in one of them is found when the
// catalogue is loaded. The claims of a card are judge.Claims.
var (
	levels     = []string{string(Must), string(Should), string(May)}
	areas      = strings.Fields("auth card context directory discovery envelope errors extension limits message push ratelimit stream task transport")
	behaviours = strings.Fields("slow ask fail crash chunks data message remember recall needauth forbidden long timeout artifacts pay")
	layers     = []string{OnParams, OnEnvelope, OnHTTP}
	patches    = strings.Fields("add remove replace move copy test") // RFC 6902, section 4
	// declared are the operator's words that a requirement may ask for or, with "no-"
	// in front, the absence of.
	declared = strings.Fields("production cancel credentials authenticated several-versions webhook-reachable credential rate-limit")
	// conditionWords are what judging may need next to stimuli and credentials.
	conditionWords = strings.Fields("task agent webhook credential")
	credentials    = strings.Fields("credential.second credential.low")
	schemes        = strings.Fields("credential.bearer credential.api-key credential.basic")
)

// Behaviours returns the stimuli next to quick, the harmless one.
func Behaviours() []string { return slices.Clone(behaviours) }

// prependToStimulusWords returns the words for all stimuli, with something in front.
func prependToStimulusWords(prefix string) []string {
	out := []string{prefix + "quick"}
	for _, b := range behaviours {
		out = append(out, prefix+b)
	}
	return out
}

func needWords() []string {
	return slices.Concat(conditionWords, credentials, prependToStimulusWords("stimulus."))
}

func operatorWords() []string {
	out := slices.Concat(declared, credentials, schemes, prependToStimulusWords("stimulus."))
	for _, w := range declared {
		out = append(out, "no-"+w)
	}
	return out
}

// Unknown returns the sentence about a word that is none of those that are known, with
// what may have been meant.
func Unknown(kind, word string, known []string) string {
	const most = 24 // more of them help no one
	remedy := "no known name is like it"
	if near := Nearest(word, known); near != "" {
		remedy = "did you mean " + near + "?"
	} else if len(known) > 0 && len(known) <= most {
		remedy = "choose one of " + strings.Join(known, ", ")
	}
	if len(known) == 1 && strings.HasPrefix(remedy, "choose") {
		remedy = "it must be " + known[0]
	}
	switch {
	case word == "":
		return fmt.Sprintf("it names no %s; %s", kind, remedy)
	case strings.ContainsFunc(word, unicode.IsSpace):
		word = fmt.Sprintf("%q", shortenToFirstLine(word))
	}
	return fmt.Sprintf("unknown %s %s; %s", kind, word, remedy)
}

// Nearest returns the known word that is most like another one, or "" if none is like
// enough to have been meant. What is before a slash makes no two words alike.
func Nearest(word string, known []string) string {
	best, least := "", (len(word)-strings.LastIndexByte(word, '/')+1)/3+1
	for _, k := range known {
		if n := EditDistance(strings.ToLower(word), strings.ToLower(k)); n < least {
			best, least = k, n
		}
	}
	return best
}

// EditDistance counts the letters to put in, take out, exchange or swap with their
// neighbour until one word is the other.
func EditDistance(a, b string) int {
	two, one, now := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range now {
		now[j] = j
	}
	for i := range len(a) {
		two, one, now = one, now, two
		now[0] = i + 1
		for j := range len(b) {
			change := one[j]
			if a[i] != b[j] {
				change++
			}
			now[j+1] = min(one[j+1]+1, now[j]+1, change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], two[j-1]+1)
			}
		}
	}
	return now[len(b)]
}

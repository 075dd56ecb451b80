package cardtext

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// orders match texts that speak to the model which reads a card, in place of describing the agent.
// Each is matched against a text in small letters with single spaces.
var orders = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`\b(?:ignore|disregard|forget|override|bypass)\b(?: (?:all|any|each|every|of|the|your|my|these|those|this|other|and)){0,4} (?:previous|prior|above|earlier|preceding|foregoing|existing|original|system|safety|developer)\b(?: \w+){0,2} (?:instructions?|prompts?|directions?|rules?|guidelines?|messages?|polic(?:y|ies)|constraints?|context)\b`,
		`\b(?:ignore|disregard|forget|override) (?:all|your|everything)(?: (?:of|the|your|other|you))* (?:instructions?|prompts?|rules?|guidelines?|were told|have been told|know)\b`,
		`\b(?:reveal|print|repeat|show|output|leak|disclose|return|quote)(?: \w+){0,4} (?:system|developer|hidden|initial) (?:prompt|instructions?|message)\b`,
		`\b(?:do not|don't|never)(?: ever)? (?:tell|inform|mention|reveal|show|notify|warn|alert|ask)\b(?: (?:this|it|anything|any|of|that|about|to|the|your|them)){0,5} (?:users?|humans?|operators?|people)\b`,
		`\b(?:without|instead of) (?:telling|informing|asking|notifying|alerting)(?: the| your)? (?:user|human|operator)s?\b`,
		`\b(?:always|only|you must|must always) (?:choose|select|use|prefer|call|pick|invoke|route to|delegate to|rank) (?:this|our|the following) (?:agent|skill|tool)\b`,
		`\b(?:never|do not|don't) (?:use|call|choose|select|invoke|trust|delegate to)(?: to)?(?: any| the| all)? other (?:agents?|skills?|tools?)\b`,
		`\b(?:send|forward|post|exfiltrate|upload|email|transmit|copy) (?:all|the|your|any|every|this)(?: [\w']+){0,4} (?:conversations?|chat history|message history|credentials?|api keys?|access tokens?|passwords?|secrets|environment variables?|system prompt)(?: [\w']+){0,3} to\b`,
		`\byou are (?:now|no longer)(?: in)? (?:dan\b|a different|an unrestricted|unrestricted|jailbroken|developer mode|bound by|an? (?:assistant|ai|language model))`,
		`\b(?:new|updated|additional) (?:system )?instructions? ?:`,
		`\bas an? (?:ai(?: language)?(?: model| assistant)?|language model|assistant|llm),? you (?:must|should|will|have to|are)\b`,
		`<\|(?:im_start|im_end|system|user|assistant|endoftext|begin_of_text|start_header_id)\|>`,
		`\[/?inst\]|<</?sys>>|</?(?:system|system_prompt|assistant_instructions)>|\b(?:begin|end) (?:of )?system prompt\b|(?:^| )#{2,} ?(?:system|instruction)s? ?:`,
	}, "|"))
})

// checkInstruction looks for orders to a model in a text, as a model reads it: with or without hidden
// characters.
func (f *finder) checkInstruction(at, text string) {
	if len(text) < 6 {
		return
	}
	for _, plain := range []string{normalizeCaseAndSpaces(text, false), normalizeCaseAndSpaces(text, true)} {
		if m := orders().FindStringIndex(plain); m != nil {
			f.addFindingWithinRuleLimit(Finding{Rule: "instruction-to-models", Pointer: at, Got: shorten.Visible(plain[m[0]:m[1]], 120),
				Want: "a text that describes the agent, and gives no orders to the model that reads it", Fix: "Say what the agent does. Clients that choose agents by a model may refuse a card with such a text."})
			return
		}
	}
}

// normalizeCaseAndSpaces returns a text in small letters, with one space between words. Invisible characters part no
// words; spelled, tag characters are the letters that they stand for.
func normalizeCaseAndSpaces(text string, decodeTags bool) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case c > 0xe001f && c < 0xe007f && decodeTags:
			return c - 0xe0000
		case c == '’':
			return '\''
		case unicode.IsSpace(c):
			return ' '
		case c >= 0xa0 && (!unicode.IsPrint(c) || unicode.Is(unicode.Variation_Selector, c)):
			return -1
		}
		return unicode.ToLower(c)
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

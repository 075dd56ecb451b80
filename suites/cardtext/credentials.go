package cardtext

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// secretForms match secrets that have a form of their own, or that follow a word such as password.
var secretForms = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----|` +
		`\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]+[-_])*[A-Za-z0-9]*[0-9][A-Za-z0-9_-]{7,}|` + // OpenAI, Stripe and the like
		`\b(?:xox[abeoprs]|glpat|hf|npm|shpat|dop_v1)[-_][A-Za-z0-9_-]{10,}|` +
		`\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|` +
		`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[A-Za-z0-9_-]{35}|\bya29\.[A-Za-z0-9_-]{20,}|` +
		`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|` +
		`(?i:\b(?:bearer|basic)[ \t]+[A-Za-z0-9+/_.~-]*[0-9][A-Za-z0-9+/_.~=-]{7,})|` +
		`(?i:\b(?:token|api[-_ ]?key|secret|password|passwd)\s*[:=]\s*[^\s"'<>{}$]*[0-9][^\s"'<>{}$]{5,})`)
})

// secretMembers are names of members whose value is a secret, whatever it looks like.
var secretMembers = strings.Fields("password passwd secret clientsecret apikey accesstoken refreshtoken bearertoken privatekey authtoken")

// checkCredential looks for a secret in a text.
func (f *finder) checkCredential(at, name, text string) {
	if secret := secretInAddress(text); secret != "" {
		f.addCredential("address-credentials", at, secret, "an address without a user, a password or a key",
			"Take the credential out of the address, replace it with a new one, and describe under securitySchemes what clients have to show.")
		return
	}
	secret := secretForms().FindString(text)
	if plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name)); secret == "" && slices.Contains(secretMembers, plain) && len(text) >= 6 && !strings.ContainsAny(text, " <>{}$") {
		secret = text
	}
	if secret != "" {
		f.addCredential("credential", at, secret, "a card without secrets, since anybody can read it",
			"Take it off the card and replace it with a new one: whoever has read the card has it.")
	}
}

// privateParts are the members of a JSON Web Key that only its owner may have (RFC 7518, section 6).
var privateParts = strings.Fields("d p q dp dq qi oth k")

// checkKey looks whether an object is a key that is not public.
func (f *finder) checkKey(at string, n *record.Node) {
	if kind := n.Member("kty"); kind == nil || kind.Kind != record.String {
		return
	}
	for _, part := range privateParts {
		if v := n.Member(part); v != nil && v.Kind == record.String && v.String != "" {
			f.addCredential("credential-key", at+"/"+part, v.String, "a public key alone, which has no member "+part,
				"Take the key off the card and replace it with a new pair: whoever has read the card can sign with it.")
		}
	}
}

// addCredential adds a finding about a secret, of which it shows the first characters alone.
func (f *finder) addCredential(rule, at, secret, want, fix string) {
	shown := []rune(secret)
	f.addFindingWithinRuleLimit(Finding{Rule: rule, Pointer: at, Got: string(shown[:min(4, len(shown)/3)]) + "… (a text that looks like a secret)", Want: want, Fix: fix, Secret: secret})
}

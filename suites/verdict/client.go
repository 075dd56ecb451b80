package verdict

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// lacksClientNeed leaves a requirement on clients undecided if the operator did not give what it
// needs, with the words that would.
func (d *decision) lacksClientNeed(need string) bool {
	facts := d.runFacts()
	given := slices.Contains(facts.Operator, need) // the words of the operator
	kind, word, _ := strings.Cut(need, ".")
	remedy := ""
	switch kind {
	case "drive":
		given, remedy = given || len(facts.Command) > 0, "a2a-conform client -- COMMAND {url} {text}"
	case "turns":
		asked := slices.ContainsFunc(facts.Command, func(w string) bool { return strings.Contains(w, "{second}") })
		given, remedy = given || asked || facts.Calibration != nil && facts.Calibration.Second, "{second} in the command"
	case "credential":
		given, remedy = given || len(facts.Secrets) > 0, "{bearer} in the command"
	case "hook":
		given, remedy = given || facts.Webhook != "", "--hook URL"
	case "key":
		remedy = "declares: {key: true}, for a client that has our public key"
	case "tls":
		remedy = "declares: {tls: true}, for a client that trusts our certificate authority"
	case "declares":
		given, remedy = given || slices.Contains(facts.Operator, word), "declares: {"+word+": …}"
	case "adapter":
		given, remedy = given || slices.Contains(facts.Operator, kind), "an adapter"
	}
	return !given && d.leaveUndecided(remedy, "it needs %s, which this run has not", schema.ExplainClientNeed(need))
}

package observe

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// ListedTypes returns which media types the card lists as input, if a failure is about a type that
// it does not list; "" if it is about something else, or if no card could be read.
func ListedTypes(t *judge.T, codes []string) string {
	card, ok := t.Case.Card()
	if !ok || !slices.Contains(codes, "ContentTypeNotSupported") {
		return ""
	}
	const most = 4
	listed := t.Case.ReadCard(card).InputModes()
	slices.Sort(listed)
	listed = slices.Compact(listed)
	if len(listed) == 0 {
		return "the card lists no media type as input"
	}
	more := ""
	if len(listed) > most {
		listed, more = listed[:most], ", and more"
	}
	return "the card lists " + shorten.Visible(strings.Join(listed, ", "), 120) + more + " as input"
}

package e2e

import (
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
)

// What is said of a part of a media type that the card does not list names the type and those
// that the card lists.
func TestMediaTypesAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, mutant, id string }{
		{"a2a-0.1", "file-type-internal", "A2A01-ERR-028"},
		{"a2a-0.1", "any-file-type-accepted", "A2A01-ERR-028"},
		{"a2a-0.3", "file-type-internal", "A2A03-SEND-033"},
		{"a2a-0.3", "any-file-type-accepted", "A2A03-SEND-033"},
		{"a2a-1.0", "content-type-internal", "A2A10-SEND-004"},
		{"a2a-1.0", "odd-part-dropped", "A2A10-SEND-004"},
	} {
		t.Run(c.dialect+" "+c.mutant, func(t *testing.T) {
			t.Parallel()
			s := bundled(t, reference.Options{Dialect: c.dialect, Mutant: c.mutant})
			o, err := conform.Run(t.Context(), conform.Target{URL: s.URL(), Dialect: c.dialect, Judging: conform.Judging{Select: conform.Selection{Run: []string{c.id}}}})
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, r := range o.Report.Results {
				if r.ID != c.id {
					continue
				}
				if text = r.Reason; len(r.Findings) > 0 {
					text = r.Findings[0].Text
				} else if len(r.Why) == 0 || !strings.Contains(r.Why[0].Sent, "media type application/x-unlisted") {
					t.Errorf("the type is not named: %+v", r.Why)
				}
			}
			if !strings.Contains(text, "the card lists ") || !strings.Contains(text, "text/plain") && !strings.Contains(text, "lists text") {
				t.Errorf("what the card lists is not named: %s", text)
			}
		})
	}
}

package agentlist

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// FromURLs are entries that have no more than the URL of a server, and the dialect in which it is
// judged.
func FromURLs(urls []string, dialect string) (out []Target, notes []string, err error) {
	dialects, err := parseDialects(dialect)
	if err != nil {
		return nil, nil, err
	}
	for _, at := range urls {
		u, err := url.Parse(at)
		if err != nil || u.Host == "" || !IsWebScheme(u.Scheme) {
			return nil, nil, fmt.Errorf("%q is no http or https URL; write it like http://localhost:9999", redact.StripSecrets(at))
		}
		for _, d := range dialects {
			text, err := json.Marshal(map[string]string{"target": at, "dialect": d})
			if err != nil {
				return nil, nil, err
			}
			t, _, _, err := ParseEntry(text)
			if err != nil {
				return nil, nil, err
			}
			if slices.ContainsFunc(out, func(o Target) bool { return o.ID == t.ID }) {
				notes = append(notes, fmt.Sprintf("%s is listed twice; it is judged once", redact.StripSecrets(at)))
				continue
			}
			out = append(out, t)
		}
	}
	return out, notes, nil
}

package view

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Every place in a published text has an address, and every address is one that people can be
// sent to.
func TestPublished(t *testing.T) {
	address := regexp.MustCompile(`^https://(github\.com/(a2aproject/A2A/blob/v[0-9.]+|googleapis/googleapis/blob/master)/[a-zA-Z0-9/._-]+|www\.jsonrpc\.org/specification|www\.rfc-editor\.org/rfc/rfc[0-9]+)(#[a-z0-9_-]+)?$`)
	for dialect, of := range PublishedSections() {
		for name, url := range of {
			if !address.MatchString(url) {
				t.Errorf("%s %s: %s", dialect, name, url)
			}
		}
		d, err := schema.Load(dialect)
		if err != nil {
			t.Fatal(err)
		}
		without := map[string]int{}
		for _, r := range d.Requirements {
			for _, ref := range References(dialect, r.Section) {
				if ref.URL == "" {
					without[ref.Text]++
				}
			}
		}
		if len(without) > 0 {
			t.Errorf("%s: no address for %v", dialect, without)
		}
	}
	if len(PublishedSections()) < 3 {
		t.Errorf("%d texts", len(PublishedSections()))
	}
}

func TestReferences(t *testing.T) {
	for section, want := range map[string]string{
		"3.2.2":                         "§3.2.2 322-sendmessageconfiguration",
		"3.2.2.9":                       "§3.2.2.9 322-sendmessageconfiguration",
		"topics/extensions; 9.5":        "“topics/extensions” extensions.md, §9.5 95-error-handling",
		"a2a.proto Message":             "“a2a.proto Message” a2a.proto",
		`javascript:alert(1); 3"><b>`:   `“javascript:alert(1)” , §3"><b> 3-a2a-protocol-operations`,
		"https://evil.example/ x; 77.1": "“https://evil.example/ x” , §77.1 ",
		"":                              "",
	} {
		var got []string
		for _, r := range References("a2a-1.0", section) {
			got = append(got, fmt.Sprintf("%s %s", r.Text, r.URL[max(strings.LastIndexAny(r.URL, "#/"), -1)+1:]))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", section, text, want)
		}
	}
	if got := References("zz-9.9", "3.2.2"); got[0].URL != "" {
		t.Errorf("a protocol that is not published has %v", got)
	}
}

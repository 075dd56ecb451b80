package serve

import (
	"slices"
	"strings"
	"testing"
)

func TestExtrasDecideWhatIsPlayed(t *testing.T) {
	all := []Script{{Name: "plain"}, {Name: "secured", Needs: []string{WithCredentials}}, {Name: "both", Needs: []string{WithCredentials, WithTLS}}}
	for granted, want := range map[string]string{"": "plain", "credentials": "plain secured", "tls": "plain", "tls credentials": "plain secured both"} {
		var got []string
		for _, s := range keepGranted(slices.Clone(all), strings.Fields(granted)) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("with %q: got %v, want %s", granted, got, want)
		}
	}
	if got := all[2].ListMissing([]string{WithTLS}); !slices.Equal(got, []string{WithCredentials}) {
		t.Errorf("missing: %v", got)
	}
}

func TestExtrasAreAClosedTable(t *testing.T) {
	var names []string
	for _, e := range Extras() {
		names = append(names, e.Name)
		if e.Help == "" || !strings.Contains(ExplainExtras(), e.Name+" ("+e.Help+")") {
			t.Errorf("%s is not explained", e.Name)
		}
	}
	if err := ValidateExtras(names); err != nil {
		t.Error(err)
	}
	const want = `"credential" is nothing that --with grants; it grants credentials, tls, keys, webhook, extension`
	if err := ValidateExtras([]string{"tls", "credential"}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, dialect := range []string{a2a10, a2a03} {
		for _, s := range Scripts(dialect) {
			if err := ValidateExtras(s.Needs); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}
